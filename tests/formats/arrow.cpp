#include "formats/arrow.h"

#include <rapidcheck.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/built_array.h"
#include "formats/csv.h"
#include "formats/scratch.h"
#include "random_domain.h"
#include "records/private_table.h"
#include "records/sink.h"
#include "records/source.h"
#include "refusal.h"
#include "sanitized.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Arrow sink.

namespace {

DateCells times(Grain grain, std::optional<std::string> zone) {
  return DateCells::make({.grain = grain,
                          .min = "1969-12-20",
                          .max = "1970-01-10",
                          .bins = 5,
                          .zone = std::move(zone)});
}

/// Equal random records, with units, in any sink.
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

// With words that no row has, whatever the rows are.
TEST(ArrowSink, GivesWordsTheirTypeAndOrder) {
  const Domain domain =
      Domain::make({Column::make("word", Categories::make({"b", "a"})),
                    Column::make("level", Categories::make({"low", "h\xc3\xb6h", "x;1"}, true)),
                    Column::make("code", Categories::make({"3", "1"})),
                    Column::make("grade", Categories::make({"1", "3"}, true)),
                    Column::make("price", Categories::make({"4.99", "9.99"}, true)),
                    Column::make("falls", Categories::make({"3", "1"}, true)),
                    Column::make("bit", BooleanWords::make("0", "1"))});
  ArrowSink sink;
  ArrowArrayStream stream{};
  write_records(domain, 1, 0, sink);
  sink.export_to(&stream);
  ArrowSchema schema{};
  ASSERT_EQ(stream.get_schema(&stream, &schema), 0);
  const ArrowOwned<ArrowSchema> owned(&schema);
  EXPECT_EQ(formats_of(*owned),
            "+s unit\xc2\xa7:U word:i[U] level:i[U] code:i[l] grade:i[l] price:i[g] falls:i[U] "
            "bit:i[l]");
  for (std::int64_t i = 0; i < owned->n_children; ++i) {
    const ArrowSchema& column = *owned->children[i];
    const std::string_view name = column.name;
    const bool is_ordered =
        name == "level" || name == "grade" || name == "price" || name == "falls";
    EXPECT_EQ(column.flags & ARROW_FLAG_DICTIONARY_ORDERED,
              is_ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0)
        << name;
    EXPECT_EQ(column.metadata != nullptr, name == "level" || name == "falls") << name;
  }
  std::string metadata;
  for (const std::string text :
       {"\1", "\x10", "_PL_ENUM_VALUES2", "\x10", "3;low4;h\xc3\xb6h3;x;1"}) {
    metadata += text;
    if (text.size() == 1) metadata += std::string(3, '\0');
  }
  if constexpr (std::endian::native == std::endian::little) {
    EXPECT_EQ(std::string(owned->children[2]->metadata, metadata.size()), metadata);
  }
  stream.release(&stream);

  write_records(domain, 1, 0, sink);  // a table without a batch lists nothing
  sink.export_to(&stream);
  EXPECT_TRUE(ArrowSource(&stream).ordered_words().empty());
  write_records(domain, 1, 1, sink);
  sink.export_to(&stream);
  EXPECT_EQ(ArrowSource(&stream).ordered_words(),
            (OrderedWords{{"falls", {"3", "1"}},
                          {"grade", {"1", "3"}},
                          {"level", {"low", "h\xc3\xb6h", "x;1"}},
                          {"price", {"4.99", "9.99"}}}));
}

TEST(ArrowSink, GivesDaysAndTimesAsNumbers) {
  const std::vector<std::int64_t> days = {-1, 11017, 5};
  const std::vector<std::int64_t> times = {-3601, 1, 5};
  const std::vector<std::uint8_t> valid = {1, 1, 0};
  const MomentForm instants{.kind = MomentForm::Kind::kInstant, .offset = 3600};
  const std::vector<Values> columns = {Values(Moments{days}, valid),
                                       Values(Moments{times, instants}, valid)};
  ArrowSink sink;
  sink.begin({{.name = "day", .type = ValueType::kMoment},
              {.name = "time", .type = ValueType::kMoment, .moments = instants}});
  sink.write({.rows = 3, .columns = columns});
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
    EXPECT_EQ(batch->children[column]->null_count, 1);
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

// -----------------------------------------------------------------------------------------------
// Arrow source.

namespace {

using test::Alive;
using test::BuiltColumn;
using test::BuiltStream;
using ::testing::ElementsAre;
using Texts = std::vector<std::string>;

BuiltColumn column_of(const std::string& format, std::int64_t length,
                      const std::string& name = "c") {
  BuiltColumn column;
  column.format = format;
  column.name = name;
  column.length = length;
  return column;
}

/// A column without nulls.
template <class T>
BuiltColumn plain(const std::string& format, const std::vector<T>& values,
                  const std::string& name = "c") {
  BuiltColumn column = column_of(format, static_cast<std::int64_t>(values.size()), name);
  column.add_nothing().add(values);
  return column;
}

template <class Offset>
BuiltColumn texts(const std::string& format, const std::vector<Offset>& offsets,
                  const std::string& bytes) {
  BuiltColumn column = column_of(format, static_cast<std::int64_t>(offsets.size()) - 1);
  column.add_nothing().add(offsets).add(bytes);
  return column;
}

BuiltColumn dictionary(BuiltColumn places, BuiltColumn values) {
  places.dictionary.push_back(std::move(values));
  return places;
}

std::shared_ptr<BuiltColumn> batch(std::vector<BuiltColumn> columns, std::int64_t length) {
  auto built = std::make_shared<BuiltColumn>(column_of("+s", length, ""));
  built->children = std::move(columns);
  built->add_nothing();
  return built;
}

std::shared_ptr<BuiltColumn> batch(BuiltColumn column) {
  const std::int64_t length = column.length;
  std::vector<BuiltColumn> columns;
  columns.push_back(std::move(column));
  return batch(std::move(columns), length);
}

ArrowArrayStream stream_of(std::vector<std::shared_ptr<BuiltColumn>> batches, Alive* alive) {
  return BuiltStream::exported(std::make_shared<BuiltStream>(std::move(batches), alive));
}

/// The type and the text of a value.
std::string told(const Value& value) {
  TextBuffer buffer;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return "i" + std::string(text_of(*integer, buffer));
  }
  if (const auto* number = std::get_if<double>(&value)) {
    return "d" + std::string(text_of(*number, buffer));
  }
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
  if (const auto* text = std::get_if<std::string_view>(&value)) return "'" + std::string(*text);
  if (const auto* moment = std::get_if<Moment>(&value)) {
    return "m" + std::string(text_of(*moment, buffer));
  }
  return "null";
}

/// The values of the columns, row after row.
Texts read(const Source& source) {
  std::vector<std::size_t> wanted(source.columns().size());
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = i;
  Texts all;
  source.visit(wanted, [&](const Block& block) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      for (const Values& column : block.columns) {
        EXPECT_EQ(column.size(), block.rows);
        all.push_back(told(column[row]));
      }
    }
  });
  return all;
}

