#include "density/record_layout.h"

#include <algorithm>

namespace mollify {

RecordLayout::RecordLayout(const Domain& domain) {
  for (const Column& column : domain.columns()) {
    const Cells& cells = column.cells();
    const bool has_null = is_ordered(cells) && column.mapping().null_is_category;
    Place place{column.size() - (has_null ? 1 : 0), Scale::kCategory, has_null, mixed_.size()};
    if (is_ordered(cells)) place.scale = is_continuous(cells) ? Scale::kNumber : Scale::kOrdered;
    mixed_.push_back({place.scale, place.scale == Scale::kNumber ? 0 : place.cells});
    if (has_null) mixed_.push_back({Scale::kCategory, 2});
    places_.push_back(place);
  }
}

MixedPoints RecordLayout::points(std::span<const std::uint32_t> digits) const {
  const std::size_t count = digits.size() / places_.size();
  MixedPoints points(mixed_, count);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const bool number = place.scale == Scale::kNumber;
    const auto value_of = [&](std::uint32_t cell) {
      return number ? static_cast<float>((cell + 0.5) / place.cells) : static_cast<float>(cell);
    };
    const std::uint32_t middle_level = (place.cells - 1) / 2;
    const float middle = number ? 0.5F : static_cast<float>(middle_level);
    const std::span<float> values = points.values(place.mixed);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t digit = digits[j * places_.size() + i];
      values[j] = digit < place.cells ? value_of(digit) : middle;
      if (place.has_null) points.values(place.mixed + 1)[j] = digit < place.cells ? 0.0F : 1.0F;
    }
  }
  return points;
}

void RecordLayout::digits_of(std::span<const float> point,
                             std::span<std::uint32_t> digits) const noexcept {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const float value = point[place.mixed];
    if (place.has_null && level_in_range(point[place.mixed + 1], 2) == 1) {
      digits[i] = place.cells;
    } else if (place.scale == Scale::kNumber) {
      const double cell = static_cast<double>(number_in_range(value)) * place.cells;
      digits[i] = std::min(static_cast<std::uint32_t>(cell), place.cells - 1);
    } else {
      digits[i] = level_in_range(value, place.cells);
    }
  }
}

}  // namespace mollify
