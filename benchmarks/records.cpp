// The speed of reading records: Arrow batches of eight columns of every type, the same as CSV, and
// CSV files of which few columns are used, or that hold numbers alone.
// Each benchmark first proves that its answer is right, then times it. Run it alone on a quiet
// machine: taskset -c 0 benchmark_records --benchmark_repetitions=5

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/random.h"
#include "domain/candidates.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "formats/arrow.h"
#include "formats/csv.h"
#include "formats/text_files.h"
#include "records/private_table.h"

namespace {

using namespace mollify;

constexpr std::size_t kRowsOfBatch = 1'000'000;
constexpr std::uint64_t kUnits = 100'000;
const std::vector<std::string> kColors = {"red", "green", "blue", "cyan", "pink", "grey", "teal"};

Domain eight_columns() {
  std::vector<Column> columns;
  for (const char* name : {"a", "b", "c"}) {
    columns.push_back(Column::make(name, IntegerCells::make(0, 79, 8)));
  }
  for (const char* name : {"x", "y"}) {
    columns.push_back(Column::make(name, NumberCells::make(-1, 1, 8)));
  }
  columns.push_back(Column::make("z", NumberCells::make(0, 10, 7), {.null_is_category = true}));
  columns.push_back(Column::make("on", BooleanWords::make()));
  columns.push_back(Column::make("color", Categories::make(kColors), {.null_is_category = true}));
  return Domain::make(std::move(columns));
}

/// A million rows; `z` and `color` have nulls.
struct Rows {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> integers[3];
  std::vector<double> numbers[3];
  std::vector<std::uint8_t> truths = std::vector<std::uint8_t>(kRowsOfBatch / 8);
  std::vector<std::int32_t> places;
  std::vector<std::uint8_t> valid = std::vector<std::uint8_t>(kRowsOfBatch / 8);
  std::vector<std::int32_t> offsets = {0};
  std::string words;

  Rows() {
    SeededRandom random(7);
    const auto real = [&] { return static_cast<double>(random.below(1U << 30U)) / (1U << 29U); };
    for (std::size_t i = 0; i < kRowsOfBatch; ++i) {
      ids.push_back(static_cast<std::int64_t>(1'000'000 + random.below(kUnits)));
      for (auto& column : integers) column.push_back(static_cast<std::int64_t>(random.below(90)));
      for (std::size_t j = 0; j < 2; ++j) numbers[j].push_back(real() - 1);
      numbers[2].push_back(6 * real());
      places.push_back(static_cast<std::int32_t>(random.below(kColors.size())));
      const auto bit = static_cast<std::uint8_t>(1U << i % 8);
      if (random.below(2) == 1) truths[i / 8] = static_cast<std::uint8_t>(truths[i / 8] | bit);
      if (random.below(20) > 0) valid[i / 8] = static_cast<std::uint8_t>(valid[i / 8] | bit);
    }
    for (const std::string& color : kColors) {
      words += color;
      offsets.push_back(static_cast<std::int32_t>(words.size()));
    }
  }

  [[nodiscard]] bool is_valid(std::size_t row) const {
    return (valid[row / 8] >> row % 8 & 1U) != 0;
  }

  /// What a CSV file holds in a row's place.
  void write(std::size_t row, std::vector<std::string>& fields) const {
    fields.assign({std::to_string(ids[row])});
    for (const auto& column : integers) fields.push_back(std::to_string(column[row]));
    for (std::size_t j = 0; j < 3; ++j) {
      std::array<char, 40> text{};
      std::snprintf(text.data(), text.size(), "%.17g", numbers[j][row]);
      fields.emplace_back(j == 2 && !is_valid(row) ? "" : text.data());
    }
    fields.emplace_back((truths[row / 8] >> row % 8 & 1U) != 0 ? "true" : "false");
    fields.push_back(is_valid(row) ? kColors[static_cast<std::size_t>(places[row])] : "");
  }
};

const Rows& rows() {
  static const Rows kRows;
  return kRows;
}

/// The rows as one batch, lent.
class Lent {
 public:
  Lent() {
    const Rows& from = rows();
    add("id", "l", {nullptr, from.ids.data()});
    for (std::size_t i = 0; i < 3; ++i) add(kNames[i], "l", {nullptr, from.integers[i].data()});
    for (std::size_t i = 0; i < 2; ++i) add(kNames[3 + i], "g", {nullptr, from.numbers[i].data()});
    add("z", "g", {from.valid.data(), from.numbers[2].data()});
    add("on", "b", {nullptr, from.truths.data()});
    add("color", "i", {from.valid.data(), from.places.data()});
    words_.length = static_cast<std::int64_t>(kColors.size());
    words_.n_buffers = 3;
    words_.buffers = word_buffers_;
    arrays_.back().dictionary = &words_;
    word_schema_.format = "u";
    schemas_.back().dictionary = &word_schema_;
    for (std::size_t i = 0; i < arrays_.size(); ++i) {
      arrays_[i].buffers = buffers_[i].data();
      array_pointers_.push_back(&arrays_[i]);
      schema_pointers_.push_back(&schemas_[i]);
    }
  }

