#include "graphical/gaussian_copula.h"

#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace mollify {
namespace {

TEST(GaussianCopula, ScoresAreMiddleRanks) {
  EXPECT_EQ(rank_scores(std::vector<double>{1, 2, 1}, 8), (std::vector<std::int64_t>{-6, 0, 6}));
  EXPECT_EQ(rank_scores(std::vector<double>{0, 0, 5}, 8), (std::vector<std::int64_t>{-8, -8, 0}));
  EXPECT_EQ(rank_scores(std::vector<double>{3}, 8), (std::vector<std::int64_t>{0}));
}

/// Shares of 200 000 rows have standard errors below 1/890, and mean products below steps^2/440:
/// these are off by 5.5 of them less than once in 10^7, and correlations by some four times as
/// much.
TEST(GaussianCopula, CorrelationsComeBackFromRowsOfAnyColumns) {
  constexpr std::size_t kRows = 200'000;
  std::mt19937_64 random(11);
  const std::vector<std::vector<double>> shares = {
      {0.9, 0.02, 0.03, 0.05}, std::vector<double>(50, 0.02), {0.3, 0.7}};
  const std::vector<double> given = {1, -0.7, 0.3, -0.7, 1, -0.5, 0.3, -0.5, 1};
  const ModelRows rows = copula_rows(shares, given, kRows, [&] { return random(); });
  for (std::size_t i = 0; i < 3; ++i) {
    std::vector<double> counts(shares[i].size());
    for (const std::uint32_t value : rows[i]) counts[value] += 1.0 / kRows;
    for (std::size_t value = 0; value < counts.size(); ++value) {
      EXPECT_NEAR(counts[value], shares[i][value], 0.0065) << i << " " << value;
    }
    for (std::size_t j = i + 1; j < 3; ++j) {
      const auto a = rank_scores(shares[i], 64);
      const auto b = rank_scores(shares[j], 64);
      double mean = 0;
      for (std::size_t row = 0; row < kRows; ++row) {
        mean += static_cast<double>(a[rows[i][row]] * b[rows[j][row]]) / kRows;
      }
      const double found = latent_correlation(CopulaColumn(shares[i]).hermite(a),
                                              CopulaColumn(shares[j]).hermite(b), mean);
      std::printf("correlation %.2f: found %.4f\n", given[3 * i + j], found);
      EXPECT_NEAR(found, given[3 * i + j], 0.05);
    }
  }
}

/// Spearman's correlation of two normals is 6/pi asin(r/2), by Pearson.
TEST(GaussianCopula, FineColumnsHaveSpearmansCorrelation) {
  const std::vector<double> shares(2000, 1.0 / 2000);
  const auto scores = rank_scores(shares, 1U << 20U);
  const auto hermite = CopulaColumn(shares).hermite(scores);
  for (const double r : {-0.9, -0.3, 0.0, 0.5, 0.95}) {
    const double product = 2 / std::acos(-1.0) * std::asin(r / 2) * 0x1p40;
    EXPECT_NEAR(latent_correlation(hermite, hermite, product), r, 1e-3);
  }
}

TEST(GaussianCopula, MakesRowsOfAnyMatrix) {
  std::mt19937_64 random(3);
  const std::vector<std::vector<double>> shares = {{1, 1}, {0, 1, 0}, {4}};
  for (const std::vector<double>& matrix :
       {std::vector<double>{1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, -1, 0.9, -1, 1, 0.9, 0.9, 0.9, 1}}) {
    for (const auto& column : copula_rows(shares, matrix, 100, [&] { return random(); })) {
      for (const std::uint32_t value : column) EXPECT_LT(value, 3U);
    }
  }
  const std::vector<double> one = {5, 5, 5};
  EXPECT_EQ(latent_correlation(one, std::vector<double>{1, 0, 0}, 3), 0) << "one score";
  const double wild = latent_correlation(one, one, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::abs(wild) < 1);
}

}  // namespace
}  // namespace mollify
