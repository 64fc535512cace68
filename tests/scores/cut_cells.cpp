// Cells with declared edges, spikes and orders.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "refusal.h"
#include "scores/records.h"

namespace mollify {

namespace {

TEST(CutCells, HoldIntegersBetweenTheirEdges) {
  const IntegerCells cells = IntegerCells::make({.edges = {0, 18, 65, 110}});
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells.read(std::int64_t{17}).cell, 0U);
  EXPECT_EQ(cells.read(std::int64_t{18}).cell, 1U);
  EXPECT_EQ(cells.read(std::int64_t{64}).cell, 1U);
  EXPECT_EQ(cells.read(std::int64_t{110}).cell, 2U) << "the last one holds its end";
  EXPECT_EQ(cells.read(std::int64_t{111}).verdict, Verdict::kOutside);
  EXPECT_EQ(cells.points(2), 46U);
  EXPECT_EQ(cells.declared().edges, (std::vector<std::int64_t>{0, 18, 65, 110}));
  EXPECT_TRUE(IntegerCells::make(0, 9, 2).declared().edges.empty());
}

TEST(CutCells, HoldNumbersBetweenTheirEdges) {
  const NumberCells cells = NumberCells::make({.edges = {0, 0.5, 10, 1000}});
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells.read(0.49).cell, 0U);
  EXPECT_EQ(cells.read(0.5).cell, 1U);
  EXPECT_EQ(cells.read(1000.0).cell, 2U);
  EXPECT_EQ(cells.read(1000.1).verdict, Verdict::kOutside);
  EXPECT_FALSE(cells.are_equal());
}

TEST(CutCells, GiveASpikeACellOfItsOwn) {
  const NumberCells zero = NumberCells::make({.min = 0, .max = 100, .bins = 4, .spikes = {0}});
  ASSERT_EQ(zero.size(), 5U);
  EXPECT_EQ(zero.read(0.0).cell, 0U);
  EXPECT_EQ(zero.read(-0.0).cell, 0U);
  EXPECT_EQ(zero.read(5e-324).cell, 1U);
  EXPECT_EQ(zero.read(25.0).cell, 2U);
  EXPECT_EQ(zero.points(0), 1U);
  const NumberCells middle = NumberCells::make({.min = 0, .max = 100, .bins = 4, .spikes = {60}});
  ASSERT_EQ(middle.size(), 6U) << "the cell around it is two";
  EXPECT_EQ(middle.read(59.9).cell, 2U);
  EXPECT_EQ(middle.read(60.0).cell, 3U);
  EXPECT_EQ(middle.read(60.1).cell, 4U);
  std::string text;
  middle.write(3, 0, text);
  EXPECT_EQ(std::stod(text), 60.0);
  const NumberCells end = NumberCells::make({.edges = {0, 1, 2}, .spikes = {2}});
  ASSERT_EQ(end.size(), 3U);
  EXPECT_EQ(end.read(2.0).cell, 2U);
  EXPECT_EQ(end.read(1.999).cell, 1U);
  const NumberCells edge = NumberCells::make({.edges = {0, 1, 2}, .spikes = {1}});
  ASSERT_EQ(edge.size(), 3U);
  EXPECT_EQ(edge.read(1.0).cell, 1U);
}

// Every frequent code keeps its share: no released value is a number that nobody has.
TEST(CutCells, GiveEachOfManySpikesACellOfItsOwn) {
  const IntegerCells codes =
      IntegerCells::make({.min = 200, .max = 500, .bins = 2, .spikes = {200, 301, 404, 500}});
  ASSERT_EQ(codes.size(), 8U) << "two bins, one of them cut in two, and four spikes";
  for (const std::int64_t spike : codes.declared().spikes) {
    const std::uint32_t cell = codes.read(spike).cell;
    EXPECT_EQ(codes.points(cell), 1U) << spike;
    EXPECT_EQ(codes.value(cell, 0), spike);
  }
  EXPECT_EQ(codes.spike_cells(), (std::vector<std::uint32_t>{0, 2, 5, 7}));
  EXPECT_EQ(codes.read(std::int64_t{499}).cell, 6U) << "the greatest is no part of the gap below";

  const double third = 1.0 / 3, fine = 2009.99726214921;
  const NumberCells numbers = NumberCells::make(
      {.edges = {0, 1, 2500}, .spikes = {0.123456789, 0.12345678900000002, third, fine, 2500}});
  for (const double spike : numbers.declared().spikes) {
    const std::uint32_t cell = numbers.read(spike).cell;
    EXPECT_EQ(numbers.points(cell), 1U) << spike;
    EXPECT_EQ(numbers.value(cell, 0), spike) << "whatever digits it has";
    std::string text;
    numbers.write(cell, 0, text);
    EXPECT_EQ(numbers.read(text).cell, cell) << text;
  }

  const DateCells days = DateCells::make({.min = "2023-01-01",
                                          .max = "2023-12-31",
                                          .period = Period::kYear,
                                          .spikes = {"2023-01-01", "2023-07-01", "2023-12-31"}});
  ASSERT_EQ(days.size(), 5U);
  EXPECT_EQ(days.read("2023-12-31").cell, 4U);
  EXPECT_EQ(days.read("2023-12-30").cell, 3U);
  EXPECT_EQ(days.points(2), 1U);
}

