#include "accounting/composition.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <fmt/format.h>

#include "accounting/gaussian.h"
#include "base/decimals.h"
#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Zero-concentrated differential privacy.

namespace {

void require_parameter(const Called& name, double value) { require_in(kNotNegative, name, value); }

void require_delta(double delta, bool may_be_one) {
  require_in({.least = 0, .most = 1, .is_open_above = !may_be_one}, "delta", delta);
}

/// ln delta at a = 1 + b, every operation rounded up.
///     ln delta = b·((1+b)rho − epsilon) − ln(1+b) − b·ln(1+1/b).
double ln_delta_up(double rho, double epsilon, double b) {
  constexpr int kLibrarySteps = 2;  // as for the logarithms of directed_rounding.h
  const auto log1p_down = [](double x) {
    double below = std::log1p(x);
    for (int i = 0; i < kLibrarySteps; ++i) below = std::nextafter(below, 0.0);
    return below;
  };
  const double exponent = mul_up(b, add_up(mul_up(add_up(1.0, b), rho), -epsilon));
  const double order = -log1p_down(b);
  const double inverse_down = std::min(div_down(1.0, b), std::numeric_limits<double>::max());
  const double last = mul_up(-b, log1p_down(inverse_down));
  return add_up(add_up(exponent, order), last);
}

/// The b > 0 at which the derivative (1+2b)rho − epsilon − ln(1+1/b) of ln delta, which increases,
/// changes its sign; within the doubles' range, and only approximately.
double best_order_less_one(double rho, double epsilon) {
  // At the left end ln(1+1/b) alone outweighs (1+2b)rho ≤ 3 rho, at the right end 2b rho outweighs
  // the rest.
  double left = std::max(-700.0, -1.0 - 3.0 * rho);
  double right = std::min(700.0, std::log(std::max(1.0, (epsilon + 1.0) / rho)));
  for (int i = 0; i < 64 && right - left > 1e-9; ++i) {
    const double middle = 0.5 * (left + right);
    const double b = std::exp(middle);
    const double slope = (1.0 + 2.0 * b) * rho - epsilon - std::log1p(1.0 / b);
    (slope < 0.0 ? left : right) = middle;
  }
  return std::exp(0.5 * (left + right));
}

double half_square_up(double value) { return mul_up(0.5, mul_up(value, value)); }

}  // namespace

double concentrated_rho_of_pure_up(double epsilon) {
  require_parameter("epsilon", epsilon);
  return half_square_up(epsilon);
}

double concentrated_rho_of_gaussian_up(double mu) {
  require_parameter("mu", mu);
  return half_square_up(mu);
}

double concentrated_delta_up(double rho, double epsilon) {
  require_parameter("rho", rho);
  require_parameter("epsilon", epsilon);
  if (rho == 0.0) return 0.0;
  const double ln_delta = ln_delta_up(rho, epsilon, best_order_less_one(rho, epsilon));
  return std::isnan(ln_delta) ? 1.0 : std::min(1.0, exp_up(ln_delta));
}

