#include "central/histogram_sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "central/exact_law.h"
#include "chi_square.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

/// Noise beyond 500 is left out; at scale 4 its probability is below 1e-54.
constexpr int kWindow = 500;

/// The law of the multiset of outputs, by all noises in the window.
test::MultisetLaw law_of_histogram(const HistogramSampler& sampler,
                                   const test::Multisets& multisets, const test::Counts& counts) {
  const auto n = static_cast<int>(sampler.record_count());
  const auto m = static_cast<unsigned>(*sampler.output_count());
  const double t = static_cast<double>(sampler.noise().scale().numerator) /
                   static_cast<double>(sampler.noise().scale().denominator);
  // The law of each clipped count, from 0 to n.
  std::vector<std::vector<double>> clipped;
  for (const unsigned count : counts) {
    std::vector<double> law(static_cast<std::size_t>(n) + 1);
    for (int z = -kWindow; z <= kWindow; ++z) {
      const int value = std::clamp(static_cast<int>(count) + z, 0, n);
      law[static_cast<std::size_t>(value)] += std::tanh(.5 / t) * std::exp(-std::abs(z) / t);
    }
    clipped.push_back(law);
  }
  test::MultisetLaw law(multisets.count());
  std::vector<std::size_t> values(counts.size());
  for (;;) {
    double weight = 1;
    for (std::size_t x = 0; x < values.size(); ++x) weight *= clipped[x][values[x]];
    const auto sum =
        static_cast<double>(std::accumulate(values.begin(), values.end(), std::size_t{0}));
    std::vector<double> p;
    for (const std::size_t value : values) {
      p.push_back(sum > 0 ? static_cast<double>(value) / sum
                          : 1 / static_cast<double>(values.size()));
    }
    for (std::size_t id = 0; id < law.size(); ++id) {
      if (multisets.size(id) == m) law[id] += weight * test::multinomial(multisets.counts(id), p);
    }
    std::size_t x = 0;
    while (x < values.size() && values[x] == static_cast<std::size_t>(n)) values[x++] = 0;
    if (x == values.size()) return law;
    ++values[x];
  }
}

TEST(HistogramSampler, KeepsEpsilonAndItsTotalVariation) {
  for (const double epsilon : {.5, 1., 3.}) {
    for (const unsigned n : {3u, 6u}) {
      for (const unsigned k : {2u, 3u}) {
        for (const unsigned m : {1u, 2u, 4u}) {
          const HistogramSampler sampler(k, n, m, epsilon);
          const test::Multisets datasets(k, n), multisets(k, m);
          std::vector<test::MultisetLaw> laws(datasets.count());
          const std::vector<double> p =
              k == 2 ? std::vector<double>{.2, .8} : std::vector<double>{.1, .2, .7};
          test::MultisetLaw average(multisets.count());
          for (std::size_t id = 0; id < datasets.count(); ++id) {
            if (datasets.size(id) != n) continue;
            laws[id] = law_of_histogram(sampler, multisets, datasets.counts(id));
            const double weight = test::multinomial(datasets.counts(id), p);
            for (std::size_t i = 0; i < average.size(); ++i) average[i] += weight * laws[id][i];
          }
          double realised = 0, joint = 0;
          test::for_all_neighbours(datasets, n, [&](std::size_t d, std::size_t replaced) {
            realised = std::fmax(realised, test::greatest_log_ratio(laws[d], laws[replaced]));
          });
          EXPECT_LE(realised, epsilon);
          for (std::size_t i = 0; i < average.size(); ++i) {
            if (multisets.size(i) != m) continue;
            joint += std::fabs(average[i] - test::multinomial(multisets.counts(i), p)) / 2;
          }
          EXPECT_LE(joint, m * sampler.total_variation_up());
        }
      }
    }
  }
}

TEST(HistogramSampler, DrawsFollowTheEnumeratedLaw) {
  SecureRandom random;
  for (const unsigned m : {1u, 3u}) {
    const HistogramSampler sampler(3, 4, m, 1);
    const test::Counts counts = {3, 0, 1};
    const test::Multisets multisets(3, m);
    std::vector<std::uint64_t> seen(multisets.count());
    const std::vector<std::uint32_t> records = test::records_of(counts);
    for (int i = 0; i < 50'000; ++i) {
      std::size_t id = 0;
      for (const std::uint32_t y : sampler.draw(records, random)) id = multisets.after(id, y);
      ++seen[id];
    }
    EXPECT_TRUE(test::follows(law_of_histogram(sampler, multisets, counts), seen));
  }
}

// Noise of scale 2 moves no count far: outcome 1 is drawn with probability below 1e-6.
TEST(HistogramSampler, DrawsFromAsManyRecordsAsThereMayBe) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 40;
  SecureRandom random;
  const HistogramSampler sampler(3, kMost, 50'000, 1);
  const OutcomeHistogram records{.keys = {0, 2}, .counts = {kMost / 4, kMost / 4 * 3}};
  std::vector<std::uint64_t> seen(3);
  for (const std::uint32_t y : sampler.draw(records, random)) ++seen[y];
  EXPECT_EQ(seen[1], 0U);
  seen.erase(seen.begin() + 1);
  EXPECT_TRUE(test::follows(std::vector<double>{.25, .75}, seen));
}

// For one output the noise of k counts, 2/epsilon each, as a share of n.
TEST(HistogramSampler, StatesTheNoiseOfAllCounts) {
  EXPECT_NEAR(HistogramSampler(10, 1'000, 1, 0.5).total_variation_up(), 10 * 4 / 1e3, 1e-12);
  EXPECT_NEAR(HistogramSampler(3, 1'000'000, 1, 2).total_variation_up(), 3 * 1 / 1e6, 1e-15);
}

std::string histogram_refusal(std::uint64_t outcomes, std::uint64_t records, std::uint64_t outputs,
                              double epsilon) {
  return test::refusal_of([&] { HistogramSampler(outcomes, records, outputs, epsilon); });
}

TEST(HistogramSampler, RefusesInOneSentence) {
  EXPECT_EQ(histogram_refusal(2, 5, 50, 1), "accepted");
  EXPECT_EQ(histogram_refusal(1U << 24U, std::uint64_t{1} << 40U, 1, 1), "accepted");
  EXPECT_EQ(histogram_refusal(0, 5, 1, 1),
            "the number of outcomes must be from 1 to 16777216, but is 0");
  EXPECT_EQ(histogram_refusal(2, 0, 1, 1),
            "the number of records must be from 1 to 1099511627776, but is 0");
  EXPECT_EQ(histogram_refusal(2, 5, 0, 1), "the number of outputs must be at least 1, but is 0");
  EXPECT_EQ(histogram_refusal(2, 5, 1, 0), "epsilon must be finite and at least 1e-06, but is 0");
}

}  // namespace
}  // namespace mollify
