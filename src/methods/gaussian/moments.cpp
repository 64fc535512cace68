#include "methods/gaussian/moments.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "accounting/gaussian.h"
#include "base/directed_rounding.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "core/ranges.h"
#include "domain/numbers.h"
#include "kernel/noise.h"
#include "methods/gaussian/sampler.h"
#include "scores/linear_algebra.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a shared Gaussian model.

namespace {

constexpr std::uint64_t kMostMomentRecords = std::uint64_t{1} << 39;
constexpr std::size_t kMostMomentDimensions = 256;
constexpr std::size_t kMostPureDimensions = 43;
static_assert(ClippedMoments::entry_count(kMostPureDimensions) <=
              EuclideanLaplace::kGreatestDimension);

/// Three rounds find where the data lie, and the last one measures. Of what was tried on tables of
/// Gaussians and on public ones (docs/evidence/tables.md) this served both wide ranges and
/// narrow ones; no data of a release decides any of it.
constexpr std::array<std::uint32_t, 4> kRoundParts = {5, 5, 6, 48};
/// Doubles cannot distinguish a variance below this share of a map's from rounding.
constexpr double kLeastVariance = 1e-9;
/// How much of the radius of the last round's noise a model's variances have at least.
constexpr double kKeptNoise = 0.25;

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

/// The least noise for this many parts of the budget, and a trifle more, so that what it spends is
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
    case PrivacyNotion::kApproximate:
    case PrivacyNotion::kGaussian:
      break;
  }
  return Ratio::at_least("variance", add_up(div_up(square, part), kLatticePart));
}

/// The cost of a round's noise.
double round_spent_up(const MomentDesign& design, const MomentRound& round) {
  const double square = square_sensitivity_up(design);
  const double noise = moment_ratio_down(round.noise);
  switch (design.request.budget.notion) {
    case PrivacyNotion::kPure:
      return div_up(sqrt_up(square), noise);
    case PrivacyNotion::kConcentrated:
      return div_up(square, 2 * noise);
    case PrivacyNotion::kApproximate:
    case PrivacyNotion::kGaussian:
      break;
  }
  const double rest = -add_up(-noise, kLatticePart);
  return rest > 0 ? div_up(square, rest) : HUGE_VAL;
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
    refuse_input("too-many-columns", {},
                 "a shared Gaussian takes from 1 to {} columns{}, but there are {}", most,
                 pure ? " under pure epsilon (256 with a delta or rho)" : "", request.dimension);
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

/// What noise may move the eigenvalues of an entry's matrix by: the radius of a semicircle
/// [Wigner 1958]. d + 1, because the noise of the diagonal is larger.
double eigenvalue_noise(const MomentDesign& design, const MomentErrors& errors) {
  return 2 * std::sqrt(static_cast<double>(design.request.dimension) + 1) * errors.product;
}

/// No released variance is below this, in a round's map: what noise of such a radius shows below it
/// is noise.
double least_variance(double noise_radius) {
  return std::clamp(kKeptNoise * noise_radius, kLeastVariance, 1.0);
}

/// The mean of l - 1 - log l of l = max(1 + x, floor), x on a semicircle of this radius about 0:
/// the sum of equal strips, at every place the same operations on every machine.
double semicircle_divergence(double radius, double floor) {
  constexpr int kStrips = 512;
  double weights = 0;
  double sum = 0;
  for (int i = 0; i < kStrips; ++i) {
    const double x = (2 * i + 1.0) / kStrips - 1;
    const double weight = std::sqrt(1 - x * x);
    const double value = std::max(1 + radius * x, floor);
    weights += weight;
    sum += weight * (value - 1 - same_log(value));
  }
  return sum / weights;
}

/// The divergence of a standard normal column that is cut at this many deviations, at least 1, on
/// both sides, from the uncut one; above it.
double cut_divergence(double deviations) {
  const double square = deviations * deviations;
  const double density = 0.3989422804014327 * same_exp(-square / 2);
  const double lost = 4 * deviations * density / (square + 1);
  return (-same_log1p(-lost) - lost) / 2;
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
  // Noise on a symmetric matrix moves its eigenvalues by some 2 sqrt(d) times an entry's.
  errors.margin =
      errors.product * (1 + 2 * std::sqrt(static_cast<double>(design.request.dimension)));
  return errors;
}

ModelError expected_error(const MomentDesign& design, double deviations) {
  const auto d = static_cast<double>(design.request.dimension);
  const double narrowest = design.clip_radius / deviations;
  double variance = kLeastSum * narrowest * narrowest / d;
  for (std::size_t k = 0; k + 1 < design.rounds.size(); ++k) {
    const MomentErrors errors = errors_of(design, design.rounds[k]);
    const double middle = variance + errors.margin;
    variance /= std::min(1.0, std::sqrt(middle * middle + d * errors.product * errors.product));
  }
  const MomentErrors last = errors_of(design, design.rounds.back());
  ModelError error{.mean = last.mean / std::sqrt(variance), .covariance = last.product / variance};
  const double noise = eigenvalue_noise(design, last);
  const double divergence =
      d * ((error.mean * error.mean +
            semicircle_divergence(noise / variance, least_variance(noise) / variance)) /
               2 +
           cut_divergence(deviations));
  error.total_variation = std::min(1.0, std::sqrt(divergence / 2));
  return error;
}

double least_sum(std::size_t dimension, std::span<const double> correlations) {
  const auto d = static_cast<Eigen::Index>(dimension);
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Identity(d, d);
  std::size_t pair = 0;
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = i + 1; j < d; ++j) {
      matrix(i, j) = matrix(j, i) = correlations[pair++];
    }
  }
  return std::max(0.0, eigenvalues(matrix).minCoeff());
}

