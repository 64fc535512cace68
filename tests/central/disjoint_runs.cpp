#include "central/disjoint_runs.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "central/ds_roo.h"
#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

TEST(DisjointRuns, GivesEachRunRecordsOfItsOwn) {
  // At epsilon 30 a run reveals one of its records: no record twice, and each as often.
  const std::uint32_t n = 10;
  const DisjointRuns sampler(std::make_unique<DsRoo>(1000, 3, 30), n, 3);
  std::vector<std::uint32_t> records(n);
  for (std::uint32_t i = 0; i < n; ++i) records[i] = i;
  SecureRandom random;
  std::vector<int> seen(n);
  for (int draw = 0; draw < 1000; ++draw) {
    const std::vector<std::uint32_t> outputs = sampler.draw(records, random);
    ASSERT_EQ(outputs.size(), 3u);
    EXPECT_TRUE(outputs[0] != outputs[1] && outputs[0] != outputs[2] && outputs[1] != outputs[2]);
    for (const std::uint32_t output : outputs) ++seen[output];
  }
  // Bin(1000, .3): six standard deviations are 87.
  for (const int count : seen) EXPECT_NEAR(count, 300, 87);
}

std::string runs_refusal(std::uint64_t each, std::uint64_t records, std::uint64_t runs) {
  return test::refusal_of(
      [&] { DisjointRuns(std::make_unique<DsRoo>(2, each, 1), records, runs); });
}

TEST(DisjointRuns, RefusesInOneSentence) {
  EXPECT_EQ(runs_refusal(3, 9, 3), "accepted");
  EXPECT_EQ(runs_refusal(3, 8, 3), "3 disjoint runs on 3 records each do not fit into 8 records");
  EXPECT_EQ(runs_refusal(3, 8, 0), "0 disjoint runs on 3 records each do not fit into 8 records");
  auto two = std::make_unique<DisjointRuns>(std::make_unique<DsRoo>(2, 1, 1), 2, 2);
  EXPECT_THROW(DisjointRuns(std::move(two), 8, 2), InvalidInput);
}

TEST(MultiSampling, StrongIsAFactorOfWeakRoundedUp) {
  EXPECT_EQ(strong_total_variation_up(.01, 10), .1);
  EXPECT_EQ(strong_total_variation_up(.3, 10), 1);
  EXPECT_GE(strong_total_variation_up(.1, 3), .1 * 3);
  EXPECT_THROW((void)strong_total_variation_up(-.1, 3), InvalidInput);
}

}  // namespace
}  // namespace mollify
