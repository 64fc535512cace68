// Comparisons of numbers, days and times, and the sets of values that they narrow.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "domain/column.h"
#include "domain/rules.h"

namespace mollify {

inline constexpr double kBoundless = std::numeric_limits<double>::infinity();

/// The sum of places, moved by months, and a constant, which must be at most 0, below 0, or 0.
struct SumComparison {
  enum class Kind : std::uint8_t { kAtMost, kBelow, kIs };
  struct Term {
    std::size_t column;
    bool negative;
    std::int64_t months;

    friend auto operator<=>(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  double constant = 0;
  Kind kind = Kind::kAtMost;
  bool in_seconds = false;  ///< the constant

  friend auto operator<=>(const SumComparison&, const SumComparison&) = default;
};

/// The places of a column's values on an axis that all columns of a comparison share.
struct PlaceAxis {
  const Column* column = nullptr;
  double factor = 1;  ///< seconds of a day, where others are times
  double grid = 0;    ///< places are integers, multiples of it; 0: they are not

  double place(std::uint32_t cell, std::uint64_t point) const {
    const double number = axis_number(*column, cell, point) * factor;
    return grid > 0 ? std::round(number / grid) : number;
  }
  double first(std::uint32_t cell) const { return place(cell, 0); }
  double last(std::uint32_t cell) const { return place(cell, column->points(cell) - 1); }
  /// The first point of the cell whose place is at least the bound; points(cell) if none is.
  std::uint64_t point_from(std::uint32_t cell, double bound) const {
    std::uint64_t low = 0, high = column->points(cell);
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (place(cell, middle) >= bound) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// The values of some cells between two ends, both of them values.
struct Reach {
  const PlaceAxis* axis = nullptr;
  std::span<const std::uint32_t> cells;
  double low = 0;
  double high = 0;

  /// Of cells without numbers nothing that is compared.
  static Reach all(const PlaceAxis& axis, std::span<const std::uint32_t> cells) {
    if (cells.front() >= axis.column->cell_count()) return {&axis, cells};
    return {&axis, cells, axis.first(cells.front()), axis.last(cells.back())};
  }
  /// Moves the lower end up to the first value at or above the bound; false without one.
  bool raise(double bound) {
    if (low >= bound) return true;
    const auto cell = std::partition_point(
        cells.begin(), cells.end(), [&](std::uint32_t one) { return axis->last(one) < bound; });
    if (cell == cells.end()) return false;
    low = axis->place(*cell, axis->point_from(*cell, bound));
    return low <= high;
  }
  bool lower(double bound) {
    if (high <= bound) return true;
    const auto after = std::partition_point(
        cells.begin(), cells.end(), [&](std::uint32_t one) { return axis->first(one) <= bound; });
    if (after == cells.begin()) return false;
    const std::uint32_t cell = *(after - 1);
    const double above = std::nextafter(bound, kBoundless);
    high = axis->place(cell, axis->point_from(cell, above) - 1);
    return low <= high;
  }
};

/// Days or seconds that months move.
struct Calendar {
  bool in_days = true;

  double unit() const { return in_days ? 1 : 86'400; }
  double moved(double place, std::int64_t months) const {
    return moved_by_months(place, months, in_days);
  }
  /// Beyond, the calendar ends.
  static constexpr double kMostDays = 4e6;

  /// The greatest place that is moved to at most the bound.
  double greatest_to(double bound, std::int64_t months) const {
    if (months == 0) return bound;
    const double day = std::floor(bound / unit());
    if (!(std::abs(day) < kMostDays)) return bound > 0 ? kBoundless : -kBoundless;
    double from = moved_by_months(day, -months, true) + 4;
    while (moved_by_months(from, months, true) > day) --from;
    const bool same = moved_by_months(from, months, true) == day;
    return from * unit() + (same ? bound - day * unit() : unit() - 1);
  }
  /// The least place that is moved to at least the bound.
  double least_to(double bound, std::int64_t months) const {
    if (months == 0) return bound;
    const double day = std::floor(bound / unit());
    if (!(std::abs(day) < kMostDays)) return bound > 0 ? kBoundless : -kBoundless;
    double from = moved_by_months(day, -months, true) - 4;
    while (moved_by_months(from, months, true) < day) ++from;
    const bool same = moved_by_months(from, months, true) == day;
    return from * unit() + (same ? bound - day * unit() : 0);
  }
};

/// Comparisons between some columns, numbered from 0.
struct System {
  std::vector<SumComparison> comparisons;
  std::vector<PlaceAxis> axes;  ///< of the columns
  Calendar calendar;

  /// Narrows the columns' reaches by the chosen comparisons until nothing moves; false if nothing is
  /// left. Ends that creep for a thousand rounds are taken for a contradiction.
  bool settle(std::span<const std::uint32_t> chosen, std::vector<Reach>& reaches) const;

 private:
  /// `moves` is set if an end moved.
  bool narrow(const SumComparison& comparison, std::vector<Reach>& reaches, bool& moves) const;
};

}  // namespace mollify
