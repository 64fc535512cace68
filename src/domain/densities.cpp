#include "domain/densities.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "domain/rules.h"
#include "domain/tails.h"

namespace mollify {

namespace {

/// Counts are noise together below this many standard deviations.
constexpr double kSeen = 4;
/// The standard deviation of the slope's change over one unit of the axis, and of the slope itself.
constexpr double kChange = 2;
constexpr double kSlope = 20;
/// Heaps and gaps move a count by this part of it, as well as noise and chance.
constexpr double kHeaps = 0.1;
constexpr double kPiece = 0.15;  // of the axis
constexpr std::size_t kMostPieces = 24;
/// Single numbers up to as many are levels, which may differ from their neighbours.
constexpr std::uint32_t kMostLevels = 32;
constexpr std::size_t kMostCellsOfAxis = 2048;
constexpr int kMostSteps = 40;
/// A shape that is nowhere farther from even values, in distributions, is left out.
constexpr double kEven = 0.02;

/// Cells of an axis that are not alone, ascending.
std::vector<CountedCells> cells_along(const ColumnAxis& axis, std::span<const double> counts) {
  std::vector<CountedCells> cells;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (!axis[i].is_alone()) cells.push_back({axis[i].low, axis[i].high, counts[i]});
  }
  return cells;
}

/// The cells of the numbers times -1.
std::vector<CountedCells> mirrored_cells(std::span<const CountedCells> cells) {
  std::vector<CountedCells> made(cells.rbegin(), cells.rend());
  for (CountedCells& one : made) one = {-one.high, -one.low, one.count, one.cells};
  return made;
}

/// Cells of an end that noise hides are one observation: single ones of them would draw the tail to
/// where noise happens to be great.
std::vector<CountedCells> with_end_joined(std::vector<CountedCells> cells, double deviation) {
  for (std::size_t hidden = hidden_cells(cells, deviation); hidden > 1; --hidden) {
    const CountedCells last = cells.back();
    cells.pop_back();
    cells.back().high = last.high;
    cells.back().count += last.count;
    cells.back().cells += last.cells;
  }
  return cells;
}

std::vector<CountedCells> seen_cells(std::vector<CountedCells> cells, double deviation) {
  cells = with_end_joined(std::move(cells), deviation);
  if (cells.size() < 2) return cells;
  const CountedCells last = cells.back();
  cells.pop_back();
  cells = mirrored_cells(with_end_joined(mirrored_cells(cells), deviation));
  cells.push_back(last);
  return cells;
}

/// A piece of the axis: where it ends, its middle along the scale, and what it is a piece of.
struct Piece {
  double low;
  double high;
  double middle;
  std::size_t of;
};

/// Cuts what is seen into pieces of about equal length along the scale: the logarithm of a number's
/// size from the least width on, or the number in half cells, whichever makes a cell longer.
std::vector<Piece> pieces_of(const std::vector<CountedCells>& seen) {
  double least = std::numeric_limits<double>::infinity();
  for (const CountedCells& one : seen) least = std::min(least, one.high - one.low);
  std::vector<Piece> pieces;
  double place = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double low = seen[i].low, high = seen[i].high;
    const double from = std::asinh(low / least), to = std::asinh(high / least);
    const bool is_log = to - from > 0.5;
    const double length = is_log ? to - from : 0.5;
    const auto number = static_cast<std::size_t>(
        std::clamp(std::ceil(length / kPiece), 2.0, static_cast<double>(kMostPieces)));
    const auto end = [&](std::size_t k) {
      if (k == number) return high;
      const double part = static_cast<double>(k) / static_cast<double>(number);
      return is_log ? std::sinh(from + part * length) * least : low + part * (high - low);
    };
    for (std::size_t k = 0; k < number; ++k) {
      const double middle = (static_cast<double>(k) + 0.5) / static_cast<double>(number);
      pieces.push_back({k == 0 ? low : end(k), end(k + 1), place + middle * length, i});
    }
    place += length;
  }
  return pieces;
}

