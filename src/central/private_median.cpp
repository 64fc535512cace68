#include "central/private_median.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <boost/math/special_functions/beta.hpp>
#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

std::uint64_t distance_of(std::uint64_t less, std::uint64_t greater, std::uint64_t half) {
  const std::uint64_t most = std::max(less, greater);
  return most > half ? most - half : 0;
}

/// More than Boost's incomplete beta functions may err by, relatively, up to 2^32 trials.
constexpr double kBetaError = 1e-6;

/// P(M >= m) for M of n trials of probability q.
double at_least_up(double n, double q, double m) {
  if (m <= 0) return 1;
  if (m > n || q <= 0) return 0;
  return std::fmin(
      1, boost::math::ibeta(m, n - m + 1, std::fmin(1, q * (1 + 1e-13))) * (1 + kBetaError));
}

/// P(M <= m).
double at_most_up(double n, double q, double m) {
  if (m < 0) return 0;
  if (m >= n || q <= 0) return 1;
  return std::fmin(1, boost::math::ibetac(m + 1, n - m, q * (1 - 1e-13)) * (1 + kBetaError));
}

}  // namespace

PrivateMedian::PrivateMedian(std::int64_t first, std::int64_t last, Ratio rate)
    : first_(first), last_(last), choice_(rate) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 61U;
  if (first < -kLimit || first > last || last >= kLimit) {
    throw InvalidInput(
        fmt::format("a median needs -2^61 <= first <= last < 2^61, but the range is from {} to {}",
                    first, last));
  }
}

std::vector<PrivateMedian::Interval> PrivateMedian::intervals(
    std::span<const std::int64_t> values) const {
  std::vector<std::int64_t> sorted(values.begin(), values.end());
  for (std::int64_t& value : sorted) value = std::clamp(value, first_, last_);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size(), half = n / 2;
  std::vector<Interval> result;
  std::int64_t next = first_;  // of the integers not yet in an interval
  const auto add = [&](std::int64_t end, std::size_t less, std::size_t greater) {
    result.push_back(
        {next, {static_cast<std::uint64_t>(end - next), distance_of(less, greater, half)}});
    next = end;
  };
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && sorted[end] == sorted[begin]) ++end;
    if (next < sorted[begin]) add(sorted[begin], begin, n - begin);
    add(sorted[begin] + 1, begin, n - end);
    begin = end;
  }
  if (next <= last_) add(last_ + 1, n, 0);
  return result;
}

std::int64_t PrivateMedian::draw(std::span<const std::int64_t> values, SecureRandom& random) const {
  const std::vector<Interval> all = intervals(values);
  std::vector<ChoiceTerm> terms;
  terms.reserve(all.size());
  for (const Interval& interval : all) terms.push_back(interval.term);
  const ChosenOutcome chosen = choice_.draw(terms, random);
  return all[chosen.term].first + static_cast<std::int64_t>(chosen.position);
}

double median_beyond_up(std::uint64_t records, double outcomes, Ratio rate, double beyond) {
  const std::uint64_t half = records / 2;
  const auto n = static_cast<double>(records), h = static_cast<double>(half);
  const double eta = static_cast<double>(rate.numerator) / static_cast<double>(rate.denominator);
  const double c = outcomes / 2;
  const double log_c = std::log(c);
  // Any rank K gives an upper bound, so its rounding does not matter.
  const double rank = std::fmax(0, std::ceil(log_c / eta));
  const double needed = h + rank;
  if (needed > n) return 1;
  // In terms of the values beyond, M = n - N.
  const double first = at_least_up(n, beyond, n - needed + 1);
  const double kept = std::exp(-eta);
  const double mean = kept + beyond * (1 - kept);
  const double log_mean = mean < 0.5 ? std::log(mean) : std::log1p((1 - beyond) * std::expm1(-eta));
  const double exponent = log_c + eta * h + n * log_mean;
  const double rounding = 0x1p-48 * (std::abs(log_c) + eta * h + n * std::abs(log_mean) + 1);
  double second = 1;
  if (exponent < 600) {
    second = mul_up(exp_up(exponent + rounding),
                    at_most_up(n, beyond / mean * (1 - 0x1p-50), n - needed));
  } else {
    // The probability is beyond the doubles: the first summand and a geometric series above the
    // others, whose ratio falls.
    const double missed = n - needed;
    const double ratio = missed / (needed + 1) * (1 - beyond) / beyond * kept;
    const double mass =
        boost::math::ibeta_derivative(missed + 1, needed + 1, beyond) / (n + 1) * (1 + kBetaError);
    if (ratio < 1) second = exp_up(log_c - eta * rank + rounding) * mass / (1 - ratio);
  }
  return std::clamp(2 * (first + second) * (1 + 0x1p-50), 1e-300, 1.0);
}

}  // namespace mollify
