#include "methods/local/tuned_band.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Core>
#include <boost/math/tools/minima.hpp>

#include "base/progress.h"
#include "base/refusal.h"
#include "core/band.h"
#include "methods/local/variation_band.h"
#include "scores/linear_algebra.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Public units as distributions over outcomes.

void UnitMasses::add(std::span<const double> weights) { add_weights(weights); }
void UnitMasses::add(std::span<const float> weights) { add_weights(weights); }

template <class Weight>
void UnitMasses::add_weights(std::span<const Weight> weights) {
  double greatest = 0;
  for (const Weight weight : weights) {
    if (weight > 0 && std::isfinite(weight)) {
      greatest = std::fmax(greatest, static_cast<double>(weight));
    }
  }
  if (!(greatest > 0)) return;
  // Values below 2^-60 of the greatest are zero, so that logarithms and ratios stay finite.
  const std::size_t begin = masses_.size();
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double relative =
        std::isfinite(weights[i]) ? static_cast<double>(weights[i]) / greatest : 0;
    if (!(relative > 0x1p-60)) continue;
    outcomes_.push_back(static_cast<std::uint32_t>(i));
    masses_.push_back(relative);
    sum += relative;
  }
  for (std::size_t i = begin; i < masses_.size(); ++i) masses_[i] /= sum;
  ends_.push_back(masses_.size());
}

UnitMasses::Unit UnitMasses::operator[](std::size_t unit) const noexcept {
  const std::size_t begin = unit == 0 ? 0 : ends_[unit - 1];
  const std::size_t count = ends_[unit] - begin;
  return {std::span(outcomes_).subspan(begin, count), std::span(masses_).subspan(begin, count)};
}

UnitMasses UnitMasses::selected(std::size_t part, std::size_t parts, bool inside) const {
  UnitMasses chosen(outcome_count_);
  for (std::size_t unit = 0; unit < size(); ++unit) {
    if ((unit % parts == part) != inside) continue;
    const Unit from = (*this)[unit];
    chosen.outcomes_.insert(chosen.outcomes_.end(), from.outcomes.begin(), from.outcomes.end());
    chosen.masses_.insert(chosen.masses_.end(), from.masses.begin(), from.masses.end());
    chosen.ends_.push_back(chosen.masses_.size());
  }
  return chosen;
}

std::vector<double> UnitMasses::mean() const {
  std::vector<double> mean(outcome_count_);
  for (std::size_t unit = 0; unit < size(); ++unit) {
    const Unit one = (*this)[unit];
    for (std::size_t i = 0; i < one.outcomes.size(); ++i) {
      mean[one.outcomes[i]] += one.masses[i] / static_cast<double>(size());
    }
  }
  return mean;
}

// -----------------------------------------------------------------------------------------------
// The best band next to simpler ones, on the units and on other units.

namespace {

constexpr std::array<double, 7> kShares = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5};

std::vector<double> even_masses(std::size_t k) {
  return std::vector<double>(k, 1 / static_cast<double>(k));
}

std::vector<double> reference_from(const UnitMasses& units) {
  std::vector<double> mean = units.mean();
  for (double& mass : mean) mass = 0.99 * mass + 0.01 / static_cast<double>(mean.size());
  return mean;
}

std::vector<double> scaled(std::vector<double> masses, double factor) {
  for (double& mass : masses) mass *= factor;
  return masses;
}

std::vector<double> between(const std::vector<double>& from, const std::vector<double>& to,
                            double share) {
  std::vector<double> mixed(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) mixed[i] = (1 - share) * from[i] + share * to[i];
  return mixed;
}

}  // namespace

