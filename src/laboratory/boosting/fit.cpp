#include "laboratory/boosting/fit.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

void require_cells(const char* what, std::span<const double> p, std::span<const double> q,
                   std::span<const double> volumes) {
  if (p.size() != q.size() || p.size() != volumes.size()) {
    throw InvalidInput(fmt::format(
        "{} needs masses of P and of Q and a volume for each cell, but has {}, {} and {}", what,
        p.size(), q.size(), volumes.size()));
  }
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (volumes[i] > 0) continue;
    throw InvalidInput(
        fmt::format("the volume of cell {} must be positive, but is {:g}", i, volumes[i]));
  }
}

void require_level(double level) {
  if (level > 0 && level < 1) return;
  throw InvalidInput(
      fmt::format("the level of coverage must be above 0 and below 1, but is {:g}", level));
}

double sum_of(const char* what, std::span<const double> masses) {
  CompensatedSum sum;
  for (const double mass : masses) sum += mass;
  if (!(sum.value() > 0))
    throw InvalidInput(fmt::format("{} needs masses with a positive sum", what));
  return sum.value();
}

}  // namespace

double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                               std::span<const double> volumes) {
  require_cells("a likelihood", p, q, volumes);
  const double whole_p = sum_of("a likelihood", p);
  const double whole_q = sum_of("a likelihood", q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i] > 0)) continue;
    if (!(q[i] > 0)) return std::numeric_limits<double>::infinity();
    sum += p[i] * std::log(q[i] / volumes[i]);
  }
  return std::log(whole_q) - sum.value() / whole_p;
}

Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p) {
  const std::size_t count = log_q_at_samples_of_p.size();
  if (count < 2) {
    throw InvalidInput(fmt::format("a likelihood needs at least 2 samples, but has {}", count));
  }
  const double n = static_cast<double>(count);
  CompensatedSum sum;
  for (const double value : log_q_at_samples_of_p) sum += value;
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double value : log_q_at_samples_of_p) squares += (value - mean) * (value - mean);
  return {.value = -mean, .standard_error = std::sqrt(squares.value() / (n - 1) / n)};
}

double mode_coverage(std::span<const double> p, std::span<const double> q,
                     std::span<const double> volumes, double level) {
  require_level(level);
  require_cells("coverage", p, q, volumes);
  std::vector<double> densities(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) densities[i] = q[i] / volumes[i];
  const double whole_p = sum_of("coverage", p);
  const double enough = level * sum_of("coverage", q);
  std::vector<std::size_t> densest_first(q.size());
  std::iota(densest_first.begin(), densest_first.end(), std::size_t{0});
  std::sort(densest_first.begin(), densest_first.end(),
            [&](std::size_t a, std::size_t b) { return densities[a] > densities[b]; });
  CompensatedSum of_p;
  CompensatedSum of_q;
  double threshold = 0;
  for (const std::size_t i : densest_first) {
    if (of_q.value() >= enough && densities[i] < threshold) break;
    threshold = densities[i];
    of_q += q[i];
    of_p += p[i];
  }
  return of_p.value() / whole_p;
}

Estimate mode_coverage_of_samples(std::span<const double> q_at_samples_of_p,
                                  std::span<const double> q_at_samples_of_q, double level) {
  require_level(level);
  if (q_at_samples_of_p.empty() || q_at_samples_of_q.size() < 2) {
    throw InvalidInput(fmt::format("coverage needs a sample of P and two of Q, but has {} and {}",
                                   q_at_samples_of_p.size(), q_at_samples_of_q.size()));
  }
  std::vector<double> of_p(q_at_samples_of_p.begin(), q_at_samples_of_p.end());
  std::vector<double> of_q(q_at_samples_of_q.begin(), q_at_samples_of_q.end());
  std::sort(of_p.begin(), of_p.end());
  std::sort(of_q.begin(), of_q.end());
  const double n = static_cast<double>(of_p.size());
  const double m = static_cast<double>(of_q.size());
  // The share of P above the threshold that leaves `share` of Q's samples above it.
  const auto covered = [&](double share) {
    const double below = std::clamp(std::floor((1 - share) * m), 0.0, m - 1);
    const double threshold = of_q[static_cast<std::size_t>(below)];
    const auto first = std::lower_bound(of_p.begin(), of_p.end(), threshold);
    return static_cast<double>(of_p.end() - first) / n;
  };
  const double value = covered(level);
  const double of_level = std::sqrt(level * (1 - level) / m);
  const double of_threshold = (covered(level + of_level) - covered(level - of_level)) / 2;
  return {.value = value,
          .standard_error = std::sqrt(value * (1 - value) / n + of_threshold * of_threshold)};
}

}  // namespace mollify
