#include "formats/csv.h"

#include <rapidcheck.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "domain/domain.h"
#include "formats/one_line_reader.h"
#include "formats/pipe.h"
#include "formats/scratch.h"
#include "random_domain.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/source.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Line reader.

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> lines_of(const test::Scratch& scratch, std::string_view content) {
  LineReader reader(scratch.write("file", content));
  std::vector<std::string> lines;
  while (reader.next()) {
    lines.emplace_back(reader.line());
    EXPECT_EQ(reader.number(), lines.size());
  }
  EXPECT_FALSE(reader.next());
  return lines;
}

TEST(LineReader, SplitsAtLineFeedsOnly) {
  const test::Scratch scratch;
  EXPECT_THAT(lines_of(scratch, ""), IsEmpty());
  EXPECT_THAT(lines_of(scratch, "\n"), ElementsAre(""));
  EXPECT_THAT(lines_of(scratch, "a"), ElementsAre("a"));
  EXPECT_THAT(lines_of(scratch, "a\nb\n"), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(scratch, "a\r\n\r\nb\rc\r\r\nd\r"), ElementsAre("a", "", "b\rc\r", "d\r"));
  EXPECT_THAT(lines_of(scratch, std::string("a\0b\nc", 5)),
              ElementsAre(std::string("a\0b", 3), "c"));
}

TEST(LineReader, SkipsOneByteOrderMark) {
  const test::Scratch scratch;
  EXPECT_THAT(lines_of(scratch, "\xef\xbb\xbf"), IsEmpty());
  EXPECT_THAT(lines_of(scratch,
                       "\xef\xbb\xbf"
                       "a\n\xef\xbb\xbf"
                       "b"),
              ElementsAre("a",
                          "\xef\xbb\xbf"
                          "b"));
  EXPECT_THAT(lines_of(scratch, "\xef\xbb"), ElementsAre("\xef\xbb"));
}

TEST(LineReader, CutsLinesAtOneMebibyte) {
  const test::Scratch scratch;
  constexpr std::size_t kMax = LineReader::kMaxLineBytes;
  for (const std::string end : {"\n", "\r\n"}) {
    for (const std::size_t length : {kMax - 1, kMax, kMax + 1, kMax + 2, 3 * kMax, 5 * kMax + 7}) {
      LineReader reader(scratch.write("file", std::string(length, 'x') + end + "next" + end));
      ASSERT_TRUE(reader.next());
      EXPECT_EQ(reader.line().size(), std::min(length, kMax));
      EXPECT_EQ(reader.overlong(), length > kMax);
      ASSERT_TRUE(reader.next()) << length;
      EXPECT_EQ(reader.line(), "next");
      EXPECT_FALSE(reader.overlong());
      EXPECT_FALSE(reader.next());
    }
  }
  LineReader unended(scratch.write("file", std::string(2 * kMax, 'x')));
  ASSERT_TRUE(unended.next());
  EXPECT_EQ(unended.line().size(), kMax);
  EXPECT_FALSE(unended.next());
}

TEST(LineReader, ReadsAcrossItsBuffers) {
  const test::Scratch scratch;
  std::string content;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 3000; ++i) {
    expected.emplace_back((i * i) % 1111, static_cast<char>('a' + i % 26));
    content += expected.back() + '\n';
  }
  ASSERT_GT(content.size(), 1U << 20U);
  EXPECT_EQ(lines_of(scratch, content), expected);
}

