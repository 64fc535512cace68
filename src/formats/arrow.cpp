#include "formats/arrow.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <stdexcept>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/same_value.h"
#include "domain/zones.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Arrow arrays as a source of records.

namespace {

/// The key under which Polars has an Enum's words. Before version 2 it does not set the flag of an
/// ordered dictionary.
constexpr std::string_view kEnumOfPolars = "_PL_ENUM_VALUES2";

/// The producer's own words are not shown: they may quote a private value.
void require_success(int code) {
  if (code == 0) return;
  throw std::runtime_error(
      fmt::format("the program that gives the data failed with the code {}: its own words are "
                  "withheld, because "
                  "they may hold data, and a charge that was made before stays",
                  code));
}

}  // namespace

/// Passes on the blocks of one batch after another.
class ArrowSource::BatchReader {
 public:
  BatchReader(const ArrowSource& source, std::span<const std::size_t> wanted)
      : wanted_(wanted), arrays_(wanted.size()), values_(wanted.size()) {
    std::vector<ArrowType> types;
    for (const std::size_t column : wanted) {
      source.require_readable(column);
      types.push_back(*source.types_[column]);
      columns_.emplace_back(types.back());
    }
    if (std::any_of(types.begin(), types.end(),
                    [](const ArrowType& type) { return type.lists.has_value(); })) {
      lists_.emplace(std::move(types));
    }
  }

  /// The batch that was read before must still be there.
  void read(const ArrowArray& batch, const std::function<void(const Block&)>& take) {
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      arrays_[i] = batch.children[wanted_[i]];
      columns_[i].open(arrays_[i]->n_children == 0 ? *arrays_[i] : *arrays_[i]->children[0]);
    }
    const auto length = static_cast<std::size_t>(batch.length);
    const auto offset = static_cast<std::size_t>(batch.offset);
    const bool has_nulls = batch.buffers != nullptr && batch.n_buffers > 0 &&
                           batch.buffers[0] != nullptr && batch.null_count != 0;
    for (std::size_t begin = 0; begin < length; begin += kRowsPerBlock) {
      keep_going();
      const std::size_t rows = std::min(kRowsPerBlock, length - begin);
      if (has_nulls) unpack_bits(batch.buffers[0], offset + begin, rows, present_);
      if (lists_) {
        lists_->read(columns_, arrays_, offset + begin, rows, present_, take);
        continue;
      }
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        values_[i] = columns_[i].read(offset + begin, rows, present_);
      }
      take({rows, values_});
    }
    present_.clear();
  }

 private:
  std::span<const std::size_t> wanted_;
  std::vector<const ArrowArray*> arrays_;
  std::vector<ArrowColumn> columns_;
  std::vector<Values> values_;
  std::optional<ListRows> lists_;      // if there are any
  std::vector<std::uint8_t> present_;  // which rows are not null as a whole
};

ArrowSource::ArrowSource(ArrowArrayStream* stream) : is_stream_(true) {
  refuse_if(stream == nullptr || stream->release == nullptr, "not-repeatable", {},
            "the data must be an Arrow stream, but it was released before");
  stream_ = ArrowOwned<ArrowArrayStream>(stream);
  ArrowSchema schema{};
  require_success(stream_->get_schema(stream_.get(), &schema));
  take_schema(&schema);
}

ArrowSource::ArrowSource(ArrowSchema* schema, ArrowArray* batch) : is_held_(true) {
  Batch owned = batch == nullptr ? Batch() : Batch(batch);
  take_schema(schema);
  refuse_if(!owned, "not-repeatable", {},
            "the data must be an Arrow array, but it was released before");
  require_batch(*owned);
  held_.push_back(std::move(owned));
}

