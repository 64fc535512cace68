#include "tuning/band_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mollify {
namespace {

constexpr double kNoLaw = std::numeric_limits<double>::infinity();

/// A divergence whose slope is a power: sums of `cost` over positive masses, plus `constant`.
struct PowerCost {
  explicit PowerCost(BandDivergence divergence) : divergence_(divergence) {
    if (divergence == BandDivergence::kSquaredHellinger) power = 0.5;
    if (divergence == BandDivergence::kChiSquared) power = 2;
    if (divergence != BandDivergence::kKullbackLeibler)
      constant = divergence == BandDivergence::kChiSquared ? -1 : 1;
  }

  [[nodiscard]] double cost(double p, double q) const {
    switch (divergence_) {
      case BandDivergence::kSquaredHellinger:
        return -std::sqrt(p * q);
      case BandDivergence::kChiSquared:
        return p * p / q;
      default:
        return p * std::log(p / q);
    }
  }

  /// s, what a little more q would save, by P/q.
  [[nodiscard]] double price(double ratio) const {
    switch (divergence_) {
      case BandDivergence::kSquaredHellinger:
        return 0.5 * std::sqrt(ratio);
      case BandDivergence::kChiSquared:
        return ratio * ratio;
      default:
        return ratio;
    }
  }

  double power = 1;
  double constant = 0;

 private:
  BandDivergence divergence_;
};

/// One unit against the bounds: finds R.
class UnitScale {
 public:
  UnitScale(const UnitMasses::Unit& unit, std::span<const double> lower, double e, double sum,
            const PowerCost& cost)
      : unit_(unit), lower_(lower), e_(e), cost_(cost) {
    for (const std::uint32_t outcome : unit.outcomes) own_ += lower[outcome];
    elsewhere_ = std::max(0.0, sum - own_);
  }

  /// The least R >= 0 at which what is given fits into 1; with tau > 0 all of it is given.
  [[nodiscard]] double solve(double tau) const {
    const double room = 1 - elsewhere_;
    if (tau == 0 && e_ * own_ <= room) return 0;
    // `excess` falls in R. Newton's method in ln R inside a bracket.
    double low = 0x1p-120;
    double high = tau + 1;
    for (std::size_t i = 0; i < unit_.outcomes.size(); ++i) {
      high = std::max(high, unit_.masses[i] / lower_[unit_.outcomes[i]] * (1 + tau));
    }
    while (excess(high, tau).value > 0 && high < 0x1p900) high *= 4;
    double scale = 1;
    for (int step = 0; step < 200; ++step) {
      const auto [value, slope] = excess(scale, tau);
      (value > 0 ? low : high) = scale;
      if (std::abs(value) <= 1e-15 || high - low <= 1e-16 * high) break;
      // d(value)/d ln R = -slope.
      double next = slope > 0 ? scale * std::exp(std::clamp(value / slope, -30.0, 30.0)) : 0;
      if (!(next > low && next < high)) next = std::sqrt(low) * std::sqrt(high);
      scale = next;
    }
    return scale;
  }

 private:
  struct Excess {
    double value;
    double slope;
  };

  [[nodiscard]] Excess excess(double scale, double tau) const {
    const double room = tau / cost_.price(scale);
    double sum = elsewhere_ + room;
    double free = cost_.power * room;
    for (std::size_t i = 0; i < unit_.outcomes.size(); ++i) {
      const double low = lower_[unit_.outcomes[i]];
      const double q = unit_.masses[i] / scale;
      if (q > low && q < e_ * low) free += q;
      sum += std::clamp(q, low, e_ * low);
    }
    return {sum - 1, free};
  }

  const UnitMasses::Unit& unit_;
  std::span<const double> lower_;
  double e_;
  const PowerCost& cost_;
  double own_ = 0;
  double elsewhere_ = 0;
};

bool fits(double sum, double e) { return sum < 1 && e * sum > 1; }

/// max(x, 0), or with its corner rounded: at most tau more.
struct PositivePart {
  PositivePart(double x, double tau) {
    const double root = std::sqrt(x * x + 4 * tau * tau);
    value = 0.5 * (x + root);
    // Without cancelling where x is far below 0.
    if (x < 0) value = root > 0 ? 2 * tau * tau / (root - x) : 0;
    slope = root > 0 ? value / root : 0.5;
    curvature = root > 0 ? 2 * tau * tau / (root * root * root) : 0;
  }
  double value, slope, curvature;
};

/// What a unit's law must miss of P above, and has to add below.
struct Variation {
  double missed = 0;
  double added = 0;
};

Variation variation_of(const UnitMasses::Unit& unit, std::span<const double> lower, double e,
                       double sum, double tau) {
  Variation found;
  double own = 0;
  for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
    const double low = lower[unit.outcomes[i]];
    own += low;
    found.missed += PositivePart(unit.masses[i] - e * low, tau).value;
    found.added += PositivePart(low - unit.masses[i], tau).value;
  }
  found.added += std::max(0.0, sum - own);
  return found;
}

}  // namespace

