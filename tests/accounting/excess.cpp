#include "accounting/excess.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Enumerated excess.

namespace {

/// The mean by adding one variable after the other, as a law on all reachable sums.
double mean_by_convolution(const Atom& gain, const std::vector<Atom>& losses, int terms) {
  std::vector<Atom> atoms = losses;
  atoms.push_back(gain);
  double zero = 1;
  for (const Atom& atom : atoms) zero -= atom.probability;
  atoms.push_back({0, zero});
  std::vector<Atom> law = {{0, 1}};
  for (int i = 0; i < terms; ++i) {
    std::vector<Atom> next;
    for (const Atom& state : law) {
      for (const Atom& atom : atoms) {
        next.push_back({state.value + atom.value, state.probability * atom.probability});
      }
    }
    law = std::move(next);
  }
  double mean = 0;
  for (const Atom& state : law) mean += std::max(0.0, state.value) * state.probability;
  return mean;
}

TEST(EnumeratedExcess, AgreesWithConvolution) {
  std::mt19937 random(20261122);
  std::uniform_real_distribution<double> unit(0.01, 1);
  for (int trial = 0; trial < 50; ++trial) {
    const Atom gain{unit(random) * 5, unit(random) / 5};
    std::vector<Atom> losses;
    for (int i = 0; i < 1 + trial % 3; ++i) losses.push_back({-unit(random) * 3, unit(random) / 5});
    for (const int terms : {1, 2, 3, 5}) {
      const double mean = mean_by_convolution(gain, losses, terms);
      const auto found = enumerated_excess(gain, losses, static_cast<std::uint64_t>(terms));
      ASSERT_TRUE(found);
      EXPECT_LE(found->lower, mean * (1 + 1e-13));
      EXPECT_GE(found->upper, mean * (1 - 1e-13));
      EXPECT_NEAR(found->lower / mean, 1, 1e-9);
      EXPECT_NEAR(found->upper / mean, 1, 1e-9);
    }
  }
}

TEST(EnumeratedExcess, EnclosesWhatTheTransformEncloses) {
  const Atom gain{3, 1e-3};
  const std::array<Atom, 2> losses = {{{-2, 1e-3}, {-0.01, 0.9}}};
  const auto exact = enumerated_excess(gain, losses, 40);
  ASSERT_TRUE(exact);
  EXPECT_GT(exact->lower, 0);
  EXPECT_LE(exact->lower, exact->upper);
  EXPECT_LT(exact->upper - exact->lower, 1e-9 * exact->upper);
  EXPECT_FALSE(enumerated_excess(gain, losses, 48));
}

// Probabilities whose products no double holds keep the bounds on their sides.
TEST(EnumeratedExcess, BoundsWhatIsBelowEveryDouble) {
  const std::array<Atom, 1> losses = {{{-1, 1 - 1e-200}}};
  const auto tiny = enumerated_excess({0.5, 1e-200}, losses, 10);
  ASSERT_TRUE(tiny);
  EXPECT_EQ(tiny->lower, 0);
  EXPECT_GT(tiny->upper, 0);
  EXPECT_LT(tiny->upper, 1e-260);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Mean excess.

namespace {

using Exact = boost::multiprecision::cpp_bin_float_50;

/// By its definition, for two losses: all counts of the three kinds.
Exact exact_excess(const Atom& gain, const std::vector<Atom>& losses, int n) {
  const Exact rest = 1 - Exact(gain.probability) - losses[0].probability - losses[1].probability;
  std::vector<Exact> factorial(1, Exact(1));
  for (int i = 1; i <= n; ++i) factorial.push_back(factorial.back() * i);
  const auto powers = [n](const Exact& base) {
    std::vector<Exact> all(1, Exact(1));
    for (int i = 1; i <= n; ++i) all.push_back(all.back() * base);
    return all;
  };
  const std::vector<Exact> a = powers(gain.probability);
  const std::vector<Exact> b = powers(losses[0].probability);
  const std::vector<Exact> c = powers(losses[1].probability);
  const std::vector<Exact> d = powers(rest);
  Exact sum = 0;
  for (int i = 1; i <= n; ++i) {
    for (int j = 0; i + j <= n; ++j) {
      for (int l = 0; i + j + l <= n; ++l) {
        const Exact total =
            Exact(gain.value) * i + Exact(losses[0].value) * j + Exact(losses[1].value) * l;
        if (total <= 0) break;
        const int left = n - i - j - l;
        sum += total * a[static_cast<std::size_t>(i)] * b[static_cast<std::size_t>(j)] *
               c[static_cast<std::size_t>(l)] * d[static_cast<std::size_t>(left)] /
               (factorial[static_cast<std::size_t>(i)] * factorial[static_cast<std::size_t>(j)] *
                factorial[static_cast<std::size_t>(l)] * factorial[static_cast<std::size_t>(left)]);
      }
    }
  }
  return sum * factorial[static_cast<std::size_t>(n)];
}

void expect_holds(const Atom& gain, const std::vector<Atom>& losses, int n, double within) {
  const Exact truth = exact_excess(gain, losses, n);
  const MeanExcess found = mean_excess(gain, losses, static_cast<std::uint64_t>(n));
  EXPECT_LE(Exact(found.lower), truth) << n;
  EXPECT_GE(Exact(found.upper), truth) << n;
  EXPECT_LE(found.upper - found.lower, within * found.upper) << n << ' ' << found.upper;
}

TEST(MeanExcess, AgainstTheDefinition) {
  for (const int n : {1, 2, 3, 8, 30}) {
    expect_holds({3.0, 0.1}, {{-4.0, 0.1}, {-0.7, 0.5}}, n, 1.1e-4);
    expect_holds({3.0, 0.3}, {{-1.1, 0.3}, {-0.2, 0.4}}, n, 1.1e-4);
    expect_holds({1e6, 1e-6}, {{-2e6, 1e-6}, {-1.7, 1e-5}}, n, 1.1e-4);
    expect_holds({0.01, 0.2}, {{-2.0, 0.2}, {-1.0, 0.1}}, n, 1.1e-4);
  }
}

// More terms than are enumerated: a contour bounds them.
TEST(MeanExcess, OfManyTermsAgainstTheDefinition) {
  for (const int n : {50, 63, 64}) {
    expect_holds({3.0, 0.1}, {{-4.0, 0.1}, {-0.7, 0.5}}, n, 1.1e-4);
    expect_holds({3.0, 0.3}, {{-1.1, 0.3}, {-0.2, 0.4}}, n, 1.1e-4);
    expect_holds({0.01, 0.2}, {{-2.0, 0.2}, {-1.0, 0.1}}, n, 1.1e-4);
  }
}

// Sums that are often exactly 0, where smoothing costs most.
TEST(MeanExcess, WithManyTies) {
  for (const int n : {2, 5, 20}) {
    expect_holds({1.0, 0.25}, {{-1.0, 0.25}, {-2.0, 0.125}}, n, 2e-3);
  }
}

TEST(MeanExcess, OfNothingIsNothing) {
  const std::vector<Atom> losses = {{-1.0, 0.5}};
  EXPECT_EQ(mean_excess({1.0, 0.0}, losses, 5).upper, 0.0);
  EXPECT_EQ(mean_excess({1.0, 0.0}, losses, 5).lower, 0.0);
}

// Far out, where the result is below every double, it is still bounded from above.
TEST(MeanExcess, NeverVanishesForNothing) {
  const std::vector<Atom> losses = {{-3.0, 0.1}, {-1.0, 0.3}};
  const MeanExcess far = mean_excess({0.5, 0.1}, losses, 1'000'000'000);
  EXPECT_GT(far.upper, 0.0);
  EXPECT_LT(far.upper, 1e-300);
  EXPECT_GE(far.lower, 0.0);
}

RC_GTEST_PROP(MeanExcessProperty, HoldsForAnyLaw, ()) {
  const auto size = [](int low, int high) { return std::exp(0.01 * *rc::gen::inRange(low, high)); };
  const Atom gain{size(-500, 500), 0.4 * size(-700, 0)};
  const std::vector<Atom> losses = {{-size(-500, 500), 0.3 * size(-700, 0)},
                                    {-size(-500, 500), 0.3 * size(-700, 0)}};
  const int n = *rc::gen::inRange(1, 12);
  const Exact truth = exact_excess(gain, losses, n);
  const MeanExcess found = mean_excess(gain, losses, static_cast<std::uint64_t>(n));
  RC_ASSERT(Exact(found.lower) <= truth);
  RC_ASSERT(Exact(found.upper) >= truth);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Sparse excess.

namespace {

using Exact50 = boost::multiprecision::cpp_bin_float_50;

/// By its definition, for a gain and two losses, 0 otherwise or, with `likely`, that loss: counts
/// up to `most` of each of the three, which must leave out nothing that could be seen.
Exact50 excess_by_counts(const Atom& gain, const std::vector<Atom>& losses, double likely, int n,
                         int most) {
  const Exact50 rest =
      1 - Exact50(gain.probability) - losses[0].probability - losses[1].probability;
  const auto weight = [](const Exact50& p, int count, int of) {
    Exact50 all = 1;
    for (int i = 0; i < count; ++i) all *= p * (of - i) / (i + 1);
    return all;
  };
  std::vector<Exact50> powers{1};
  for (int i = 0; i < n; ++i) powers.push_back(powers.back() * rest);
  Exact50 sum = 0;
  for (int i = 1; i <= std::min(n, most); ++i) {
    const Exact50 of_gain = weight(gain.probability, i, n);
    for (int j = 0; j <= std::min(n - i, most); ++j) {
      const Exact50 of_first = of_gain * weight(losses[0].probability, j, n - i);
      Exact50 of_second = of_first;
      for (int l = 0; l <= std::min(n - i - j, most); ++l) {
        const int left = n - i - j - l;
        const Exact50 total = Exact50(gain.value) * i + Exact50(losses[0].value) * j +
                              Exact50(losses[1].value) * l + Exact50(likely) * left;
        if (total > 0) sum += total * of_second * powers[static_cast<std::size_t>(left)];
        of_second *= Exact50(losses[1].probability) * (n - i - j - l) / (l + 1);
      }
    }
  }
  return sum;
}

void expect_sparse(const Atom& gain, std::vector<Atom> losses, double likely, int n, int most) {
  const Exact50 truth = excess_by_counts(gain, losses, likely, n, most);
  if (likely < 0) {
    losses.push_back(
        {likely, 1 - gain.probability - losses[0].probability - losses[1].probability});
  }
  const auto found = sparse_excess(gain, losses, static_cast<std::uint64_t>(n), 1 << 20);
  ASSERT_TRUE(found.has_value()) << n;
  EXPECT_LE(Exact50(found->lower), truth * (1 + Exact50(0x1p-60))) << n << ' ' << found->lower;
  EXPECT_GE(Exact50(found->upper), truth) << n << ' ' << found->upper;
  EXPECT_LE(found->upper - found->lower,
            1e-6 * found->upper + 1e-12 * gain.value * n * gain.probability)
      << n;
}

TEST(SparseExcess, AgainstTheDefinition) {
  for (const int n : test::whole_or_sanitized<std::vector<int>>({2, 30, 150}, {2, 30})) {
    expect_sparse({2900, 3e-4}, {{-3000, 3e-4}, {-1200, 7e-3}}, 0, n, 40);
    expect_sparse({2900, 3e-4}, {{-3000, 3e-4}, {-1200, 7e-3}}, -4, n, 40);
    expect_sparse({5, 1e-3}, {{-1, 1e-3}, {-0.5, 2e-3}}, -0.001, n, 30);
    // Many ties, where a contour takes longest.
    expect_sparse({1, 1e-3}, {{-1, 1e-3}, {-2, 5e-3}}, 0, n, 40);
  }
}

TEST(SparseExcess, HoldsForRandomVariables) {
  std::mt19937_64 random(20261122);
  std::uniform_real_distribution<double> uniform;
  for (int trial = 0; trial < test::whole_or_sanitized(10, 3); ++trial) {
    const int n = 2 + static_cast<int>(uniform(random) * 200);
    const double rare = std::pow(10, -1 - 3 * uniform(random)) / n;
    const double gain = std::exp(6 * uniform(random));
    expect_sparse({gain, rare},
                  {{-gain * 2 * uniform(random) - 1e-3, rare},
                   {-gain * uniform(random) - 1e-3, 3 * uniform(random) / n}},
                  uniform(random) < 0.5 ? 0 : -gain * uniform(random) / n, n, 32);
  }
}

TEST(SparseExcess, AgreesWithTheContourWhereBothCan) {
  // mean_excess uses a contour here, because the middle loss is frequent. A contour multiplies
  // powers out up to 2^14 terms.
  for (const std::uint64_t n : {300U, 1U << 14U, (1U << 14U) + 1}) {
    const double one = 1 / static_cast<double>(n);
    const Atom gain{30, 3 * one};
    const std::vector<Atom> losses = {{-31.5, 3 * one}, {-7.25, 60 * one}};
    const auto states = sparse_excess(gain, losses, n, 1 << 22);
    const MeanExcess contour = mean_excess(gain, losses, n);
    ASSERT_TRUE(states.has_value()) << n;
    std::printf("by states %.9g to %.9g, by contour %.9g to %.9g\n", states->lower, states->upper,
                contour.lower, contour.upper);
    EXPECT_LE(states->lower, contour.upper) << n;
    EXPECT_GE(states->upper, contour.lower) << n;
    EXPECT_LE(contour.upper - contour.lower, 2e-3 * contour.upper) << n;
  }
}

TEST(SparseExcess, LeavesToOthersWhatIsNotSparse) {
  const std::vector<Atom> losses = {{-1, 0.1}, {-2, 0.1}};
  EXPECT_FALSE(sparse_excess({1, 0.5}, losses, 10, 1 << 20).has_value());  // a likely gain
  EXPECT_FALSE(sparse_excess({1, 0.01}, losses, 100'000, 1 << 20).has_value());
  EXPECT_FALSE(sparse_excess({1, 0.01}, losses, 100, 10).has_value());
}

}  // namespace

}  // namespace mollify
