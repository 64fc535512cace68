#include "laboratory/measure/measure_candidates.h"

#include <cmath>
#include <cstdio>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/measure/domain_box.h"
#include "laboratory/measure/gaussian_mixture_measure.h"

namespace mollify {
namespace {

Domain measured_columns() {
  return Domain::make({Column::make("height", NumberCells::make(100, 300)),
                       Column::make("age", IntegerCells::make(0, 99))},
                      42);
}

// Their density is that of h against the uniform law, so its reciprocal has mean 1 over draws of h.
TEST(MeasureCandidates, FollowTheMeasureAndKnowItsDensity) {
  const Domain domain = measured_columns();
  const GaussianMixtureMeasure measure({.means = {{170, 40}, {250, 90}},
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
  const Domain domain = measured_columns();
  const auto refusal = [&](const GaussianMixtureSpec& spec) {
    try {
      (void)measure_candidates(domain, GaussianMixtureMeasure(spec), 10);
    } catch (const InvalidInput& refused) {
      return std::string(refused.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refusal(single_gaussian({1, 2, 3}, 1)),
            "the reference must have a dimension for each of 2 columns, but has 3");
  EXPECT_EQ(refusal(single_gaussian({-1000, 0}, 1)),
            "the reference must lie on the domain's values, but only 0 of its mass does");
}

}  // namespace
}  // namespace mollify
