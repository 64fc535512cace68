// Steps of gradient descent.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boosting/network.h"

namespace mollify::detail {

/// The state of an optimiser between its steps. Total: gradients that are not finite give weights
/// that are not.
class OptimiserSteps {
 public:
  OptimiserSteps(Optimiser optimiser, double rate, double momentum, std::size_t parameter_count);

  /// Moves the parameters by one step.
  void step(std::span<const float> gradient, std::span<float> parameters);

 private:
  Optimiser optimiser_;
  double rate_;
  double momentum_;
  double first_decay_ = 1;   ///< .9 to the number of steps
  double second_decay_ = 1;  ///< .999 to it
  std::vector<float> velocity_;
  std::vector<float> squares_;
};

}  // namespace mollify::detail
