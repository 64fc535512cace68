#include "arrow/arrow_source.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "arrow/list_rows.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

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

ArrowSource::ArrowSource(ArrowArrayStream* stream) {
  if (stream == nullptr || stream->release == nullptr) {
    throw InvalidInput("the data must be an Arrow stream, but it was released before");
  }
  stream_ = ArrowOwned<ArrowArrayStream>(stream);
  ArrowSchema schema{};
  require_success(stream_->get_schema(stream_.get(), &schema));
  take_schema(&schema);
}

ArrowSource::ArrowSource(ArrowSchema* schema, ArrowArray* batch) : is_held_(true) {
  Batch owned = batch == nullptr ? Batch() : Batch(batch);
  take_schema(schema);
  if (!owned) throw InvalidInput("the data must be an Arrow array, but it was released before");
  require_batch(*owned);
  held_.push_back(std::move(owned));
}

void ArrowSource::take_schema(ArrowSchema* schema) {
  if (schema == nullptr || schema->release == nullptr) {
    throw InvalidInput("the data must have an Arrow schema, but it was released before");
  }
  const ArrowOwned<ArrowSchema> owned(schema);
  const std::string_view format = owned->format == nullptr ? "" : owned->format;
  if (format != "+s" || owned->dictionary != nullptr) {
    throw InvalidInput(
        fmt::format("the data must be Arrow batches of columns (+s), but are \"{}\"", format));
  }
  if (owned->n_children < 0 || (owned->n_children > 0 && owned->children == nullptr)) {
    throw InvalidInput("the data's Arrow schema must list its columns, but does not");
  }
  for (std::int64_t i = 0; i < owned->n_children; ++i) {
    const ArrowSchema* const column = owned->children[i];
    if (column == nullptr || column->format == nullptr) {
      throw InvalidInput("the data's Arrow schema must list its columns, but lacks one");
    }
    names_.emplace_back(column->name == nullptr ? "" : column->name);
    formats_.emplace_back(column->format);
    types_.push_back(ArrowType::of(*column));
  }
}

void ArrowSource::require_readable(std::size_t column) const {
  if (types_[column]) return;
  if (formats_[column] == "e") {
    throw InvalidInput(fmt::format(
        "column \"{}\" of the data is of 16-bit numbers, which programs write into files "
        "in different ways (0.1 or 0.0999755859375): cast it to 32 or 64 bits",
        names_[column]));
  }
  throw InvalidInput(
      fmt::format("column \"{}\" of the data must be of booleans, integers, numbers, texts, dates "
                  "or times, or of lists of these, but has the Arrow format \"{}\"",
                  names_[column], formats_[column]));
}

bool ArrowSource::holds_lists(std::size_t column) const noexcept {
  return types_[column] && types_[column]->lists;
}

void ArrowSource::require_batch(const ArrowArray& batch) const {
  constexpr std::int64_t kMostRows = std::int64_t{1} << 40U;
  if (batch.length < 0 || batch.length > kMostRows || batch.offset < 0 ||
      batch.offset > kMostRows) {
    throw InvalidInput(
        fmt::format("a batch of the data must have from 0 to {} rows, but has {} from {} on",
                    kMostRows, batch.length, batch.offset));
  }
  const auto columns = static_cast<std::int64_t>(names_.size());
  if (batch.n_children != columns || (columns > 0 && batch.children == nullptr)) {
    throw InvalidInput(fmt::format("a batch of the data must have {} columns, but has {}", columns,
                                   batch.children == nullptr ? 0 : batch.n_children));
  }
  if (batch.n_buffers > 1 || batch.n_buffers < 0) {
    throw InvalidInput(
        fmt::format("a batch of the data must have at most 1 buffer, but has {}", batch.n_buffers));
  }
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const ArrowArray* const column = batch.children[i];
    if (column == nullptr) {
      throw InvalidInput(fmt::format("a batch of the data lacks column \"{}\"", names_[i]));
    }
    if (types_[i]) {
      require_shape(*types_[i], *column, batch.offset + batch.length,
                    fmt::format("column \"{}\" of the data", names_[i]));
    }
  }
}

void require_lists_of_units(const Source& source, const std::optional<std::string>& unit_column) {
  const auto* const arrow = dynamic_cast<const ArrowSource*>(&source);
  if (arrow == nullptr) return;
  for (std::size_t i = 0; i < arrow->columns().size(); ++i) {
    const std::string& name = arrow->columns()[i];
    if (!arrow->holds_lists(i) || (unit_column && name != *unit_column)) continue;
    throw InvalidInput(
        unit_column
            ? fmt::format("the unit column must name one unit in each row, but \"{}\" holds lists",
                          name)
            : fmt::format("column \"{}\" of {} holds lists, each of a unit's values, but no column "
                          "names the unit",
                          name, source.name()));
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
  if (!stream_) throw InvalidInput("the data is a stream that was read before");
  ArrowOwned<ArrowArrayStream> stream = std::move(stream_);
  std::vector<Batch> all;
  while (Batch batch = next(stream)) all.push_back(std::move(batch));
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
  if (!stream_) throw InvalidInput("the data is a stream that was read before");
  // However the visit ends, nobody reads on in the middle.
  ArrowOwned<ArrowArrayStream> stream = std::move(stream_);
  Batch before;  // is still there while the next one is opened
  while (Batch batch = next(stream)) {
    reader.read(*batch, take);
    before = std::move(batch);
  }
}

}  // namespace mollify
