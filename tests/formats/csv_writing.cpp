#include <rapidcheck.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "columns.h"
#include "domain/domain.h"
#include "formats/csv.h"
#include "formats/one_line_reader.h"
#include "formats/scratch.h"
#include "random_domain.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/source.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Csv sink.

namespace {

/// Passes blocks to two sinks.
class BothSinks final : public Sink {
 public:
  BothSinks(Sink& one, Sink& other) : one_(one), other_(other) {}
  void begin(const Schema& schema) override {
    one_.begin(schema);
    other_.begin(schema);
  }
  void write(const Block& block) override {
    one_.write(block);
    other_.write(block);
  }

 private:
  Sink& one_;
  Sink& other_;
};

// Typed records are written as the same texts, byte for byte, as the domain writes them, and read
// back from memory as the same outcomes.
void expect_written_alike(const Domain& domain, std::uint64_t seed) {
  test::Integers integers(seed);
  test::Integers again(seed);
  std::string expected;
  std::vector<std::string> fields = domain.names();
  fields.insert(fields.begin(), "unit\xc2\xa7");
  append_csv_record(fields, expected);
  std::string csv;
  CsvSink text(csv);
  MemorySink memory;
  BothSinks both(text, memory);
  RecordWriter writer(domain, both, "unit\xc2\xa7");
  std::vector<std::uint32_t> outcomes;
  for (std::size_t i = 0; i < kRowsPerBlock + 100; ++i) {
    const auto outcome = static_cast<std::uint32_t>(integers(domain.size()));
    (void)again(domain.size());
    outcomes.push_back(outcome);
    const std::string unit = "u" + std::to_string(i);
    writer.write_outcome(outcome, integers, unit);
    domain.decode(outcome, again, fields);
    fields.insert(fields.begin(), unit);
    append_csv_record(fields, expected);
  }
  writer.finish();
  EXPECT_EQ(csv, expected);
  ASSERT_EQ(memory.rows(), outcomes.size());
  std::vector<Values> columns;
  for (std::size_t i = 0; i < memory.schema().size(); ++i) columns.push_back(memory.column(i));
  EXPECT_EQ(columns[0][5], Value("u5"));
  const Block block{outcomes.size(), std::span<const Values>(columns).subspan(1)};
  RecordEncoder encoder(domain);
  encoder.encode(block);
  const auto encoded = encoder.outcomes();
  EXPECT_EQ(std::vector<std::uint32_t>(encoded.begin(), encoded.end()), outcomes);
}

RC_GTEST_PROP(CsvSink, WritesWhatTheDomainWrites, (std::uint64_t seed)) {
  expect_written_alike(*test::domain(), seed);
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(CsvSink, WritesNumbersOfAnySizeAsTheDomainDoes) {
  for (const auto& [min, max] : {std::pair{1e15, 2e15}, {0.0, 1e-6}, {-1e3, 1e3}}) {
    expect_written_alike(
        Domain::make({Column::make("x", NumberCells::make(min, max), {.null_is_category = true})}),
        7);
  }
}

// If doubles are as far apart as the points, several texts are the same number.
TEST(CsvSink, WritesTheGreatestNumbersAsThemselves) {
  const NumberCells cells = NumberCells::make(-9e37, 9e37);
  ColumnSchema schema;
  cells.describe(schema);
  const DecimalLattice lattice(schema.exponent.value());
  test::Integers integers(3);
  for (int i = 0; i < 10000; ++i) {
    const auto cell = static_cast<std::uint32_t>(integers(cells.size()));
    const double number = cells.value(cell, integers(cells.points(cell)));
    EXPECT_EQ(lattice.value(lattice.multiple(number)), number);
  }
}

TEST(CsvSink, WritesEachRecordIntoOneLine) {
  const std::vector<std::string_view> texts = {"a\nb", "c\r\n", "d,e"};
  const Values column{std::span(texts)};
  std::string csv;
  CsvSink sink(csv);
  sink.begin({{.name = "x"}});
  sink.write({texts.size(), std::span(&column, 1)});
  EXPECT_EQ(csv, "x\na\vb\nc\v\v\n\"d,e\"\n");
}

TEST(CsvSink, WritesPointsInFewestDigits) {
  const Domain domain = Domain::make(
      {test::without_nulls("x", NumberCells::make(0, 1)),
       Column::make("y", NumberCells::make(1, 100), {.null_value = "2", .outside_value = "2"})});
  const std::vector<std::string> logarithms{"y"};
  const RealColumns columns(domain, logarithms);
  std::string csv;
  CsvSink sink(csv);
  RecordWriter writer(columns, sink);
  writer.write_point(std::vector<double>{-0.1, 0});
  writer.write_point(std::vector<double>{3, 1e9});
  writer.finish();
  EXPECT_EQ(csv, "x,y\n-0.1,1\n3,1.7976931348623157e+308\n");
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Csv writer.

namespace {

std::string written(const std::vector<std::string>& fields) {
  std::string csv;
  append_csv_record(fields, csv);
  return csv;
}

TEST(AppendCsvRecord, QuotesWhereNeeded) {
  EXPECT_EQ(written({"a", "", "b c"}), "a,,b c\n");
  EXPECT_EQ(written({"a,b", "say \"x\"", " pad", "l\nm"}),
            "\"a,b\",\"say \"\"x\"\"\",\" pad\",\"l\nm\"\n");
  EXPECT_EQ(written({""}), "\"\"\n");
  EXPECT_EQ(written({"", ""}), ",\n");
  EXPECT_EQ(written({"\xef\xbb\xbf"
                     "a"}),
            "\"\xef\xbb\xbf"
            "a\"\n");
}

RC_GTEST_PROP(AppendCsvRecord, IsReadBackAsItWas, (std::vector<std::string> fields)) {
  RC_PRE(!fields.empty());
  for (std::string& field : fields) std::erase(field, '\n');
  const test::Scratch scratch;
  // Both as a header, where a byte order mark could hide, and as a record.
  CsvReader csv(scratch.write("file.csv", written(fields) + written(fields)));
  RC_ASSERT(csv.header() == fields);
  RC_ASSERT(csv.next());
  RC_ASSERT(std::vector<std::string>(csv.fields().begin(), csv.fields().end()) == fields);
  RC_ASSERT(csv.well_quoted());
  RC_ASSERT(!csv.next());
}

}  // namespace

}  // namespace mollify
