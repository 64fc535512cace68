#include "base/directed_rounding.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace mollify {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kLibrarySteps = 2;

double steps_up(double value, int steps) {
  for (int i = 0; i < steps; ++i) value = std::nextafter(value, kInfinite);
  return value;
}

double steps_down(double value, int steps) {
  for (int i = 0; i < steps; ++i) value = std::nextafter(value, -kInfinite);
  return value;
}

/// Below this the error of a product or quotient may be smaller than the least double, and the
/// fused multiply-add that computes it could return zero for it.
constexpr double kErrorUnderflows = 0x1p-960;

/// An unevaluated sum high + low, |low| ≤ 2^−51·|high|.
struct DoubleDouble {
  double high;
  double low;
};

/// The leading 106 bits of a positive integer.
DoubleDouble leading_bits(uint128 value) {
  const auto bit_length = [](uint128 v) {
    int length = 0;
    for (; v != 0; v >>= 1) ++length;
    return length;
  };
  const auto leading_53 = [&](uint128 v, uint128& rest) {
    const int length = bit_length(v);
    const int shift = length > 53 ? length - 53 : 0;
    const auto top = static_cast<std::uint64_t>(v >> shift);
    rest = v - (static_cast<uint128>(top) << shift);
    return std::ldexp(static_cast<double>(top), shift);
  };
  uint128 rest = 0;
  uint128 ignored = 0;
  const double high = leading_53(value, rest);
  return {high, leading_53(rest, ignored)};
}

/// a/b with a relative error below 2^−100: one correction step of long division. No overflow or
/// underflow, as both are integers below 2^128.
DoubleDouble divide(const DoubleDouble& a, const DoubleDouble& b) {
  const double quotient = a.high / b.high;
  const double remainder = std::fma(-quotient, b.high, a.high);  // exact
  return {quotient, (remainder + (a.low - quotient * b.low)) / b.high};
}

/// Sign of the exact a/b minus its rounded value; only valid away from underflow.
double quotient_error(double a, double b, double quotient) {
  const double remainder = std::fma(-quotient, b, a);
  return std::signbit(b) ? -remainder : remainder;
}

bool division_is_exact_by_nature(double a, double b, double quotient) {
  return a == 0.0 || b == 0.0 || std::isnan(quotient) || std::isinf(a) || std::isinf(b);
}

}  // namespace

double add_up(double a, double b) {
  const double sum = a + b;
  if (std::isnan(sum) || std::isinf(a) || std::isinf(b) || sum == kInfinite) return sum;
  if (sum == -kInfinite) return std::numeric_limits<double>::lowest();
  const double part_of_b = sum - a;
  const double error = (a - (sum - part_of_b)) + (b - part_of_b);
  // If the parts overflow the error is unknown; a sum is never below the least double.
  return error > 0.0 || std::isnan(error) ? steps_up(sum, 1) : sum;
}

double mul_up(double a, double b) {
  const double product = a * b;
  if (a == 0.0 || b == 0.0 || std::isnan(product) || std::isinf(a) || std::isinf(b)) return product;
  if (std::abs(product) < kErrorUnderflows) return steps_up(product, 1);
  if (product == kInfinite) return product;
  if (product == -kInfinite) return std::numeric_limits<double>::lowest();
  return std::fma(a, b, -product) > 0.0 ? steps_up(product, 1) : product;
}

double div_up(double a, double b) {
  const double quotient = a / b;
  if (division_is_exact_by_nature(a, b, quotient)) return quotient;
  if (std::abs(quotient) < kErrorUnderflows || std::abs(a) < kErrorUnderflows) {
    return steps_up(quotient, 1);
  }
  if (quotient == kInfinite) return quotient;
  if (quotient == -kInfinite) return std::numeric_limits<double>::lowest();
  return quotient_error(a, b, quotient) > 0.0 ? steps_up(quotient, 1) : quotient;
}

double div_down(double a, double b) { return -div_up(-a, b); }

double sqrt_up(double x) {
  const double root = std::sqrt(x);
  if (x != 0 && x < kErrorUnderflows) return steps_up(root, 1);
  return std::fma(root, root, -x) < 0 ? steps_up(root, 1) : root;
}

double sqrt_down(double x) {
  const double root = std::sqrt(x);
  if (x != 0 && x < kErrorUnderflows) return steps_down(root, 1);
  return std::fma(root, root, -x) > 0 ? steps_down(root, 1) : root;
}

double integer_up(std::uint64_t value) {
  const auto nearest = static_cast<double>(value);
  const bool is_below = nearest < 0x1p64 && static_cast<std::uint64_t>(nearest) < value;
  return is_below ? std::nextafter(nearest, kInfinite) : nearest;
}

double integer_down(std::uint64_t value) {
  const auto nearest = static_cast<double>(value);
  const bool is_above = nearest >= 0x1p64 || static_cast<std::uint64_t>(nearest) > value;
  return is_above ? std::nextafter(nearest, 0.0) : nearest;
}

double exp_up(double x) {
  if (x == 0.0) return 1.0;
  if (x == -kInfinite) return 0.0;
  return steps_up(std::exp(x), kLibrarySteps);
}

double exp_down(double x) {
  if (x == 0.0) return 1.0;
  if (x == kInfinite) return x;
  const double below = steps_down(std::exp(x), kLibrarySteps);
  return below < 0.0 ? 0.0 : below;
}

double ln_up(double x) {
  if (x == 1.0) return 0.0;
  if (x == 0.0) return -kInfinite;
  return steps_up(std::log(x), kLibrarySteps);
}

double ln_down(double x) {
  if (x == 1.0) return 0.0;
  if (x == kInfinite) return x;
  return steps_down(std::log(x), kLibrarySteps);
}

double ln_ratio_up(uint128 numerator, uint128 denominator) {
  if (denominator == 0) return kInfinite;
  if (numerator == 0) return -kInfinite;
  if (numerator == denominator) return 0.0;
  // One rounding in the final addition, and neglected terms far below it, on top of the library's.
  constexpr int kSteps = kLibrarySteps + 1;
  const bool above_one = numerator > denominator;
  const uint128 difference = above_one ? numerator - denominator : denominator - numerator;
  if (difference <= denominator / 2) {
    // Near one the difference is exact, so that no digit of ln(1 + x) is lost. With x = high + low,
    // ln(1 + x) = ln(1 + high) + low/(1 + high) − …, and the omitted terms are below (low/(1 +
    // high))² ≤ 2^−100·x², less than 2^−99 of the result.
    const DoubleDouble x = divide(leading_bits(difference), leading_bits(denominator));
    const double sign = above_one ? 1.0 : -1.0;
    const double high = sign * x.high;
    return steps_up(std::log1p(high) + sign * x.low / (1.0 + high), kSteps);
  }
  // Likewise ln q = ln(high) + low/high − …, with less than 2^−102 left out of at least ln 1.5.
  const DoubleDouble q = divide(leading_bits(numerator), leading_bits(denominator));
  return steps_up(std::log(q.high) + q.low / q.high, kSteps);
}

double share_up(uint128 part, uint128 whole) {
  if (part == 0) return 0;
  const double greater =
      std::nextafter(static_cast<double>(part), std::numeric_limits<double>::infinity());
  const double less = std::nextafter(static_cast<double>(whole), 0.0);
  return std::fmin(1, div_up(greater, less));
}

}  // namespace mollify
