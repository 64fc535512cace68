#include "arrow/arrow_sink.h"

#include <rapidcheck.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "arrow/arrow_source.h"
#include "io/csv_sink.h"
#include "io/csv_source.h"
#include "io/scratch.h"
#include "random_domain.h"
#include "records/memory_table.h"
#include "records/private_table.h"
#include "records/record_writer.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {
namespace {

DateCells times(Grain grain, std::optional<std::string> zone) {
  return DateCells::make({.grain = grain,
                          .min = "1969-12-20",
                          .max = "1970-01-10",
                          .bins = 5,
                          .zone = std::move(zone)});
}

/// The same random records, with units, in any sink.
void write_records(const Domain& domain, std::uint64_t seed, std::size_t records, Sink& sink) {
  test::Integers integers(seed);
  RecordWriter writer(domain, sink, "unit\xc2\xa7");
  for (std::size_t i = 0; i < records; ++i) {
    const auto outcome = static_cast<std::uint32_t>(integers(domain.size()));
    const std::uint64_t unit = integers(20);
    writer.write_outcome(outcome, integers, unit == 0 ? "" : "u" + std::to_string(unit));
  }
  writer.finish();
}

/// All that is read of a source.
struct ReadRecords {
  std::vector<std::uint32_t> outcomes;
  std::vector<std::string> ids;
  std::vector<std::vector<std::uint32_t>> of_units;
  std::vector<std::vector<double>> weights;

