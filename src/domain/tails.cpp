#include "domain/tails.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mollify {

namespace {

/// Counts are noise below this many standard deviations.
constexpr double kMoreThanNoise = 4;
/// A tail has the last of these times the rows of its end with which it fits. The end has some rows,
/// also without noise.
constexpr double kTimesOfEnd[] = {2, 4, 8};
constexpr double kLeastRows = 20;
/// The density of the end is less than this part of the density before it.
constexpr double kThin = 0.5;
constexpr double kMostOfAll = 0.5;
/// Assumed of the shape before: a tail like x^-3.3, or anything from exponential ones to x^-1.8.
constexpr double kShape = 0.3;
constexpr double kShapeDeviation = 0.25;
/// Part of a count by which heaps, gaps and tails of another form change it.
constexpr double kMisfit = 0.1;
/// A tail does not fit if the sum of squares is as many standard deviations above its mean.
constexpr double kMostMisfit = 1;

double variance_of(const CountedCells& one, double rows, double deviation) {
  const double misfit = kMisfit * rows;
  return deviation * deviation * static_cast<double>(one.cells) + std::max(rows, 1.0) +
         misfit * misfit;
}

/// The tail of this shape and scale with the rows that the counts show.
Tail with_counted_rows(const Tail& tail, std::span<const CountedCells> cells, double deviation) {
  double sum = 0, squares = 0;
  for (const CountedCells& one : cells) {
    const double share = tail.between(one.low, one.high);
    const double variance = variance_of(one, std::max(one.count, 0.0), deviation);
    sum += share * one.count / variance;
    squares += share * share / variance;
  }
  return tail.with_rows(squares > 0 ? std::max(sum / squares, 1.0) : 1.0);
}

/// Minus the logarithm of the counts' likelihood and of what is assumed before.
double loss_of(const Tail& tail, std::span<const CountedCells> cells, double deviation) {
  const double away = (tail.shape() - kShape) / kShapeDeviation;
  double loss = away * away;
  for (const CountedCells& one : cells) {
    const double rows = tail.between(one.low, one.high);
    const double variance = variance_of(one, rows, deviation);
    loss += (one.count - rows) * (one.count - rows) / variance + std::log(variance);
  }
  return loss / 2;
}

/// Cells far out that are narrow next to how far out they are, together.
std::vector<CountedCells> put_together(std::span<const CountedCells> cells) {
  constexpr double kNarrow = 0.1;
  std::vector<CountedCells> made;
  for (const CountedCells& one : cells) {
    const double out = made.empty() ? 0 : made.back().low - cells.front().low;
    if (!made.empty() && made.back().high - made.back().low < kNarrow * out) {
      made.back().high = one.high;
      made.back().count += one.count;
      made.back().cells += one.cells;
    } else {
      made.push_back(one);
    }
  }
  return made;
}

}  // namespace

std::size_t hidden_cells(std::span<const CountedCells> cells, double deviation) {
  double sum = 0, squares = 0;
  for (std::size_t i = cells.size(); i-- > 0;) {
    const double noise = deviation * std::sqrt(static_cast<double>(cells[i].cells));
    sum += cells[i].count;
    squares += noise * noise;
    if (cells[i].count >= kMoreThanNoise * noise || sum >= kMoreThanNoise * std::sqrt(squares)) {
      return cells.size() - i;
    }
  }
  return cells.size();
}

double Tail::beyond(double x) const {
  const double out = (x - from_) / scale_;
  return shape_ < 1e-6 ? std::exp(-out) : std::exp(-std::log1p(shape_ * out) / shape_);
}

double Tail::between(double low, double high) const {
  return rows_ * (beyond(low) - beyond(high)) / (1 - beyond(bound_));
}

namespace {

/// The posterior mean of shape and scale, with the rows that the counts show. `unit` is near the
/// scale.
std::optional<Tail> fitted(std::span<const CountedCells> cells, double unit, double deviation) {
  const double from = cells.front().low, bound = cells.back().high;
  constexpr int kShapes = 20, kScales = 20;
  std::vector<double> losses;
  const auto each = [&](const auto& use) {
    for (int i = 0; i <= kShapes; ++i) {
      for (int j = -kScales; j <= kScales; ++j) use(static_cast<double>(i) / kShapes, 0.15 * j);
    }
  };
  each([&](double shape, double log_scale) {
    const Tail tail(from, bound, shape, unit * std::exp(log_scale), 1);
    losses.push_back(loss_of(with_counted_rows(tail, cells, deviation), cells, deviation));
  });
  const double least = *std::min_element(losses.begin(), losses.end());
  std::size_t at = 0;
  double shapes = 0, scales = 0, weights = 0;
  each([&](double shape, double log_scale) {
    const double weight = std::exp(least - losses[at++]);
    shapes += weight * shape;
    scales += weight * log_scale;
    weights += weight;
  });
  if (!(weights > 0)) return std::nullopt;  // counts that are no numbers
  const Tail tail(from, bound, shapes / weights, unit * std::exp(scales / weights), 1);
  return with_counted_rows(tail, cells, deviation);
}

/// Whether chance, noise and small heaps would often move counts as far from the tail's.
bool fits(const Tail& tail, std::span<const CountedCells> cells, double deviation) {
  double squares = 0;
  for (const CountedCells& one : cells) {
    const double rows = tail.between(one.low, one.high);
    squares += (one.count - rows) * (one.count - rows) / variance_of(one, rows, deviation);
  }
  const auto number = static_cast<double>(cells.size());
  return squares <= kMostMisfit * std::sqrt(2 * number) + number;
}

}  // namespace

std::optional<Tail> upper_tail(std::span<const CountedCells> cells, double deviation,
                               std::size_t least) {
  double all = 0;
  for (const CountedCells& one : cells) all += one.count;
  std::size_t first = cells.size();
  double sum = 0;
  const auto take = [&](double rows, std::size_t number) {
    while (first > 0 && (sum < rows || cells.size() - first < number)) sum += cells[--first].count;
  };
  take(kLeastRows, hidden_cells(cells, deviation));
  if (!(sum >= kLeastRows)) return std::nullopt;
  const std::size_t end = first;
  const double of_end = sum;
  std::optional<Tail> found;
  for (const double times : kTimesOfEnd) {
    take(times * of_end, cells.size() - end + 1);
    if (first == 0 || first < least || !(sum <= kMostOfAll * all)) break;
    const double from = cells[first].low;
    const double before = (sum - of_end) / (cells[end].low - from);
    if (from < 0 || !(of_end / (cells.back().high - cells[end].low) < kThin * before)) continue;
    const std::vector<CountedCells> of_tail = put_together(cells.subspan(first));
    const auto tail = fitted(of_tail, cells[end].low - from, deviation);
    if (!tail || !fits(*tail, of_tail, deviation)) break;
    found = tail;
  }
  return found;
}

}  // namespace mollify