void require_moment_records(std::uint64_t records) {
  require_between({"the number of records", "n", "records"}, records, 1, kMostMomentRecords);
}

MomentDesign design_moments(const MomentRequest& request, std::optional<double> amount) {
  validate_moments(request);
  MomentDesign design;
  design.request = request;
  design.guarantee = request.budget;
  design.amount = amount ? *amount : adaptive_amount_down(request.budget, "gaussian");
  design.clip_radius = clip_radius_of(request);
  if (!(design.amount > 0) || std::isinf(design.amount) || !find_lattice(design)) {
    refuse_input("out-of-range", {},
                 "a budget of a shared Gaussian must be one whose noise can be drawn, about "
                 "epsilon 1e-6 to 1e6, but is {}",
                 request.budget.text());
  }
  const ModelError stated = expected_error(design, kStatedDeviations.back());
  design.mean_error = stated.mean;
  design.covariance_error = stated.covariance;
  design.least_total_variation = 1;
  for (const double deviations : kStatedDeviations) {
    if (deviations < kLeastDeviations) continue;
    const double expected = expected_error(design, deviations).total_variation;
    design.expected_total_variation = std::max(design.expected_total_variation, expected);
    design.least_total_variation = std::min(design.least_total_variation, expected);
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
      "if every column's range reaches {:g} to {:g} of its standard deviations to both sides of "
      "its mean (with {}, of the logarithms'), and no weighted sum of columns varies by less than "
      "{:g} of its variation under independence",
      kLeastDeviations, kStatedDeviations.back(), flag_words("log"), kLeastSum);
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
      case PrivacyNotion::kGaussian:
        break;
    }
    return false;
  }();
  refuse_if(!keeps, "certificate-altered", {},
            "the rounds of a shared Gaussian must keep its guarantee, but do not");
}

// -----------------------------------------------------------------------------------------------
// One noisy mean and one noisy covariance of a private table, and rows drawn from them.

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The public affine map of a round: y = forward (x - centre), and back.
struct MomentMap {
  VectorXd centre;
  MatrixXd forward;
  MatrixXd backward;
};

/// A round's noisy entries, in the coordinates of its map.
struct NoisyMoments {
  VectorXd mean;
  MatrixXd covariance;
};

/// Brings the box of the ranges into the ball of the clip radius.
MomentMap first_map(const MomentDesign& design, std::span<const double> low,
                    std::span<const double> high) {
  const auto d = static_cast<Index>(low.size());
  MomentMap map{VectorXd(d), MatrixXd::Zero(d, d), MatrixXd::Zero(d, d)};
  for (Index i = 0; i < d; ++i) {
    const auto at = static_cast<std::size_t>(i);
    map.centre[i] = low[at] / 2 + high[at] / 2;
    const double half = high[at] / 2 - low[at] / 2;
    // A range of one number says all of its column.
    const double unit =
        (half > 0 ? half : 1) * std::sqrt(static_cast<double>(d)) / design.clip_radius;
    map.forward(i, i) = 1 / unit;
    map.backward(i, i) = unit;
  }
  return map;
}

void add_noise(const MomentDesign& design, const MomentRound& round, SecureRandom& random,
               std::vector<std::int64_t>& entries) {
  std::vector<std::int64_t> noise(entries.size());
  if (design.guarantee.notion == PrivacyNotion::kPure) {
    EuclideanLaplace(entries.size(), round.noise).draw(noise, random);
  } else {
    DiscreteGaussian(round.noise).draw(noise, random);
  }
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(entries[i]) +
                                           static_cast<std::uint64_t>(noise[i]));
  }
}

