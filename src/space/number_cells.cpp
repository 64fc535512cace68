#include "space/number_cells.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "space/field_text.h"
#include "space/integer_cells.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMaxBins = IntegerCells::kMaxBins;
constexpr double kMinPointsPerCell = 10;
constexpr double kPointsPerDeclaredCell = 1e4;

/// The lattice for cells of this width; nothing if they are too narrow for one.
std::optional<DecimalLattice> lattice_for(double magnitude, double width,
                                          double points_per_cell) noexcept {
  const auto holds = [&](const DecimalLattice& lattice) {
    return lattice.in_steps(magnitude) <= DecimalLattice::kMaxMultiple;
  };
  int exponent = -DecimalLattice::kMaxExponent;
  while (exponent < -1 && DecimalLattice(exponent + 1).in_steps(width) >= points_per_cell) {
    ++exponent;
  }
  while (exponent < DecimalLattice::kMaxExponent && !holds(DecimalLattice(exponent))) ++exponent;
  const DecimalLattice lattice(exponent);
  if (!holds(lattice) || lattice.in_steps(width) < kMinPointsPerCell) return std::nullopt;
  return lattice;
}

}  // namespace

NumberCells NumberCells::make(double min, double max, std::optional<std::uint64_t> bins) {
  if (!std::isfinite(min) || !std::isfinite(max)) {
    throw InvalidInput(fmt::format("min and max must be finite, but they are {} and {}", min, max));
  }
  if (!(min < max)) {
    throw InvalidInput(fmt::format("min must be below max, but they are {} and {}", min, max));
  }
  if (bins) require_between("bins", *bins, 1, kMaxBins);
  const double magnitude = std::max(std::fabs(min), std::fabs(max));
  const double points_per_cell = bins ? kPointsPerDeclaredCell : kMinPointsPerCell;
  auto cells = static_cast<std::uint32_t>(bins.value_or(kUndeclaredBins));
  auto lattice = lattice_for(magnitude, (max - min) / cells, points_per_cell);
  while (!lattice && !bins && cells > 1) {
    cells /= 2;
    lattice = lattice_for(magnitude, (max - min) / cells, points_per_cell);
  }
  if (!lattice) {
    throw InvalidInput(
        fmt::format("min, max and bins must give cells that decimal numbers can resolve, but {} "
                    "to {} in {} cells do not",
                    min, max, cells));
  }
  return NumberCells(min, max, cells, bins.has_value(), *lattice);
}

NumberCells NumberCells::with_edges(const std::vector<double>& edges, std::optional<double> spike) {
  if (edges.size() < 2) {
    throw InvalidInput(
        fmt::format("edges must be at least two numbers, but there are {}", edges.size()));
  }
  double narrowest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    if (!std::isfinite(edges[i]) || !std::isfinite(edges[i + 1]) || !(edges[i] < edges[i + 1])) {
      throw InvalidInput(fmt::format("edges must be finite and ascending, but {} is followed by {}",
                                     edges[i], edges[i + 1]));
    }
    narrowest = std::min(narrowest, edges[i + 1] - edges[i]);
  }
  if (edges.size() - 1 > kMaxBins) {
    throw InvalidInput(
        fmt::format("edges must make at most {} cells, but make {}", kMaxBins, edges.size() - 1));
  }
  const double magnitude = std::max(std::fabs(edges.front()), std::fabs(edges.back()));
  const auto lattice = lattice_for(magnitude, narrowest, kPointsPerDeclaredCell);
  if (!lattice) {
    throw InvalidInput(fmt::format(
        "edges must make cells that decimal numbers can resolve, but one of width {} does not",
        narrowest));
  }
  NumberCells cells(edges.front(), edges.back(), static_cast<std::uint32_t>(edges.size() - 1), true,
                    *lattice);
  cells.declared_ = edges;
  cells.cut_at(edges, spike);
  return cells;
}

NumberCells NumberCells::with_spike(double min, double max, std::uint64_t bins, double spike) {
  NumberCells cells = make(min, max, bins);
  std::vector<double> edges;
  for (std::uint32_t i = 0; i <= cells.bins_; ++i) edges.push_back(cells.edge(i));
  cells.cut_at(std::move(edges), spike);
  return cells;
}

NumberCells NumberCells::with_private_bins(double min, double max, std::optional<double> spike) {
  NumberCells cells = spike ? with_spike(min, max, kCellsOfPrivateBins, *spike)
                            : make(min, max, kCellsOfPrivateBins);
  cells.declares_bins_ = false;
  cells.has_private_bins_ = true;
  return cells;
}

