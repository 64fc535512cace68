// The law of a release by candidates, averaged over fresh lists, at the worst P there is.
#include <cmath>
#include <cstdio>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/table.h"
#include "kernel/search.h"
#include "methods/local/bands.h"

namespace mollify {
namespace {

constexpr double kMass = 0.25;  // of the set that P sits on; p/h is 4 there and 0 elsewhere
constexpr double kEpsilonOfLaw = 1;

double binomial(double trials, double successes) {
  return std::exp(std::lgamma(trials + 1) - std::lgamma(successes + 1) -
                  std::lgamma(trials - successes + 1) + successes * std::log(kMass) +
                  (trials - successes) * std::log1p(-kMass));
}

/// N times the probability of one candidate in the set when `inside` of N candidates are.
double lift_inside(const Band& band, std::size_t inside) {
  std::vector<double> scores(band.outcome_count());
  for (std::size_t i = 0; i < inside; ++i) scores[i] = 1 / kMass;
  const Table table = projected(band, scores);
  return static_cast<double>(table.numerators()[0]) * static_cast<double>(band.outcome_count()) /
         static_cast<double>(band.total());
}

/// Total variation of the law averaged over lists from the optimum, b e^epsilon on the set.
double averaged_error(std::size_t count) {
  const double floor = class_floor(0, 1 / kMass, kEpsilonOfLaw);
  const Band band = make_band({.outcome_count = count, .floor = floor, .epsilon = kEpsilonOfLaw});
  double averaged = 0;
  for (std::size_t others = 0; others < count; ++others) {
    averaged += binomial(static_cast<double>(count) - 1, static_cast<double>(others)) *
                lift_inside(band, others + 1);
  }
  return kMass * std::abs(averaged - floor * std::exp(kEpsilonOfLaw));
}

// Error .2076 / sqrt(N) for an extreme P sitting on the clip's kink.
TEST(CandidateLaw, AtItsWorstFallsLikeTheRootOfTheirNumber) {
  for (const std::size_t count : std::vector<std::size_t>{64, 256, 1024}) {
    const double scaled = averaged_error(count) * std::sqrt(static_cast<double>(count));
    std::printf("N = %4zu: %.5f / sqrt(N)\n", count, scaled);
    EXPECT_NEAR(scaled, 0.2076, 0.002);
  }
}

}  // namespace
}  // namespace mollify
