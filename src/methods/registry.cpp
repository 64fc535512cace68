// From a method's word to the method: the one place that knows all of them.
#include "release/method.h"

namespace mollify {

const ReleaseMethod& release_method(Method word) {
#define MOLLIFY_METHOD(word, name, function, traits) &function,
  static constexpr std::array kMethods = {MOLLIFY_METHODS(MOLLIFY_METHOD)};
#undef MOLLIFY_METHOD
  return (*kMethods[static_cast<std::size_t>(word)])();
}

}  // namespace mollify