namespace {

/// The values of a type that is not read, in words: "times of day (ttu in Arrow)".
std::string held_by(const ArrowSchema& column) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kWords = {
      {{"tt", "times of day"},
       {"tD", "durations"},
       {"ti", "intervals of time"},
       {"_pli", "128-bit integers"},
       {"_plu", "128-bit integers"},
       {"e", "16-bit numbers"},
       {"w:", "binaries of one length"},
       {"d:", "decimals of another kind"},
       {"+s", "structs"},
       {"+m", "maps"},
       {"+u", "unions"},
       {"+r", "runs of equal values"}}};
  const std::string_view format = column.format == nullptr ? "" : column.format;
  const std::string_view extension = extension_of(column);
  if (!extension.empty()) return fmt::format("values of the extension type \"{}\"", extension);
  if (column.dictionary != nullptr) return "a dictionary of " + held_by(*column.dictionary);
  constexpr std::size_t kLettersOfUnit = std::string_view("tss:").size();
  const std::string_view unit = format.substr(0, kLettersOfUnit);
  if (unit == "tss:" || unit == "tsm:" || unit == "tsu:" || unit == "tsn:") {
    return fmt::format("timestamps of a zone that this machine does not know ({} in Arrow)",
                       printable(format));
  }
  const bool has_items =
      column.n_children == 1 && column.children != nullptr && column.children[0] != nullptr;
  const auto* const found = std::find_if(kWords.begin(), kWords.end(), [&](const auto& known) {
    return format.starts_with(known.first);
  });
  if (found != kWords.end()) return fmt::format("{} ({} in Arrow)", found->second, format);
  if (has_items) return "lists of " + held_by(*column.children[0]);
  return fmt::format("values of another type (\"{}\" in Arrow)", format);
}

}  // namespace

void ArrowSource::take_schema(ArrowSchema* schema) {
  refuse_if(schema == nullptr || schema->release == nullptr, "not-repeatable", {},
            "the data must have an Arrow schema, but it was released before");
  const ArrowOwned<ArrowSchema> owned(schema);
  const std::string_view format = owned->format == nullptr ? "" : owned->format;
  refuse_if(format != "+s" || owned->dictionary != nullptr, "malformed-table", {},
            "the data must be Arrow batches of columns (+s), but are \"{}\"", format);
  refuse_if(owned->n_children < 0 || (owned->n_children > 0 && owned->children == nullptr),
            "malformed-table", {}, "the data's Arrow schema must list its columns, but does not");
  for (std::int64_t i = 0; i < owned->n_children; ++i) {
    const ArrowSchema* const column = owned->children[i];
    refuse_if(column == nullptr || column->format == nullptr, "malformed-table", {},
              "the data's Arrow schema must list its columns, but lacks one");
    names_.emplace_back(column->name == nullptr ? "" : column->name);
    types_.push_back(ArrowType::of(*column));
    held_types_.push_back(types_.back() ? "" : held_by(*column));
    const bool is_ordered = (column->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0 ||
                            !metadata_of(*column, kEnumOfPolars).empty();
    are_ordered_.push_back(types_.back() && types_.back()->values && !types_.back()->lists &&
                           is_ordered);
  }
}

void ArrowSource::require_readable(std::size_t column) const {
  if (types_[column]) return;
  refuse_input("unsupported-type", Concern::of_column(names_[column]),
               "column \"{}\" of the data must be of booleans, integers, numbers, texts, dates or "
               "timestamps, or of lists of these, but has {}: cast it to {}",
               names_[column], held_types_[column],
               held_types_[column].find("16-bit") == std::string::npos
                   ? "texts or numbers"
                   : "32 or 64 bits, because programs write 16-bit numbers in different ways (0.1 "
                     "or 0.0999755859375)");
}

std::string ArrowSource::fault_of(std::size_t column) const {
  if (!types_[column]) {
    return fmt::format("it holds {}, and a domain has no type for these", held_types_[column]);
  }
  return types_[column]->lists ? "it holds lists, so that a row has several values" : "";
}

bool ArrowSource::holds_lists(std::size_t column) const noexcept {
  return types_[column] && types_[column]->lists;
}

namespace {

/// The texts of a dictionary's values; nothing if one is a null or is listed twice, so that the
/// order is not the values'.
std::optional<std::vector<std::string>> words_in(const ArrowType& type, const ArrowArray& array) {
  ArrowType listed = type;
  listed.layout = *type.values;
  listed.values.reset();
  ArrowColumn column(listed);
  column.open(*array.dictionary);
  const Values values = column.read(0, static_cast<std::size_t>(array.dictionary->length));
  std::vector<std::string> words;
  StringIndex seen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    TextBuffer buffer;
    const std::string_view text = std::visit(
        [&buffer]<class Typed>(const Typed& value) -> std::string_view {
          if constexpr (std::is_same_v<Typed, std::monostate>) {
            return {};
          } else if constexpr (std::is_same_v<Typed, bool>) {
            return value ? "true" : "false";
          } else if constexpr (std::is_same_v<Typed, std::string_view>) {
            return value;
          } else {
            return text_of(value, buffer);
          }
        },
        values[i]);
    if (text.empty() || seen.insert(text) != i) return std::nullopt;
    words.emplace_back(text);
  }
  return words;
}

}  // namespace

