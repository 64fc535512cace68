// The rows of a private CSV file as points, streamed as often as they are asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "records/numeric_table.h"
#include "kernel/core/secure_random.h"
#include "space/domain.h"
#include "space/real_columns.h"
#include "space/string_index.h"

namespace mollify {

/// A file of any size as a table of points: each line below the header is one row, an empty one a
/// row of nulls, so that the number of rows depends on nothing that a row holds. Bounded memory.
///
/// What is wrong with the file in public (missing, no header, a column that it lacks, not a file
/// that can be read twice) throws InvalidInput from the constructor; after that no content does.
class NumericFile final : public NumericTable {
 public:
  /// Counts the lines. `domain` and `columns` must outlive the table; columns are the domain's.
  NumericFile(std::string path, const Domain& domain, const RealColumns& columns);

  std::size_t dimension() const override { return columns_.size(); }
  std::uint64_t record_count() const override { return rows_; }
  void visit(const std::function<void(std::span<const double> rows)>& visit) const override;

 private:
  std::string path_;
  const Domain& domain_;
  const RealColumns& columns_;
  std::uint64_t rows_ = 0;
};

/// One row of each unit, drawn evenly from its rows, in memory. With a roster the units are those
/// of the roster, and one without rows is a point in the middle of the columns' ranges; without one
/// they are those of the file in the order of their ids' bytes, rows of an empty id left out: the
/// place of a unit's point depends on no other unit's rows. Total like NumericFile.
std::vector<double> read_unit_points(const std::string& path, const Domain& domain,
                                     const RealColumns& columns, const std::string& unit_column,
                                     const std::optional<StringIndex>& roster,
                                     SecureRandom& random);

}  // namespace mollify
