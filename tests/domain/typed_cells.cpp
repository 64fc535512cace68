#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/zones.h"
#include "random_domain.h"

namespace mollify {

namespace {

constexpr std::int64_t kLeastInteger = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kGreatestInteger = std::numeric_limits<std::int64_t>::max();
constexpr double kEndless = std::numeric_limits<double>::infinity();
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

std::string text_of_number(double number) {
  TextBuffer buffer;
  return std::string(text_of(number, buffer));
}

TEST(TextOf, IsWhatPeopleWrite) {
  TextBuffer buffer;
  EXPECT_EQ(text_of(kLeastInteger, buffer), "-9223372036854775808");
  EXPECT_EQ(text_of(std::int64_t{3}, buffer), "3");
  EXPECT_EQ(text_of_number(3), "3");
  EXPECT_EQ(text_of_number(-0.0), "0");
  EXPECT_EQ(text_of_number(0.1), "0.1");
  EXPECT_EQ(text_of_number(100000), "100000");
  EXPECT_EQ(text_of_number(-2.5e-300), "-2.5e-300");
  EXPECT_EQ(text_of_number(-std::numeric_limits<double>::max()), "-1.7976931348623157e+308");
  EXPECT_EQ(text_of_number(kEndless), "inf");
  EXPECT_EQ(text_of_number(-kEndless), "-inf");
  EXPECT_EQ(text_of_number(-kNoNumber), "nan");
}

/// The text of a CSV file in the value's place.
std::string field_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&value)) return text_of_number(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  if (const auto* moment = std::get_if<Moment>(&value)) {
    TextBuffer buffer;
    return std::string(text_of(*moment, buffer));
  }
  return "";
}

/// Integers and numbers at and next to every edge: of the types, of doubles' integers, of columns.
std::vector<Value> typed_values(const Column& column) {
  std::vector<Value> values = {Value(), true, false};
  std::vector<double> numbers = {kNoNumber,
                                 -kNoNumber,
                                 kEndless,
                                 -0.0,
                                 0.0,
                                 std::numeric_limits<double>::denorm_min(),
                                 std::numeric_limits<double>::max(),
                                 0x1p63,
                                 0x1p64,
                                 0x1p53,
                                 0x1p52 + 0.5,
                                 1e15,
                                 1e16,
                                 0.5,
                                 1.5,
                                 2.5,
                                 1e-7,
                                 123456.789};
  std::vector<std::int64_t> integers = {0,
                                        1,
                                        2,
                                        3,
                                        10,
                                        100,
                                        kLeastInteger,
                                        kGreatestInteger,
                                        (std::int64_t{1} << 53U) + 1,
                                        -(std::int64_t{1} << 53U) - 1};
  for (std::uint32_t outcome = 0; outcome < std::min(column.size(), 40U); ++outcome) {
    const Value value = column.value(outcome, 0);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) integers.push_back(*integer);
    if (const auto* number = std::get_if<double>(&value)) numbers.push_back(*number);
  }
  if (const auto* cells = std::get_if<NumberCells>(&column.cells())) {
    numbers.insert(numbers.end(), {cells->min(), cells->max()});
    for (std::uint32_t edge = 1; edge < std::min(cells->size(), 40U); ++edge) {
      numbers.push_back(cells->min() + (cells->max() - cells->min()) * edge / cells->size());
    }
  }
  for (const std::int64_t integer : integers) {
    for (const std::int64_t step : {-1, 0, 1}) {
      values.emplace_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(integer) +
                                                    static_cast<std::uint64_t>(step)));
      numbers.push_back(static_cast<double>(integer) + static_cast<double>(step) / 2);
    }
  }
  for (const double number : numbers) {
    for (const double beside :
         {number, std::nextafter(number, kEndless), std::nextafter(number, -kEndless)}) {
      values.emplace_back(beside);
      values.emplace_back(-beside);
    }
  }
  return values;
}

std::vector<Column> extreme_columns() {
  std::vector<Column> columns;
  const auto add = [&](Cells cells, Mapping mapping = {}) {
    columns.push_back(Column::make("c", std::move(cells), std::move(mapping)));
  };
  add(IntegerCells::make(kLeastInteger, -1));
  add(IntegerCells::make(0, kGreatestInteger - 1, 1000), {.outside_value = "7"});
  add(IntegerCells::make(kLeastInteger, kLeastInteger), {.null_is_category = true});
  add(IntegerCells::make(kGreatestInteger, kGreatestInteger));
  add(NumberCells::make(-9e37, 9e37), {.null_is_category = true});
  add(NumberCells::make(0, 1e-6), {.null_value = "0"});
  add(NumberCells::make(-0x1p63, 0x1p63, 4), {.outside_value = "-1"});
  add(NumberCells::make(0.1, 0.7, 6));
  add(BooleanWords::make("5", "7"));
  add(BooleanWords::make("0", "1"), {.null_value = "1"});
  add(BooleanWords::make("true", "false"));
  add(BooleanWords::make("nan", "inf"));
  add(Categories::make({"3", "0", "nan", "inf", "true", "9223372036854775807", "2.5"}));
  add(Categories::make({"x", ""}));
  return columns;
}

