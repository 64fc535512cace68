#include "formats/arrow_column.h"

#include <rapidcheck.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <boost/multiprecision/cpp_int.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "formats/arrow.h"
#include "formats/built_array.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Decimal text.

namespace {

using boost::multiprecision::cpp_int;

/// As the format lays it out: two's complement, the lowest byte first.
std::array<std::uint8_t, 32> laid_out(cpp_int value) {
  std::array<std::uint8_t, 32> bytes{};
  if (value < 0) value += cpp_int(1) << 256U;
  for (std::uint8_t& byte : bytes) {
    byte = static_cast<std::uint8_t>(value & 255U);
    value >>= 8U;
  }
  return bytes;
}

std::string text_of(const cpp_int& value, int bytes, int scale) {
  std::string text;
  append_decimal(laid_out(value).data(),
                 {static_cast<std::uint8_t>(bytes), static_cast<std::int8_t>(scale)}, text);
  return text;
}

std::string decimal128(const std::string& integer, int scale) {
  return text_of(cpp_int(integer), 16, scale);
}

TEST(DecimalText, WritesEveryDigit) {
  EXPECT_EQ(decimal128("0", 0), "0");
  EXPECT_EQ(decimal128("0", 2), "0.00");
  EXPECT_EQ(decimal128("0", -2), "0");
  EXPECT_EQ(decimal128("-5", 2), "-0.05");
  EXPECT_EQ(decimal128("5", 1), "0.5");
  EXPECT_EQ(decimal128("-1234", 2), "-12.34");
  EXPECT_EQ(decimal128("1200", 2), "12.00");
  EXPECT_EQ(decimal128("-12", -3), "-12000");
  EXPECT_EQ(decimal128("1000000000", 0), "1000000000") << "zeros inside";
  EXPECT_EQ(decimal128("99999999999999999999999999999999999999", 38),
            "0.99999999999999999999999999999999999999");
  EXPECT_EQ(decimal128("-99999999999999999999999999999999999999", 0),
            "-99999999999999999999999999999999999999");
  EXPECT_EQ(text_of(-(cpp_int(1) << 31U), 4, 0), "-2147483648");
  EXPECT_EQ(text_of((cpp_int(1) << 63U) - 1, 8, 18), "9.223372036854775807");
  EXPECT_EQ(text_of(-(cpp_int(1) << 127U), 16, 0), "-170141183460469231731687303715884105728");
  EXPECT_EQ(text_of(-(cpp_int(1) << 255U), 32, -76).size(), 154U) << "no form is longer";
}

// cpp_int's own digits are the second opinion, and its own arithmetic what the text is worth.
RC_GTEST_PROP(DecimalText, IsWorthTheInteger, ()) {
  const int bytes = 4 << *rc::gen::inRange(0, 4);
  const int bits = *rc::gen::inRange(0, 8 * bytes);
  cpp_int value = 0;
  for (const std::uint32_t limb :
       *rc::gen::container<std::vector<std::uint32_t>>(8, rc::gen::arbitrary<std::uint32_t>())) {
    value = value << 32U | limb;
  }
  value &= (cpp_int(1) << static_cast<unsigned>(bits)) - 1;
  if (*rc::gen::arbitrary<bool>()) value = -value;
  const int scale = *rc::gen::inRange(-76, 77);
  std::string text = "before";
  append_decimal(laid_out(value).data(),
                 {static_cast<std::uint8_t>(bytes), static_cast<std::int8_t>(scale)}, text);
  RC_ASSERT(text.substr(0, 6) == "before");
  text.erase(0, 6);
  const std::size_t point = text.find('.');
  RC_ASSERT(text.size() - (scale > 0 ? point + 1 : text.size()) ==
            static_cast<std::size_t>(scale > 0 ? scale : 0));
  if (scale > 0) text.erase(point, 1);
  const std::size_t digits = text.find_first_not_of('-');
  RC_ASSERT(digits == (value < 0 ? 1U : 0U));
  const std::size_t first = text.find_first_not_of('0', digits);
  const std::string without_zeros = first == std::string::npos ? "0" : text.substr(first);
  cpp_int expected = abs(value);
  for (int i = scale; i < 0; ++i) expected *= 10;
  RC_ASSERT(without_zeros == expected.str());
  // One zero before the point, if any.
  RC_ASSERT(first - digits <= static_cast<std::size_t>(scale > 0 ? scale : 0) || value == 0);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// List rows.

namespace {

using test::Alive;
using test::BuiltColumn;
using test::BuiltStream;
using ::testing::ElementsAre;
using Records = std::vector<std::string>;

BuiltColumn named_column(const std::string& name, const std::string& format, std::int64_t length) {
  BuiltColumn column;
  column.format = format;
  column.name = name;
  column.length = length;
  return column;
}

BuiltColumn integers(const std::string& name, const std::vector<std::int64_t>& values) {
  BuiltColumn column = named_column(name, "l", static_cast<std::int64_t>(values.size()));
  column.add_nothing().add(values);
  return column;
}

template <class Offset>
BuiltColumn lists(const std::string& name, const std::vector<Offset>& offsets, BuiltColumn items) {
  BuiltColumn column = named_column(name, sizeof(Offset) == 4 ? "+l" : "+L",
                                    static_cast<std::int64_t>(offsets.size()) - 1);
  column.add_nothing().add(offsets);
  column.children.push_back(std::move(items));
  return column;
}

ArrowArrayStream table_stream(std::vector<BuiltColumn> columns, std::int64_t rows, Alive* alive) {
  auto built = std::make_shared<BuiltColumn>(named_column("", "+s", rows));
  built->children = std::move(columns);
  built->add_nothing();
  return BuiltStream::exported(std::make_shared<BuiltStream>(
      std::vector<std::shared_ptr<BuiltColumn>>{std::move(built)}, alive));
}

std::string shown(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return std::to_string(*integer);
  if (const auto* text = std::get_if<std::string_view>(&value)) return std::string(*text);
  return "-";
}

/// Records, their values joined by a blank.
Records records_of(std::vector<BuiltColumn> columns, std::int64_t rows) {
  Alive alive;
  Records records;
  {
    ArrowArrayStream stream = table_stream(std::move(columns), rows, &alive);
    const ArrowSource source(&stream);
    std::vector<std::size_t> all(source.columns().size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    source.visit(all, [&](const Block& block) {
      for (std::size_t row = 0; row < block.rows; ++row) {
        std::string record;
        for (const Values& column : block.columns) {
          record += (record.empty() ? "" : " ") + shown(column[row]);
        }
        records.push_back(record);
      }
    });
  }
  EXPECT_EQ(alive.count, 0);
  return records;
}

TEST(ListRows, StandsTheItemsOfARowSideBySideAndRepeatsTheRest) {
  std::vector<BuiltColumn> columns;
  columns.push_back(integers("unit", {7, 8, 9}));
  columns.push_back(lists<std::int32_t>("a", {0, 2, 2, 3}, integers("", {1, 2, 3})));
  columns.push_back(lists<std::int64_t>("b", {0, 1, 1, 3}, integers("", {4, 5, 6})));
  // The second row has nothing but its unit, and is one record of nulls.
  EXPECT_THAT(records_of(std::move(columns), 3),
              ElementsAre("7 1 4", "7 2 -", "8 - -", "9 3 5", "9 - 6"));
}

TEST(ListRows, ReadsListsOfOneSizeSlicesNullsAndDictionaries) {
  BuiltColumn words = named_column("", "u", 2);
  words.add_nothing().add(std::vector<std::int32_t>{0, 1, 3}).add(std::string("xyz"));
  BuiltColumn places = named_column("", "c", 6);
  places.add_bits("111101").add(std::vector<std::int8_t>{0, 1, 1, 0, 0, 9});
  places.dictionary.push_back(std::move(words));
  BuiltColumn fixed = named_column("a", "+w:2", 2);
  fixed.offset = 1;
  fixed.add_bits("111");
  fixed.children.push_back(std::move(places));
  BuiltColumn sliced = lists<std::int32_t>("b", {0, 1, 2, 4}, integers("", {1, 2, 3, 4}));
  sliced.offset = 1;
  sliced.length = 2;
  sliced.buffers[0] = nullptr;
  sliced.memory.push_back(std::make_unique<char[]>(1));
  sliced.memory.back()[0] = 0b011;  // the last one is null
  sliced.buffers[0] = sliced.memory.back().get();
  std::vector<BuiltColumn> columns;
  columns.push_back(std::move(fixed));
  columns.push_back(std::move(sliced));
  EXPECT_THAT(records_of(std::move(columns), 2), ElementsAre("yz 2", "x -", "- -", "- -"));
}

TEST(ListRows, TakesListsWithoutBoundsForEmptyOnes) {
  std::vector<BuiltColumn> columns;
  columns.push_back(lists<std::int32_t>("a", {-1, 2, 1, 3, 1000, 3}, integers("", {1, 2, 3})));
  columns.push_back(integers("b", {5, 6, 7, 8, 9}));
  EXPECT_THAT(records_of(std::move(columns), 5),
              ElementsAre("- 5", "- 6", "2 7", "3 7", "- 8", "- 9"));
}

TEST(ListRows, FillsBlocksAndSkipsWhatLiesBehindNulls) {
  // Row i has i % 5 items; between two rows' items lie 900 that belong to nobody.
  constexpr std::int64_t kRows = 5000;
  std::vector<std::int64_t> offsets;
  std::vector<std::int64_t> items;
  std::string valid;
  Records expected;
  std::vector<std::int64_t> units;
  for (std::int64_t row = 0; row < kRows; ++row) {
    units.push_back(row);
    offsets.push_back(static_cast<std::int64_t>(items.size()));
    const bool is_null = row % 7 == 3;
    valid += is_null ? '0' : '1';
    const std::int64_t count = is_null ? 900 : row % 5;
    for (std::int64_t i = 0; i < count; ++i) {
      items.push_back(row * 10 + i);
      if (!is_null) expected.push_back(std::to_string(row) + " " + std::to_string(row * 10 + i));
    }
    if (is_null || count == 0) expected.push_back(std::to_string(row) + " -");
  }
  offsets.push_back(static_cast<std::int64_t>(items.size()));
  BuiltColumn column = named_column("a", "+L", kRows);
  column.add_bits(valid).add(offsets);
  column.children.push_back(integers("", items));
  std::vector<BuiltColumn> columns;
  columns.push_back(integers("unit", units));
  columns.push_back(std::move(column));
  EXPECT_EQ(records_of(std::move(columns), kRows), expected);
}

TEST(ListRows, RefusesMalformedShapes) {
  const auto refused = [](const auto& spoil) {
    BuiltColumn column = lists<std::int32_t>("a", {0, 1, 2}, integers("", {1, 2}));
    spoil(column);
    std::vector<BuiltColumn> columns;
    columns.push_back(std::move(column));
    EXPECT_THROW((void)records_of(std::move(columns), 2), InvalidInput);
  };
  refused([](BuiltColumn& column) { column.length = 1; });
  refused([](BuiltColumn& column) { column.offset = -1; });
  refused([](BuiltColumn& column) { column.children.push_back(integers("", {1})); });
  refused([](BuiltColumn& column) { column.buffers.pop_back(); });
  refused([](BuiltColumn& column) { column.buffers[1] = nullptr; });
  refused([](BuiltColumn& column) { column.dictionary.push_back(integers("", {1})); });
  refused([](BuiltColumn& column) { column.children[0].length = -1; });
  refused([](BuiltColumn& column) {  // three lists of one size need six items
    column.format = "+w:3";
    column.buffers.pop_back();
  });
  refused([](BuiltColumn& column) { column.format = "+w:9999999999999999999"; });
  refused([](BuiltColumn& column) { column.format = "+w:"; });
}

TEST(ListRows, AreOfUnits) {
  Alive alive;
  std::vector<BuiltColumn> columns;
  columns.push_back(integers("unit", {1}));
  columns.push_back(lists<std::int32_t>("a", {0, 2}, integers("", {1, 2})));
  ArrowArrayStream stream = table_stream(std::move(columns), 1, &alive);
  const ArrowSource source(&stream);
  const std::vector<std::string> declared = {"a"};
  const std::vector<std::string> others = {"unit"};
  const UnitColumns none;
  EXPECT_NO_THROW(require_lists_of_units(source, declared, "unit"));
  EXPECT_THROW(require_lists_of_units(source, others, "a"), InvalidInput);
  EXPECT_THROW(
      require_lists_of_units(source, declared, UnitColumns(std::vector<std::string>{"unit", "a"})),
      InvalidInput);
  EXPECT_THROW(require_lists_of_units(source, declared, none), InvalidInput);
  EXPECT_NO_THROW(require_lists_of_units(source, others, none)) << "nobody reads it";
  EXPECT_EQ(source.fault_of(0), "");
  EXPECT_EQ(source.fault_of(1), "it holds lists, so that a row has several values");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Temporal text.

namespace {

std::string date_of(std::int64_t days) {
  TextBuffer buffer;
  return std::string(text_of(Moment{days}, buffer));
}

std::string time_of(std::int64_t count, std::int64_t per_second) {
  TextBuffer buffer;
  const MomentForm form{.kind = MomentForm::Kind::kInstant, .per_second = per_second};
  return std::string(text_of(Moment{count, form}, buffer));
}

// The standard library's calendar is the second opinion, for all the years that it has.
TEST(TemporalText, WritesDatesOfTheCalendar) {
  using std::chrono::days;
  using std::chrono::sys_days;
  using std::chrono::year_month_day;
  const auto check = [](std::int64_t day) {
    const year_month_day date{sys_days{days{day}}};
    const int year = static_cast<int>(date.year());
    std::string digits = std::to_string(year < 0 ? -year : year);
    if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
    const auto two = [](unsigned value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    ASSERT_EQ(date_of(day), (year < 0 ? "-" : "") + digits + "-" +
                                two(static_cast<unsigned>(date.month())) + "-" +
                                two(static_cast<unsigned>(date.day())));
  };
  for (std::int64_t day = -200'000; day <= 200'000; ++day) check(day);
  for (std::int64_t day = -11'900'000; day <= 11'200'000; day += 997) check(day);
}

TEST(TemporalText, WritesTimesAlikeInAnyUnit) {
  EXPECT_EQ(time_of(0, 1), "1970-01-01T00:00:00");
  EXPECT_EQ(time_of(1'709'209'845, 1), "2024-02-29T12:30:45");
  EXPECT_EQ(time_of(1'709'209'845'000'000'000, 1'000'000'000), "2024-02-29T12:30:45");
  EXPECT_EQ(time_of(1'709'209'845'500, 1'000), "2024-02-29T12:30:45.500000");
  EXPECT_EQ(time_of(1'709'209'845'500'000, 1'000'000), "2024-02-29T12:30:45.500000");
  EXPECT_EQ(time_of(1'709'209'845'000'000'001, 1'000'000'000), "2024-02-29T12:30:45.000000001");
  EXPECT_EQ(time_of(-1, 1'000), "1969-12-31T23:59:59.999000");
  EXPECT_EQ(time_of(-86'400, 1), "1969-12-31T00:00:00");
}

TEST(TemporalText, KnowsNoLimits) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kGreatest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(date_of(std::numeric_limits<std::int32_t>::max()), "5881580-07-11");
  EXPECT_EQ(date_of(std::numeric_limits<std::int32_t>::min()), "-5877641-06-23");
  EXPECT_EQ(time_of(kGreatest, 1), "292277026596-12-04T15:30:07");
  EXPECT_EQ(time_of(kLeast, 1), "-292277022657-01-27T08:29:52");
  EXPECT_EQ(time_of(kLeast, 1'000'000'000), "1677-09-21T00:12:43.145224192");
}

}  // namespace

}  // namespace mollify