TEST(CutCells, OfAListHoldItsValuesAlone) {
  const NumberCells list = NumberCells::make({.values = {0.1, 0.25, 0.3, 7.7}});
  ASSERT_EQ(list.size(), 4U);
  for (std::uint32_t cell = 0; cell < list.size(); ++cell) {
    EXPECT_EQ(list.points(cell), 1U);
    EXPECT_EQ(list.value(cell, 0), list.declared().values[cell]);
    EXPECT_EQ(list.read(list.value(cell, 0)).verdict, Verdict::kValue);
  }
  EXPECT_EQ(list.read(0.26).verdict, Verdict::kOutside);
  EXPECT_EQ(list.read(0.26).cell, 1U) << "the nearest";
  EXPECT_EQ(list.read(-3.0).cell, 0U);
  EXPECT_EQ(list.read(1e9).cell, 3U);
  std::string text;
  list.write(3, 0, text);
  EXPECT_EQ(text, "7.7") << "as it is declared";
  EXPECT_EQ(list.expectation(), "one of 0.1, 0.25, 0.3, 7.7");

  const IntegerCells codes = IntegerCells::make({.values = {88101, 88502}});
  EXPECT_EQ(codes.value(1, 0), 88502);
  EXPECT_EQ(codes.read(std::int64_t{88301}).cell, 0U);
  EXPECT_EQ(codes.read(std::int64_t{88302}).cell, 1U) << "nearer, or as near, and greater";
  EXPECT_EQ(codes.read(std::int64_t{88302}).verdict, Verdict::kOutside);
  EXPECT_TRUE(codes.ungrouped());
  EXPECT_EQ(IntegerCells::make({.values = {42}}).value(0, 0), 42);
  EXPECT_EQ(NumberCells::make({.values = {42.5}}).read(41.0).cell, 0U);
}

// Each number that can come out of a column with a step is a multiple of it.
TEST(CutCells, OfAStepHoldMultiplesAlone) {
  const NumberCells prices =
      NumberCells::make({.edges = {0, 4.995, 20}, .spikes = {4.99, 9.99, 20}, .step = 0.01});
  for (std::uint32_t cell = 0; cell < prices.size(); ++cell) {
    for (std::uint64_t point = 0; point < prices.points(cell); ++point) {
      const double value = prices.value(cell, point);
      EXPECT_EQ(value, std::round(value * 100) / 100);
      EXPECT_EQ(prices.read(value).cell, cell);
      std::string text;
      prices.write(cell, point, text);
      EXPECT_EQ(text.size() - text.find('.'), 3U) << text;
    }
  }
  EXPECT_EQ(prices.read(4.99F).cell, prices.read(4.99).cell) << "a number belongs to the nearest";
  EXPECT_EQ(prices.points(prices.read(20.0).cell), 1U);

  const NumberCells quarters = NumberCells::make({.min = -1, .max = 1.1, .step = 0.25});
  ASSERT_EQ(quarters.size(), 9U);
  EXPECT_EQ(quarters.value(8, 0), 1.0);
  EXPECT_EQ(quarters.read(1.1).cell, 8U);
  EXPECT_EQ(quarters.read(1.1).verdict, Verdict::kValue);

  const IntegerCells tens = IntegerCells::make({.min = -13, .max = 64, .bins = 4, .step = 10});
  EXPECT_EQ(tens.count(), 8U);
  EXPECT_EQ(tens.value(0, 0), -10);
  EXPECT_EQ(tens.value(3, tens.points(3) - 1), 60);
  EXPECT_EQ(tens.read(std::int64_t{-13}).cell, 0U);
  EXPECT_EQ(tens.value(tens.read(std::int64_t{15}).cell, 0), 10);
  EXPECT_EQ(tens.read(std::int64_t{65}).verdict, Verdict::kOutside);
  const IntegerCells each = IntegerCells::make({.min = 0, .max = 30, .step = 10});
  EXPECT_EQ(each.read(std::int64_t{15}).cell, 2U) << "the greater of two that are as near";
  EXPECT_EQ(each.read(std::int64_t{14}).cell, 1U);

  const DateCells times = DateCells::make({.grain = Grain::kSecond,
                                           .min = "2023-01-01T08:30:00",
                                           .max = "2023-01-01",
                                           .bins = 3,
                                           .step = TimeStep::kHour});
  EXPECT_EQ(times.read("2023-01-01T23:59:59").verdict, Verdict::kValue) << "to the end of the day";
  for (std::uint32_t cell = 0; cell < times.size(); ++cell) {
    for (std::uint64_t point = 0; point < times.points(cell); ++point) {
      EXPECT_EQ(times.value(cell, point).count % 3600, 0);
    }
  }
  const auto shown = [&](std::string_view text) {
    std::string hour;
    const std::uint32_t cell = times.read(text).cell;
    times.write(cell, times.points(cell) - 1, hour);
    return hour;
  };
  EXPECT_EQ(shown("2023-01-01T13:59:59"), "2023-01-01T13:00:00") << "the hour that has begun";
}

