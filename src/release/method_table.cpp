// The one place that knows every method. It is a file of its own so that a test can be linked with
// another method in a method's place (tests/release/toy_method.cpp); nothing changes it at run time.
#include <array>
#include <cstddef>

#include "release/method.h"
#include "release/methods.h"

namespace mollify {

// Every method's function is in its folder under methods/; nothing else of it is known here.
const ReleaseMethod& release_method(Method word) {
#define MOLLIFY_METHOD(word, name, function, traits) &function,
  static constexpr std::array kMethods = {MOLLIFY_METHODS(MOLLIFY_METHOD)};
#undef MOLLIFY_METHOD
  return (*kMethods[static_cast<std::size_t>(word)])();
}

}  // namespace mollify
