#include "estimate/simplex_estimate.h"

#include <algorithm>
#include <functional>

namespace mollify {
namespace {

/// max(r_j, s_j / t) summing to one: outcomes by descending s / r are above their r, as many as
/// that leaves consistent.
std::vector<double> filled(const LinearLaw& law, std::span<const double> shares) {
  const std::size_t k = shares.size();
  std::vector<std::size_t> order(k);
  for (std::size_t j = 0; j < k; ++j) order[j] = j;
  // By s_a r_b > s_b r_a, which no zero r spoils.
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return shares[a] * law.replaced(b) > shares[b] * law.replaced(a);
  });
  double share = 0;
  double floor = 0;  // r of those that are not above it
  for (std::size_t j = 0; j < k; ++j) floor += law.replaced(j);
  double t = 1;
  for (const std::size_t j : order) {
    const double next_share = share + shares[j];
    const double next_floor = floor - law.replaced(j);
    const double next_t = next_share / (1 - next_floor);
    if (!(shares[j] > next_t * law.replaced(j))) break;
    share = next_share;
    floor = next_floor;
    t = next_t;
  }
  std::vector<double> q(k);
  for (std::size_t j = 0; j < k; ++j) q[j] = std::max(law.replaced(j), shares[j] / t);
  return q;
}

}  // namespace

std::vector<double> projected_on_simplex(std::vector<double> masses) {
  std::vector<double> sorted = masses;
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0;
  double shift = 0;
  for (std::size_t j = 0; j < sorted.size(); ++j) {
    sum += sorted[j];
    const double next = (sum - 1) / static_cast<double>(j + 1);
    if (!(sorted[j] > next)) break;
    shift = next;
  }
  for (double& mass : masses) mass = std::max(0.0, mass - shift);
  return masses;
}

LikelihoodFit maximum_likelihood(const LinearLaw& law, std::span<const double> shares,
                                 double draws) {
  const std::size_t k = shares.size();
  if (law.is_mixture()) {
    std::vector<double> p = filled(law, shares);
    for (std::size_t j = 0; j < k; ++j) {
      p[j] = std::max(0.0, (p[j] - law.replaced(j)) / law.kept());
    }
    return {std::move(p), 0};
  }
  constexpr int kMostSteps = 100'000;
  constexpr double kGap = 1e-6;
  LikelihoodFit fit{std::vector<double>(k, 1 / static_cast<double>(k)), 0};
  std::vector<double> u(k);
  for (int step = 0;; ++step) {
    const std::vector<double> q = law.released(fit.p);
    for (std::size_t j = 0; j < k; ++j) u[j] = shares[j] > 0 ? shares[j] / q[j] : 0;
    const std::vector<double> factor = law.expected(u);
    fit.gap_up = draws * std::max(0.0, *std::max_element(factor.begin(), factor.end()) - 1);
    if (fit.gap_up < kGap || step == kMostSteps) return fit;
    double sum = 0;
    for (std::size_t x = 0; x < k; ++x) sum += fit.p[x] *= factor[x];
    for (double& mass : fit.p) mass /= sum;
  }
}

}  // namespace mollify