BandContest band_contest(const UnitMasses& units, double epsilon, BandDivergence divergence,
                         const std::function<void(std::size_t)>& done) {
  const double e = std::exp(ExpBound(epsilon).epsilon());
  const std::size_t k = units.outcome_count();
  const std::vector<double> even = even_masses(k);
  BandContest contest;
  contest.minimax =
      BandObjective(units, e, divergence)
          .value(std::vector<double>(k, 1 / (e + static_cast<double>(k) - 1) * (1 - 1e-12)));
  contest.even = best_location(units, even, epsilon, divergence);
  contest.from_units = best_location(units, reference_from(units), epsilon, divergence);
  const auto searched = [&](std::size_t searches) {
    return [&done, searches](double) {
      if (done) done(searches);
    };
  };
  contest.best = best_band(units, epsilon, divergence, {}, searched(0));
  if (done) done(1);

  if (units.size() >= kHeldOutParts) {
    std::array<double, kShares.size()> by_share{};
    double even_sum = 0;
    double from_units_sum = 0;
    for (std::size_t part = 0; part < kHeldOutParts; ++part) {
      const UnitMasses seen = units.without(part, kHeldOutParts);
      const UnitMasses unseen = units.only(part, kHeldOutParts);
      const BandObjective measured(unseen, e, divergence);
      const double weight = static_cast<double>(unseen.size()) / static_cast<double>(units.size());
      const std::vector<double> even_lower =
          scaled(even, best_location(seen, even, epsilon, divergence).location);
      const std::vector<double> reference = reference_from(seen);
      even_sum += weight * measured.value(even_lower);
      from_units_sum +=
          weight * measured.value(scaled(
                       reference, best_location(seen, reference, epsilon, divergence).location));
      const BestBand found = best_band(seen, epsilon, divergence, {}, searched(part + 1));
      for (std::size_t i = 0; i < kShares.size(); ++i) {
        by_share[i] += weight * measured.value(between(found.lower, even_lower, kShares[i]));
      }
      if (done) done(part + 2);
    }
    contest.even_held_out = even_sum;
    contest.from_units_held_out = from_units_sum;
    contest.best_held_out = by_share[0];
    const auto* const least = std::min_element(by_share.begin(), by_share.end());
    contest.share = kShares[static_cast<std::size_t>(least - by_share.begin())];
    contest.written_held_out = *least;
  }
  contest.written = between(contest.best.lower, scaled(even, contest.even.location), contest.share);
  return contest;
}

