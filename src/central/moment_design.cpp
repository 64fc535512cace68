#include "central/moment_design.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "accounting/adaptive_gaussian.h"
#include "accounting/directed_rounding.h"
#include "kernel/core/invalid_input.h"
#include "kernel/noise/clipped_moments.h"
#include "kernel/noise/discrete_gaussian.h"
#include "kernel/noise/euclidean_laplace.h"
#include "space/same_functions.h"

namespace mollify {
namespace {

constexpr std::uint64_t kMostMomentRecords = std::uint64_t{1} << 39;
constexpr std::size_t kMostMomentDimensions = 256;
constexpr std::size_t kMostPureDimensions = 43;
static_assert(ClippedMoments::entry_count(kMostPureDimensions) <=
              EuclideanLaplace::kGreatestDimension);

/// Three rounds find where the data lie, and the last one measures. Of what was tried on tables of
/// Gaussians and on public ones (docs/measured/gaussian-data.md) this served both wide ranges and
/// narrow ones; no data of a release decides any of it.
constexpr std::array<std::uint32_t, 4> kRoundParts = {5, 5, 6, 48};

/// The square of the sensitivity as a double not below it.
double square_sensitivity_up(const MomentDesign& design) {
  uint128 square = ClippedMoments::square_sensitivity(design.lattice_radius, design.offset);
  int halvings = 0;
  for (; square >> 53 != 0; ++halvings) square = (square + 1) >> 1;
  return std::ldexp(static_cast<double>(static_cast<std::uint64_t>(square)), halvings);
}

double moment_ratio_down(Ratio ratio) {
  return div_down(integer_down(ratio.numerator), integer_up(ratio.denominator));
}

/// The least noise for so many parts of the budget, and a trifle more, so that what it spends is
/// within them however it is rounded.
Ratio round_noise(const MomentDesign& design, std::uint32_t parts) {
  constexpr double kTrifle = 1 - 0x1p-40;
  const double part = design.amount * kTrifle * parts / MomentDesign::kParts;
  const double square = square_sensitivity_up(design);
  switch (design.request.budget.notion) {
    case PrivacyNotion::kPure:
      return Ratio::at_least("scale", div_up(sqrt_up(square), part));
    case PrivacyNotion::kConcentrated:
      return Ratio::at_least("variance", div_up(square, 2 * part));
    default:
      return Ratio::at_least("variance", add_up(div_up(square, part), kLatticePart));
  }
}

/// What a round's noise spends.
double round_spent_up(const MomentDesign& design, const MomentRound& round) {
  const double square = square_sensitivity_up(design);
  const double noise = moment_ratio_down(round.noise);
  switch (design.request.budget.notion) {
    case PrivacyNotion::kPure:
      return div_up(sqrt_up(square), noise);
    case PrivacyNotion::kConcentrated:
      return div_up(square, 2 * noise);
    default: {
      const double rest = -add_up(-noise, kLatticePart);
      return rest > 0 ? div_up(square, rest) : HUGE_VAL;
    }
  }
}

/// Whether the kernel draws it.
bool can_be_drawn(const MomentRequest& request, Ratio noise) {
  try {
    if (request.budget.notion == PrivacyNotion::kPure) {
      static_cast<void>(EuclideanLaplace(ClippedMoments::entry_count(request.dimension), noise));
    } else {
      static_cast<void>(DiscreteGaussian(noise));
    }
    return true;
  } catch (const InvalidInput&) {
    return false;
  }
}

void validate_moments(const MomentRequest& request) {
  const bool pure = request.budget.notion == PrivacyNotion::kPure;
  const std::size_t most = pure ? kMostPureDimensions : kMostMomentDimensions;
  if (request.dimension < 1 || request.dimension > most) {
    throw InvalidInput(fmt::format(
        "a shared Gaussian takes from 1 to {} columns{}, but there are {}", most,
        pure ? " under pure epsilon (256 with a delta or rho)" : "", request.dimension));
  }
  require_moment_records(request.records);
}

/// A radius that few rows of a Gaussian lie beyond: all but e^-t of them [Laurent, Massart 2000].
/// The more rows, the less noise, and the less of them may be cut.
double clip_radius_of(const MomentRequest& request) {
  const auto d = static_cast<double>(request.dimension);
  const double t = 0.5 * same_log(1 + static_cast<double>(request.records));
  return std::sqrt(d + 2 * std::sqrt(d * t) + 2 * t);
}

/// The finest lattice on which sums of n records stay below 2^62 and the kernel draws all noise.
bool find_lattice(MomentDesign& design) {
  const MomentRequest& request = design.request;
  for (std::uint64_t radius = ClippedMoments::kGreatestRadius; radius >= 4; radius /= 2) {
    // 7 n (L^2 + b^2) is above any entry.
    const std::uint64_t square = radius * radius + radius * radius / 4;
    if (square > (std::uint64_t{1} << 62U) / 7 / request.records) continue;
    design.lattice_radius = radius;
    design.offset = radius / 2;
    design.rounds.clear();
    bool drawn = true;
    for (const std::uint32_t parts : kRoundParts) {
      try {
        design.rounds.push_back({parts, round_noise(design, parts)});
      } catch (const InvalidInput&) {
        drawn = false;  // beyond every ratio
        break;
      }
      drawn = drawn && can_be_drawn(request, design.rounds.back().noise);
    }
    if (drawn) return true;
  }
  return false;
}

/// The mean of -log(1 + x) of the eigenvalues x of a noisy symmetric matrix, which lie on a
/// semicircle of this radius, below 1 [Wigner 1958].
double semicircle_divergence(double radius) {
  const double square = radius * radius;
  const double rest = 1 - square;
  const double root = std::sqrt(rest);
  // 1 - root = square / (1 + root), which loses no digits.
  return 0.5 - 1 / (1 + root) - same_log1p(-square / (2 * (1 + root)));
}

}  // namespace

double entry_deviation(const MomentDesign& design, const MomentRound& round) {
  const double noise =
      static_cast<double>(round.noise.numerator) / static_cast<double>(round.noise.denominator);
  if (design.request.budget.notion != PrivacyNotion::kPure) return std::sqrt(noise);
  const auto entries = static_cast<double>(ClippedMoments::entry_count(design.request.dimension));
  return noise * std::sqrt(entries + 1);
}

MomentErrors errors_of(const MomentDesign& design, const MomentRound& round) {
  const auto n = static_cast<double>(design.request.records);
  const double steps = static_cast<double>(design.lattice_radius) / design.clip_radius;
  const double deviation = entry_deviation(design, round) / 7;
  MomentErrors errors;
  errors.mean = deviation / (n * static_cast<double>(design.offset) * steps);
  errors.product = deviation / (n * steps * steps);
  // Noise on a symmetric matrix moves its eigenvalues by some 2 sqrt(d) times that of an entry.
  errors.margin =
      errors.product * (1 + 2 * std::sqrt(static_cast<double>(design.request.dimension)));
  return errors;
}

ModelError expected_error(const MomentDesign& design, double deviations) {
  const auto d = static_cast<double>(design.request.dimension);
  const double narrowest = design.clip_radius / deviations;
  double variance = (1 - kStatedCorrelation) * narrowest * narrowest / d;
  for (std::size_t k = 0; k + 1 < design.rounds.size(); ++k) {
    const MomentErrors errors = errors_of(design, design.rounds[k]);
    const double middle = variance + errors.margin;
    variance /= std::min(1.0, std::sqrt(middle * middle + d * errors.product * errors.product));
  }
  const MomentErrors last = errors_of(design, design.rounds.back());
  ModelError error{.mean = last.mean / std::sqrt(variance), .covariance = last.product / variance};
  const double radius = 2 * std::sqrt(d + 1) * error.covariance;
  if (radius < 1) {
    const double divergence = d * (error.mean * error.mean + semicircle_divergence(radius)) / 2;
    error.total_variation = std::min(1.0, std::sqrt(divergence / 2));
  }
  return error;
}

void require_moment_records(std::uint64_t records) {
  require_between("the number of records", records, 1, kMostMomentRecords);
}

MomentDesign design_moments(const MomentRequest& request, std::optional<double> amount) {
  validate_moments(request);
  MomentDesign design;
  design.request = request;
  design.guarantee = request.budget;
  design.amount = amount ? *amount : adaptive_amount_down(request.budget, "gaussian");
  design.clip_radius = clip_radius_of(request);
  if (!(design.amount > 0) || std::isinf(design.amount) || !find_lattice(design)) {
    throw InvalidInput(fmt::format(
        "a budget of a shared Gaussian must be one whose noise can be drawn, about epsilon 1e-6 to "
        "1e6, but is {}",
        request.budget.text()));
  }
  const ModelError stated = expected_error(design, kStatedDeviations.back());
  design.mean_error = stated.mean;
  design.covariance_error = stated.covariance;
  for (const double deviations : kStatedDeviations) {
    design.expected_total_variation = std::max(design.expected_total_variation,
                                               expected_error(design, deviations).total_variation);
  }
  design.why = fmt::format(
      "one mean and one covariance of {} column{}, each row cut to {:.3g} standard deviations; "
      "noise gives a mean a standard error of {:.2g} standard deviations and a covariance one of "
      "{:.2g}, {}; all released rows share that noise",
      request.dimension, request.dimension == 1 ? "" : "s", design.clip_radius, design.mean_error,
      design.covariance_error, spread_condition());
  return design;
}

std::string spread_condition() {
  return fmt::format(
      "if half of every column's range is at most {:g} of its standard deviations (with --log, of "
      "the logarithms') and no correlation is above {:g}",
      kStatedDeviations.back(), kStatedCorrelation);
}

void check_moment_design(const MomentDesign& design) {
  const Privacy& promised = design.guarantee;
  double spent = 0;
  for (const MomentRound& round : design.rounds) {
    spent = add_up(spent, round_spent_up(design, round));
  }
  const bool keeps = [&] {
    if (design.rounds.empty() || promised.notion != design.request.budget.notion) return false;
    switch (promised.notion) {
      case PrivacyNotion::kPure:
        return spent <= promised.epsilon;
      case PrivacyNotion::kConcentrated:
        return spent <= promised.rho;
      case PrivacyNotion::kApproximate:
        return spent <= design.amount &&
               adaptive_gaussian_delta_up(design.amount, promised.epsilon) <= promised.delta;
      default:
        return false;
    }
  }();
  if (!keeps) {
    throw InvalidInput("the rounds of a shared Gaussian must keep its guarantee, but do not");
  }
}

}  // namespace mollify
