// A learner that learns the first classifier once for all values of epsilon.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "boosting/network.h"
#include "boosting/weak_learner.h"

namespace mollify {

/// What the first call learned is given again for the same seed: the first classifier of `boost`
/// tells P from Q0 by the same samples and seed for every epsilon and bounding, and is a third of
/// the work. For runs that share P, pool and seed; by one thread.
class FirstOnceLearner final : public WeakLearner {
 public:
  explicit FirstOnceLearner(const NetworkOptions& options) : learner_(options) {}

  [[nodiscard]] std::unique_ptr<Classifier> learn(
      const Points& p, const Points& q, std::uint64_t seed,
      const TrainingProgress& progress = nullptr) const override;

 private:
  NetworkLearner learner_;
  mutable std::optional<NetworkParameters> first_;
  mutable std::uint64_t first_seed_ = 0;
};

}  // namespace mollify