/// Row-major and by plain loops: a row becomes the same doubles wherever it lies in a block.
MomentMeasure measure_of(const MomentDesign& design, const MomentMap& map) {
  const std::size_t d = design.request.dimension;
  const double steps = static_cast<double>(design.lattice_radius) / design.clip_radius;
  MomentMeasure measure{{map.centre.begin(), map.centre.end()}, std::vector<double>(d * d)};
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      measure.forward[i * d + j] =
          steps * map.forward(static_cast<Index>(i), static_cast<Index>(j));
    }
  }
  return measure;
}

NoisyMoments moments_of(const MomentDesign& design, const std::vector<std::int64_t>& entries) {
  const auto d = static_cast<Index>(design.request.dimension);
  const auto n = static_cast<double>(design.request.records);
  const double steps = static_cast<double>(design.lattice_radius) / design.clip_radius;
  const double offset = static_cast<double>(design.offset);
  NoisyMoments found{VectorXd(d), MatrixXd(d, d)};
  std::size_t entry = 0;
  for (Index i = 0; i < d; ++i) {
    found.covariance(i, i) = static_cast<double>(entries[entry++]) / (5 * n * steps * steps);
    for (Index j = i + 1; j < d; ++j) {
      found.covariance(i, j) = found.covariance(j, i) =
          static_cast<double>(entries[entry++]) / (7 * n * steps * steps);
    }
    found.mean[i] = static_cast<double>(entries[entry++]) / (7 * n * offset * steps);
  }
  found.covariance -= found.mean * found.mean.transpose();
  return found;
}

/// The map that gives the found moments about mean 0 and variance 1. What noise alone could have
/// hidden is left room for, and the ball of the map before is never left.
MomentMap next_map(const MomentDesign& design, const MomentRound& round, const MomentMap& map,
                   const NoisyMoments& found) {
  const MomentErrors errors = errors_of(design, round);
  const auto d = static_cast<double>(design.request.dimension);
  // Towards the old centre by as much as is noise [James, Stein 1961].
  const double square = found.mean.squaredNorm();
  const double kept = square > 0 ? std::max(0.0, 1 - d * errors.mean * errors.mean / square) : 0;
  VectorXd mean = kept * found.mean;
  mean *= std::min(1.0, design.clip_radius / std::max(mean.norm(), design.clip_radius));
  const EigenSystem eigen = eigen_system(found.covariance);
  const VectorXd variance =
      (eigen.values.cwiseMax(0).array() + errors.margin).min(1.0).max(kLeastVariance).matrix();
  const MatrixXd& axes = eigen.vectors;
  return {map.centre + map.backward * mean,
          variance.cwiseSqrt().cwiseInverse().asDiagonal() * axes.transpose() * map.forward,
          map.backward * axes * variance.cwiseSqrt().asDiagonal()};
}

SharedGaussian model_of(const MomentDesign& design, const MomentMap& map,
                        const NoisyMoments& found) {
  const double least =
      least_variance(eigenvalue_noise(design, errors_of(design, design.rounds.back())));
  const EigenSystem eigen = eigen_system(found.covariance);
  const VectorXd variance =
      eigen.values.cwiseMin(design.clip_radius * design.clip_radius).cwiseMax(least);
  const MatrixXd root = map.backward * eigen.vectors * variance.cwiseSqrt().asDiagonal();
  const MatrixXd covariance = root * root.transpose();
  const VectorXd mean = map.centre + map.backward * found.mean;
  return {std::vector<double>(mean.begin(), mean.end()),
          std::vector<double>(covariance.data(), covariance.data() + covariance.size())};
}

}  // namespace

void SharedGaussian::draw(std::uint64_t count, std::span<const double> low,
                          std::span<const double> high, SecureRandom& random,
                          const std::function<void(std::span<const double>)>& visit) const {
  const auto d = static_cast<Index>(mean.size());
  const EigenSystem eigen = eigen_system(Eigen::Map<const MatrixXd>(covariance.data(), d, d));
  const MatrixXd root = eigen.vectors * eigen.values.cwiseMax(0).cwiseSqrt().asDiagonal();
  PublicNormals normals(random);
  VectorXd normal(d);
  std::vector<double> point(mean.size());
  for (; count > 0; --count) {
    for (double& coordinate : normal) coordinate = normals.draw();
    const VectorXd moved = root * normal;
    for (std::size_t i = 0; i < point.size(); ++i) {
      point[i] = std::clamp(mean[i] + moved[static_cast<Index>(i)], low[i], high[i]);
    }
    visit(point);
  }
}