  /// A stream of so many times the rows.
  ArrowArrayStream stream(std::size_t times) {
    left_ = times;
    ArrowArrayStream out{};
    out.private_data = this;
    out.get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
      auto& lent = *static_cast<Lent*>(self->private_data);
      *schema = {};
      schema->format = "+s";
      schema->n_children = static_cast<std::int64_t>(lent.schema_pointers_.size());
      schema->children = lent.schema_pointers_.data();
      schema->release = [](ArrowSchema* taken) { taken->release = nullptr; };
      return 0;
    };
    out.get_next = [](ArrowArrayStream* self, ArrowArray* array) {
      auto& lent = *static_cast<Lent*>(self->private_data);
      *array = {};
      if (lent.left_ == 0) return 0;
      --lent.left_;
      array->length = kRowsOfBatch;
      array->n_children = static_cast<std::int64_t>(lent.array_pointers_.size());
      array->children = lent.array_pointers_.data();
      array->release = [](ArrowArray* taken) { taken->release = nullptr; };
      return 0;
    };
    out.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    return out;
  }

 private:
  static constexpr const char* kNames[] = {"a", "b", "c", "x", "y"};

  void add(const char* name, const char* format, std::vector<const void*> buffers) {
    ArrowArray array{};
    array.length = kRowsOfBatch;
    array.null_count = -1;
    array.n_buffers = 2;
    arrays_.push_back(array);
    buffers_.push_back(std::move(buffers));
    ArrowSchema schema{};
    schema.name = name;
    schema.format = format;
    schemas_.push_back(schema);
  }

  std::vector<ArrowArray> arrays_;
  std::vector<ArrowSchema> schemas_;
  std::vector<std::vector<const void*>> buffers_;
  std::vector<ArrowArray*> array_pointers_;
  std::vector<ArrowSchema*> schema_pointers_;
  ArrowArray words_{};
  ArrowSchema word_schema_{};
  const void* word_buffers_[3] = {nullptr, rows().offsets.data(), rows().words.data()};
  std::size_t left_ = 0;
};

/// A file that goes with the program.
class CsvFile {
 public:
  CsvFile(const char* name, const std::string& csv)
      : path_("/tmp/mollify-benchmark-" + std::to_string(::getpid()) + "-" + name),
        size_(csv.size()) {
    AtomicFile file(path_);
    file.write(csv);
    file.commit();
  }
  ~CsvFile() { ::unlink(path_.c_str()); }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::string path_;
  std::size_t size_;
};

/// The rows as a file.
const CsvFile& csv_file() {
  static const CsvFile kFile = [] {
    std::string csv = "id,a,b,c,x,y,z,on,color\n";
    std::vector<std::string> fields;
    for (std::size_t row = 0; row < kRowsOfBatch; ++row) {
      rows().write(row, fields);
      append_csv_record(fields, csv);
    }
    return CsvFile("rows.csv", csv);
  }();
  return kFile;
}

/// The outcomes of one batch, from the texts of its rows.
const std::vector<std::uint32_t>& expected_outcomes(const Domain& domain) {
  static const std::vector<std::uint32_t> kOutcomes = [&] {
    std::vector<std::uint32_t> outcomes;
    std::vector<std::string> fields;
    for (std::size_t row = 0; row < kRowsOfBatch; ++row) {
      rows().write(row, fields);
      const std::vector<std::string_view> views(fields.begin() + 1, fields.end());
      outcomes.push_back(domain.encode(views));
    }
    return outcomes;
  }();
  return kOutcomes;
}

