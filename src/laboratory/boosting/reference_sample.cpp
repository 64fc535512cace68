#include "laboratory/boosting/reference_sample.h"

#include <span>
#include <vector>

namespace mollify {
namespace {

template <class Draw>
Features filled(const Measure& measure, std::size_t count, const Draw& draw) {
  Features points(measure.dimension(), count);
  std::vector<double> point(measure.dimension());
  for (std::size_t i = 0; i < count; ++i) {
    draw(std::span<double>(point));
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      points.values(axis)[i] = static_cast<float>(point[axis]);
    }
  }
  return points;
}

}  // namespace

Features reference_sample(const Measure& measure, std::size_t count, SecureRandom& random) {
  return filled(measure, count, [&](std::span<double> point) { measure.draw(random, point); });
}

Features reference_sample(const Measure& measure, std::size_t count, SeededRandom& random) {
  return filled(measure, count, [&](std::span<double> point) { measure.simulate(random, point); });
}

}  // namespace mollify
