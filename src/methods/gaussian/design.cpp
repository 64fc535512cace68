#include "methods/gaussian/design.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <boost/math/tools/minima.hpp>
#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/lattice.h"
#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "kernel/clipped_sums.h"
#include "methods/gaussian/sampler.h"
#include "methods/gaussian/tested.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From the records of one run to its clipping, its lattice and its noise.

namespace {

using Notion = Privacy::Notion;

/// The lattice is finer than the records' deviations by this much at least, where that can be.
constexpr int kCoarsestStep = -4;
/// Deviations of discrete Gaussian noise in cells: as many as its variance of at most 2^60 allows,
/// with room for rounding.
constexpr int kSigmaBits = 29;
/// Sums of n clipped records of a Gaussian must not leave 64 bits.
constexpr double kGreatestSum = 0x1p61;

double ratio_down(Ratio ratio) {
  return div_down(integer_down(ratio.numerator), integer_up(ratio.denominator));
}

/// 2 L, exactly.
double sensitivity_of(const GaussianDesign& design) {
  return static_cast<double>(2 * design.lattice_radius);
}

/// A delta that any machine finds to be kept.
double delta_with_room(double variance, double sensitivity, std::size_t dimension, double epsilon) {
  return div_up(lattice_gaussian_delta_up(variance, sensitivity, dimension, epsilon),
                kRoomForRounding);
}

/// The least epsilon that serves: within 2^-20 of it, and at most the budget's.
double least_epsilon(const Privacy& budget, const std::function<bool(double)>& serves) {
  if (serves(0)) return 0;
  return halve({.serves = budget.epsilon, .fails = 0}, {.most = 40, .share = 0x1p-20}, serves)
      .serves;
}

/// The records of a run, around the point that they are clipped around.
WhitenedRecords records_of(const GaussianDesign& design) {
  return {design.request.dimension, design.mean_radius, design.request.covariance_bound};
}

/// The probability that any record of a run is further from that point.
double clip_error_up(const GaussianDesign& design, double radius) {
  return any_clip_probability_up(records_of(design), design.run_records, radius);
}

/// A radius at which clipping is negligible.
double ample_radius(const GaussianDesign& design) {
  return clip_radius_up(records_of(design), design.run_records, kNegligibleClipping);
}

/// One at which it is not: below, clipping alone takes more than `most`, and from 0.5 on nothing is
/// promised.
double scant_radius(const GaussianDesign& design, double most = 1) {
  return clip_radius_up(records_of(design), design.run_records, std::min(most, 0.5));
}

/// Rounding a record to the lattice moves it by at most that.
double half_diagonal(const GaussianDesign& design) {
  return std::sqrt(static_cast<double>(design.request.dimension)) / 2;
}

/// Sets L for the radius B with a given step, and B to the radius that L certainly covers.
void set_radius(GaussianDesign& design, double radius) {
  design.lattice_radius = static_cast<std::uint64_t>(
      std::clamp(std::ceil(radius / design.step() + half_diagonal(design)), 1.0, 0x1p40));
}
void settle_clip(GaussianDesign& design) {
  const double cells = static_cast<double>(design.lattice_radius) - half_diagonal(design);
  design.clip_radius = std::max(0.0, design.step() * cells * (1 - 0x1p-50));
  design.total_variation.clip =
      design.clip_radius > 0 ? clip_error_up(design, design.clip_radius) : 1;
}

/// The noise's scale or variance, in cells.
double noise_of(const GaussianDesign& design) {
  return static_cast<double>(design.noise.numerator) /
         static_cast<double>(design.noise.denominator);
}

/// The radius between `least` and `greatest` with about the least total, to `bits` digits.
double best_radius(double least, double greatest, int bits,
                   const std::function<double(double)>& total) {
  const auto logarithm = [&](double log_radius) {
    return std::log(std::max(total(std::exp(log_radius)), 1e-300));
  };
  std::uintmax_t most = 40;
  return std::exp(boost::math::tools::brent_find_minima(logarithm, std::log(least),
                                                        std::log(greatest), bits, most)
                      .first);
}

// Pure.

double laplace_shape_up(const GaussianDesign& design, double scale_of_mean) {
  const std::size_t d = design.request.dimension;
  // The public variance is a double: a relative error of 2^-52 in each of d variances.
  const double rounding = static_cast<double>(d) * 0x1p-48;
  if (design.request.paper_variance) {
    return gaussian_laplace_total_variation(d, scale_of_mean, 1) + rounding;
  }
  return moment_matched_total_variation(d, scale_of_mean) + rounding;
}

bool design_pure_run(GaussianDesign& design, double most) {
  const double epsilon = design.request.budget.epsilon;
  const auto n = static_cast<double>(design.run_records);
  const auto d = static_cast<double>(design.request.dimension);
  if (design.run_records < 2) return false;
  design.weights = {design.run_records, 0, design.run_records};

  // The place where the noise alone has all the variance, with room for the lattice's rounding; the
  // paper adds its own variance to it.
  const double fewest_cells = std::min({0x1p30, 0x1p37 * epsilon, kGreatestSum / n});
  const double room = std::max(1e-9, 8 * (half_diagonal(design) + 1) / fewest_cells);
  if (room > 0.5) return false;
  const double greatest_scale =
      design.request.paper_variance ? 1 : std::sqrt((1 - 1 / n) / (d + 1)) * (1 - room);
  const double greatest = std::min(epsilon * n / 2 * greatest_scale, ample_radius(design));
  const double least = scant_radius(design, most);
  if (!(greatest > least)) return false;
  const auto shape = [&](double b) { return laplace_shape_up(design, 2 * b / (epsilon * n)); };
  // A wider radius needs more noise, so this is the least that noise takes.
  if (most < 1 && shape(least) > most) return false;
  // If a radius within `most` is enough, the search has ended once it has seen one that stays so on
  // the lattice.
  std::optional<double> enough;
  double radius = best_radius(least, greatest, 12, [&](double b) {
    if (enough) return std::abs(std::log(b / *enough));
    const double total = clip_error_up(design, b) + shape(b);
    if (most < 1 && total <= 0.99 * most) enough = b;
    return total;
  });
  if (enough) radius = *enough;

  const double cells = std::floor(
      std::min({std::max(0x1p30, 0x1p6 * radius), 0x1p40, 0x1p37 * epsilon, kGreatestSum / n}));
  if (cells < 4 * half_diagonal(design)) return false;
  design.step_exponent = static_cast<int>(std::ceil(std::log2(radius / (cells / 2)))) - 1;
  set_radius(design, radius);
  design.noise =
      Ratio::at_least({"the scale of the noise", "scale"}, div_up(sensitivity_of(design), epsilon));
  return settle_run(design);
}

bool settle_pure_run(GaussianDesign& design) {
  const auto n = static_cast<double>(design.run_records);
  const auto d = static_cast<double>(design.request.dimension);
  const double scale = noise_of(design);
  const double cell = design.step() / n;
  const double scale_of_mean = scale * cell;
  const double taken = design.request.paper_variance ? 0 : (d + 1) * scale_of_mean * scale_of_mean;
  design.public_variance = 1 - 1 / n - taken;
  if (!(design.public_variance > 0)) return false;

  const double deviation = std::sqrt(design.public_variance);
  design.total_variation.shape = std::min(1.0, laplace_shape_up(design, scale_of_mean));
  const std::size_t dimension = design.request.dimension;
  design.total_variation.lattice =
      std::min(1.0, add_up(record_rounding_error_up(dimension, 1 / n, design.step(), deviation),
                           lattice_laplace_error_up(dimension, scale, deviation / cell, 0)));
  return true;
}

// Gaussian noise.

/// How large the sensitivity may be for noise of deviation 1 (2^29 cells): sqrt(2 rho), or what the
/// analytic Gaussian allows.
double sensitivity_share(const GaussianRequest& request) {
  const Privacy& budget = request.budget;
  if (budget.notion == Notion::kConcentrated) return std::sqrt(2 * budget.rho);
  const double sigma = std::ldexp(1, kSigmaBits);
  const auto serves = [&](double share) {
    return delta_with_room(sigma * sigma, sigma * share, request.dimension, budget.epsilon) <=
           budget.delta;
  };
  double low = 0, high = 1e-12;
  while (high < 1000 && serves(high)) {
    low = high;
    high *= 2;
  }
  return halve({.serves = low, .fails = high}, {.most = 60, .share = 1e-13}, serves).serves;
}

/// Total variation between y + N(0, t^2 I), y discrete Gaussian of deviation sigma on Z^d, and N(0,
/// (sigma^2 + t^2) I). For one coordinate the density at x is that of N(0, sigma^2 + t^2) times the
/// sum over z of the density of N(c, w^2), w^2 = sigma^2 t^2 / (sigma^2 + t^2), over the sum of
/// that of N(0, sigma^2): both are 1 within the ripple at w^2, which is below 1/4 for w >= 1.
double smoothed_gaussian_error_up(std::size_t dimension, double sigma, double deviation) {
  const double narrow = 1 / (1 / (sigma * sigma) + 1 / (deviation * deviation));
  if (!(narrow >= 1)) return 1;
  const double ripple = lattice_ripple_up(narrow * (1 - 0x1p-40));
  return std::min(1.0, std::expm1(3 * static_cast<double>(dimension) * ripple));
}

/// Lowers L until the integers keep the budget, which rounding may have passed by a little.
bool lower_radius_to_budget(GaussianDesign& design) {
  for (int i = 0; i < 100 && design.lattice_radius > 0; ++i) {
    if (is_within(run_guarantee(design), design.request.budget)) return true;
    design.lattice_radius -= 1 + (design.lattice_radius >> 40);
  }
  return false;
}

/// Covariance known: all variance of the mean that is missing to I is noise, private as far as the
/// kernel can draw it. B is as large as the budget allows and clipping needs.
bool design_known_run(GaussianDesign& design) {
  const std::uint64_t count = design.run_records;
  const auto n = static_cast<double>(count);
  if (count < 2) return false;
  design.weights = {count, 0, count};
  design.step_exponent =
      std::min(static_cast<int>(std::ceil(std::log2(n))) - kSigmaBits, kCoarsestStep);
  const double cell = design.step() / n;
  const double wanted = 1 - 1 / n;
  double sigma = std::sqrt(wanted) / cell;
  if (sigma <= std::ldexp(1, kSigmaBits)) {
    // n (n - 1) / g^2 cells.
    design.noise = Ratio::at_least({"the variance of the noise", "variance"},
                                   std::ldexp(n * (n - 1), -2 * design.step_exponent));
  } else {
    sigma = std::ldexp(1, kSigmaBits - 1);
    design.noise = Ratio::at_least({"the variance of the noise", "variance"}, sigma * sigma);
  }

  const double most = std::floor(sensitivity_share(design.request) * sigma / 2);
  set_radius(design, ample_radius(design));
  if (!(static_cast<double>(design.lattice_radius) <= most)) {
    design.lattice_radius = static_cast<std::uint64_t>(most);
  }
  return lower_radius_to_budget(design) && settle_run(design);
}

bool settle_known_run(GaussianDesign& design) {
  const std::size_t d = design.request.dimension;
  const auto n = static_cast<double>(design.run_records);
  const double cell = design.step() / n;
  const double wanted = 1 - 1 / n;
  const double sigma = std::sqrt(noise_of(design));
  // Noise of the lattice is all that is missing, or less than a quarter of it.
  const double taken = noise_of(design) * cell * cell;
  design.public_variance = taken < wanted / 2 ? wanted - taken : 0;
  if (design.public_variance == 0 && std::abs(taken - wanted) > wanted * 0x1p-40) return false;

  // The variances are right except for the rounding of doubles.
  design.total_variation.shape = static_cast<double>(d) * 0x1p-48;
  const double noise =
      design.public_variance > 0
          ? smoothed_gaussian_error_up(d, sigma, std::sqrt(design.public_variance) / cell)
          : lattice_gaussian_error_up(d, sigma * sigma, 0);
  design.total_variation.lattice = std::min(
      1.0, add_up(record_rounding_error_up(d, 1 / n, design.step(), std::sqrt(wanted)), noise));
  return true;
}

/// Weights 1/D and -1/D whose squares sum to at most `squares`, over as many of the records as
/// allow it and have the parity of D.
std::optional<GaussianWeights> signed_weights(std::uint64_t records, std::uint64_t divisor,
                                              double squares) {
  const auto d = static_cast<double>(divisor);
  std::uint64_t used = std::min(records, static_cast<std::uint64_t>(squares * d * d * (1 + 1e-12)));
  if ((used + divisor) % 2 != 0) --used;
  if (used <= divisor) return std::nullopt;
  return GaussianWeights{(used + divisor) / 2, (used - divisor) / 2, divisor};
}

/// Total variation between N(0, A Sigma + s^2 I) and N(0, Sigma) for I <= Sigma <= K I.
///
/// In the eigenvectors of Sigma the variances have ratios from A + s^2/K to A + s^2. KL divergence
/// is half the sum of r - 1 - ln r, which is convex; Pinsker. The other bound, for A <= 1:
/// N(0, A Sigma + s^2 I) is within TV(N(0, A I), N(0, I)) of N(0, Sigma + s^2 I), and that, as
/// N(0, Sigma - I) is added to both, within TV(N(0, (1 + s^2) I), N(0, I)) of N(0, Sigma).
double covariance_shape_up(std::size_t dimension, double squares, double noise, double bound) {
  const auto d = static_cast<double>(dimension);
  const auto divergence = [](double ratio) { return ratio - 1 - std::log(ratio); };
  const double ends = std::max(divergence(squares + noise), divergence(squares + noise / bound));
  const double pinsker = std::sqrt(d * std::max(0.0, ends)) / 2 * (1 + 0x1p-40);
  const double steps = scaled_gaussian_total_variation(dimension, 1 + noise) +
                       scaled_gaussian_total_variation(dimension, squares);
  return std::min({1.0, pinsker + d * 0x1p-26, steps + d * 0x1p-48});
}

/// Covariance between I and K I, with weights whose squares make about `wanted_squares` of it: the
/// noise, as small as the budget allows, comes on top.
bool design_weighted_run(GaussianDesign& design, double share, double radius,
                         std::uint64_t wanted_divisor, double wanted_squares) {
  const std::optional<GaussianWeights> weights =
      signed_weights(design.run_records, wanted_divisor, wanted_squares);
  if (!weights) return false;
  design.weights = *weights;
  design.run_records = weights->plus_records + weights->minus_records;
  const auto divisor = static_cast<double>(weights->divisor);

  // Sigma is at most 2^29 cells, and sums of records stay within 64 bits.
  const double cells =
      std::floor(std::min({share * std::ldexp(1, kSigmaBits) / 2, kGreatestSum / divisor, 0x1p40}));
  if (cells < 4 * half_diagonal(design)) return false;
  design.step_exponent =
      static_cast<int>(std::ceil(std::log2(radius / (cells - half_diagonal(design) - 1))));
  set_radius(design, radius);
  const double sigma = sensitivity_of(design) / share;
  double variance = sigma * sigma;
  for (int i = 0; i < 20; ++i) {  // beyond what rounding can be off
    variance *= 1 + std::ldexp(1, i - 45);
    design.noise = Ratio::at_least({"the variance of the noise", "variance"}, variance);
    if (is_within(run_guarantee(design), design.request.budget)) break;
  }
  return is_within(run_guarantee(design), design.request.budget) && settle_run(design);
}

bool settle_weighted_run(GaussianDesign& design) {
  const std::size_t d = design.request.dimension;
  const auto divisor = static_cast<double>(design.weights.divisor);
  const double squares = static_cast<double>(design.run_records) / (divisor * divisor);
  const double variance = noise_of(design);
  const double deviation = std::sqrt(variance) * design.step() / divisor;
  design.public_variance = 0;
  design.total_variation.shape =
      covariance_shape_up(d, squares, deviation * deviation, design.request.covariance_bound);
  design.total_variation.lattice =
      std::min(1.0, add_up(record_rounding_error_up(d, squares, design.step(), deviation),
                           lattice_gaussian_error_up(d, variance, 0)));
  return true;
}

/// First squares that sum to 1, as in the papers; then, knowing about how large the noise s^2 is,
/// less by (1 + 1/K) s^2 / 2, so that it is as much too little for the greatest covariance as it is
/// too much for the least [ours]. D = sqrt(n / squares) is an integer, rounded up (all records are
/// used, and squares fall short by up to 2/sqrt(n)) or down (about 2 sqrt(n) records are not used):
/// 1/D is about the papers' greatest weight, 1/n + 1/sqrt(n), or less.
bool design_bounded_run(GaussianDesign& design) {
  const double share = sensitivity_share(design.request);
  if (!(share > 0)) return false;
  const double bound = design.request.covariance_bound;
  const auto n = static_cast<double>(design.run_records);
  const double least = scant_radius(design), greatest = ample_radius(design);
  // s^2 = A (2 B / share)^2 / (records used) and A = 1 - (1 + 1/K) s^2 / 2.
  const auto balanced = [&](double radius, double used) {
    const double deviation = 2 * radius / share;
    return 1 / (1 + (1 + 1 / bound) / 2 * deviation * deviation / used);
  };
  std::optional<GaussianDesign> best;
  double squares = 1;
  for (const bool is_balanced : {false, true}) {
    // The least total is flat around its place: few digits of the radius do.
    const double radius = best_radius(least, greatest, 7, [&](double b) {
      const double deviation = 2 * b / (share * std::sqrt(n / squares));
      return clip_error_up(design, b) +
             covariance_shape_up(design.request.dimension, squares, deviation * deviation, bound);
    });
    if (is_balanced) squares = balanced(radius, n);
    const double root = std::sqrt(n / squares);
    for (const double divisor : {std::floor(root), std::ceil(root)}) {
      double wanted = squares;
      for (int i = 0; is_balanced && i < 2; ++i) {  // whole records of one parity: up to 2 fewer
        wanted = balanced(radius, std::max(1.0, std::min(n, wanted * divisor * divisor) - 2));
      }
      GaussianDesign next = design;
      if (design_weighted_run(next, share, radius, static_cast<std::uint64_t>(divisor), wanted) &&
          (!best || next.total_variation_up() < best->total_variation_up())) {
        best = std::move(next);
      }
    }
    squares = balanced(radius, n);
  }
  if (!best) return false;
  design = *std::move(best);
  return true;
}

}  // namespace

