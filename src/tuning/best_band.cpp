#include "tuning/best_band.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Core>
#include <boost/math/tools/minima.hpp>

#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "linear_algebra/symmetric.h"
#include "tuning/band_objective.h"
#include "tuning/variation_band.h"

namespace mollify {
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

  /// One step downhill, or false where there is none that doubles can see.
  bool descend(const BandObjective::Slope& slope, double tau) {
    std::vector<bool> held(lower_.size());
    for (std::size_t i = 0; i < lower_.size(); ++i) {
      held[i] = lower_[i] <= 2 * least_ && slope.gradient[i] > 0;
    }
    if (lower_.size() > kDenseOutcomes) return follow(slope, by_conjugates(slope, held), tau);
    // Where rounding makes the matrix indefinite, a ridge turns its direction downhill.
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
  if (units.size() == 0) throw InvalidInput("the best band needs units, but there are none");
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
