#include "kernel/channel/staircase_channel.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/public_matrix.h"
#include "sanitized.h"

namespace mollify {

/// Staircases in any order of the outcomes, such as no factory makes.
struct BadStaircase {
  static StaircaseChannel in_order(const std::vector<double>& reference,
                                   std::vector<std::uint32_t> order, double epsilon) {
    const double sum = std::accumulate(reference.begin(), reference.end(), 0.0);
    return StaircaseChannel::in_order(reference, sum, std::move(order), ExpBound(epsilon));
  }
};

namespace {

using test::kEpsilons;
using test::normalised_masses;
using test::uneven_masses;
using Matrix = std::vector<std::vector<double>>;

/// The construction of docs/theory/public-matrices.md as it is written, in the order given: the
/// first row and column, and then the same construction, scaled, on what is left.
Matrix recursive_kernel(const std::vector<double>& q, double e) {
  const std::size_t k = q.size();
  Matrix kernel(k, std::vector<double>(k));
  double scale = 1, left = 1;
  for (std::size_t i = 0; i < k; ++i) {
    const double first = q[i] / left;
    const double d = e * first + 1 - first;
    kernel[i][i] = scale * (i + 1 == k ? 1 : e * first / d);
    for (std::size_t j = i + 1; j < k; ++j) {
      kernel[i][j] = scale * (q[j] / left) / d;
      kernel[j][i] = scale * first / d;
    }
    scale *= 1 - first / d;
    left -= q[i];
  }
  return kernel;
}

double realised(const Matrix& kernel) {
  double greatest = 0;
  for (std::size_t j = 0; j < kernel.size(); ++j) {
    for (const auto& row : kernel) {
      for (const auto& other : kernel) {
        greatest = std::max(greatest, std::log(row[j] / other[j]));
      }
    }
  }
  return greatest;
}

TEST(StaircaseChannel, IsTheMatrixOfTheFormula) {
  std::mt19937_64 random(1);
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> q = normalised_masses(uneven_masses(2 + random() % 8, 4, random));
      std::sort(q.begin(), q.end());
      const Matrix formula = recursive_kernel(q, std::exp(epsilon));
      // The order in which outcomes are given does not matter.
      std::vector<std::size_t> order(q.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::shuffle(order.begin(), order.end(), random);
      std::vector<double> given(q.size());
      for (std::size_t i = 0; i < q.size(); ++i) given[order[i]] = q[i];
      const auto channel = StaircaseChannel::make(given, epsilon);
      for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_EQ(channel.outcome_at_rank(i), order[i]);
        for (std::size_t j = 0; j < q.size(); ++j) {
          EXPECT_NEAR(test::probability(channel, order[i], order[j]), formula[i][j],
                      1e-10 * formula[i][j]);
        }
      }
    }
  }
}

TEST(StaircaseChannel, EveryColumnByLookingAtAllEntries) {
  std::mt19937_64 random(2);
  for (const double epsilon : kEpsilons) {
    const ExpBound bound(epsilon);
    for (const std::size_t k : {1U, 2U, 3U, 7U, 50U}) {
      for (const double spread : {0.0, 1.0, 10.0, 34.0}) {
        SCOPED_TRACE(::testing::Message() << "k " << k << " spread " << spread);
        const auto q = uneven_masses(k, spread, random);
        test::expect_private_matrix(StaircaseChannel::make(q, epsilon), bound);
      }
    }
  }
}

// The budget is used: no more than Ebar's own 2^-40 and the rounding's 2^-46 are left of it.
TEST(StaircaseChannel, SpendsAllOfEpsilon) {
  std::mt19937_64 random(3);
  for (const double epsilon : kEpsilons) {
    const auto channel = StaircaseChannel::make(uneven_masses(20, 5, random), epsilon);
    EXPECT_NEAR(test::realised_epsilon(channel), epsilon, 1e-12 + 1e-15 * epsilon);
  }
}

TEST(StaircaseChannel, LeavesTheReferenceInPlace) {
  std::mt19937_64 random(4);
  for (const double epsilon : kEpsilons) {
    for (int trial = 0; trial < 30; ++trial) {
      const std::size_t k = 1 + random() % 60;
      const auto q = normalised_masses(uneven_masses(k, trial % 3 == 0 ? 34 : 5, random));
      const auto channel = StaircaseChannel::make(q, epsilon);
      for (std::size_t j = 0; j < k; ++j) {
        long double mass = 0;
        for (std::size_t x = 0; x < k; ++x) {
          mass += static_cast<long double>(q[x]) *
                  static_cast<long double>(test::probability(channel, x, j));
        }
        EXPECT_NEAR(static_cast<double>(mass), q[j], 1e-10) << "epsilon " << epsilon;
        EXPECT_NEAR(static_cast<double>(channel.reference(j)) /
                        static_cast<double>(channel.reference_total()),
                    q[j], 1e-15);
      }
    }
  }
}

