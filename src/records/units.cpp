#include "records/units.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "records/id_order.h"
#include "space/field_text.h"

namespace mollify {
namespace {

constexpr std::uint32_t kUnknown = Units::kNobody - 1;  // what was not met yet

}  // namespace

std::uint32_t Units::unit_of(std::string_view id) {
  if (roster_ != nullptr) return roster_->find(id);
  TextBuffer buffer;
  return id.empty() ? kNobody : found_.insert(id_text(id, buffer));
}

std::uint32_t Units::unit_of(const Value& id) {
  TextBuffer buffer;
  if (const auto* text = std::get_if<std::string_view>(&id)) return unit_of(*text);
  if (const auto* integer = std::get_if<std::int64_t>(&id)) return unit_of(*integer);
  if (const auto* number = std::get_if<double>(&id)) return unit_of(text_of(*number, buffer));
  if (const auto* truth = std::get_if<bool>(&id)) {
    return unit_of(std::string_view(*truth ? "true" : "false"));
  }
  return unit_of(std::string_view());
}

std::uint32_t Units::unit_of(std::int64_t id) {
  if (met_.size() < 2 * size() || met_.empty()) make_places();
  Met& met = place_of(id);
  if (met.id != id || met.unit == kUnknown) {
    TextBuffer buffer;
    met = {id, unit_of(text_of(id, buffer))};
  }
  return met.unit;
}

void Units::make_places() {
  constexpr unsigned kLeastBits = 17;
  const auto bits = static_cast<unsigned>(std::bit_width(4 * size()));
  const std::vector<Met> before =
      std::exchange(met_, std::vector<Met>(std::size_t{1} << std::max(bits, kLeastBits)));
  place_bits_ = std::max(bits, kLeastBits);
  for (const Met& met : before) {
    if (met.unit != kUnknown) place_of(met.id) = met;
  }
}

/// Where the id is, a free place, or the first if all are others'.
Units::Met& Units::place_of(std::int64_t id) {
  constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;  // spreads ids that are near
  constexpr std::size_t kPlaces = 8;
  const std::size_t first = static_cast<std::uint64_t>(id) * kGoldenRatio >> (64U - place_bits_);
  for (std::size_t i = first; i < first + kPlaces; ++i) {
    Met& met = met_[i & (met_.size() - 1)];
    if (met.id == id || met.unit == kUnknown) return met;
  }
  return met_[first];
}

std::span<const std::uint32_t> Units::of(const Values& ids) {
  const std::size_t rows = ids.size();
  units_.resize(rows);
  const auto valid = ids.valid();
  const auto* words = std::get_if<Dictionary>(&ids.data());
  if (words == nullptr) {
    for (std::size_t row = 0; row < rows; ++row) units_[row] = unit_of(ids[row]);
    return units_;
  }
  // A word that no record has is no unit: it is looked up when it is met.
  const std::size_t count = words->values->size();
  if (list_ != words->values || of_list_.size() != count + 1) {
    list_ = words->values;
    of_list_.assign(count + 1, kUnknown);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const bool is_valid = valid.empty() || valid[row] != 0;
    const std::size_t place = is_valid ? std::min<std::size_t>(words->places[row], count) : count;
    if (of_list_[place] == kUnknown) of_list_[place] = unit_of(ids[row]);
    units_[row] = of_list_[place];
  }
  return units_;
}

std::vector<std::uint32_t> Units::in_public_order() const {
  if (roster_ == nullptr) return in_order_of_bytes(found_);
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  return order;
}

}  // namespace mollify
