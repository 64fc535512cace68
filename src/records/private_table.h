// The one place that reads private data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "records/source.h"
#include "records/tallies.h"
#include "records/units.h"

namespace mollify {

class Domain;
class RealColumns;

// -----------------------------------------------------------------------------------------------
// Reads private records in a domain's outcomes or digits.

// These functions are total in the records: whatever the rows hold, they neither throw nor print,
// and each row becomes one record of the domain. They throw InvalidInput for faults that are
// visible without private values: a column that is missing, or there twice.

/// Throws InvalidInput unless the source has each of the domain's columns, and the unit's columns
/// if there are any, once, and no unit column is in the domain: every function below asks for
/// this.
void require_columns(const Source& source, const Domain& domain, const UnitColumns& unit = {});

/// Throws InvalidInput where rows represent numbers of records (Source::has_counts); `what` begins
/// the sentence. Those who read digits ask for this.
void require_single_records(const Source& source, std::string_view what,
                            bool takes_weights = false);

/// The records of the whole source. Requires an enumerable domain.
[[nodiscard]] Empirical read_table(const Source& source, const Domain& domain);

/// Tallies without weights for the kernel: in 12 bytes for each distinct outcome.
[[nodiscard]] OutcomeHistogram read_counts(const Source& source, const Domain& domain);

/// Digits of some records, a span for each column, and the weight of each; no weights where the
/// source has none.
using TakeDigits = std::function<void(std::span<const std::span<const std::uint32_t>> digits,
                                      std::span<const std::uint64_t> weights)>;

/// Calls take with a block of records after the other; for any domain.
void visit_digits(const Source& source, const Domain& domain, const TakeDigits& take);

/// The outcome of each row, in order. Requires an enumerable domain.
[[nodiscard]] std::vector<std::uint32_t> read_outcomes(const Source& source, const Domain& domain);

/// The records of each unit. Requires an enumerable domain.
///
/// A unit's id is the text that its value represents, so that it is the same unit in whatever way
/// its records come. With a roster, the units are the roster's, in its order: records of other
/// units are left out, units without records are empty. Without one, the units are the
/// source's, ordered by their bytes and never by their place in it. Records whose id is missing are
/// left out (Units).
[[nodiscard]] UnitTable read_units(const Source& source, const Domain& domain,
                                   const UnitColumns& unit,
                                   const std::optional<Roster>& roster = std::nullopt);

/// The digits of records, a record after the other, and the weight of each, if they have some.
struct TableDigits {
  std::vector<std::uint32_t> digits{};
  std::vector<std::uint64_t> weights{};
};

/// The source's records; of more than `most` records, `most` drawn evenly from all of them
/// (reservoir sampling), so that memory is bounded.
[[nodiscard]] TableDigits read_table_digits(const Source& source, const Domain& domain,
                                            std::size_t most, SecureRandom& random);

/// The digits of each unit's records, of more than `most`, `most` drawn evenly from them, so that
/// the time that a unit takes is bounded; units as in `read_units`, but without a roster they come
/// in no order that anything may depend on. With their weights, if they have some.
[[nodiscard]] UnitRecords read_unit_digits(const Source& source, const Domain& domain,
                                           const UnitColumns& unit,
                                           const std::optional<Roster>& roster, std::size_t most,
                                           SecureRandom& random);

// -----------------------------------------------------------------------------------------------
// Private rows of numbers, as often as they are asked for.

/// A private table of numbers that may be larger than memory: n rows of d doubles, read in passes.
///
/// A reader's duties. The number of columns and of records is public. Every pass gives the same
/// rows in the same order, as blocks of whole rows. A row depends on its own record alone, so that
/// replacing a record replaces one row; privacy depends on that, and on nothing about the values,
/// which may be any doubles, NaN and infinities included. Reading fails (throws) only for reasons
/// that do not depend on values, such as a file that is gone.
class NumericTable {
 public:
  NumericTable() = default;
  NumericTable(const NumericTable&) = delete;
  NumericTable& operator=(const NumericTable&) = delete;
  virtual ~NumericTable() = default;

  /// d, at least 1.
  [[nodiscard]] virtual std::size_t dimension() const = 0;

  /// n, public.
  [[nodiscard]] virtual std::uint64_t record_count() const = 0;

  /// Calls `visit` with blocks of rows, row after row, each block a multiple of d doubles, in order
  /// and from the first row. Block sizes are the reader's choice; a few hundred rows are good. A
  /// block is valid during the call only.
  virtual void visit(const std::function<void(std::span<const double> rows)>& visit) const = 0;
};

/// Rows held in memory.
class MemoryTable final : public NumericTable {
 public:
  /// `rows` is row-major, of a multiple of `dimension` doubles. Throws InvalidInput otherwise, or
  /// if dimension is 0.
  MemoryTable(std::size_t dimension, std::vector<double> rows);

  [[nodiscard]] std::size_t dimension() const override { return dimension_; }
  [[nodiscard]] std::uint64_t record_count() const override { return rows_.size() / dimension_; }
  void visit(const std::function<void(std::span<const double> rows)>& visit) const override;

 private:
  std::size_t dimension_;
  std::vector<double> rows_;
};

// -----------------------------------------------------------------------------------------------
// Reads private records as points.

/// The rows of a source as points, in as many passes as are asked for. Bounded memory.
///
/// A public fault of the source (a column that it lacks, not to be visited again) throws
/// InvalidInput from the constructor; after that no content does.
class NumericRows final : public NumericTable {
 public:
  /// Counts the rows. `source` and `columns` must outlive the table.
  NumericRows(const Source& source, const RealColumns& columns);

  [[nodiscard]] std::size_t dimension() const override;
  [[nodiscard]] std::uint64_t record_count() const override { return rows_; }
  void visit(const std::function<void(std::span<const double> rows)>& visit) const override;

 private:
  const Source& source_;
  const RealColumns& columns_;
  std::vector<std::size_t> wanted_;
  std::uint64_t rows_;
};

/// One row of each unit, drawn evenly from its rows, in memory. With a roster the units are the
/// roster's, and one without rows is a point in the middle of the columns' ranges; without one they
/// are the source's, in the order of their ids' bytes, rows whose id is missing left out: the place of a
/// unit's point depends on no other unit's rows. Total like NumericRows.
[[nodiscard]] std::vector<double> read_unit_points(const Source& source, const RealColumns& columns,
                                                   const UnitColumns& unit,
                                                   const std::optional<Roster>& roster,
                                                   SecureRandom& random);

}  // namespace mollify