// The caution of docs/theory/public-matrices.md: the same construction in another order is not
// private. What it realises at epsilon = 1 on (.6, .3, .1) is 2.26, and 1 when sorted.
TEST(StaircaseChannel, TheOrderMatters) {
  const double unsorted = realised(recursive_kernel({0.6, 0.3, 0.1}, std::exp(1.0)));
  std::printf("unsorted (.6, .3, .1) at epsilon 1 realises %.4f\n", unsorted);
  EXPECT_NEAR(unsorted, 2.26, 0.005);
  EXPECT_NEAR(realised(recursive_kernel({0.1, 0.3, 0.6}, std::exp(1.0))), 1, 1e-12);
  const std::vector<double> q = {0.6, 0.3, 0.1};
  EXPECT_LE(test::realised_epsilon(StaircaseChannel::make(q, 1)), 1);
}

TEST(StaircaseChannel, ReportsFollowTheRows) {
  const std::vector<double> q = {0.3, 0.05, 0.2, 0.001, 0.149, 0.3};
  for (const double epsilon : {0.1, 2.0}) {
    const auto channel = StaircaseChannel::make(q, epsilon);
    for (std::size_t x = 0; x < q.size(); ++x) {
      test::expect_reports_follow_row(channel, x);
    }
    test::expect_reports_follow_row(channel, q.size());  // out of range counts as 0
    test::expect_reports_follow_row(channel, ~std::size_t{0});
  }
}

// Chi-square cannot see a boundary that is off by one. Reports change exactly where the cumulative
// entries say: a value's row, in the order of its stops, its own, and its moves.
TEST(StaircaseChannel, RunsBeginAndEndWhereTheEntriesSay) {
  const std::vector<double> q = {0.3, 0.05, 0.2, 0.001, 0.149, 0.3};
  const auto channel = StaircaseChannel::make(q, 1);
  for (std::size_t x = 0; x < q.size(); ++x) {
    std::vector<std::size_t> order;
    std::size_t rank = 0;
    while (channel.outcome_at_rank(rank) != x) order.push_back(channel.outcome_at_rank(rank++));
    for (; rank < q.size(); ++rank) order.push_back(channel.outcome_at_rank(rank));
    uint128 begin = 0;
    for (const std::size_t j : order) {
      const uint128 end = begin + channel.entry(x, j);
      EXPECT_EQ(channel.outcome_at(x, begin), j);
      EXPECT_EQ(channel.outcome_at(x, end - 1), j);
      begin = end;
    }
    EXPECT_TRUE(begin == channel.total());
  }
}

TEST(StaircaseChannel, OneAndTwoOutcomes) {
  SecureRandom random;
  const std::vector<double> one = {3};
  const auto single = StaircaseChannel::make(one, 0.1);
  EXPECT_TRUE(single.entry(0, 0) == single.total());
  EXPECT_EQ(single.draw(0, random), 0U);
  // q = (1/2, 1/2): binary randomized response.
  const std::vector<double> two = {1, 1};
  const auto pair = StaircaseChannel::make(two, 1);
  const double kept = std::exp(1) / (1 + std::exp(1));
  EXPECT_NEAR(test::probability(pair, 0, 0), kept, 1e-11);
  EXPECT_NEAR(test::probability(pair, 1, 1), kept, 1e-11);
}

