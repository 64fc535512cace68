// The best band for public units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/named.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The divergences that a best band can be sought in.

/// Of a unit's distribution P from its law q, sums over outcomes; named as in DivergenceReport.
enum class BandDivergence {
  kKullbackLeibler,   ///< P ln(P/q)
  kTotalVariation,    ///< |P - q| / 2
  kSquaredHellinger,  ///< 1 - sqrt(P q)
  kChiSquared,        ///< P^2/q - 1
};

[[nodiscard]] constexpr auto names_of(BandDivergence) {
  return std::array{Named{BandDivergence::kKullbackLeibler, "kl"},
                    Named{BandDivergence::kTotalVariation, "tv"},
                    Named{BandDivergence::kSquaredHellinger, "hellinger2"},
                    Named{BandDivergence::kChiSquared, "chi2"}};
}

// -----------------------------------------------------------------------------------------------
// Public units as distributions over outcomes.

/// Distributions P_u over k outcomes, each by the outcomes that it has mass on: 12 bytes for each
/// of these.
class UnitMasses {
 public:
  explicit UnitMasses(std::size_t outcome_count) : outcome_count_(outcome_count) {}

  /// One more unit, with these weights of all outcomes; other values than positive finite ones
  /// count as zero, and a unit without any weight is left out.
  void add(std::span<const double> weights);
  void add(std::span<const float> weights);

  [[nodiscard]] std::size_t outcome_count() const noexcept { return outcome_count_; }
  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

  struct Unit {
    std::span<const std::uint32_t> outcomes;  ///< ascending
    std::span<const double> masses;           ///< positive, summing to one
  };
  [[nodiscard]] Unit operator[](std::size_t unit) const noexcept;

  /// The units without `part` (of `parts`, by their place), and the units of it.
  [[nodiscard]] UnitMasses without(std::size_t part, std::size_t parts) const {
    return selected(part, parts, false);
  }
  [[nodiscard]] UnitMasses only(std::size_t part, std::size_t parts) const {
    return selected(part, parts, true);
  }

  /// The mean of the units' distributions.
  [[nodiscard]] std::vector<double> mean() const;

 private:
  template <class Weight>
  void add_weights(std::span<const Weight> weights);
  [[nodiscard]] UnitMasses selected(std::size_t part, std::size_t parts, bool inside) const;

  std::size_t outcome_count_;
  std::vector<std::size_t> ends_;  // one past each unit's masses
  std::vector<std::uint32_t> outcomes_;
  std::vector<double> masses_;
};

// -----------------------------------------------------------------------------------------------
// The best band there is for given units, and a proof of it.

/// A band by its lower bounds; the upper ones are e^epsilon times these.
struct BestBand {
  std::vector<double> lower;
  double mean = 0;        ///< V: the mean of D(P_u || q_u) over the units
  double limit_down = 0;  ///< below what no epsilon-LDP sampler has it on these units
};

/// Every epsilon-LDP sampler lies in a band: with lo_i = inf over P of q_P(i), lo <= q_P <= E lo
/// and sum lo <= 1 <= E sum lo. So the least mean divergence of any of them is the least V
/// (BandObjective), which is convex.
///
/// Minimised by Newton's method on the smoothed V, tau going to 0, each lower bound held above
/// 1e-9 / k so that every outcome can be released. The limit is the value of a feasible point of
/// the dual, which any prices make: for KL, with r_u >= 0, s = clip(r, P / (E lo), P / lo) and G_i
/// the mean of (r - s)+ - E (s - r)+, it is the mean of sum P ln s + 1 - r, less the greatest -G_i
/// if that is positive. 1e-9 is taken off for rounding. Proofs, and the other divergences:
/// docs/theory/best-band.md. [ours]
///
/// `start` is where to begin (proportional to the mean if empty). `step` gets the gap after each
/// step. At least one unit, epsilon as for ExpBound. Each step takes O(masses) and O(k^3) for k up
/// to 512, else conjugate gradients; there the gap may stay above 1e-7, and is as stated. Total
/// variation is a linear programme up to k = 2048 (best_variation_band); above, its gap does stay.
[[nodiscard]] BestBand best_band(const UnitMasses& units, double epsilon, BandDivergence divergence,
                                 std::vector<double> start = {},
                                 const std::function<void(double)>& step = {});

/// The b in (1/E, 1) for which the band b h has the least V, and that V. h sums to one. By golden
/// sections: V is convex in b.
struct BestLocation {
  double location;
  double mean;
};
[[nodiscard]] BestLocation best_location(const UnitMasses& units, const std::vector<double>& h,
                                         double epsilon, BandDivergence divergence);

// -----------------------------------------------------------------------------------------------
// The best band next to simpler ones, on the units and on other units.

/// Mean divergence of public units from their laws, on these units and held out: a fifth of the
/// units after the other is left out, the band is made of the rest, and the left-out fifth is
/// measured.
struct BandContest {
  double minimax = 0;         ///< of the band with lower bounds 1 / (E + k - 1): learns nothing
  BestLocation even{};        ///< an even reference at its best b
  BestLocation from_units{};  ///< the units' mean, a hundredth of it even, at its best b
  BestBand best{};
  /// None with fewer units than parts.
  std::optional<double> even_held_out{}, from_units_held_out{}, best_held_out{};
  /// The band to write: the best one moved this share of the way to the even one, so that outcomes
  /// that no unit shows are not next to forbidden. The share is the one of 0, .01, .02, .05, .1, .2
  /// and .5 that is best held out; 0 without holding out.
  double share = 0;
  std::optional<double> written_held_out{};
  std::vector<double> written{};
};

inline constexpr std::size_t kHeldOutParts = 5;

/// `done` gets how many of the 1 + kHeldOutParts searches are over, after each step of one. At
/// least one unit.
[[nodiscard]] BandContest band_contest(const UnitMasses& units, double epsilon,
                                       BandDivergence divergence,
                                       const std::function<void(std::size_t)>& done = {});

// -----------------------------------------------------------------------------------------------
// How far units are from their laws in a band, as a function of its lower bounds.

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
