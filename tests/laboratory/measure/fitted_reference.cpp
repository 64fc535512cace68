#include "laboratory/measure/fitted_reference.h"

#include <cmath>
#include <cstdio>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/core/seeded_random.h"
#include "laboratory/measure/domain_box.h"
#include "laboratory/measure/gaussian_mixture_measure.h"

namespace mollify {
namespace {

Domain two_columns() {
  return Domain::make({Column::make("height", NumberCells::make(100, 300)),
                       Column::make("age", IntegerCells::make(0, 99))});
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
  const Domain domain = Domain::make({Column::make("colour", Categories::make({"red", "green"}))});
  try {
    (void)domain_box(domain);
    FAIL() << "not refused";
  } catch (const InvalidInput& refusal) {
    EXPECT_THAT(refusal.what(), testing::HasSubstr("column \"colour\" is not one"));
  }
}

// Records drawn from two Gaussians: the fit has nearly their likelihood, in the domain's units.
TEST(FittedReference, FindsTheComponentsOfPublicRecords) {
  const Domain domain = two_columns();
  const GaussianMixtureMeasure truth({.means = {{150, 20}, {220, 70}},
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
  const GaussianMixtureMeasure fitted(fitted_reference(domain, digits, 2));
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
    const GaussianMixtureMeasure fitted(fitted_reference(domain, digits, 8));
    EXPECT_GT(fitted.density(std::vector<double>{250.0, 90.0}), 0);
  }
}

}  // namespace
}  // namespace mollify
