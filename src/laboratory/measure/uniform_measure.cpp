#include "laboratory/measure/uniform_measure.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

UniformMeasure::UniformMeasure(Box box) : box_(std::move(box)) {
  if (box_.empty()) throw InvalidInput("a uniform measure needs a box, but none is given");
  for (const Interval& interval : box_) {
    if (!std::isfinite(interval.width()) || !(interval.width() > 0)) {
      throw InvalidInput(
          fmt::format("a uniform measure's box must be finite and not empty, but is [{:g}, {:g}] "
                      "along an axis",
                      interval.low, interval.high));
    }
    density_ /= interval.width();
  }
  if (!std::isnormal(density_)) {
    throw InvalidInput("a uniform measure's box must have a volume that a double holds");
  }
}

double UniformMeasure::density(std::span<const double> point) const {
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    if (!box_[axis].contains(point[axis])) return 0;
  }
  return density_;
}

double UniformMeasure::box_mass(const Box& box) const {
  double mass = 1;
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    const double low = std::max(box[axis].low, box_[axis].low);
    const double high = std::min(box[axis].high, box_[axis].high);
    mass *= std::max(high - low, 0.0) / box_[axis].width();
  }
  return mass;
}

std::vector<double> UniformMeasure::equal_mass_edges(std::size_t axis, std::size_t cells) const {
  return equal_width_edges(box_[axis], cells);
}

void UniformMeasure::draw_from(WordStream& words, std::span<double> point) const {
  words.uniform_in(box_, point);
}

void UniformMeasure::draw_inside_from(WordStream& words, const Box& cell,
                                      std::span<double> point) const {
  Box inside = cell;
  for (std::size_t axis = 0; axis < inside.size(); ++axis) {
    inside[axis].low = std::clamp(cell[axis].low, box_[axis].low, box_[axis].high);
    inside[axis].high = std::clamp(cell[axis].high, box_[axis].low, box_[axis].high);
  }
  words.uniform_in(inside, point);
}

}  // namespace mollify
