#include "laboratory/contender/tested_gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include <Eigen/Core>
#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "laboratory/measure/word_stream.h"
#include "linear_algebra/symmetric.h"

namespace mollify {
namespace {

constexpr std::size_t kMostTestedDimensions = 64;
constexpr double kLeastEigenvalue = 0.5;

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

/// N(mean, deviation^2) between two points; the tail that is the nearer one is subtracted, so that
/// small masses keep their digits.
double mass_between(double low, double high, double mean, double deviation) {
  const double a = (low - mean) / deviation;
  const double b = (high - mean) / deviation;
  return a > 0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
}

double mass_beyond(double low, double high, double mean, double deviation) {
  return normal_cdf((low - mean) / deviation) + normal_cdf((mean - high) / deviation);
}

/// D: how far a replaced record moves an eigenvalue.
double eigenvalue_step(const TestedGaussianSpec& spec) {
  const auto n = static_cast<double>(spec.records);
  return 4 * spec.clip_radius * spec.clip_radius * (n - 1) / (n * n);
}

void require_tested(const TestedGaussianSpec& spec) {
  require_between("the dimension", spec.dimension, 1, kMostTestedDimensions);
  if (spec.records < 3) {
    throw InvalidInput(
        fmt::format("the number of records must be at least 3, but is {}", spec.records));
  }
  for (const auto& [name, value] :
       {std::pair{"epsilon", spec.epsilon}, std::pair{"the clip radius", spec.clip_radius}}) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw InvalidInput(fmt::format("{} must be finite and positive, but is {}", name, value));
    }
  }
  if (!(spec.delta > 0 && spec.delta < 0.5)) {
    throw InvalidInput(fmt::format("delta must be between 0 and 1/2, but is {}", spec.delta));
  }
}

}  // namespace

GaussianExcess gaussian_excess(double shift, double spread, double epsilon) {
  // ln N(shift, s^2)(y) / N(0, 1)(y) - e = a y^2 + b y - (c + e)
  const double variance = 1 + spread * spread;
  const double deviation = std::sqrt(variance);
  const double a = spread * spread / (2 * variance);
  const double b = shift / variance;
  const double c = shift * shift / (2 * variance) + std::log1p(spread * spread) / 2;
  GaussianExcess excess;
  // Roots of a y^2 + b y = level, a sum without cancellation; none for the second level if it is
  // not reached.
  const auto roots = [&](double level) {
    const double root = std::sqrt(b * b + 4 * a * level);
    const double far = -(b + root) / (2 * a);
    return std::pair{far, 2 * level / (b + root)};
  };
  const auto [low, high] = roots(c + epsilon);
  excess.of_wider = std::max(0.0, mass_beyond(low, high, shift, deviation) -
                                      std::exp(epsilon) * mass_beyond(low, high, 0, 1));
  if (b * b + 4 * a * (c - epsilon) > 0) {
    const auto [from, to] = roots(c - epsilon);
    excess.of_standard =
        std::max(0.0, mass_between(from, to, 0, 1) -
                          std::exp(epsilon) * mass_between(from, to, shift, deviation));
  }
  return excess;
}

TestedGaussian::TestedGaussian(const TestedGaussianSpec& spec) : spec_(spec) {
  require_tested(spec);
  const double step = eigenvalue_step(spec);
  test_scale_ = 2 * step / spec.epsilon;
  threshold_ = kLeastEigenvalue + step + test_scale_ * std::log(1 / (2 * spec.delta));
}

bool TestedGaussian::is_private() const {
  const double spread = std::sqrt(eigenvalue_step(spec_) / kLeastEigenvalue);
  const double shift = spread / std::sqrt(static_cast<double>(spec_.records - 1));
  const double hop = spec_.epsilon / 4;
  const GaussianExcess excess = gaussian_excess(shift, spread, hop);
  return excess.of_wider + std::exp(hop) * excess.of_standard <= spec_.delta;
}

