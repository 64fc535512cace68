#include "analysis/estimate.h"

#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "mollify/answers.h"
#include "refusal.h"

namespace mollify::front {
namespace {

TEST(FrontEstimate, FindsThePopulationInMemory) {
  const Domain domain = Domain::make(
      {Column::declare("age",
                       {{"type", "integer"}, {"min", 0}, {"max", 99}, {"bins", 2}, {"null", 0}}),
       Column::declare("glad", {{"type", "boolean"}, {"null", "false"}})});
  const auto spec = ReleaseSpec::parse(
      R"({"method": "integral", "count": 300, "privacy": {"epsilon": 600},
          "mechanism": "randomized-response"})",
      domain);
  std::vector<std::int64_t> ages;
  std::vector<std::uint8_t> glad;
  for (int i = 0; i < 100; ++i) {
    ages.push_back(i);
    glad.push_back(i % 4 == 0 ? 1 : 0);
  }
  const Source data = Source::memory({{"age", ages}, {"glad", glad}});
  std::vector<ReleasedColumn> released;
  const Certificate certificate = release(prepare(spec, data), data, Sink::memory(released));
  const auto& told_ages = std::get<std::vector<std::int64_t>>(released[0].values);
  const auto& told_glad = std::get<std::vector<std::uint8_t>>(released[1].values);
  const Source records = Source::memory({{"age", told_ages}, {"glad", told_glad}});
  // At this confidence an interval that misses is a fault, not chance.
  const Answer found =
      estimate(certificate, domain, records, R"({"confidence": 0.999999, "pairs": true})");
  EXPECT_EQ(found.number("/records"), 300);
  EXPECT_TRUE(found.number("/estimates/3/probability"));
  EXPECT_FALSE(found.number("/estimates/4/probability"));
  EXPECT_TRUE(found.number("/pairs/0/estimates/3/probability"));
  const std::string all_glad = "/marginals/1/estimates/1";
  EXPECT_LE(found.number(all_glad + "/lower"), 0.25);
  EXPECT_GE(found.number(all_glad + "/upper"), 0.25);
  EXPECT_TRUE(found.number(all_glad + "/standard_error"));
  EXPECT_FALSE(found.number(all_glad + "/outcome")) << "it is a text";
  EXPECT_LE(found.number("/means/0/lower"), 49.5);
  EXPECT_GE(found.number("/means/0/upper"), 49.5);
  // The first records, counted twice each, are these records two times.
  const std::vector<std::int64_t> once(told_ages.begin(), told_ages.begin() + 150);
  const std::vector<std::uint8_t> once_glad(told_glad.begin(), told_glad.begin() + 150);
  const std::vector<std::int64_t> two(150, 2);
  std::vector<std::int64_t> twice(once);
  std::vector<std::uint8_t> twice_glad(once_glad);
  twice.insert(twice.end(), once.begin(), once.end());
  twice_glad.insert(twice_glad.end(), once_glad.begin(), once_glad.end());
  const Source counted = Source::memory({{"age", once}, {"n", two}, {"glad", once_glad}});
  const Source repeated = Source::memory({{"age", twice}, {"glad", twice_glad}});
  EXPECT_EQ(estimate(certificate, domain, counted, R"({"counts_column": "n"})").json,
            estimate(certificate, domain, repeated).json);
  const std::vector<ReleasedRecords> both(2, {certificate, domain, records});
  const Answer together = estimate(both, R"({"confidence": 0.999999, "pairs": true})");
  EXPECT_EQ(together.number("/records"), 600);
  EXPECT_EQ(together.number("/estimates/3/probability"), found.number("/estimates/3/probability"));
  EXPECT_EQ(
      test::refusal_of([&] { static_cast<void>(estimate(std::span<const ReleasedRecords>())); }),
      "there must be a release to estimate from, but the list is empty");
  EXPECT_EQ(test::refusal_of([&] {
              static_cast<void>(estimate(certificate, domain, records, R"({"method": "best"})"));
            }),
            "method must be " + all_names<EstimateMethod>(" or ") + ", but is \"best\"");
  std::vector<std::int64_t> others(told_ages);
  others[1] = 100;
  const Source clipped = Source::memory({{"age", others}, {"glad", told_glad}});
  EXPECT_EQ(test::refusal_of([&] { static_cast<void>(estimate(certificate, domain, clipped)); }),
            "released (in memory) line 3 column \"age\" must be an integer from 0 to 99 or null, "
            "but is \"100\" "
            "(outside: clip is for private values)");
}

}  // namespace
}  // namespace mollify::front
