#include "io/csv_rows.h"

#include <rapidcheck.h>

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/csv_reader.h"
#include "io/csv_source.h"
#include "io/one_line_reader.h"
#include "io/scratch.h"

namespace mollify {
namespace {

using testing::ElementsAre;

std::vector<std::vector<std::string>> rows_of(std::string_view lines, std::size_t columns) {
  CsvRows rows;
  rows.split(lines, columns);
  std::vector<std::vector<std::string>> all(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < columns; ++i) all[row].emplace_back(rows.field(row, i));
  }
  return all;
}

TEST(CsvRows, SplitLinesAndFields) {
  EXPECT_THAT(rows_of("1,2\r\n\n3\n,\"a,\"\"b\",5\nlast\r", 2),
              ElementsAre(ElementsAre("1", "2"), ElementsAre("", ""), ElementsAre("3", ""),
                          ElementsAre("", "a,\"b"), ElementsAre("last\r", "")));
  EXPECT_THAT(rows_of("", 1), ElementsAre(ElementsAre("")));
  EXPECT_THAT(rows_of("\r\n", 1), ElementsAre(ElementsAre("")));
}

TEST(CsvRows, CountTheFieldsOfALine) {
  CsvRows rows;
  rows.split("a,b,c\n\"a,b\",c\n\n\"", 1);
  ASSERT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows.field_count(0), 3U);
  EXPECT_EQ(rows.field_count(1), 2U);
  EXPECT_EQ(rows.field_count(2), 1U);
  EXPECT_EQ(rows.field_count(3), 1U);
}

TEST(CsvRows, TakeNoMoreMemoryThanTheirLinesForAWideHeader) {
  // A thousand million fields, were there one for each column.
  std::string lines;
  for (int i = 0; i < 1000; ++i) lines += "\"x\",1\n";
  CsvRows rows;
  rows.split(lines, 1'000'000);
  EXPECT_EQ(rows.field(999, 0), "x");
  EXPECT_EQ(rows.field(999, 1), "1");
  EXPECT_EQ(rows.field(999, 999'999), "");
}

/// A file's bytes: mostly separators, quotes and line ends.
rc::Gen<std::string> file_bytes() {
  const auto letter = rc::gen::weightedOneOf<char>(
      {{4, rc::gen::elementOf(std::string(",,,\n\n\"\r"))},
       {3, rc::gen::elementOf(std::string("ab1. \t;\xef\xbb\xbf\0", 11))},
       {1, rc::gen::arbitrary<char>()}});
  return rc::gen::scale(6.0, rc::gen::container<std::string>(letter));
}

RC_GTEST_PROP(CsvRows, AreTheRowsOfAReaderThatTakesOneLetterAfterTheOther, ()) {
  const std::string bytes = "a,b,c\n" + *file_bytes();
  const std::vector<std::vector<std::string>> expected = test::rows_letter_by_letter(bytes, 3);
  CsvReader csv("memory", bytes);
  std::vector<std::vector<std::string>> one_by_one;
  while (csv.next_line()) one_by_one.emplace_back(csv.fields().begin(), csv.fields().end());
  RC_ASSERT(one_by_one == expected);
  const std::vector<std::size_t> wanted = {2, 0, 1, 2};
  for (const std::size_t threads : {1U, 3U}) {
    const CsvSource source("memory", bytes, threads);
    std::vector<std::vector<std::string>> rows;
    source.visit(wanted, [&](const Block& block) {
      for (std::size_t row = 0; row < block.rows; ++row) {
        const auto field = [&](std::size_t i) {
          return std::string(std::get<std::string_view>(block.columns[i][row]));
        };
        RC_ASSERT(field(0) == field(3));
        rows.push_back({field(1), field(2), field(0)});
      }
    });
    RC_ASSERT(rows == expected);
    RC_ASSERT(source.record_count() == expected.size());
  }
}

}  // namespace
}  // namespace mollify