Privacy weaker(const Privacy& a, const Privacy& b) {
  return Privacy::of(a.notion, std::max(a.parameter(), b.parameter()), std::max(a.delta, b.delta));
}

bool settle_run(GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  const GaussianWeights& weights = design.weights;
  const bool bounded = request.covariance_bound > 1;
  const bool sums_fit =
      static_cast<double>(weights.divisor) * static_cast<double>(design.lattice_radius) <=
      kGreatestSum;
  if (design.run_records < 2 || !sums_fit || (!bounded && weights.minus_records > 0)) return false;
  settle_clip(design);
  if (request.budget.notion == Notion::kPure) return settle_pure_run(design);
  if (design.threshold > 0) return bounded && settle_tested_run(design);
  return bounded ? settle_weighted_run(design) : settle_known_run(design);
}

namespace {

/// The better of two ways.
bool design_run_of_bounded_covariance(GaussianDesign& design) {
  GaussianDesign tested = design;
  const bool passes = design.request.budget.notion == Notion::kApproximate &&
                      design_tested_run(tested) && settle_run(tested);
  const bool serves = design_bounded_run(design);
  if (passes && (!serves || tested.total_variation_up() < design.total_variation_up())) {
    design = std::move(tested);
  }
  return passes || serves;
}

}  // namespace

