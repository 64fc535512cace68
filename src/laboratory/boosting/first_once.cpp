#include "laboratory/boosting/first_once.h"

namespace mollify {

std::unique_ptr<Classifier> FirstOnceLearner::learn(const Points& p, const Points& q,
                                                    std::uint64_t seed,
                                                    const TrainingProgress& progress) const {
  if (first_ && seed == first_seed_) return std::make_unique<NetworkClassifier>(*first_);
  std::unique_ptr<Classifier> classifier = learner_.learn(p, q, seed, progress);
  if (!first_) {
    first_ = dynamic_cast<const NetworkClassifier&>(*classifier).parameters();
    first_seed_ = seed;
  }
  return classifier;
}

}  // namespace mollify