MomentSampler::MomentSampler(MomentDesign design, std::vector<double> low, std::vector<double> high)
    : design_(std::move(design)), low_(std::move(low)), high_(std::move(high)) {
  refuse_if(low_.size() != design_.request.dimension || high_.size() != low_.size(), "wrong-shape",
            {}, "the design is for {} columns, but there are {} ranges", design_.request.dimension,
            low_.size());
  check_moment_design(design_);
}

MomentSums::MomentSums(const MomentDesign& design, MomentMeasure measure)
    : measure_(std::move(measure)),
      moments_(design.request.dimension, design.lattice_radius, design.offset),
      centred_(design.request.dimension),
      scores_(design.request.dimension) {}

void MomentSums::add(std::span<const double> rows) {
  const std::size_t d = centred_.size();
  for (; !rows.empty(); rows = rows.subspan(d)) {
    for (std::size_t j = 0; j < d; ++j) centred_[j] = rows[j] - measure_.centre[j];
    for (std::size_t i = 0; i < d; ++i) {
      double score = 0;
      for (std::size_t j = 0; j < d; ++j) score += measure_.forward[i * d + j] * centred_[j];
      scores_[i] = score;
    }
    moments_.add(scores_);
  }
}

SharedGaussian MomentSampler::measure(const NumericTable& table, SecureRandom& random) const {
  refuse_if(table.dimension() != design_.request.dimension, "wrong-shape", {},
            "the table has {} columns, but the design is for {}", table.dimension(),
            design_.request.dimension);
  // The only look at the data.
  const SumUp sum_up = [&](const MomentMeasure& measure) {
    MomentSums sums(design_, measure);
    std::uint64_t left = design_.request.records;
    table.visit([&](std::span<const double> rows) {
      const std::uint64_t taken = std::min<std::uint64_t>(left, rows.size() / low_.size());
      sums.add(rows.first(taken * low_.size()));
      left -= taken;
    });
    return sums.entries();
  };
  return measure(sum_up, random);
}

SharedGaussian MomentSampler::measure(const SumUp& sum_up, SecureRandom& random) const {
  MomentMap map = first_map(design_, low_, high_);
  NoisyMoments found;
  for (std::size_t k = 0; k < design_.rounds.size(); ++k) {
    const MomentRound& round = design_.rounds[k];
    if (k > 0) map = next_map(design_, design_.rounds[k - 1], map, found);
    std::vector<std::int64_t> entries = sum_up(measure_of(design_, map));
    entries.resize(ClippedMoments::entry_count(low_.size()));
    add_noise(design_, round, random, entries);
    found = moments_of(design_, entries);
  }
  SharedGaussian model = model_of(design_, map, found);
  for (std::size_t i = 0; i < low_.size(); ++i) {
    model.mean[i] = std::clamp(model.mean[i], low_[i], high_[i]);
  }
  return model;
}

// -----------------------------------------------------------------------------------------------
// How far two Gaussians are from each other.

double simulated_total_variation(const SharedGaussian& p, const SharedGaussian& q,
                                 std::size_t draws, SecureRandom& random) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const auto d = static_cast<Eigen::Index>(p.mean.size());
  const auto mean = [d](const SharedGaussian& of) {
    return Eigen::Map<const VectorXd>(of.mean.data(), d);
  };
  const auto factor = [d](const SharedGaussian& of) {
    return cholesky_factor(Eigen::Map<const MatrixXd>(of.covariance.data(), d, d));
  };
  const std::optional<MatrixXd> of_p = factor(p);
  const std::optional<MatrixXd> of_q = factor(q);
  if (!of_p || !of_q) return 1;
  // The place of q's standard coordinates in p's: y = turn z + shift.
  const MatrixXd turn = solve_lower(*of_q, *of_p);
  const VectorXd shift = solve_lower(*of_q, mean(p) - mean(q));
  const double log_determinant = turn.diagonal().array().log().sum();
  PublicNormals normals(random);
  VectorXd z(d);
  double sum = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    for (double& coordinate : z) coordinate = normals.draw();
    const VectorXd y = turn * z + shift;
    sum += std::max(0.0, -std::expm1(log_determinant + (z.squaredNorm() - y.squaredNorm()) / 2));
  }
  const double distance = sum / static_cast<double>(draws);
  return std::isfinite(distance) ? distance : 1;
}

}  // namespace mollify