Texts read(std::vector<std::shared_ptr<BuiltColumn>> batches) {
  Alive alive;
  Texts all;
  {
    ArrowArrayStream stream = stream_of(std::move(batches), &alive);
    const ArrowSource source(&stream);
    EXPECT_EQ(stream.release, nullptr) << "it was taken over";
    all = read(source);
  }
  EXPECT_EQ(alive.count, 0);
  return all;
}

Texts read(BuiltColumn column) { return read({batch(std::move(column))}); }

template <class T>
void expect_integers(const std::string& format) {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(read(plain<T>(format, {Limits::min(), T{7}, Limits::max()})),
            (Texts{"i" + std::to_string(Limits::min()), "i7", "i" + std::to_string(Limits::max())}))
      << format;
}

TEST(ArrowSource, ReadsIntegersOfEveryWidth) {
  expect_integers<std::int8_t>("c");
  expect_integers<std::int16_t>("s");
  expect_integers<std::int32_t>("i");
  expect_integers<std::int64_t>("l");
  expect_integers<std::uint8_t>("C");
  expect_integers<std::uint16_t>("S");
  expect_integers<std::uint32_t>("I");
  EXPECT_EQ(read(plain<std::uint64_t>("L", {0, std::uint64_t{1} << 62U})),
            (Texts{"i0", "i4611686018427387904"}));
  EXPECT_EQ(read(plain<std::uint64_t>("L", {5, std::uint64_t{1} << 63U, ~std::uint64_t{0}})),
            (Texts{"'5", "'9223372036854775808", "'18446744073709551615"}));
}