/// All but the centre, for a mean within mean_radius; whether there is such a design.
bool design_run(GaussianDesign& design, double most) {
  const GaussianRequest& request = design.request;
  const bool serves =
      request.budget.notion == Notion::kPure
          ? design_pure_run(design, most < 1 ? most - design.total_variation.centre : 1)
      : request.covariance_bound > 1 ? design_run_of_bounded_covariance(design)
                                     : design_known_run(design);
  if (!serves) return false;
  design.guarantee = run_guarantee(design);
  if (design.centre) design.guarantee = weaker(design.guarantee, design.centre->guarantee);
  const double left = design.total_variation_up();
  return most < 1 ? left <= most : left < 1;
}

Privacy run_guarantee(const GaussianDesign& design) {
  const double sensitivity = sensitivity_of(design);
  const double noise = ratio_down(design.noise);
  const Privacy& budget = design.request.budget;
  switch (budget.notion) {
    case Notion::kPure:
      return Privacy::pure(div_up(sensitivity, noise));
    case Notion::kConcentrated:
      return Privacy::concentrated(lattice_gaussian_rho_up(noise, sensitivity));
    case Notion::kApproximate:
    case Notion::kGaussian:
      break;
  }
  if (design.threshold > 0) {
    const auto keeps = [&](double epsilon) {
      return tested_run_keeps(tested_run(design), epsilon, budget.delta * kRoomForRounding);
    };
    const double epsilon = least_epsilon(budget, keeps);
    return Privacy::approximate(epsilon, keeps(epsilon) ? budget.delta : 1);
  }
  const auto delta = [&](double epsilon) {
    return delta_with_room(noise, sensitivity, design.request.dimension, epsilon);
  };
  const double epsilon =
      least_epsilon(budget, [&](double wanted) { return delta(wanted) <= budget.delta; });
  return Privacy::approximate(epsilon, delta(epsilon));
}

