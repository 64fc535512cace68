#include "space/number_cells.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"
#include "space/integer_cells.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMaxBins = IntegerCells::kMaxBins;
constexpr int kMaxExponent = 22;             // the largest power of ten that is a double
constexpr double kMaxMultiple = 0x1p53 - 4;  // with room for the neighbours that are tried
constexpr double kMinPointsPerCell = 10;
constexpr double kPointsPerDeclaredCell = 1e4;

double power_of_ten(int exponent) noexcept {  // requires 0 <= exponent <= 22; exact
  constexpr std::array<double, kMaxExponent + 1> kPowers = {
      1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  return kPowers[static_cast<std::size_t>(exponent)];
}

double in_steps(double value, int exponent) noexcept {
  return exponent < 0 ? value * power_of_ten(-exponent) : value / power_of_ten(exponent);
}

/// The lattice's exponent for cells of this width; nothing if they are too narrow for one.
std::optional<int> exponent_for(double magnitude, double width, double points_per_cell) noexcept {
  int exponent = -kMaxExponent;
  while (exponent < -1 && in_steps(width, exponent + 1) >= points_per_cell) ++exponent;
  while (exponent < kMaxExponent && in_steps(magnitude, exponent) > kMaxMultiple) ++exponent;
  if (in_steps(magnitude, exponent) > kMaxMultiple ||
      in_steps(width, exponent) < kMinPointsPerCell) {
    return std::nullopt;
  }
  return exponent;
}

}  // namespace

NumberCells NumberCells::make(double min, double max, std::optional<std::uint64_t> bins) {
  if (!std::isfinite(min) || !std::isfinite(max)) {
    throw InvalidInput(fmt::format("min and max must be finite, but they are {} and {}", min, max));
  }
  if (!(min < max)) {
    throw InvalidInput(fmt::format("min must be below max, but they are {} and {}", min, max));
  }
  if (bins && (*bins < 1 || *bins > kMaxBins)) {
    throw InvalidInput(fmt::format("bins must be from 1 to {}, but is {}", kMaxBins, *bins));
  }
  const double magnitude = std::max(std::fabs(min), std::fabs(max));
  const double points_per_cell = bins ? kPointsPerDeclaredCell : kMinPointsPerCell;
  auto cells = static_cast<std::uint32_t>(bins.value_or(kUndeclaredBins));
  std::optional<int> exponent = exponent_for(magnitude, (max - min) / cells, points_per_cell);
  for (; !exponent && !bins && cells > 1;
       exponent = exponent_for(magnitude, (max - min) / cells, points_per_cell)) {
    cells /= 2;
  }
  if (!exponent) {
    throw InvalidInput(
        fmt::format("min, max and bins must give cells that decimal numbers can resolve, but {} "
                    "to {} in {} cells do not",
                    min, max, cells));
  }
  return NumberCells(min, max, cells, bins.has_value(), *exponent);
}

NumberCells::NumberCells(double min, double max, std::uint32_t bins, bool declares_bins,
                         int exponent)
    : min_(min + 0.0),
      max_(max + 0.0),  // a zero is written and hashed without a sign
      bins_per_unit_(bins / (max - min)),
      bins_(bins),
      declares_bins_(declares_bins),
      exponent_(exponent) {}

// Reading and writing must see the very same edges. This function is compiled once and not inlined
// so that no caller gets its own contraction of the product and the sum.
[[gnu::noinline]] double NumberCells::edge(std::uint32_t index) const noexcept {
  if (index == 0) return min_;
  if (index == bins_) return max_;
  return min_ + (max_ - min_) * index / bins_;
}

Reading NumberCells::read(std::string_view text) const noexcept {
  const auto number = read_number(text);
  if (!number) {
    return {is_null_word(without_outer_spaces(text)) ? Verdict::kNull : Verdict::kUnreadable, 0};
  }
  const double value = *number;
  if (value < min_) return {Verdict::kOutside, 0};
  if (value > max_) return {Verdict::kOutside, bins_ - 1};
  const double guess = std::clamp((value - min_) * bins_per_unit_, 0.0, bins_ - 1.0);
  auto cell = static_cast<std::uint32_t>(guess);
  while (cell > 0 && value < edge(cell)) --cell;
  while (cell + 1 < bins_ && value >= edge(cell + 1)) ++cell;
  return {Verdict::kValue, cell};
}

// One correctly rounded operation on two exact doubles: the double nearest to the written number.
double NumberCells::lattice_value(std::int64_t multiple) const noexcept {
  const auto exact = static_cast<double>(multiple);
  return exponent_ < 0 ? exact / power_of_ten(-exponent_) : exact * power_of_ten(exponent_);
}

std::int64_t NumberCells::lattice_ceiling(double bound) const noexcept {
  auto multiple = static_cast<std::int64_t>(std::ceil(in_steps(bound, exponent_)));
  while (lattice_value(multiple - 1) >= bound) --multiple;
  while (lattice_value(multiple) < bound) ++multiple;
  return multiple;
}

std::int64_t NumberCells::first_point(std::uint32_t cell) const noexcept {
  if (cell == bins_) {  // one past the last point, which may be max itself
    return lattice_ceiling(std::nextafter(max_, std::numeric_limits<double>::infinity()));
  }
  return lattice_ceiling(edge(cell));
}

std::uint64_t NumberCells::points(std::uint32_t cell) const noexcept {
  return static_cast<std::uint64_t>(first_point(cell + 1) - first_point(cell));
}

void NumberCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  const std::int64_t multiple = first_point(cell) + static_cast<std::int64_t>(point);
  const auto size = static_cast<std::uint64_t>(multiple < 0 ? -multiple : multiple);
  if (multiple < 0) text += '-';
  if (exponent_ >= 0) {
    fmt::format_to(std::back_inserter(text), "{}", size);
    if (size != 0) text.append(static_cast<std::size_t>(exponent_), '0');
    text += ".0";
    return;
  }
  // At least one digit stands before the point: pad to one digit more than there are decimals.
  const int decimals = -exponent_;
  const std::size_t begin = text.size();
  fmt::format_to(std::back_inserter(text), "{:0{}}", size, decimals + 1);
  text.insert(std::max(begin, text.size() - static_cast<std::size_t>(decimals)), 1, '.');
}

std::string NumberCells::expectation() const {
  return fmt::format("a number from {} to {}", min_, max_);
}

}  // namespace mollify
