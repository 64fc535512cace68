#include "arrow/list_rows.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/arrow_source.h"
#include "arrow/built_array.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
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
  // Row i has i % 5 items; between those of two rows lie 900 that belong to nobody.
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
  EXPECT_NO_THROW(require_lists_of_units(source, "unit"));
  EXPECT_THROW(require_lists_of_units(source, "a"), InvalidInput);
  EXPECT_THROW(require_lists_of_units(source, std::nullopt), InvalidInput);
}

}  // namespace
}  // namespace mollify
