// The empirical distributions of many units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "records/tally.h"
#include "space/string_index.h"

namespace mollify {

/// For each unit, how often each outcome occurred among its records. Private.
///
/// Units lie end to end in compressed rows: 12 bytes for each distinct (unit, outcome).
class UnitTable {
 public:
  /// Collects records in any order. O(log n) amortised for each.
  class Builder {
   public:
    void add(std::uint32_t unit, std::uint32_t outcome, std::uint64_t count = 1) {
      tally_.add(std::uint64_t{unit} << 32U | outcome, count);
    }

    /// The table of `ids`; unit i of `add` is the i-th of them. Requires units < ids.size().
    [[nodiscard]] UnitTable build(StringIndex ids) &&;

   private:
    Tally<std::uint64_t> tally_;
  };

  /// The same units in the order of their ids' bytes, whatever order they were built in. O(n).
  [[nodiscard]] UnitTable sorted_by_id() const;

  /// The records of all tables together. If `same_units`, all have the same units in one order,
  /// which stays; otherwise units of one id are one unit, in the order of the ids' bytes. O(n), and
  /// O(units log units).
  [[nodiscard]] static UnitTable merged(std::span<const UnitTable> tables, bool same_units);

  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] std::string_view id(std::size_t unit) const noexcept { return ids_[unit]; }

  /// The unit's distinct outcomes, ascending; empty for a unit without records.
  [[nodiscard]] std::span<const std::uint32_t> outcomes(std::size_t unit) const noexcept;
  /// The number of records of each outcome, as doubles for the kernel; not normalised.
  [[nodiscard]] std::span<const double> weights(std::size_t unit) const noexcept;

 private:
  UnitTable() = default;

  StringIndex ids_;
  std::vector<std::size_t> begins_;  // one more than there are units
  std::vector<std::uint32_t> outcomes_;
  std::vector<double> weights_;
};

}  // namespace mollify
