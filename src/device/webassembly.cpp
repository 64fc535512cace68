// What WebAssembly's C++ library would drag in for messages that nobody sees: a printf, which is more
// code than randomized response. Of other platforms nothing is here.

#if defined(__wasm__)
#include <__verbose_abort>

void std::__libcpp_verbose_abort(const char*, ...) noexcept { __builtin_trap(); }
#endif
