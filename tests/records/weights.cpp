#include "records/weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/ranges.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/numbers.h"
#include "formats/arrow.h"
#include "formats/csv.h"
#include "formats/scratch.h"
#include "records/private_table.h"
#include "refusal.h"

namespace mollify {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Decimal decimal(const char* text) { return Decimal::parse(text, "weight"); }

WeightColumn weights_up_to(const char* greatest) {
  return {.column = "w", .greatest = decimal(greatest)};
}

// -----------------------------------------------------------------------------------------------
// What is public about weights.

TEST(WeightColumn, HasAGridOfPowersOfTenByDefault) {
  const auto grid = [](const char* greatest) {
    const WeightColumn weights = weights_up_to(greatest);
    weights.validate();
    return std::pair(weights.grid(), weights.steps());
  };
  EXPECT_EQ(grid("20"), std::pair(0.01, std::uint64_t{2000}));
  EXPECT_EQ(grid("1"), std::pair(0.001, std::uint64_t{1000}));
  EXPECT_EQ(grid("9.99"), std::pair(0.001, std::uint64_t{9990}));
  EXPECT_EQ(grid("1234"), std::pair(1.0, std::uint64_t{1234}));
  EXPECT_EQ(grid("1e12"), std::pair(1e9, std::uint64_t{1000}));
  EXPECT_EQ(grid("1e-9"), std::pair(1e-12, std::uint64_t{1000}));
}

TEST(WeightColumn, HasADeclaredGrid) {
  WeightColumn weights = weights_up_to("20");
  weights.step = decimal("0.5");
  EXPECT_EQ(weights.steps(), 40U);
  weights.step = decimal("20");
  EXPECT_EQ(weights.steps(), 1U);
  weights.step = decimal("0.0002");
  weights.validate();
  EXPECT_EQ(weights.steps(), WeightColumn::kMostSteps);
}

TEST(WeightColumn, SupposesAMeanWeight) {
  WeightColumn weights = weights_up_to("20");
  EXPECT_EQ(weights.supposed_mean(), 1);
  EXPECT_EQ(weights.effective(1000), 50U);
  EXPECT_EQ(weights.effective(3), 1U);
  weights.mean = decimal("10");
  EXPECT_EQ(weights.effective(1000), 500U);
  EXPECT_EQ(weights_up_to("0.5").supposed_mean(), 0.25);
}

std::string refusal_of(const WeightColumn& weights) {
  return test::refusal_of([&] { weights.validate(); });
}

TEST(WeightColumn, RefusesNumbersThatContradictEachOther) {
  EXPECT_THAT(refusal_of(weights_up_to("0")), HasSubstr("greatest-weight must be"));
  EXPECT_THAT(refusal_of(weights_up_to("1e13")), HasSubstr("greatest-weight must be"));
  WeightColumn weights = weights_up_to("20");
  weights.invalid = decimal("21");
  EXPECT_EQ(refusal_of(weights),
            "--invalid-weight must be at most the greatest weight, 20, but is 21");
  weights = weights_up_to("20");
  weights.mean = decimal("21");
  EXPECT_THAT(refusal_of(weights), HasSubstr("mean-weight"));
  weights = weights_up_to("20");
  weights.step = decimal("21");
  EXPECT_THAT(refusal_of(weights), HasSubstr("weight-step"));
  weights.step = decimal("0.00019");
  EXPECT_EQ(
      refusal_of(weights),
      "--weight-step must be at least the greatest weight over 100000, 0.0002, but is 0.00019");
  weights = weights_up_to("3");
  weights.step = decimal("2");
  EXPECT_EQ(refusal_of(weights),
            "--greatest-weight must be a multiple of the step of weights, 2, but is 3: 4 would be "
            "one");
  EXPECT_THAT(refusal_of(weights_up_to("1234.567")), HasSubstr("1235 would be one"));
  EXPECT_EQ(refusal_of(weights_up_to("9.99")), "accepted");
}

// -----------------------------------------------------------------------------------------------
// A table whose rows have weights.

std::vector<std::uint64_t> weights_in(const Values& said, const char* invalid = "0") {
  const MemorySource table({"w"}, {said});
  WeightColumn declared = weights_up_to("20");
  declared.invalid = decimal(invalid);
  const WeightedSource weighted(table, declared);
  EXPECT_EQ(weighted.record_count(), said.size());
  std::vector<std::uint64_t> weights;
  weighted.visit({}, [&](const Block& block) {
    EXPECT_TRUE(block.columns.empty());
    EXPECT_TRUE(block.counts.empty());
    weights.insert(weights.end(), block.weights.begin(), block.weights.end());
  });
  return weights;
}

TEST(WeightedSource, ReadsNumbersOfEveryType) {
  const std::vector<std::int64_t> integers{
      3, 0, -1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
      7};
  const std::vector<std::uint8_t> valid{1, 1, 1, 1, 1, 0};
  EXPECT_THAT(weights_in(Values(std::span(integers), valid), "1"),
              ElementsAre(300, 0, 100, 100, 2000, 100));
  const std::vector<double> numbers{1.25,
                                    0.004,
                                    0.006,
                                    -0.0,
                                    -1,
                                    20.001,
                                    1e300,
                                    std::numeric_limits<double>::infinity(),
                                    std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THAT(weights_in(Values(std::span(numbers))),
              ElementsAre(125, 0, 1, 0, 0, 2000, 2000, 0, 0));
  const std::vector<std::string_view> texts{"1.25", "2e0", "", "x", "-4", "1,000.5", "0x1p3", "NA"};
  EXPECT_THAT(weights_in(Values(std::span(texts)), "20"),
              ElementsAre(125, 200, 2000, 2000, 2000, 2000, 2000, 2000));
  EXPECT_THAT(weights_in(Values(std::size_t{2}), "0.5"), ElementsAre(50, 50));
  // A number that no double holds is finite, and above the greatest weight.
  const std::vector<std::string_view> large{"1e999", "9,999e400", "inf", "-1e999", "Infinity"};
  EXPECT_THAT(weights_in(Values(std::span(large)), "1"), ElementsAre(2000, 100, 100, 100, 100));
}

TEST(WeightedSource, IsTheSameForEveryNumberOfThreads) {
  const test::Scratch scratch;
  std::string text = "a,w\n";
  for (int row = 0; row < 30'000; ++row) {
    text += std::to_string(row % 5) + "," + std::to_string(row % 7) + ".5\n";
  }
  scratch.write("data.csv", text);
  const Domain domain =
      Domain::make({Column::make("a", IntegerCells::make({.min = 0, .max = 4}), {})}, {});
  std::vector<OutcomeHistogram> found;
  for (const unsigned threads : {1U, 3U}) {
    const CsvSource csv(scratch.path("data.csv"), std::nullopt, threads);
    found.push_back(read_counts(WeightedSource(csv, weights_up_to("10")), domain));
  }
  EXPECT_EQ(found[0].keys, found[1].keys);
  EXPECT_EQ(found[0].counts, found[1].counts);
  // Every 5 in 35 rows have each weight.
  EXPECT_EQ(std::accumulate(found[0].counts.begin(), found[0].counts.end(), std::uint64_t{0}),
            // 30 000 = 4285 * 7 + 5: the sum of row % 7 is 4285 * 21 + 10, in steps of 0.01.
            (4285U * 21 + 10) * 100 + 30'000U * 50);
}

TEST(WeightedSource, RefusesAColumnThatIsMissingAndCounts) {
  const MemorySource table({"n", "w"}, {Values(std::size_t{1}), Values(std::size_t{1})});
  WeightColumn other = weights_up_to("1");
  other.column = "v";
  EXPECT_EQ(test::refusal_of([&] { const WeightedSource weighted(table, other); }),
            "the data has no column \"v\", with the weight of each row; it has \"n\", \"w\"");
  const CountedSource counted(table, "n");
  EXPECT_EQ(
      test::refusal_of([&] { const WeightedSource both(counted, weights_up_to("1")); }),
      "give --weights or --counts-column, not both: a row with a weight is one record, and a row "
      "with a count is several");
}

/// A table whose second column holds lists.
class TableOfLists final : public Source {
 public:
  [[nodiscard]] std::string_view name() const noexcept override { return "the data"; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override { return names_; }
  [[nodiscard]] std::uint64_t record_count() const override { return 0; }
  void visit(std::span<const std::size_t>,
             const std::function<void(const Block&)>&) const override {}
  [[nodiscard]] bool holds_lists(std::size_t column) const noexcept override { return column == 1; }

 private:
  std::vector<std::string> names_{"a", "w"};
};

// A row with a list is a record for each item, so it would count without a bound.
TEST(WeightedSource, RefusesListsByTheirType) {
  const TableOfLists table;
  EXPECT_EQ(test::refusal_of([&] { const WeightedSource weighted(table, weights_up_to("1")); }),
            "column \"w\" of the data must hold the weight of each row, but holds lists, so that a "
            "row counts several times");
  const CountedSource counted(table, "w");
  const std::vector<std::string> domain{"a"};
  EXPECT_THAT(test::refusal_of([&] { require_lists_of_units(counted, domain, {}); }),
              HasSubstr("column \"w\" of the data holds lists"));
}

TEST(WeightedSource, WeighsNeitherADomainsColumnNorTheUnits) {
  const MemorySource table({"w", "u"}, {Values(std::size_t{1}), Values(std::size_t{1})});
  const WeightedSource weighted(table, weights_up_to("1"));
  const std::vector<std::string> names{"w"};
  EXPECT_EQ(test::refusal_of([&] { static_cast<void>(wanted_columns(weighted, names)); }),
            "the weights column must not be a column of the domain, but \"w\" is: remove it there");
  EXPECT_EQ(test::refusal_of([&] { static_cast<void>(wanted_columns(weighted, {}, "w")); }),
            "the weights column must not be the unit column, but \"w\" is both");
  EXPECT_EQ(wanted_columns(weighted, {}, "u"), std::vector<std::size_t>{1});
}

TEST(CountedTable, HasWeightsOnce) {
  const MemorySource table({"w"}, {Values(std::size_t{1})});
  EXPECT_EQ(&*CountedTable(table, std::nullopt), &table);
  const CountedTable weighted(table, weights_up_to("2"));
  ASSERT_TRUE((*weighted).weights());
  EXPECT_EQ((*weighted).weights()->greatest, 2000U);
  EXPECT_EQ(&*CountedTable(*weighted, weights_up_to("3")), &*weighted);
}

// -----------------------------------------------------------------------------------------------
// Bounded weights.

/// All lists of three weights up to 6, under all bounds up to 20.
TEST(BoundedWeights, SumToTheirOwnSumOrTheBound) {
  for (std::uint64_t code = 0; code < 7 * 7 * 7; ++code) {
    const std::vector<std::uint64_t> weights{code % 7, code / 7 % 7, code / 49};
    const std::uint64_t sum = weights[0] + weights[1] + weights[2];
    for (std::uint64_t most = 1; most <= 20; ++most) {
      const std::vector<std::uint64_t> bounded = bounded_weights(weights, most);
      ASSERT_EQ(bounded.size(), 3U);
      EXPECT_EQ(bounded[0] + bounded[1] + bounded[2], std::min(sum, most));
      for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_LE(bounded[i], weights[i]);
        if (sum <= most) {
          EXPECT_EQ(bounded[i], weights[i]);
        }
        // Within one of its share.
        const double share = static_cast<double>(weights[i] * std::min(sum, most)) /
                             static_cast<double>(std::max<std::uint64_t>(sum, 1));
        EXPECT_LT(std::abs(static_cast<double>(bounded[i]) - share), 1);
      }
    }
  }
}

TEST(BoundedWeights, DoNotOverflow) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 60U;
  const std::vector<std::uint64_t> bounded =
      bounded_weights(std::vector<std::uint64_t>(40, kMany), WeightColumn::kMostSteps);
  EXPECT_EQ(std::accumulate(bounded.begin(), bounded.end(), std::uint64_t{0}),
            WeightColumn::kMostSteps);
  EXPECT_THAT(bounded_weights({}, 5), ElementsAre());
}

}  // namespace

}  // namespace mollify
