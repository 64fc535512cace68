#include "space/real_columns.h"

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

Domain age_and_income() {
  return Domain::make({Column::make("age", NumberCells::make(0, 100), {.null_value = "40"}),
                       Column::make("income", NumberCells::make(1, 1e6), {.outside_value = "2"})});
}

std::array<double, 2> point_of(const RealColumns& columns, std::string_view age,
                               std::string_view income) {
  std::array<double, 2> point{};
  columns.read(std::array{age, income}, point);
  return point;
}

std::string refusal_of(const Domain& domain, const std::vector<std::string>& logarithms = {}) {
  return test::refusal_of([&] { const RealColumns columns(domain, logarithms); });
}

TEST(RealColumns, ReadFieldsAsTheDomainDeclares) {
  const RealColumns columns(age_and_income());
  using Point = std::array<double, 2>;
  EXPECT_EQ(point_of(columns, "33.25", " +1e3 "), (Point{33.25, 1000}));
  EXPECT_EQ(point_of(columns, "-1", "0.5"), (Point{0, 2}));         // clip, and a value
  EXPECT_EQ(point_of(columns, "1e999", "1e999"), (Point{100, 2}));  // infinities are outside
  EXPECT_EQ(point_of(columns, "-inf", "-inf"), (Point{0, 2}));
  EXPECT_EQ(point_of(columns, "nan", "NA"), (Point{40, 2}));  // nulls
  EXPECT_EQ(point_of(columns, "", ""), (Point{40, 2}));
  EXPECT_EQ(point_of(columns, "young", "\xff\xfe"), (Point{0, 2}));  // unreadable
}

TEST(RealColumns, AgreeWithTheCellsOfTheDomain) {
  const Domain domain = age_and_income();
  const RealColumns columns(domain);
  for (const char* text : {"0", "5", "99.99", "100", "101", "-3", "x", "", "null", "1e-300"}) {
    const auto point = point_of(columns, text, text);
    for (std::size_t i = 0; i < 2; ++i) {
      const Column& column = domain.columns()[i];
      EXPECT_EQ(column.encode(text), column.encode(std::to_string(point[i]))) << text;
    }
  }
}

TEST(RealColumns, ReadPercentsAndTruthsAsTheCellsDo) {
  const Domain domain =
      Domain::make({Column::make("a", NumberCells::make(0, 1), {.null_value = "25%"}),
                    Column::make("b", NumberCells::make(0, 2000), {.outside_value = "1,250"})});
  const RealColumns columns(domain);
  using Point = std::array<double, 2>;
  EXPECT_EQ(point_of(columns, "", ""), (Point{0.25, 1250}));
  EXPECT_EQ(point_of(columns, "50%", "50%"), (Point{0.5, 50}));
  EXPECT_EQ(point_of(columns, "yes", "yes"), (Point{1, 1250}));
  EXPECT_EQ(columns.read(0, true), 1);
  EXPECT_EQ(columns.read(0, false), 0);
  EXPECT_EQ(columns.read(1, true), 1250);
}

TEST(RealColumns, TakeLogarithmsAndGiveThemBack) {
  const std::vector<std::string> logarithms{"income"};
  const RealColumns columns(age_and_income(), logarithms);
  EXPECT_FALSE(columns.is_logarithm(0));
  EXPECT_TRUE(columns.is_logarithm(1));
  EXPECT_EQ(columns.low(1), 0);
  EXPECT_EQ(columns.high(1), std::log(1e6));
  const auto point = point_of(columns, "1", "2500");
  EXPECT_EQ(point[1], std::log(2500));
  EXPECT_EQ(point_of(columns, "1", "-4")[1], std::log(2));
  std::vector<std::string> fields;
  columns.write(point, fields);
  EXPECT_EQ(fields[0], "1");
  EXPECT_NEAR(std::stod(fields[1]), 2500, 1e-9);
}

TEST(RealColumns, WriteAnyPointAsNumbers) {
  const std::vector<std::string> logarithms{"income"};
  const RealColumns columns(age_and_income(), logarithms);
  std::vector<std::string> fields;
  columns.write(std::array{-7.125, 1e5}, fields);
  EXPECT_EQ(fields[0], "-7.125");
  EXPECT_EQ(std::stod(fields[1]), std::numeric_limits<double>::max());
}

TEST(RealColumns, RefuseWhatIsNoCoordinate) {
  EXPECT_EQ(refusal_of(Domain::make({Column::make("sex", Categories::make({"f", "m"}))})),
            "column \"sex\" must be of type number to be a coordinate, but is categorical");
  EXPECT_EQ(refusal_of(Domain::make(
                {Column::make("x", NumberCells::make(0, 1), {.null_is_category = true})})),
            "column \"x\" must map nulls to a number to be a coordinate, but declares a category "
            "for them");
  EXPECT_EQ(
      refusal_of(age_and_income(), {"age"}),
      "column \"age\" must have a min above 0 to have logarithms, but it is 0: a zero has none. "
      "Set min to the least value that counts, and write outside: VALUE for what a zero becomes");
  for (const bool clips : {false, true}) {
    const Domain domain =
        Domain::make({Column::make("x", NumberCells::make(1, 9), {.clips = clips})});
    EXPECT_EQ(refusal_of(domain, {"x"}),
              "column \"x\" must declare what a zero becomes to have logarithms: as min, 1, zeros "
              "widen the spread of all others. Write outside: VALUE, a usual value of the column, "
              "into the domain");
  }
  EXPECT_EQ(refusal_of(age_and_income(), {"height"}),
            "logarithms must be of the domain's columns, but \"height\" is none of them");
  EXPECT_EQ(refusal_of(age_and_income(), {"income", "income"}),
            "column \"income\" must be named once for logarithms, but is named 2 times");
}

}  // namespace
}  // namespace mollify
