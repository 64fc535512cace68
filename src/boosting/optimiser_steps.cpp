#include "boosting/optimiser_steps.h"

#include <cmath>
#include <cstddef>
#include <span>

namespace mollify::detail {

OptimiserSteps::OptimiserSteps(Optimiser optimiser, double rate, double momentum,
                               std::size_t parameter_count)
    : optimiser_(optimiser), rate_(rate), momentum_(momentum), velocity_(parameter_count) {
  if (optimiser == Optimiser::kAdam) squares_.resize(parameter_count);
}

void OptimiserSteps::step(std::span<const float> gradient, std::span<float> parameters) {
  if (optimiser_ == Optimiser::kNesterov) {
    const float rate = static_cast<float>(rate_);
    const float momentum = static_cast<float>(momentum_);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      velocity_[i] = momentum * velocity_[i] + gradient[i];
      parameters[i] -= rate * (gradient[i] + momentum * velocity_[i]);
    }
    return;
  }
  constexpr float kFirst = 0.9F;
  constexpr float kSecond = 0.999F;
  first_decay_ *= 0.9;
  second_decay_ *= 0.999;
  const float rate = static_cast<float>(rate_ / (1 - first_decay_));
  const float scale = static_cast<float>(1 / (1 - second_decay_));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    velocity_[i] = kFirst * velocity_[i] + (1 - kFirst) * gradient[i];
    squares_[i] = kSecond * squares_[i] + (1 - kSecond) * gradient[i] * gradient[i];
    parameters[i] -= rate * velocity_[i] / (std::sqrt(squares_[i] * scale) + 1e-8F);
  }
}

}  // namespace mollify::detail