TEST(LineReader, GivesManyLinesAtOnceAsOneByOne) {
  const test::Scratch scratch;
  std::mt19937_64 random(3);
  std::string content = "\xef\xbb\xbf\xef\xbb\xbfstart\n";
  for (int i = 0; i < 4000; ++i) {
    const std::size_t size = random() % 400 == 0 ? random() % 3'000'000 : random() % 60;
    content +=
        std::string(size, random() % 9 == 0 ? '\r' : 'x') + (random() % 2 == 0 ? "\n" : "\r\n");
  }
  content += "end\r";
  const auto path = scratch.write("file", content);
  LineReader one(path);
  LineReader many(path);
  std::size_t lines_seen = 0, most_at_once = 0;
  for (std::string_view lines = many.next_lines(100); !lines.empty();
       lines = many.next_lines(100)) {
    std::size_t at_once = 0;
    for (; !lines.empty(); ++at_once) {
      const std::size_t feed = lines.find('\n');
      std::string_view line = lines.substr(0, feed);
      if (feed != std::string_view::npos && line.ends_with('\r')) line.remove_suffix(1);
      lines.remove_prefix(feed == std::string_view::npos ? lines.size() : feed + 1);
      ASSERT_TRUE(one.next());
      ASSERT_TRUE(one.line() == line) << "line " << one.number();
    }
    EXPECT_EQ(many.number(), one.number());
    EXPECT_EQ(many.terminated(), one.terminated());
    EXPECT_EQ(many.overlong(), one.overlong());
    lines_seen += at_once;
    most_at_once = std::max(most_at_once, at_once);
  }
  EXPECT_FALSE(one.next());
  EXPECT_EQ(lines_seen, 4002U);
  EXPECT_EQ(most_at_once, 100U);
}

TEST(LineReader, RefusesWhatIsNotAFile) {
  const test::Scratch scratch;
  EXPECT_EQ(test::refusal(scratch, [&] { LineReader(scratch.path("none.csv")); }),
            "none.csv cannot be opened: there is no such file in ");
  std::filesystem::create_directory(scratch.path("folder"));
  EXPECT_EQ(test::refusal(scratch, [&] { LineReader(scratch.path("folder")); }),
            "folder must be a file, but is a directory");
  const std::string cut = scratch.write("a", "x\n") + std::string("\0b", 2);
  EXPECT_EQ(test::refusal(scratch, [&] { LineReader{cut}; }),
            "a path must be text without NUL, but is \"a\\0b\"");
}

