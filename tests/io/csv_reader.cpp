#include "io/csv_reader.h"

#include <rapidcheck.h>
#include <sys/resource.h>

#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "io/scratch.h"
#include "sanitized.h"

namespace mollify {
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
  EXPECT_EQ(refusal("a,\"b\n"),
            "file.csv line 1 must be a header with closed quotes, but holds a misplaced quote");
  EXPECT_EQ(refusal(std::string((1U << 20U) + 1, 'a')),
            "file.csv must start with a header of at most 1048576 bytes, but its first line is "
            "longer");
}

TEST(CsvReader, NamesAColumnThatIsMissingOrRepeatedButNoOther) {
  const test::Scratch scratch;
  const CsvReader csv(scratch.write("data.csv", "secret,b,b\n"));
  EXPECT_EQ(test::refusal(scratch, [&] { (void)csv.position("age", "which the domain declares"); }),
            "data.csv has no column \"age\", which the domain declares");
  EXPECT_EQ(test::refusal(scratch, [&] { (void)csv.position("b", "which the domain declares"); }),
            "data.csv has more than one column \"b\", which the domain declares");
}

TEST(CsvReader, ListsTheColumnsOfAFileWhoseHeaderMayBeTold) {
  const test::Scratch scratch;
  const auto refusal = [&](const std::string& header) {
    const CsvReader csv(scratch.write("public.csv", header + "\n"));
    return test::refusal(
        scratch, [&] { (void)csv.position("weight", "to be read", CsvReader::Header::kTold); });
  };
  EXPECT_EQ(refusal("id,wieght"),
            "public.csv has no column \"weight\", to be read; it has id, wieght (did you mean "
            "\"wieght\"?)");
  EXPECT_EQ(refusal("id;weight"),
            "public.csv has no column \"weight\", to be read; its first line has semicolons and no "
            "comma, but commas separate fields");
  EXPECT_NE(refusal("id\tweight").find("has tabs and no comma"), std::string::npos);
  std::string many = "c0";
  for (int i = 1; i < 30; ++i) many += ",c" + std::to_string(i);
  EXPECT_NE(refusal(many).find("c19, ..."), std::string::npos);
}

TEST(CsvReader, RefusesAHeaderWithNul) {
  const test::Scratch scratch;
  const auto file = scratch.write("d.csv", std::string("a,b\0c\n", 6));
  EXPECT_EQ(test::refusal(scratch, [&] { CsvReader reader(file); }),
            "a column's name in d.csv must be text without NUL, but is \"b\\0c\"");
}

TEST(CsvReader, SaysThatAFileIsPacked) {
  const test::Scratch scratch;
  for (const auto& [beginning, packing] :
       {std::pair{std::string("\x1f\x8b\x08"), "looks compressed by gzip: unpack it first"},
        std::pair{std::string("PK\x03\x04"),
                  "looks like a zip archive or a spreadsheet: save it as CSV first"},
        std::pair{std::string("PAR1"), "looks like Parquet: save it as CSV first"},
        std::pair{std::string("\xff\xfes\0e\0x\0", 8),
                  "looks like UTF-16: save it as UTF-8 first"}}) {
    const auto file = scratch.write("d.csv", beginning + "\n1\n");
    EXPECT_EQ(test::refusal(scratch, [&] { CsvReader reader(file); }),
              std::string("d.csv must be text, but ") + packing);
  }
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
}  // namespace mollify
