#include "kernel/noise.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <boost/math/distributions/beta.hpp>
#include <boost/math/distributions/gamma.hpp>
#include <boost/math/distributions/normal.hpp>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "kernel/clipped_sums.h"
#include "kernel/decision_tree.h"
#include "kernel/noise_checks.h"
#include "kernel/short_words.h"
#include "not_finite.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Discrete gaussian.

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

// -----------------------------------------------------------------------------------------------
// Discrete laplace.

namespace {

double scale_of(Ratio scale) {
  return static_cast<double>(scale.numerator) / static_cast<double>(scale.denominator);
}

TEST(DiscreteLaplace, HasItsLawOverAllEntropy) {
  for (const Ratio scale : {Ratio{1, 1000},
                            {1, 7},
                            {1, 2},
                            {2, 3},
                            {1, 1},
                            {7, 5},
                            {5, 2},
                            {3, 1},
                            {22, 3},
                            {20, 1},
                            {1, Ratio::kGreatest}}) {
    const double t = scale_of(scale);
    const test::DecisionTree tree{detail::LaplaceOnIntegers(scale)};
    EXPECT_LT(tree.undecided(), 1e-6);
    for (std::int64_t z = -60; z <= 60; ++z) {
      const double truth = std::tanh(0.5 / t) * std::exp(-std::abs(static_cast<double>(z)) / t);
      EXPECT_LE(tree.mass(z), truth + 1e-13) << "z = " << z << ", t = " << t;
      EXPECT_GE(tree.mass(z) + tree.undecided(), truth - 1e-13) << "z = " << z << ", t = " << t;
    }
  }
}

// The law of z and that of z + 1 differ by a factor of e^(1/t) at most: what is released is
// private.
TEST(DiscreteLaplace, KeepsItsPromiseOverAllEntropy) {
  for (const Ratio scale : {Ratio{1, 2}, {1, 1}, {5, 2}}) {
    const test::DecisionTree tree{detail::LaplaceOnIntegers(scale)};
    for (std::int64_t z = -8; z < 8; ++z) {
      const double most = std::exp(1 / scale_of(scale)) * (1 + 1e-12);
      EXPECT_LE(tree.mass(z), most * (tree.mass(z + 1) + tree.undecided()));
      EXPECT_LE(tree.mass(z + 1), most * (tree.mass(z) + tree.undecided()));
    }
  }
}

// u/p lies between fraction/2^64 and (fraction + slack)/2^64, in integers.
TEST(DiscreteLaplace, EnclosesFractionsOfEveryDenominator) {
  std::mt19937_64 random(17);
  std::uint64_t farthest = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::uint64_t denominator = std::min(Ratio::kGreatest, 2 + (random() >> (random() % 62)));
    const detail::ProperFractions fractions(denominator);
    for (const std::uint64_t numerator : {random() % denominator, denominator - 1}) {
      const detail::Exponent enclosure = fractions(numerator).enclosure;
      const uint128 scaled = static_cast<uint128>(numerator) << 64;
      const auto floor = static_cast<std::uint64_t>(scaled / denominator);
      const std::uint64_t ceiling = floor + (scaled % denominator == 0 ? 0 : 1);
      ASSERT_EQ(enclosure.whole, 0U);
      ASSERT_LE(enclosure.fraction, floor);
      ASSERT_LE(ceiling - enclosure.fraction, enclosure.slack) << numerator << "/" << denominator;
      farthest = std::max(farthest, ceiling - enclosure.fraction);
    }
  }
  std::printf("fractions are short by at most %llu units\n",
              static_cast<unsigned long long>(farthest));
}

TEST(DiscreteLaplace, BracketsOfAllScalesHoldTheTruth) {
  std::size_t coins = 0;
  for (const double scale : {1e-3, 0.3, 1.0, 123.456, 1e6, 1e6 + 0.1, 1e9, 5e11}) {
    const Ratio ratio = Ratio::at_least("t", scale);
    test::CheckingDecisions decisions(15);
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(detail::LaplaceOnIntegers(ratio).sample(decisions));
    }
    coins += decisions.coins();
  }
  for (const Ratio ratio : {Ratio{Ratio::kGreatest, Ratio::kGreatest - 1},
                            {Ratio::kGreatest - 1, std::uint64_t{1} << 30},
                            {Ratio::kGreatest / 2 + 1, Ratio::kGreatest}}) {
    test::CheckingDecisions decisions(16);
    for (int i = 0; i < 100; ++i) {
      static_cast<void>(detail::LaplaceOnIntegers(ratio).sample(decisions));
    }
    coins += decisions.coins();
  }
  EXPECT_GT(coins, 2000u);
}

