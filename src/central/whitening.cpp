#include "central/whitening.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <Eigen/Core>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "linear_algebra/symmetric.h"

namespace mollify {
namespace {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Enough for the product to be fast, few enough to stay in the cache.
constexpr std::size_t kBlockRows = 256;

Eigen::Index signed_size(std::size_t size) { return static_cast<Eigen::Index>(size); }

Eigen::Map<const Rows> matrix(std::span<const double> numbers, std::size_t columns) {
  return {numbers.data(), signed_size(numbers.size() / columns), signed_size(columns)};
}

void check_dimension(std::size_t dimension) {
  require_between("the number of dimensions", dimension, 1, 1024);
}

void check_size(const char* what, std::size_t size, std::size_t expected) {
  if (size != expected) {
    throw InvalidInput(fmt::format("{} must have {} numbers, but has {}", what, expected, size));
  }
}

/// Square, finite, of positive variances and symmetric.
void check_entries(std::size_t d, std::span<const double> covariance) {
  check_size("covariance", covariance.size(), d * d);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < d; ++j) {
      if (!std::isfinite(covariance[i * d + j])) {
        throw InvalidInput(fmt::format("covariance must be finite, but its entry ({}, {}) is {}",
                                       i + 1, j + 1, covariance[i * d + j]));
      }
    }
    if (!(covariance[i * d + i] > 0)) {
      throw InvalidInput(
          fmt::format("covariance must be positive definite, but its entry ({}, {}) is {}", i + 1,
                      i + 1, covariance[i * d + i]));
    }
  }
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double above = covariance[j * d + i], below = covariance[i * d + j];
      const double unit = std::sqrt(covariance[i * d + i]) * std::sqrt(covariance[j * d + j]);
      if (!(std::abs(above - below) <= 1e-9 * unit)) {
        throw InvalidInput(fmt::format(
            "covariance must be symmetric, but its entry ({}, {}) is {} and its entry ({}, {}) is "
            "{}",
            j + 1, i + 1, above, i + 1, j + 1, below));
      }
    }
  }
}

/// The eigenvalues of the correlations must be positive and not too far apart.
void check_definite(const Eigen::VectorXd& of_correlations, const Eigen::MatrixXd& covariance) {
  const double least = of_correlations.minCoeff(), greatest = of_correlations.maxCoeff();
  if (!(least > 0)) {
    const double of_covariance = eigenvalues(covariance).minCoeff();
    if (of_covariance > 0) {  // the columns' units differ so much that rounding hides it
      throw InvalidInput(fmt::format(
          "covariance must be positive definite, but the least eigenvalue of its correlations is "
          "{:.6g}",
          least));
    }
    throw InvalidInput(fmt::format(
        "covariance must be positive definite, but its least eigenvalue is {:.6g}", of_covariance));
  }
  if (!(greatest <= least * Whitening::kGreatestCondition)) {
    throw InvalidInput(fmt::format(
        "covariance must not be nearly singular, but the eigenvalues of its correlations reach "
        "from {:.6g} to {:.6g}, and their ratio may be at most {:g}",
        least, greatest, Whitening::kGreatestCondition));
  }
}

}  // namespace

Whitening Whitening::identity(std::size_t dimension) {
  check_dimension(dimension);
  Whitening result;
  result.origin_.assign(dimension, 0);
  return result;
}

Whitening Whitening::from_covariance(std::size_t dimension, std::span<const double> covariance,
                                     std::span<const double> origin) {
  Whitening result = identity(dimension);
  check_entries(dimension, covariance);
  if (!origin.empty()) {
    check_size("the origin", origin.size(), dimension);
    for (const double coordinate : origin) {
      if (!std::isfinite(coordinate)) {
        throw InvalidInput(fmt::format("the origin must be finite, but has a {}", coordinate));
      }
    }
    std::copy(origin.begin(), origin.end(), result.origin_.begin());
  }

  const Eigen::MatrixXd given = matrix(covariance, dimension);
  const Eigen::MatrixXd sigma = given / 2 + given.transpose() / 2;
  const Eigen::VectorXd deviations = sigma.diagonal().cwiseSqrt();
  const Eigen::VectorXd inverse = deviations.cwiseInverse();
  const EigenSystem correlations =
      eigen_system(inverse.asDiagonal() * sigma * inverse.asDiagonal());
  check_definite(correlations.values, sigma);

  result.forward_.resize(dimension * dimension);
  result.backward_.resize(dimension * dimension);
  const Eigen::Index d = signed_size(dimension);
  // A^T = D^-1 C^(-1/2), and its inverse is C^(1/2) D.
  Eigen::Map<Rows>(result.forward_.data(), d, d) =
      inverse.asDiagonal() * correlations.inverse_root();
  Eigen::Map<Rows>(result.backward_.data(), d, d) = correlations.root() * deviations.asDiagonal();
  return result;
}

void Whitening::apply(std::span<const double> rows, std::span<double> whitened) const {
  const std::size_t d = dimension();
  const Eigen::Map<const Eigen::RowVectorXd> origin(origin_.data(), signed_size(d));
  for (std::size_t begin = 0; begin < rows.size(); begin += kBlockRows * d) {
    const std::size_t size = std::min(kBlockRows * d, rows.size() - begin);
    const Rows centred = matrix(rows.subspan(begin, size), d).rowwise() - origin;
    Eigen::Map<Rows> out(whitened.data() + begin, centred.rows(), centred.cols());
    if (forward_.empty()) {
      out = centred;
    } else {
      out.noalias() = centred * matrix(forward_, d);
    }
  }
}

void Whitening::undo(std::span<const double> whitened, std::span<double> rows) const {
  const std::size_t d = dimension();
  const Eigen::Map<const Eigen::RowVectorXd> origin(origin_.data(), signed_size(d));
  for (std::size_t begin = 0; begin < whitened.size(); begin += kBlockRows * d) {
    const std::size_t size = std::min(kBlockRows * d, whitened.size() - begin);
    const Eigen::Map<const Rows> block = matrix(whitened.subspan(begin, size), d);
    Eigen::Map<Rows> out(rows.data() + begin, block.rows(), block.cols());
    if (backward_.empty()) {
      out = block.rowwise() + origin;
    } else {
      out = (block * matrix(backward_, d)).rowwise() + origin;
    }
  }
}

std::vector<WhitenedRange> Whitening::ranges_of_box(std::span<const double> low,
                                                    std::span<const double> high) const {
  const std::size_t d = dimension();
  check_size("the lower ends of the ranges", low.size(), d);
  check_size("the upper ends of the ranges", high.size(), d);
  for (std::size_t j = 0; j < d; ++j) {
    if (!(std::isfinite(low[j]) && std::isfinite(high[j]) && low[j] < high[j])) {
      throw InvalidInput(fmt::format(
          "the range of column {} must go from a finite number up to a greater one, but goes from "
          "{} to {}",
          j + 1, low[j], high[j]));
    }
  }
  std::vector<WhitenedRange> ranges(d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t k = 0; k < d; ++k) {
      const double factor = forward_.empty() ? (j == k ? 1 : 0) : forward_[k * d + j];
      const double one = factor * (low[k] - origin_[k]), other = factor * (high[k] - origin_[k]);
      ranges[j].low += std::min(one, other);
      ranges[j].high += std::max(one, other);
    }
  }
  return ranges;
}

}  // namespace mollify