RC_GTEST_PROP(LineReader, KeepsEveryByteOfShortLines, (const std::vector<std::string>& texts)) {
  const test::Scratch scratch;
  std::string content;
  std::vector<std::string> expected;
  for (std::string text : texts) {
    std::erase(text, '\n');
    while (text.ends_with('\r')) text.pop_back();
    if (expected.empty() && text.starts_with("\xef\xbb\xbf")) text.clear();
    content += text + (text.size() % 2 == 0 ? "\n" : "\r\n");
    expected.push_back(std::move(text));
  }
  RC_ASSERT(lines_of(scratch, content) == expected);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Csv reader.

namespace {

using testing::ElementsAre;
using Record = std::vector<std::string>;

std::vector<Record> records_of(const test::Scratch& scratch, const std::string& content) {
  CsvReader csv(scratch.write("file.csv", content));
  std::vector<Record> records;
  while (csv.next()) records.emplace_back(csv.fields().begin(), csv.fields().end());
  return records;
}

TEST(CsvReader, ReadsHeaderAndFields) {
  const test::Scratch scratch;
  CsvReader csv(scratch.write("file.csv",
                              "\xef\xbb\xbf"
                              "a,\"b, c\",d\r\n1,\"x \"\"y\"\"\", z \r\n"));
  EXPECT_THAT(csv.header(), ElementsAre("a", "b, c", "d"));
  EXPECT_EQ(csv.position("d", ""), 2U);
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(csv.fields(), ElementsAre("1", "x \"y\"", " z "));
  EXPECT_EQ(csv.line_number(), 2U);
  EXPECT_FALSE(csv.next());
}

TEST(CsvReader, PadsAndCutsRaggedLines) {
  const test::Scratch scratch;
  CsvReader csv(scratch.write("file.csv", "a,b\n1\n1,2,3\n\n,\n\"\"\n"));
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(csv.fields(), ElementsAre("1", ""));
  EXPECT_EQ(csv.fields_in_line(), 1U);
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(csv.fields(), ElementsAre("1", "2"));
  EXPECT_EQ(csv.fields_in_line(), 3U);
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.line_number(), 5U) << "an empty line is no record";
  EXPECT_EQ(csv.fields_in_line(), 2U);
  ASSERT_TRUE(csv.next());
  EXPECT_THAT(csv.fields(), ElementsAre("", ""));
  EXPECT_FALSE(csv.next());
}

TEST(CsvReader, AnUnclosedQuoteStaysInItsLine) {
  const test::Scratch scratch;
  EXPECT_THAT(
      records_of(scratch, "a,b\n1,\"open\n2,shut\n\"3,4\n5,\"6\"\n\"\n7,8\n"),
      ElementsAre(ElementsAre("1", "open"), ElementsAre("2", "shut"), ElementsAre("3,4", ""),
                  ElementsAre("5", "6"), ElementsAre("", ""), ElementsAre("7", "8")));
}

TEST(CsvReader, KeepsMisplacedQuotesAsText) {
  const test::Scratch scratch;
  CsvReader csv(scratch.write("file.csv", "a,b\nx\"y,\"p\"q\n\"a\" ,b\n"));
  ASSERT_TRUE(csv.next());
  EXPECT_EQ(csv.fields()[0], "x\"y");
  EXPECT_EQ(csv.fields()[1], "p\"q");
  EXPECT_FALSE(csv.well_quoted());
  ASSERT_TRUE(csv.next());
  EXPECT_FALSE(csv.well_quoted());
  EXPECT_FALSE(csv.well_quoted()) << "a strict parse leaves nothing behind";
}

TEST(CsvReader, RefusesWhatIsNoHeader) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& content) {
    return test::refusal(scratch, [&] { CsvReader(scratch.write("file.csv", content)); });
  };
  EXPECT_EQ(refusal(""), "file.csv must start with a header, but is empty");
  EXPECT_EQ(refusal("\xef\xbb\xbf"), "file.csv must start with a header, but is empty");
  EXPECT_EQ(refusal("\r\na,b\n"), "file.csv must start with a header, but its first line is empty");
  EXPECT_EQ(refusal("a,b\r1,2\r"),
            "file.csv must end its lines with a line feed, but line 1 holds a carriage return "
            "without one");
  EXPECT_EQ(refusal("a,b\"\n"),
            "file.csv line 1 must be a header with closed quotes, but holds a misplaced quote");
  EXPECT_EQ(refusal("a,\"b\n"),
            std::string("file.csv line 1 must be a header with ") + CsvReader::kOpenField);
  EXPECT_EQ(refusal(std::string((1U << 20U) + 1, 'a')),
            "file.csv must start with a header of at most 1048576 bytes, but its first line is "
            "longer");
}

TEST(CsvReader, NamesAColumnThatIsRepeated) {
  const test::Scratch scratch;
  const CsvReader csv(scratch.write("data.csv", "secret,b,b\n"));
  EXPECT_EQ(test::refusal(scratch, [&] { (void)csv.position("b", "which the domain declares"); }),
            "data.csv has more than one column \"b\", which the domain declares");
}

TEST(CsvReader, ListsTheColumnsWhereOneIsMissing) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& header) {
    const CsvReader csv(scratch.write("public.csv", header + "\n"));
    return test::refusal(scratch, [&] { (void)csv.position("weight", "to be read"); });
  };
  EXPECT_EQ(
      refusal("id,wieght"),
      "public.csv has no column \"weight\", to be read; it has \"id\", \"wieght\" (did you mean "
      "\"wieght\"?)");
  EXPECT_EQ(refusal("id;weight"),
            "public.csv has no column \"weight\", to be read; its first line has semicolons and no "
            "comma, but commas separate fields");
  EXPECT_NE(refusal("id\tweight").find("has tabs and no comma"), std::string::npos);
  std::string many = "c0";
  for (int i = 1; i < 30; ++i) many += ",c" + std::to_string(i);
  EXPECT_NE(refusal(many).find("\"c19\", ..."), std::string::npos);
}