bool run_keeps(const GaussianDesign& design, const Privacy& said) {
  const double sensitivity = sensitivity_of(design);
  const double noise = ratio_down(design.noise);
  switch (said.notion) {
    case Notion::kPure:
      return div_up(sensitivity, noise) <= said.epsilon;
    case Notion::kConcentrated:
      return lattice_gaussian_rho_up(noise, sensitivity) <= said.rho;
    case Notion::kApproximate:
      if (design.threshold > 0) {
        return tested_run_keeps(tested_run(design), said.epsilon, said.delta);
      }
      return lattice_gaussian_delta_up(noise, sensitivity, design.request.dimension,
                                       said.epsilon) <= said.delta;
    case Notion::kGaussian:
      break;
  }
  return false;
}

bool is_within(const Privacy& guarantee, const Privacy& budget) {
  if (guarantee.notion != budget.notion) return false;
  if (budget.notion == Notion::kConcentrated) return guarantee.rho <= budget.rho;
  return guarantee.epsilon <= budget.epsilon && guarantee.delta <= budget.delta;
}

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a Gaussian sampler.

namespace {

constexpr std::uint64_t kMostGaussianRecords = std::uint64_t{1} << 39;
constexpr double kGreatestEpsilon = 100, kGreatestRho = 1000;

void validate(const GaussianRequest& request) {
  require_between({"the number of outputs", "count", "records"}, request.outputs, 1,
                  kMostGaussianOutputs);
  require_between({"the number of records", "n", "records"}, request.records, 1,
                  kMostGaussianRecords);
  require_between({"the number of dimensions", "dimension"}, request.dimension, 1,
                  kMostGaussianDimensions);
  const Privacy& budget = request.budget;
  require_central_budget(budget);
  if (budget.notion == Notion::kConcentrated) {
    require_between({parameter_name_of("rho"), "rho"}, budget.rho, 1e-12, kGreatestRho);
  } else {
    require_between({parameter_name_of("epsilon"), "epsilon"}, budget.epsilon, 1e-6,
                    kGreatestEpsilon);
    if (budget.delta != 0)
      require_between({parameter_name_of("delta"), "delta"}, budget.delta, 1e-100, 0.5);
  }
  require_between({flag_words("covariance-bound"), "covariance-bound"}, request.covariance_bound, 1,
                  1e6);
  const bool is_pure = budget.notion == Notion::kPure;
  if (request.covariance_bound > 1 && is_pure) {
    throw InvalidInput(
        "not-for-this-budget",
        fmt::format("a covariance that is only bounded does not work under pure epsilon: give {}, "
                    "or {} with {}, or {} itself",
                    flag_words("rho"), flag_words("delta"), flag_words("epsilon"),
                    flag_words("covariance")),
        "covariance-bound", {WayOut::set("rho"), WayOut::set("delta"), WayOut::set("covariance")});
  }
  if (request.paper_variance && !is_pure) {
    throw InvalidInput(
        "not-for-this-budget",
        "the paper's variance works under pure epsilon alone: leave it out, or give epsilon alone",
        "paper-variance", {WayOut::leave("paper-variance"), WayOut::set("epsilon")});
  }
  if (request.mean_bound) {
    if (!request.ranges.empty()) {
      throw InvalidInput("contradicting-parameters",
                         "the mean has either a bound or ranges, but both are given", "mean-bound",
                         {WayOut::leave("mean-bound"), WayOut::leave("mean-range")});
    }
    require_between({flag_words("mean-bound"), "mean-bound", "deviations"}, *request.mean_bound, 0,
                    1e6);
  } else if (request.ranges.empty() && budget.delta == 0) {
    refuse_input("missing-parameter", "mean-bound",
                 {WayOut::set("mean-bound"), WayOut::set("mean-range"), WayOut::set("delta")},
                 "without {0} the mean needs a bound on its norm, or a range for each coordinate: "
                 "give {1}, {2} or {0}",
                 flag_words("delta"), flag_words("mean-bound"), flag_words("mean-range"));
  }
}

// Centre.

std::optional<CentreDesign> centre_of(const GaussianRequest& request, std::uint64_t records,
                                      double failure) {
  try {
    return find_centre_design(centre_request(request, records, failure));
  } catch (const InvalidInput&) {
    return std::nullopt;  // of no such range
  }
}

/// Whether runs of this many records are enough for a known mean: no centre makes it easier.
bool serves_without_centre(const GaussianRequest& request, std::uint64_t each, double most) {
  GaussianDesign design;
  design.request = request;
  design.run_records = each;
  return design_run(design, most);
}

/// The best of some sizes of the centre's part and probabilities that it fails, or with `most`
/// below 1 the first that is within it.
std::optional<GaussianDesign> best_with_centre(const GaussianRequest& request, double most) {
  std::optional<GaussianDesign> best;
  std::vector<std::uint64_t> parts;
  for (const std::uint64_t part : {32U, 8U, 4U, 2U}) {
    const std::uint64_t wanted = request.records / part;
    const std::uint64_t each = (request.records - wanted) / request.outputs;
    if (wanted < 1 || each < 2) continue;
    if (most == 1 || serves_without_centre(request, each, most)) parts.push_back(part);
  }
  for (const double failure : {1e-9, 1e-5, 1e-3, 1e-2}) {
    if (best && (most < 1 || best->total_variation_up() <= 2 * failure)) break;
    for (const std::uint64_t part : parts) {
      const std::uint64_t each = (request.records - request.records / part) / request.outputs;
      GaussianDesign design;
      design.request = request;
      // The runs' remainder is the centre's too.
      design.centre = centre_of(request, request.records - each * request.outputs, failure);
      if (!design.centre) continue;
      design.run_records = each;
      design.mean_radius = design.centre->radius;
      design.total_variation.centre = design.centre->failure_up;
      if (design_run(design, most) &&
          (!best || design.total_variation_up() < best->total_variation_up())) {
        best = std::move(design);
      }
    }
  }
  return best;
}

/// The best under this budget, with the mean where the request says; with `most` below 1 any that
/// is within it.
std::optional<GaussianDesign> best_as_asked(const GaussianRequest& request, double most = 1) {
  if (!request.mean_bound) return best_with_centre(request, most);
  GaussianDesign design;
  design.request = request;
  design.run_records = request.records / request.outputs;
  design.mean_radius = *request.mean_bound;
  if (design.run_records == 0 || !design_run(design, most)) return std::nullopt;
  return design;
}

/// Requests that may be better than the given one, and keep its promise: with delta a centre can be
/// found without ranges, and noise of pure privacy, which needs no delta, distorts less where
/// records are few.
std::vector<GaussianRequest> other_ways(const GaussianRequest& request) {
  std::vector<GaussianRequest> ways;
  if (request.budget.delta == 0) return ways;
  if (!request.ranges.empty()) {
    ways.push_back(request);
    ways.back().ranges.clear();
  }
  if (request.covariance_bound == 1 && (request.mean_bound || !request.ranges.empty())) {
    ways.push_back(request);
    ways.back().budget = Privacy::pure(request.budget.epsilon);
  }
  return ways;
}

/// Noise of pure privacy spends all of epsilon, Gaussian noise often less: it must be worth that.
constexpr double kNoticeable = 1e-3;

bool is_better(const GaussianDesign& other, const GaussianDesign& one) {
  const bool spends_more = other.request.budget.notion != one.request.budget.notion;
  return other.total_variation_up() + (spends_more ? kNoticeable : 0) < one.total_variation_up();
}

/// Whether find_gaussian_design keeps each output within `most` of the data's law in total
/// variation. The best design costs a hundred times as much.
bool is_within(double most, const GaussianRequest& request) {
  if (best_as_asked(request, most)) return true;
  const double of_others = most - kNoticeable;  // then others are taken for certain
  const std::vector<GaussianRequest> others = other_ways(request);
  return std::any_of(others.begin(), others.end(), [&](const GaussianRequest& way) {
    return best_as_asked(way, of_others).has_value();
  });
}

/// n, or the next number of three digits and zeros.
std::uint64_t three_digits_up(std::uint64_t n) {
  std::uint64_t unit = 1;
  while (n / unit >= 1000) unit *= 10;
  return (n + unit - 1) / unit * unit;
}

/// The least n of three digits and zeros that is enough; none up to the limit. Total variation
/// falls with n except for small steps.
std::optional<std::uint64_t> least_records(GaussianRequest request, double most) {
  auto serves = [&, request](std::uint64_t n) mutable {
    request.records = n;
    return is_within(most, request);
  };
  std::uint64_t low = request.records;
  std::uint64_t high = three_digits_up(2 * low);
  for (; !serves(high); high = three_digits_up(2 * low)) {
    low = high;
    if (2 * low > kMostGaussianRecords) return std::nullopt;
  }
  for (;;) {
    std::uint64_t middle = three_digits_up(low + (high - low + 1) / 2);
    if (middle >= high) middle = three_digits_up(low + 1);
    if (middle >= high) return high;
    (serves(middle) ? high : low) = middle;
  }
}

/// An epsilon or rho that is enough, within a hundredth of the least; none up to the limit.
std::optional<double> least_budget(GaussianRequest request, double most) {
  const bool is_rho = request.budget.notion == Notion::kConcentrated;
  double& spent = is_rho ? request.budget.rho : request.budget.epsilon;
  const double limit = is_rho ? kGreatestRho : kGreatestEpsilon;
  const auto serves = [&](double budget) {
    spent = budget;
    return is_within(most, request);
  };
  const double refused = spent;
  if (!serves(limit)) return std::nullopt;
  const double least = halve_ratio({.serves = limit, .fails = refused}, 1.005, serves);
  // Three digits, upwards.
  const double unit = std::pow(10, std::floor(std::log10(least)) - 2);
  return std::min(limit, std::ceil(least / unit) * unit);
}

}  // namespace

