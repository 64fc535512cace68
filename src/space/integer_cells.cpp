#include "space/integer_cells.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"

namespace mollify {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

IntegerCells IntegerCells::make(std::int64_t min, std::int64_t max,
                                std::optional<std::uint64_t> bins) {
  if (min > max) {
    throw InvalidInput(fmt::format("min must be at most max, but they are {} and {}", min, max));
  }
  const std::uint64_t span = static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min);
  if (span >= std::uint64_t{1} << 63U) {
    throw InvalidInput(
        fmt::format("min and max must be less than 2^63 apart, but they are {} and {}", min, max));
  }
  const std::uint64_t count = span + 1;
  const std::uint64_t cells = bins.value_or(std::min(count, kMaxBins));
  if (cells < 1 || cells > count || cells > kMaxBins) {
    throw InvalidInput(
        fmt::format("bins must be from 1 to {}, but is {}", std::min(count, kMaxBins), cells));
  }
  return IntegerCells(min, count, static_cast<std::uint32_t>(cells), bins && cells < count);
}

std::int64_t IntegerCells::max() const noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + (count_ - 1));
}

std::uint64_t IntegerCells::start(std::uint32_t cell) const noexcept {
  return static_cast<std::uint64_t>(Wide{cell} * count_ / bins_);
}

Reading IntegerCells::nearest(std::int64_t value, Verdict if_inside) const noexcept {
  if (value < min_) {
    return {if_inside == Verdict::kValue ? Verdict::kOutside : if_inside, 0};
  }
  if (value > max()) {
    return {if_inside == Verdict::kValue ? Verdict::kOutside : if_inside, bins_ - 1};
  }
  const std::uint64_t offset = static_cast<std::uint64_t>(value) - static_cast<std::uint64_t>(min_);
  if (ungrouped()) return {if_inside, static_cast<std::uint32_t>(offset)};
  // The last cell j with j n / bins <= offset, that is with j n < (offset + 1) bins.
  const Wide cell = ((Wide{offset} + 1) * bins_ - 1) / count_;
  return {if_inside, static_cast<std::uint32_t>(cell)};
}

Reading IntegerCells::read(std::string_view text) const noexcept {
  if (const auto integer = read_integer(text)) return read(*integer);
  if (const auto number = read_number(text)) return read(*number);
  return {is_null_word(without_outer_spaces(text)) ? Verdict::kNull : Verdict::kUnreadable, 0};
}

Reading IntegerCells::read(double value) const noexcept {
  if (std::isnan(value)) return {Verdict::kNull, 0};
  const double rounded = std::round(value);
  // Only below 2^63 in size does the rounded number fit an int64; what is larger is an integer
  // (or infinite) and beyond a bound, or at it.
  constexpr double kLimit = 9223372036854775808.0;
  if (rounded >= kLimit) return {Verdict::kOutside, bins_ - 1};
  if (rounded < -kLimit) return {Verdict::kOutside, 0};
  return nearest(static_cast<std::int64_t>(rounded),
                 rounded == value ? Verdict::kValue : Verdict::kUnreadable);
}

std::uint64_t IntegerCells::points(std::uint32_t cell) const noexcept {
  return start(cell + 1) - start(cell);
}

std::int64_t IntegerCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + start(cell) + point);
}

void IntegerCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  fmt::format_to(std::back_inserter(text), "{}", value(cell, point));
}

std::string IntegerCells::expectation() const {
  return fmt::format("an integer from {} to {}", min_, max());
}

}  // namespace mollify