TEST(CsvReader, RefusesAHeaderWithNul) {
  const test::Scratch scratch;
  const auto file = scratch.write("d.csv", std::string("a,b\0c\n", 6));
  EXPECT_EQ(test::refusal(scratch, [&] { CsvReader reader(file); }),
            "d.csv line 1 must be a header of text without NUL, but holds a NUL: give the file a "
            "header, or write it as UTF-8");
  // In a file without a header, line 1 is a private record. UTF-16 has a NUL in each ASCII letter.
  const auto secret = scratch.write("s.csv", std::string("anna,HIV,\0\n", 11));
  EXPECT_EQ(test::refusal(scratch, [&] { CsvReader reader(secret); }).find("HIV"),
            std::string::npos);
}

TEST(CsvReader, SaysThatAFileIsPacked) {
  const test::Scratch scratch;
  for (const auto& [beginning, packing] :
       {std::pair{std::string("\x1f\x8b\x08"), "looks compressed by gzip: unpack it first"},
        std::pair{
            std::string("PK\x03\x04"),
            "looks like a zip archive or a spreadsheet: save it as CSV first, or give a frame, "
            "in Python by `import pandas` and `frame = pandas.read_excel(FILE)`"},
        std::pair{std::string("$FL2@(#) SPSS DATA FILE"),
                  "looks like an SPSS file: read it in Python by `labelled = "
                  "mollify.read_labelled(FILE)`, and give `labelled.data`"},
        std::pair{std::string("<stata_dta><header>"),
                  "looks like a Stata file: read it in Python by `labelled = "
                  "mollify.read_labelled(FILE)`, and give `labelled.data`"},
        std::pair{std::string(12, '\0') + "\xc2\xea\x81\x60",
                  "looks like a SAS file: read it in Python by `labelled = "
                  "mollify.read_labelled(FILE)`, and give `labelled.data`"},
        std::pair{std::string("HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!000"),
                  "looks like a SAS file: read it in Python by `labelled = "
                  "mollify.read_labelled(FILE)`, and give `labelled.data`"},
        std::pair{std::string(40, '\x40') + "ASCII SPSS PORT FILE                    ",
                  "looks like a portable SPSS file: save it as .sav in SPSS, which keeps its "
                  "missing codes, and read that in Python by `labelled = "
                  "mollify.read_labelled(FILE)`"},
        std::pair{std::string("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0", 10),
                  "looks like a zip archive or a spreadsheet: save it as CSV first, or give a "
                  "frame, in Python by `import pandas` and `frame = pandas.read_excel(FILE)`"},
        std::pair{std::string("ARROW1\0\0", 8),
                  "looks like a Feather or Arrow file: give a frame, in Python by `import pandas` "
                  "and `frame = pandas.read_feather(FILE)`"},
        std::pair{std::string("RDX3\nX"),
                  "looks like a workspace of R: write one table of it in R by `saveRDS(TABLE, "
                  "FILE)`, and read that in Python by `labelled = mollify.read_labelled(FILE)`"},
        std::pair{std::string("PAR1"), "looks like Parquet: save it as CSV first"},
        std::pair{std::string("\xff\xfes\0e\0x\0", 8),
                  "looks like UTF-16: save it as UTF-8 first"}}) {
    const auto file = scratch.write("d.csv", beginning + "\n1\n");
    EXPECT_EQ(test::refusal(scratch, [&] { CsvReader reader(file); }),
              std::string("d.csv must be text, but ") + packing);
  }
}

