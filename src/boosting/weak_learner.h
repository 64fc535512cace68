// What makes classifiers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "boosting/classifier.h"
#include "density/points.h"

namespace mollify {

/// Told after each pass over the samples: how many are done, of how many, and the mean
/// cross-entropy of the last in nats. It says what private samples are like, so only analysis
/// listens.
using TrainingProgress =
    std::function<void(std::size_t epoch, std::size_t epochs, double cross_entropy)>;

/// Learns to tell samples of P from samples of Q. Immutable, so threads may share one.
///
/// Total: any values in the samples give a classifier, and without samples of one of the two a
/// classifier that says 0 everywhere. The same samples, seed and processor give the same classifier
/// bit for bit.
class WeakLearner {
 public:
  WeakLearner() = default;
  WeakLearner(const WeakLearner&) = delete;
  WeakLearner& operator=(const WeakLearner&) = delete;
  virtual ~WeakLearner() = default;

  /// Learns from the two samples, which need not be equally large: each distribution counts half.
  /// `seed` settles all that is random in learning. Throws InvalidInput if the samples' dimensions
  /// differ.
  [[nodiscard]] virtual std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const = 0;
};

}  // namespace mollify
