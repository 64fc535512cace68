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
  UnitRecords records;
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

}  // namespace mollify