// -----------------------------------------------------------------------------------------------
// How far units are from their laws in a band, as a function of its lower bounds.

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
      case BandDivergence::kKullbackLeibler:
      case BandDivergence::kTotalVariation:
        break;
    }
    return p * std::log(p / q);
  }

  /// s, the saving of a little more q, by P/q.
  [[nodiscard]] double price(double ratio) const {
    switch (divergence_) {
      case BandDivergence::kSquaredHellinger:
        return 0.5 * std::sqrt(ratio);
      case BandDivergence::kChiSquared:
        return ratio * ratio;
      case BandDivergence::kKullbackLeibler:
      case BandDivergence::kTotalVariation:
        break;
    }
    return ratio;
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

/// A unit's law's lack of P above, and its surplus below.
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
    keep_going();
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
    keep_going();
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
    keep_going();
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
    keep_going();
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

// -----------------------------------------------------------------------------------------------
// The best band there is for given units, and a proof of it.

namespace {

/// Up to here the Hessian is a matrix, and above it only multiplies.
constexpr std::size_t kDenseOutcomes = 512;
/// Up to here total variation is solved as the linear programme that it is.
constexpr std::size_t kDenseOutcomesOfVariation = 2048;
/// All that is shared by the outcomes that no unit has.
constexpr double kLeastSum = 1e-9;
constexpr double kGap = 1e-7;
/// Far above what rounding does to a mean of a few thousand logarithms.
constexpr double kDualRounding = 1e-9;

double inner_product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Newton's method for the lower bounds, each at least `least`.
class BandDescent {
 public:
  BandDescent(const UnitMasses& units, double e, BandDivergence divergence,
              std::vector<double> start)
      : objective_(units, e, divergence),
        lower_(std::move(start)),
        least_(kLeastSum / static_cast<double>(units.outcome_count())) {}

  BestBand run(const std::function<void(double)>& step) {
    BestBand best{.lower = lower_, .mean = objective_.value(lower_), .limit_down = 0};
    for (double tau = 1e-2; tau > 1e-10; tau /= 8) {
      for (int round = 0; round < 40; ++round) {
        const BandObjective::Slope slope = objective_.smoothed(lower_, tau);
        best.limit_down = std::max(best.limit_down, limit_down(slope));
        const double value = objective_.value(lower_);
        if (value < best.mean) {
          best.mean = value;
          best.lower = lower_;
        }
        if (step) step(best.mean - best.limit_down);
        if (best.mean - best.limit_down < kGap) return best;
        // The next tau is worth more than the rest of this one.
        const double left = value - limit_down(slope);
        if (left < 4 * tau || !descend(slope, tau)) break;
      }
    }
    return best;
  }

 private:
  /// The dual's value made feasible: raising every r by as much as the least gradient lacks.
  static double limit_down(const BandObjective::Slope& slope) {
    const double lacking = *std::min_element(slope.gradient.begin(), slope.gradient.end());
    return slope.dual + std::min(0.0, lacking) - kDualRounding;
  }

  /// One step downhill, or false if doubles can see no step.
  bool descend(const BandObjective::Slope& slope, double tau) {
    std::vector<bool> held(lower_.size());
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      held[i] = lower_[i] <= 2 * least_ && slope.gradient[i] > 0;
    }
    if (lower_.size() > kDenseOutcomes) return follow(slope, by_conjugates(slope, held), tau);
    // If rounding makes the matrix indefinite, a ridge turns its direction downhill.
    for (double ridge = 1e-12; ridge < 1; ridge *= 1e3) {
      if (follow(slope, by_matrix(slope, held, ridge), tau)) return true;
    }
    return false;
  }

  bool follow(const BandObjective::Slope& slope, const std::vector<double>& direction, double tau) {
    for (double length = 1; length > 1e-10; length /= 2) {
      std::vector<double> next(lower_.size());
      double predicted = 0;
      for (std::size_t i = 0; i < next.size(); ++i) {
        // A bound may fall to a tenth, so that logarithms stay where they were measured.
        next[i] = std::max({least_, lower_[i] / 10, lower_[i] + length * direction[i]});
        predicted += slope.gradient[i] * (next[i] - lower_[i]);
      }
      const double value = objective_.smoothed(next, tau).value;
      if (!(value <= slope.value + 1e-4 * std::min(0.0, predicted))) continue;
      const bool moved = next != lower_ && value < slope.value;
      lower_ = std::move(next);
      return moved;
    }
    return false;
  }

  [[nodiscard]] std::vector<double> by_matrix(const BandObjective::Slope& slope,
                                              const std::vector<bool>& held, double ridge) const {
    const std::size_t k = lower_.size();
    const auto size = static_cast<Eigen::Index>(k);
    // a = 1 + e with e on the unit's own outcomes alone, in units of lo: better scaled.
    Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(size, size);
    Eigen::VectorXd cross = Eigen::VectorXd::Zero(size);
    double ones = 0;
    std::size_t at = 0;
    for (std::size_t u = 0; u < objective_.units().size(); ++u) {
      const auto unit = objective_.units()[u];
      ones += slope.weights[u];
      for (std::size_t i = 0; i < unit.outcomes.size(); ++i) {
        const double own = slope.weights[u] * (slope.own[at + i] - 1);
        if (own == 0) continue;
        cross(unit.outcomes[i]) += own;
        for (std::size_t j = 0; j <= i; ++j) {
          hessian(unit.outcomes[i], unit.outcomes[j]) += own * (slope.own[at + j] - 1);
        }
      }
      at += unit.outcomes.size();
    }
    Eigen::VectorXd right(size);
    for (Eigen::Index i = 0; i < size; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const double scale = lower_[row];
      for (Eigen::Index j = 0; j <= i; ++j) {
        const auto column = static_cast<std::size_t>(j);
        hessian(i, j) = held[row] || held[column]
                            ? 0
                            : (hessian(i, j) + cross(i) + cross(j) + ones) * scale * lower_[column];
      }
      hessian(i, i) += slope.curvature[row] * scale * scale + ridge;
      right(i) = held[row] ? 0 : -slope.gradient[row] * scale;
    }
    const Eigen::VectorXd solved = solve_symmetric(hessian, right);
    std::vector<double> direction(k);
    for (std::size_t i = 0; i < k; ++i) {
      direction[i] = solved(static_cast<Eigen::Index>(i)) * lower_[i];
    }
    return direction;
  }

  [[nodiscard]] std::vector<double> by_conjugates(const BandObjective::Slope& slope,
                                                  const std::vector<bool>& held) const {
    const std::size_t k = lower_.size();
    const double all = std::accumulate(slope.weights.begin(), slope.weights.end(), 0.0);
    std::vector<double> diagonal(k);
    std::vector<double> direction(k);
    std::vector<double> rest(k);
    std::vector<double> scaled(k);
    for (std::size_t i = 0; i < k; ++i) {
      diagonal[i] = slope.curvature[i] + all + 1e-12 / (lower_[i] * lower_[i]);
      rest[i] = held[i] ? 0 : -slope.gradient[i];
      scaled[i] = rest[i] / diagonal[i];
    }
    std::vector<double> search = scaled;
    double size = inner_product(rest, scaled);
    const double enough = 1e-8 * size;
    for (int round = 0; round < 300 && size > enough; ++round) {
      std::vector<double> image(k);
      objective_.multiply(slope, search, image);
      for (std::size_t i = 0; i < k; ++i) {
        image[i] = held[i] ? 0 : image[i] + 1e-12 / (lower_[i] * lower_[i]) * search[i];
      }
      const double length = size / inner_product(search, image);
      for (std::size_t i = 0; i < k; ++i) {
        direction[i] += length * search[i];
        rest[i] -= length * image[i];
        scaled[i] = rest[i] / diagonal[i];
      }
      const double next = inner_product(rest, scaled);
      for (std::size_t i = 0; i < k; ++i) search[i] = scaled[i] + next / size * search[i];
      size = next;
    }
    return direction;
  }

  BandObjective objective_;
  std::vector<double> lower_;
  double least_;
};

}  // namespace

