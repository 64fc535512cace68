#include "accounting/gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/lattice.h"
#include "base/directed_rounding.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The normal distribution function with results known to lie on one side of the truth.

double normal_cdf_up(double x) {
  const double z = -x * std::sqrt(0.5);
  const double cdf = 0.5 * std::erfc(z - std::abs(z) * 0x1p-50);
  return std::nextafter(cdf * (1.0 + 0x1p-47), 2.0);
}

double normal_cdf_down(double x) {
  const double z = -x * std::sqrt(0.5);
  const double cdf = 0.5 * std::erfc(z + std::abs(z) * 0x1p-50);
  return std::max(0.0, std::nextafter(cdf * (1.0 - 0x1p-47), -1.0));
}

double ln_normal_cdf_up(double x) {
  constexpr double kFar = -25;
  if (x > kFar) return std::min(ln_up(normal_cdf_up(x)), 0.0);
  constexpr double kRootOfTwoPiDown = 2.5066282746310;
  const double squares = mul_up(mul_up(x, -0.5), x);  // -x^2/2, as x is negative
  return add_up(squares, -ln_down(-mul_up(x, kRootOfTwoPiDown)));
}

// -----------------------------------------------------------------------------------------------
// What several Gaussian-DP releases cost together, and what that is in (epsilon, delta).

double mu_per_draw_down(double total, std::uint64_t releases) {
  require_in(kPositive, "mu", total);
  require_in({.least = 1}, {"the number of releases", "count", "releases"}, releases);
  if (releases == 1) return total;
  // The conversion and the root are each within half a unit in the last place.
  const double infinity = std::numeric_limits<double>::infinity();
  const double count_up = std::nextafter(static_cast<double>(releases), infinity);
  return div_down(total, std::nextafter(std::sqrt(count_up), infinity));
}

double gaussian_delta_up(double mu, double epsilon) {
  keep_going();  // every search of a noise is for some hundreds of these
  require_between("mu", mu, 1e-6, 1000);
  require_between("epsilon", epsilon, 0, 1e6);
  const double first = normal_cdf_up(add_up(0.5 * mu, -div_down(epsilon, mu)));
  const double tail = normal_cdf_down(-add_up(0.5 * mu, div_up(epsilon, mu)));
  const double second = -mul_up(-exp_down(epsilon), tail);
  return std::min(1.0, add_up(first, -second));
}

double gaussian_epsilon_up(double mu, double delta) {
  require_between("delta", delta, 0, 1);
  if (gaussian_delta_up(mu, 0.0) <= delta) return 0.0;
  double too_small = 0.0;
  double enough = 1.0;
  while (gaussian_delta_up(mu, enough) > delta) {
    too_small = enough;
    enough *= 2.0;
    if (enough > 1e6) return std::numeric_limits<double>::infinity();
  }
  for (int i = 0; i < 64; ++i) {
    const double middle = too_small + 0.5 * (enough - too_small);
    if (middle <= too_small || middle >= enough) break;
    (gaussian_delta_up(mu, middle) <= delta ? enough : too_small) = middle;
  }
  return enough;
}

// -----------------------------------------------------------------------------------------------
// Adaptive gaussian.

namespace {

constexpr double kLeastSpent = 1e-12;
constexpr double kGreatestSpent = 1e6;

void require_adaptive_epsilon(double epsilon) { require_between("epsilon", epsilon, 0, 1e6); }

}  // namespace

double adaptive_gaussian_delta_up(double spent, double epsilon) {
  require_between({"the square of mu", "mu"}, spent, kLeastSpent, kGreatestSpent);
  require_adaptive_epsilon(epsilon);
  return lattice_curve_up(sqrt_up(spent), kLatticePart, kMostMeasuredCells, epsilon);
}

double adaptive_gaussian_budget_down(double epsilon, double delta) {
  require_adaptive_epsilon(epsilon);
  require_in(kBelowOne, "delta", delta);
  if (adaptive_gaussian_delta_up(kLeastSpent, epsilon) > delta) return 0;
  double fits = kLeastSpent;
  double too_large = kGreatestSpent;
  if (adaptive_gaussian_delta_up(too_large, epsilon) <= delta) return too_large;
  // By halves of the exponent: 200 of them tell neighbouring doubles apart.
  for (int i = 0; i < 200; ++i) {
    const double middle =
        too_large > 2 * fits ? std::sqrt(fits * too_large) : fits + 0.5 * (too_large - fits);
    if (middle <= fits || middle >= too_large) break;
    (adaptive_gaussian_delta_up(middle, epsilon) <= delta ? fits : too_large) = middle;
  }
  return fits;
}

