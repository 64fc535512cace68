#include "divergence/f_divergence.h"

#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "divergence/divergence_terms.h"
#include "divergence/infinity.h"
#include "divergence/same_outcomes.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {}  // namespace

Generator kullback_leibler_generator() {
  return {[](double x) { return x * std::log(x); }, 0.0, kInfinity};
}

Generator total_variation_generator() {
  return {[](double x) { return 0.5 * std::abs(x - 1.0); }, 0.5, 0.5};
}

Generator squared_hellinger_generator() {
  return {[](double x) { return 1.0 - std::sqrt(x); }, 1.0, 0.0};
}

Generator chi_squared_generator() {
  return {[](double x) { return (x - 1.0) * (x + 1.0); }, -1.0, kInfinity};
}

Generator hockey_stick_generator(double gamma) {
  if (!(gamma >= 1.0) || !std::isfinite(gamma)) {
    throw InvalidInput(
        fmt::format("gamma of a hockey-stick generator must be finite and at least "
                    "1, but is {}",
                    gamma));
  }
  return {[gamma](double x) { return x > gamma ? x - gamma : 0.0; }, 0.0, 1.0};
}

double f_divergence(const Generator& generator, std::span<const double> p,
                    std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (q[i] > 0.0) {
      // A ratio beyond the largest double is the limit, not a value of f.
      const double ratio = p[i] / q[i];
      if (ratio == 0.0) {
        sum += q[i] * generator.at_zero;
      } else if (std::isinf(ratio)) {
        sum += p[i] * generator.slope_at_infinity;
      } else {
        sum += q[i] * generator.f(ratio);
      }
    } else if (p[i] > 0.0) {
      sum += p[i] * generator.slope_at_infinity;
    }
  }
  return sum.value();
}

double kullback_leibler(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += relative_entropy_term(p[i], q[i], p[i] - q[i]);
  return sum.value();
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return 0.5 * sum.value();
}

double squared_hellinger(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += squared_hellinger_term(p[i], q[i], p[i] - q[i]);
  return sum.value();
}

double chi_squared(std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += chi_squared_term(q[i], p[i] - q[i]);
  return sum.value();
}

DivergenceReport divergence_report(std::span<const double> p, std::span<const double> q) {
  return {kullback_leibler(p, q), total_variation(p, q), squared_hellinger(p, q),
          chi_squared(p, q)};
}

}  // namespace mollify