TEST(ArrowSource, ReadsNumbersAndTruths) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(read(plain<double>("g", {0.1, -kInfinite, std::nan(""), 5e-324})),
            (Texts{"d0.1", "d-inf", "dnan", "d5e-324"}));
  EXPECT_EQ(read(plain<float>("f", {0.5F, 0.1F})), (Texts{"d0.5", "d0.1"}));
  BuiltColumn truths = column_of("b", 10);
  truths.add_bits("111111111101").add_bits("101010101001");
  truths.offset = 2;
  EXPECT_EQ(read(std::move(truths)), (Texts{"true", "false", "true", "false", "true", "false",
                                            "true", "false", "null", "true"}));
  EXPECT_EQ(read(column_of("n", 2)), (Texts{"null", "null"}));
}

TEST(ArrowSource, ReadsTexts) {
  EXPECT_EQ(read(texts<std::int32_t>("u", {0, 1, 1, 4}, "abcd")), (Texts{"'a", "'", "'bcd"}));
  EXPECT_EQ(read(texts<std::int64_t>("U", {2, 3, 4}, "abcd")), (Texts{"'c", "'d"}));
  EXPECT_EQ(read(texts<std::int32_t>("z", {0, 2}, "\xff\xfe")), (Texts{"'\xff\xfe"}));
  struct View {
    std::int32_t length;
    std::int32_t a, b, c;
  };
  const auto inlined = [](const std::string& text) {
    View view{static_cast<std::int32_t>(text.size()), 0, 0, 0};
    std::memcpy(&view.a, text.data(), text.size());
    return view;
  };
  const std::vector<View> views = {inlined("short"), {13, 0, 0, 2},  inlined("twelve bytes"),
                                   {13, 0, 1, 0},    {14, 0, 0, 2},  {13, 0, 2, 0},
                                   {-1, 0, 0, 0},    {13, 0, 0, -1}, {13, 0, -1, 0}};
  BuiltColumn column = column_of("vu", static_cast<std::int64_t>(views.size()));
  column.add_nothing().add(views).add(std::string("..thirteen byte")).add(std::string(13, 'x'));
  column.add(std::vector<std::int64_t>{15, 13});
  EXPECT_EQ(read(std::move(column)), (Texts{"'short", "'thirteen byte", "'twelve bytes",
                                            "'xxxxxxxxxxxxx", "'", "'", "'", "'", "'"}));
}