void NumberCells::cut_at(std::vector<double> edges, std::optional<double> spike) {
  spike_ = spike;
  if (spike) {
    if (!(*spike >= min_ && *spike <= max_)) {
      throw InvalidInput(
          fmt::format("spike must be a number from {} to {}, but is {}", min_, max_, *spike));
    }
    spike_ = *spike + 0.0;
    if (lattice_.value(lattice_.ceiling(*spike_)) != *spike_) {
      throw InvalidInput(fmt::format(
          "spike must be a number that the column can write, in steps of 1e{}, but is {}",
          lattice_.exponent(), *spike_));
    }
    // The cell of one double: what is below it, and what is above, are other cells.
    const double above = std::nextafter(*spike_, std::numeric_limits<double>::infinity());
    for (const double edge : {*spike_, above}) {
      if (edge > max_) continue;
      const auto place = std::lower_bound(edges.begin(), edges.end(), edge);
      if (place == edges.end() || *place != edge) edges.insert(place, edge);
    }
    if (*spike_ == max_) edges.push_back(max_);  // the last cell is closed: [max, max]
  }
  bins_ = static_cast<std::uint32_t>(edges.size() - 1);
  edges_ = std::move(edges);
  for (std::uint32_t cell = 0; cell < bins_; ++cell) {
    if (points(cell) > 0) continue;
    throw InvalidInput(fmt::format(
        "spike must leave decimal numbers beside it in its cell, but there are none from {} to {}",
        edges_[cell], edges_[cell + 1]));
  }
}

NumberCells::NumberCells(double min, double max, std::uint32_t bins, bool declares_bins,
                         DecimalLattice lattice)
    : min_(min + 0.0),
      max_(max + 0.0),  // a zero is written and hashed without a sign
      bins_per_unit_(bins / (max - min)),
      bins_(bins),
      declares_bins_(declares_bins),
      lattice_(lattice),
      declared_bins_(bins) {}

// Reading and writing must see the very same edges. This function is compiled once and not inlined
// so that no caller gets its own contraction of the product and the sum.
[[gnu::noinline]] double NumberCells::edge(std::uint32_t index) const noexcept {
  if (!edges_.empty()) return edges_[index];
  if (index == 0) return min_;
  if (index == bins_) return max_;
  return min_ + (max_ - min_) * index / bins_;
}

Reading NumberCells::read(std::string_view text) const noexcept {
  if (const auto number = read_number_of(text, min_, max_)) return read(*number);
  return {is_null_word(without_outer_spaces(text)) ? Verdict::kNull : Verdict::kUnreadable, 0};
}

Reading NumberCells::read(double value) const noexcept {
  if (std::isnan(value)) return {Verdict::kNull, 0};
  if (value < min_) return {Verdict::kOutside, 0};
  if (value > max_) return {Verdict::kOutside, bins_ - 1};
  if (!edges_.empty()) {
    const auto above = std::upper_bound(edges_.begin(), edges_.end(), value);
    const auto cell = static_cast<std::uint32_t>(above - edges_.begin() - 1);
    return {Verdict::kValue, std::min(cell, bins_ - 1)};
  }
  const double guess = std::clamp((value - min_) * bins_per_unit_, 0.0, bins_ - 1.0);
  auto cell = static_cast<std::uint32_t>(guess);
  // The guess is off by some units in its last place, less than 2^24 of them in one; the edges are
  // by some in the last place of the bounds. Farther from an edge nothing need be looked at.
  const double doubt =
      0x1p-24 + 0x1p-48 * std::max(std::fabs(min_), std::fabs(max_)) * bins_per_unit_;
  const double inside = guess - cell;
  if (inside > doubt && inside < 1 - doubt) return {Verdict::kValue, cell};
  while (cell > 0 && value < edge(cell)) --cell;
  while (cell + 1 < bins_ && value >= edge(cell + 1)) ++cell;
  return {Verdict::kValue, cell};
}

std::int64_t NumberCells::first_point(std::uint32_t cell) const noexcept {
  if (cell == bins_) {  // one past the last point, which may be max itself
    return lattice_.ceiling(std::nextafter(max_, std::numeric_limits<double>::infinity()));
  }
  return lattice_.ceiling(edge(cell));
}

std::uint64_t NumberCells::points(std::uint32_t cell) const noexcept {
  return static_cast<std::uint64_t>(first_point(cell + 1) - first_point(cell));
}

double NumberCells::value(std::uint32_t cell, std::uint64_t point) const noexcept {
  return lattice_.value(first_point(cell) + static_cast<std::int64_t>(point));
}

void NumberCells::write(std::uint32_t cell, std::uint64_t point, std::string& text) const {
  lattice_.write(first_point(cell) + static_cast<std::int64_t>(point), text);
}

std::string NumberCells::expectation() const {
  return fmt::format("a number from {} to {}", min_, max_);
}

}  // namespace mollify
