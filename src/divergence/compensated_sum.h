// Sums of many doubles that keep the digits a plain loop would lose.
#pragma once

#include <cmath>

namespace mollify {

/// A running sum whose rounding error does not grow with the number of terms.
///
/// Neumaier's variant of Kahan summation: the error of every addition is computed exactly and kept
/// beside the sum, so that the result is within one unit in the last place of the true sum plus
/// n²·2^−106 times the sum of magnitudes. Infinite terms give an infinite sum, as a plain loop
/// would. [Neumaier 1974, algorithm IV]
class CompensatedSum {
 public:
  CompensatedSum() = default;
  explicit CompensatedSum(double first) : sum_(first) {}

  CompensatedSum& operator+=(double term) {
    const double next = sum_ + term;
    compensation_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
    return *this;
  }

  /// The sum so far. With an infinite term the compensation is infinity minus infinity, so it must
  /// not be added.
  [[nodiscard]] double value() const { return std::isfinite(sum_) ? sum_ + compensation_ : sum_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

}  // namespace mollify