void count_cells(benchmark::State& state, std::size_t rows_read) {
  state.counters["cells"] = benchmark::Counter(
      static_cast<double>(8 * rows_read * static_cast<std::size_t>(state.iterations())),
      benchmark::Counter::kIsRate);
}

/// Reads a million rows `times` over from a source that `open` gives.
template <class Open>
void time_outcomes(benchmark::State& state, Open open, std::size_t times) {
  const Domain domain = eight_columns();
  if (read_outcomes(*open(1), domain) != expected_outcomes(domain)) {
    state.SkipWithError("the outcomes are not those of the texts");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(read_outcomes(*open(times), domain));
  count_cells(state, times * kRowsOfBatch);
}

template <class Open>
void time_units(benchmark::State& state, Open open, std::size_t times) {
  const Domain domain = eight_columns();
  const UnitTable units = read_units(*open(1), domain, "id");
  UnitTable::Builder builder;
  StringIndex ids;
  const auto& outcomes = expected_outcomes(domain);
  for (std::size_t row = 0; row < kRowsOfBatch; ++row) {
    builder.add(ids.insert(std::to_string(rows().ids[row])), outcomes[row]);
  }
  const UnitTable::Part whole{&builder, &ids};
  const UnitTable expected = UnitTable::of({&whole, 1}, false);
  bool same = units.size() == expected.size();
  for (std::size_t unit = 0; same && unit < units.size(); ++unit) {
    const auto left = units.outcomes(unit);
    const auto right = expected.outcomes(unit);
    same = units.id(unit) == expected.id(unit) &&
           std::vector(left.begin(), left.end()) == std::vector(right.begin(), right.end());
  }
  if (!same) {
    state.SkipWithError("the units are not those of the texts");
    return;
  }
  for (auto _ : state) benchmark::DoNotOptimize(read_units(*open(times), domain, "id"));
  count_cells(state, times * kRowsOfBatch);
}

std::unique_ptr<Source> open_arrow(std::size_t times) {
  static Lent lent;
  ArrowArrayStream stream = lent.stream(times);
  return std::make_unique<ArrowSource>(&stream);
}

std::unique_ptr<Source> open_csv(std::size_t /*once*/) {
  return std::make_unique<CsvSource>(csv_file().path());
}

void BM_ArrowOutcomes(benchmark::State& state) { time_outcomes(state, open_arrow, 10); }
void BM_ArrowUnits(benchmark::State& state) { time_units(state, open_arrow, 10); }
void BM_CsvOutcomes(benchmark::State& state) { time_outcomes(state, open_csv, 1); }
void BM_CsvUnits(benchmark::State& state) { time_units(state, open_csv, 1); }

/// Ten columns, 70 bytes a row, of which a category, an integer and a number are used.
struct Wide {
  Domain domain = Domain::make({Column::make("color", Categories::make(kColors)),
                                Column::make("age", IntegerCells::make(0, 99, 20)),
                                Column::make("rate", NumberCells::make(0, 10, 10))});
  std::string csv = "id,name,color,city,age,code,when,rate,on,note\n";
  std::vector<std::uint32_t> outcomes;

  Wide() {
    SeededRandom random(9);
    for (std::size_t row = 0; row < kRowsOfBatch; ++row) {
      const std::string& color = kColors[random.below(kColors.size())];
      const std::string age = std::to_string(random.below(100));
      std::array<char, 16> rate{};
      std::snprintf(rate.data(), rate.size(), "%.3f",
                    static_cast<double>(random.below(10'000)) / 1000);
      csv += std::to_string(1'000'000 + random.below(kUnits)) + ",person " +
             std::to_string(random.below(100'000)) + ',' + color + ",city" +
             std::to_string(random.below(1000)) + ',' + age + ',' +
             std::to_string(random.below(10'000'000)) + ",2026-11-22," + rate.data() + ',' +
             (random.below(2) == 0 ? "true" : "false") + ",no remark\n";
      outcomes.push_back(domain.encode(std::vector<std::string_view>{color, age, rate.data()}));
    }
  }
};

void BM_CsvThreeOfTen(benchmark::State& state) {
  static const Wide wide;
  static const CsvFile file("wide.csv", wide.csv);
  if (read_outcomes(CsvSource(file.path()), wide.domain) != wide.outcomes) {
    state.SkipWithError("the outcomes are not those of the texts");
    return;
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_table(CsvSource(file.path()), wide.domain));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
}

/// The texts alone of the same three columns.
void BM_CsvThreeTextsOfTen(benchmark::State& state) {
  static const Wide wide;
  static const CsvFile file("wide.csv", wide.csv);
  const std::array<std::size_t, 3> wanted = {2, 4, 7};
  std::size_t length = 0;
  std::size_t read = 0;
  for (auto _ : state) {
    CsvSource(file.path()).visit(wanted, [&](const Block& block) {
      for (const Values& values : block.columns) {
        for (const auto text : std::get<std::span<const std::string_view>>(values.data())) {
          length += text.size();
        }
      }
      read += block.rows;
    });
  }
  if (read != wide.outcomes.size() * static_cast<std::size_t>(state.iterations()) ||
      length < read) {
    state.SkipWithError("rows are missing");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(file.size()));
}

/// A file of twenty columns of numbers, all used: as "%.*g" writes so many digits.
struct Numbers {
  static constexpr std::size_t kColumns = 20, kRows = 100'000;
  Domain domain = Domain::make([] {
    std::vector<Column> columns;
    for (std::size_t i = 0; i < kColumns; ++i) {
      columns.push_back(
          Column::make(std::string(i + 1, 'x'), NumberCells::make(-4, 4, 64), {.null_value = "0"}));
    }
    return columns;
  }());
  std::vector<double> values;
  CsvFile file;

  explicit Numbers(int digits) : file(digits == 6 ? "short.csv" : "long.csv", csv(digits)) {}

  std::string csv(int digits) {
    SeededRandom random(11);
    std::string csv;
    for (const std::string& name : domain.names()) csv += name + ',';
    csv.back() = '\n';
    for (std::size_t i = 0; i < kRows * kColumns; ++i) {
      const double value = static_cast<double>(random.below(1ULL << 53U)) / 0x1p50 - 4;
      std::array<char, 40> text{};
      std::snprintf(text.data(), text.size(), "%.*g", digits, value);
      values.push_back(std::strtod(text.data(), nullptr));
      csv += text.data();
      csv += (i + 1) % kColumns == 0 ? '\n' : ',';
    }
    return csv;
  }
};

const Numbers& numbers(int digits) {
  static const Numbers kShort(6);
  static const Numbers kLong(17);
  return digits == 6 ? kShort : kLong;
}

void BM_CsvNumbers(benchmark::State& state) {
  const Numbers& from = numbers(static_cast<int>(state.range(0)));
  const CsvSource source(from.file.path());
  const RealColumns columns(from.domain, {});
  const NumericRows rows(source, columns);
  std::size_t place = 0;
  bool same = true;
  rows.visit([&](std::span<const double> block) {
    for (const double value : block) same = same && value == from.values[place++];
  });
  if (!same || place != from.values.size()) {
    state.SkipWithError("the numbers are others");
    return;
  }
  for (auto _ : state) {
    rows.visit([](std::span<const double> block) { benchmark::DoNotOptimize(block.data()); });
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(from.file.size()));
}

void BM_CsvNumbersToCells(benchmark::State& state) {
  const Numbers& from = numbers(static_cast<int>(state.range(0)));
  const CsvSource source(from.file.path());
  SecureRandom random;
  const auto digits = read_table_digits(source, from.domain, Numbers::kRows, random).digits;
  for (std::size_t i = 0; i < from.values.size(); ++i) {
    if (digits[i] != from.domain.columns()[0].encode(from.values[i])) {
      state.SkipWithError("the cells are others");
      return;
    }
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(read_table_digits(source, from.domain, 1, random));
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(from.file.size()));
}

BENCHMARK(BM_CsvThreeOfTen)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvThreeTextsOfTen)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvNumbers)->Arg(6)->Arg(17)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvNumbersToCells)->Arg(6)->Arg(17)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ArrowOutcomes)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_ArrowUnits)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvOutcomes)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_CsvUnits)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