double adaptive_amount_down(const Privacy& budget, std::string_view method) {
  switch (budget.notion) {
    case PrivacyNotion::kPure:
      return budget.epsilon;
    case PrivacyNotion::kApproximate:
      return adaptive_gaussian_budget_down(budget.epsilon, budget.delta * kRoomForRounding);
    case PrivacyNotion::kConcentrated:
      return budget.rho;
    case PrivacyNotion::kGaussian:
      break;
  }
  refuse_input("not-for-this-budget", "mu", {WayOut::set("epsilon"), WayOut::set("rho")},
               "{} has a budget of epsilon, of epsilon and delta or of rho, but it is of mu",
               method_words(method));
}

// -----------------------------------------------------------------------------------------------
// What many steps of learning on random parts of the records with Gaussian noise cost.

namespace {

constexpr double kMostSampledOrder = 512;

void require_mechanism(const SampledGaussian& mechanism) {
  require_in(positive_up_to(1), {"the sampling rate", "rate"}, mechanism.rate);
  require_in(kPositive, {"the deviation of the noise", "deviation"}, mechanism.deviation);
  refuse_outside({.least = 1}, static_cast<double>(mechanism.steps), "steps",
                 "there must be at least 1 step, but are 0");
}

/// power ln x, rounded up, for x between two bounds.
double power_ln_up(double power, double x_down, double x_up) {
  return power == 0 ? 0 : mul_up(power, power > 0 ? ln_up(x_up) : ln_down(x_down));
}

}  // namespace

double sampled_gaussian_renyi_up(const SampledGaussian& mechanism, double order) {
  keep_going();
  require_mechanism(mechanism);
  require_in({.least = 1, .most = kMostSampledOrder, .is_open = true}, {"the order", "order"},
             order);
  const double rate = mechanism.rate;
  const double deviation = mechanism.deviation;
  const double steps = integer_up(mechanism.steps);
  if (rate == 1) return mul_up(steps, div_up(div_up(order / 2, deviation), deviation));
  const double rest_up = add_up(1, -rate);
  const double rest_down = -add_up(-1, rate);
  // The place where both parts are about equal; any place gives a bound.
  const double place = 0.5 + deviation * (deviation * std::log((1 - rate) / rate));
  // ln (1 - q)^a q^b E[r^b on one side of the place], which is that side's mass under N(b, sigma^2)
  // times e^(b(b - 1)/(2 sigma^2)). Differences of the order and whole numbers are exact.
  const auto ln_moment_up = [&](double a, double b, double to_the_place) {
    const double growth = div_up(div_up(mul_up(b / 2, b - 1), deviation), deviation);
    if (std::isinf(growth)) return growth;
    const double weight = add_up(power_ln_up(a, rest_down, rest_up), power_ln_up(b, rate, rate));
    return add_up(add_up(weight, growth), ln_normal_cdf_up(div_up(to_the_place, deviation)));
  };
  double sum = 0;
  double chosen = 1;  // C(order, i)
  for (int k = 0; k <= static_cast<int>(std::ceil(order)); ++k) {
    const auto i = static_cast<double>(k);
    const double left = order - i;
    if (k > 0) chosen = div_up(mul_up(chosen, add_up(left, 1)), i);
    sum = add_up(sum, mul_up(chosen, exp_up(ln_moment_up(left, i, add_up(place, -i)))));
    sum = add_up(sum, mul_up(chosen, exp_up(ln_moment_up(i, left, add_up(left, -place)))));
  }
  return mul_up(steps, std::max(div_up(ln_up(sum), order - 1), 0.0));
}