// R compresses a table as any file is compressed; not compressed, its first line is one letter.
TEST(CsvReader, KnowsFilesOfRByTheirNames) {
  const test::Scratch scratch;
  const auto refusal = [&](const char* name, const std::string& content) {
    const auto file = scratch.write(name, content);
    return test::refusal(scratch, [&] { CsvReader reader(file); });
  };
  for (const std::string beginning : {"\x1f\x8b\x08", "BZh9",
                                      "\xfd"
                                      "7zXZ"}) {
    for (const char* const name : {"d.rds", "d.RDS"}) {
      EXPECT_NE(refusal(name, beginning).find("must be text, but looks like a table of R: "),
                std::string::npos);
    }
    for (const char* const name : {"d.RData", "d.rda"}) {
      EXPECT_NE(refusal(name, beginning).find("must be text, but looks like a workspace of R: "),
                std::string::npos);
    }
  }
  EXPECT_NE(refusal("d.rds", "X\n").find("looks like a table of R: "), std::string::npos);
  EXPECT_NE(refusal("d.rds", "A\n2\n").find("looks like a table of R: "), std::string::npos);
  const auto letter = scratch.write("d.csv", "X\n1\n");
  EXPECT_EQ(CsvReader(letter).header(), std::vector<std::string>{"X"});
}

// The standard lets a field go on in the next line; here a line is a record.
TEST(CsvReader, SaysThatAPublicFieldHoldsALineBreak) {
  const test::Scratch scratch;
  CsvReader csv(scratch.write("file.csv", "a,b\n1,\"x\ny\"\n2,z\"\n"));
  const auto refusal = [&] {
    EXPECT_TRUE(csv.next());
    return test::refusal(scratch, [&] { csv.require_well_formed(); });
  };
  EXPECT_EQ(refusal(), std::string("file.csv line 2 must have ") + CsvReader::kOpenField);
  EXPECT_EQ(refusal(), "file.csv line 3 must have closed quotes, but holds a misplaced quote");
  EXPECT_EQ(refusal(), "file.csv line 4 must have closed quotes, but holds a misplaced quote");
}

// The fields of one line by libcsv alone, with a field at the end that holds a quote, so that the
// reader takes its other path.
RC_GTEST_PROP(CsvReader, SplitsLinesWithAndWithoutQuotesAlike, (std::vector<std::string> fields)) {
  RC_PRE(!fields.empty());
  const test::Scratch scratch;
  std::string line;
  for (std::string& field : fields) {
    std::erase_if(field, [](char c) { return c == '\n' || c == '\r' || c == ',' || c == '"'; });
    line += field + ',';
  }
  const std::string header(fields.size(), ',');
  const auto records = records_of(scratch, header + '\n' + line + "\n" + line + "\"\"\n");
  fields.emplace_back();
  RC_ASSERT(records.size() == 2U);
  RC_ASSERT(records[0] == fields);
  RC_ASSERT(records[1] == fields);
}

RC_GTEST_PROP(CsvReader, OneLineNeverChangesAnother,
              (const std::string& before, const std::string& after)) {
  RC_PRE(before.find('\n') == std::string::npos && after.find('\n') == std::string::npos);
  const test::Scratch scratch;
  const auto records = records_of(scratch, "a,b\n" + before + "\n\"x\",y\n" + after);
  const Record expected = {"x", "y"};
  const std::size_t position = before.empty() || before == "\r" ? 0 : 1;
  RC_ASSERT(records.size() > position);
  RC_ASSERT(records[position] == expected);
}

