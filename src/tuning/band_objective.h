// How far units are from their laws in a band, as a function of its lower bounds.
#pragma once

#include <span>
#include <vector>

#include "tuning/band_divergence.h"
#include "tuning/unit_masses.h"

namespace mollify {

/// V(lo), the mean over units of min { D(P_u || q) : lo <= q <= E lo, sum q = 1 }, which is convex
/// in lo because the set of all (lo, q) is convex and D is convex in q (docs/theory/best-band.md).
///
/// Whatever D, a unit's q is clip(P / R, lo, E lo) where P is positive, with the sum 1 -
/// lo(elsewhere), or, if that is more than E lo has there, R = 0 and q = E lo. D's slope at q is
/// -s, s = a (P/q)^p: (a, p) is (1, 1) for KL, (1/2, 1/2) for Hellinger's, (1, 2) for chi-squared.
/// At that change V has a kink. `smoothed` takes it away: R solves sum clip(P / R, lo, E lo) +
/// lo(elsewhere) + tau / r = 1, r = a R^p, which is the barrier of weight tau on the room that is
/// left.
///
/// Total variation has no such q alone: it is max { sum (P - E lo)+, sum (lo - P)+ }, and
/// `smoothed` has (x + sqrt(x^2 + 4 tau^2)) / 2 in place of each positive part, and of the maximum.
class BandObjective {
 public:
  /// The units must outlive it. E = e^epsilon.
  BandObjective(const UnitMasses& units, double e, BandDivergence divergence)
      : units_(units), e_(e), divergence_(divergence) {}

  /// V; infinite where no law fits. O(masses).
  [[nodiscard]] double value(std::span<const double> lower) const;

  /// The smoothed V and its derivatives at `lower`.
  struct Slope {
    double value = 0;  ///< infinite where no law fits; nothing else is then filled in
    std::vector<double> gradient;
    /// V is at least this plus the least of sum lo' gradient over the lower bounds lo' that there
    /// are.
    double dual = 0;
    /// The Hessian is diagonal(curvature) + sum over units of weight_u a_u a_u', where a_u is 1 at
    /// outcomes without mass.
    std::vector<double> curvature;
    std::vector<double> weights;
    /// a_u of each unit's own outcomes, unit after unit.
    std::vector<double> own;
  };
  [[nodiscard]] Slope smoothed(std::span<const double> lower, double tau) const;

  /// Adds `x` times the Hessian to `result`.
  void multiply(const Slope& slope, std::span<const double> x, std::span<double> result) const;

  [[nodiscard]] const UnitMasses& units() const noexcept { return units_; }
  [[nodiscard]] double e() const noexcept { return e_; }

 private:
  void add_by_price(std::span<const double> lower, double sum, double tau, Slope& slope) const;
  void add_variation(std::span<const double> lower, double sum, double tau, Slope& slope) const;

  const UnitMasses& units_;
  double e_;
  BandDivergence divergence_;
};

}  // namespace mollify
