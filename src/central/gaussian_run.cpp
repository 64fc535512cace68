#include "central/gaussian_run.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <boost/math/tools/minima.hpp>

#include "accounting/clip_probability.h"
#include "accounting/directed_rounding.h"
#include "accounting/lattice_error.h"
#include "accounting/lattice_gaussian.h"
#include "accounting/radial_total_variation.h"
#include "accounting/record_rounding.h"

namespace mollify {
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

/// The least epsilon with delta at most that of the budget: within 2^-20 of it, and at most the
/// budget's.
double least_epsilon(double variance, double sensitivity, std::size_t dimension,
                     const Privacy& budget) {
  const auto serves = [&](double epsilon) {
    return delta_with_room(variance, sensitivity, dimension, epsilon) <= budget.delta;
  };
  double low = 0, high = budget.epsilon;
  if (serves(low)) return low;
  for (int i = 0; i < 40 && high - low > high * 0x1p-20; ++i) {
    const double middle = (low + high) / 2;
    (serves(middle) ? high : low) = middle;
  }
  return high;
}

double step_of(const GaussianDesign& design) { return std::ldexp(1, design.step_exponent); }

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

/// One at which it is not: below, nothing is promised.
double scant_radius(const GaussianDesign& design) {
  return clip_radius_up(records_of(design), design.run_records, 0.5);
}

/// Rounding a record to the lattice moves it by at most that.
double half_diagonal(const GaussianDesign& design) {
  return std::sqrt(static_cast<double>(design.request.dimension)) / 2;
}

/// Sets L to serve the radius B with a given step, and B to what L serves for certain.
void set_radius(GaussianDesign& design, double radius) {
  design.lattice_radius = static_cast<std::uint64_t>(
      std::clamp(std::ceil(radius / step_of(design) + half_diagonal(design)), 1.0, 0x1p40));
}
void settle_clip(GaussianDesign& design) {
  const double cells = static_cast<double>(design.lattice_radius) - half_diagonal(design);
  design.clip_radius = std::max(0.0, step_of(design) * cells * (1 - 0x1p-50));
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

bool design_pure_run(GaussianDesign& design) {
  const double epsilon = design.request.budget.epsilon;
  const auto n = static_cast<double>(design.run_records);
  const auto d = static_cast<double>(design.request.dimension);
  if (design.run_records < 2) return false;
  design.weights = {design.run_records, 0, design.run_records};

  // Where the noise alone has all the variance; the paper adds its own to it.
  const double greatest_scale =
      design.request.paper_variance ? 1 : std::sqrt((1 - 1 / n) / (d + 1)) * (1 - 1e-9);
  const double greatest = std::min(epsilon * n / 2 * greatest_scale, ample_radius(design));
  const double least = scant_radius(design);
  if (!(greatest > least)) return false;
  const double radius = best_radius(least, greatest, 12, [&](double b) {
    return clip_error_up(design, b) + laplace_shape_up(design, 2 * b / (epsilon * n));
  });

  const double cells = std::floor(
      std::min({std::max(0x1p30, 0x1p6 * radius), 0x1p40, 0x1p37 * epsilon, kGreatestSum / n}));
  if (cells < 4 * half_diagonal(design)) return false;
  design.step_exponent = static_cast<int>(std::ceil(std::log2(radius / (cells / 2)))) - 1;
  set_radius(design, radius);
  design.noise = Ratio::at_least("the scale of the noise", div_up(sensitivity_of(design), epsilon));
  return settle_run(design);
}

bool settle_pure_run(GaussianDesign& design) {
  const auto n = static_cast<double>(design.run_records);
  const auto d = static_cast<double>(design.request.dimension);
  const double scale = noise_of(design);
  const double cell = step_of(design) / n;
  const double scale_of_mean = scale * cell;
  const double taken = design.request.paper_variance ? 0 : (d + 1) * scale_of_mean * scale_of_mean;
  design.public_variance = 1 - 1 / n - taken;
  if (!(design.public_variance > 0)) return false;

  const double deviation = std::sqrt(design.public_variance);
  design.total_variation.shape = std::min(1.0, laplace_shape_up(design, scale_of_mean));
  const std::size_t dimension = design.request.dimension;
  design.total_variation.lattice =
      std::min(1.0, add_up(record_rounding_error_up(dimension, 1 / n, step_of(design), deviation),
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
  for (int i = 0; i < 60 && high - low > high * 1e-13; ++i) {
    const double middle = (low + high) / 2;
    (serves(middle) ? low : high) = middle;
  }
  return low;
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
  const double cell = step_of(design) / n;
  const double wanted = 1 - 1 / n;
  double sigma = std::sqrt(wanted) / cell;
  if (sigma <= std::ldexp(1, kSigmaBits)) {
    // n (n - 1) / g^2 cells.
    design.noise = Ratio::at_least("the variance of the noise",
                                   std::ldexp(n * (n - 1), -2 * design.step_exponent));
  } else {
    sigma = std::ldexp(1, kSigmaBits - 1);
    design.noise = Ratio::at_least("the variance of the noise", sigma * sigma);
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
  const double cell = step_of(design) / n;
  const double wanted = 1 - 1 / n;
  const double sigma = std::sqrt(noise_of(design));
  // Noise of the lattice is all that is missing, or less than a quarter of it.
  const double taken = noise_of(design) * cell * cell;
  design.public_variance = taken < wanted / 2 ? wanted - taken : 0;
  if (design.public_variance == 0 && std::abs(taken - wanted) > wanted * 0x1p-40) return false;

  // The variances are right but for the rounding of doubles.
  design.total_variation.shape = static_cast<double>(d) * 0x1p-48;
  const double noise =
      design.public_variance > 0
          ? smoothed_gaussian_error_up(d, sigma, std::sqrt(design.public_variance) / cell)
          : lattice_gaussian_error_up(d, sigma * sigma, 0);
  design.total_variation.lattice = std::min(
      1.0, add_up(record_rounding_error_up(d, 1 / n, step_of(design), std::sqrt(wanted)), noise));
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
    design.noise = Ratio::at_least("the variance of the noise", variance);
    if (is_within(run_guarantee(design), design.request.budget)) break;
  }
  return is_within(run_guarantee(design), design.request.budget) && settle_run(design);
}

bool settle_weighted_run(GaussianDesign& design) {
  const std::size_t d = design.request.dimension;
  const auto divisor = static_cast<double>(design.weights.divisor);
  const double squares = static_cast<double>(design.run_records) / (divisor * divisor);
  const double variance = noise_of(design);
  const double deviation = std::sqrt(variance) * step_of(design) / divisor;
  design.public_variance = 0;
  design.total_variation.shape =
      covariance_shape_up(d, squares, deviation * deviation, design.request.covariance_bound);
  design.total_variation.lattice =
      std::min(1.0, add_up(record_rounding_error_up(d, squares, step_of(design), deviation),
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
  return bounded ? settle_weighted_run(design) : settle_known_run(design);
}

/// All but the centre, for a mean within mean_radius; whether there is such a design.
bool design_run(GaussianDesign& design) {
  const GaussianRequest& request = design.request;
  const bool serves = request.budget.notion == Notion::kPure ? design_pure_run(design)
                      : request.covariance_bound > 1         ? design_bounded_run(design)
                                                             : design_known_run(design);
  if (!serves) return false;
  design.guarantee = run_guarantee(design);
  if (design.centre) design.guarantee = weaker(design.guarantee, design.centre->guarantee);
  return design.total_variation_up() < 1;
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
    default:
      break;
  }
  const std::size_t d = design.request.dimension;
  const double epsilon = least_epsilon(noise, sensitivity, d, budget);
  return Privacy::approximate(epsilon, delta_with_room(noise, sensitivity, d, epsilon));
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
      return lattice_gaussian_delta_up(noise, sensitivity, design.request.dimension,
                                       said.epsilon) <= said.delta;
    default:
      return false;
  }
}

bool is_within(const Privacy& guarantee, const Privacy& budget) {
  if (guarantee.notion != budget.notion) return false;
  if (budget.notion == Notion::kConcentrated) return guarantee.rho <= budget.rho;
  return guarantee.epsilon <= budget.epsilon && guarantee.delta <= budget.delta;
}

}  // namespace mollify