// A million outcomes of several shapes at every epsilon: made, and all columns within Ebar.
TEST(StaircaseChannel, AMillionOutcomes) {
  std::mt19937_64 random(6);
  const std::size_t count = test::whole_or_sanitized(1'000'000U, 50'000U);
  for (const double spread : {0.0, 5.0, 34.0}) {
    const auto q = uneven_masses(count, spread, random);
    for (const double epsilon : kEpsilons) {
      const auto start = std::chrono::steady_clock::now();
      const auto channel = StaircaseChannel::make(q, epsilon);
      const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
      EXPECT_LT(seconds.count(), 10) << "a million outcomes must be a matter of a second";
      // Not by `satisfies` alone: the extremes of `column` are checked above by brute force, and
      // here against wider integers.
      const ExpBound bound(epsilon);
      for (std::size_t j = 0; j < q.size(); j += 97) {
        const auto column = channel.column(j);
        ASSERT_TRUE(test::within(bound, column.greatest, column.least)) << j;
      }
      EXPECT_TRUE(channel.satisfies(bound));
    }
  }
}

// Masses from 1e-300 to 1: a column that failed would be refused, but none does.
TEST(StaircaseChannel, WildlyUnevenReferences) {
  std::mt19937_64 random(7);
  for (const double epsilon : kEpsilons) {
    for (const double spread : {35.0, 60.0, 690.0}) {
      for (const std::size_t k : {2U, 3U, 40U}) {
        const auto q = uneven_masses(k, spread, random);
        test::expect_private_matrix(StaircaseChannel::make(q, epsilon), ExpBound(epsilon));
      }
    }
    std::vector<double> lone(1000, 1e-15);
    lone[500] = 1;
    test::expect_private_matrix(StaircaseChannel::make(lone, epsilon), ExpBound(epsilon));
  }
}

TEST(StaircaseChannel, RefusesWhatIsNoReference) {
  const auto message = [](const std::vector<double>& q, double epsilon) -> std::string {
    try {
      StaircaseChannel::make(q, epsilon);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({}, 1), "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(message({1, 0}, 1),
            "the reference mass of outcome 1 must be finite and positive, but is 0");
  EXPECT_EQ(message({1, std::numeric_limits<double>::quiet_NaN()}, 1),
            "the reference mass of outcome 1 must be finite and positive, but is nan");
  EXPECT_EQ(message({1e308, 1e308}, 1), "the reference masses must have a finite sum");
  EXPECT_EQ(message({1, 1}, -1), "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(message({1, 1}, 1e-7), "epsilon of one draw must be at least 1e-06, but is 1e-07");
}

/// Of every column, by looking at all entries.
std::vector<Extremes> extremes_of(const StaircaseChannel& channel) {
  std::vector<Extremes> columns;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    Extremes& column = columns.emplace_back(Extremes{channel.entry(0, j), channel.entry(0, j)});
    for (std::size_t x = 1; x < channel.outcome_count(); ++x) {
      column.greatest = std::max(column.greatest, channel.entry(x, j));
      column.least = std::min(column.least, channel.entry(x, j));
    }
  }
  return columns;
}

// Staircases that are not private, in all orders of four masses and with the outcomes named so that
// each column in turn is the last: the check sees what all entries say, also if the last column
// alone is bad.
TEST(StaircaseChannel, ChecksWhatNoFactoryMakes) {
  int bad = 0, last_alone = 0;
  for (const std::vector<double>& masses :
       {std::vector<double>{0.6, 0.3, 0.1}, {0.55, 0.25, 0.15, 0.05}, {0.4, 0.3, 0.2, 0.1}}) {
    const auto k = static_cast<std::uint32_t>(masses.size());
    std::vector<std::uint32_t> order(k);
    std::iota(order.begin(), order.end(), 0U);
    do {
      for (std::uint32_t turn = 0; turn < k; ++turn) {
        // Outcome o is called o + turn, modulo k.
        std::vector<double> reference(k);
        std::vector<std::uint32_t> named(k);
        for (std::uint32_t i = 0; i < k; ++i) {
          reference[(i + turn) % k] = masses[i];
          named[i] = (order[i] + turn) % k;
        }
        const auto channel = BadStaircase::in_order(reference, named, 1);
        const std::vector<Extremes> columns = extremes_of(channel);
        const ExpBound bound(1);
        std::vector<bool> kept;
        for (std::uint32_t j = 0; j < k; ++j) {
          EXPECT_TRUE(columns[j].greatest == channel.column(j).greatest &&
                      columns[j].least == channel.column(j).least);
          kept.push_back(bound.allows(columns[j].greatest, columns[j].least));
        }
        const auto failed = std::count(kept.begin(), kept.end(), false);
        EXPECT_EQ(channel.satisfies(bound), failed == 0);
        bad += failed > 0;
        last_alone += failed == 1 && !kept.back();
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
  EXPECT_GT(bad, 0);
  EXPECT_GT(last_alone, 0);
  std::printf("%d staircases were bad, %d in the last column alone\n", bad, last_alone);
}

}  // namespace
}  // namespace mollify
