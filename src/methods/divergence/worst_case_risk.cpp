#include "methods/divergence/worst_case_risk.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include "base/refusal.h"
#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The law a band sampler has for a given P, in double precision, for analysis.

namespace {

constexpr double kFeasibilityTolerance = 1e-12;
// A flat piece of Σ clip(P/r) that misses one by less than this is one except for rounding; without
// the allowance a point mass would fall through to the missing case by an accident of rounding.
constexpr double kFlatTolerance = 8.0 * std::numeric_limits<double>::epsilon();
constexpr double kNegligible = 0x1p-900;

void require_band(std::span<const double> p, std::span<const double> lower,
                  std::span<const double> upper) {
  refuse_if(p.empty() || lower.size() != p.size() || upper.size() != p.size(), "wrong-shape", {},
            "P and the bounds of a band must have the same positive length, but have {}, {} and {}",
            p.size(), lower.size(), upper.size());
  CompensatedSum lower_sum;
  CompensatedSum upper_sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(lower[i] >= 0.0) || !(lower[i] <= upper[i]) || std::isinf(upper[i])) {
      refuse_input("out-of-range", {},
                   "the bounds of outcome {} of a band must be finite with 0 <= lower <= upper, "
                   "but are {} and {}",
                   i, lower[i], upper[i]);
    }
    lower_sum += lower[i];
    upper_sum += upper[i];
  }
  if (lower_sum.value() > 1.0 + kFeasibilityTolerance ||
      upper_sum.value() < 1.0 - kFeasibilityTolerance) {
    refuse_input("not-a-distribution", {},
                 "the bounds of a band must sum to at most and at least one, but sum to {} and {}",
                 lower_sum.value(), upper_sum.value());
  }
}

/// P made harmless: NaN, negatives and entries that are negligible next to the largest are zero,
/// and the largest is from one to two, so that no sum overflows and no quotient is denormal.
/// Returns the power of two taken out.
int tame(std::span<const double> p, std::vector<double>& tamed) {
  tamed.resize(p.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    tamed[i] = p[i] > 0.0 ? std::min(p[i], std::numeric_limits<double>::max()) : 0.0;
    largest = std::max(largest, tamed[i]);
  }
  if (largest == 0.0) return 0;
  const int exponent = std::ilogb(largest);
  for (double& mass : tamed) {
    mass = std::ldexp(mass, -exponent);
    if (mass < kNegligible) mass = 0.0;
  }
  return exponent;
}

/// Σ clip(P/r, lower, upper), outcomes with P = 0 at their lower bounds.
double clipped_sum(double r, const std::vector<double>& p, std::span<const double> lower,
                   std::span<const double> upper) {
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    sum += p[i] > 0.0 ? std::clamp(p[i] / r, lower[i], upper[i]) : lower[i];
  }
  return sum.value();
}

/// r and whether the outcomes with P > 0 can reach the sum of one at all.
struct BandScale {
  double value;
  bool saturated;
};

/// The largest r with Σ clip(P/r, lower, upper) = 1.
///
/// The sum falls in r and is linear in 1/r between the places where an outcome leaves its lower
/// bound or reaches its upper one. The piece is found by halving, and every sum is made anew:
/// running sums would keep the rounding of terms that were taken out of them again, and with r
/// 1e-30 of the largest P or less, as for a P far narrower than the band's reference, that is all
/// they would keep.
BandScale solve_scale(const std::vector<double>& p, std::span<const double> lower,
                      std::span<const double> upper) {
  const auto leaves_lower = [&](std::size_t i) {
    return lower[i] > 0.0 ? p[i] / lower[i] : kInfinity;
  };
  const auto reaches_upper = [&](std::size_t i) { return p[i] / upper[i]; };
  const auto moves = [&](std::size_t i) { return p[i] > 0.0 && lower[i] < upper[i]; };
  std::vector<double> places;
  places.reserve(2 * p.size());
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!moves(i)) continue;
    places.push_back(leaves_lower(i));
    places.push_back(reaches_upper(i));
  }
  std::sort(places.begin(), places.end(), std::greater<>());
  const auto end = std::partition_point(places.begin(), places.end(), [&](double r) {
    return clipped_sum(r, p, lower, upper) < 1.0 - kFlatTolerance;
  });
  if (end == places.end()) return {places.empty() ? 0.0 : places.back(), true};
  double begin = kInfinity;
  if (end != places.begin()) begin = *(end - 1);
  CompensatedSum slope;      // Σ P over the outcomes strictly between their bounds on the piece
  CompensatedSum left(1.0);  // for these, once the others are at their bounds
  bool any_inside = false;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (moves(i) && leaves_lower(i) >= begin && reaches_upper(i) <= *end) {
      slope += p[i];
      any_inside = true;
    } else {
      left += -(p[i] > 0.0 && reaches_upper(i) > *end ? upper[i] : lower[i]);
    }
  }
  if (!any_inside) return {*end, false};
  const double scale = slope.value() / left.value();
  return {std::isnan(scale) ? *end : std::clamp(scale, *end, begin), false};
}

}  // namespace

