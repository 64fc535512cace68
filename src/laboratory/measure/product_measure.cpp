#include "laboratory/measure/product_measure.h"

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// The part of a box that lies along a factor's axes.
Box part_of(const Box& box, std::size_t begin, std::size_t dimension) {
  const auto first = box.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(dimension)};
}

}  // namespace

ProductMeasure::ProductMeasure(std::vector<std::shared_ptr<const Measure>> factors)
    : factors_(std::move(factors)) {
  if (factors_.empty()) {
    throw InvalidInput("a product of measures must have at least one factor, but has none");
  }
  for (const auto& factor : factors_) dimension_ += factor->dimension();
}

Box ProductMeasure::box() const {
  Box box;
  for (const auto& factor : factors_) {
    for (const Interval& interval : factor->box()) box.push_back(interval);
  }
  return box;
}

Box ProductMeasure::central_box() const {
  Box box;
  for (const auto& factor : factors_) {
    for (const Interval& interval : factor->central_box()) box.push_back(interval);
  }
  return box;
}

double ProductMeasure::density(std::span<const double> point) const {
  double density = 1;
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    density *= factor->density(point.subspan(begin, factor->dimension()));
    begin += factor->dimension();
  }
  return density;
}

double ProductMeasure::box_mass(const Box& box) const {
  double mass = 1;
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    mass *= factor->box_mass(part_of(box, begin, factor->dimension()));
    begin += factor->dimension();
  }
  return mass;
}

std::vector<double> ProductMeasure::equal_mass_edges(std::size_t axis, std::size_t cells) const {
  auto factor = factors_.begin();
  while (axis >= (*factor)->dimension()) axis -= (*factor++)->dimension();
  return (*factor)->equal_mass_edges(axis, cells);
}

void ProductMeasure::draw_from(WordStream& words, std::span<double> point) const {
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    draw_part(*factor, words, point.subspan(begin, factor->dimension()));
    begin += factor->dimension();
  }
}

void ProductMeasure::draw_inside_from(WordStream& words, const Box& cell,
                                      std::span<double> point) const {
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    draw_part_inside(*factor, words, part_of(cell, begin, factor->dimension()),
                     point.subspan(begin, factor->dimension()));
    begin += factor->dimension();
  }
}

}  // namespace mollify
