#include "mollify/divergence/band_projection.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include "mollify/divergence/compensated_sum.h"
#include "mollify/kernel/invalid_input.h"

namespace mollify {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
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

/// Where, as r falls, an outcome leaves its lower bound or reaches its upper one.
struct Breakpoint {
  double scale;
  std::size_t outcome;
  bool reaches_upper;
};

/// r and whether the outcomes with P > 0 can reach the sum of one at all.
struct Scale {
  double value;
  bool saturated;
};

/// Walks r from infinity down to where Σ clip(P/r, lower, upper) = 1.
Scale solve_scale(const std::vector<double>& p, std::span<const double> lower,
                  std::span<const double> upper) {
  std::vector<Breakpoint> breakpoints;
  breakpoints.reserve(2 * p.size());
  CompensatedSum clamped;  // mass of the outcomes that sit at a bound
  CompensatedSum slope;    // Σ P over the outcomes strictly between their bounds
  for (std::size_t i = 0; i < p.size(); ++i) {
    clamped += lower[i];
    if (p[i] > 0.0 && lower[i] < upper[i]) {
      breakpoints.push_back({lower[i] > 0.0 ? p[i] / lower[i] : kInfinity, i, false});
      breakpoints.push_back({p[i] / upper[i], i, true});
    }
  }
  std::sort(breakpoints.begin(), breakpoints.end(), [](const Breakpoint& a, const Breakpoint& b) {
    if (a.scale != b.scale) return a.scale > b.scale;
    return a.reaches_upper < b.reaches_upper;
  });
  std::size_t inside = 0;
  for (std::size_t at = 0; at < breakpoints.size(); ++at) {
    const Breakpoint& here = breakpoints[at];
    // Between the previous breakpoint and this one the sum is clamped + slope/r.
    const double reached = clamped.value() + (inside > 0 ? slope.value() / here.scale : 0.0);
    if (reached >= 1.0 - kFlatTolerance) {
      if (inside == 0) return {here.scale, false};
      CompensatedSum left(1.0);
      left += -clamped.value();
      const double scale = slope.value() / left.value();
      double previous = kInfinity;
      if (at > 0) previous = breakpoints[at - 1].scale;
      return {std::isnan(scale) ? here.scale : std::clamp(scale, here.scale, previous), false};
    }
    if (here.reaches_upper) {
      --inside;
      slope += -p[here.outcome];
      clamped += upper[here.outcome];
      if (inside == 0) slope = CompensatedSum();
    } else {
      ++inside;
      slope += p[here.outcome];
      clamped += -lower[here.outcome];
    }
  }
  const double last = breakpoints.empty() ? 0.0 : breakpoints.back().scale;
  return {last, clamped.value() < 1.0 - kFlatTolerance};
}

/// Recomputes r from the set of outcomes strictly inside their bounds: the walk's running sums have
/// seen terms added and removed, this one has not.
double polish_scale(double scale, const std::vector<double>& p, std::span<const double> lower,
                    std::span<const double> upper) {
  CompensatedSum left(1.0);
  CompensatedSum slope;
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double scaled = p[i] / scale;
    if (p[i] > 0.0 && scaled > lower[i] && scaled < upper[i]) {
      slope += p[i];
    } else {
      left += -(p[i] > 0.0 && scaled >= upper[i] ? upper[i] : lower[i]);
    }
  }
  const double polished = slope.value() / left.value();
  // Far from the walk's answer means that the set is empty or that only rounding is left of it.
  return std::abs(polished - scale) <= 1e-9 * scale ? polished : scale;
}

}  // namespace

BandProjection project_on_band(std::span<const double> p, std::span<const double> lower,
                               std::span<const double> upper) {
  require_band(p, lower, upper);
  std::vector<double> tamed;
  const int exponent = tame(p, tamed);
  Scale scale = solve_scale(tamed, lower, upper);
  if (!scale.saturated && scale.value > 0.0) {
    scale.value = polish_scale(scale.value, tamed, lower, upper);
  }

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
