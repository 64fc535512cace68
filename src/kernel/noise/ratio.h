// Public rational numbers.
#pragma once

#include <cstdint>

namespace mollify {

/// numerator / denominator, both from 1 to 2^62: how the kernel takes a positive real parameter.
struct Ratio {
  static constexpr std::uint64_t kGreatest = std::uint64_t{1} << 62U;

  std::uint64_t numerator = 1;
  std::uint64_t denominator = 1;

  /// The least dyadic ratio of denominator 2^62 or less that is at least `value`: the value itself
  /// if it is 2^-10 or more, else rounded up by less than 2^-62. So a scale of noise made from it
  /// is never less than what was asked for. Throws InvalidInput, naming the parameter, unless the
  /// value is positive and at most 2^62.
  static Ratio at_least(const char* parameter, double value);

  friend bool operator==(const Ratio&, const Ratio&) = default;
};

}  // namespace mollify