TEST(ArrowSource, ReadsDatesAndTimesAsMoments) {
  EXPECT_EQ(read(plain<std::int32_t>("tdD", {19782, -1})), (Texts{"m2024-02-29", "m1969-12-31"}));
  EXPECT_EQ(read(plain<std::int64_t>("tdm", {86'400'000, -1})),
            (Texts{"m1970-01-02", "m1969-12-31"}));
  EXPECT_EQ(read(plain<std::int64_t>("tss:", {60})), (Texts{"m1970-01-01T00:01:00"}));
  EXPECT_EQ(read(plain<std::int64_t>("tsn:Europe/Paris", {1'000'000'001})),
            (Texts{"m1970-01-01T01:00:01.000000001+01:00"}));
  EXPECT_EQ(read(plain<std::int64_t>("tsm:America/New_York", {1'719'800'000'000})),
            (Texts{"m2024-06-30T22:13:20-04:00"}));
  EXPECT_EQ(read(plain<std::int64_t>("tss:+05:30", {60})), (Texts{"m1970-01-01T05:31:00+05:30"}));
  EXPECT_EQ(read(plain<std::int64_t>("tss:UTC", {60})), (Texts{"m1970-01-01T00:01:00Z"}));
}

TEST(ArrowSource, ReadsDecimalsAsText) {
  BuiltColumn column = column_of("d:19,2", 3);
  column.add_bits("11101").add(std::vector<std::uint64_t>{7, 7, 1234, 0, ~0ULL, ~0ULL, 0, 0, 0, 1});
  column.offset = 1;
  column.length = 4;
  EXPECT_EQ(read(std::move(column)), (Texts{"'12.34", "'-0.01", "null", "'184467440737095516.16"}));
  EXPECT_EQ(read(plain<std::int32_t>("d:9,0,32", {-7, 3})), (Texts{"'-7", "'3"}));
  EXPECT_EQ(read(plain<std::int64_t>("d:18,-1,64", {-7, 0})), (Texts{"'-70", "'0"}));
  BuiltColumn wide = column_of("d:76,3,256", 1);
  wide.add_nothing().add(std::vector<std::uint64_t>{5, 0, 0, 0});
  EXPECT_EQ(read(std::move(wide)), (Texts{"'0.005"}));
  EXPECT_EQ(read(dictionary(plain<std::int8_t>("c", {1, 0, 2}),
                            plain<std::int32_t>("d:9,1,32", {10, -25}))),
            (Texts{"'-2.5", "'1.0", "null"}));
}

TEST(ArrowSource, ReadsPlacesInDictionaries) {
  const auto words = [] { return texts<std::int32_t>("u", {0, 3, 8}, "redgreen"); };
  EXPECT_EQ(read(dictionary(plain<std::int8_t>("c", {1, 0, -1, 2, 1}), words())),
            (Texts{"'green", "'red", "null", "null", "'green"}));
  EXPECT_EQ(
      read(dictionary(plain<std::uint64_t>("L", {1, ~std::uint64_t{0}, 4294967295U}), words())),
      (Texts{"'green", "null", "null"}));
  BuiltColumn values = column_of("l", 2);
  values.add_bits("0101").add(std::vector<std::int64_t>{4, 5, 6, 7});
  values.offset = 1;
  BuiltColumn places = column_of("i", 3);
  places.add_bits("0111").add(std::vector<std::int32_t>{0, 0, 1, 1});
  places.offset = 1;
  EXPECT_EQ(read(dictionary(std::move(places), std::move(values))), (Texts{"i5", "null", "null"}));
}

/// Metadata with one key, as Arrow's C interface has it.
std::string metadata_of(const std::string& key, const std::string& value) {
  const auto size = [](std::size_t bytes) {
    const auto number = static_cast<std::int32_t>(bytes);
    return std::string(reinterpret_cast<const char*>(&number), sizeof number);
  };
  return size(1) + size(key.size()) + key + size(value.size()) + value;
}

// Of an order nothing is known if batches differ in it, or if a word is listed twice or is a null.
TEST(ArrowSource, ListsTheWordsOfOrderedDictionaries) {
  std::string metadata;
  const auto listed = [&metadata](std::int64_t flags, auto... values) {
    std::vector<std::shared_ptr<BuiltColumn>> batches;
    const auto add = [&](BuiltColumn one) {
      BuiltColumn column = dictionary(plain<std::int8_t>("c", {0, 0}), std::move(one));
      column.flags = flags;
      column.metadata = metadata;
      batches.push_back(batch(std::move(column)));
    };
    (add(std::move(values)), ...);
    Alive alive;
    ArrowArrayStream stream = stream_of(std::move(batches), &alive);
    const ArrowSource source(&stream);
    OrderedWords words = source.ordered_words();
    EXPECT_EQ(source.record_count() % 2, 0U) << "the rows are still there";
    return words;
  };
  const auto words = [] { return texts<std::int32_t>("u", {0, 3, 8}, "redgreen"); };
  const OrderedWords both{{"c", {"red", "green"}}};
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, words()), both);
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, words(), words()), both);
  EXPECT_EQ(listed(0, words()), OrderedWords());
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, words(),
                   texts<std::int32_t>("u", {0, 3, 7}, "redblue")),
            OrderedWords());
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, texts<std::int32_t>("u", {0, 3, 6}, "redred")),
            OrderedWords());
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, texts<std::int32_t>("u", {0, 3, 3}, "red")),
            OrderedWords());
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, plain<std::int64_t>("l", {7, -3})),
            (OrderedWords{{"c", {"7", "-3"}}}));
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, plain<double>("g", {.5, 3})),
            (OrderedWords{{"c", {"0.5", "3"}}}));
  EXPECT_EQ(listed(ARROW_FLAG_DICTIONARY_ORDERED, plain<std::int32_t>("tdD", {1, 0})),
            (OrderedWords{{"c", {"1970-01-02", "1970-01-01"}}}));
  metadata = metadata_of("_PL_ENUM_VALUES2", "3;red5;green");  // of Polars before version 2
  EXPECT_EQ(listed(0, words()), both);
  metadata = metadata_of("_PL_CATEGORICAL2", "0;0;u32;");
  EXPECT_EQ(listed(0, words()), OrderedWords());
}

