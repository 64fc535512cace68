// Codes of a column that mean "no value".
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "domain/column.h"
#include "refusal.h"

namespace mollify {

using test::refusal_of;
namespace {

TEST(MissingCodes, AreOutcomesOfTheirOwnBesideTheCells) {
  const Column column =
      Column::make("income", NumberCells::make(0, 100, 4),
                   {.null_is_category = true, .missing = {{"-9", "refused"}, {"99999", ""}}});
  EXPECT_EQ(column.size(), 7U);
  EXPECT_EQ(column.cell_count(), 4U);
  EXPECT_EQ(column.codes_and_nulls(), 3U);
  for (const char* const text : {"-9", "-9.0", " -9", "-9e0"}) {
    EXPECT_EQ(column.encode(std::string_view(text)), 4U) << text;
  }
  EXPECT_EQ(column.encode(std::int64_t{99'999}), 5U);
  EXPECT_EQ(column.encode(99'999.0), 5U);
  EXPECT_EQ(column.encode(Value()), 6U) << "a null is none of them";
  EXPECT_EQ(column.encode(-8.0), 0U) << "an end of the range is no code";
  EXPECT_EQ(column.value(4, 0), Value(-9.0));
  EXPECT_EQ(column.value(6, 0), Value());
  EXPECT_EQ(column.points(5), 1U);
  EXPECT_TRUE(column.is_missing_code(5));
  EXPECT_FALSE(column.is_missing_code(6));
  std::string text;
  column.write(4, 0, text);
  EXPECT_EQ(column.encode(std::string_view(text)), 4U) << text;
  std::vector<std::uint32_t> outcomes(3);
  column.encode(std::span<const double>(std::vector<double>{-9, 50, 99'999}), outcomes);
  EXPECT_THAT(outcomes, testing::ElementsAre(4, 2, 5));
}

TEST(MissingCodes, InAListAreNulls) {
  const Mapping mapping{.null_value = "7", .missing = {{"-9"}, {"999"}}, .missing_are_nulls = true};
  const Column column = Column::make("hours", IntegerCells::make(0, 95), mapping);
  EXPECT_EQ(column.size(), 96U);
  EXPECT_EQ(column.read(std::int64_t{999}).verdict, Verdict::kNull);
  EXPECT_EQ(column.encode(std::int64_t{999}), 7U);
  EXPECT_EQ(column.encode(std::int64_t{998}), 95U);
}

TEST(MissingCodes, CanBeDays) {
  const Column days = Column::make(
      "until", DateCells::make({.min = "2020-01-01", .max = "2020-12-31", .period = Period::kYear}),
      {.missing = {{"9999-12-31", "still here"}}});
  EXPECT_EQ(days.encode("9999-12-31"), 1U);
  EXPECT_EQ(days.encode("9999-12-31T00:00:00"), 1U);
  EXPECT_EQ(days.encode(Moment{2'932'896}), 1U) << "the same day as a frame holds it";
  std::string text;
  days.write(1, 0, text);
  EXPECT_EQ(text, "9999-12-31");
  EXPECT_EQ(days.value(1, 0), Value(Moment{2'932'896}));
}

// One instant has several texts, and a day is a code at whatever hour.
TEST(MissingCodes, AreReadByTheColumnsClock) {
  const Column times = Column::make("t",
                                    DateCells::make({.grain = Grain::kSecond,
                                                     .min = "2020-01-01",
                                                     .max = "2020-12-31",
                                                     .period = Period::kYear,
                                                     .zone = "+01:00"}),
                                    {.missing = {{"1970-01-01", "unknown"}}});
  for (const char* text :
       {"1970-01-01", "1970-01-01T00:00:00", "1970-01-01T00:00:00+01:00", "1969-12-31T23:00:00Z"}) {
    EXPECT_EQ(times.encode(text), 1U) << text;
  }
  std::string text;
  times.write(1, 0, text);
  EXPECT_EQ(times.encode(std::string_view(text)), 1U) << text;
  const Column days = Column::make("d", DateCells::make({.min = "2020-01-01", .max = "2020-12-31"}),
                                   {.missing = {{"1970-01-01", ""}}});
  EXPECT_EQ(days.encode("1970-01-01 05:00"), 366U);
}

// A cell around a code would be released as the code.
TEST(MissingCodes, LieOutsideOfTheRange) {
  const auto refusal = [](Cells cells, const char* code) {
    return refusal_of([&] { (void)Column::make("n", cells, {.missing = {{code, ""}}}); });
  };
  EXPECT_THAT(refusal(IntegerCells::make(0, 99, 10), "99"), testing::HasSubstr("outside of"));
  EXPECT_THAT(refusal(NumberCells::make(0, 10, 4), "5"), testing::HasSubstr("outside of"));
  EXPECT_THAT(refusal(DateCells::make({.min = "2020-01-01", .max = "2020-12-31"}), "2020-06-01"),
              testing::HasSubstr("outside of"));
  EXPECT_EQ(refusal(IntegerCells::make({.values = {1, 2, 5}}), "3"), "accepted");
}

TEST(MissingCodes, MayBeWhatNullsBecome) {
  const Column column = Column::make("n", IntegerCells::make(0, 4),
                                     {.null_value = "-1", .missing = {{"-1", "unknown"}}});
  EXPECT_EQ(column.encode(Value()), 5U);
  EXPECT_EQ(column.value(5, 0), Value(std::int64_t{-1}));
}

TEST(MissingCodes, MakeAnotherDomain) {
  const auto text = [](Mapping mapping) {
    return Column::make("n", IntegerCells::make(0, 4), std::move(mapping)).canonical_text();
  };
  EXPECT_NE(text({}), text({.missing = {{"-1"}}}));
  EXPECT_NE(text({.missing = {{"-2"}}}), text({.missing = {{"-1"}}}));
  EXPECT_NE(text({.missing = {{"-1"}}}), text({.missing = {{"-1"}}, .missing_are_nulls = true}));
  EXPECT_EQ(text({.missing = {{"-1", "a"}}}), text({.missing = {{"-1.0", "b"}}}))
      << "labels are for people";
}

TEST(MissingCodes, AreRefusedUnlessTheColumnCanWriteThem) {
  const auto refusal = [](Cells cells, std::vector<MissingCode> missing) {
    return refusal_of([&] { (void)Column::make("n", cells, {.missing = std::move(missing)}); });
  };
  EXPECT_EQ(refusal(IntegerCells::make(0, 4), {{"-9.5"}}),
            "column \"n\": missing codes must be values of the column's type that it can write, "
            "but one is \"-9.5\"");
  EXPECT_EQ(refusal(IntegerCells::make(0, 4), {{"-9"}, {"-9.0"}}),
            "column \"n\": missing codes must be distinct, but one is \"-9.0\"");
  EXPECT_THAT(refusal(NumberCells::make(0, 4, 4), {{"none"}}),
              testing::HasSubstr("that it can write"));
  EXPECT_THAT(refusal(Categories::make({"a", "b"}), {{"-9"}}),
              testing::HasSubstr("missing codes are for numbers, days and times"));
}

}  // namespace

}  // namespace mollify
