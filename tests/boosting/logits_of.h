// What a classifier says of points.
#pragma once

#include <vector>

#include "boosting/classifier.h"

namespace mollify::test {

inline std::vector<float> logits_of(const Classifier& classifier, const Points& points) {
  std::vector<float> result(points.size(), -777.0F);
  classifier.logits(points, result);
  return result;
}

}  // namespace mollify::test
