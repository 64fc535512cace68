// What the tests of both kinds of noise have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "core/random.h"
#include "kernel/coins.h"
#include "kernel/order.h"
#include "kernel/wide_float.h"

namespace mollify::test {

/// Answers an algorithm's questions at random, and checks the brackets of each coin against MPFR.
class CheckingDecisions {
 public:
  /// Brackets may be as wide as `widest`, in units of 2^-64.
  explicit CheckingDecisions(std::uint64_t seed, std::uint64_t widest = 2048)
      : random_(seed), widest_(widest) {}

  std::uint64_t below(const UniformBelow& bound) {
    struct Words {
      std::mt19937_64& random;
      std::uint64_t word() { return random(); }
    } words{random_};
    return bound(words);
  }

  template <class X>
  bool exp_minus(const X& x) {
    constexpr std::size_t kBits = 300;
    const WideFloat truth =
        WideFloat(x.scaled(kBits)).times_power_of_two(-static_cast<long>(kBits)).exp_minus();
    const WideFloat words = truth.times_power_of_two(64);
    const detail::ExpBracket bracket = x.bracket();
    EXPECT_TRUE(WideFloat(bracket.least) <= words);
    EXPECT_TRUE(words <= WideFloat(uint128{bracket.last} + 1));
    EXPECT_LE(bracket.last - bracket.least, widest_);
    ++coins_;
    return std::uniform_real_distribution<double>()(random_) < truth.to_double();
  }

  std::size_t coins() const { return coins_; }

 private:
  std::mt19937_64 random_;
  std::uint64_t widest_;
  std::size_t coins_ = 0;
};

/// Chi-square of draws in at most `bins` bins of about the same probability, whose edges are given
/// by `at_most(z)` = P(Z <= z) and a search for them between -limit and limit.
inline ::testing::AssertionResult follows_distribution(
    const std::function<double(std::int64_t)>& at_most, std::int64_t limit, std::size_t bins,
    const std::vector<std::int64_t>& draws) {
  std::vector<std::int64_t> edges;  // the last integer of each bin but the last bin
  std::vector<double> law;
  double before = 0;
  for (std::size_t j = 1; j < bins; ++j) {
    const double wanted = static_cast<double>(j) / static_cast<double>(bins);
    std::int64_t low = -limit, high = limit;
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (at_most(middle) < wanted) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (!edges.empty() && edges.back() == low) continue;
    edges.push_back(low);
    law.push_back(at_most(low) - before);
    before = at_most(low);
  }
  law.push_back(1 - before);
  std::vector<std::uint64_t> counts(law.size());
  for (const std::int64_t z : draws) {
    const auto bin = std::lower_bound(edges.begin(), edges.end(), z) - edges.begin();
    ++counts[static_cast<std::size_t>(bin)];
  }
  return follows(law, counts);
}

}  // namespace mollify::test