std::string why_of(const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  std::string text = fmt::format(
      "each released record is made of {} of the table's, each cut to at most {:.4g} standard "
      "deviations from {}",
      design.run_records, design.clip_radius,
      design.centre ? "a centre that is found first" : "the middle of the declared ranges");
  if (request.budget.notion == Notion::kPure) {
    text +=
        request.paper_variance
            ? ", with Euclidean-Laplace noise on top of the paper's Gaussian variance"
            : ": a closer cut would distort more, a wider one need more noise; that noise is not "
              "Gaussian, and Gaussian noise beside it gives the record its full variance";
  } else if (design.threshold > 0) {
    text += fmt::format(
        ": a closer cut would distort more, a wider one need more records. These give the record "
        "their own mean and covariance, after a private test that they vary enough in every "
        "direction; it fails with probability {:.2g} at most, and then the record is a public draw",
        test_failure_up(design));
  } else if (request.covariance_bound > 1) {
    text += fmt::format(
        ": a closer cut would distort more, a wider one need more noise; {} of them are added, {} "
        "subtracted and the sum divided by {}, which gives it about a record's covariance, "
        "whatever that is",
        design.weights.plus_records, design.weights.minus_records, design.weights.divisor);
  } else if (design.total_variation.clip > kNegligibleClipping) {
    text +=
        ", as far as the budget allows; the noise is Gaussian with just the variance that is "
        "missing";
  } else {
    text +=
        ", where practically every record lies already, so less than the budget would do, though "
        "all of it counts; the noise is Gaussian with just the variance that is missing";
  }
  if (design.centre) {
    text += fmt::format("; {} other records find the centre", design.centre->request.records);
  }
  return text;
}

