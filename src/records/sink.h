// Sinks of released records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "domain/same_value.h"
#include "records/unit_columns.h"
#include "records/values.h"

namespace mollify {

class Domain;
class RealColumns;
class UniformIntegers;

// -----------------------------------------------------------------------------------------------
// Where released records go.

using Schema = std::vector<ColumnSchema>;

/// The columns of records that are written in a domain, of the types of Column::value.
[[nodiscard]] Schema schema_of(const Domain& domain);
/// The columns of points: numbers, logarithms taken back.
[[nodiscard]] Schema schema_of(const RealColumns& columns);

/// Takes a table: `begin`, then any number of `write`. The sink's maker learns from the release
/// that the table is whole. Without that nothing was released.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Requires distinct names.
  virtual void begin(const Schema& /*schema*/) {}
  /// One column for each of the schema, of its type (text may come as a dictionary of its words).
  virtual void write(const Block& block) = 0;
};

// -----------------------------------------------------------------------------------------------
// A column that is owned.

/// Values of one column, appended one by one or by blocks, and lent as `Values`.
///
/// Texts of a column that declares its words are kept as places among them, other texts end to end.
class ColumnBuffer {
 public:
  explicit ColumnBuffer(const ColumnSchema& schema);

  [[nodiscard]] ValueType type() const noexcept { return type_; }
  [[nodiscard]] std::size_t size() const noexcept { return valid_.size(); }

  /// Appends a null, or a value of the column's type. Requires that it is one of these.
  void append(const Value& value);
  /// Appends the word at a place. Requires place < words.size().
  void append_word(std::uint32_t place);
  /// Forgets the rows, and keeps the memory for others.
  void clear() noexcept;

  /// All rows; valid until the next change.
  [[nodiscard]] Values values();

 private:
  ValueType type_;
  MomentForm form_;
  bool has_words_;
  bool has_nulls_ = false;
  std::vector<std::uint8_t> valid_;
  std::vector<std::int64_t> integers_;
  std::vector<double> numbers_;
  std::vector<std::uint8_t> truths_;
  std::vector<std::uint32_t> places_;
  StringIndex words_;
  std::string bytes_;
  std::vector<std::size_t> ends_;
  std::vector<std::string_view> views_;  // of the words, or of the rows
  Values list_;                          // of the words
};

// -----------------------------------------------------------------------------------------------
// Writes released records to a sink, typed.

/// Gathers records in blocks for a sink. The values written for a record encode to it again.
///
/// Records are written as digits of a domain, where several values may represent a digit and one of
/// them is drawn; or as points. The columns of units, if any, come first, as text.
class RecordWriter {
 public:
  /// Calls the sink's `begin`. `domain` and `sink` must outlive the writer. Throws InvalidInput if
  /// a unit column is one of the domain's.
  RecordWriter(const Domain& domain, Sink& sink, const UnitColumns& unit = {});
  RecordWriter(const RealColumns& columns, Sink& sink);

  /// Requires an enumerable domain and outcome < domain.size(); `unit`, a text of
  /// `unit_text`, is written if there are unit columns. `random` as in Domain::decode.
  void write_outcome(std::uint32_t outcome, UniformIntegers random, std::string_view unit = {});
  /// Requires one digit for each column, each below that column's size, as Domain::write_digits.
  void write_digits(std::span<const std::uint32_t> digits, UniformIntegers random,
                    std::string_view unit = {});
  /// Of values that are drawn already: a point for each column.
  void write_drawn(std::span<const std::uint32_t> digits, std::span<const std::uint64_t> points);
  /// Requires one coordinate for each of the RealColumns that the writer was made for.
  void write_point(std::span<const double> point);

  /// Of digits. Requires a writer that was made for a domain.
  [[nodiscard]] const Domain& domain() const noexcept { return *domain_; }

  /// Passes on what is left.
  void finish();

 private:
  void write_value(std::size_t column, std::uint32_t digit, std::uint64_t point);
  void begin_record(std::string_view unit);
  void end_record();
  void flush();

  const Domain* domain_ = nullptr;
  const RealColumns* points_ = nullptr;
  Sink& sink_;
  std::size_t unit_columns_ = 0;
  std::vector<ColumnBuffer> columns_;
  std::vector<std::uint32_t> digits_;  // of a record
  std::vector<std::uint64_t> points_of_;
};

}  // namespace mollify
