#include "accounting/mean_excess.h"

#include <cmath>
#include <cstdio>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {
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
}  // namespace mollify
