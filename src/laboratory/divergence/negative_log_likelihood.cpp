#include "laboratory/divergence/negative_log_likelihood.h"

#include <cmath>
#include <limits>
#include <string>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                               std::span<const double> volumes) {
  if (p.size() != q.size() || p.size() != volumes.size()) {
    throw InvalidInput(
        "a likelihood needs masses of P and of Q and a volume for each cell, but has " +
        std::to_string(p.size()) + ", " + std::to_string(q.size()) + " and " +
        std::to_string(volumes.size()));
  }
  CompensatedSum whole_p;
  CompensatedSum whole_q;
  CompensatedSum sum;
  bool impossible = false;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(volumes[i] > 0)) {
      throw InvalidInput("the volume of cell " + std::to_string(i) + " must be positive, but is " +
                         std::to_string(volumes[i]));
    }
    whole_p += p[i];
    whole_q += q[i];
    if (!(p[i] > 0)) continue;
    impossible = impossible || !(q[i] > 0);
    if (!impossible) sum += p[i] * std::log(q[i] / volumes[i]);
  }
  if (!(whole_p.value() > 0) || !(whole_q.value() > 0)) {
    throw InvalidInput("a likelihood needs masses with a positive sum");
  }
  if (impossible) return std::numeric_limits<double>::infinity();
  return std::log(whole_q.value()) - sum.value() / whole_p.value();
}

Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p) {
  const std::size_t count = log_q_at_samples_of_p.size();
  if (count < 2) {
    throw InvalidInput("a likelihood needs at least 2 samples, but has " + std::to_string(count));
  }
  const double n = static_cast<double>(count);
  CompensatedSum sum;
  for (const double value : log_q_at_samples_of_p) sum += value;
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double value : log_q_at_samples_of_p) squares += (value - mean) * (value - mean);
  return {.value = -mean, .standard_error = std::sqrt(squares.value() / (n - 1) / n)};
}

}  // namespace mollify
