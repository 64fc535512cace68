#include "mollify/estimate.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify::front {
namespace {

TEST(FrontEstimate, FindsThePopulationInMemory) {
  const Domain domain = Domain::make({Column::integer("age", 0, 99, 2), Column::boolean("glad")});
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
  const Estimate found =
      estimate(certificate, domain, records, {.confidence = 0.999999, .pairs = true});
  EXPECT_TRUE(found.is_linear);
  EXPECT_EQ(found.records, 300U);
  ASSERT_EQ(found.outcomes.cells.size(), 4U);
  ASSERT_EQ(found.marginals.size(), 2U);
  ASSERT_EQ(found.pairs.size(), 1U);
  const EstimatedValue& all_glad = found.marginals[1].cells[1];
  EXPECT_EQ(all_glad.name, "true");
  EXPECT_LE(all_glad.lower, 0.25);
  EXPECT_GE(all_glad.upper, 0.25);
  EXPECT_TRUE(all_glad.value && all_glad.standard_error);
  ASSERT_EQ(found.means.size(), 1U);
  EXPECT_LE(found.means[0].lower, 49.5);
  EXPECT_GE(found.means[0].upper, 49.5);
  EXPECT_NE(found.json.find("\"standard_error\""), std::string::npos);
  EXPECT_EQ(test::refusal_of([&] {
              static_cast<void>(estimate(certificate, domain, records, {.method = "best"}));
            }),
            "method must be unbiased, simplex or maximum-likelihood, but is \"best\"");
}

}  // namespace
}  // namespace mollify::front
