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
  require_between("bins", cells, 1, std::min(count, kMaxBins));
  return IntegerCells(min, count, static_cast<std::uint32_t>(cells), bins && cells < count);
}

IntegerCells IntegerCells::with_private_bins(std::int64_t min, std::int64_t max) {
  IntegerCells cells = make(min, max);
  cells.bins_ =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(cells.count_, kCellsOfPrivateBins));
  cells.has_private_bins_ = true;
  return cells;
}

IntegerCells IntegerCells::with_edges(const std::vector<std::int64_t>& edges) {
  if (edges.size() < 2) {
    throw InvalidInput(
        fmt::format("edges must be at least two integers, but there are {}", edges.size()));
  }
  if (edges[edges.size() - 2] >= edges.back()) {
    throw InvalidInput(fmt::format("edges must be ascending, but {} is followed by {}",
                                   edges[edges.size() - 2], edges.back()));
  }
  return with_starts({edges.begin(), edges.end() - 1}, edges.back());
}

IntegerCells IntegerCells::with_starts(const std::vector<std::int64_t>& starts, std::int64_t max) {
  for (std::size_t i = 0; i + 1 < starts.size(); ++i) {
    if (starts[i] < starts[i + 1]) continue;
    throw InvalidInput(
        fmt::format("edges must be ascending, but {} is followed by {}", starts[i], starts[i + 1]));
  }
  if (starts.size() > kMaxBins) {
    throw InvalidInput(
        fmt::format("edges must make at most {} cells, but make {}", kMaxBins, starts.size()));
  }
  IntegerCells cells = make(starts.front(), std::max(starts.back(), max), 1);
  for (const std::int64_t start : starts) {
    cells.starts_.push_back(static_cast<std::uint64_t>(start) -
                            static_cast<std::uint64_t>(starts.front()));
  }
  cells.bins_ = static_cast<std::uint32_t>(starts.size());
  cells.starts_.push_back(cells.count_);
  cells.declares_bins_ = true;
  return cells;
}

std::vector<std::int64_t> IntegerCells::declared_edges() const {
  std::vector<std::int64_t> edges;
  for (const std::uint64_t start : starts_) {
    edges.push_back(static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + start));
  }
  if (!edges.empty()) edges.back() = max();
  return edges;
}

std::int64_t IntegerCells::max() const noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(min_) + (count_ - 1));
}

std::uint64_t IntegerCells::start(std::uint32_t cell) const noexcept {
  if (!starts_.empty()) return starts_[cell];
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
  if (!starts_.empty()) {
    const auto next = std::upper_bound(starts_.begin(), starts_.end() - 1, offset);
    return {if_inside, static_cast<std::uint32_t>(next - starts_.begin() - 1)};
  }
  if (ungrouped()) return {if_inside, static_cast<std::uint32_t>(offset)};
  // The last cell j with j n / bins <= offset, that is with j n < (offset + 1) bins.
  const Wide cell = ((Wide{offset} + 1) * bins_ - 1) / count_;
  return {if_inside, static_cast<std::uint32_t>(cell)};
}

Reading IntegerCells::read(std::string_view text) const noexcept {
  if (const auto integer = read_integer(text)) return read(*integer);
  UnmarkedBuffer buffer;
  const auto low = static_cast<double>(min_), high = static_cast<double>(max());
  const std::string_view unmarked = without_marks(text, percents_are_hundredths(low, high), buffer);
  if (const auto integer = read_integer(unmarked)) return read(*integer);
  if (const auto number = read_number_of(text, low, high)) return read(*number);
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