std::optional<std::vector<double>> TestedGaussian::simulate(std::span<const double> rows,
                                                            SeededRandom& random) const {
  const std::size_t d = spec_.dimension;
  if (rows.size() != d * spec_.records) {
    throw InvalidInput(
        fmt::format("there must be {} records of {} numbers, but there are {} numbers",
                    spec_.records, d, rows.size()));
  }
  const auto columns = static_cast<Eigen::Index>(spec_.records);
  Eigen::MatrixXd points =
      Eigen::Map<const Eigen::MatrixXd>(rows.data(), static_cast<Eigen::Index>(d), columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    const double norm = points.col(i).norm();
    // What is not finite is clipped to 0.
    if (!std::isfinite(norm)) {
      points.col(i).setZero();
    } else if (norm > spec_.clip_radius) {
      points.col(i) *= spec_.clip_radius / norm;
    }
  }
  const Eigen::VectorXd mean = points.rowwise().mean();
  const Eigen::MatrixXd centred = points.colwise() - mean;
  const Eigen::MatrixXd scatter =
      centred * centred.transpose() / static_cast<double>(spec_.records);
  const EigenSystem eigen = eigen_system(scatter);
  WordStream words(random);
  const double side = words.unit() < 0.5 ? -1 : 1;
  if (!(eigen.values[0] - side * test_scale_ * std::log(words.unit()) >= threshold_))
    return std::nullopt;
  Eigen::VectorXd normals(static_cast<Eigen::Index>(d));
  for (double& z : normals) z = words.normal();
  const Eigen::VectorXd released = mean + eigen.root() * normals;
  return std::vector<double>(released.begin(), released.end());
}

double resampled_gaussian_total_variation(std::size_t dimension, std::uint64_t records) {
  constexpr std::size_t kVariances = 400;
  constexpr std::size_t kNorms = 2000;
  using ChiSquared = boost::math::chi_squared_distribution<double>;
  const auto middle = [](std::size_t i, std::size_t count) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  };
  const auto n = static_cast<double>(records);
  const auto d = static_cast<double>(dimension);
  const ChiSquared of_variance(n - 1);
  const ChiSquared of_norm(d);
  std::vector<double> variances(kVariances);
  for (std::size_t i = 0; i < kVariances; ++i) {
    variances[i] = (1 + quantile(of_variance, middle(i, kVariances))) / n;
  }
  double sum = 0;
  for (std::size_t j = 0; j < kNorms; ++j) {
    const double q = quantile(of_norm, middle(j, kNorms));
    double ratio = 0;
    for (const double v : variances) {
      ratio += std::exp(-d / 2 * std::log(v) + q / 2 * (1 - 1 / v)) / kVariances;
    }
    sum += std::abs(ratio - 1) / kNorms;
  }
  return sum / 2;
}

double tested_clip_radius(std::size_t dimension, double mean_bound, double covariance_bound,
                          std::uint64_t records, double alpha) {
  return mean_bound + std::sqrt(covariance_bound) *
                          (std::sqrt(static_cast<double>(dimension)) +
                           std::sqrt(2 * std::log(2 * static_cast<double>(records) / alpha)));
}

std::optional<std::uint64_t> tested_gaussian_records(std::size_t dimension, double mean_bound,
                                                     double covariance_bound, double epsilon,
                                                     double delta, double alpha) {
  const auto d = static_cast<double>(dimension);
  const auto serves = [&](std::uint64_t records) {
    const auto n = static_cast<double>(records);
    const TestedGaussian sampler({.dimension = dimension,
                                  .records = records,
                                  .epsilon = epsilon,
                                  .delta = delta,
                                  .clip_radius = tested_clip_radius(
                                      dimension, mean_bound, covariance_bound, records, alpha)});
    if (!sampler.is_private()) return false;
    // Wishart with n - 1 degrees: the root of S/(n - 1)'s least eigenvalue is below
    // 1 - sqrt(d/(n - 1)) - t with probability at most e^(-(n - 1) t^2/2) [Davidson, Szarek 2001].
    const double logarithm = std::log(8 / alpha);
    const double root = 1 - std::sqrt(d / (n - 1)) - std::sqrt(2 * logarithm / (n - 1));
    const double least = root > 0 ? (n - 1) / n * root * root : 0;
    if (least < sampler.threshold() + sampler.test_scale() * logarithm) return false;
    return resampled_gaussian_total_variation(dimension, records) <= alpha / 4;
  };
  std::uint64_t high = 4;
  while (!serves(high)) {
    if (high >= std::uint64_t{1} << 40) return std::nullopt;
    high *= 2;
  }
  std::uint64_t low = high / 2;
  while (high - low > 1) {
    const std::uint64_t between = low + (high - low) / 2;
    (serves(between) ? high : low) = between;
  }
  return high;
}

}  // namespace mollify