BandProjection project_on_band(std::span<const double> p, std::span<const double> lower,
                               std::span<const double> upper) {
  require_band(p, lower, upper);
  std::vector<double> tamed;
  const int exponent = tame(p, tamed);
  const BandScale scale = solve_scale(tamed, lower, upper);

  BandProjection projection;
  projection.law.resize(p.size());
  CompensatedSum rest(1.0);
  CompensatedSum room;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (tamed[i] > 0.0) {
      projection.law[i] =
          scale.saturated ? upper[i] : std::clamp(tamed[i] / scale.value, lower[i], upper[i]);
    } else {
      projection.law[i] = lower[i];
      room += upper[i] - lower[i];
    }
    rest += -projection.law[i];
  }
  if (scale.saturated && room.value() > 0.0) {
    const double fraction = std::clamp(rest.value() / room.value(), 0.0, 1.0);
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (!(tamed[i] > 0.0)) projection.law[i] += fraction * (upper[i] - lower[i]);
    }
  }
  projection.scale = std::ldexp(scale.value, exponent);
  return projection;
}

// -----------------------------------------------------------------------------------------------
// How far, at worst, a band sampler's law is from the private distribution it represents.

namespace {

constexpr double kLargestEpsilon = 700.0;  // exp must stay finite
constexpr std::uint64_t kLargestEnumeration = 16;
// αk, or a subset's mass, counts as equal to its aim within the rounding of c1 and c2.
constexpr double kMassTolerance = 1e-12;

void require_epsilon(double epsilon) {
  refuse_outside(positive_up_to(kLargestEpsilon), epsilon, "epsilon",
                 "epsilon must be finite, positive and at most {}, but is {}", kLargestEpsilon,
                 epsilon);
}

void require_class(const DensityClass& inputs) {
  refuse_outside({.least = 0, .most = 1}, inputs.c1, "c1",
                 "c1 must be from 0 to 1, since a distribution cannot lie above c1 times the "
                 "reference otherwise, but is {}",
                 inputs.c1);
  refuse_outside({.least = 1}, inputs.c2, "c2",
                 "c2 must be finite and at least 1, since a distribution cannot lie below c2 times "
                 "the reference otherwise, but is {}",
                 inputs.c2);
}

/// A class with its α, 1 − α computed so that neither cancels.
struct Class {
  double c1;
  double c2;
  double alpha;
  double one_minus_alpha;
};

Class describe(const DensityClass& inputs) {
  require_class(inputs);
  // c1 = c2 = 1 holds the reference alone; any α describes it.
  if (inputs.c1 == inputs.c2) return {1.0, 1.0, 0.0, 1.0};
  const double width = inputs.c2 - inputs.c1;
  return {inputs.c1, inputs.c2, (1.0 - inputs.c1) / width, (inputs.c2 - 1.0) / width};
}

Class full_simplex(const ReferenceMasses& reference) {
  if (reference.is_uniform()) {
    const double k = static_cast<double>(reference.outcomes());
    return {0.0, k, 1.0 / k, (k - 1.0) / k};
  }
  const double smallest = reference.smallest_mass();
  return {0.0, 1.0 / smallest, smallest, 1.0 - smallest};
}

/// A band's two factors.
struct Factors {
  double lower;  // b
  double upper;  // b·e^epsilon
};

/// bE = 1/(α+(1−α)/E) and b = bE/E: nothing overflows, and for small epsilon, where that sum is
/// near one, its distance from one is computed instead.
Factors class_factors(const Class& inputs, double epsilon) {
  const double below = epsilon < 0.5 ? 1.0 + inputs.one_minus_alpha * std::expm1(-epsilon)
                                     : inputs.alpha + inputs.one_minus_alpha * std::exp(-epsilon);
  return {std::exp(-epsilon) / below, 1.0 / below};
}

/// The densities (relative to h) that the extreme input, c2 on a set of mass α and c1 elsewhere, is
/// projected to, and c2 − upper in a form of its own because it may be tiny.
struct ExtremeOutput {
  double upper;
  double lower;
  double shortfall;
};

ExtremeOutput untouched(const Class& inputs) { return {inputs.c2, inputs.c1, 0.0}; }

/// For the class's own band: c2 − bE = bE·(1−α)·(c2/E − c1).
ExtremeOutput project_extreme(const Class& inputs, const Factors& band, double c2_over_e_minus_c1) {
  if (c2_over_e_minus_c1 <= 0.0) return untouched(inputs);
  return {band.upper, band.lower, band.upper * inputs.one_minus_alpha * c2_over_e_minus_c1};
}

/// For any band: the set rises to the least of c2, bE, and the mass that the rest at b leaves.
ExtremeOutput project_extreme(const Class& inputs, const Factors& band) {
  if (inputs.alpha == 0.0 || inputs.one_minus_alpha == 0.0) return untouched(inputs);
  const double left_for_set = (1.0 - inputs.one_minus_alpha * band.lower) / inputs.alpha;
  const double by_upper = inputs.c2 - band.upper;
  const double by_lower = inputs.one_minus_alpha * (band.lower - inputs.c1) / inputs.alpha;
  if (by_upper <= 0.0 && by_lower <= 0.0) return untouched(inputs);
  // If both bind, as in the class's own band, by_lower has the fewer digits lost.
  if (left_for_set <= band.upper * (1.0 + kMassTolerance)) {
    return {left_for_set, band.lower, by_lower};
  }
  return {band.upper, (1.0 - inputs.alpha * band.upper) / inputs.one_minus_alpha, by_upper};
}

/// The divergences of a distribution given in groups, from the differences of the groups.
template <std::size_t groups>
DivergenceReport report(const std::array<double, groups>& p, const std::array<double, groups>& q,
                        const std::array<double, groups>& difference) {
  CompensatedSum kl, tv, hellinger2, chi2;
  for (std::size_t i = 0; i < groups; ++i) {
    kl += relative_entropy_term(p[i], q[i], difference[i]);
    tv += 0.5 * std::abs(difference[i]);
    hellinger2 += squared_hellinger_term(p[i], q[i], difference[i]);
    chi2 += chi_squared_term(q[i], difference[i]);
  }
  return {kl.value(), tv.value(), hellinger2.value(), chi2.value()};
}

/// Keeps the largest of each divergence over the vertices seen.
class VertexMaximum {
 public:
  VertexMaximum(const Class& inputs, const Factors& band) : inputs_(inputs), band_(band) {}