/// Compares one value in every way in which it can be given with the text that it represents.
void expect_same_cell(const Column& column, const Value& value) {
  const std::string field = field_of(value);
  const Reading typed = column.read(value);
  const Reading read = column.read(field);
  EXPECT_EQ(typed.verdict, read.verdict) << column.canonical_text() << " of " << field;
  EXPECT_EQ(typed.cell, read.cell) << column.canonical_text() << " of " << field;
  const std::uint32_t outcome = column.encode(field);
  EXPECT_EQ(column.encode(value), outcome) << column.canonical_text() << " of " << field;
  const auto expect_alike = [&](const auto& one) {
    using Typed = std::decay_t<decltype(one)>;
    std::vector<std::uint32_t> outcomes(3);
    if constexpr (std::is_same_v<Typed, Moment>) {
      column.encode(Moments{std::vector<std::int64_t>(3, one.count), one.form}, outcomes);
    } else {
      column.encode(std::span<const Typed>(std::vector<Typed>(3, one)), outcomes);
    }
    EXPECT_EQ(outcomes, std::vector<std::uint32_t>(3, outcome)) << field;
  };
  if (const auto* integer = std::get_if<std::int64_t>(&value)) expect_alike(*integer);
  if (const auto* number = std::get_if<double>(&value)) expect_alike(*number);
  if (const auto* moment = std::get_if<Moment>(&value)) expect_alike(*moment);
  if (const auto* truth = std::get_if<bool>(&value)) {
    expect_alike(static_cast<std::uint8_t>(*truth ? 1 : 0));
  }
  expect_alike(std::string_view(field));
}

TEST(TypedCells, AreThoseOfTheTextAtEveryEdge) {
  for (const Column& column : extreme_columns()) {
    for (const Value& value : typed_values(column)) expect_same_cell(column, value);
  }
}

Moment any_moment(std::int64_t count) {
  const auto per_second = *rc::gen::element<std::int64_t>(1, 1'000, 1'000'000, 1'000'000'000);
  const auto offset = *rc::gen::element<std::optional<std::int32_t>>(std::nullopt, 0, -12'600);
  if (*rc::gen::arbitrary<bool>()) return {count % 4'000'000};
  MomentForm form{MomentForm::Kind::kInstant, per_second, offset};
  if (!offset && *rc::gen::arbitrary<bool>()) form.zone = &Zone::require("America/New_York");
  return {count, form};
}

RC_GTEST_PROP(TypedCells, AreThoseOfTheTextOfAnyColumn, ()) {
  const Column column = *test::column("c");
  for (const Value& value : typed_values(column)) expect_same_cell(column, value);
  for (int i = 0; i < 20; ++i) {
    const auto bits = *rc::gen::resize(1000, rc::gen::arbitrary<std::uint64_t>());
    expect_same_cell(column, static_cast<std::int64_t>(bits));
    expect_same_cell(column, std::bit_cast<double>(bits));
    expect_same_cell(column, *rc::gen::arbitrary<double>());
    expect_same_cell(column, any_moment(static_cast<std::int64_t>(bits)));
    // In the years of columns of days, too.
    expect_same_cell(column, any_moment(static_cast<std::int64_t>(bits % 4'000'000'000)));
  }
  RC_ASSERT(!testing::Test::HasFailure());
}

// A written value, typed or as text, is the outcome again, and the text of one is the other.
void expect_written_back(const Column& column) {
  for (std::uint32_t outcome = 0; outcome < std::min(column.size(), 60U); ++outcome) {
    const std::uint64_t points = column.points(outcome);
    for (const std::uint64_t point : {std::uint64_t{0}, points / 2, points - 1}) {
      const Value value = column.value(outcome, point);
      EXPECT_EQ(column.encode(value), outcome) << column.canonical_text();
      std::string text;
      column.write(outcome, point, text);
      if (const auto* number = std::get_if<double>(&value)) {
        EXPECT_EQ(read_number(text), *number) << column.canonical_text();
      } else if (!std::holds_alternative<bool>(value)) {
        EXPECT_EQ(text, field_of(value)) << column.canonical_text();
      }
    }
  }
}

TEST(TypedCells, AreGivenBackTyped) {
  for (const Column& column : extreme_columns()) expect_written_back(column);
  EXPECT_EQ(test::without_nulls("b", BooleanWords::make("False", "True")).value(1, 0), Value(true));
  EXPECT_EQ(test::without_nulls("b", BooleanWords::make("no", "yes")).value(1, 0), Value("yes"));
  EXPECT_EQ(test::without_nulls("i", IntegerCells::make(-5, 5, 2)).value(1, 2),
            Value(std::int64_t{2}));
}

RC_GTEST_PROP(TypedCells, AreGivenBackTypedByAnyColumn, ()) {
  expect_written_back(*test::column("c"));
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(RealColumns, TakeTypedValuesForTheirTexts) {
  const std::vector<std::string> logarithms{"income"};
  const Domain domain = Domain::make(
      {Column::make("age", NumberCells::make(0, 100), {.null_value = "40"}),
       Column::make("income", NumberCells::make(1, 1e6), {.null_value = "2", .outside_value = "2"}),
       test::without_nulls("x", NumberCells::make(-0x1p63, 0x1p63))});
  const RealColumns columns(domain, logarithms);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (const Value& value : typed_values(domain.columns()[i])) {
      const double typed = columns.read(i, value);
      const double read = columns.read(i, Value(std::string_view(field_of(value))));
      EXPECT_EQ(std::bit_cast<std::uint64_t>(typed), std::bit_cast<std::uint64_t>(read))
          << columns.name(i) << " of " << field_of(value);
    }
  }
}

}  // namespace

}  // namespace mollify
