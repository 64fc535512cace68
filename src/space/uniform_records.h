// The records that candidates are drawn from when there is no public reference.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/core/uniform_below.h"
#include "space/domain.h"

namespace mollify {

/// Independent columns, each uniform over its values. Public and immutable.
///
/// The null category of a number or an integer is as likely as one of its cells, and never less
/// than one eleventh: cells are many where bins are not declared, and nulls would never be seen.
///
/// **Fixed for ever**: lists of candidates are shared by their seed. For each column of the domain
/// in turn, `draw` takes one integer below min(cells, 10) + 1 if the column is a number or an
/// integer with a null category, 0 standing for null; then, unless it is null, one below the number
/// of cells (of any other column: of its outcomes).
class UniformRecords {
 public:
  explicit UniformRecords(const Domain& domain);

  [[nodiscard]] std::size_t columns() const noexcept { return columns_.size(); }

  /// Draws one record's digits; `digits` has one place for each column.
  template <class Random>
  void draw(Random& random, std::span<std::uint32_t> digits) const {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Choice& column = columns_[i];
      if (column.null_among > 0 && random.below(column.null_among) == 0) {
        digits[i] = column.cells;
      } else {
        digits[i] = static_cast<std::uint32_t>(random.below(column.cells));
      }
    }
  }

  /// True if all records are equally likely, that is if no number may be null.
  [[nodiscard]] bool is_flat() const noexcept { return flat_; }

  /// The record's density where a number's values have length one in all, and the values of every
  /// other column count one each; up to the factor of the latter's number.
  [[nodiscard]] double density(std::span<const std::uint32_t> digits) const noexcept;

 private:
  struct Choice {
    std::uint32_t cells;
    std::uint32_t null_among;  // null is one of so many; 0: it has no null of its own
    double if_null;            // density, against that of the column's other values together
    double if_value;
  };

  std::vector<Choice> columns_;
  bool flat_ = true;
};

}  // namespace mollify
