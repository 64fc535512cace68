#include "laboratory/measure/histogram_measure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

HistogramMeasure::HistogramMeasure(Grid bins, std::vector<double> masses)
    : bins_(std::move(bins)), masses_(std::move(masses)) {
  if (masses_.size() != bins_.cell_count()) {
    throw InvalidInput(fmt::format("a histogram of {} bins must have as many masses, but has {}",
                                   bins_.cell_count(), masses_.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    if (!(masses_[i] > 0)) {
      throw InvalidInput(
          fmt::format("mass {} of a reference's histogram must be positive, or data there would be "
                      "lost, but is {:g}",
                      i, masses_[i]));
    }
    sum += masses_[i];
  }
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InvalidInput(fmt::format(
        "the masses of a histogram must have a positive, finite sum, but it is {:g}", sum));
  }
  double through = 0;
  masses_through_.reserve(masses_.size());
  for (double& mass : masses_) {
    mass /= sum;
    masses_through_.push_back(through += mass);
  }
}

double HistogramMeasure::density(std::span<const double> point) const {
  const Box box = bins_.box();
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    if (!box[axis].contains(point[axis])) return 0;
  }
  const std::size_t bin = bins_.cell_of(point);
  double density = masses_[bin];
  for (const Interval& interval : bins_.cell(bin)) density /= interval.width();
  return density;
}

template <class Take>
void HistogramMeasure::for_each_part(const Box& box, const Take& take) const {
  // The bins met along each axis: from the one that holds the low end to the one that holds the
  // high end.
  std::vector<std::size_t> first(box.size());
  std::vector<std::size_t> last(box.size());
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const std::span<const double> inner = bins_.edges(axis).subspan(1, bins_.cells_along(axis) - 1);
    const auto position = [&](double x) {
      return static_cast<std::size_t>(std::upper_bound(inner.begin(), inner.end(), x) -
                                      inner.begin());
    };
    first[axis] = position(box[axis].low);
    last[axis] = position(box[axis].high);
  }
  std::vector<std::size_t> along = first;
  for (bool more = true; more;) {
    std::size_t bin = 0;
    double share = 1;
    Box part(box.size());
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const double low = bins_.edges(axis)[along[axis]];
      const double high = bins_.edges(axis)[along[axis] + 1];
      part[axis] = {std::clamp(box[axis].low, low, high), std::clamp(box[axis].high, low, high)};
      share *= part[axis].width() / (high - low);
      bin = bin * bins_.cells_along(axis) + along[axis];
    }
    take(part, masses_[bin] * share);
    more = false;
    for (std::size_t axis = box.size(); axis-- > 0;) {
      if (along[axis] < last[axis]) {
        ++along[axis];
        more = true;
        break;
      }
      along[axis] = first[axis];
    }
  }
}

double HistogramMeasure::box_mass(const Box& box) const {
  double sum = 0;
  for_each_part(box, [&](const Box&, double mass) { sum += mass; });
  return sum;
}

std::vector<double> HistogramMeasure::equal_mass_edges(std::size_t axis, std::size_t cells) const {
  std::vector<double> marginal(bins_.cells_along(axis));
  std::size_t stride = 1;
  for (std::size_t later = axis + 1; later < dimension(); ++later) {
    stride *= bins_.cells_along(later);
  }
  for (std::size_t bin = 0; bin < masses_.size(); ++bin) {
    marginal[bin / stride % marginal.size()] += masses_[bin];
  }
  return mollify::equal_mass_edges(bins_.edges(axis), marginal, cells);
}

void HistogramMeasure::draw_from(WordStream& words, std::span<double> point) const {
  const double position = words.unit() * masses_through_.back();
  const auto bin = std::upper_bound(masses_through_.begin(), masses_through_.end() - 1, position);
  words.uniform_in(bins_.cell(static_cast<std::size_t>(bin - masses_through_.begin())), point);
}

void HistogramMeasure::draw_inside_from(WordStream& words, const Box& cell,
                                        std::span<double> point) const {
  double left = words.unit() * box_mass(cell);
  Box chosen = cell;
  bool found = false;
  for_each_part(cell, [&](const Box& part, double mass) {
    if (found || !(mass > 0)) return;
    chosen = part;
    found = left < mass;
    left -= mass;
  });
  words.uniform_in(chosen, point);
}

}  // namespace mollify
