#include "records/units.h"

#include <bit>
#include <numeric>
#include <utility>

#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The order of ids that does not depend on records.

namespace {

/// The first eight bytes as a number in the same order; shorter ids end in zeros.
std::uint64_t beginning_of(std::string_view id) {
  std::uint64_t beginning = 0;
  for (std::size_t i = 0; i < sizeof beginning; ++i) {
    beginning = beginning << 8U | (i < id.size() ? static_cast<unsigned char>(id[i]) : 0U);
  }
  return beginning;
}

}  // namespace

std::vector<std::uint32_t> in_order_of_bytes(const StringIndex& ids) {
  struct Id {
    std::uint64_t beginning;
    std::uint32_t place;
  };
  std::vector<Id> sorted;
  sorted.reserve(ids.size());
  for (std::uint32_t i = 0; i < ids.size(); ++i) sorted.push_back({beginning_of(ids[i]), i});
  std::sort(sorted.begin(), sorted.end(), [&](const Id& left, const Id& right) {
    return left.beginning != right.beginning ? left.beginning < right.beginning
                                             : ids[left.place] < ids[right.place];
  });
  std::vector<std::uint32_t> order;
  order.reserve(sorted.size());
  for (const Id& id : sorted) order.push_back(id.place);
  return order;
}

// -----------------------------------------------------------------------------------------------
// What the ids of the data name.

namespace {

/// One text for all lists of ids that write the same values, where one of the ids is more than a
/// word. A value and a word that reads like its text differ by their first letter.
std::optional<std::string_view> same_unit_text(std::span<const std::string_view> ids,
                                               std::string& joint, SameValueBuffer& same) {
  if (ids.size() == 1) return same_value_text(ids.front(), same);
  joint.clear();
  bool has_value = false;
  std::string tagged;
  for (const std::string_view id : ids) {
    const auto value = same_value_text(id, same);
    tagged = value ? 'v' : 'w';
    tagged += value.value_or(id);
    append_id(tagged, joint);
    has_value = has_value || value.has_value();
  }
  return has_value ? std::optional<std::string_view>(joint) : std::nullopt;
}

}  // namespace

bool Roster::insert(std::span<const std::string_view> ids) {
  TextBuffer buffer;
  std::string joint;
  const auto unit = static_cast<std::uint32_t>(size());
  if (ids_.insert(unit_text(ids, joint, buffer)) != unit) return false;
  SameValueBuffer same;
  if (const auto value = same_unit_text(ids, joint, same)) {
    const std::uint32_t place = same_.insert(*value);
    if (place == units_.size()) {
      units_.push_back(unit);
    } else {
      units_[place] = kAbsent;
    }
  }
  return true;
}

std::uint32_t Roster::find(std::span<const std::string_view> ids) const {
  TextBuffer buffer;
  std::string joint;
  const std::uint32_t unit = ids_.find(unit_text(ids, joint, buffer));
  if (unit != kAbsent) return unit;
  SameValueBuffer same;
  const auto value = same_unit_text(ids, joint, same);
  const std::uint32_t place = value ? same_.find(*value) : kAbsent;
  return place == kAbsent ? kAbsent : units_[place];
}

// -----------------------------------------------------------------------------------------------
// Which unit each record belongs to.

namespace {

constexpr std::uint32_t kUnknown = Units::kNobody - 1;  // not met yet

/// The text that a value represents; empty for a null.
std::string_view text_of_id(const Value& id, TextBuffer& buffer) {
  if (const auto* text = std::get_if<std::string_view>(&id)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&id)) return text_of(*integer, buffer);
  if (const auto* number = std::get_if<double>(&id)) return text_of(*number, buffer);
  if (const auto* moment = std::get_if<Moment>(&id)) return text_of(*moment, buffer);
  if (const auto* truth = std::get_if<bool>(&id)) return *truth ? "true" : "false";
  return {};
}

}  // namespace

std::uint32_t Units::unit_of(std::string_view id) {
  if (is_missing_id(id)) return kNobody;
  if (roster_ != nullptr) return roster_->find(id);
  TextBuffer buffer;
  return found_.insert(id_text(id, buffer));
}

