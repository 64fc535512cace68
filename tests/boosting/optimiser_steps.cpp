#include "boosting/optimiser_steps.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace mollify::detail {
namespace {

constexpr std::size_t kSteps = 50;

/// The gradient of a crooked valley.
std::vector<double> gradient_at(const std::vector<double>& w) {
  return {w[0] - std::sin(w[1]), 4 * w[1] - std::sin(w[0]), std::tanh(w[2])};
}

template <class Step>
void expect_same_path(OptimiserSteps steps, Step plain_step) {
  std::vector<double> plain = {1, -2, 3};
  std::vector<float> parameters(plain.begin(), plain.end());
  for (std::size_t step = 1; step <= kSteps; ++step) {
    plain_step(step, gradient_at(plain), plain);
    const std::vector<double> gradient = gradient_at({parameters.begin(), parameters.end()});
    steps.step(std::vector<float>(gradient.begin(), gradient.end()), parameters);
    for (std::size_t i = 0; i < plain.size(); ++i) {
      ASSERT_NEAR(static_cast<double>(parameters[i]), plain[i], 2e-5) << "step " << step;
    }
  }
}

TEST(OptimiserSteps, NesterovIsItsDefinition) {
  // As first published: the gradient is looked at ahead, at w + m v; here in terms of the place
  // looked from, w + m v itself.
  std::vector<double> velocity(3);
  expect_same_path(OptimiserSteps(Optimiser::kNesterov, 0.01, 0.9, 3),
                   [&](std::size_t, const std::vector<double>& g, std::vector<double>& ahead) {
                     for (std::size_t i = 0; i < ahead.size(); ++i) {
                       const double place = ahead[i] - 0.9 * velocity[i];
                       velocity[i] = 0.9 * velocity[i] - 0.01 * g[i];
                       ahead[i] = place + velocity[i] + 0.9 * velocity[i];
                     }
                   });
}

TEST(OptimiserSteps, AdamIsItsDefinition) {
  std::vector<double> m(3), v(3);
  expect_same_path(OptimiserSteps(Optimiser::kAdam, 0.05, 0, 3),
                   [&](std::size_t step, const std::vector<double>& g, std::vector<double>& w) {
                     const double t = static_cast<double>(step);
                     for (std::size_t i = 0; i < w.size(); ++i) {
                       m[i] = 0.9 * m[i] + 0.1 * g[i];
                       v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
                       const double m_hat = m[i] / (1 - std::pow(0.9, t));
                       const double v_hat = v[i] / (1 - std::pow(0.999, t));
                       w[i] -= 0.05 * m_hat / (std::sqrt(v_hat) + 1e-8);
                     }
                   });
}

TEST(OptimiserSteps, BothReachTheMinimum) {
  for (const Optimiser optimiser : {Optimiser::kNesterov, Optimiser::kAdam}) {
    OptimiserSteps steps(optimiser, 0.01, 0.9, 3);
    std::vector<float> parameters = {1, -2, 3};
    for (std::size_t step = 0; step < 3000; ++step) {
      const std::vector<double> gradient = gradient_at({parameters.begin(), parameters.end()});
      steps.step(std::vector<float>(gradient.begin(), gradient.end()), parameters);
    }
    for (const float parameter : parameters) EXPECT_NEAR(parameter, 0, 1e-3);
  }
}

}  // namespace
}  // namespace mollify::detail
