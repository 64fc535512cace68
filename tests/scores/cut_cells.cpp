// Cells with declared edges, spikes and orders.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "scores/records.h"

namespace mollify {

namespace {

TEST(CutCells, HoldIntegersBetweenTheirEdges) {
  const IntegerCells cells = IntegerCells::with_edges({0, 18, 65, 110});
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells.read(std::int64_t{17}).cell, 0U);
  EXPECT_EQ(cells.read(std::int64_t{18}).cell, 1U);
  EXPECT_EQ(cells.read(std::int64_t{64}).cell, 1U);
  EXPECT_EQ(cells.read(std::int64_t{110}).cell, 2U) << "the last one holds its end";
  EXPECT_EQ(cells.read(std::int64_t{111}).verdict, Verdict::kOutside);
  EXPECT_EQ(cells.points(2), 46U);
  EXPECT_EQ(cells.declared_edges(), (std::vector<std::int64_t>{0, 18, 65, 110}));
  EXPECT_TRUE(IntegerCells::make(0, 9, 2).declared_edges().empty());
}

TEST(CutCells, HoldNumbersBetweenTheirEdges) {
  const NumberCells cells = NumberCells::with_edges({0, 0.5, 10, 1000});
  ASSERT_EQ(cells.size(), 3U);
  EXPECT_EQ(cells.read(0.49).cell, 0U);
  EXPECT_EQ(cells.read(0.5).cell, 1U);
  EXPECT_EQ(cells.read(1000.0).cell, 2U);
  EXPECT_EQ(cells.read(1000.1).verdict, Verdict::kOutside);
  EXPECT_FALSE(cells.are_equal());
}

TEST(CutCells, GiveASpikeACellOfItsOwn) {
  const NumberCells zero = NumberCells::with_spike(0, 100, 4, 0);
  ASSERT_EQ(zero.size(), 5U);
  EXPECT_EQ(zero.read(0.0).cell, 0U);
  EXPECT_EQ(zero.read(-0.0).cell, 0U);
  EXPECT_EQ(zero.read(5e-324).cell, 1U);
  EXPECT_EQ(zero.read(25.0).cell, 2U);
  EXPECT_EQ(zero.points(0), 1U);
  EXPECT_EQ(zero.declared_bins(), 4U);
  const NumberCells middle = NumberCells::with_spike(0, 100, 4, 60);
  ASSERT_EQ(middle.size(), 6U) << "the cell around it is two";
  EXPECT_EQ(middle.read(59.9).cell, 2U);
  EXPECT_EQ(middle.read(60.0).cell, 3U);
  EXPECT_EQ(middle.read(60.1).cell, 4U);
  std::string text;
  middle.write(3, 0, text);
  EXPECT_EQ(std::stod(text), 60.0);
  const NumberCells end = NumberCells::with_edges({0, 1, 2}, 2.0);
  ASSERT_EQ(end.size(), 3U);
  EXPECT_EQ(end.read(2.0).cell, 2U);
  EXPECT_EQ(end.read(1.999).cell, 1U);
  const NumberCells edge = NumberCells::with_edges({0, 1, 2}, 1.0);
  ASSERT_EQ(edge.size(), 3U);
  EXPECT_EQ(edge.read(1.0).cell, 1U);
  EXPECT_THROW(NumberCells::with_spike(0, 1, 2, 1.0 / 3), InvalidInput) << "no decimal";
}

// A released value of a spike's neighbours is never the spike.
TEST(CutCells, WriteNoNeighbourAsTheSpike) {
  const NumberCells cells = NumberCells::with_spike(-1, 1, 2, 0);
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
