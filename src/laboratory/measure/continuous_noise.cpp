#include "laboratory/measure/continuous_noise.h"

#include <cmath>

#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/measure/word_stream.h"

namespace mollify {
namespace {

void require_positive(const char* parameter, double value) {
  if (value > 0 && std::isfinite(value)) return;
  throw InvalidInput(
      fmt::format("{} of noise must be finite and positive, but is {:g}", parameter, value));
}

}  // namespace

void simulate_gaussian_not_private(double variance, std::span<double> noise, SeededRandom& random) {
  require_positive("the variance", variance);
  WordStream words(random);
  for (double& x : noise) x = std::sqrt(variance) * words.normal();
}

void simulate_euclidean_laplace_not_private(double scale, std::span<double> noise,
                                            SeededRandom& random) {
  require_positive("the scale", scale);
  if (noise.empty()) throw InvalidInput("the dimension of noise must be at least 1, but is 0");
  WordStream words(random);
  double squared = 0;
  for (double& x : noise) {
    x = words.normal();
    squared += x * x;
  }
  const auto dimension = static_cast<double>(noise.size());
  const double radius = scale * boost::math::gamma_p_inv(dimension, words.unit());
  for (double& x : noise) x *= radius / std::sqrt(squared);
}

}  // namespace mollify
