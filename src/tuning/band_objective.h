// How far units are from their laws in a band, as a function of its lower bounds.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuning/unit_masses.h"

namespace mollify {

/// V(lo), the mean over units of min { KL(P_u || q) : lo <= q <= E lo, sum q = 1 }, which is convex
/// in lo because the set of all (lo, q) is convex and KL is jointly convex
/// (docs/theory/best-band.md).
///
/// A unit's q is clip(P / r, lo, E lo) where P is positive, with the sum 1 - lo(elsewhere), or, if
/// that is more than E lo has there, r = 0 and q = E lo. At that change V has a kink. `smoothed`
/// takes it away: r solves sum clip(P / r, lo, E lo) + lo(elsewhere) + tau / r = 1, which is the
/// barrier of weight tau on the room that is left.
class BandObjective {
 public:
  /// Both must outlive it. E = e^epsilon.
  BandObjective(const UnitMasses& units, double e) : units_(units), e_(e) {}

  /// V, with P = 0 outcomes free; infinite where no law fits. O(masses).
  [[nodiscard]] double value(std::span<const double> lower) const;

  /// The smoothed V and its derivatives at `lower`.
  struct Slope {
    double value = 0;  ///< infinite where no law fits; nothing else is then filled in
    std::vector<double> gradient;
    /// sum over units of P ln s + 1 - r, with s = P / q: the dual value, before `gradient` is made
    /// nonnegative.
    double dual = 0;
    /// The Hessian is diagonal(curvature) + sum over units of weight_u a_u a_u', where a_u is 1 at
    /// lower edges and outcomes without mass, E at upper edges, and 0 between.
    std::vector<double> curvature;
    std::vector<double> weights;
    /// a_u of each unit's own outcomes, unit after unit: 0 between, 1 lower, 2 upper.
    std::vector<std::uint8_t> edges;
  };
  [[nodiscard]] Slope smoothed(std::span<const double> lower, double tau) const;

  /// Adds `x` times the Hessian to `result`.
  void multiply(const Slope& slope, std::span<const double> x, std::span<double> result) const;

  [[nodiscard]] const UnitMasses& units() const noexcept { return units_; }
  [[nodiscard]] double e() const noexcept { return e_; }

 private:
  const UnitMasses& units_;
  double e_;
};

}  // namespace mollify