TEST(CsvReader, StreamsAFileInBoundedMemory) {
  // 300 MB, whose lines are ordinary, quoted, and far too long.
  constexpr int kBlocks = test::whole_or_sanitized(250, 50);
  const test::Scratch scratch;
  const std::string path = scratch.path("large.csv");
  {
    std::ofstream file(path, std::ios::binary);
    file << "a,b,c\n";
    std::string block;
    while (block.size() < (1U << 20U)) block += "12345,\"quoted, text\",north\n";
    const std::string overlong = "\"" + std::string(5U << 20U, 'x') + "\n";
    for (int i = 0; i < kBlocks; ++i) file << block;
    for (int i = 0; i < 10; ++i) file << overlong;
  }
  const auto peak_kib = [] {
    struct rusage usage {};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
  };
  const long before = peak_kib();
  CsvReader csv(path);
  std::uint64_t records = 0;
  std::uint64_t overlong = 0;
  while (csv.next()) {
    ++records;
    if (csv.overlong()) ++overlong;
  }
  const long grown = peak_kib() - before;
  std::printf("records %llu, peak memory grew by %ld KiB\n",
              static_cast<unsigned long long>(records), grown);
  EXPECT_GT(records, 36000U * kBlocks);
  EXPECT_EQ(overlong, 10U);
  EXPECT_LT(grown, 32 * 1024);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Csv rows.

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
  CsvReader csv("memory", TableBytes(bytes));
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

// -----------------------------------------------------------------------------------------------
// Csv source.

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

/// Adds up what it takes, and notes in which order and by how many workers at a time.
class Noting final : public BlockWorker {
 public:
  struct Notes {
    std::vector<std::string> fields;
    std::atomic<int> taking = 0;
    bool one_at_a_time = true;
  };
  explicit Noting(Notes& notes) : notes_(notes) {}

  void work(const Block& block) override {
    fields_.clear();
    for (std::size_t row = 0; row < block.rows; ++row) {
      fields_.emplace_back(std::get<std::string_view>(block.columns[0][row]));
    }
  }
  void take(const Block& block) override {
    if (++notes_.taking != 1 || block.rows != fields_.size()) notes_.one_at_a_time = false;
    notes_.fields.insert(notes_.fields.end(), fields_.begin(), fields_.end());
    --notes_.taking;
  }

 private:
  Notes& notes_;
  std::vector<std::string> fields_;
};

TEST(CsvSource, GivesTheSameRowsInTheSameOrderToAnyNumberOfThreads) {
  const test::Scratch scratch;
  std::string text = "a,b\n";
  std::vector<std::string> fields;
  std::mt19937_64 random(5);
  for (std::size_t row = 0; row < 60'000; ++row) {
    const std::size_t length = random() % 1000 == 0 ? random() % 300'000 : random() % 9;
    fields.push_back(std::to_string(row) + std::string(length, 'x'));
    text += row % 50 == 0 ? "\"" + fields.back() + "\",-\n" : fields.back() + ",-\n";
  }
  const std::string path = scratch.write("d.csv", text);
  const std::vector<std::size_t> wanted = {0};
  for (const std::size_t threads : {1U, 2U, 5U}) {
    const CsvSource csv(path, std::nullopt, threads);
    Noting::Notes notes;
    std::size_t made = 0;
    csv.visit_by(wanted, [&] {
      ++made;
      return std::make_unique<Noting>(notes);
    });
    EXPECT_EQ(made, threads);
    EXPECT_TRUE(notes.one_at_a_time);
    EXPECT_TRUE(notes.fields == fields) << threads << " threads";
  }
}

/// Counts rows, and takes nothing. The first of all to work waits until another has, so that this
/// ends where nobody waits for turns.
class Counting final : public BlockWorker {
 public:
  struct Counts {
    std::atomic<std::size_t> rows = 0;
    std::atomic<std::size_t> blocks = 0;
  };
  explicit Counting(Counts& counts) : counts_(counts) {}

  void work(const Block& block) override {
    counts_.rows += block.rows;
    if (counts_.blocks++ > 0) return;
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (counts_.blocks < 10 && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
    }
    EXPECT_GE(counts_.blocks, 10U) << "the other thread waits for this one";
  }
  [[nodiscard]] bool takes() const noexcept override { return false; }
  void take(const Block& /*block*/) override { ADD_FAILURE() << "it takes nothing"; }

 private:
  Counts& counts_;
};

TEST(CsvSource, WhoeverOnlyCountsDoesNotWaitForTheirTurn) {
  const test::Scratch scratch;
  std::string text = "a\n";
  for (std::size_t row = 0; row < 60'000; ++row) text += std::to_string(row) + "\n";
  const CsvSource csv(scratch.write("d.csv", text), std::nullopt, 2);
  Counting::Counts counts;
  const std::vector<std::size_t> wanted = {0};
  csv.visit_by(wanted, [&] { return std::make_unique<Counting>(counts); });
  EXPECT_EQ(counts.rows, 60'000U);
}

TEST(CsvSource, WhatIsReadDoesNotDependOnThreads) {
  const test::Scratch scratch;
  std::mt19937_64 random(6);
  std::string text = "id,n,x\n";
  for (std::size_t row = 0; row < 20'000; ++row) {
    text += std::to_string(random() % 500) + ',' + std::to_string(random() % 12) + ',' +
            std::to_string(static_cast<double>(random() % 1000) / 100) + '\n';
  }
  const std::string path = scratch.write("d.csv", text);
  const Domain domain = Domain::make({test::without_nulls("n", IntegerCells::make(0, 9)),
                                      test::without_nulls("x", NumberCells::make(0, 10, 7))});
  const RealColumns reals(Domain::make({test::without_nulls("x", NumberCells::make(0, 10))}), {});
  const CsvSource one(path);
  const auto outcomes = read_outcomes(one, domain);
  const UnitTable units = read_units(one, domain, "id");
  std::vector<double> numbers;
  NumericRows(one, reals).visit([&](std::span<const double> rows) {
    numbers.insert(numbers.end(), rows.begin(), rows.end());
  });
  ASSERT_EQ(outcomes.size(), 20'000U);
  ASSERT_EQ(numbers.size(), 20'000U);
  ASSERT_EQ(units.size(), 500U);
  for (const std::size_t threads : {2U, 4U}) {
    const CsvSource csv(path, std::nullopt, threads);
    EXPECT_TRUE(read_outcomes(csv, domain) == outcomes);
    const UnitTable again = read_units(csv, domain, "id");
    ASSERT_EQ(again.size(), units.size());
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
      EXPECT_EQ(again.id(unit), units.id(unit));
      EXPECT_TRUE(std::ranges::equal(again.outcomes(unit), units.outcomes(unit)));
      EXPECT_TRUE(std::ranges::equal(again.weights(unit), units.weights(unit)));
    }
    std::size_t place = 0;
    NumericRows(csv, reals).visit([&](std::span<const double> rows) {
      for (const double number : rows) EXPECT_EQ(number, numbers[place++]);
    });
    EXPECT_EQ(place, numbers.size());
  }
}

TEST(CsvSource, PassesOnWhatAThreadThrows) {
  const test::Scratch scratch;
  std::string text = "a\n";
  for (std::size_t row = 0; row < 50'000; ++row) text += std::to_string(row) + '\n';
  const std::string path = scratch.write("d.csv", text);
  const std::vector<std::size_t> wanted = {0};
  for (const std::size_t threads : {1U, 4U}) {
    const CsvSource csv(path, std::nullopt, threads);
    std::size_t rows = 0;
    EXPECT_THROW(csv.visit(wanted,
                           [&](const Block& block) {
                             rows += block.rows;
                             if (rows > 10'000) throw std::runtime_error("enough");
                           }),
                 std::runtime_error);
    EXPECT_LT(rows, 10'001 + kRowsPerBlock);
  }
}

TEST(CsvSource, ReadsAPipeOnce) {
  const test::Pipe pipe("a\n1\n2\n");
  const CsvSource csv(pipe.path());
  const std::string twice =
      pipe.path() + " is read more than once, so it must be a regular file, but is not";
  EXPECT_EQ(test::refusal_of([&] { (void)csv.record_count(); }), twice);
  EXPECT_EQ(test::refusal_of([&] { csv.require_repeatable(); }), twice);
  EXPECT_THAT(visited(csv, {0}).fields, ElementsAre("1", "2"));
  EXPECT_EQ(test::refusal_of([&] { (void)visited(csv, {0}); }), twice);
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
  EXPECT_EQ(refusal("c"),
            "data.csv has no column \"c\", for a test; mollify check prints its first line, "
            "which must be a header");
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
