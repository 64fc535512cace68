// The scales that numbers are cut and written on: decimals, logarithms, octaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The multiples of a power of ten, as doubles and as texts.

/// The numbers m 10^exponent for integers |m| < 2^53, with -22 <= exponent <= 22.
class DecimalLattice {
 public:
  static constexpr int kMaxExponent = 22;             // the largest power of ten that is a double
  static constexpr double kMaxMultiple = 0x1p53 - 4;  // with room for the neighbours that are tried

  /// Requires -kMaxExponent <= exponent <= kMaxExponent.
  explicit DecimalLattice(int exponent) noexcept : exponent_(exponent) {}

  [[nodiscard]] int exponent() const noexcept { return exponent_; }

  /// How many steps make the value, rounded.
  [[nodiscard]] double in_steps(double value) const noexcept;

  /// The double nearest to m 10^exponent.
  [[nodiscard]] double value(std::int64_t multiple) const noexcept;

  /// An m whose value is this one, that from which it was made if |m| < 2^51 (above, the doubles
  /// are as far apart as the points). Requires a value of the lattice.
  [[nodiscard]] std::int64_t multiple(double value) const noexcept;

  /// The least m whose value is at least the bound. Requires a bound of at most kMaxMultiple steps.
  [[nodiscard]] std::int64_t ceiling(double bound) const noexcept;

  /// Appends m 10^exponent with as many decimals as the step has, and at least one.
  void write(std::int64_t multiple, std::string& text) const;

 private:
  int exponent_;
};

// -----------------------------------------------------------------------------------------------
// Logarithm and exponential that are the same on every machine.

// The C library's have other last digits on other processors. These are made of +, -, x and /
// alone, which IEEE 754 rounds alike everywhere, and are within 4 units in the last place. Numbers
// that others must find again to the digit are made with them. Nothing private.

/// x from the least normal double to the greatest.
[[nodiscard]] double same_log(double x);
/// ln(1 + x); x above -1.
[[nodiscard]] double same_log1p(double x);
/// Any x but NaN: 0 and infinity where the doubles end.
[[nodiscard]] double same_exp(double x);

// -----------------------------------------------------------------------------------------------
// Cells whose widths follow the size of their numbers.

/// Where at most `most` cells of the integers from `first` to `last` begin, ascending, whose widths
/// follow the size of their numbers: each octave [2^k, 2^(k + 1)) has the same number of equal
/// cells, a power of two and as large as fits, or a cell for each of its integers; so have negative
/// ones. Requires first <= last, less than 2^63 apart and of sizes below 2^62, and most >= 256.
[[nodiscard]] std::vector<std::int64_t> dyadic_starts(std::int64_t first, std::int64_t last,
                                                      std::size_t most);

}  // namespace mollify
