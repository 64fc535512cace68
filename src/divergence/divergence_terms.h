// What one outcome contributes to each divergence, in forms without cancellation.
//
// Each takes the difference p − q beside p and q: callers that know it more exactly than the
// subtraction would give it (the closed forms of worst_case_risk.cpp) lose no digits.
#pragma once

#include <cmath>
#include <limits>

namespace mollify {

/// ln(p/q) for p, q > 0, accurate for p near q and defined where the quotient over- or underflows.
[[nodiscard]] inline double log_ratio(double p, double q, double difference) {
  const double t = difference / q;
  if (std::abs(t) < 0.5) return std::log1p(t);
  const double ratio = p / q;
  return std::isnormal(ratio) ? std::log(ratio) : std::log(p) - std::log(q);
}

/// p·ln(p/q) − p + q ≥ 0.
[[nodiscard]] inline double relative_entropy_term(double p, double q, double difference) {
  if (p <= 0.0) return q;
  if (q <= 0.0) return std::numeric_limits<double>::infinity();
  // With s = (p−q)/(p+q), ln(p/q) = 2·artanh(s) and the term equals
  // (p+q)·[s² + (1+s)·(s³/3 + s⁵/5 + …)]: the linear parts, which cancel, are gone.
  const double s = difference / (p + q);
  if (std::abs(s) < 0.125) {
    const double s2 = s * s;
    // s² ≤ 1/64, so the first term left out is below 2^−54 of the leading one.
    double tail = 1.0 / 19.0;
    for (int odd = 17; odd >= 3; odd -= 2) tail = tail * s2 + 1.0 / odd;
    return (p + q) * s2 * (1.0 + (1.0 + s) * s * tail);
  }
  return p * log_ratio(p, q, difference) - difference;
}

/// (√p − √q)²/2.
[[nodiscard]] inline double squared_hellinger_term(double p, double q, double difference) {
  if (difference == 0.0) return 0.0;
  const double root = difference / (std::sqrt(p) + std::sqrt(q));
  return 0.5 * root * root;
}

/// (p − q)²/q.
[[nodiscard]] inline double chi_squared_term(double q, double difference) {
  if (difference == 0.0) return 0.0;
  if (q <= 0.0) return std::numeric_limits<double>::infinity();
  return difference * (difference / q);
}

}  // namespace mollify
