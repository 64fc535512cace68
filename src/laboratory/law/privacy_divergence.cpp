#include "laboratory/law/privacy_divergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "divergence/divergence_terms.h"
#include "divergence/f_divergence.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

/// e^v − 1 − v.
double exponential_remainder(double v) {
  if (std::abs(v) >= 0.25) return std::expm1(v) - v;
  // v²/2·(1 + v/3·(1 + v/4·(…))): the terms left out are below 2^−56 of the first.
  double nested = 1.0;
  for (int n = 14; n >= 3; --n) nested = 1.0 + v / n * nested;
  return 0.5 * v * v * nested;
}

double max_log_ratio(std::span<const double> p, std::span<const double> q) {
  double largest = -kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0.0) continue;
    if (q[i] <= 0.0) return kInfinity;
    largest = std::max(largest, log_ratio(p[i], q[i], p[i] - q[i]));
  }
  return largest;
}

/// (Σ P^α Q^{1−α} − 1)/(α − 1) for distributions, as a sum of second-order terms.
///
/// Σ P^α Q^{1−α} − 1 = Σ Q·(x^α − 1 − α(x−1)) because P and Q have equal mass, and with
/// v = (α−1)·ln x the bracket over (α−1) is (x ln x − x + 1) + x·(e^v − 1 − v)/(α−1).
double scaled_power_sum(double alpha, std::span<const double> p, std::span<const double> q) {
  const double order = alpha - 1.0;
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] <= 0.0) {
      sum += q[i];
    } else if (q[i] <= 0.0) {
      sum += order > 0.0 ? kInfinity : p[i] * (alpha / -order);
    } else {
      sum += relative_entropy_term(p[i], q[i], p[i] - q[i]);
      sum += p[i] * (exponential_remainder(order * log_ratio(p[i], q[i], p[i] - q[i])) / order);
    }
  }
  return sum.value();
}

/// ln Σ P^α Q^{1−α}, safe from overflow.
double log_power_sum(double alpha, std::span<const double> p, std::span<const double> q) {
  const auto exponent = [&](std::size_t i) {
    return alpha * std::log(p[i]) + (1.0 - alpha) * std::log(q[i]);
  };
  double largest = -kInfinity;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0 && q[i] > 0.0) largest = std::max(largest, exponent(i));
  }
  if (std::isinf(largest)) return largest;
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i] > 0.0 && q[i] > 0.0) sum += std::exp(exponent(i) - largest);
  }
  return largest + std::log(sum.value());
}

}  // namespace

double renyi(double alpha, std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  if (!(alpha >= 0.0)) {
    throw InvalidInput(
        fmt::format("the order of a Rényi divergence must be at least 0, but is {}", alpha));
  }
  if (alpha == 1.0) return kullback_leibler(p, q);
  if (std::isinf(alpha)) return max_log_ratio(p, q);
  if (alpha == 0.0) {
    CompensatedSum inside;
    CompensatedSum outside;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] > 0.0) {
        inside += q[i];
      } else {
        outside += q[i];
      }
    }
    return outside.value() < 0.5 ? -std::log1p(-outside.value()) : -std::log(inside.value());
  }
  if (alpha > 1.0 && std::isinf(max_log_ratio(p, q))) return kInfinity;
  const double excess = (alpha - 1.0) * scaled_power_sum(alpha, p, q);
  // Beyond these limits the first form has overflowed or would cancel against the one.
  if (std::isfinite(excess) && excess > -0.5) return std::log1p(excess) / (alpha - 1.0);
  return log_power_sum(alpha, p, q) / (alpha - 1.0);
}

double hockey_stick(double gamma, std::span<const double> p, std::span<const double> q) {
  require_same_outcomes(p, q);
  if (!(gamma >= 0.0) || std::isinf(gamma)) {
    throw InvalidInput(fmt::format(
        "gamma of a hockey-stick divergence must be finite and not negative, but is {}", gamma));
  }
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::max(0.0, std::fma(-gamma, q[i], p[i]));
  return sum.value();
}

}  // namespace mollify
