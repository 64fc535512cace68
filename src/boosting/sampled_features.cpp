#include "mollify/boosting/sampled_features.h"

#include <vector>

namespace mollify {

Features simulated_features(const Measure& measure, std::size_t count, SeededRandom& random) {
  Features features(measure.dimension(), count);
  std::vector<double> point(measure.dimension());
  for (std::size_t i = 0; i < count; ++i) {
    measure.simulate(random, point);
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      features.values(axis)[i] = static_cast<float>(point[axis]);
    }
  }
  return features;
}

}  // namespace mollify
