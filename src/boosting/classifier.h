// What tells points of one distribution from points of another.
#pragma once

#include <cstddef>
#include <span>

#include "boosting/features.h"

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
  virtual void logits(const Features& points, std::span<float> logits) const = 0;
};

}  // namespace mollify
