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
/// Counts whose densities differ by e^2 more than the slopes next to them explain.
constexpr double kJump = 2;
/// Below the last jump a single count falls like the scale's e^-2, such as x^-2.
constexpr double kFallBeyond = 2;
/// The standard deviation of a piece's logarithm, which matters where its cells are empty.
constexpr double kAnywhere = 100;
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

/// How long a cell is along the scale: the logarithm of a number's size from the least width on, or
/// the number in half cells, whichever makes a cell longer.
struct ScaleLength {
  double from;
  double length;
  bool is_log;
};

ScaleLength length_along(const CountedCells& one, double least) {
  const double from = std::asinh(one.low / least);
  const double length = std::asinh(one.high / least) - from;
  return length > 0.5 ? ScaleLength{from, length, true} : ScaleLength{from, 0.5, false};
}

double least_width(const std::vector<CountedCells>& cells) {
  double least = std::numeric_limits<double>::infinity();
  for (const CountedCells& one : cells) least = std::min(least, one.high - one.low);
  return least;
}

/// Finds the edges at which a density jumps, because no smooth one makes the counts on both sides
/// likely. Numbers often begin or end at an edge, such as the ages of adults.
class Jumps {
 public:
  /// `deviation`: the noise of a cell's count.
  Jumps(const std::vector<CountedCells>& cells, double deviation)
      : cells_(cells), deviation_(deviation), least_(least_width(cells)) {}

  /// Whether the density jumps below this cell.
  [[nodiscard]] bool is_below(std::size_t cell) const {
    if (cell == 0) return false;
    const bool falls = log_density(cell - 1) > log_density(cell);
    // Cells in the direction in which the density falls: 0 is the last before the edge.
    const auto at = [&](int k) {
      const auto i = static_cast<std::ptrdiff_t>(cell) + (falls ? k - 1 : -k);
      return i >= 0 && i < static_cast<std::ptrdiff_t>(cells_.size()) ? static_cast<std::size_t>(i)
                                                                      : cells_.size();
    };
    const CountedCells& high = cells_[at(0)];
    const double width = high.high - high.low;
    // As wide a part of the other side, as if all of its rows were next to the edge.
    CountedCells low{0, 0, 0, 0};
    for (int k = 1; at(k) < cells_.size() && low.high < width; ++k) {
      const CountedCells& one = cells_[at(k)];
      low = {0, low.high + one.high - one.low, low.count + one.count, low.cells + one.cells};
    }
    const double most = std::max(low.count, 0.0) + kDoubt * noise_of(low);
    const double least = high.count - kDoubt * noise_of(high);
    if (!(least > 0)) return false;
    const double fall = std::log(least / width * std::min(width, low.high) / most);
    // What the slopes explain: those before the edge, and the one after it if they are few.
    const double before = slope(at(-1), at(0)), after = slope(at(1), at(2));
    double next = after;
    if (at(-2) < cells_.size()) {
      next = before + std::clamp(before - slope(at(-2), at(-1)), 0.0, kCurve / length(at(0)));
    } else if (at(-1) < cells_.size()) {
      next = std::max(before, (before + after) / 2);
    }
    const double explained = std::max(next, 0.0) * length(at(0));
    return fall > kJump + explained;
  }

 private:
  static constexpr double kDoubt = 2;    // standard deviations
  static constexpr double kCurve = 1.5;  // most change of a slope over a cell

  double noise_of(const CountedCells& one) const {
    return std::sqrt(deviation_ * deviation_ * static_cast<double>(one.cells) +
                     std::max(one.count, 1.0));
  }
  double log_density(std::size_t cell) const {
    const CountedCells& one = cells_[cell];
    return std::log(std::max(one.count, noise_of(one)) / (one.high - one.low));
  }
  double length(std::size_t cell) const { return length_along(cells_[cell], least_).length; }
  /// How fast the density falls from one cell to the next; 0 if there are no such cells.
  double slope(std::size_t from, std::size_t to) const {
    if (from >= cells_.size() || to >= cells_.size()) return 0;
    return (log_density(from) - log_density(to)) / ((length(from) + length(to)) / 2);
  }

