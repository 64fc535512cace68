#include "io/csv_source.h"

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/pipe.h"
#include "io/scratch.h"
#include "records/private_table.h"

namespace mollify {
namespace {

using ::testing::ElementsAre;

/// The fields of the wanted columns, row after row, and how many blocks they came in.
struct Visited {
  std::vector<std::string> fields;
  std::vector<std::size_t> blocks;
};

Visited visited(const Source& source, const std::vector<std::size_t>& wanted) {
  Visited all;
  source.visit(wanted, [&](const Block& block) {
    EXPECT_EQ(block.columns.size(), wanted.size());
    for (std::size_t row = 0; row < block.rows; ++row) {
      for (const Values& column : block.columns) {
        EXPECT_EQ(column.size(), block.rows);
        all.fields.emplace_back(std::get<std::string_view>(column[row]));
      }
    }
    all.blocks.push_back(block.rows);
  });
  return all;
}

TEST(CsvSource, GivesTheWantedColumnsOfEveryLine) {
  const test::Scratch scratch;
  const CsvSource csv(scratch.write("d.csv", "a,b,c\n1,2,3\n\n4\n\"x,\"\"y\",,\"open,\n"));
  EXPECT_THAT(csv.columns(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(csv.name(), scratch.path("d.csv"));
  const std::vector<std::string> fields = {"3", "1", "", "", "", "4", "open,", "x,\"y"};
  EXPECT_EQ(visited(csv, {2, 0}).fields, fields);
  EXPECT_EQ(visited(csv, {2, 0}).fields, fields) << "a second time";
  EXPECT_THAT(visited(csv, {}).blocks, ElementsAre(4U));
  EXPECT_EQ(csv.record_count(), 4U);
}

TEST(CsvSource, TakesLinesOfAnyLengthAndNumber) {
  const test::Scratch scratch;
  std::string text = "a,b\n";
  std::vector<std::string> fields;
  const auto add = [&](std::size_t length) {
    fields.push_back(std::string(length, 'x') + std::to_string(fields.size()));
    text += fields.back() + ",-\n";
  };
  for (std::size_t row = 0; row < 5000; ++row) add(row % 7);
  for (const std::size_t length : {1U << 17U, 3U, (1U << 20U) - 9, 1U << 16U, 1U << 16U, 5U}) {
    add(length);
  }
  const CsvSource csv(scratch.write("d.csv", text));
  EXPECT_EQ(visited(csv, {0}).fields, fields);
  EXPECT_EQ(csv.record_count(), fields.size());
}

TEST(CsvSource, ReadsAPipeOnce) {
  const test::Pipe pipe("a\n1\n2\n");
  const CsvSource csv(pipe.path());
  const auto refusal = [&](const auto& ask) -> std::string {
    try {
      ask();
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  const std::string twice =
      pipe.path() + " is read more than once, so it must be a regular file, but is not";
  EXPECT_EQ(refusal([&] { (void)csv.record_count(); }), twice);
  EXPECT_EQ(refusal([&] { csv.require_repeatable(); }), twice);
  EXPECT_THAT(visited(csv, {0}).fields, ElementsAre("1", "2"));
  EXPECT_EQ(refusal([&] { (void)visited(csv, {0}); }), twice);
}

TEST(CsvSource, RefusesAFileThatChanges) {
  const test::Scratch scratch;
  const CsvSource csv(scratch.write("d.csv", "a,b\n1,2\n"));
  EXPECT_THAT(visited(csv, {0}).fields, ElementsAre("1"));
  (void)scratch.write("d.csv", "b,a\n1,2\n");
  EXPECT_EQ(test::refusal(scratch, [&] { (void)visited(csv, {0}); }),
            "d.csv must not change while it is read, but has another header");
}

TEST(CsvSource, NamesAColumnThatIsMissingOrRepeatedButNoOther) {
  const test::Scratch scratch;
  const CsvSource csv(scratch.write("data.csv", "secret,b,b\n"));
  const auto refusal = [&](const char* name) {
    return test::refusal(scratch, [&] { (void)csv.position(name, "for a test"); });
  };
  EXPECT_EQ(csv.position("secret", "for a test"), 0U);
  EXPECT_EQ(refusal("c"), "data.csv has no column \"c\", for a test");
  EXPECT_EQ(refusal("b"), "data.csv has more than one column \"b\", for a test");
}

TEST(CsvSource, KnowsItsFile) {
  const test::Scratch scratch;
  const std::string path = scratch.write("d.csv", "abc");
  const auto provenance = CsvSource(path).provenance();
  ASSERT_TRUE(provenance);
  EXPECT_EQ(provenance->name, path);
  EXPECT_EQ(provenance->sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace mollify
