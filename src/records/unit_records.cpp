#include "records/unit_records.h"

#include <algorithm>
#include <numeric>

namespace mollify {

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
  for (std::size_t i = 0; i < unit_of_.size(); ++i) {
    const auto record = std::span(digits_).subspan(i * columns_, columns_);
    std::size_t& place = next[unit_of_[i]];
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
    }
  }
}

}  // namespace mollify