  bool operator==(const ReadRecords&) const = default;
};

ReadRecords all_of(const Source& source, const Domain& domain) {
  source.require_repeatable();
  ReadRecords all;
  all.outcomes = read_outcomes(source, domain);
  Roster roster;
  for (const char* id : {"u3", "nobody", "u1"}) roster.insert(id);
  for (const auto& units : {read_units(source, domain, "unit\xc2\xa7"),
                            read_units(source, domain, "unit\xc2\xa7", roster)}) {
    for (std::size_t i = 0; i < units.size(); ++i) {
      all.ids.emplace_back(units.id(i));
      all.of_units.emplace_back(units.outcomes(i).begin(), units.outcomes(i).end());
      all.weights.emplace_back(units.weights(i).begin(), units.weights(i).end());
    }
  }
  return all;
}

void expect_read_alike(const Domain& domain, std::uint64_t seed, std::size_t records) {
  const test::Scratch scratch;
  std::string csv;
  CsvSink text(csv);
  write_records(domain, seed, records, text);
  const ReadRecords expected = all_of(CsvSource(scratch.write("d.csv", csv)), domain);
  EXPECT_EQ(expected.outcomes.size(), records);

  MemorySink memory;
  write_records(domain, seed, records, memory);
  std::vector<std::string> names;
  std::vector<Values> columns;
  for (std::size_t i = 0; i < memory.schema().size(); ++i) {
    names.push_back(memory.schema()[i].name);
    columns.push_back(memory.column(i));
  }
  EXPECT_EQ(all_of(MemorySource(names, columns), domain), expected);

  ArrowSink arrow;
  write_records(domain, seed, records, arrow);
  ArrowArrayStream stream{};
  arrow.export_to(&stream);
  EXPECT_EQ(all_of(ArrowSource(&stream), domain), expected);
}

// The tallies of which every release is made are the same to the integer, in whatever way the
// records come.
RC_GTEST_PROP(Sources, GiveTheSameTallies, (std::uint64_t seed)) {
  expect_read_alike(*test::domain(), seed, *rc::gen::inRange<std::size_t>(0, 300));
  RC_ASSERT(!testing::Test::HasFailure());
}

TEST(Sources, GiveTheSameTalliesOfManyBatches) {
  expect_read_alike(
      Domain::make({Column::make("word", Categories::make({"a", "b", "", "NA"})),
                    Column::make("on", BooleanWords::make(), {.null_is_category = true}),
                    Column::make("sex", BooleanWords::make("female", "male")),
                    Column::make("n", IntegerCells::make(-3, 300, 11), {.null_is_category = true}),
                    Column::make("x", NumberCells::make(-1, 2.5, 7), {.null_is_category = true}),
                    Column::make("day", times(Grain::kDay, {}), {.null_is_category = true}),
                    Column::make("wall", times(Grain::kSecond, {})),
                    Column::make("time", times(Grain::kSecond, "-03:30"))}),
      11, test::whole_or_sanitized(150'000, 70'000));
}

std::string formats_of(const ArrowSchema& schema) {
  std::string formats = schema.format;
  for (std::int64_t i = 0; i < schema.n_children; ++i) {
    formats += " " + std::string(schema.children[i]->name) + ":" + formats_of(*schema.children[i]);
  }
  if (schema.dictionary != nullptr) formats += "[" + formats_of(*schema.dictionary) + "]";
  return formats;
}

TEST(ArrowSink, GivesEachColumnItsType) {
  const Domain domain = Domain::make(
      {Column::make("word", Categories::make({"a", "b"})), Column::make("on", BooleanWords::make()),
       Column::make("sex", BooleanWords::make("female", "male")),
       Column::make("n", IntegerCells::make(0, 9)), Column::make("x", NumberCells::make(0, 1, 7)),
       Column::make("day", times(Grain::kDay, {})), Column::make("wall", times(Grain::kSecond, {})),
       Column::make("time", times(Grain::kSecond, "+05:30"))});
  ArrowSink sink;
  ArrowArrayStream stream{};
  EXPECT_THROW(sink.export_to(&stream), std::logic_error);
  write_records(domain, 1, 10, sink);
  sink.export_to(&stream);
  ArrowSchema schema{};
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  EXPECT_EQ(formats_of(schema),
            "+s unit\xc2\xa7:U word:i[U] on:b sex:i[U] n:l x:g "
            "day:tdD wall:tsu: time:tsu:UTC");
  // A consumer may keep one column and release the rest.
  ArrowOwned<ArrowSchema> kept_column(schema.children[1]);
  schema.release(&schema);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_EQ(formats_of(*kept_column), "i[U]");

  ArrowArray array{};
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  EXPECT_EQ(array.length, 10);
  ArrowOwned<ArrowArray> kept_array(array.children[4]);
  array.release(&array);
  stream.release(&stream);
  EXPECT_EQ(stream.release, nullptr);
  EXPECT_GE(static_cast<const std::int64_t*>(kept_array->buffers[1])[9], 0) << "still there";
}

TEST(ArrowSink, GivesDaysAndTimesAsNumbers) {
  const std::vector<std::string_view> days = {"1969-12-31", "2000-03-01", "", "someday"};
  const std::vector<std::string_view> times = {"1969-12-31T23:59:59+01:00", "1970-01-01T00:00:01Z",
                                               "", "noon"};
  const std::vector<std::uint8_t> valid = {1, 1, 0, 1};
  const std::vector<Values> columns = {Values(std::span(days), valid),
                                       Values(std::span(times), valid)};
  ArrowSink sink;
  sink.begin({{.name = "day", .clock = "day"}, {.name = "time", .clock = "+01:00"}});
  sink.write({.rows = 4, .columns = columns});
  sink.finish();
  ArrowArrayStream stream{};
  sink.export_to(&stream);
  ArrowArray array{};
  ASSERT_EQ(stream.get_next(&stream, &array), 0);
  const ArrowOwned<ArrowArray> batch(&array);
  const auto* counted = static_cast<const std::int32_t*>(batch->children[0]->buffers[1]);
  const auto* lasted = static_cast<const std::int64_t*>(batch->children[1]->buffers[1]);
  EXPECT_EQ(counted[0], -1);
  EXPECT_EQ(counted[1], 11017);
  EXPECT_EQ(lasted[0], -3'601'000'000);
  EXPECT_EQ(lasted[1], 1'000'000);
  for (const int column : {0, 1}) {
    EXPECT_EQ(batch->children[column]->null_count, 2);
    EXPECT_EQ(static_cast<const std::uint8_t*>(batch->children[column]->buffers[0])[0], 0b0011);
  }
  stream.release(&stream);
}

// A name ends at a NUL there.
TEST(ArrowSink, RefusesANameWithNul) {
  ArrowSink sink;
  EXPECT_EQ(test::refusal_of([&] { sink.begin({{.name = std::string("a\0b", 3)}}); }),
            "a column's name must be text without NUL, but is \"a\\0b\"");
}

TEST(ArrowSink, ExportsATableWithoutRecords) {
  const Domain domain = Domain::make({Column::make("on", BooleanWords::make())});
  ArrowSink sink;
  write_records(domain, 1, 0, sink);
  for (int time = 0; time < 2; ++time) {
    ArrowArrayStream stream{};
    sink.export_to(&stream);
    const ArrowSource source(&stream);
    EXPECT_EQ(source.columns(), (std::vector<std::string>{"unit\xc2\xa7", "on"}));
    EXPECT_EQ(source.record_count(), 0U);
  }
}

}  // namespace
}  // namespace mollify
