#include "accounting/gaussian_lower_bound.h"

#include <algorithm>
#include <cmath>

#include "accounting/clip_probability.h"

namespace mollify {

namespace {

constexpr double kMostPackedRecords = 0x1p60;

/// The least n with p ≥ (M−1)·e^{−n epsilon}·(1 − p − delta(e^{n epsilon}−1)/(e^epsilon−1)), which
/// holds from some n on.
double by_group_privacy(double log_others, double p, double epsilon, double delta) {
  const auto possible = [&](double n) {
    const double lost =
        delta > 0 ? delta * std::expm1(std::min(700.0, n * epsilon)) / std::expm1(epsilon) : 0.0;
    const double rest = 1 - p - lost;
    return rest <= 0 || log_others - n * epsilon + std::log(rest) <= std::log(p);
  };
  double low = 0;
  if (possible(low)) return 0;
  double high = 1;
  while (!possible(high) && high < kMostPackedRecords) {
    low = high;
    high *= 2;
  }
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (possible(middle) ? high : low) = middle;
  }
  return low;
}

double by_information(double log_count, double p, double rho) {
  const double right = 1 - p;
  if (!(std::log(right) + log_count > 0)) return 0;
  // ln(p M/(M−1)) = ln p − ln(1 − 1/M).
  const double divergence =
      right * (std::log(right) + log_count) + p * (std::log(p) - std::log1p(-std::exp(-log_count)));
  return std::sqrt(std::max(0.0, divergence) / rho);
}

}  // namespace

double gaussian_records_lower_bound(const GaussianSamplingTask& task, const Privacy& guarantee) {
  const auto d = static_cast<double>(task.dimension);
  const double root = std::sqrt(static_cast<double>(task.outputs));
  double greatest = 0;
  const auto consider = [&](double log_count, double q) {
    const double p = q + task.joint_error;
    if (!(log_count >= std::log(2.0)) || !(p > 0 && p < 1)) return;
    const double log_others = log_count + std::log1p(-std::exp(-log_count));
    const double least = guarantee.notion == Privacy::Notion::kConcentrated
                             ? by_information(log_count, p, guarantee.rho)
                             : by_group_privacy(log_others, p, guarantee.epsilon, guarantee.delta);
    greatest = std::max(greatest, least);
  };
  // Half distances from a tenth of what noise moves an average by to ten times it.
  for (double factor = 0.1; factor < 10; factor *= 1.1) {
    const double on_line = factor / root;
    if (on_line <= task.mean_norm) {
      consider(std::log(std::floor(task.mean_norm / on_line) + 1),
               clip_probability_up(1, 0, factor));
    }
    const double in_ball = factor * std::sqrt(d) / root;
    if (in_ball < task.mean_norm) {
      consider(d * std::log(task.mean_norm / (2 * in_ball)),
               clip_probability_up(task.dimension, 0, factor * std::sqrt(d)));
    }
  }
  if (task.mean_norm > 0) {
    consider(std::log(2.0), clip_probability_up(1, 0, task.mean_norm * root));
  }
  return greatest * (1 - 1e-9);
}

}  // namespace mollify
