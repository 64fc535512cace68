// Records as points of mixed scales.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "density/mixed_points.h"
#include "space/domain.h"

namespace mollify {

/// How a domain's digits become the mixed points that scorers compute with. Public and immutable.
///
/// A number, or an integer, a day or a time in more than 32 cells, is the middle of its cell in
/// [0, 1], cells counted alike however wide; others of these, and ordinals, are ordered levels;
/// booleans and categories are categories, null included. A null category of ordered cells adds a
/// column of two levels behind it, 1 for null, and puts the value itself in the middle of its
/// range.
class RecordLayout {
 public:
  explicit RecordLayout(const Domain& domain);

  /// The columns of the points.
  [[nodiscard]] const std::vector<MixedColumn>& columns() const noexcept { return mixed_; }
  /// The number of digits of a record.
  [[nodiscard]] std::size_t digits() const noexcept { return places_.size(); }

  /// The records whose digits lie end to end, as points. O(records columns).
  [[nodiscard]] MixedPoints points(std::span<const std::uint32_t> digits) const;

  /// The digits of a point: the cell that holds it, the level, the null category. Total: anything
  /// else is brought into range. Requires columns().size() values and digits() digits.
  void digits_of(std::span<const float> point, std::span<std::uint32_t> digits) const noexcept;

 private:
  struct Place {
    std::uint32_t cells;
    Scale scale;
    bool has_null;      // as a column of its own behind this one
    std::size_t mixed;  // the column of the points
  };

  std::vector<Place> places_;
  std::vector<MixedColumn> mixed_;
};

}  // namespace mollify
