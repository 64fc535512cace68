#include "kernel/channel/matrix_channel.h"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/public_matrix.h"

namespace mollify {
namespace {

using test::kEpsilons;

/// The rows of k-ary randomized response at exactly e^epsilon in doubles.
std::vector<double> response_rows(std::size_t k, double epsilon) {
  std::vector<double> rows(k * k, 1);
  for (std::size_t i = 0; i < k; ++i) rows[i * k + i] = std::exp(epsilon);
  return rows;
}

/// m rows within e^epsilon of one another: masses h_j e^(epsilon u), normalised, with u in
/// [0, 1/2], since normalising can double the distance.
std::vector<double> random_rows(std::size_t m, std::size_t k, double epsilon,
                                std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> h(k), rows;
  for (double& mass : h) mass = std::exp(-8 * unit(random));
  for (std::size_t i = 0; i < m * k; ++i)
    rows.push_back(h[i % k] * std::exp(epsilon * unit(random) / 2));
  return rows;
}

TEST(MatrixChannel, EveryColumnByLookingAtAllEntries) {
  std::mt19937_64 random(1);
  for (const double epsilon : kEpsilons) {
    for (const std::size_t k : {1U, 2U, 5U, 50U}) {
      for (const std::size_t m : {1U, 2U, 9U}) {
        const auto channel = MatrixChannel::make(random_rows(m, k, epsilon, random), k, epsilon);
        EXPECT_EQ(channel.input_count(), m);
        EXPECT_EQ(channel.outcome_count(), k);
        test::expect_private_matrix(channel, ExpBound(epsilon));
      }
    }
  }
}

TEST(MatrixChannel, RowsAreTheMassesGiven) {
  std::mt19937_64 random(2);
  const auto rows = random_rows(4, 30, 1, random);
  const auto channel = MatrixChannel::make(rows, 30, 1);
  for (std::size_t x = 0; x < 4; ++x) {
    double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) sum += rows[x * 30 + j];
    for (std::size_t j = 0; j < 30; ++j) {
      const double mass = rows[x * 30 + j] / sum;
      EXPECT_NEAR(test::probability(channel, x, j), mass, 1e-11 * mass);
    }
  }
}

// Generators are usually the rows of a mechanism that spends all of epsilon; in doubles they reach
// e^epsilon itself, which is more than Ebar, and must not be refused for that.
TEST(MatrixChannel, AcceptsRowsThatReachEpsilon) {
  for (const double epsilon : {1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0}) {
    for (const std::size_t k : {2U, 3U, 10U, 300U}) {
      const auto channel = MatrixChannel::make(response_rows(k, epsilon), k, epsilon);
      test::expect_private_matrix(channel, ExpBound(epsilon));
      EXPECT_NEAR(test::realised_epsilon(channel), epsilon, 1e-11 + 4e-6 * epsilon * epsilon);
    }
  }
}

TEST(MatrixChannel, RefusesRowsBeyondEpsilon) {
  for (const double epsilon : {1e-3, 1.0, 5.0}) {
    EXPECT_THROW((void)MatrixChannel::make(response_rows(5, epsilon * (1 + 1e-7)), 5, epsilon),
                 InvalidInput);
  }
  const auto message = [](const std::vector<double>& rows, std::size_t k) -> std::string {
    try {
      MatrixChannel::make(rows, k, 1);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({1, 1, 1, 9}, 2),
            "generators may differ by at most e^1 at each outcome, but at outcome 0 they differ by "
            "a factor of 5");
  EXPECT_EQ(message({1, 9, 9, 1}, 2),
            "generators may differ by at most e^1 at each outcome, but at outcome 0 they differ by "
            "a factor of 9");
  EXPECT_EQ(message({1, 1, 1}, 2),
            "the generators must be rows of 2 masses, at most 16777216 in all, but there are 3 "
            "masses");
  EXPECT_EQ(message({}, 2),
            "the generators must be rows of 2 masses, at most 16777216 in all, but there are 0 "
            "masses");
  EXPECT_EQ(message({1, 0}, 2),
            "the reference mass of outcome 1 must be finite and positive, but is 0");
}

// Sums that doubles get wrong: a million outcomes, and one mass that swallows the others.
TEST(MatrixChannel, RowsAddUpWhateverTheRounding) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0.5, 1);
  std::vector<double> many(1'000'000);
  for (double& mass : many) mass = unit(random);
  std::vector<double> swallowed(20'000, 1.1e-16);
  swallowed[0] = 1;
  for (const std::vector<double>& rows : {many, swallowed}) {
    const auto channel = MatrixChannel::make(rows, rows.size(), 0.1);
    uint128 sum = 0;
    for (std::size_t j = 0; j < rows.size(); ++j) {
      EXPECT_TRUE(channel.entry(0, j) > 0 && channel.entry(0, j) < MatrixChannel::kTotal);
      sum += channel.entry(0, j);
    }
    EXPECT_TRUE(sum == channel.total());
  }
}

TEST(MatrixChannel, DrawsFollowTheRows) {
  std::mt19937_64 random(4);
  const auto channel = MatrixChannel::make(random_rows(3, 12, 2, random), 12, 2);
  for (std::size_t x = 0; x <= 3; ++x) test::expect_reports_follow_row(channel, x);
}

// Bad in the last column alone: (.9, .1) and (.8, .2) are within e^.5 at the first outcome, and a
// factor of 2 apart at the second.
TEST(MatrixChannel, ABadLastColumnIsSeen) {
  const std::vector<double> rows = {0.9, 0.1, 0.8, 0.2};
  EXPECT_THROW(MatrixChannel::make(rows, 2, 0.5), InvalidInput);
  const auto channel = MatrixChannel::make(rows, 2, 1);
  EXPECT_TRUE(channel.satisfies(ExpBound(1)));
  EXPECT_FALSE(channel.satisfies(ExpBound(0.5)));
}

}  // namespace
}  // namespace mollify