/// P(Z <= z).
double laplace_at_most(std::int64_t z, double t) {
  const double share = 1 / (1 + std::exp(-1 / t));
  return z < 0 ? std::exp(static_cast<double>(z + 1) / t) * (1 - share)
               : 1 - (1 - share) * std::exp(-static_cast<double>(z) / t);
}

TEST(DiscreteLaplace, FollowsItsLawByChiSquare) {
  SecureRandom random;
  std::vector<std::int64_t> draws(100'000);
  for (const double scale : {1e-3, 0.2, 1.0, 2.5, 1000.0 / 3, 1e6, 1e9}) {
    const DiscreteLaplace noise = DiscreteLaplace::at_least(scale);
    noise.draw(draws, random);
    const auto at_most = [&](std::int64_t z) { return laplace_at_most(z, scale); };
    const auto limit = static_cast<std::int64_t>(50 * scale) + 10;
    EXPECT_TRUE(test::follows_distribution(at_most, limit, 100, draws)) << scale;
  }
}

TEST(DiscreteLaplace, AddsModuloTwoToThe64) {
  SecureRandom random;
  const DiscreteLaplace none({1, Ratio::kGreatest});
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(none.perturb(kMost, random), kMost);
  EXPECT_EQ(none.perturb(-5, random), -5);
  const DiscreteLaplace wide({std::uint64_t{1} << 39, 1});
  bool wrapped = false;
  for (int i = 0; i < 100; ++i) wrapped = wrapped || wide.perturb(kMost, random) < 0;
  EXPECT_TRUE(wrapped);  // except for a chance of 2^-100
  const detail::SignedSize beyond{true, (static_cast<uint128>(5) << 64) + 3};
  EXPECT_EQ(beyond.wrapped(), -3);
  EXPECT_TRUE(beyond.exact() == -(static_cast<int128>(5) << 64) - 3);
  EXPECT_TRUE(none.draw_exact(random) == 0);
}

std::string laplace_refusal(Ratio scale) {
  return test::refusal_of([&] { static_cast<void>(DiscreteLaplace(scale)); });
}

TEST(DiscreteLaplace, RefusesInOneSentence) {
  EXPECT_EQ(
      laplace_refusal({0, 1}),
      "a scale of noise must be a ratio of numbers from 1 to 2^62 and at most 2^39, but is 0/1");
  EXPECT_EQ(
      laplace_refusal({1, 0}),
      "a scale of noise must be a ratio of numbers from 1 to 2^62 and at most 2^39, but is 1/0");
  EXPECT_EQ(laplace_refusal({(std::uint64_t{1} << 40), 1}),
            "a scale of noise must be a ratio of numbers from 1 to 2^62 and at most 2^39, but is "
            "1099511627776/1");
  EXPECT_THROW(DiscreteLaplace::at_least(test::kNan), InvalidInput);
  EXPECT_THROW(DiscreteLaplace::at_least(1e12), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Euclidean laplace.

namespace {

using detail::EuclideanLaplaceTree;
using detail::SignedSize;
using test::WideFloat;
using Vector = std::vector<std::int64_t>;

template <class X>
inline constexpr bool kIsOfLeaf =
    std::is_same_v<X, detail::KnownExponent> || std::is_same_v<X, detail::ProperFractions::Member>;

WideFloat in_wide_float(Ratio ratio) {
  return WideFloat(ratio.numerator) / WideFloat(ratio.denominator);
}

double in_double(Ratio ratio) { return in_wide_float(ratio).to_double(); }

long double norm_of(const Vector& y) {
  long double sum = 0;
  for (const std::int64_t z : y) sum += static_cast<long double>(z) * static_cast<long double>(z);
  return std::sqrt(sum);
}

/// Calls `visit` with all vectors whose coordinates are from -reach to reach.
template <class Visit>
void for_each_vector(std::size_t dimension, std::int64_t reach, Visit visit) {
  Vector y(dimension, -reach);
  for (;;) {
    visit(y);
    std::size_t j = 0;
    while (j < dimension && y[j] == reach) y[j++] = -reach;
    if (j == dimension) return;
    ++y[j];
  }
}

/// The sum of e^(-|y|/b) over Z^d, d <= 3: all terms above e^-reach/b, the others being less than
/// 1e-13 of it.
long double normaliser(std::size_t dimension, double scale) {
  long double sum = 0;
  const auto reach = static_cast<std::int64_t>(std::ceil(40 * scale));
  for_each_vector(dimension, reach, [&](const Vector& y) {
    sum += std::exp(-norm_of(y) / static_cast<long double>(scale));
  });
  return sum;
}

/// Leads the algorithm to a given vector, every candidate of which is kept, and notes what each
/// coin that keeps it costs: -log P(y) up to a constant, and whether its bracket holds e^-x.
class LeadingDecisions {
 public:
  LeadingDecisions(const EuclideanLaplaceTree& tree, std::vector<SignedSize> target)
      : leaf_(tree.leaf().scale()), target_(std::move(target)) {}

  static constexpr std::size_t kBits = 500;

  std::uint64_t below(const UniformBelow&) {
    const SignedSize& z = target_[next_++];
    const bool has_parts = leaf_.numerator > leaf_.denominator;
    const uint128 parts = has_parts ? leaf_.numerator : 1;
    const uint128 x = z.size * (has_parts ? leaf_.denominator : 1);
    whole_ = x / parts;
    return static_cast<std::uint64_t>(x % parts + (z.is_negative ? parts : 0));
  }
  template <class X>
  bool exp_minus(const X& x) {
    if constexpr (std::is_same_v<X, detail::KnownExponent>) {
      if (whole_ == 0) return false;
      --whole_;
    } else if constexpr (!kIsOfLeaf<X>) {
      const WideFloat excess =
          WideFloat(x.scaled(kBits)).times_power_of_two(-static_cast<long>(kBits));
      cost_.push_back(excess);
      const WideFloat words = excess.exp_minus().times_power_of_two(64);
      const detail::ExpBracket bracket = x.bracket();
      EXPECT_TRUE(WideFloat(bracket.least) <= words);
      EXPECT_TRUE(words <= WideFloat(uint128{bracket.last} + 1));
      widest_ = std::max(widest_, bracket.last - bracket.least);
      for (const std::size_t bits : {0u, 1u, 10u, 64u, 129u}) {
        const WideFloat there = excess.times_power_of_two(static_cast<long>(bits));
        const WideFloat scaled(x.scaled(bits)), one(1);
        EXPECT_TRUE(scaled <= there + one && there <= scaled + one) << bits;
      }
    }
    return true;
  }

  /// The sum of |z| / t over the leaves and of all x.
  WideFloat cost() const {
    WideFloat sum(Natural{});
    for (const SignedSize& z : target_) sum = sum + WideFloat(z.size) / in_wide_float(leaf_);
    for (const WideFloat& excess : cost_) sum = sum + excess;
    return sum;
  }
  std::uint64_t widest() const { return widest_; }

 private:
  Ratio leaf_;
  std::vector<SignedSize> target_;
  std::size_t next_ = 0;
  uint128 whole_ = 0;
  std::vector<WideFloat> cost_;
  std::uint64_t widest_ = 0;
};

/// Whether the algorithm gives y the weight e^(-|y|/b), to 1e-100 of the exponent, and all coins on
/// the way there have true brackets. Returns the widest.
std::uint64_t check_weight(const EuclideanLaplaceTree& tree, const std::vector<SignedSize>& y) {
  LeadingDecisions decisions(tree, y);
  std::vector<SignedSize> drawn(y.size());
  tree.sample(drawn, decisions);
  WideFloat square(Natural{});
  for (std::size_t j = 0; j < y.size(); ++j) {
    EXPECT_TRUE(drawn[j].size == y[j].size);
    square = square + WideFloat(y[j].size) * WideFloat(y[j].size);
  }
  const WideFloat truth = square.square_root() / in_wide_float(tree.scale());
  const WideFloat slack = (truth + WideFloat(1)).times_power_of_two(-400);
  EXPECT_TRUE(decisions.cost() <= truth + slack) << decisions.cost().to_double();
  EXPECT_TRUE(truth <= decisions.cost() + slack) << decisions.cost().to_double();
  return decisions.widest();
}

std::vector<SignedSize> in_sizes(const Vector& y) {
  std::vector<SignedSize> sizes;
  for (const std::int64_t z : y) {
    sizes.push_back({z < 0, static_cast<uint128>(z < 0 ? -static_cast<int128>(z) : z)});
  }
  return sizes;
}

// P(y) is what the leaves and the coins multiply to, over a constant: in a window, for each y.
TEST(EuclideanLaplace, GivesEachVectorOfAWindowItsWeight) {
  for (const Ratio scale : {Ratio{1, 1000}, {1, 2}, {1, 1}, {7, 5}, {22, 3}, {1'000'003, 7}}) {
    for (const auto& [dimension, reach] : {std::pair{1U, 20}, {2U, 4}, {3U, 2}}) {
      const EuclideanLaplaceTree tree(dimension, scale);
      for_each_vector(dimension, reach, [&](const Vector& y) {
        EXPECT_LT(check_weight(tree, in_sizes(y)), std::uint64_t{1} << 24);
      });
    }
  }
}

// Large coordinates, beyond 64 bits too, large and tiny scales, many dimensions.
TEST(EuclideanLaplace, GivesFarVectorsTheirWeight) {
  std::mt19937_64 random(43);
  const auto kMost = Ratio::kGreatest;
  for (const Ratio scale : {Ratio{1, kMost},
                            {1, 1000},
                            {kMost - 1, kMost},
                            {kMost, kMost - 1},
                            {123'456'789, 1000},
                            {kMost, std::uint64_t{1} << 23}}) {
    for (const std::size_t dimension : {2u, 3u, 5u, 16u, 37u, 100u}) {
      const EuclideanLaplaceTree tree(dimension, scale);
      for (const unsigned bits : {3u, 32u, 57u, 59u, 62u, 85u}) {
        // The leaf counts its coins one by one.
        const double steps = std::ldexp(1, static_cast<int>(bits)) / in_double(scale);
        if (steps > 1e4) continue;
        std::vector<SignedSize> y;
        for (std::size_t j = 0; j < dimension; ++j) {
          const uint128 size = (static_cast<uint128>(random()) << 64 | random()) >> (128 - bits);
          y.push_back({random() % 2 == 0 && size != 0, size});
        }
        check_weight(tree, y);
      }
      check_weight(tree, std::vector<SignedSize>(dimension));
      // One coordinate alone: there the bound of Cauchy and Schwarz is far from tight.
      std::vector<SignedSize> alone(dimension);
      alone[dimension / 2] = {true, 1 + static_cast<uint128>(in_double(scale))};
      if (in_double(scale) > 1e-3) check_weight(tree, alone);
    }
  }
}

// Coordinates of about one size, a thousand scales each: there x is small, and the difference of
// products that are known to a thousandth of what they are elsewhere.
TEST(EuclideanLaplace, BracketsHoldTheTruthWhereProductsCancel) {
  std::mt19937_64 random(44);
  const Ratio scale{1'000'003, 1};
  std::uint64_t widest = 0;
  for (const std::size_t dimension : {4U, 7U, 16U}) {
    const EuclideanLaplaceTree tree(dimension, scale);
    for (std::size_t i = 0; i < test::whole_or_sanitized(300U, 30U); ++i) {
      std::vector<SignedSize> y;
      for (std::size_t j = 0; j < dimension; ++j) {
        y.push_back({random() % 2 == 0, 1'000'000'000 + random() % 10'000'000});
      }
      widest = std::max(widest, check_weight(tree, y));
    }
  }
  EXPECT_GT(widest, 1000U);  // or nothing cancels
}

/// The law over all decisions, where leaves choose between two sides only (t <= 1).
///
/// A coin that does not keep what it is asked about, and minus zero, begin some part of the tree
/// anew; nothing that this part did before matters then. So the law is that of ways on which no
/// part begins anew, over their mass.
class LatticeLaw {
 public:
  explicit LatticeLaw(const EuclideanLaplaceTree& tree) {
    std::vector<SignedSize> drawn(tree.dimension());
    do {
      position_ = 0;
      mass_ = 1;
      try {
        tree.sample(drawn, *this);
        Vector y;
        for (const SignedSize& z : drawn) y.push_back(z.wrapped());
        masses_[y] += mass_;
        kept_ += mass_;
      } catch (const Again&) {
      } catch (const TooRare&) {
        undecided_ += mass_;
      }
    } while (advance());
  }

  /// The probability of y lies between these.
  double least(const Vector& y) const { return mass(y) / (kept_ + undecided_); }
  double most(const Vector& y) const { return (mass(y) + undecided_) / kept_; }
  double undecided() const { return undecided_ / kept_; }

  // What the algorithm asks.
  std::uint64_t below(const UniformBelow& bound) {
    EXPECT_EQ(bound.bound(), 2u);
    mass_ /= 2;
    is_first_ = true;
    is_negative_ = choose() == 1;
    return is_negative_ ? 1 : 0;
  }
  template <class X>
  bool exp_minus(const X& x) {
    const detail::ExpBracket bracket = x.bracket();
    const double heads =
        (static_cast<double>(bracket.least) * 0.5 + static_cast<double>(bracket.last) * 0.5) *
        0x1p-64;
    const bool falls = choose() == 0;
    mass_ *= falls ? heads : 1 - heads;
    if (kIsOfLeaf<X> && !falls && is_first_ && is_negative_) throw Again();
    if (!kIsOfLeaf<X> && !falls) throw Again();
    if (mass_ < 1e-13) throw TooRare();
    is_first_ = false;
    return falls;
  }

 private:
  struct Again {};
  struct TooRare {};

  double mass(const Vector& y) const {
    const auto found = masses_.find(y);
    return found == masses_.end() ? 0 : found->second;
  }
  int choose() {
    if (position_ == way_.size()) way_.push_back(0);
    return way_[position_++];
  }
  /// The next way; false after the last.
  bool advance() {
    way_.resize(position_);
    while (!way_.empty() && way_.back() == 1) way_.pop_back();
    if (way_.empty()) return false;
    way_.back() = 1;
    return true;
  }

  std::vector<int> way_;
  std::size_t position_ = 0;
  double mass_ = 1;
  bool is_first_ = false;
  bool is_negative_ = false;
  std::map<Vector, double> masses_;
  double kept_ = 0;
  double undecided_ = 0;
};

TEST(EuclideanLaplace, HasItsLawOverAllDecisions) {
  for (const auto& [dimension, scale, reach] : {std::tuple{1U, Ratio{1, 1}, 12},
                                                {1U, {2, 7}, 12},
                                                {2U, {1, 2}, 8},
                                                {2U, {2, 3}, 8},
                                                {2U, {1, 5}, 8},
                                                {3U, {1, 2}, 4},
                                                {3U, {2, 7}, 4}}) {
    const EuclideanLaplaceTree tree(dimension, scale);
    const LatticeLaw law(tree);
    EXPECT_LT(law.undecided(), 1e-7) << dimension;
    const double b = in_double(scale);
    const long double whole = normaliser(dimension, b);
    for_each_vector(dimension, reach, [&, d = dimension](const Vector& y) {
      const auto truth = static_cast<double>(std::exp(-norm_of(y) / b) / whole);
      ASSERT_LE(law.least(y), truth * (1 + 1e-12)) << d << ", " << norm_of(y);
      ASSERT_GE(law.most(y), truth * (1 - 1e-12)) << d << ", " << norm_of(y);
    });
  }
}

// What is released of neighbouring data: every sum of clipped points of a small box, and the exact
// law of the noise. The worst pair reaches epsilon, and none passes it.
TEST(EuclideanLaplace, KeepsItsPromiseForAllNeighbours) {
  for (const std::size_t dimension : {1u, 2u}) {
    for (const std::uint64_t radius : {1u, 2u}) {
      const Ratio scale{1, 2};
      const double epsilon = 2 * static_cast<double>(radius) / in_double(scale);
      const LatticeLaw law{EuclideanLaplaceTree(dimension, scale)};
      std::vector<Vector> images;
      for_each_vector(dimension, 3, [&](const Vector& point) {
        ClippedSum sum(dimension, radius);
        sum.add(std::vector<double>(point.begin(), point.end()));
        const Vector image(sum.sum().begin(), sum.sum().end());
        if (std::find(images.begin(), images.end(), image) == images.end()) images.push_back(image);
      });
      double worst = 0;
      for (const Vector& one : images) {
        for (const Vector& other : images) {
          for_each_vector(dimension, 3, [&](const Vector& released) {
            Vector from = released, to = released;
            for (std::size_t j = 0; j < dimension; ++j) {
              from[j] -= one[j];
              to[j] -= other[j];
            }
            EXPECT_LE(law.least(from), std::exp(epsilon) * law.most(to) * (1 + 1e-12));
            worst = std::max(worst, std::log(law.least(from) / law.most(to)));
          });
        }
      }
      EXPECT_GT(worst, epsilon - 1e-2) << "d = " << dimension << ", L = " << radius;
    }
  }
}

/// Decides as chance does, and compares each coin with all strings of short words that decide it.
struct ShortWordDecisions {
  std::mt19937_64 random;
  std::size_t coins = 0;

  std::uint64_t word() { return random(); }
  std::uint64_t below(const UniformBelow& bound) { return bound(*this); }
  template <class X>
  bool exp_minus(const X& x) {
    constexpr std::size_t kLength = 6;
    if constexpr (!kIsOfLeaf<X>) {
      const test::StringCounts counts = test::exhaust<3>(x, kLength);
      EXPECT_LE(counts.undecided, 1u);
      const WideFloat heads = WideFloat(x.scaled(300))
                                  .times_power_of_two(-300)
                                  .exp_minus()
                                  .times_power_of_two(3 * static_cast<long>(kLength));
      EXPECT_TRUE(WideFloat(counts.heads) <= heads + WideFloat(1).times_power_of_two(-200));
      EXPECT_TRUE(heads <= WideFloat(counts.heads + Natural(1)));
      ++coins;
    }
    return detail::is_below_exp_minus(x, *this);
  }
};

TEST(EuclideanLaplace, CoinsFallRightForAllShortWords) {
  for (const Ratio scale : {Ratio{1, 2}, {5, 2}, {1'000'000'007, 1}}) {
    ShortWordDecisions decisions{std::mt19937_64(44)};
    const EuclideanLaplaceTree tree(5, scale);
    std::vector<SignedSize> drawn(5);
    while (decisions.coins < test::whole_or_sanitized(25U, 5U)) tree.sample(drawn, decisions);
  }
}

TEST(EuclideanLaplace, BracketsOfDrawsHoldTheTruth) {
  std::size_t coins = 0;
  for (const double scale : {1e-3, 0.3, 1.0, 123.456, 1e6, 1e9, 5e11}) {
    for (const std::size_t dimension : {2u, 7u, 40u}) {
      const EuclideanLaplaceTree tree(dimension, Ratio::at_least("b", scale));
      test::CheckingDecisions decisions(45, 1 << 14);
      std::vector<SignedSize> drawn(dimension);
      for (int i = 0; i < 2; ++i) tree.sample(drawn, decisions);
      coins += decisions.coins();
    }
  }
  EXPECT_GT(coins, 2000u);
}

// r1^2 + r2^2 <= r^2 exactly, and hardly less; the quick value of each rate.
TEST(EuclideanLaplace, RatesOfAllDimensionsAreInOrder) {
  std::vector<std::size_t> dimensions = {129, 255, 256, 257, 1000, 1023, 1024};
  for (std::size_t d = 1; d <= 128; ++d) dimensions.push_back(d);
  for (const Ratio scale : {Ratio{1, Ratio::kGreatest},
                            {1, 1000},
                            {Ratio::kGreatest - 1, Ratio::kGreatest},
                            {5, 2},
                            {999'999'999'999, 7},
                            {Ratio::kGreatest, std::uint64_t{1} << 23}}) {
    for (const std::size_t dimension : dimensions) {
      const EuclideanLaplaceTree tree(dimension, scale);
      const auto nodes = tree.nodes();
      ASSERT_EQ(tree.dimension(), dimension);
      ASSERT_EQ(nodes.front().size, 1u);
      const auto value = [](const EuclideanLaplaceTree::Rate& rate) {
        return WideFloat(rate.numerator) / WideFloat(rate.denominator);
      };
      EXPECT_TRUE((value(nodes.front().rate) * in_wide_float(tree.leaf().scale())).to_double() ==
                  1);
      EXPECT_TRUE((value(nodes.back().rate) * in_wide_float(scale)).to_double() == 1);
      for (const EuclideanLaplaceTree::Node& node : nodes) {
        const EuclideanLaplaceTree::Rate& rate = node.rate;
        const WideFloat quick = value(rate).times_power_of_two(static_cast<long>(rate.exponent));
        EXPECT_EQ(rate.mantissa >> 62, 1u);
        EXPECT_TRUE(WideFloat(rate.mantissa) <= quick);
        EXPECT_TRUE(quick < WideFloat(uint128{rate.mantissa} + 1));
        if (node.size == 1) continue;
        const auto& first = nodes[node.first];
        const auto& second = nodes[node.second];
        ASSERT_EQ(first.size, node.size / 2);
        ASSERT_EQ(first.size + second.size, node.size);
        // All numbers fit in the digits of a WideFloat: the comparison is exact.
        const WideFloat a = WideFloat(first.rate.numerator) * WideFloat(second.rate.denominator);
        const WideFloat b = WideFloat(second.rate.numerator) * WideFloat(first.rate.denominator);
        const WideFloat parts =
            (a * a + b * b) * WideFloat(rate.denominator) * WideFloat(rate.denominator);
        const WideFloat c = WideFloat(rate.numerator) * WideFloat(first.rate.denominator) *
                            WideFloat(second.rate.denominator);
        EXPECT_TRUE(parts <= c * c) << dimension << ", " << node.size;
        if (in_double(scale) > 1e-4) {
          EXPECT_GT((parts / (c * c)).to_double(), 1 - 1e-7) << dimension << ", " << node.size;
        }
      }
    }
  }
}

TEST(EuclideanLaplace, FollowsItsLawByChiSquare) {
  SecureRandom random;
  for (const auto& [dimension, scale, reach] : {std::tuple{1U, 2.5, 12},
                                                {2U, 0.4, 3},
                                                {2U, 1.0, 6},
                                                {2U, 10.0 / 3, 9},
                                                {3U, 0.7, 3},
                                                {3U, 1.25, 3}}) {
    const EuclideanLaplace noise = EuclideanLaplace::at_least(dimension, scale);
    const long double whole = normaliser(dimension, scale);
    std::map<Vector, std::size_t> places;
    std::vector<double> law;
    double rest = 1;
    for_each_vector(dimension, reach, [&, b = scale](const Vector& y) {
      places[y] = law.size();
      law.push_back(static_cast<double>(std::exp(-norm_of(y) / b) / whole));
      rest -= law.back();
    });
    law.push_back(rest);
    std::vector<std::uint64_t> counts(law.size());
    Vector y(dimension);
    for (int i = 0; i < 200'000; ++i) {
      noise.draw(y, random);
      const auto found = places.find(y);
      ++counts[found == places.end() ? law.size() - 1 : found->second];
    }
    EXPECT_TRUE(test::follows(law, counts)) << "d = " << dimension << ", b = " << scale;
  }
}

/// Counts of values in [0, 1) in equal bins, against equal probabilities.
::testing::AssertionResult is_uniform(const std::vector<double>& values, std::size_t bins) {
  std::vector<std::uint64_t> counts(bins);
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>(value * static_cast<double>(bins));
    ++counts[std::min(bin, bins - 1)];
  }
  const std::vector<double> law(bins, 1 / static_cast<double>(bins));
  return test::follows(law, counts);
}

// At b = 1e6 the lattice is seen in none of these: the radius is Gamma(d, b), and the direction,
// which is independent of it, uniform on the sphere.
TEST(EuclideanLaplace, HasItsRadiusAndDirection) {
  SecureRandom random;
  constexpr double kScale = 1e6;
  for (const auto& [dimension, draws] :
       {std::pair{2U, 40'000}, {3U, 40'000}, {10U, 20'000}, {40U, 3'000}}) {
    const EuclideanLaplace noise = EuclideanLaplace::at_least(dimension, kScale);
    const auto d = static_cast<double>(dimension);
    const boost::math::gamma_distribution<> radius_law(d, kScale);
    const boost::math::beta_distribution<> projection_law((d - 1) / 2, (d - 1) / 2);
    std::vector<double> radii, firsts, diagonals, octants, both;
    Vector y(dimension);
    for (int i = 0; i < draws; ++i) {
      noise.draw(y, random);
      const auto radius = static_cast<double>(norm_of(y));
      radii.push_back(boost::math::cdf(radius_law, radius));
      double sum = 0;
      for (const std::int64_t z : y) sum += static_cast<double>(z);
      const auto along = [&](double t) {
        return boost::math::cdf(projection_law, std::clamp((t / radius + 1) / 2, 0.0, 1.0));
      };
      firsts.push_back(along(static_cast<double>(y.back())));
      diagonals.push_back(along(sum / std::sqrt(d)));
      const int octant = (y[0] > 0 ? 4 : 0) + (y[dimension / 2] > 0 ? 2 : 0) + (y.back() > 0);
      if (dimension > 2) octants.push_back(octant / 8.0);
      both.push_back((std::floor(8 * radii.back()) + diagonals.back()) / 8);
    }
    EXPECT_TRUE(is_uniform(radii, 50)) << dimension;
    EXPECT_TRUE(is_uniform(firsts, 50)) << dimension;
    EXPECT_TRUE(is_uniform(diagonals, 50)) << dimension;
    EXPECT_TRUE(is_uniform(both, 64)) << dimension;
    if (dimension > 2) {
      EXPECT_TRUE(is_uniform(octants, 8)) << dimension;
    }
  }
}

TEST(EuclideanLaplace, AnglesInThePlaneAreUniform) {
  SecureRandom random;
  const EuclideanLaplace noise(2, {123'456'789, 100});
  std::vector<double> angles;
  Vector y(2);
  for (int i = 0; i < 50'000; ++i) {
    noise.draw(y, random);
    const double angle = std::atan2(static_cast<double>(y[1]), static_cast<double>(y[0]));
    angles.push_back(std::clamp(angle / (2 * std::acos(-1.0)) + 0.5, 0.0, 1.0));
  }
  EXPECT_TRUE(is_uniform(angles, 64));
}

TEST(EuclideanLaplace, TinyScalesGiveNothing) {
  SecureRandom random;
  for (const std::size_t dimension : {1u, 5u, 1024u}) {
    const EuclideanLaplace none(dimension, {1, Ratio::kGreatest});
    Vector y(dimension, 7);
    none.draw(y, random);
    EXPECT_EQ(y, Vector(dimension));
  }
}

std::string euclidean_refusal(std::size_t dimension, Ratio scale) {
  return test::refusal_of([&] { static_cast<void>(EuclideanLaplace(dimension, scale)); });
}

TEST(EuclideanLaplace, RefusesInOneSentence) {
  const std::string range =
      "a scale of noise must be a ratio of numbers from 1 to 2^62 and at most 2^39, but is ";
  EXPECT_EQ(euclidean_refusal(0, {1, 1}),
            "the dimension of noise must be from 1 to 1024, but is 0");
  EXPECT_EQ(euclidean_refusal(1025, {1, 1}),
            "the dimension of noise must be from 1 to 1024, but is 1025");
  EXPECT_EQ(euclidean_refusal(2, {0, 1}), range + "0/1");
  EXPECT_EQ(euclidean_refusal(2, {1, 0}), range + "1/0");
  EXPECT_EQ(euclidean_refusal(1, {(std::uint64_t{1} << 39) + 1, 1}), range + "549755813889/1");
  EXPECT_EQ(euclidean_refusal(1024, {std::uint64_t{1} << 39, 1}), "accepted");
  EXPECT_THROW(EuclideanLaplace::at_least(2, test::kNan), InvalidInput);
  SecureRandom random;
  Vector too_short(2);
  EXPECT_THROW((void)EuclideanLaplace(3, {1, 1}).draw(too_short, random), InvalidInput);
  EXPECT_THROW(EuclideanLaplace::at_least(2, 1e12), InvalidInput);
}

}  // namespace

}  // namespace mollify