TEST(ArrowSource, ReadsSlicesAndBatches) {
  // Rows 3, 4 and 5 of a batch, of which row 4 is null, of columns with offsets of their own.
  BuiltColumn integers = plain<std::int32_t>("i", {9, 9, 0, 1, 2, 3, 4, 5}, "a");
  integers.offset = 2;
  integers.length = 6;
  BuiltColumn numbers = column_of("g", 6, "b");
  numbers.add_bits("111101").add(std::vector<double>{0, 1, 2, 3, 4, 5});
  std::vector<BuiltColumn> columns;
  columns.push_back(std::move(integers));
  columns.push_back(std::move(numbers));
  auto slice = batch(std::move(columns), 3);
  slice->offset = 3;
  slice->buffers.clear();
  slice->add_bits("111101");
  EXPECT_EQ(read({slice}), (Texts{"i3", "d3", "null", "null", "i5", "d5"}));

  std::vector<std::shared_ptr<BuiltColumn>> batches;
  Texts expected;
  std::int64_t next = 0;
  for (const std::size_t rows : {3U, 0U, 5000U, 1U}) {
    std::vector<std::int64_t> values;
    for (std::size_t i = 0; i < rows; ++i) {
      expected.push_back("i" + std::to_string(next));
      values.push_back(next++);
    }
    batches.push_back(batch(plain("l", values)));
  }
  EXPECT_EQ(read(batches), expected);
}

TEST(ArrowSource, ReadsBuffersThatAreNotAligned) {
  BuiltColumn column = column_of("l", 2);
  std::string bytes(17, 0);
  bytes[1] = 5;
  bytes[9] = 6;
  column.add_nothing().add(bytes);
  column.buffers[1] = static_cast<const char*>(column.buffers[1]) + 1;
  EXPECT_EQ(read(std::move(column)), (Texts{"i5", "i6"}));
}

// A fault that private values alone show: the release goes on, and nothing beyond the array is
// read.
TEST(ArrowSource, TakesTextsWithoutBoundsForNulls) {
  EXPECT_EQ(read(texts<std::int32_t>("u", {0, 3, 1, 100, 4}, "abcd")),
            (Texts{"'abc", "'", "'", "'"}));
  EXPECT_EQ(read(texts<std::int32_t>("u", {-5, 3, 4}, "abcd")), (Texts{"'", "'d"}));
  EXPECT_EQ(read(texts<std::int64_t>("U", {0, 2, -1}, "ab")), (Texts{"'", "'"}));
}

std::string refusal(const std::function<void(BuiltColumn&)>& spoil,
                    BuiltColumn column = plain<std::int64_t>("l", {1, 2})) {
  Alive alive;
  std::string sentence;
  try {
    auto built = batch(std::move(column));
    auto stream = std::make_shared<BuiltStream>(std::vector{built}, &alive);
    spoil(*built);
    ArrowArrayStream exported = BuiltStream::exported(std::move(stream));
    const ArrowSource source(&exported);
    (void)read(source);
  } catch (const InvalidInput& error) {
    sentence = error.what();
  }
  EXPECT_EQ(alive.count, 0) << sentence;
  return sentence;
}

