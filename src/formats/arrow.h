// Sources and sinks of Arrow streams.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/arrow_column.h"
#include "records/sink.h"
#include "records/source.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Arrow arrays as a source of records.

/// Texts of a column's values in an order, by the column's name.
using OrderedWords = std::map<std::string, std::vector<std::string>>;

/// A stream of record batches, or one batch, that another program exported. Its arrays are released
/// once: when the source no longer needs it, or is destroyed.
///
/// A stream that is visited once is read as it comes, in bounded memory. One that must be counted
/// or visited again (`require_repeatable`) is read to its end first, and held.
///
/// Batches whose shape does not match their types are refused (InvalidInput), when they come: fewer
/// buffers, children or values than there must be, negative lengths, no dictionary. Faults of
/// private values are not refused: see ArrowColumn. If a requested column holds lists, each row
/// becomes records as ListRows says. Columns of other types than these may be there, but cannot be
/// asked for.
class ArrowSource final : public Source {
 public:
  /// Takes the stream over. Throws InvalidInput unless it is one, of batches with columns.
  explicit ArrowSource(ArrowArrayStream* stream);
  /// Takes both over. Throws InvalidInput unless they are a schema and its batch.
  ArrowSource(ArrowSchema* schema, ArrowArray* batch);

  [[nodiscard]] std::string_view name() const noexcept override { return "the data"; }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override { return names_; }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;
  [[nodiscard]] std::uint64_t record_count() const override;
  void require_repeatable() const override;
  /// Whether rows were asked of a stream, which gives them once.
  [[nodiscard]] bool is_spent() const noexcept { return is_stream_ && !stream_; }
  void require_readable(std::size_t column) const override;
  [[nodiscard]] std::string fault_of(std::size_t column) const override;
  [[nodiscard]] bool holds_lists(std::size_t column) const noexcept override;
  /// The words of columns whose type is an ordered dictionary, in their order, with words that no
  /// row has; of public tables. A column whose batches differ in their words is left out. Reads a
  /// stream to its end.
  [[nodiscard]] OrderedWords ordered_words() const;

 private:
  using Batch = ArrowOwned<ArrowArray>;
  class BatchReader;

  void take_schema(ArrowSchema* schema);
  void require_batch(const ArrowArray& batch) const;
  [[nodiscard]] Batch next(ArrowOwned<ArrowArrayStream>& stream) const;

  std::vector<std::string> names_;
  std::vector<std::optional<ArrowType>> types_;
  std::vector<std::string> held_types_;  // in words, of those that are not read
  std::vector<bool> are_ordered_;        // dictionaries in an order
  bool is_stream_ = false;
  mutable ArrowOwned<ArrowArrayStream> stream_;  // until it is read
  mutable std::vector<Batch> held_;
  mutable bool is_held_ = false;
};

/// Throws InvalidInput if a source holds lists, whose lengths are private, where it must have a row
/// for each record: in the columns of the domain, or, where columns name the unit of each, in
/// these. Other columns are not read, whatever they hold.
void require_lists_of_units(const Source& source, std::span<const std::string> domain,
                            const UnitColumns& unit);

// -----------------------------------------------------------------------------------------------
// Released records as an Arrow stream.

/// Gathers a table for another program: integers as int64, numbers as double, truths as bool, texts
/// as large_utf8, texts of a column that declares its words as a dictionary with int32 places, days
/// as date32, and times as timestamps of microseconds: with the column's zone, of UTC if it is an
/// offset, otherwise of no zone. A dictionary has the type of what its words write. It is ordered if the words are, and
/// texts then have the metadata by which Polars makes an Enum.
class ArrowSink final : public Sink {
 public:
  ArrowSink();
  ~ArrowSink() override;

  void begin(const Schema& schema) override;
  void write(const Block& block) override;

  /// The whole table as a stream, as often as one likes, for the streams share it. What `stream`
  /// points to is overwritten; who takes it releases it. Requires `begin`.
  void export_to(ArrowArrayStream* stream) const;

 private:
  struct Table;

  std::shared_ptr<Table> table_;
};

}  // namespace mollify
