#include "boosting/classifier.h"

#include <cstddef>
#include <span>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify::detail {

void check_points(const Classifier& classifier, const Points& points,
                  std::span<const float> logits) {
  if (points.dimension() != classifier.dimension()) {
    throw InvalidInput(
        fmt::format("points must have the {} features that the classifier reads, but have {}",
                    classifier.dimension(), points.dimension()));
  }
  if (logits.size() != points.size()) {
    throw InvalidInput(fmt::format("there must be room for the logits of {} points, but it is {}",
                                   points.size(), logits.size()));
  }
}

void check_samples(const Points& p, const Points& q) {
  if (p.dimension() != q.dimension()) {
    throw InvalidInput(
        fmt::format("both samples must have the same number of features, but have {} and {}",
                    p.dimension(), q.dimension()));
  }
  if (p.dimension() == 0) {
    throw InvalidInput("samples must have at least 1 feature, but have 0");
  }
}

}  // namespace mollify::detail