TEST(ArrowSource, RefusesMalformedShapes) {
  const auto array = [](BuiltColumn& batch_of) -> ArrowArray& {
    return *batch_of.array.children[0];
  };
  EXPECT_EQ(refusal([](BuiltColumn&) {}), "");
  EXPECT_EQ(refusal([](BuiltColumn& b) { b.array.length = -1; }),
            "a batch of the data must have from 0 to 1099511627776 rows, but has -1 from 0 on");
  EXPECT_EQ(refusal([](BuiltColumn& b) { b.array.length = std::int64_t{1} << 62U; }),
            "a batch of the data must have from 0 to 1099511627776 rows, but has "
            "4611686018427387904 from 0 on");
  EXPECT_EQ(refusal([](BuiltColumn& b) { b.array.n_children = 2; }),
            "a batch of the data must have 1 columns, but has 2");
  EXPECT_EQ(refusal([](BuiltColumn& b) { b.array.children = nullptr; }),
            "a batch of the data must have 1 columns, but has 0");
  EXPECT_EQ(refusal([](BuiltColumn& b) { b.array.children[0] = nullptr; }),
            "a batch of the data lacks column \"c\"");
  EXPECT_EQ(refusal([](BuiltColumn& b) { b.array.n_buffers = 2; }),
            "a batch of the data must have at most 1 buffer, but has 2");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).length = -2; }),
            "column \"c\" of the data must have from 0 to 1099511627776 values, but has -2");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).offset = -1; }),
            "column \"c\" of the data must have an offset from 0 to 1099511627776, but has -1");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).length = 1; }),
            "column \"c\" of the data must have 2 values, but has 1");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).n_children = 1; }),
            "column \"c\" of the data must have no children, but has 1");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).n_buffers = 1; }),
            "column \"c\" of the data must have 2 buffers, but has 1");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).buffers = nullptr; }),
            "column \"c\" of the data must have buffers");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).buffers[1] = nullptr; }),
            "column \"c\" of the data must have a buffer of values, but has none");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).buffers[2] = nullptr; },
                    texts<std::int32_t>("u", {0, 1}, "a")),
            "column \"c\" of the data must have a buffer of texts, but has none");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).dictionary = &array(b); }),
            "column \"c\" of the data must have a dictionary if and only if its type has, but has "
            "one");
  const auto coded = [] {
    return dictionary(plain<std::int8_t>("c", {0}), texts<std::int32_t>("u", {0, 1}, "a"));
  };
  EXPECT_EQ(
      refusal([&](BuiltColumn& b) { array(b).dictionary = nullptr; }, coded()),
      "column \"c\" of the data must have a dictionary if and only if its type has, but lacks "
      "one");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { array(b).dictionary->length = -1; }, coded()),
            "the dictionary of column \"c\" of the data must have from 0 to 1099511627776 values, "
            "but has -1");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { b.schema.format = "l"; }),
            "the data must be Arrow batches of columns (+s), but are \"l\"");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { b.schema.children = nullptr; }),
            "the data's Arrow schema must list its columns, but does not");
  EXPECT_EQ(refusal([&](BuiltColumn& b) { b.schema.children[0] = nullptr; }),
            "the data's Arrow schema must list its columns, but lacks one");
}

TEST(ArrowSource, RefusesTypesOnlyWhereTheyAreAskedFor) {
  const std::string decimals = "decimals of another kind";
  const std::string others = "values of another type";
  for (const auto& [format, held] : std::vector<std::pair<std::string, std::string>>{
           {"+l", others},
           {"d:", decimals},
           {"d:19", decimals},
           {"d:0,1", decimals},
           {"d:77,1,256", decimals},
           {"d:19,77", decimals},
           {"d:19,-77", decimals},
           {"d:9,1,24", decimals},
           {"d:19,99999999999", decimals},
           {"d:9,1,128,", decimals},
           {"d:9,1,", decimals},
           {"d:9;1", decimals},
           {"w:4", "binaries of one length"},
           {"tts", "times of day"},
           {"tDs", "durations"},
           {"tiM", "intervals of time"},
           {"_pli128", "128-bit integers"},
           {"tsx:", others},
           {"tss:Mars/Olympus", "timestamps of a zone that this machine does not know"},
           {"x", others},
           {"", others}}) {
    Alive alive;
    std::vector<BuiltColumn> columns;
    columns.push_back(column_of(format, 1, "odd"));
    columns.push_back(plain<std::int8_t>("c", {5}, "a"));
    ArrowArrayStream stream = stream_of({batch(std::move(columns), 1)}, &alive);
    const ArrowSource source(&stream);
    EXPECT_EQ(source.position("a", "for a test"), 1U);
    try {
      (void)source.position("odd", "for a test");
      ADD_FAILURE() << format;
    } catch (const InvalidInput& error) {
      const std::string quoted = held == others ? "\"" + format + "\"" : format;
      EXPECT_EQ(error.what(),
                "column \"odd\" of the data must be of booleans, integers, numbers, texts, dates "
                "or timestamps, or of lists of these, but has " +
                    held + " (" + quoted + " in Arrow): cast it to texts or numbers");
    }
    Texts all;
    source.visit(std::vector<std::size_t>{1},
                 [&](const Block& block) { all.push_back(told(block.columns[0][0])); });
    EXPECT_THAT(all, ElementsAre("i5"));
  }
}

