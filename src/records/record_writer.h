// Writes released records to a sink, typed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/column_buffer.h"
#include "records/sink.h"
#include "space/domain.h"
#include "space/real_columns.h"

namespace mollify {

/// Gathers records in blocks for a sink. What is written for a record encodes to it again.
///
/// Records are written as digits of a domain, where several values may stand for a digit and one of
/// them is drawn; or as points. The column of units, if any, comes first, as text.
class RecordWriter {
 public:
  /// Calls the sink's `begin`. `domain` and `sink` must outlive the writer. Throws InvalidInput if
  /// the unit column is one of the domain's.
  RecordWriter(const Domain& domain, Sink& sink,
               const std::optional<std::string>& unit_column = std::nullopt);
  RecordWriter(const RealColumns& columns, Sink& sink);

  /// Requires an enumerable domain and outcome < domain.size(); `unit` is written if there is a
  /// unit column. `random` as in Domain::decode.
  template <class Random>
  void write_outcome(std::uint32_t outcome, Random& random, std::string_view unit = {}) {
    begin_record(unit);
    for (std::size_t i = 0; i < domain_->columns().size(); ++i) {
      write_digit(i, domain_->digit(outcome, i), random);
    }
    end_record();
  }
  /// Requires one digit for each column, each below that column's size.
  template <class Random>
  void write_digits(std::span<const std::uint32_t> digits, Random& random,
                    std::string_view unit = {}) {
    begin_record(unit);
    for (std::size_t i = 0; i < digits.size(); ++i) write_digit(i, digits[i], random);
    end_record();
  }
  /// Requires one coordinate for each of the RealColumns that the writer was made for.
  void write_point(std::span<const double> point);

  /// Passes on what is left and calls the sink's `finish`.
  void finish();

 private:
  template <class Random>
  void write_digit(std::size_t column, std::uint32_t digit, Random& random) {
    const std::uint64_t points = domain_->columns()[column].points(digit);
    append(column, digit, points == 1 ? 0 : Domain::integer_below(random, points));
  }
  void begin_record(std::string_view unit);
  void append(std::size_t column, std::uint32_t digit, std::uint64_t point);
  void end_record();
  void flush();

  const Domain* domain_ = nullptr;
  const RealColumns* points_ = nullptr;
  Sink& sink_;
  bool has_units_ = false;
  std::vector<ColumnBuffer> columns_;
  std::string text_;
};

}  // namespace mollify