double concentrated_epsilon_up(double rho, double delta) {
  require_parameter("rho", rho);
  require_delta(delta, true);
  if (rho == 0.0 || concentrated_delta_up(rho, 0.0) <= delta) return 0.0;
  double too_small = 0.0;
  // [Bun, Steinke 2016, Proposition 1.3]
  double enough = rho + 2.0 * std::sqrt(rho * -std::log(delta));
  while (std::isfinite(enough) && concentrated_delta_up(rho, enough) > delta) {
    too_small = enough;
    enough *= 2.0;
  }
  if (!std::isfinite(enough)) return std::numeric_limits<double>::infinity();
  for (int i = 0; i < 64; ++i) {
    const double middle = too_small + 0.5 * (enough - too_small);
    if (middle <= too_small || middle >= enough) break;
    (concentrated_delta_up(rho, middle) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

double concentrated_rho_down(double epsilon, double delta) {
  require_parameter("epsilon", epsilon);
  require_delta(delta, false);
  if (delta == 0.0) return 0.0;
  // The delta that the simpler epsilon = rho + 2√(rho ln(1/delta)) of [Bun, Steinke 2016] allows,
  // or next to it.
  const double log = -std::log(delta);
  double fits = std::max(epsilon * epsilon / (4.0 * (epsilon + log)), 0.25 * delta * delta);
  while (fits > 0.0 && concentrated_delta_up(fits, epsilon) > delta) fits *= 0.5;
  if (fits == 0.0) return 0.0;
  double too_large = 2.0 * fits;
  while (concentrated_delta_up(too_large, epsilon) <= delta) {
    fits = too_large;
    too_large *= 2.0;
  }
  for (int i = 0; i < 64; ++i) {
    const double middle = fits + 0.5 * (too_large - fits);
    if (middle <= fits || middle >= too_large) break;
    (concentrated_delta_up(middle, epsilon) <= delta ? fits : too_large) = middle;
  }
  return fits;
}

// -----------------------------------------------------------------------------------------------
// What rounding each record of a Gaussian to a lattice does to the law of a noisy sum.

namespace {

double squared(double x) { return x * x; }

}  // namespace

double record_rounding_error_up(std::size_t dimension, double squared_weights, double step,
                                double deviation) {
  const auto d = static_cast<double>(dimension);
  const double t = squared_weights * squared(step) * d / (4 * squared(deviation));
  if (!(t < 1)) return 1;
  const double mean =
      std::sqrt(d * squared_weights) * squared(step) * (1 + step * std::sqrt(d)) / 12;
  const double sawtooth =
      std::sqrt(d) * step * std::exp(-2 * squared(std::numbers::pi / step)) * (1 + 0x1p-30);
  const double spread = std::sqrt(std::expm1(-d / 2 * std::log1p(-squared(t)))) / 2;
  const double shift = (mean + sawtooth) / (deviation * std::sqrt(2 * std::numbers::pi));
  return std::min(1.0, (shift + spread) * (1 + 0x1p-40));
}

// -----------------------------------------------------------------------------------------------
// The cost of several releases together, and the budget of one of them.

namespace {

constexpr std::uint64_t kLargestExactCount = std::uint64_t{1} << 53;
constexpr std::uint64_t kMostDraws = 100'000'000;
constexpr std::uint64_t kLargestOptimalCount = std::uint64_t{1} << 20;
// Binomial weights below this fraction of the largest are not computed but bounded by it.
constexpr double kNegligible = 0x1p-1000;

void require_epsilon(const Called& name, double epsilon) { require_in(kPositive, name, epsilon); }

void require_releases(std::uint64_t releases, std::uint64_t largest) {
  require_between({"the number of releases", "releases"}, releases, 1, largest);
}

void require_delta(double delta) { require_between("delta", delta, 0.0, 1.0); }

/// 1 − (1−delta)^k, rounded up: two functions within 2 units in the last place and two
/// roundings; none moves the result by more than its own relative error, as it is concave in
/// k·ln(1−delta).
double any_of_up(double delta, double k) {
  if (delta == 0.0) return 0.0;
  const double exact_enough = -std::expm1(k * std::log1p(-delta));
  return std::min({1.0, exact_enough * (1.0 + 0x1p-49), mul_up(k, delta)});
}

/// A positive number m·2^e whose exponent cannot overflow: products of a million factors can leave
/// the range of a double long before the result that they are part of does.
class WideProduct {
 public:
  void multiply(double factor) {
    int shift = 0;
    mantissa_ = std::frexp(mantissa_ * factor, &shift);
    exponent_ += shift;
  }
  double value() const {
    return exponent_ < -2000 ? 0.0 : std::ldexp(mantissa_, static_cast<int>(exponent_));
  }

 private:
  double mantissa_ = 1.0;
  std::int64_t exponent_ = 0;
};

using Notion = Privacy::Notion;

void require_parameters(const Privacy& guarantee) {
  require_parameter("epsilon", guarantee.epsilon);
  require_parameter("delta", guarantee.delta);
  require_parameter("rho", guarantee.rho);
  require_parameter("mu", guarantee.mu);
}

double rho_of_up(const Privacy& part) {
  if (part.notion == Notion::kConcentrated) return part.rho;
  return part.notion == Notion::kGaussian ? concentrated_rho_of_gaussian_up(part.mu)
                                          : concentrated_rho_of_pure_up(part.epsilon);
}

}  // namespace

double basic_composition_epsilon_up(double epsilon, std::uint64_t releases) {
  require_epsilon("epsilon", epsilon);
  require_releases(releases, kLargestExactCount);
  return mul_up(epsilon, static_cast<double>(releases));
}

double epsilon_per_draw_down(double total, std::uint64_t releases) {
  require_epsilon({"the total epsilon", "epsilon"}, total);
  require_releases(releases, kLargestExactCount);
  return div_down(total, static_cast<double>(releases));
}

Privacy draw_budget_down(const Privacy& budget, std::uint64_t count) {
  require_between("count", count, 1, kMostDraws);
  if (budget.notion == PrivacyNotion::kGaussian) {
    return Privacy::gaussian(mu_per_draw_down(budget.mu, count));
  }
  require_epsilon("epsilon", budget.epsilon);
  const double one = epsilon_per_draw_down(budget.epsilon, count);
  if (one < ExpBound::kLeastEpsilon) {
    const std::string draws = count == 1 ? "" : fmt::format(" for each of {} draws", count);
    refuse_input("out-of-range", "epsilon", {},
                 {{"given", budget.epsilon},
                  {"least", ExpBound::kLeastEpsilon * static_cast<double>(count)}},
                 "epsilon must be at least {}{}, but is {}{}",
                 detail::shortest(ExpBound::kLeastEpsilon), draws, detail::shortest(budget.epsilon),
                 count == 1 ? "" : " for all of them");
  }
  return Privacy::pure(std::min(one, ExpBound::kGreatestEpsilon));
}

Privacy draws_promise_up(const Privacy& budget, const Privacy& draw, std::uint64_t count) {
  const bool capped =
      draw.notion == PrivacyNotion::kPure && !(draw.epsilon < ExpBound::kGreatestEpsilon);
  if (!capped) return Privacy::of(draw.notion, budget.parameter());
  return Privacy::pure(std::min(budget.epsilon, basic_composition_epsilon_up(draw.epsilon, count)));
}

Privacy composed_up(std::span<const Privacy> parts) {
  refuse_if(parts.empty(), "empty-input", "releases", "give at least one release to compose");
  const auto any = [&](Notion notion) {
    return std::any_of(parts.begin(), parts.end(),
                       [&](const Privacy& part) { return part.notion == notion; });
  };
  Privacy whole;
  if (any(Notion::kConcentrated) || any(Notion::kGaussian)) {
    whole.notion = Notion::kConcentrated;
  } else if (any(Notion::kApproximate)) {
    whole.notion = Notion::kApproximate;
  }
  for (const Privacy& part : parts) {
    require_parameters(part);
    if (whole.notion != Notion::kConcentrated) {
      whole.epsilon = add_up(whole.epsilon, part.epsilon);
      if (part.notion == Notion::kApproximate) whole.delta = add_up(whole.delta, part.delta);
    } else if (part.notion == Notion::kApproximate) {
      throw InvalidInput(
          "not-for-this-budget",
          "an (epsilon, delta) release has no rho, so it cannot be composed with one in zCDP",
          "rho", {WayOut::set("epsilon")});
    } else {
      whole.rho = add_up(whole.rho, rho_of_up(part));
    }
  }
  return whole;
}

ExactPrivacy replacing_up(const ExactPrivacy& add_remove) {
  const Decimal both = add_remove.parameter() + add_remove.parameter();
  switch (add_remove.notion) {
    case PrivacyNotion::kConcentrated:
      return ExactPrivacy::concentrated(both + both);
    case PrivacyNotion::kGaussian:
      return ExactPrivacy::gaussian(both);
    case PrivacyNotion::kPure:
    case PrivacyNotion::kApproximate:
      break;
  }
  if (add_remove.delta.is_zero()) return ExactPrivacy::pure(both);
  const double factor = add_up(1.0, exp_up(add_remove.epsilon.up()));
  const Decimal delta = std::isinf(factor) ? Decimal(1.0) : Decimal(factor) * add_remove.delta;
  return ExactPrivacy::approximate(both, std::min(delta, Decimal(1.0)));
}

OptimalComposition::OptimalComposition(double epsilon, std::uint64_t releases, double delta)
    : epsilon_(epsilon), releases_(releases) {
  require_epsilon("epsilon", epsilon);
  require_in({.most = 700}, {"epsilon of one release", "epsilon"}, epsilon);
  require_releases(releases, kLargestOptimalCount);
  require_delta(delta);
  leaked_ = any_of_up(delta, static_cast<double>(releases));
}

double OptimalComposition::delta_up(double total_epsilon) const {
  const double pure = pure_delta_up(total_epsilon);
  // leaked + (1 − leaked)·pure, which is never more than the sum.
  if (leaked_ == 0.0) return pure;
  return std::min(1.0, add_up(leaked_, mul_up(add_up(1.0, -leaked_), pure)));
}

double OptimalComposition::pure_delta_up(double total_epsilon) const {
  if (!(total_epsilon >= 0.0)) {  // infinity is one
    refuse_input("out-of-range", "epsilon", {}, {{"given", total_epsilon}, {"least", 0}},
                 "the total epsilon must not be negative, but is {}", total_epsilon);
  }
  const double k = static_cast<double>(releases_);
  if (total_epsilon >= mul_up(epsilon_, k)) return 0.0;

  // pmf(l) = C(k,l)·e^{l epsilon}/(1+e^epsilon)^k is the binomial law; walking from its mode both
  // ways with pmf(l+1)/pmf(l) = (k−l)/(l+1)·e^epsilon and dividing by the sum needs no factorials.
  // Counted in 2^−53: one step makes three roundings and repeats the error of e^epsilon, at most 4,
  // so a weight is within 7k and the quotient of two sums within 14k, to which the summands and the
  // last operations add fewer than 32: less than 16(k+2) in all.
  const double odds = std::exp(epsilon_);
  const double mode = std::min(k, std::floor((k + 1.0) / (1.0 + std::exp(-epsilon_))));
  CompensatedSum mass;
  CompensatedSum excess;
  // e^{l epsilon} − e^{epsilon′+(k−l)epsilon} = e^{l epsilon}·(1 − e^x). The product in x is exact
  // inside the fused multiply-add, and 1 − e^x is no more sensitive to the relative error of x < 0
  // than to scale.
  const auto add = [&](double l, double weight) {
    mass += weight;
    const double x = std::fma(k - 2.0 * l, epsilon_, total_epsilon);
    if (x < 0.0) excess += weight * -std::expm1(x);
  };
  bool negligible = false;  // the weights fall from the mode, so what is left out is smaller still
  WideProduct weight;
  for (double l = mode; l <= k && !negligible; l += 1.0) {
    add(l, weight.value());
    weight.multiply((k - l) / (l + 1.0) * odds);
    negligible = weight.value() < kNegligible;
  }
  negligible = false;
  weight = WideProduct();
  for (double l = mode - 1.0; l >= 0.0 && !negligible; l -= 1.0) {
    weight.multiply((l + 1.0) / (k - l) / odds);
    add(l, weight.value());
    negligible = weight.value() < kNegligible;
  }
  const double relative = 0x1p-49 * (k + 2.0);
  const double omitted = (k + 1.0) * kNegligible;
  const double delta = excess.value() / mass.value() * (1.0 + relative) + omitted;
  return std::min(delta, 1.0);
}

double OptimalComposition::epsilon_up(double delta) const {
  require_delta(delta);
  if (delta_up(0.0) <= delta) return 0.0;
  if (leaked_ > delta) return std::numeric_limits<double>::infinity();
  double too_small = 0.0;
  double enough = mul_up(epsilon_, static_cast<double>(releases_));
  for (int i = 0; i < 64; ++i) {
    const double middle = too_small + 0.5 * (enough - too_small);
    if (middle <= too_small || middle >= enough) break;
    (delta_up(middle) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

}  // namespace mollify