/// A symmetric matrix with entries near its diagonal: row i holds columns i - width to i.
class BandMatrix {
 public:
  BandMatrix(std::size_t size, std::size_t width)
      : size_(size), width_(width), values_(size * (width + 1)) {}

  double& at(std::size_t row, std::size_t column) {
    return values_[row * (width_ + 1) + (column + width_ - row)];
  }
  /// Solves this x = b by Cholesky's factors; false unless the matrix is positive definite.
  bool solve(std::vector<double>& b) {
    for (std::size_t i = 0; i < size_; ++i) {
      const std::size_t first = i > width_ ? i - width_ : 0;
      for (std::size_t j = first; j <= i; ++j) {
        double sum = at(i, j);
        for (std::size_t k = std::max(first, j > width_ ? j - width_ : 0); k < j; ++k) {
          sum -= at(i, k) * at(j, k);
        }
        if (j == i && !(sum > 0)) return false;
        at(i, j) = j == i ? std::sqrt(sum) : sum / at(j, j);
      }
      for (std::size_t k = first; k < i; ++k) b[i] -= at(i, k) * b[k];
      b[i] /= at(i, i);
    }
    for (std::size_t i = size_; i-- > 0;) {
      b[i] /= at(i, i);
      for (std::size_t k = i > width_ ? i - width_ : 0; k < i; ++k) b[k] -= at(i, k) * b[i];
    }
    return true;
  }

 private:
  std::size_t size_;
  std::size_t width_;
  std::vector<double> values_;
};

/// Finds the logarithms of the pieces' densities, by damped Gauss-Newton steps.
class DensityFit {
 public:
  DensityFit(const std::vector<CountedCells>& seen, const std::vector<Piece>& pieces,
             double deviation)
      : seen_(seen), pieces_(pieces), logs_(pieces.size()) {
    for (const CountedCells& one : seen) {
      const double count = std::max(one.count, 0.0);
      const double noise = deviation * deviation * static_cast<double>(one.cells);
      variances_.push_back(noise + std::max(count, 1.0) + kHeaps * kHeaps * count * count);
    }
    std::vector<std::size_t> inside(seen.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const CountedCells& one = seen[pieces[i].of];
      const double least = std::sqrt(variances_[pieces[i].of]) / 2;
      logs_[i] = std::log(std::max(one.count, least) / (one.high - one.low));
      width_ = std::max(width_, inside[pieces[i].of]++);
    }
  }

  std::vector<double> masses() {
    double damping = 1e-3;
    double now = loss(logs_);
    for (int step = 0; step < kMostSteps; ++step) {
      std::vector<double> next;
      double then = now;
      for (int tries = 0; tries < 12; ++tries, damping *= 4) {
        next = stepped(damping);
        then = next.empty() ? now : loss(next);
        if (then < now) break;
      }
      if (!(then < now)) break;
      const double gain = now - then;
      logs_ = std::move(next);
      now = then;
      damping = std::max(damping / 4, 1e-9);
      if (gain < 1e-6 * now + 1e-9) break;
    }
    return masses_of(logs_);
  }

