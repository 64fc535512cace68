// Which unit each record belongs to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "records/unit_ids.h"
#include "records/values.h"
#include "space/string_index.h"

namespace mollify {

/// Numbers the units of records. With a roster they are those of the roster in its order, and all
/// other records belong to nobody. Without one they are those that are found, in the order in which
/// they come, and records of an empty id belong to nobody.
///
/// An id is the text that a value stands for, as `id_text` and `Roster` read it: a unit is the same
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

  /// The units in the order that is theirs in public: the roster's, or that of their ids' bytes,
  /// never that of the records.
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

  /// Integers that were met, for their texts take long: each in one of a few places from that of
  /// its hash on. There are at least twice as many places as units, so that all of these have one;
  /// strangers to a roster, of whom there may be any number, take others' places.
  struct Met {
    std::int64_t id;
    std::uint32_t unit = kNobody - 1;  // none met
  };
  void make_places();
  [[nodiscard]] Met& place_of(std::int64_t id);
  std::vector<Met> met_;
  unsigned place_bits_ = 0;
};

}  // namespace mollify