std::uint32_t Units::unit_of(const Value& id) {
  if (const auto* integer = std::get_if<std::int64_t>(&id)) return unit_of(*integer);
  TextBuffer buffer;
  return unit_of(text_of_id(id, buffer));
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

/// The place of the id, a free place, or the first if all are others'.
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

std::span<const std::uint32_t> Units::of(std::span<const Values> columns) {
  if (columns.size() == 1) return of(columns.front());
  units_.assign(columns.empty() ? 0 : columns.front().size(), kNobody);
  std::vector<TextBuffer> buffers(columns.size());
  std::vector<std::string_view> ids(columns.size());
  for (std::size_t row = 0; row < units_.size(); ++row) {
    bool is_missing = false;
    for (std::size_t i = 0; i < ids.size() && !is_missing; ++i) {
      ids[i] = text_of_id(columns[i][row], buffers[i]);
      is_missing = is_missing_id(ids[i]);
    }
    if (is_missing) continue;
    TextBuffer buffer;
    units_[row] =
        roster_ != nullptr ? roster_->find(ids) : found_.insert(unit_text(ids, joint_, buffer));
  }
  return units_;
}

std::vector<std::uint32_t> Units::in_public_order() const {
  if (roster_ == nullptr) return in_order_of_bytes(found_);
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  return order;
}

// -----------------------------------------------------------------------------------------------
// The records of many units, as digits.

std::span<std::uint32_t> UnitRecords::Builder::add(std::uint32_t unit) {
  unit_of_.push_back(unit);
  digits_.resize(digits_.size() + columns_);
  return std::span(digits_).last(columns_);
}

UnitRecords UnitRecords::Builder::build(std::size_t units) && {
  UnitRecords records(columns_);
  records.begins_.assign(units + 1, 0);
  for (const std::uint32_t unit : unit_of_) records.begins_[unit + 1] += columns_;
  std::partial_sum(records.begins_.begin(), records.begins_.end(), records.begins_.begin());
  std::vector<std::size_t> next(records.begins_.begin(), records.begins_.end() - 1);
  records.digits_.resize(digits_.size());
  records.weights_.resize(weights_.size());
  for (std::size_t i = 0; i < unit_of_.size(); ++i) {
    const auto record = std::span(digits_).subspan(i * columns_, columns_);
    std::size_t& place = next[unit_of_[i]];
    if (!weights_.empty()) records.weights_[place / columns_] = weights_[i];
    std::copy(record.begin(), record.end(),
              records.digits_.begin() + static_cast<std::ptrdiff_t>(place));
    place += columns_;
  }
  return records;
}

void UnitRecords::thin(std::size_t most, SecureRandom& random) {
  most_digits_ = most * columns_;
  for (std::size_t unit = 0; unit < size(); ++unit) {
    const std::size_t count = (begins_[unit + 1] - begins_[unit]) / columns_;
    if (count <= most) continue;
    const auto record = [&](std::size_t i) {
      return digits_.begin() + static_cast<std::ptrdiff_t>(begins_[unit] + i * columns_);
    };
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t other = i + static_cast<std::size_t>(random.below(count - i));
      if (other == i) continue;
      std::swap_ranges(record(i), record(i + 1), record(other));
      if (weights_.empty()) continue;
      const std::size_t first = begins_[unit] / columns_;
      std::swap(weights_[first + i], weights_[first + other]);
    }
  }
}

UnitRecords UnitRecords::repeated(std::size_t most, SecureRandom& random) && {
  if (weights_.empty()) return std::move(*this);
  constexpr std::size_t kTimes = 8;
  Builder repeated(columns_);
  for (std::size_t unit = 0; unit < size(); ++unit) {
    const auto weights = this->weights(unit);
    const std::size_t times = std::max(weights.size(), std::min(most, kTimes * weights.size()));
    // At every `whole` steps of weight from a random one on there is a copy.
    uint128 whole = 0;
    for (const std::uint64_t weight : weights) whole += weight;
    if (whole == 0) continue;
    uint128 next = wide_below(whole, random);
    uint128 end = 0;
    for (std::size_t record = 0; record < weights.size(); ++record) {
      end += uint128{weights[record]} * times;
      for (; next < end; next += whole) {
        const auto digits = this->digits(unit).subspan(record * columns_, columns_);
        std::copy(digits.begin(), digits.end(),
                  repeated.add(static_cast<std::uint32_t>(unit)).begin());
      }
    }
  }
  return std::move(repeated).build(size());
}

}  // namespace mollify