OrderedWords ArrowSource::ordered_words() const {
  OrderedWords found;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (!are_ordered_[i]) continue;
    require_repeatable();
    std::optional<std::vector<std::string>> words;
    for (const Batch& batch : held_) {
      auto next = words_in(*types_[i], *batch->children[i]);
      const bool differs = !next || (words && *words != *next);
      words = std::move(next);
      if (!differs) continue;
      words.reset();
      break;
    }
    if (words && !words->empty()) found.emplace(names_[i], std::move(*words));
  }
  return found;
}

void ArrowSource::require_batch(const ArrowArray& batch) const {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 40U;
  refuse_if(
      batch.length < 0 || batch.length > kMostRows || batch.offset < 0 || batch.offset > kMostRows,
      "malformed-table", {},
      "a batch of the data must have from 0 to {} rows, but has {} from {} on", kMostRows,
      batch.length, batch.offset);
  const auto columns = static_cast<std::int64_t>(names_.size());
  if (batch.n_children != columns || (columns > 0 && batch.children == nullptr)) {
    refuse_input("malformed-table", {}, "a batch of the data must have {} columns, but has {}",
                 columns, batch.children == nullptr ? 0 : batch.n_children);
  }
  refuse_if(batch.n_buffers > 1 || batch.n_buffers < 0, "malformed-table", {},
            "a batch of the data must have at most 1 buffer, but has {}", batch.n_buffers);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const ArrowArray* const column = batch.children[i];
    if (column == nullptr) {
      refuse_input("malformed-table", Concern::of_column(names_[i]),
                   "a batch of the data lacks column \"{}\"", names_[i]);
    }
    if (types_[i]) {
      require_shape(*types_[i], *column, batch.offset + batch.length,
                    fmt::format("column \"{}\" of the data", names_[i]));
    }
  }
}

void require_lists_of_units(const Source& source, std::span<const std::string> domain,
                            const UnitColumns& unit) {
  for (std::size_t i = 0; i < source.columns().size(); ++i) {
    const std::string& name = source.columns()[i];
    const bool is_read = unit ? unit.has(name)
                              : std::find(domain.begin(), domain.end(), name) != domain.end() ||
                                    source.counts_column() == i;
    if (!is_read || !source.holds_lists(i)) continue;
    throw InvalidInput(
        "unsupported-type",
        unit
            ? fmt::format("the unit column must name one unit in each row, but \"{}\" holds lists",
                          name)
            : fmt::format("column \"{}\" of {} holds lists, each of a unit's values, but no column "
                          "names the unit",
                          name, source.name()),
        Concern::of_column(name));
  }
}

ArrowSource::Batch ArrowSource::next(ArrowOwned<ArrowArrayStream>& stream) const {
  ArrowArray array{};
  require_success(stream->get_next(stream.get(), &array));
  Batch batch(&array);
  if (batch) require_batch(*batch);
  return batch;
}

void ArrowSource::require_repeatable() const {
  if (is_held_) return;
  refuse_if(!stream_, "not-repeatable", {}, "the data is a stream that was read before");
  ArrowOwned<ArrowArrayStream> stream = std::move(stream_);
  std::vector<Batch> all;
  while (Batch batch = next(stream)) {
    keep_going();
    all.push_back(std::move(batch));
  }
  held_ = std::move(all);
  is_held_ = true;
}

std::uint64_t ArrowSource::record_count() const {
  require_repeatable();
  std::uint64_t count = 0;
  for (const Batch& batch : held_) count += static_cast<std::uint64_t>(batch->length);
  return count;
}

void ArrowSource::visit(std::span<const std::size_t> wanted,
                        const std::function<void(const Block&)>& take) const {
  BatchReader reader(*this, wanted);
  if (is_held_) {
    for (const Batch& batch : held_) reader.read(*batch, take);
    return;
  }
  refuse_if(!stream_, "not-repeatable", {}, "the data is a stream that was read before");
  // However the visit ends, nobody reads on in the middle.
  ArrowOwned<ArrowArrayStream> stream = std::move(stream_);
  Batch before;  // is still there while the next one is opened
  while (Batch batch = next(stream)) {
    reader.read(*batch, take);
    before = std::move(batch);
  }
}

