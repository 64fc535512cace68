// Whose a record is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/random.h"
#include "domain/same_value.h"
#include "records/unit_columns.h"
#include "records/values.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The order of ids that does not depend on records: by their bytes.

/// Which of the ids is the first in the order of their bytes, which the second, and so on.
/// O(n log n); of ids that differ within eight bytes without looking at them again.
[[nodiscard]] std::vector<std::uint32_t> in_order_of_bytes(const StringIndex& ids);

// -----------------------------------------------------------------------------------------------
// What the ids of the data name: the one place that says which units are one.

/// The public list of units, in its order. A unit has an id, or as many as there are columns that
/// name it (UnitColumns).
class Roster {
 public:
  static constexpr std::uint32_t kAbsent = StringIndex::kAbsent;

  /// Adds a unit; false, and nothing else, if its ids are listed already. Requires as many as of
  /// the other units, and none that is missing.
  bool insert(std::span<const std::string_view> ids);
  bool insert(std::string_view id) { return insert({&id, 1}); }

  /// The unit that texts of the data name: the one of these ids or, without one, the only one whose
  /// ids are the same numbers, truths, days or times. A roster that lists 1 and not 01 reads 01 as
  /// 1; one that lists both keeps them apart. kAbsent for all other texts.
  [[nodiscard]] std::uint32_t find(std::span<const std::string_view> ids) const;
  [[nodiscard]] std::uint32_t find(std::string_view id) const { return find({&id, 1}); }

  /// The texts of the units (`unit_text`).
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
/// come.
///
/// A record belongs to nobody if its id is missing: a null, NaN, an empty text or another word for
/// a null (`is_missing_id`). With several columns one missing id is enough. A unit of the ids that
/// are there would be another unit than the person's own, so that the person's rows would be
/// protected in two parts.
///
/// An id is the text that a value represents, as `id_text` and `Roster` read it: a unit is the
/// same, and an id is missing, in whatever way its records come. So whether a record counts, and
/// for whom, depends on this record's ids alone.
class Units {
 public:
  static constexpr std::uint32_t kNobody = StringIndex::kAbsent;

  /// The roster, if any, must outlive it.
  explicit Units(const std::optional<Roster>& roster) noexcept
      : Units(roster ? &*roster : nullptr) {}
  explicit Units(const Roster* roster) noexcept : roster_(roster) {}

  /// Rows come from another visit: a list of words at the same address may be another one.
  void begin_visit() noexcept { list_ = nullptr; }

  /// The unit of each row, or kNobody, by one column of ids or several. Valid until the next call.
  [[nodiscard]] std::span<const std::uint32_t> of(std::span<const Values> columns);
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
  std::string joint_;             // of several columns
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
    /// The weight of the record that was added last; of all records, or of none.
    void weigh(std::uint64_t weight) { weights_.push_back(weight); }

    /// The records of units 0 ... units - 1. Requires that every unit added is one of them.
    [[nodiscard]] UnitRecords build(std::size_t units) &&;

   private:
    std::size_t columns_;
    std::vector<std::uint32_t> unit_of_;
    std::vector<std::uint32_t> digits_;
    std::vector<std::uint64_t> weights_;
  };

  /// Of units with more than `most` records, `most` drawn evenly from all of them stay.
  void thin(std::size_t most, SecureRandom& random);

  /// Records without weights, each as often as its weight says, for those who score records one
  /// by one: of a unit with r records about 8 r, at most `most` (or r, if that is more), and none
  /// if they weigh nothing. Each comes as often as its share of them, rounded up or down at
  /// random, so that this is its share in the mean (systematic sampling). Without weights they are
  /// as they were.
  [[nodiscard]] UnitRecords repeated(std::size_t most, SecureRandom& random) &&;

  /// The number of units.
  [[nodiscard]] std::size_t size() const noexcept { return begins_.size() - 1; }
  /// The digits of a unit's records, a record after the other; empty for a unit without records.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t unit) const noexcept {
    const std::size_t all = begins_[unit + 1] - begins_[unit];
    return std::span(digits_).subspan(begins_[unit], std::min(all, most_digits_));
  }
  /// The weight of each of them; empty if records have none.
  [[nodiscard]] std::span<const std::uint64_t> weights(std::size_t unit) const noexcept {
    if (weights_.empty()) return {};
    return std::span(weights_).subspan(begins_[unit] / columns_, digits(unit).size() / columns_);
  }

 private:
  explicit UnitRecords(std::size_t columns) : columns_(columns) {}

  std::size_t columns_;
  std::size_t most_digits_ = std::numeric_limits<std::size_t>::max();  // that count of a unit
  std::vector<std::size_t> begins_;  // of digits; one more than there are units
  std::vector<std::uint32_t> digits_;
  std::vector<std::uint64_t> weights_;  // of records, or none
};

}  // namespace mollify
