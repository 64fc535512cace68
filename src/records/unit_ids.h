// What an id of the data, a text or a number, names: the one place that says which units are one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "space/field_text.h"
#include "space/string_index.h"

namespace mollify {

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
  StringIndex same_;                  // what stands for the ids that are more than words
  std::vector<std::uint32_t> units_;  // of each; kAbsent if there are several
};

}  // namespace mollify