// -----------------------------------------------------------------------------------------------
// Released records as an Arrow stream.

namespace arrow_table {

/// Least number of rows in a batch: enough that one more batch costs nothing.
constexpr std::int64_t kRowsPerBatch = std::int64_t{1} << 16U;

class Bits {
 public:
  void push_back(bool bit) {
    if (size_ % 8 == 0) octets_.push_back(0);
    if (bit) octets_.back() = static_cast<std::uint8_t>(octets_.back() | 1U << size_ % 8);
    ++size_;
  }
  [[nodiscard]] const void* data() const noexcept { return octets_.data(); }

 private:
  std::vector<std::uint8_t> octets_;
  std::size_t size_ = 0;
};

struct Texts {
  std::vector<std::int64_t> offsets = {0};
  std::string bytes;

  void push_back(std::string_view text) {
    bytes += text;
    offsets.push_back(static_cast<std::int64_t>(bytes.size()));
  }
};

/// One column of a batch, with the members that its type needs.
struct BatchColumn {
  std::int64_t nulls = 0;
  Bits valid;
  std::vector<std::int64_t> integers;  // and microseconds
  std::vector<std::int32_t> days;
  std::vector<double> numbers;
  Bits truths;
  std::vector<std::int32_t> places;
  Texts texts;
};

struct OwnedBatch {
  std::int64_t rows = 0;
  std::vector<BatchColumn> columns;
};

/// The words that a column declares, and the numbers that they write if all do.
struct Words {
  StringIndex index;
  Texts texts;
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;

  void add(const std::string& word, ValueType type) {
    index.insert(word);
    if (type == ValueType::kInteger) {
      integers.push_back(read_integer(word).value());
    } else if (type == ValueType::kNumber) {
      numbers.push_back(read_number(word).value());
    } else {
      texts.push_back(word);
    }
  }
};

}  // namespace arrow_table

namespace {

using arrow_table::BatchColumn;
using arrow_table::OwnedBatch;
using arrow_table::Words;

bool has_places(const ColumnSchema& column) {
  return column.type == ValueType::kText && !column.words.empty();
}

/// True for moments that are given by 32 bits; the others are given by microseconds.
bool is_in_32_bits(const MomentForm& form) {
  switch (form.kind) {
    case MomentForm::Kind::kDay:
      return true;
    case MomentForm::Kind::kInstant:
      break;
  }
  return false;
}

std::string format_of(const MomentForm& form) {
  if (is_in_32_bits(form)) return "tdD";
  if (form.zone != nullptr) return "tsu:" + form.zone->name();
  return form.offset ? "tsu:UTC" : "tsu:";  // not every program knows zones that are an offset
}

std::string format_of(const ColumnSchema& column) {
  switch (column.type) {
    case ValueType::kInteger:
      return "l";
    case ValueType::kNumber:
      return "g";
    case ValueType::kBoolean:
      return "b";
    case ValueType::kMoment:
      return format_of(column.moments);
    case ValueType::kText:
      break;
  }
  return has_places(column) ? "i" : "U";
}

const char* format_of_words(const ColumnSchema& column) {
  if (column.word_type == ValueType::kInteger) return "l";
  return column.word_type == ValueType::kNumber ? "g" : "U";
}

/// A list of one key and its value, as Arrow's schemas have it, by which Polars makes an Enum of a
/// dictionary; empty for columns that are not one.
std::string enum_metadata_of(const ColumnSchema& column) {
  if (!has_places(column) || !column.ordered || column.word_type != ValueType::kText) return {};
  std::string listed;
  for (const std::string& word : column.words) listed += fmt::format("{};{}", word.size(), word);
  std::string metadata;
  const auto add_size = [&metadata](std::size_t size) {
    const auto count = static_cast<std::int32_t>(size);
    metadata.append(reinterpret_cast<const char*>(&count), sizeof count);
  };
  add_size(1);
  for (const std::string_view text : {kEnumOfPolars, std::string_view(listed)}) {
    add_size(text.size());
    metadata += text;
  }
  return metadata;
}

void append_to(BatchColumn& column, const ColumnSchema& schema, const Words& words,
               const Value& value) {
  const bool is_null = std::holds_alternative<std::monostate>(value);
  column.valid.push_back(!is_null);
  column.nulls += is_null ? 1 : 0;
  switch (schema.type) {
    case ValueType::kInteger:
      column.integers.push_back(is_null ? 0 : std::get<std::int64_t>(value));
      return;
    case ValueType::kMoment: {
      const std::int64_t count = is_null ? 0 : std::get<Moment>(value).count;
      if (is_in_32_bits(schema.moments)) {
        column.days.push_back(static_cast<std::int32_t>(count));
      } else {
        column.integers.push_back(count * (1'000'000 / schema.moments.per_second));
      }
      return;
    }
    case ValueType::kNumber:
      column.numbers.push_back(is_null ? 0 : std::get<double>(value));
      return;
    case ValueType::kBoolean:
      column.truths.push_back(!is_null && std::get<bool>(value));
      return;
    case ValueType::kText:
      break;
  }
  const std::string_view text = is_null ? std::string_view() : std::get<std::string_view>(value);
  if (has_places(schema)) {
    column.places.push_back(is_null ? 0 : static_cast<std::int32_t>(words.index.find(text)));
  } else {
    column.texts.push_back(text);
  }
}

/// What an exported structure refers to, and its own parts. Those that nobody took go with it.
template <class Structure>
struct Body {
  std::shared_ptr<const void> keeps;
  std::string format;
  std::string name;
  std::string metadata;
  std::vector<const void*> buffers;
  std::vector<Structure> children;
  std::vector<Structure*> pointers;
  Structure dictionary{};