double GaussianDesign::total_variation_up() const {
  const auto& [clip, shape, lattice, off_centre] = total_variation;
  return std::min(1.0, add_up(add_up(clip, shape), add_up(lattice, off_centre)));
}

double GaussianDesign::strong_total_variation_up() const {
  const auto& [clip, shape, lattice, off_centre] = total_variation;
  const double each = add_up(add_up(clip, shape), lattice);
  return std::min(1.0, add_up(mul_up(integer_up(request.outputs), each), off_centre));
}

void check_gaussian_design(const GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  validate(request);
  const GaussianWeights& weights = design.weights;
  refuse_if(weights.minus_records >= weights.plus_records ||
                weights.divisor != weights.plus_records - weights.minus_records,
            "certificate-altered", {}, "{} records less {} are not {} times one",
            weights.plus_records, weights.minus_records, weights.divisor);
  refuse_if(design.lattice_radius < 1 || design.lattice_radius > ClippedSum::kGreatestRadius,
            "out-of-range", "radius",
            "the radius of clipping must be from 1 to 2^40 cells, but is {}",
            design.lattice_radius);
  refuse_if(std::abs(design.step_exponent) > 1000 || !(design.public_variance >= 0) ||
                !(design.public_variance <= 1),
            "certificate-altered", {},
            "the step or the public variance of a Gaussian design is out of range");
  const std::uint64_t of_centre = design.centre ? design.centre->request.records : 0;
  refuse_if(of_centre > request.records || weights.plus_records > design.run_records ||
                weights.plus_records + weights.minus_records != design.run_records ||
                design.run_records > (request.records - of_centre) / request.outputs,
            "too-few-records", "n",
            "{} runs on {} records each and a centre on {} do not fit into {} records",
            request.outputs, design.run_records, of_centre, request.records);
  if (design.centre && design.centre->request.dimension != request.dimension) {
    refuse_input("wrong-shape", {}, "the centre is of {} dimensions, but the design of {}",
                 design.centre->request.dimension, request.dimension);
  }
  if (design.centre) check_centre_design(*design.centre);
  if (design.threshold > 0) {
    check_tested_run(tested_run(design));
    if (request.budget.notion != Notion::kApproximate || weights.minus_records > 0) {
      throw InvalidInput("not-for-this-budget",
                         "a run is tested under epsilon and delta, and subtracts no records",
                         "epsilon", {WayOut::set("epsilon"), WayOut::set("delta")});
    }
  }
  const Privacy& said = design.guarantee;
  refuse_if(said.notion != request.budget.notion || !run_keeps(design, said) ||
                (design.centre && !is_within(design.centre->guarantee, said)),
            "certificate-altered", {},
            "the integers of the Gaussian design do not keep its guarantee");
}