 private:
  std::vector<double> masses_of(const std::vector<double>& logs) const {
    std::vector<double> masses;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      masses.push_back(std::exp(logs[i]) * (pieces_[i].high - pieces_[i].low));
    }
    return masses;
  }
  std::vector<double> misfits(const std::vector<double>& masses) const {
    std::vector<double> sums(seen_.size());
    for (std::size_t i = 0; i < masses.size(); ++i) sums[pieces_[i].of] += masses[i];
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] -= seen_[i].count;
    return sums;
  }
  /// Calls take(i, weights of logs i, i + 1 and i + 2) of each penalty, a square of their sum.
  template <class Take>
  void each_penalty(const Take& take) const {
    for (std::size_t i = 0; i + 1 < pieces_.size(); ++i) {
      const double length = pieces_[i + 1].middle - pieces_[i].middle;
      const double slope = 1 / (kSlope * std::sqrt(length));
      take(i, -slope, slope, 0.0);
      if (i + 2 == pieces_.size()) break;
      const double next = pieces_[i + 2].middle - pieces_[i + 1].middle;
      const double change = 1 / (kChange * std::sqrt((length + next) / 2));
      take(i, change / length, -change / length - change / next, change / next);
    }
  }
  double loss(const std::vector<double>& logs) const {
    double sum = 0;
    const std::vector<double> misfit = misfits(masses_of(logs));
    for (std::size_t i = 0; i < misfit.size(); ++i) sum += misfit[i] * misfit[i] / variances_[i];
    each_penalty([&](std::size_t i, double a, double b, double c) {
      const double one = a * logs[i] + b * logs[i + 1] + (c == 0 ? 0 : c * logs[i + 2]);
      sum += one * one;
    });
    return std::isfinite(sum) ? sum / 2 : std::numeric_limits<double>::infinity();
  }
  /// Empty where no step can be found.
  std::vector<double> stepped(double damping) const {
    const std::vector<double> masses = masses_of(logs_);
    const std::vector<double> misfit = misfits(masses);
    BandMatrix matrix(logs_.size(), std::max<std::size_t>(2, width_));
    std::vector<double> step(logs_.size());
    for (std::size_t i = 0, first = 0; i < logs_.size(); ++i) {
      if (pieces_[first].of != pieces_[i].of) first = i;
      const double variance = variances_[pieces_[i].of];
      step[i] = -masses[i] * misfit[pieces_[i].of] / variance;
      for (std::size_t j = first; j <= i; ++j) {
        matrix.at(i, j) += masses[i] * masses[j] / variance;
      }
    }
    each_penalty([&](std::size_t i, double a, double b, double c) {
      const double weights[] = {a, b, c};
      const std::size_t count = c == 0 ? 2 : 3;
      double sum = 0;
      for (std::size_t k = 0; k < count; ++k) sum += weights[k] * logs_[i + k];
      for (std::size_t k = 0; k < count; ++k) {
        step[i + k] -= weights[k] * sum;
        for (std::size_t l = 0; l <= k; ++l) matrix.at(i + k, i + l) += weights[k] * weights[l];
      }
    });
    for (std::size_t i = 0; i < logs_.size(); ++i) matrix.at(i, i) *= 1 + damping;
    if (!matrix.solve(step)) return {};
    constexpr double kMostStep = 2;
    for (std::size_t i = 0; i < step.size(); ++i) {
      step[i] = logs_[i] + std::clamp(step[i], -kMostStep, kMostStep);
    }
    return step;
  }

  const std::vector<CountedCells>& seen_;
  const std::vector<Piece>& pieces_;
  std::vector<double> variances_;
  std::vector<double> logs_;
  std::size_t width_ = 0;
};

}  // namespace

ColumnAxis axis_of(const Column& column) {
  return has_private_bins(column.cells()) ? ColumnAxis() : axis_of_fine_cells(column);
}

ColumnAxis axis_of_fine_cells(const Column& column) {
  if (is_of_words(column)) return {};
  const std::vector<std::uint32_t> spikes = spike_cells(column.cells());
  if (has_values_of_its_own(column.cells()) && spikes.empty()) return {};  // a list
  bool any_holds_many = column.cell_count() > kMostLevels;
  ColumnAxis axis(column.size());
  std::size_t before = axis.size();
  for (std::uint32_t cell = 0; cell < column.cell_count(); ++cell) {
    if (std::binary_search(spikes.begin(), spikes.end(), cell)) continue;
    const std::uint64_t points = column.points(cell);
    any_holds_many = any_holds_many || points > 1;
    const double low = axis_number(column, cell, 0);
    const double last = axis_number(column, cell, points - 1);
    const double apart = points > 1 ? (last - low) / static_cast<double>(points - 1) : 1;
    axis[cell] = {low, last + apart};
    if (before < cell) axis[before].high = low;
    before = cell;
  }
  return any_holds_many ? axis : ColumnAxis();
}

double Density::up_to(double x) const {
  const auto after = std::upper_bound(ends_.begin(), ends_.end(), x);
  if (after == ends_.begin()) return 0;
  if (after == ends_.end()) return below_.back();
  const auto i = static_cast<std::size_t>(after - ends_.begin());
  const double part = (x - ends_[i - 1]) / (ends_[i] - ends_[i - 1]);
  return below_[i - 1] + part * (below_[i] - below_[i - 1]);
}