  const std::vector<CountedCells>& cells_;
  double deviation_;
  double least_;
};

/// What is seen of an axis, and whether its density jumps below each observation.
struct Observations {
  std::vector<CountedCells> cells;
  std::vector<bool> jumps;

  void join_last() {
    const CountedCells last = cells.back();
    cells.pop_back();
    jumps.pop_back();
    cells.back() = {cells.back().low, last.high, cells.back().count + last.count,
                    cells.back().cells + last.cells};
  }
  /// Cells of an end that noise hides are one observation, together with a seen one unless the
  /// density jumps in between: single ones would draw the tail to where noise happens to be great.
  void join_end(double deviation) {
    for (std::size_t hidden = hidden_cells(cells, deviation); hidden > 1; --hidden) {
      if (!jumps.back()) join_last();
    }
  }
  void mirror() {
    cells = mirrored_cells(cells);
    std::reverse(jumps.begin() + 1, jumps.end());
  }
};

Observations observed(Observations seen, double deviation) {
  if (seen.cells.size() < 2) return seen;
  seen.join_end(deviation);
  const CountedCells last = seen.cells.back();
  const bool jumps_last = seen.jumps.back();
  seen.cells.pop_back();
  seen.jumps.pop_back();
  if (!seen.cells.empty()) {
    seen.mirror();
    seen.join_end(deviation);
    seen.mirror();
  }
  seen.cells.push_back(last);
  seen.jumps.push_back(jumps_last);
  return seen;
}

/// A piece of the axis: where it ends, its middle along the scale, and what it is a piece of.
struct Piece {
  double low;
  double high;
  double middle;
  std::size_t of;
};