std::optional<GaussianDesign> settled(GaussianDesign design) {
  if (design.centre) {
    if (!settle_centre(*design.centre)) return std::nullopt;
    design.mean_radius = design.centre->radius;
    design.total_variation.centre = design.centre->failure_up;
  } else {
    design.mean_radius = *design.request.mean_bound;
    design.total_variation.centre = 0;
  }
  if (!settle_run(design)) return std::nullopt;
  return design;
}

CentreRequest centre_request(const GaussianRequest& request, std::uint64_t records,
                             double failure) {
  return {.records = std::min(records, std::uint64_t{0xffff'ffff}),
          .dimension = request.dimension,
          .budget = request.budget,
          .ranges = request.ranges,
          .deviation = std::sqrt(request.covariance_bound) * (1 + 0x1p-50),
          .failure = failure};
}

std::optional<GaussianDesign> find_gaussian_design(const GaussianRequest& request) {
  validate(request);
  std::optional<GaussianDesign> best = best_as_asked(request);
  for (const GaussianRequest& way : other_ways(request)) {
    std::optional<GaussianDesign> other = best_as_asked(way);
    if (other && (!best || is_better(*other, *best))) best = std::move(other);
  }
  if (best) best->why = why_of(*best);
  return best;
}

std::optional<bool> has_gaussian_design_within(double most, const GaussianRequest& request) {
  validate(request);
  if (is_within(most, request)) return true;
  const std::vector<GaussianRequest> others = other_ways(request);
  const bool is_other = std::any_of(others.begin(), others.end(), [&](const GaussianRequest& way) {
    return best_as_asked(way, most).has_value();
  });
  return is_other ? std::nullopt : std::optional(false);
}

GaussianDesign design_gaussian(const GaussianRequest& request, double most) {
  if (std::optional<GaussianDesign> design = find_gaussian_design(request)) return *design;
  const double enough = std::min(most, 1 - 0x1p-30);
  const std::optional<std::uint64_t> records = least_records(request, enough);
  const std::optional<double> budget = least_budget(request, enough);
  if (!records && !request.mean_bound) {
    // The centre's fault then does not end with more records.
    static_cast<void>(design_centre(centre_request(request, kMostGaussianRecords, 1e-3)));
  }
  const char* spent = request.budget.notion == Notion::kConcentrated ? "rho" : "epsilon";
  std::string would_do = "no number of records up to 2^39 is enough";
  if (records) would_do = fmt::format("at least {} records", *records);
  if (budget) {
    would_do += records ? fmt::format(", or {} {:g},", spent, *budget)
                        : fmt::format(", but {} {:g} is", spent, *budget);
  }
  if (records) would_do += " are needed";
  if (most < 1 && (records || budget)) {
    would_do += fmt::format(" to be within {:g} in total variation", most);
  }
  std::vector<WayOut> ways;
  if (records) ways.push_back(WayOut::have("records", std::to_string(*records)));
  if (budget) ways.push_back(WayOut::set(spent, fmt::format("{:g}", *budget)));
  refuse_input("too-few-records", "n", std::move(ways), "{} {} for {}{} in {} dimension{}: {}",
               request.records, request.records == 1 ? "record is too few" : "records are too few",
               request.budget.text(),
               request.outputs > 1 ? fmt::format(" and {} outputs", request.outputs) : "",
               request.dimension, request.dimension > 1 ? "s" : "", would_do);
}

}  // namespace mollify
