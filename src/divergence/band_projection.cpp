#include "divergence/band_projection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "divergence/f_divergence.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

constexpr double kFeasibilityTolerance = 1e-12;
// A flat piece of Σ clip(P/r) that misses one by less than this is one but for rounding; without
// the allowance a point mass would fall through to the missing case by an accident of rounding.
constexpr double kFlatTolerance = 8.0 * std::numeric_limits<double>::epsilon();
constexpr double kNegligible = 0x1p-900;

void require_band(std::span<const double> p, std::span<const double> lower,
                  std::span<const double> upper) {
  if (p.empty() || lower.size() != p.size() || upper.size() != p.size()) {
    throw InvalidInput(fmt::format(
        "P and the bounds of a band must have the same positive length, but have {}, {} and {}",
        p.size(), lower.size(), upper.size()));
  }
  CompensatedSum lower_sum;
  CompensatedSum upper_sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(lower[i] >= 0.0) || !(lower[i] <= upper[i]) || std::isinf(upper[i])) {
      throw InvalidInput(fmt::format(
          "the bounds of outcome {} of a band must be finite with 0 <= lower <= upper, but are {} "
          "and {}",
          i, lower[i], upper[i]));
    }
    lower_sum += lower[i];
    upper_sum += upper[i];
  }
  if (lower_sum.value() > 1.0 + kFeasibilityTolerance ||
      upper_sum.value() < 1.0 - kFeasibilityTolerance) {
    throw InvalidInput(
        fmt::format("the bounds of a band must sum to at most and at least one, but sum to {} and "
                    "{}",
                    lower_sum.value(), upper_sum.value()));
  }
}

/// P made harmless: NaN, negatives and what is negligible beside the largest entry are zero, and
/// the largest is from one to two, so that no sum overflows and no quotient is denormal. Returns
/// the power of two taken out.
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

}  // namespace mollify