  /// A vertex: mass `high` at c2, mass `low` at c1, one outcome of mass `middle` between. Outcomes
  /// with the same ratio to the reference are treated alike by the projection, so each group acts
  /// as one outcome.
  void see(double high, double middle, double low, double middle_ratio) {
    const std::array<double, 3> mass{high, middle, low};
    const std::array<double, 3> p{high * inputs_.c2, middle * middle_ratio, low * inputs_.c1};
    std::array<double, 3> lower;
    std::array<double, 3> upper;
    for (std::size_t i = 0; i < 3; ++i) {
      lower[i] = band_.lower * mass[i];
      upper[i] = band_.upper * mass[i];
    }
    const BandProjection projection = project_on_band(p, lower, upper);
    std::array<double, 3> q;
    std::array<double, 3> difference;
    for (std::size_t i = 0; i < 3; ++i) {
      q[i] = projection.law[i];
      difference[i] = p[i] - q[i];
    }
    const DivergenceReport here = report(p, q, difference);
    largest_.kl = std::max(largest_.kl, here.kl);
    largest_.tv = std::max(largest_.tv, here.tv);
    largest_.hellinger2 = std::max(largest_.hellinger2, here.hellinger2);
    largest_.chi2 = std::max(largest_.chi2, here.chi2);
  }

