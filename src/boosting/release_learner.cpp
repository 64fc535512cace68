#include "boosting/release_learner.h"

namespace mollify {

NetworkOptions release_network() {
  NetworkOptions options;
  options.optimiser = Optimiser::kAdam;
  options.rate = 0.01;
  options.epochs = 30;
  options.minibatches = 40;
  return options;
}

std::shared_ptr<const WeakLearner> release_learner() {
  return std::make_shared<NetworkLearner>(release_network());
}

}  // namespace mollify
