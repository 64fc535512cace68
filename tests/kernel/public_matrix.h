// What every public integer matrix of the kernel must be, by looking at all of its entries.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/band.h"
#include "core/random.h"

namespace mollify::test {

using boost::multiprecision::uint256_t;

/// larger <= Ebar smaller, in integers wide enough for both sides, without ExpBound's own.
inline bool within(const ExpBound& bound, uint128 larger, uint128 smaller) {
  return (uint256_t(larger) << bound.shift()) <= uint256_t(smaller) * bound.mantissa();
}

template <class Channel>
double probability(const Channel& channel, std::size_t x, std::size_t j) {
  return static_cast<double>(channel.entry(x, j)) / static_cast<double>(channel.total());
}

/// Each row sums to the total, `column` gives the extremes of the entries, and these are within
/// Ebar of one another. O(m k).
template <class Channel>
void expect_private_matrix(const Channel& channel, const ExpBound& bound) {
  for (std::size_t x = 0; x < channel.input_count(); ++x) {
    uint256_t sum = 0;
    for (std::size_t j = 0; j < channel.outcome_count(); ++j) sum += channel.entry(x, j);
    ASSERT_EQ(sum, uint256_t(channel.total())) << "row " << x;
  }
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    uint128 greatest = 0, least = channel.total();
    for (std::size_t x = 0; x < channel.input_count(); ++x) {
      greatest = std::max(greatest, channel.entry(x, j));
      least = std::min(least, channel.entry(x, j));
    }
    ASSERT_TRUE(least > 0 && within(bound, greatest, least))
        << "column " << j << " at epsilon " << bound.epsilon() << ": ln of the ratio is "
        << std::log(static_cast<double>(greatest) / static_cast<double>(least));
    ASSERT_TRUE(channel.column(j).greatest == greatest && channel.column(j).least == least)
        << "column " << j;
  }
  EXPECT_TRUE(channel.satisfies(bound));
}

/// The largest ln ratio of two entries of a column, in doubles.
template <class Channel>
double realised_epsilon(const Channel& channel) {
  double greatest = 0;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    const auto entries = channel.column(j);
    greatest = std::max(greatest, std::log(static_cast<double>(entries.greatest) /
                                           static_cast<double>(entries.least)));
  }
  return greatest;
}

/// Reports of value x against the entries of its row.
template <class Channel>
void expect_reports_follow_row(const Channel& channel, std::size_t x) {
  SCOPED_TRACE(::testing::Message() << "value " << x);
  constexpr int kDraws = 200'000;
  SecureRandom random;
  std::vector<std::uint64_t> observed(channel.outcome_count());
  for (int draw = 0; draw < kDraws; ++draw) ++observed[channel.draw(x, random)];
  std::vector<double> expected;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    expected.push_back(probability(channel, x < channel.input_count() ? x : 0, j));
  }
  EXPECT_TRUE(follows(expected, observed));
}

/// Masses e^u with u uniform in [-spread, 0].
inline std::vector<double> uneven_masses(std::size_t count, double spread,
                                         std::mt19937_64& random) {
  std::uniform_real_distribution<double> exponent(-spread, 0);
  std::vector<double> masses(count);
  for (double& mass : masses) mass = std::exp(exponent(random));
  return masses;
}

inline std::vector<double> normalised_masses(std::vector<double> masses) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  for (double& mass : masses) mass /= sum;
  return masses;
}

inline constexpr double kEpsilons[] = {1e-6, 1e-3, 0.1, 1, 5, 20, 30};

}  // namespace mollify::test