  Body() = default;
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;
  ~Body() {
    for (Structure& child : children) {
      if (child.release != nullptr) child.release(&child);
    }
    if (dictionary.release != nullptr) dictionary.release(&dictionary);
  }
};

template <class Structure>
void release_body(Structure* structure) {
  structure->release = nullptr;
  delete static_cast<Body<Structure>*>(structure->private_data);
}

template <class Structure>
Structure with_body(Structure structure, std::unique_ptr<Body<Structure>> body) {
  for (Structure& child : body->children) body->pointers.push_back(&child);
  structure.n_children = static_cast<std::int64_t>(body->children.size());
  structure.children = body->pointers.data();
  if (body->dictionary.release != nullptr) structure.dictionary = &body->dictionary;
  structure.private_data = body.release();
  structure.release = release_body<Structure>;
  return structure;
}

ArrowSchema exported_schema(std::string format, std::string_view name, const ColumnSchema* column) {
  auto body = std::make_unique<Body<ArrowSchema>>();
  body->format = std::move(format);
  body->name = name;
  ArrowSchema schema{};
  schema.flags = ARROW_FLAG_NULLABLE;
  if (column != nullptr && has_places(*column)) {
    body->dictionary = exported_schema(format_of_words(*column), "", nullptr);
    body->metadata = enum_metadata_of(*column);
    if (column->ordered) schema.flags |= ARROW_FLAG_DICTIONARY_ORDERED;
  }
  schema.format = body->format.c_str();
  schema.name = body->name.c_str();
  if (!body->metadata.empty()) schema.metadata = body->metadata.data();
  return with_body(schema, std::move(body));
}

ArrowArray exported_array(std::int64_t length, std::int64_t nulls,
                          std::shared_ptr<const void> keeps, std::vector<const void*> buffers,
                          std::unique_ptr<Body<ArrowArray>> body) {
  body->keeps = std::move(keeps);
  body->buffers = std::move(buffers);
  ArrowArray array{};
  array.length = length;
  array.null_count = nulls;
  array.n_buffers = static_cast<std::int64_t>(body->buffers.size());
  array.buffers = body->buffers.data();
  return with_body(array, std::move(body));
}

ArrowArray exported_column(const ColumnSchema& schema, const BatchColumn& column,
                           const Words& words, std::int64_t rows,
                           const std::shared_ptr<const void>& table) {
  auto body = std::make_unique<Body<ArrowArray>>();
  std::vector<const void*> buffers = {column.nulls == 0 ? nullptr : column.valid.data()};
  switch (schema.type) {
    case ValueType::kInteger:
      buffers.push_back(column.integers.data());
      break;
    case ValueType::kNumber:
      buffers.push_back(column.numbers.data());
      break;
    case ValueType::kBoolean:
      buffers.push_back(column.truths.data());
      break;
    case ValueType::kMoment:
      buffers.push_back(is_in_32_bits(schema.moments) ? static_cast<const void*>(column.days.data())
                                                      : column.integers.data());
      break;
    case ValueType::kText:
      if (has_places(schema)) {
        buffers.push_back(column.places.data());
        std::vector<const void*> listed = {nullptr};
        if (schema.word_type == ValueType::kInteger) {
          listed.push_back(words.integers.data());
        } else if (schema.word_type == ValueType::kNumber) {
          listed.push_back(words.numbers.data());
        } else {
          listed.insert(listed.end(), {words.texts.offsets.data(), words.texts.bytes.data()});
        }
        body->dictionary = exported_array(static_cast<std::int64_t>(words.index.size()), 0, table,
                                          std::move(listed), std::make_unique<Body<ArrowArray>>());
      } else {
        buffers.push_back(column.texts.offsets.data());
        buffers.push_back(column.texts.bytes.data());
      }
      break;
  }
  return exported_array(rows, column.nulls, table, std::move(buffers), std::move(body));
}

}  // namespace