// The bytes of a geometry or of a long integer are not a text.
TEST(ArrowColumn, RefusesExtensionTypesExceptOfTexts) {
  const std::string key = "ARROW:extension:name";
  for (const std::string format : {"z", "Z", "vz", "l", "w:16", "u", "U", "vu", "b"}) {
    ArrowSchema schema{};
    schema.format = format.c_str();
    schema.name = "x";
    const bool is_text = format.ends_with('u') || format == "U";
    const bool is_read = ArrowType::of(schema).has_value();
    EXPECT_EQ(is_read, format != "w:16") << format;
    const std::string metadata = metadata_of(key, "geoarrow.wkb");
    schema.metadata = metadata.c_str();
    EXPECT_EQ(extension_of(schema), "geoarrow.wkb");
    EXPECT_EQ(ArrowType::of(schema).has_value(), is_text) << format;
    const std::string other = metadata_of("_PL_CATEGORICAL2", "0;0;u32;");
    schema.metadata = other.c_str();
    EXPECT_EQ(extension_of(schema), "");
    EXPECT_EQ(ArrowType::of(schema).has_value(), is_read) << format;
  }
}

TEST(ArrowSource, IsReadAsItComesOrHeld) {
  Alive alive;
  const auto three = [&] {
    std::vector<std::shared_ptr<BuiltColumn>> batches;
    for (const std::int64_t value : {1, 2, 3}) {
      batches.push_back(batch(plain<std::int64_t>("l", {value})));
    }
    return stream_of(std::move(batches), &alive);
  };
  {
    ArrowArrayStream stream = three();
    const ArrowSource once(&stream);
    int most = 0;
    once.visit(std::vector<std::size_t>{0},
               [&](const Block&) { most = std::max(most, alive.count); });
    EXPECT_EQ(most, 3) << "the stream, a batch and the one before";
    EXPECT_EQ(alive.count, 0) << "released at its end";
    EXPECT_THROW((void)read(once), InvalidInput);
    EXPECT_THROW((void)once.record_count(), InvalidInput);
  }
  {
    ArrowArrayStream stream = three();
    const ArrowSource held(&stream);
    EXPECT_EQ(held.record_count(), 3U);
    EXPECT_EQ(alive.count, 3);
    for (int visit = 0; visit < 2; ++visit) EXPECT_THAT(read(held), ElementsAre("i1", "i2", "i3"));
  }
  EXPECT_EQ(alive.count, 0);
  {
    ArrowArrayStream stream = three();
    const ArrowSource never(&stream);
    EXPECT_EQ(alive.count, 1);
  }
  EXPECT_EQ(alive.count, 0);
  {
    ArrowArrayStream stream = three();
    const ArrowSource broken_off(&stream);
    EXPECT_THROW(broken_off.visit(std::vector<std::size_t>{0},
                                  [](const Block&) { throw std::runtime_error("enough"); }),
                 std::runtime_error);
    EXPECT_EQ(alive.count, 0);
    EXPECT_THROW((void)read(broken_off), InvalidInput);
  }
}

TEST(ArrowSource, TakesOneBatch) {
  Alive alive;
  const auto built = batch(plain<std::int64_t>("l", {4, 5}));
  built->fill();
  ArrowSchema schema = test::kept(built->schema, built, &alive);
  ArrowArray array = test::kept(built->array, built, &alive);
  {
    const ArrowSource source(&schema, &array);
    EXPECT_THAT(read(source), ElementsAre("i4", "i5"));
    EXPECT_EQ(source.record_count(), 2U);
    EXPECT_THAT(read(source), ElementsAre("i4", "i5"));
    EXPECT_THROW(ArrowSource(&schema, &array), InvalidInput) << "both were taken";
  }
  EXPECT_EQ(alive.count, 0);
  schema = test::kept(built->schema, built, &alive);
  EXPECT_THROW(ArrowSource(&schema, nullptr), InvalidInput);
  EXPECT_EQ(alive.count, 0);
  EXPECT_THROW(ArrowSource(static_cast<ArrowArrayStream*>(nullptr)), InvalidInput);
}

TEST(ArrowSource, DoesNotRepeatWhatAFailingProducerSays) {
  Alive alive;
  auto stream = std::make_shared<BuiltStream>(
      std::vector<std::shared_ptr<BuiltColumn>>{batch(plain<std::int64_t>("l", {1}))}, &alive);
  stream->fails_with = 5;
  ArrowArrayStream exported = BuiltStream::exported(std::move(stream));
  const ArrowSource source(&exported);
  try {
    (void)read(source);
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(),
                 "the program that gives the data failed with the code 5: its own words are "
                 "withheld, because they may hold data, and a charge that was made before stays");
  }
  EXPECT_EQ(alive.count, 0);
}

}  // namespace

}  // namespace mollify