double BandObjective::value(std::span<const double> lower) const {
  const double sum = std::accumulate(lower.begin(), lower.end(), 0.0);
  if (!fits(sum, e_)) return kNoLaw;
  const PowerCost cost(divergence_);
  double value = 0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    if (divergence_ == BandDivergence::kTotalVariation) {
      const Variation found = variation_of(unit, lower, e_, sum, 0);
      value += std::max(found.missed, found.added);
      continue;
    }
    const double scale = UnitScale(unit, lower, e_, sum, cost).solve(0);
    value += cost.constant;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      const double p = unit.masses[i];
      const double low = lower[unit.outcomes[i]];
      value += cost.cost(p, scale > 0 ? std::clamp(p / scale, low, e_ * low) : e_ * low);
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
  slope.gradient.assign(lower.size(), 0.0);
  slope.curvature.assign(lower.size(), 0.0);
  if (divergence_ == BandDivergence::kTotalVariation) {
    add_variation(lower, sum, tau, slope);
  } else {
    add_by_price(lower, sum, tau, slope);
  }
  return slope;
}

void BandObjective::add_by_price(std::span<const double> lower, double sum, double tau,
                                 Slope& slope) const {
  const PowerCost cost(divergence_);
  const double each = 1 / static_cast<double>(units_.size());
  double everywhere = 0;  // of r: outcomes without mass are at their lower edges
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    const double scale = UnitScale(unit, lower, e_, sum, cost).solve(tau);
    const double r = cost.price(scale);
    double free = tau;
    double divergence = cost.constant;
    double paid = 0;
    everywhere += each * r;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      const std::uint32_t outcome = unit.outcomes[i];
      const double p = unit.masses[i];
      const double low = lower[outcome];
      const double q = std::clamp(p / scale, low, e_ * low);
      const double s = cost.price(p / q);
      divergence += cost.cost(p, q);
      paid += s * q;
      slope.gradient[outcome] -= each * r;
      double own = 0;
      if (q == low || q == e_ * low) {
        own = q == low ? 1 : e_;
        slope.gradient[outcome] += each * own * (r - s);
        slope.curvature[outcome] += each * own * cost.power * s / low;
      } else {
        free += s * q / cost.power;
      }
      slope.own.push_back(own);
    }
    slope.value += each * (divergence - tau * std::log(tau / r));
    slope.dual += each * (divergence + paid - r);
    slope.weights.push_back(each * r * r / free);
  }
  for (double& g : slope.gradient) g += everywhere;
}

void BandObjective::add_variation(std::span<const double> lower, double sum, double tau,
                                  Slope& slope) const {
  const double each = 1 / static_cast<double>(units_.size());
  double everywhere = 0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    const Variation found = variation_of(unit, lower, e_, sum, tau);
    const PositivePart more(found.missed - found.added, tau);
    const double missed = each * more.slope;
    const double added = each * (1 - more.slope);
    slope.value += each * (found.added + more.value);
    slope.weights.push_back(each * more.curvature);
    everywhere += added;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      const std::uint32_t outcome = unit.outcomes[i];
      const double p = unit.masses[i];
      const PositivePart above(p - e_ * lower[outcome], tau);
      const PositivePart below(lower[outcome] - p, tau);
      slope.gradient[outcome] += added * (below.slope - 1) - missed * e_ * above.slope;
      slope.dual += (missed * above.slope - added * below.slope) * p;
      slope.curvature[outcome] += missed * e_ * e_ * above.curvature + added * below.curvature;
      slope.own.push_back(e_ * above.slope + below.slope);
    }
  }
  for (double& g : slope.gradient) g += everywhere;
}

void BandObjective::multiply(const Slope& slope, std::span<const double> x,
                             std::span<double> result) const {
  const double sum = std::accumulate(x.begin(), x.end(), 0.0);
  double everywhere = 0;
  std::size_t at = 0;
  for (std::size_t u = 0; u < units_.size(); ++u) {
    const UnitMasses::Unit unit = units_[u];
    double inner = sum;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      inner += (slope.own[at + i] - 1) * x[unit.outcomes[i]];
    }
    const double scaled = slope.weights[u] * inner;
    everywhere += scaled;
    for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
      result[unit.outcomes[i]] += scaled * (slope.own[at + i] - 1);
    }
    at += unit.outcomes.size();
  }
  for (std::size_t i = 0; i < x.size(); ++i) result[i] += everywhere + slope.curvature[i] * x[i];
}

}  // namespace mollify
