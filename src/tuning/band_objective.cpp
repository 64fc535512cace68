#include "tuning/band_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mollify {
namespace {

constexpr double kNoLaw = std::numeric_limits<double>::infinity();

/// One unit against the bounds: finds r.
class UnitScale {
 public:
  UnitScale(const UnitMasses::Unit& unit, std::span<const double> lower, double e, double sum)
      : unit_(unit), lower_(lower), e_(e) {
    for (const std::uint32_t outcome : unit.outcomes) own_ += lower[outcome];
    elsewhere_ = std::max(0.0, sum - own_);
  }

  /// The least r >= 0 at which what is given fits into 1; with tau > 0 all of it is given.
  [[nodiscard]] double solve(double tau) const {
    const double room = 1 - elsewhere_;
    if (tau == 0 && e_ * own_ <= room) return 0;
    // `excess` falls in r. Newton's method in ln r inside a bracket.
    double low = 0x1p-120;
    double high = tau + 1;
    for (std::size_t i = 0; i < unit_.outcomes.size(); ++i) {
      high = std::max(high, unit_.masses[i] / lower_[unit_.outcomes[i]] * (1 + tau));
    }
    while (excess(high, tau).value > 0 && high < 0x1p900) high *= 4;
    double r = 1;
    for (int step = 0; step < 200; ++step) {
      const auto [value, slope] = excess(r, tau);
      (value > 0 ? low : high) = r;
      if (std::abs(value) <= 1e-15 || high - low <= 1e-16 * high) break;
      // d(value)/d ln r = -slope.
      double next = slope > 0 ? r * std::exp(std::clamp(value / slope, -30.0, 30.0)) : 0;
      if (!(next > low && next < high)) next = std::sqrt(low) * std::sqrt(high);
      r = next;
    }
    return r;
  }

 private:
  struct Excess {
    double value;
    double slope;
  };

  [[nodiscard]] Excess excess(double r, double tau) const {
    double sum = elsewhere_ + tau / r;
    double free = tau / r;
    for (std::size_t i = 0; i < unit_.outcomes.size(); ++i) {
      const double low = lower_[unit_.outcomes[i]];
      const double q = unit_.masses[i] / r;
      if (q > low && q < e_ * low) free += q;
      sum += std::clamp(q, low, e_ * low);
    }
    return {sum - 1, free};
  }

  const UnitMasses::Unit& unit_;
  std::span<const double> lower_;
  double e_;
  double own_ = 0;
  double elsewhere_ = 0;
};

bool fits(double sum, double e) { return sum < 1 && e * sum > 1; }

}  // namespace

double BandObjective::value(std::span<const double> lower) const {
  const double sum = std::accumulate(lower.begin(), lower.end(), 0.0);
  if (!fits(sum, e_)) return kNoLaw;
  double value = 0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    const double r = UnitScale(unit, lower, e_, sum).solve(0);
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      const double p = unit.masses[i];
      const double low = lower[unit.outcomes[i]];
      value += p * std::log(p / (r > 0 ? std::clamp(p / r, low, e_ * low) : e_ * low));
    }
  }
  // Rounding aside, no divergence is below 0.
  return std::max(0.0, value / static_cast<double>(units_.size()));
}

BandObjective::Slope BandObjective::smoothed(std::span<const double> lower, double tau) const {
  const double sum = std::accumulate(lower.begin(), lower.end(), 0.0);
  Slope slope;
  if (!fits(sum, e_)) {
    slope.value = kNoLaw;
    return slope;
  }
  const double each = 1 / static_cast<double>(units_.size());
  slope.gradient.assign(lower.size(), 0.0);
  slope.curvature.assign(lower.size(), 0.0);
  double everywhere = 0;  // of r: outcomes without mass are at their lower edges
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    const double r = UnitScale(unit, lower, e_, sum).solve(tau);
    double free = tau;
    double divergence = 0;
    double dual = 1 - r;
    everywhere += each * r;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      const std::uint32_t outcome = unit.outcomes[i];
      const double p = unit.masses[i];
      const double low = lower[outcome];
      const double q = std::clamp(p / r, low, e_ * low);
      const double s = p / q;
      divergence += p * std::log(s);
      slope.gradient[outcome] -= each * r;
      std::uint8_t edge = 0;
      if (q == low || q == e_ * low) {
        edge = q == low ? 1 : 2;
        slope.gradient[outcome] += each * (edge == 1 ? r - s : e_ * (r - s));
        slope.curvature[outcome] += each * p / (low * low);
      } else {
        free += p;
      }
      slope.edges.push_back(edge);
    }
    dual += divergence;
    slope.value += each * (divergence - tau * std::log(tau / r));
    slope.dual += each * dual;
    slope.weights.push_back(each * r * r / free);
  }
  for (double& g : slope.gradient) g += everywhere;
  return slope;
}

void BandObjective::multiply(const Slope& slope, std::span<const double> x,
                             std::span<double> result) const {
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  double everywhere = 0;
  const double by_edge[] = {0, 1, e_};
  std::size_t at = 0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    double inner = sum;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      inner += (by_edge[slope.edges[at + i]] - 1) * x[unit.outcomes[i]];
    }
    const double scaled = slope.weights[u] * inner;
    everywhere += scaled;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      result[unit.outcomes[i]] += scaled * (by_edge[slope.edges[at + i]] - 1);
    }
    at += unit.outcomes.size();
  }
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += everywhere + slope.curvature[i] * x[i];
}

}  // namespace mollify
