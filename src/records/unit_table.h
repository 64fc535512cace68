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

/// For each unit, how often each outcome occurred among its records, up to kGreatestCount. Private.
///
/// 12 bytes for each distinct (unit, outcome).
class UnitTable {
 public:
  /// Collects records in any order, those of one thread. O(log n) amortised for each.
  class Builder {
   public:
    void add(std::uint32_t unit, std::uint32_t outcome, std::uint64_t count = 1) {
      tally_.add(std::uint64_t{unit} << 32U | outcome, count);
    }

   private:
    friend class UnitTable;
    Tally<std::uint64_t> tally_;
  };

  /// Records that one thread collected. Unit i of them is the i-th of `ids`; so all are fewer.
  struct Part {
    Builder* records;
    const StringIndex* ids;
  };

  /// The records of all parts together, made by a thread for each; takes them out of the parts. If
  /// `same_units`, all parts have the same ids, whose order stays; otherwise units of one id are
  /// one unit, in the order of the ids' bytes, whatever order they were met in. Requires a part.
  /// O(n parts), which the threads share, and O(units log units). Until it is done, 16 bytes more
  /// for each distinct (unit, outcome) of each part.
  [[nodiscard]] static UnitTable of(std::span<const Part> parts, bool same_units);

  [[nodiscard]] std::size_t size() const noexcept { return order_.size(); }
  [[nodiscard]] std::string_view id(std::size_t unit) const noexcept { return ids_[order_[unit]]; }

  /// The unit's distinct outcomes, ascending; empty for a unit without records.
  [[nodiscard]] std::span<const std::uint32_t> outcomes(std::size_t unit) const noexcept;
  /// The number of records of each outcome, as doubles for the kernel; not normalised.
  [[nodiscard]] std::span<const double> weights(std::size_t unit) const noexcept;

 private:
  UnitTable() = default;

  /// Some units one after the other, so that threads may make many at a time.
  struct Piece {
    std::vector<std::size_t> begins;  // one more than there are units
    std::vector<std::uint32_t> outcomes;
    std::vector<double> weights;
  };
  class Merge;
  static constexpr std::size_t kUnitsOfPiece = 64;

  template <class Value>
  [[nodiscard]] static std::span<const Value> of_unit(const Piece& piece,
                                                      const std::vector<Value>& values,
                                                      std::size_t unit) noexcept {
    const std::size_t begin = piece.begins[unit % kUnitsOfPiece];
    return std::span(values).subspan(begin, piece.begins[unit % kUnitsOfPiece + 1] - begin);
  }

  StringIndex ids_;
  std::vector<std::uint32_t> order_;  // which of these each unit is
  std::vector<Piece> pieces_;
};

}  // namespace mollify
