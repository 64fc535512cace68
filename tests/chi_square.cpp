#include "chi_square.h"

#include <cstddef>
#include <cstdio>

#include <boost/math/distributions/chi_squared.hpp>

namespace mollify::test {

::testing::AssertionResult follows(std::span<const double> probabilities,
                                   std::span<const std::uint64_t> observed) {
  std::uint64_t draws = 0;
  for (const std::uint64_t count : observed) draws += count;
  double statistic = 0;
  std::size_t bins = 0;
  double few_expected = 0, few_observed = 0;
  const auto add = [&](double expected, double seen) {
    statistic += (seen - expected) * (seen - expected) / expected;
    ++bins;
  };
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double expected = probabilities[i] * static_cast<double>(draws);
    const double seen = static_cast<double>(observed[i]);
    if (expected == 0 && seen > 0) {
      return ::testing::AssertionFailure() << "outcome " << i << " cannot occur, but did";
    }
    if (expected >= 10) {
      add(expected, seen);
    } else {
      few_expected += expected;
      few_observed += seen;
    }
  }
  if (few_expected > 0) add(few_expected, few_observed);
  if (bins < 2) return ::testing::AssertionSuccess();
  const boost::math::chi_squared distribution(static_cast<double>(bins - 1));
  const double critical =
      boost::math::quantile(boost::math::complement(distribution, kFalseAlarmRate));
  std::printf("chi-square of %llu draws in %zu bins: %.2f, critical %.2f at 1e-6\n",
              static_cast<unsigned long long>(draws), bins, statistic, critical);
  if (statistic <= critical) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "chi-square " << statistic << " exceeds " << critical;
}

std::vector<double> probabilities_of(std::span<const std::uint64_t> numerators) {
  double total = 0;
  for (const std::uint64_t n : numerators) total += static_cast<double>(n);
  std::vector<double> probabilities;
  for (const std::uint64_t n : numerators) probabilities.push_back(static_cast<double>(n) / total);
  return probabilities;
}

}  // namespace mollify::test