double sampled_gaussian_epsilon_up(const SampledGaussian& mechanism, double delta) {
  require_mechanism(mechanism);
  require_in(kInsideOne, "delta", delta);
  double least = std::numeric_limits<double>::infinity();
  constexpr int kOrdersInADoubling = 32;
  for (int i = -20 * kOrdersInADoubling; i < 9 * kOrdersInADoubling; ++i) {
    const double a = 1 + std::exp2(static_cast<double>(i) / kOrdersInADoubling);
    const double divergence = sampled_gaussian_renyi_up(mechanism, a);
    if (!std::isfinite(divergence)) continue;
    // divergence + ln((a - 1)/a) + (ln(1/delta) - ln a)/(a - 1)
    const double logs = add_up(-ln_down(delta), -ln_down(a));
    const double epsilon = add_up(add_up(divergence, ln_up(div_up(a - 1, a))), div_up(logs, a - 1));
    least = std::min(least, std::max(epsilon, 0.0));
  }
  return least;
}

// -----------------------------------------------------------------------------------------------
// How many records any private sampler of Gaussians needs.

namespace {

constexpr double kMostPackedRecords = 0x1p60;

/// The least n with p ≥ (M−1)·e^{−n epsilon}·(1 − p − delta(e^{n epsilon}−1)/(e^epsilon−1)), which
/// holds from some n on.
double by_group_privacy(double log_others, double p, double epsilon, double delta) {
  const auto possible = [&](double n) {
    const double lost =
        delta > 0 ? delta * std::expm1(std::min(700.0, n * epsilon)) / std::expm1(epsilon) : 0.0;
    const double rest = 1 - p - lost;
    return rest <= 0 || log_others - n * epsilon + std::log(rest) <= std::log(p);
  };
  double low = 0;
  if (possible(low)) return 0;
  double high = 1;
  while (!possible(high) && high < kMostPackedRecords) {
    low = high;
    high *= 2;
  }
  return halve({.serves = high, .fails = low}, {.most = 60}, possible).fails;
}

double by_information(double log_count, double p, double rho) {
  const double right = 1 - p;
  if (!(std::log(right) + log_count > 0)) return 0;
  // ln(p M/(M−1)) = ln p − ln(1 − 1/M).
  const double divergence =
      right * (std::log(right) + log_count) + p * (std::log(p) - std::log1p(-std::exp(-log_count)));
  return std::sqrt(std::max(0.0, divergence) / rho);
}

}  // namespace

/// Proof. The mean nearest to the average of the outputs is the true one except with probability p.
/// So the events A_j = {the jth is nearest} are disjoint with P_j(A_j) >= 1 - p, while any two sets
/// of n records are n replacements apart. The first two inequalities are P_1(not A_1) <= p, and
/// P_1(A_j) by group privacy. For the third, the divergences of any two output laws are at most n^2
/// rho, so the mutual information of a uniform j and the output is. The event of finding j has
/// probability 1 - p at least jointly, and 1/M if they were independent: data processing. QED
double gaussian_records_lower_bound(const GaussianSamplingTask& task, const Privacy& guarantee) {
  const auto d = static_cast<double>(task.dimension);
  const double root = std::sqrt(static_cast<double>(task.outputs));
  double greatest = 0;
  const auto consider = [&](double log_count, double q) {
    const double p = q + task.joint_error;
    if (!(log_count >= std::log(2.0)) || !(p > 0 && p < 1)) return;
    const double log_others = log_count + std::log1p(-std::exp(-log_count));
    const double least = guarantee.notion == Privacy::Notion::kConcentrated
                             ? by_information(log_count, p, guarantee.rho)
                             : by_group_privacy(log_others, p, guarantee.epsilon, guarantee.delta);
    greatest = std::max(greatest, least);
  };
  // Half distances from a tenth of what noise moves an average by to ten times it.
  for (double factor = 0.1; factor < 10; factor *= 1.1) {
    const double on_line = factor / root;
    if (on_line <= task.mean_norm) {
      consider(std::log(std::floor(task.mean_norm / on_line) + 1),
               clip_probability_up(1, 0, factor));
    }
    const double in_ball = factor * std::sqrt(d) / root;
    if (in_ball < task.mean_norm) {
      consider(d * std::log(task.mean_norm / (2 * in_ball)),
               clip_probability_up(task.dimension, 0, factor * std::sqrt(d)));
    }
  }
  if (task.mean_norm > 0) {
    consider(std::log(2.0), clip_probability_up(1, 0, task.mean_norm * root));
  }
  return greatest * (1 - 1e-9);
}

}  // namespace mollify
