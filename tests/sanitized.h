// Sanitizers look at every line that runs, and make it five to ten times slower: what takes a size
// or many cases of a kind, not other lines, to show is shown whole by the optimised build, and at a
// smaller size or with some of the cases under them.
#pragma once

namespace mollify::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define MOLLIFY_SANITIZED
#endif
#endif

/// The first size; under sanitizers the second.
template <class Size>
constexpr Size whole_or_sanitized([[maybe_unused]] Size whole, [[maybe_unused]] Size sanitized) {
#ifdef MOLLIFY_SANITIZED
  return sanitized;
#else
  return whole;
#endif
}

#undef MOLLIFY_SANITIZED

}  // namespace mollify::test
