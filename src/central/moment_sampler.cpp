#include "central/moment_sampler.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "central/public_normals.h"
#include "kernel/core/invalid_input.h"
#include "kernel/noise/discrete_gaussian.h"
#include "kernel/noise/euclidean_laplace.h"
#include "linear_algebra/symmetric.h"

namespace mollify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A variance below this share of a map's is none that doubles tell from rounding.
constexpr double kLeastVariance = 1e-9;

/// The public affine map of a round: y = forward (x - centre), and back.
struct MomentMap {
  VectorXd centre;
  MatrixXd forward;
  MatrixXd backward;
};

/// What a round's noisy entries say, in the coordinates of its map.
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

/// The map that makes of what was found about mean 0 and variance 1. What noise alone could have
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
  const EigenSystem eigen = eigen_system(found.covariance);
  const VectorXd variance =
      eigen.values.cwiseMin(design.clip_radius * design.clip_radius).cwiseMax(kLeastVariance);
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
  if (low_.size() != design_.request.dimension || high_.size() != low_.size()) {
    throw InvalidInput(fmt::format("the design is for {} columns, but there are {} ranges",
                                   design_.request.dimension, low_.size()));
  }
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
  if (table.dimension() != design_.request.dimension) {
    throw InvalidInput(fmt::format("the table has {} columns, but the design is for {}",
                                   table.dimension(), design_.request.dimension));
  }
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

}  // namespace mollify
