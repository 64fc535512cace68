#include <array>
#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/measure/measure.h"
#include "scores/boosting.h"

namespace mollify {
namespace {

/// Says the first feature.
class FirstFeature final : public Classifier {
 public:
  explicit FirstFeature(std::size_t dimension) : dimension_(dimension) {}
  std::size_t dimension() const noexcept override { return dimension_; }
  void logits(const Points& points, std::span<float> logits) const override {
    for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = points.values(0)[i];
  }

 private:
  std::size_t dimension_;
};

constexpr double kBudget = 4;

BoostedDensity density_on(std::size_t dimension, Bounding bounding) {
  return BoostedDensity({.epsilon = kBudget, .bounding = bounding}, dimension)
      .boosted(std::make_shared<FirstFeature>(dimension));
}

/// ln E exp(theta clip(X, -log 2, log 2)) for a standard normal X.
double exact(double theta) {
  const auto below = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double log2 = std::log(2.0);
  const double tail = below(-log2) * 2 * std::cosh(theta * log2);
  const double middle = std::exp(theta * theta / 2) * (below(log2 - theta) - below(-log2 - theta));
  return std::log(tail + middle);
}

std::shared_ptr<const Measure> standard_normal(std::size_t dimension) {
  return std::make_shared<GaussianMixture>(single_gaussian(std::vector<double>(dimension), 1));
}

TEST(LogNormaliser, ByCubatureIsExactToItsError) {
  for (std::size_t dimension = 1; dimension <= 2; ++dimension) {
    const BoostedDensity density = density_on(dimension, Bounding::kLogit);
    const LogNormaliser found = log_normaliser_by_cubature(density, *standard_normal(dimension));
    const double difference = std::abs(found.value - exact(density.theta(1)));
    std::printf("%zu dimensions, %zu cells: error %.2e, stated %.2e\n", dimension, found.points,
                difference, found.error);
    EXPECT_EQ(found.points, 65536U);
    EXPECT_LT(difference, dimension == 1 ? 1e-8 : 2e-4);
    EXPECT_LT(difference, 3 * found.error + 1e-8);
  }
}

TEST(LogNormaliser, BySamplingIsWithinItsStandardErrors) {
  constexpr std::size_t kDraws = 20'000;
  constexpr std::uint64_t kSeed = 20260702;
  SeededRandom random(kSeed);
  for (const std::size_t dimension : {1U, 5U}) {
    const Points draws = measure_sample(*standard_normal(dimension), kDraws, random);
    const BoostedDensity density = density_on(dimension, Bounding::kLogit);
    const LogNormaliser found = log_normaliser_by_sampling(density, draws);
    const double deviations = (found.value - exact(density.theta(1))) / found.error;
    std::printf("%zu dimensions, seed %llu: %.4f, standard error %.4f, off by %.2f of them\n",
                dimension, static_cast<unsigned long long>(kSeed), found.value, found.error,
                deviations);
    EXPECT_LT(std::abs(deviations), 4.9) << "false alarms at 1e-6";
    EXPECT_LT(found.error, 0.01);
    EXPECT_EQ(found.method, LogNormaliser::Method::kImportanceSampling);
  }
}

TEST(LogNormaliser, OfClassifiersThatJump) {
  // Half the mass at +log 2, half at -log 2.
  const BoostedDensity density = density_on(1, Bounding::kSign);
  const LogNormaliser found = log_normaliser_by_cubature(density, *standard_normal(1), 4096);
  EXPECT_NEAR(found.value, std::log(std::cosh(density.theta(1) * std::log(2.0))), 1e-12);
}

TEST(LogNormaliser, RefusesInOneSentence) {
  const BoostedDensity density = density_on(2, Bounding::kLogit);
  EXPECT_THROW((void)log_normaliser_by_cubature(density, *standard_normal(1)), InvalidInput);
  EXPECT_THROW((void)log_normaliser_by_cubature(density, *standard_normal(2), 15), InvalidInput);
  EXPECT_THROW((void)log_normaliser_by_sampling(density, Points(2, 1)), InvalidInput);
  EXPECT_THROW((void)log_normaliser_by_sampling(density, Points(1, 9)), InvalidInput);
}

}  // namespace
}  // namespace mollify
