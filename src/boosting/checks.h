// What classifiers and learners refuse.
#pragma once

#include <cstddef>
#include <span>

#include "boosting/classifier.h"
#include "boosting/features.h"

namespace mollify::detail {

/// Throws InvalidInput unless the classifier can write the points' logits there.
void check_points(const Classifier& classifier, const Features& points,
                  std::span<const float> logits);

/// Throws InvalidInput unless both samples have the same dimension, at least 1.
void check_samples(const Features& p, const Features& q);

}  // namespace mollify::detail
