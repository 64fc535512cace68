// Reads private records as points.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/core/secure_random.h"
#include "records/numeric_table.h"
#include "records/source.h"
#include "records/unit_ids.h"
#include "space/real_columns.h"

namespace mollify {

/// The rows of a source as points, in as many passes as are asked for. Bounded memory.
///
/// What is wrong with the source in public (a column that it lacks, not to be visited again) throws
/// InvalidInput from the constructor; after that no content does.
class NumericRows final : public NumericTable {
 public:
  /// Counts the rows. `source` and `columns` must outlive the table.
  NumericRows(const Source& source, const RealColumns& columns);

  [[nodiscard]] std::size_t dimension() const override { return columns_.size(); }
  [[nodiscard]] std::uint64_t record_count() const override { return rows_; }
  void visit(const std::function<void(std::span<const double> rows)>& visit) const override;

 private:
  const Source& source_;
  const RealColumns& columns_;
  std::vector<std::size_t> wanted_;
  std::uint64_t rows_;
};

/// One row of each unit, drawn evenly from its rows, in memory. With a roster the units are those
/// of the roster, and one without rows is a point in the middle of the columns' ranges; without one
/// they are those of the source in the order of their ids' bytes, rows of an empty id left out: the
/// place of a unit's point depends on no other unit's rows. Total like NumericRows.
[[nodiscard]] std::vector<double> read_unit_points(const Source& source, const RealColumns& columns,
                                                   const std::string& unit_column,
                                                   const std::optional<Roster>& roster,
                                                   SecureRandom& random);

}  // namespace mollify
