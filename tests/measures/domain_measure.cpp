#include <cmath>
#include <cstdio>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "columns.h"
#include "domain/candidates.h"
#include "domain/column.h"
#include "domain/numbers.h"
#include "domain/words.h"
#include "measures/cubature.h"
#include "measures/measure.h"
#include "refusal.h"

namespace mollify {
namespace {

Domain two_columns(std::uint64_t seed = 0) {
  return Domain::make({test::without_nulls("height", NumberCells::make(100, 300)),
                       test::without_nulls("age", IntegerCells::make(0, 99))},
                      seed);
}

TEST(DomainBox, CoversEveryCell) {
  const Domain domain = two_columns();
  EXPECT_EQ(domain_box(domain), (Box{{100, 300}, {-0.5, 99.5}}));
  const std::vector<std::uint32_t> digits = {0, 7, domain.columns()[0].size() - 1, 99};
  const std::vector<double> points = domain_points(domain, digits);
  EXPECT_NEAR(points[0], 100, 1e-3);
  EXPECT_NEAR(points[1], 7, 1e-12);
  EXPECT_NEAR(points[2], 300, 1e-3);
  EXPECT_NEAR(points[3], 99, 1e-12);
}

TEST(DomainBox, NamesTheColumnThatHasNoAxis) {
  const Domain domain =
      Domain::make({test::without_nulls("colour", Categories::make({"red", "green"}))});
  EXPECT_THAT(test::refusal_of([&] { (void)domain_box(domain); }),
              testing::HasSubstr("column \"colour\" is not one"));
}

// Records drawn from two Gaussians: the fit has nearly their likelihood, in the domain's units.
TEST(FittedReference, FindsTheComponentsOfPublicRecords) {
  const Domain domain = two_columns();
  const GaussianMixture truth({.means = {{150, 20}, {220, 70}},
                               .weights = {0.3, 0.7},
                               .variances = {{100, 25}, {400, 64}},
                               .box = domain_box(domain)});
  constexpr std::uint64_t kSeed = 20261121;
  constexpr std::size_t kRecords = 4000;
  SeededRandom random(kSeed);
  std::vector<std::uint32_t> digits;
  std::vector<double> point(2);
  for (std::size_t i = 0; i < kRecords; ++i) {
    truth.simulate(random, point);
    for (std::size_t axis = 0; axis < 2; ++axis) {
      const Interval interval = domain_box(domain)[axis];
      const double cells = domain.columns()[axis].size();
      digits.push_back(static_cast<std::uint32_t>(
          std::min((point[axis] - interval.low) / interval.width() * cells, cells - 1)));
    }
  }
  const GaussianMixture fitted(fitted_reference(domain, digits, 2));
  double loss = 0;
  constexpr int kTests = 4000;
  for (int i = 0; i < kTests; ++i) {
    truth.simulate(random, point);
    loss += std::log(truth.density(point) / fitted.density(point)) / kTests;
  }
  std::printf("seed %llu, %zu records: KL(truth, fit) %.5f, expected 9 parameters / 2n = %.5f\n",
              static_cast<unsigned long long>(kSeed), kRecords, loss, 9.0 / (2 * kRecords));
  EXPECT_LT(loss, 0.01);
  EXPECT_EQ(fitted.box(), domain_box(domain));
}

TEST(FittedReference, IsDefinedForAnyNumberOfRecords) {
  const Domain domain = two_columns();
  for (const std::size_t records : {0U, 1U, 3U}) {
    const std::vector<std::uint32_t> digits(2 * records, 5);
    const GaussianMixture fitted(fitted_reference(domain, digits, 8));
    EXPECT_GT(fitted.density(std::vector<double>{250.0, 90.0}), 0);
  }
}

// Their density is that of h against the uniform law, so its reciprocal has mean 1 over draws of h.
TEST(MeasureCandidates, FollowTheMeasureAndKnowItsDensity) {
  const Domain domain = two_columns(42);
  const GaussianMixture measure({.means = {{170, 40}, {250, 90}},
                                 .weights = {0.7, 0.3},
                                 .variances = {{2500, 400}, {3600, 900}},
                                 .box = {}});
  constexpr std::uint64_t kCount = 20'000;
  const Candidates list = measure_candidates(domain, measure, kCount);
  ASSERT_EQ(list.size(), kCount);
  const std::vector<double> points = domain_points(domain, list.digits());
  double mean = 0;
  double below = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    mean += 1 / static_cast<double>(list.densities()[i]) / kCount;
    below += points[2 * i] < 200 ? 1.0 / kCount : 0;
  }
  const double expected =
      measure.box_mass({{100, 200}, {-0.5, 99.5}}) / measure.box_mass({{100, 300}, {-0.5, 99.5}});
  std::printf(
      "seed 42, n %llu: mean of 1/h %.4f, expected 1; share below 200 %.4f, expected %.4f\n",
      static_cast<unsigned long long>(kCount), mean, below, expected);
  // 1/h is at most about 30 here, with a deviation of about 2; false alarms below 1e-6.
  EXPECT_NEAR(mean, 1, 0.1);
  EXPECT_NEAR(below, expected, 4.9 * 0.5 / std::sqrt(kCount));
}

TEST(MeasureCandidates, RefusesWhatDoesNotFitTheDomain) {
  const Domain domain = two_columns(42);
  const auto refusal = [&](const GaussianMixtureSpec& spec) {
    return test::refusal_of([&] { (void)measure_candidates(domain, GaussianMixture(spec), 10); });
  };
  EXPECT_EQ(refusal(test::single_gaussian({1, 2, 3}, 1)),
            "the reference must have a dimension for each of 2 columns, but has 3");
  EXPECT_EQ(refusal(test::single_gaussian({-1000, 0}, 1)),
            "the reference must lie on the domain's values, but only 0 of its mass does");
}

}  // namespace
}  // namespace mollify