std::span<const double> Density::ends_between(double low, double high) const {
  const auto first = std::upper_bound(ends_.begin(), ends_.end(), low);
  return {first, std::lower_bound(first, ends_.end(), high)};
}

std::optional<Density> smooth_density(const ColumnAxis& axis, std::span<const double> counts,
                                      double deviation) {
  if (axis.size() > kMostCellsOfAxis) return std::nullopt;
  const std::vector<CountedCells> cells = cells_along(axis, counts);
  const std::vector<CountedCells> seen = seen_cells(cells, deviation);
  double sum = 0;
  for (const CountedCells& one : seen) sum += one.count;
  if (seen.size() < 3 || !(sum > kSeen * deviation)) return std::nullopt;
  const std::vector<Piece> pieces = pieces_of(seen);
  std::vector<double> ends{pieces.front().low};
  std::vector<double> below{0};
  const std::optional<Tail> right = upper_tail(cells, deviation);
  const std::optional<Tail> left = upper_tail(mirrored_cells(cells), deviation);
  for (double mass : DensityFit(seen, pieces, deviation).masses()) {
    const auto& [low, high, middle, of] = pieces[below.size() - 1];
    if (right && low >= right->from()) mass = right->between(low, high);
    if (left && -high >= left->from()) mass = left->between(-high, -low);
    ends.push_back(high);
    below.push_back(below.back() + mass);
  }
  if (!std::isfinite(below.back())) return std::nullopt;
  return Density(std::move(ends), std::move(below));
}

double with_density(double count, double smooth, double deviation) {
  constexpr double kNoNoise = 3;             // standard deviations
  const double known = smooth * smooth / 4;  // a density may be half off
  const double weight =
      count - smooth > kNoNoise * deviation ? 1 : known / (known + deviation * deviation);
  // No cell is impossible, but counts without much noise may show an empty one.
  const double least = std::max(std::min(smooth, deviation) / 10, 1e-6 * deviation);
  return std::max(smooth + weight * (count - smooth), least);
}

namespace {

/// How a cell's values share it: a run for each piece of the density.
std::optional<CellShape> shape_in(const Density& density, const Column& column, std::uint32_t cell,
                                  const AxisCell& inside) {
  CellShape shape{cell};
  const std::uint64_t points = column.points(cell);
  const auto place = [&](std::uint64_t point) {
    return point == points ? inside.high : axis_number(column, cell, point);
  };
  const auto end_run = [&](std::uint64_t end) {
    const std::uint64_t begin = shape.ends.empty() ? 0 : shape.ends.back();
    if (end <= begin) return;
    const double before = shape.sums.empty() ? 0 : shape.sums.back();
    shape.sums.push_back(before + density.between(place(begin), place(end)));
    shape.ends.push_back(end);
  };
  for (const double end : density.ends_between(inside.low, inside.high)) {
    std::uint64_t low = 0, high = points;
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      (place(middle) < end ? low : high) = place(middle) < end ? middle + 1 : middle;
    }
    end_run(low);
  }
  end_run(points);
  double uneven = 0;
  for (const std::uint64_t end : shape.ends) {
    const double even = static_cast<double>(end) / static_cast<double>(points);
    uneven = std::max(uneven, std::fabs(shape.below(end) - even));
  }
  if (!shape.is_sound() || uneven < kEven) return std::nullopt;
  return shape;
}

}  // namespace

ColumnShapes shapes_of(const Column& column, std::span<const double> counts) {
  ColumnShapes shapes;
  const ColumnAxis axis = axis_of(column);
  const auto density = smooth_density(axis, counts, 0);
  for (std::uint32_t cell = 0; density && cell < column.cell_count(); ++cell) {
    if (axis[cell].is_alone() || column.points(cell) < 2) continue;
    if (auto shape = shape_in(*density, column, cell, axis[cell])) {
      shapes.push_back(*std::move(shape));
    }
  }
  return shapes;
}

}  // namespace mollify
