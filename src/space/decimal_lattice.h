// The multiples of a power of ten, as doubles and as texts.
#pragma once

#include <cstdint>
#include <string>

namespace mollify {

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

}  // namespace mollify