  const DivergenceReport& largest() const { return largest_; }

 private:
  Class inputs_;
  Factors band_;
  DivergenceReport largest_;
};

/// Uniform h: up to symmetry there is one vertex, ⌊αk⌋ outcomes at c2 and one between.
DivergenceReport uniform_vertex(const Class& inputs, const Factors& band, double k) {
  VertexMaximum maximum(inputs, band);
  const double share = k * inputs.alpha;
  const double high = std::min(std::floor(share), k - 1.0);
  const double ratio =
      std::clamp(inputs.c1 + (inputs.c2 - inputs.c1) * (share - high), inputs.c1, inputs.c2);
  maximum.see(high / k, 1.0 / k, (k - 1.0 - high) / k, ratio);
  return maximum.largest();
}

struct Enumeration {
  DivergenceReport largest;
  bool exact_set;  // a subset of mass α exists
};

/// General h: every subset at c2 and every outcome left over as the one between.
Enumeration enumerate_vertices(const Class& inputs, const Factors& band,
                               const ReferenceMasses& reference) {
  const std::size_t k = reference.outcomes();
  VertexMaximum maximum(inputs, band);
  bool exact_set = false;
  for (std::uint32_t subset = 0; subset < (std::uint32_t{1} << k); ++subset) {
    CompensatedSum high;
    CompensatedSum low;
    for (std::size_t i = 0; i < k; ++i) (subset >> i & 1U ? high : low) += reference.mass(i);
    const double missing = inputs.alpha - high.value();
    if (std::abs(missing) <= kMassTolerance) exact_set = true;
    if (missing < -kMassTolerance) continue;
    for (std::size_t i = 0; i < k; ++i) {
      const double mass = reference.mass(i);
      if ((subset >> i & 1U) != 0 || missing > mass + kMassTolerance) continue;
      const double ratio =
          std::clamp(inputs.c1 + (inputs.c2 - inputs.c1) * missing / mass, inputs.c1, inputs.c2);
      maximum.see(high.value(), mass, std::max(0.0, low.value() - mass), ratio);
    }
  }
  return {maximum.largest(), exact_set};
}

bool single_outcome_has_mass(const ReferenceMasses& reference, double alpha) {
  for (std::size_t i = 0; i < reference.outcomes(); ++i) {
    const double mass = reference.mass(i);
    if (std::abs(mass - alpha) <= kMassTolerance * alpha ||
        std::abs(1.0 - mass - alpha) <= kMassTolerance * alpha) {
      return true;
    }
  }
  return false;
}

WorstCaseRisk assemble(const ReferenceMasses& reference, const Class& inputs, const Factors& band,
                       const ExtremeOutput& extreme, bool every_input) {
  WorstCaseRisk result;
  result.lower_factor = band.lower;
  result.largest_lift = band.upper;
  const double moved = inputs.alpha * extreme.shortfall;
  result.extreme_input = {inputs.alpha * inputs.c2, inputs.one_minus_alpha * inputs.c1};
  result.extreme_output = {inputs.alpha * extreme.upper, inputs.one_minus_alpha * extreme.lower};
  result.risk =
      report(result.extreme_input, result.extreme_output, std::array<double, 2>{moved, -moved});
  if (every_input || moved == 0.0) {
    result.attained = true;
  } else if (reference.is_uniform()) {
    const double k = static_cast<double>(reference.outcomes());
    const double share = k * inputs.alpha;
    const double nearest = std::round(share);
    result.attained =
        nearest >= 1.0 && std::abs(share - nearest) <= kMassTolerance * std::max(1.0, share);
    if (!result.attained) result.vertex_maximum = uniform_vertex(inputs, band, k);
  } else if (reference.outcomes() <= kLargestEnumeration) {
    const Enumeration vertices = enumerate_vertices(inputs, band, reference);
    result.attained = vertices.exact_set;
    if (!result.attained) result.vertex_maximum = vertices.largest;
  } else {
    result.attained = single_outcome_has_mass(reference, inputs.alpha);
  }
  return result;
}

Factors checked_factors(double lower_factor, double epsilon) {
  const Factors band{lower_factor, lower_factor * std::exp(epsilon)};
  if (!(lower_factor > 0.0 && lower_factor <= 1.0 && band.upper >= 1.0)) {
    refuse_input(
        "out-of-range", "b",
        "the factor b of a band must be at most 1 and at least exp(-epsilon) = {}, but is {}",
        std::exp(-epsilon), lower_factor);
  }
  return band;
}

WorstCaseRisk own_band_risk(const ReferenceMasses& reference, const Class& inputs, double epsilon,
                            bool every_input) {
  const Factors band = class_factors(inputs, epsilon);
  const double gap = inputs.c2 * std::exp(-epsilon) - inputs.c1;
  return assemble(reference, inputs, band, project_extreme(inputs, band, gap), every_input);
}

WorstCaseRisk given_band_risk(const ReferenceMasses& reference,
                              const std::optional<DensityClass>& named, const Factors& band) {
  const Class inputs = named.has_value() ? describe(*named) : full_simplex(reference);
  return assemble(reference, inputs, band, project_extreme(inputs, band), !named.has_value());
}

}  // namespace