/// Cuts what is seen into pieces of about equal length along the scale.
std::vector<Piece> pieces_of(const std::vector<CountedCells>& seen) {
  const double least = least_width(seen);
  std::vector<Piece> pieces;
  double place = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const double low = seen[i].low, high = seen[i].high;
    const ScaleLength along = length_along(seen[i], least);
    const auto number = static_cast<std::size_t>(
        std::clamp(std::ceil(along.length / kPiece), 2.0, static_cast<double>(kMostPieces)));
    const auto end = [&](std::size_t k) {
      if (k == number) return high;
      const double part = static_cast<double>(k) / static_cast<double>(number);
      return along.is_log ? std::sinh(along.from + part * along.length) * least
                          : low + part * (high - low);
    };
    for (std::size_t k = 0; k < number; ++k) {
      const double middle = (static_cast<double>(k) + 0.5) / static_cast<double>(number);
      pieces.push_back({k == 0 ? low : end(k), end(k + 1), place + middle * along.length, i});
    }
    place += along.length;
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
  DensityFit(const Observations& seen, const std::vector<Piece>& pieces, double deviation)
      : seen_(seen.cells), jumps_(seen.jumps), pieces_(pieces), logs_(pieces.size()) {
    for (const CountedCells& one : seen_) {
      const double count = std::max(one.count, 0.0);
      const double noise = deviation * deviation * static_cast<double>(one.cells);
      variances_.push_back(noise + std::max(count, 1.0) + kHeaps * kHeaps * count * count);
    }
    std::vector<std::size_t> inside(seen_.size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const CountedCells& one = seen_[pieces[i].of];
      const double least = std::sqrt(variances_[pieces[i].of]) / 2;
      logs_[i] = std::log(std::max(one.count, least) / (one.high - one.low));
      width_ = std::max(width_, inside[pieces[i].of]++);
    }
    start_ = logs_;
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
  /// Whether the density jumps between this piece and the next one. It does after the last one.
  bool jumps_after(std::size_t piece) const {
    if (piece + 1 == pieces_.size()) return true;
    return pieces_[piece].of != pieces_[piece + 1].of && jumps_[pieces_[piece + 1].of];
  }
  bool is_below(std::size_t one, std::size_t other) const {
    const CountedCells &a = seen_[one], &b = seen_[other];
    return a.count * (b.high - b.low) < b.count * (a.high - a.low);
  }
  /// The slope that counts do not tell, below the last jump at each end.
  double slope_alone(std::size_t piece) const {
    const std::size_t of = pieces_[piece].of, last = seen_.size() - 1;
    if (of == 0 && jumps_[1] && is_below(0, 1)) return kFallBeyond;
    return of == last && jumps_[of] && is_below(of, of - 1) ? -kFallBeyond : 0;
  }
  /// Calls take(i, weights of logs i, i + 1 and i + 2, what their sum should be) of each penalty.
  template <class Take>
  void each_penalty(const Take& take) const {
    for (std::size_t i = 0; i < pieces_.size(); ++i) {
      take(i, 1 / kAnywhere, 0.0, 0.0, start_[i] / kAnywhere);
      if (jumps_after(i)) continue;
      const double length = pieces_[i + 1].middle - pieces_[i].middle;
      const double slope = 1 / (kSlope * std::sqrt(length));
      take(i, -slope, slope, 0.0, slope * length * slope_alone(i));
      if (jumps_after(i + 1)) continue;
      const double next = pieces_[i + 2].middle - pieces_[i + 1].middle;
      const double change = 1 / (kChange * std::sqrt((length + next) / 2));
      take(i, change / length, -change / length - change / next, change / next, 0.0);
    }
  }
  double loss(const std::vector<double>& logs) const {
    double sum = 0;
    const std::vector<double> misfit = misfits(masses_of(logs));
    for (std::size_t i = 0; i < misfit.size(); ++i) sum += misfit[i] * misfit[i] / variances_[i];
    each_penalty([&](std::size_t i, double a, double b, double c, double should) {
      const double one =
          a * logs[i] + (b == 0 ? 0 : b * logs[i + 1]) + (c == 0 ? 0 : c * logs[i + 2]) - should;
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
    each_penalty([&](std::size_t i, double a, double b, double c, double should) {
      const double weights[] = {a, b, c};
      const std::size_t count = b == 0 ? 1 : c == 0 ? 2 : 3;
      double sum = -should;
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
  const std::vector<bool>& jumps_;
  const std::vector<Piece>& pieces_;
  std::vector<double> variances_;
  std::vector<double> logs_;
  std::vector<double> start_;
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

namespace {

/// `noise`: the deviation that decides about jumps.
std::optional<Density> density_of(const ColumnAxis& axis, std::span<const double> counts,
                                  double deviation, double noise) {
  if (axis.size() > kMostCellsOfAxis) return std::nullopt;
  const std::vector<CountedCells> cells = cells_along(axis, counts);
  const Jumps is_jump(cells, noise);
  std::vector<bool> jumps(cells.size());
  std::size_t first_jump = cells.size(), last_jump = 0;
  for (std::size_t i = 1; i < cells.size(); ++i) {
    jumps[i] = is_jump.is_below(i);
    if (jumps[i]) first_jump = std::min(first_jump, last_jump = i);
  }
  const Observations seen = observed({cells, std::move(jumps)}, deviation);
  double sum = 0;
  for (const CountedCells& one : seen.cells) sum += one.count;
  if (seen.cells.size() < 3 || !(sum > kSeen * deviation)) return std::nullopt;
  const std::vector<Piece> pieces = pieces_of(seen.cells);
  std::vector<double> ends{pieces.front().low};
  std::vector<double> below{0};
  const std::optional<Tail> right = upper_tail(cells, deviation, last_jump);
  const std::optional<Tail> left =
      upper_tail(mirrored_cells(cells), deviation, cells.size() - first_jump);
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

}  // namespace

std::optional<Density> smooth_density(const ColumnAxis& axis, std::span<const double> counts,
                                      double deviation) {
  return density_of(axis, counts, deviation, deviation);
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

ColumnShapes shapes_of(const Column& column, std::span<const double> counts, double noise) {
  ColumnShapes shapes;
  const ColumnAxis axis = axis_of(column);
  const auto density = density_of(axis, counts, 0, noise);
  for (std::uint32_t cell = 0; density && cell < column.cell_count(); ++cell) {
    if (axis[cell].is_alone() || column.points(cell) < 2) continue;
    if (auto shape = shape_in(*density, column, cell, axis[cell])) {
      shapes.push_back(*std::move(shape));
    }
  }
  return shapes;
}

}  // namespace mollify
