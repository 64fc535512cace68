// The records of many units, as digits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "kernel/core/secure_random.h"

namespace mollify {

/// Every record of every unit, one digit for each column of a domain of any size. Private.
///
/// Units lie end to end: 4 bytes a digit, and 8 more for each unit.
class UnitRecords {
 public:
  /// Collects records in any order; O(columns) for each.
  class Builder {
   public:
    explicit Builder(std::size_t columns) : columns_(columns) {}

    /// A place for the digits of one more record of the unit; valid until the next call.
    [[nodiscard]] std::span<std::uint32_t> add(std::uint32_t unit);

    /// The records of units 0 ... units - 1. Requires that every unit added is one of them.
    [[nodiscard]] UnitRecords build(std::size_t units) &&;

   private:
    std::size_t columns_;
    std::vector<std::uint32_t> unit_of_;
    std::vector<std::uint32_t> digits_;
  };

  /// Of units with more than `most` records, so many drawn evenly from all of them stay.
  void thin(std::size_t most, SecureRandom& random);

  /// The number of units.
  [[nodiscard]] std::size_t size() const noexcept { return begins_.size() - 1; }
  /// The digits of a unit's records, a record after the other; empty for a unit without records.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t unit) const noexcept {
    const std::size_t all = begins_[unit + 1] - begins_[unit];
    return std::span(digits_).subspan(begins_[unit], std::min(all, most_digits_));
  }

 private:
  explicit UnitRecords(std::size_t columns) : columns_(columns) {}

  std::size_t columns_;
  std::size_t most_digits_ = std::numeric_limits<std::size_t>::max();  // that count of a unit
  std::vector<std::size_t> begins_;  // of digits; one more than there are units
  std::vector<std::uint32_t> digits_;
};

}  // namespace mollify
