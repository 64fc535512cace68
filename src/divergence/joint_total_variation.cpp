#include "divergence/joint_total_variation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMostCoins = std::uint64_t{1} << 20U;

void require_coins(std::uint64_t m) { require_between("the number of draws", m, 1, kMostCoins); }

/// ln of the probability of k hits without the binomial coefficient; 0 ln 0 is 0.
double log_of_hits(double hits, double misses, double p) {
  const double of_hits = hits == 0 ? 0 : hits * std::log(p);
  return of_hits + (misses == 0 ? 0 : misses * std::log1p(-p));
}

}  // namespace

double binomial_total_variation(std::uint64_t m, double p, double q) {
  require_coins(m);
  require_between("p", p, 0, 1);
  require_between("q", q, 0, 1);
  const auto count = static_cast<double>(m);
  CompensatedSum sum;
  for (std::uint64_t k = 0; k <= m; ++k) {
    const auto hits = static_cast<double>(k);
    const double choices =
        std::lgamma(count + 1) - std::lgamma(hits + 1) - std::lgamma(count - hits + 1);
    const double of_p = std::exp(choices + log_of_hits(hits, count - hits, p));
    const double of_q = std::exp(choices + log_of_hits(hits, count - hits, q));
    sum += std::max(of_p - of_q, 0.0);
  }
  return std::min(sum.value(), 1.0);
}

double joint_total_variation_least(std::uint64_t m, double alpha) {
  require_coins(m);
  require_between("alpha", alpha, 0, 1);
  const auto apart = [&](double p) { return binomial_total_variation(m, p + alpha, p); };
  constexpr int kParts = 64;
  double best = 0;
  double least = std::numeric_limits<double>::infinity();
  const double whole = 1 - alpha;
  for (int i = 0; i <= kParts; ++i) {
    const double p = whole * i / kParts;
    const double value = apart(p);
    if (value < least) {
      least = value;
      best = p;
    }
  }
  double low = std::max(0.0, best - whole / kParts);
  double high = std::min(whole, best + whole / kParts);
  while (high - low > 1e-7) {
    const double third = (high - low) / 3;
    const double left = apart(low + third);
    const double right = apart(high - third);
    least = std::min({least, left, right});
    (left < right ? high : low) = left < right ? high - third : low + third;
  }
  return least;
}

double single_total_variation_most(std::uint64_t m, double joint) {
  require_coins(m);
  require_between("joint", joint, 0, 1);
  double low = 0;
  double high = joint;  // m draws are at least as far apart as one
  while (high - low > 1e-6 * high && high > 1e-15) {
    const double middle = (low + high) / 2;
    (joint_total_variation_least(m, middle) <= joint ? low : high) = middle;
  }
  return low;
}

}  // namespace mollify