TEST(CutCells, RefuseStepsAndSpikesThatLeaveACellWithoutValues) {
  using test::refusal_of;
  EXPECT_THAT(
      refusal_of([] { (void)IntegerCells::make({.min = 11, .max = 19, .step = 10}); }),
      testing::HasSubstr("step must leave a multiple in each cell, but none of 10 is from"));
  EXPECT_THAT(refusal_of([] {
                (void)IntegerCells::make({.edges = {0, 1, 5}, .step = 2});
              }),
              "accepted");
  EXPECT_THAT(refusal_of([] {
                (void)IntegerCells::make({.edges = {0, 1, 2, 5}, .step = 2});
              }),
              testing::HasSubstr("none of 2 is from 1 to 2"));
  EXPECT_THAT(refusal_of([] {
                (void)NumberCells::make({.edges = {0, 0.1, 0.2, 1}, .step = 0.5});
              }),
              testing::HasSubstr("none of 0.5 is from 0.1 to 0.2"));
  EXPECT_EQ(
      refusal_of([] {
        (void)NumberCells::make({.min = 0, .max = 1, .bins = 2, .spikes = {0.3}, .step = 0.25});
      }),
      "spikes must be multiples of 0.25 from 0 to 1, but one is 0.3");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make({.min = 0, .max = 9, .spikes = {10}}); }),
            "spikes must be integers from 0 to 9, but one is 10");
  EXPECT_EQ(refusal_of([] { (void)NumberCells::make({.min = 0, .max = 9, .spikes = {1}}); }),
            "spikes must be given with bins or edges");
  EXPECT_EQ(refusal_of([] { (void)IntegerCells::make({.min = 0, .max = 9, .step = 0}); }),
            "step must be an integer above 0, but is 0");
  EXPECT_EQ(refusal_of([] {
              (void)NumberCells::make({.values = {1, 1}});
            }),
            "values must be ascending, but 1 is followed by 1");
}

// A released value of a spike's neighbours is never the spike.
TEST(CutCells, WriteNoNeighbourAsTheSpike) {
  const NumberCells cells = NumberCells::make({.min = -1, .max = 1, .bins = 2, .spikes = {0}});
  for (std::uint32_t cell = 0; cell < cells.size(); ++cell) {
    for (std::uint64_t point = 0; point < cells.points(cell); ++point) {
      EXPECT_EQ(cells.read(cells.value(cell, point)).cell, cell);
    }
  }
}

TEST(CutCells, OfOrdinalsLieInTheirOrder) {
  const Column grade = Column::make("grade", Categories::make({"low", "middle", "high"}, true));
  EXPECT_EQ(kind_of(grade.cells()).name, "ordinal");
  EXPECT_TRUE(is_ordered(grade.cells()));
  EXPECT_FALSE(is_numeric(grade.cells()));
  const Column colour = Column::make("grade", Categories::make({"low", "middle", "high"}));
  EXPECT_FALSE(is_ordered(colour.cells()));
  EXPECT_NE(grade.canonical_text(), colour.canonical_text());
  const RecordLayout layout(Domain::make({grade}));
  EXPECT_EQ(layout.columns()[0].scale, Scale::kOrdered) << "scorers use the order";
  EXPECT_EQ(RecordLayout(Domain::make({colour})).columns()[0].scale, Scale::kCategory);
}

TEST(CutCells, AreTakenForWhatTheyAre) {
  const Column day = Column::make(
      "day", DateCells::make({.min = "2026-01-01", .max = "2026-12-31", .period = Period::kMonth}),
      {.null_is_category = true});
  EXPECT_EQ(day.value(0, 0), Value(Moment{20'454}));
  EXPECT_EQ(day.value(12, 0), Value());
  const Domain domain = Domain::make({day});
  EXPECT_EQ(chosen_space(domain), SpaceKind::kCategories);
  const RecordLayout layout(domain);
  ASSERT_EQ(layout.columns().size(), 2U) << "null is a column of its own";
  EXPECT_EQ(layout.columns()[0].scale, Scale::kOrdered);
}

}  // namespace

}  // namespace mollify