WorstCaseRisk minimax_risk(const ReferenceMasses& reference, double epsilon) {
  require_epsilon(epsilon);
  return own_band_risk(reference, full_simplex(reference), epsilon, true);
}

WorstCaseRisk relative_risk(const ReferenceMasses& reference, double epsilon,
                            const std::optional<DensityClass>& inputs) {
  require_epsilon(epsilon);
  return given_band_risk(reference, inputs, {std::exp(-0.5 * epsilon), std::exp(0.5 * epsilon)});
}

WorstCaseRisk class_risk(const ReferenceMasses& reference, double epsilon,
                         const DensityClass& inputs) {
  require_epsilon(epsilon);
  return own_band_risk(reference, describe(inputs), epsilon, false);
}

WorstCaseRisk neighbourhood_risk(const ReferenceMasses& reference, double epsilon, double gamma) {
  require_epsilon(epsilon);
  require_in({.least = 1}, "gamma", gamma);
  // α = 1/(γ+1) exactly, which (1−c1)/(c2−c1) would lose for γ near one.
  const Class inputs{1.0 / gamma, gamma, 1.0 / (gamma + 1.0), gamma / (gamma + 1.0)};
  const Factors band = class_factors(inputs, epsilon);
  const double gap = std::expm1(2.0 * std::log(gamma) - epsilon) / gamma;
  return assemble(reference, inputs, band, project_extreme(inputs, band, gap), false);
}

WorstCaseRisk location_risk(const ReferenceMasses& reference, double epsilon, double lower_factor,
                            const std::optional<DensityClass>& inputs) {
  require_epsilon(epsilon);
  return given_band_risk(reference, inputs, checked_factors(lower_factor, epsilon));
}

RegionBounds region_bounds(double lower_factor, double largest_lift, double reference_mass) {
  require_between({"the reference mass of a region", "region"}, reference_mass, 0.0, 1.0);
  if (!(lower_factor >= 0.0 && lower_factor <= 1.0 && largest_lift >= 1.0)) {
    throw InvalidInput(
        "out-of-range",
        fmt::format("the factors of a band must lie on both sides of 1, but are {} and {}",
                    lower_factor, largest_lift));
  }
  const double outside = 1.0 - reference_mass;
  // 1 − b(1−m) = m + (1−b)(1−m) and 1 − bE(1−m) = m − (bE−1)(1−m): exact at b = 1 and m = 1.
  return {std::max(lower_factor * reference_mass, reference_mass - (largest_lift - 1.0) * outside),
          std::min(largest_lift * reference_mass, reference_mass + (1.0 - lower_factor) * outside)};
}

}  // namespace mollify
