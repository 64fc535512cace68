#include "kernel/noise/discrete_gaussian.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "kernel/decision_tree.h"
#include "kernel/noise_checks.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {
namespace {

/// P(Z <= z) of the discrete Gaussian, summed up to sigma 100. Above, the normal distribution
/// function half a unit further is the same to about 1/(24 sigma^2) of a bin's probability.
class GaussianLaw {
 public:
  explicit GaussianLaw(double variance) : sigma_(std::sqrt(variance)) {
    if (sigma_ > 100) return;
    const auto reach = static_cast<std::int64_t>(40 * sigma_) + 2;
    for (std::int64_t z = -reach; z <= reach; ++z) {
      const auto distance = static_cast<double>(z);
      masses_.push_back(std::exp(-distance * distance / (2 * variance)));
    }
    double sum = 0;
    for (const double mass : masses_) sum += mass;
    for (double& mass : masses_) mass /= sum;
  }

  double mass(std::int64_t z) const {
    const std::int64_t place = z + static_cast<std::int64_t>(masses_.size() / 2);
    if (place < 0 || place >= static_cast<std::int64_t>(masses_.size())) return 0;
    return masses_[static_cast<std::size_t>(place)];
  }
  double at_most(std::int64_t z) const {
    if (masses_.empty()) {
      return boost::math::cdf(boost::math::normal(0, sigma_), static_cast<double>(z) + 0.5);
    }
    double sum = 0;
    for (std::int64_t y = -static_cast<std::int64_t>(masses_.size() / 2); y <= z; ++y) {
      sum += mass(y);
    }
    return sum;
  }

 private:
  double sigma_;
  std::vector<double> masses_;
};

double ratio_value(Ratio ratio) {
  return static_cast<double>(ratio.numerator) / static_cast<double>(ratio.denominator);
}

TEST(DiscreteGaussian, HasItsLawOverAllEntropy) {
  for (const Ratio variance : {Ratio{1, 1'000'000},
                               {1, 10},
                               {1, 2},
                               {1, 1},
                               {7, 5},
                               {5, 2},
                               {9, 1},
                               {100, 3},
                               {Ratio::kGreatest - 1, Ratio::kGreatest / 4},
                               {1, Ratio::kGreatest}}) {
    const test::DecisionTree tree{detail::GaussianOnIntegers(variance)};
    EXPECT_LT(tree.undecided(), 1e-6);
    const GaussianLaw law(ratio_value(variance));
    for (std::int64_t z = -80; z <= 80; ++z) {
      EXPECT_LE(tree.mass(z), law.mass(z) + 1e-13) << "z = " << z;
      EXPECT_GE(tree.mass(z) + tree.undecided(), law.mass(z) - 1e-13) << "z = " << z;
    }
  }
}

TEST(DiscreteGaussian, BracketsOfAllVariancesHoldTheTruth) {
  std::size_t coins = 0;
  std::vector<Ratio> variances = {
      {Ratio::kGreatest, 4},         {Ratio::kGreatest - 1, Ratio::kGreatest - 3},
      {1, Ratio::kGreatest},         {Ratio::kGreatest - 1, 5},
      {999'999'999'999'999'999, 1},  {Ratio::kGreatest / 3, Ratio::kGreatest},
      {Ratio::kGreatest - 1, 1'000}, {5, 1}};
  for (const double sigma : {1e-3, 0.7, 1.0, 33.3, 1e3, 1e6, 1e9}) {
    variances.push_back(Ratio::at_least("v", sigma * sigma));
  }
  for (const Ratio variance : variances) {
    test::CheckingDecisions decisions(18);
    const detail::GaussianOnIntegers law(variance);
    for (int i = 0; i < 60; ++i) static_cast<void>(law.sample(decisions));
    coins += decisions.coins();
  }
  EXPECT_GT(coins, 2000u);
}

/// Gives the first candidate a given size, and reads the exponent of the coin that keeps it.
struct OneCandidate {
  std::uint64_t whole;
  std::uint64_t rest;
  double excess = -1;

  std::uint64_t below(const UniformBelow&) { return rest; }
  template <class X>
  bool exp_minus(const X& x) {
    if constexpr (std::is_same_v<X, detail::KnownExponent>) {
      return whole-- > 0;
    } else if constexpr (!std::is_same_v<X, detail::ProperFractions::Member>) {
      excess = test::WideFloat(x.scaled(200)).times_power_of_two(-200).to_double();
      const detail::ExpBracket bracket = x.bracket();
      if (excess > 64) {
        EXPECT_EQ(bracket.last, 0u);
      }
    }
    return true;
  }
};

// Also where the quick bracket is far out of its range.
TEST(DiscreteGaussian, ExponentsAreThoseOfTheProof) {
  for (const double sigma : {1e-3, 0.5, 1.0, 20.25, 1e6, 1e9}) {
    const Ratio variance = Ratio::at_least("v", sigma * sigma);
    const double t = std::floor(sigma) + 1;
    const detail::GaussianOnIntegers law(variance);
    for (const std::uint64_t whole : {0u, 1u, 2u, 3u, 7u, 50u, 1000u}) {
      OneCandidate decisions{whole, static_cast<std::uint64_t>(t / 3)};
      static_cast<void>(law.sample(decisions));
      const double size = std::floor(t / 3) + t * static_cast<double>(whole);
      const double truth = std::pow(size - sigma * sigma / t, 2) / (2 * sigma * sigma);
      EXPECT_NEAR(decisions.excess, truth, 1e-9 * (1 + truth)) << sigma << ", " << whole;
    }
  }
}

TEST(DiscreteGaussian, FollowsItsLawByChiSquare) {
  SecureRandom random;
  std::vector<std::int64_t> draws(100'000);
  for (const double sigma : {1e-3, 0.4, 1.0, 3.25, 50.0, 1e3, 1e6, 1e9}) {
    const DiscreteGaussian noise = DiscreteGaussian::at_least(sigma * sigma);
    const GaussianLaw law(sigma * sigma);
    const auto at_most = [&](std::int64_t z) { return law.at_most(z); };
    const auto limit = static_cast<std::int64_t>(20 * sigma) + 10;
    noise.draw(draws, random);
    EXPECT_TRUE(test::follows_distribution(at_most, limit, 100, draws)) << sigma;
  }
}

TEST(DiscreteGaussian, PerturbsByTheNoise) {
  SecureRandom random;
  const DiscreteGaussian none({1, Ratio::kGreatest});
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(none.perturb(kMost, random), kMost);
  EXPECT_EQ(none.draw(random), 0);
}

std::string gaussian_refusal(Ratio variance) {
  return test::refusal_of([&] { static_cast<void>(DiscreteGaussian(variance)); });
}

TEST(DiscreteGaussian, RefusesInOneSentence) {
  const std::string range =
      "a variance must be a ratio of numbers from 1 to 2^62 and at most 2^60, but is ";
  EXPECT_EQ(gaussian_refusal({0, 1}), range + "0/1");
  EXPECT_EQ(gaussian_refusal({1, 0}), range + "1/0");
  EXPECT_EQ(gaussian_refusal({(std::uint64_t{1} << 60) + 1, 1}), range + "1152921504606846977/1");
  EXPECT_THROW(DiscreteGaussian::at_least(test::kInfinity), InvalidInput);
}

}  // namespace
}  // namespace mollify
