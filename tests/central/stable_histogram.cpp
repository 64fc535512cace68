#include "central/stable_histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "not_finite.h"
#include "refusal.h"

namespace mollify {
namespace {

using Wide = boost::multiprecision::cpp_bin_float_50;

/// The exact law of what is released of an outcome with this count: nothing, the counts from T to
/// T + reach - 1, and all greater ones together. No tail is forgotten: from the greatest count on
/// all probabilities have the same ratio under any two laws.
std::vector<Wide> law_of_count(double scale, std::int64_t threshold, int count, int reach) {
  std::vector<Wide> law(static_cast<std::size_t>(reach) + 2);
  if (count == 0) {
    law[0] = 1;
    return law;
  }
  const Wide a = exp(-1 / Wide(scale));
  // P(Z >= z) for z >= 0; P(Z >= z) = 1 - P(Z >= 1 - z) below.
  const auto at_least = [&](std::int64_t z) -> Wide {
    return z > 0 ? Wide(pow(a, z) / (1 + a)) : Wide(1 - pow(a, 1 - z) / (1 + a));
  };
  law[0] = 1 - at_least(threshold - count);
  for (int i = 0; i < reach; ++i) {
    law[static_cast<std::size_t>(i) + 1] =
        at_least(threshold - count + i) - at_least(threshold - count + i + 1);
  }
  law.back() = at_least(threshold - count + reach);
  return law;
}

/// The least delta with P(S) <= e^epsilon Q(S) + delta for all S, if x and y are independent with
/// the laws px, py under P and qx, qy under Q.
Wide least_delta(const Wide& e, const std::vector<Wide>& px, const std::vector<Wide>& py,
                 const std::vector<Wide>& qx, const std::vector<Wide>& qy) {
  Wide sum = 0;
  for (std::size_t i = 0; i < px.size(); ++i) {
    const Wide most = e * qx[i];
    for (std::size_t j = 0; j < py.size(); ++j) {
      const Wide excess = px[i] * py[j] - most * qy[j];
      if (excess > 0) sum += excess;
    }
  }
  return sum;
}

// All counts (x, y) that become (x - 1, y + 1), and back.
TEST(StableHistogram, KeepsItsPromiseOnAllSmallCounts) {
  constexpr int kMostRecords = 4, kReach = 5;
  const Wide rounding("1e-40");  // 50 digits are kept
  int pairs = 0;
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
    const Wide e = exp(Wide(epsilon));
    for (const double delta : {0.5, 0.2, 0.05, 1e-6}) {
      const StableHistogram histogram(epsilon, delta);
      std::vector<std::vector<Wide>> laws;
      for (int count = 0; count <= kMostRecords; ++count) {
        laws.push_back(law_of_count(histogram.scale(), histogram.threshold(), count, kReach));
      }
      Wide worst = 0;
      for (std::size_t x = 1; x < laws.size(); ++x) {
        for (std::size_t y = 0; y + 1 < laws.size(); ++y, ++pairs) {
          worst = std::max({worst, least_delta(e, laws[x], laws[y], laws[x - 1], laws[y + 1]),
                            least_delta(e, laws[x - 1], laws[y + 1], laws[x], laws[y])});
        }
      }
      // The theorem's p, charged once though two outcomes change.
      const Wide a = exp(-1 / Wide(histogram.scale()));
      const Wide alone = pow(a, histogram.threshold() - 1) / (1 + a);
      EXPECT_LE(alone, Wide(delta));
      EXPECT_LE(worst, alone + rounding) << epsilon << ", " << delta;
    }
  }
  std::printf("%d pairs of data sets\n", pairs);
}

TEST(StableHistogram, ThresholdIsTheLeast) {
  for (const double epsilon : {0.01, 0.3, 1.0, 4.0}) {
    for (const double delta : {0.1, 1e-3, 1e-6, 1e-12, 1e-100}) {
      const StableHistogram histogram(epsilon, delta);
      const Wide a = exp(-1 / Wide(histogram.scale()));
      const auto holds = [&](std::int64_t threshold) {
        const Wide tail = pow(a, threshold - 1);
        return threshold >= 2 && tail <= Wide(delta) * (1 + a) && tail <= 1 - a * a;
      };
      EXPECT_TRUE(holds(histogram.threshold()));
      EXPECT_FALSE(holds(histogram.threshold() - 1));
      EXPECT_GE(Wide(histogram.scale()) * Wide(epsilon), 2);
    }
  }
}

TEST(StableHistogram, DrawsFollowTheLaw) {
  SecureRandom random;
  const StableHistogram histogram(1.5, 0.05);
  constexpr int kReach = 12;
  // Counts 1 of outcome 4 000 000 000, 3 of 7 and 5 of 9.
  const OutcomeHistogram records =
      counts_of(std::vector<std::uint32_t>{9, 7, 9, 4'000'000'000, 9, 7, 9, 7, 9});
  std::vector<std::vector<std::uint64_t>> counts(3, std::vector<std::uint64_t>(kReach + 2));
  constexpr int kReleases = 100'000;
  for (int i = 0; i < kReleases; ++i) {
    std::uint32_t last = 0;
    std::vector<bool> seen(3);
    for (const NoisyCount& one : histogram.draw(records, random)) {
      ASSERT_LT(last, one.outcome);
      last = one.outcome;
      const std::size_t which = one.outcome == 7 ? 1 : one.outcome == 9 ? 2 : 0;
      seen[which] = true;
      const auto above = static_cast<std::int64_t>(one.count) - histogram.threshold();
      ASSERT_GE(above, 0);
      ++counts[which][static_cast<std::size_t>(std::min<std::int64_t>(above, kReach)) + 1];
    }
    for (std::size_t which = 0; which < 3; ++which) counts[which][0] += seen[which] ? 0u : 1u;
  }
  for (std::size_t which = 0; which < 3; ++which) {
    std::vector<double> law;
    for (const Wide& p : law_of_count(histogram.scale(), histogram.threshold(),
                                      which == 0   ? 1
                                      : which == 1 ? 3
                                                   : 5,
                                      kReach)) {
      law.push_back(static_cast<double>(p));
    }
    EXPECT_TRUE(test::follows(law, counts[which]));
  }
  EXPECT_TRUE(histogram.draw({}, random).empty());
}

template <class Make>
std::string hint_refusal(Make make) {
  return test::refusal_of(make);
}

TEST(StableHistogram, RefusesInOneSentence) {
  EXPECT_EQ(hint_refusal([] { static_cast<void>(StableHistogram(0, 0.1)); }),
            "epsilon of a stable histogram must be from 1e-06 to 100, but is 0");
  EXPECT_EQ(hint_refusal([] { static_cast<void>(StableHistogram(1, test::kNan)); }),
            "delta of a stable histogram must be from 1e-300 to 0.5, but is nan");
}

}  // namespace
}  // namespace mollify
