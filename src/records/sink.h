// Where released records go.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "records/values.h"
#include "space/domain.h"
#include "space/real_columns.h"

namespace mollify {

/// The type of a released column.
enum class ValueType : std::uint8_t { kInteger, kNumber, kBoolean, kText };

/// What is known of a released column before its first value; public.
struct ColumnSchema {
  std::string name;
  ValueType type = ValueType::kText;
  /// Of numbers that are points of the DecimalLattice of this exponent, and are written so; nothing
  /// where they are written with as few digits as tell doubles apart.
  std::optional<int> exponent{};
  /// The words of a column of few, those of false and true of a boolean one; empty where any text
  /// may come.
  std::vector<std::string> words{};
  /// Of texts that are days, "day"; of those that are times, "wall" where they have no zone, and
  /// else the column's offset from UTC, "Z" or "+01:00". Empty for others.
  std::string clock{};

  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

using Schema = std::vector<ColumnSchema>;

/// The columns of records that are written in a domain, of the types of Column::value.
[[nodiscard]] Schema schema_of(const Domain& domain);
/// The columns of points: numbers, logarithms taken back.
[[nodiscard]] Schema schema_of(const RealColumns& columns);

/// Takes a table: `begin`, any number of `write`, `finish`.
class Sink {
 public:
  Sink() = default;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  virtual ~Sink() = default;

  /// Requires distinct names.
  virtual void begin(const Schema& schema) = 0;
  /// One column for each of the schema, of its type (text may come as a dictionary of its words).
  virtual void write(const Block& block) = 0;
  /// What the records are drawn from, as JSON, where that may be released beside them; between
  /// `begin` and `finish`.
  virtual void take_model(const std::string& /*json*/) {}
  /// Which of a table's pairs the model was fitted to, as JSON, where the records are drawn from
  /// one that chooses them: for the certificate. Between `begin` and `finish`.
  virtual void take_measured(const std::string& /*json*/) {}
  /// So many of so many units have been drawn, which the table will show: for whoever waits for it.
  /// By any of the threads that draw, one at a time; before `begin`.
  virtual void drawn(std::uint64_t /*units*/, std::uint64_t /*of_units*/) {}
  /// The table is whole. Without it nothing was released.
  virtual void finish() = 0;
};

}  // namespace mollify
