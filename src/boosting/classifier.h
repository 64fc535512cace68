// What tells points of one distribution from points of another.
#pragma once

#include <cstddef>
#include <span>

#include "density/points.h"

namespace mollify {

/// An estimate of ln(P/Q) at points, learned from samples of P and Q. Immutable, so threads may
/// share one.
///
/// Learned from private data, a classifier is private data. Whoever uses one bounds what it says
/// (boosting/bounding.h): it may return anything, NaN included.
class Classifier {
 public:
  Classifier() = default;
  Classifier(const Classifier&) = delete;
  Classifier& operator=(const Classifier&) = delete;
  virtual ~Classifier() = default;

  /// The number of features of the points it reads.
  [[nodiscard]] virtual std::size_t dimension() const noexcept = 0;

  /// Writes the logit of each point: positive where P is the likelier. Throws InvalidInput if the
  /// points have another dimension or `logits` another size.
  virtual void logits(const Points& points, std::span<float> logits) const = 0;
};

namespace detail {

/// Throws InvalidInput unless the classifier can write the points' logits there.
void check_points(const Classifier& classifier, const Points& points,
                  std::span<const float> logits);

/// Throws InvalidInput unless both samples have the same dimension, at least 1.
void check_samples(const Points& p, const Points& q);

}  // namespace detail
}  // namespace mollify
