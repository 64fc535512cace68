#include "accounting/sparse_excess.h"

#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "sanitized.h"

namespace mollify {
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
  // The middle loss is so frequent that mean_excess takes a contour.
  const Atom gain{30, 0.01};
  const std::vector<Atom> losses = {{-31.5, 0.01}, {-7.25, 0.2}};
  const auto states = sparse_excess(gain, losses, 300, 1 << 22);
  const MeanExcess contour = mean_excess(gain, losses, 300);
  ASSERT_TRUE(states.has_value());
  std::printf("by states %.9g to %.9g, by contour %.9g to %.9g\n", states->lower, states->upper,
              contour.lower, contour.upper);
  EXPECT_LE(states->lower, contour.upper);
  EXPECT_GE(states->upper, contour.lower);
}

TEST(SparseExcess, LeavesToOthersWhatIsNotSparse) {
  const std::vector<Atom> losses = {{-1, 0.1}, {-2, 0.1}};
  EXPECT_FALSE(sparse_excess({1, 0.5}, losses, 10, 1 << 20).has_value());  // a likely gain
  EXPECT_FALSE(sparse_excess({1, 0.01}, losses, 100'000, 1 << 20).has_value());
  EXPECT_FALSE(sparse_excess({1, 0.01}, losses, 100, 10).has_value());
}

}  // namespace
}  // namespace mollify
