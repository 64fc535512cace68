// Whose a record is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "domain/same_value.h"
#include "records/values.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The order of ids that does not depend on records: by their bytes.

/// Which of the ids is the first in the order of their bytes, which the second, and so on.
/// O(n log n); of ids that differ within eight bytes without looking at them again.
[[nodiscard]] std::vector<std::uint32_t> in_order_of_bytes(const StringIndex& ids);

// -----------------------------------------------------------------------------------------------
// What an id of the data, a text or a number, names: the one place that says which units are one.

/// The id that a field's text means: `1` for `1.0`, for so write programs a column of integers in
/// which an id is missing, and the text itself for any other. Valid as long as text and buffer.
[[nodiscard]] std::string_view id_text(std::string_view text, TextBuffer& buffer) noexcept;

/// The public list of units, in its order.
class Roster {
 public:
  static constexpr std::uint32_t kAbsent = StringIndex::kAbsent;

  /// Adds a unit; false, and nothing else, if its id is listed already.
  bool insert(std::string_view id);

  /// The unit that a text of the data names: the one of this id or, without one, the only one whose
  /// id is the same number, truth, day or time. A roster that lists 1 and not 01 reads 01 as 1; one
  /// that lists both keeps them apart. kAbsent for all other texts.
  [[nodiscard]] std::uint32_t find(std::string_view text) const noexcept;

  [[nodiscard]] const StringIndex& ids() const noexcept { return ids_; }
  [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }
  [[nodiscard]] std::string_view operator[](std::size_t unit) const noexcept { return ids_[unit]; }

 private:
  StringIndex ids_;
  StringIndex same_;                  // texts of the ids that are more than words
  std::vector<std::uint32_t> units_;  // of each; kAbsent if there are several
};

// -----------------------------------------------------------------------------------------------
// Which unit each record belongs to.

/// Numbers the units of records. With a roster they are the roster's, in its order, and all other
/// records belong to nobody. Without one they are those that are found, in the order in which they
/// come, and records of an empty id belong to nobody.
///
/// An id is the text that a value represents, as `id_text` and `Roster` read it: a unit is the same
/// in whatever way its records come.
class Units {
 public:
  static constexpr std::uint32_t kNobody = StringIndex::kAbsent;

  /// The roster, if any, must outlive it.
  explicit Units(const std::optional<Roster>& roster) noexcept
      : Units(roster ? &*roster : nullptr) {}
  explicit Units(const Roster* roster) noexcept : roster_(roster) {}

  /// Rows come from another visit: a list of words at the same address may be another one.
  void begin_visit() noexcept { list_ = nullptr; }

  /// The unit of each row, or kNobody. Valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> of(const Values& ids);

  [[nodiscard]] std::size_t size() const noexcept { return ids().size(); }
  [[nodiscard]] const StringIndex& ids() const noexcept {
    return roster_ != nullptr ? roster_->ids() : found_;
  }

  /// The units in the order that is theirs in public: the roster's, or by their ids' bytes, never
  /// the records'.
  [[nodiscard]] std::vector<std::uint32_t> in_public_order() const;

 private:
  [[nodiscard]] std::uint32_t unit_of(std::string_view id);
  [[nodiscard]] std::uint32_t unit_of(const Value& id);
  [[nodiscard]] std::uint32_t unit_of(std::int64_t id);

  const Roster* roster_;
  StringIndex found_;
  std::vector<std::uint32_t> units_;
  const Values* list_ = nullptr;  // the last dictionary, and the unit of each of its values
  std::vector<std::uint32_t> of_list_;

  /// Integers that were met, for their texts take long: each in one of a few places from its hash's
  /// on. There are at least twice as many places as units, so that each unit has one; any number of
  /// strangers to a roster take others' places.
  struct Met {
    std::int64_t id;
    std::uint32_t unit = kNobody - 1;  // none met
  };
  void make_places();
  [[nodiscard]] Met& place_of(std::int64_t id);
  std::vector<Met> met_;
  unsigned place_bits_ = 0;
};

// -----------------------------------------------------------------------------------------------
// The records of many units, as digits.

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

  /// Of units with more than `most` records, `most` drawn evenly from all of them stay.
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