struct ArrowSink::Table {
  Schema schema;
  std::vector<Words> words;  // of each column
  std::vector<OwnedBatch> batches;

  void export_schema(ArrowSchema* out) const {
    auto body = std::make_unique<Body<ArrowSchema>>();
    for (const ColumnSchema& column : schema) {
      body->children.push_back(exported_schema(format_of(column), column.name, &column));
    }
    ArrowSchema whole{};
    whole.format = "+s";
    whole.name = "";
    *out = with_body(whole, std::move(body));
  }

  static void export_batch(const std::shared_ptr<const Table>& table, std::size_t index,
                           ArrowArray* out) {
    const OwnedBatch& batch = table->batches[index];
    auto body = std::make_unique<Body<ArrowArray>>();
    for (std::size_t i = 0; i < table->schema.size(); ++i) {
      body->children.push_back(
          exported_column(table->schema[i], batch.columns[i], table->words[i], batch.rows, table));
    }
    *out = exported_array(batch.rows, 0, table, {nullptr}, std::move(body));
  }
};

namespace {

/// One run through a table.
template <class Table>
struct Cursor {
  std::shared_ptr<const Table> table;
  std::size_t next = 0;
};

/// The failure of `action`, which can only be memory, as a code.
template <class Action>
int code_of(Action action) noexcept {
  try {
    action();
    return 0;
  } catch (const std::exception&) {
    return ENOMEM;
  }
}

template <class Table>
Cursor<Table>& cursor_of(ArrowArrayStream* stream) {
  return *static_cast<Cursor<Table>*>(stream->private_data);
}

}  // namespace

ArrowSink::ArrowSink() = default;
ArrowSink::~ArrowSink() = default;

void ArrowSink::begin(const Schema& schema) {
  table_ = std::make_shared<Table>();
  table_->schema = schema;
  for (const ColumnSchema& column : schema) {
    require_without_nul("a column's name", column.name);
    Words& words = table_->words.emplace_back();
    if (!has_places(column)) continue;
    for (const std::string& word : column.words) words.add(word, column.word_type);
  }
}

void ArrowSink::write(const Block& block) {
  std::vector<OwnedBatch>& batches = table_->batches;
  if (batches.empty() || batches.back().rows >= arrow_table::kRowsPerBatch) {
    batches.emplace_back().columns.resize(table_->schema.size());
  }
  OwnedBatch& batch = batches.back();
  for (std::size_t i = 0; i < batch.columns.size(); ++i) {
    for (std::size_t row = 0; row < block.rows; ++row) {
      append_to(batch.columns[i], table_->schema[i], table_->words[i], block.columns[i][row]);
    }
  }
  batch.rows += static_cast<std::int64_t>(block.rows);
}

void ArrowSink::export_to(ArrowArrayStream* stream) const {
  auto cursor = std::make_unique<Cursor<Table>>(Cursor<Table>{table_, 0});
  stream->get_schema = [](ArrowArrayStream* self, ArrowSchema* out) {
    return code_of([&] { cursor_of<Table>(self).table->export_schema(out); });
  };
  stream->get_next = [](ArrowArrayStream* self, ArrowArray* out) {
    return code_of([&] {
      Cursor<Table>& at = cursor_of<Table>(self);
      *out = {};
      if (at.next == at.table->batches.size()) return;
      Table::export_batch(at.table, at.next, out);
      ++at.next;
    });
  };
  stream->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  stream->release = [](ArrowArrayStream* self) {
    self->release = nullptr;
    delete &cursor_of<Table>(self);
  };
  stream->private_data = cursor.release();
}

}  // namespace mollify