BestBand best_band(const UnitMasses& units, double epsilon, BandDivergence divergence,
                   std::vector<double> start, const std::function<void(double)>& step) {
  refuse_if(units.size() == 0, "empty-input", {}, "the best band needs units");
  const double e = std::exp(ExpBound(epsilon).epsilon());
  if (units.outcome_count() == 1) return {.lower = {1 / e}, .mean = 0, .limit_down = 0};
  if (start.empty()) {
    start = units.mean();
    const double even = 1 / static_cast<double>(start.size());
    for (double& mass : start) mass = (0.9 * mass + 0.1 * even);
    const double location = best_location(units, start, epsilon, divergence).location;
    for (double& mass : start) mass *= location;
  }
  if (divergence == BandDivergence::kTotalVariation && start.size() <= kDenseOutcomesOfVariation) {
    return best_variation_band(units, e, std::move(start), step);
  }
  return BandDescent(units, e, divergence, std::move(start)).run(step);
}

BestLocation best_location(const UnitMasses& units, const std::vector<double>& h, double epsilon,
                           BandDivergence divergence) {
  const double e = std::exp(ExpBound(epsilon).epsilon());
  const BandObjective objective(units, e, divergence);
  const auto mean_at = [&](double location) {
    std::vector<double> lower = h;
    for (double& mass : lower) mass *= location;
    return objective.value(lower);
  };
  // Half of a double's bits are all that a minimum's place can have.
  constexpr int kBits = 26;
  const auto [location, mean] = boost::math::tools::brent_find_minima(mean_at, 1 / e, 1.0, kBits);
  return {.location = location, .mean = mean};
}

}  // namespace mollify
