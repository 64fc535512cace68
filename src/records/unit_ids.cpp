#include "records/unit_ids.h"

#include "space/same_value.h"

namespace mollify {

std::string_view id_text(std::string_view text, TextBuffer& buffer) noexcept {
  if (text.find('.') == std::string_view::npos) return text;
  const auto integer = read_integer(text);
  return integer ? text_of(*integer, buffer) : text;
}

bool Roster::insert(std::string_view id) {
  TextBuffer buffer;
  const auto unit = static_cast<std::uint32_t>(size());
  if (ids_.insert(id_text(id, buffer)) != unit) return false;
  SameValueBuffer same;
  if (const auto value = same_value_text(id, same)) {
    const std::uint32_t place = same_.insert(*value);
    if (place == units_.size()) {
      units_.push_back(unit);
    } else {
      units_[place] = kAbsent;
    }
  }
  return true;
}

std::uint32_t Roster::find(std::string_view text) const noexcept {
  TextBuffer buffer;
  const std::uint32_t unit = ids_.find(id_text(text, buffer));
  if (unit != kAbsent) return unit;
  SameValueBuffer same;
  const auto value = same_value_text(text, same);
  const std::uint32_t place = value ? same_.find(*value) : kAbsent;
  return place == kAbsent ? kAbsent : units_[place];
}

}  // namespace mollify
