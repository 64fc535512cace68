#include "graphical/gaussian_copula.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Core>
#include <boost/math/distributions/normal.hpp>

#include "linear_algebra/symmetric.h"

namespace mollify {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kTerms = 100;
/// Beyond, 100 terms do not tell correlations apart.
constexpr double kGreatestCorrelation = 0.98;
constexpr double kLeastEigenvalue = 1e-4;
/// Where a share's rounding begins.
constexpr double kLeastTail = 1e-15;
constexpr double kInverseRootOfTwoPi = 0.3989422804014327;

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), std::clamp(p, kLeastTail, 1 - kLeastTail));
}

double sum_at(std::span<const double> a, std::span<const double> b, double r) {
  double sum = 0;
  for (std::size_t k = a.size(); k-- > 0;) sum = sum * r + a[k] * b[k];
  return sum;
}

}  // namespace

std::vector<std::int64_t> rank_scores(std::span<const double> shares, std::uint64_t steps) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto most = static_cast<double>(steps);
  double below = 0;
  std::vector<std::int64_t> scores;
  for (const double share : shares) {
    const double rank = 2 * (below + share / 2) / all - 1;
    scores.push_back(std::llround(std::clamp(rank, -1.0, 1.0) * most));
    below += share;
  }
  return scores;
}

CopulaColumn::CopulaColumn(std::span<const double> shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  double below = 0;
  for (std::size_t value = 0; value + 1 < shares.size(); ++value) {
    below += shares[value];
    ends_.push_back(normal_quantile(below / all));
  }
}

std::uint32_t CopulaColumn::value_at(double z) const {
  return static_cast<std::uint32_t>(std::upper_bound(ends_.begin(), ends_.end(), z) -
                                    ends_.begin());
}

std::vector<double> CopulaColumn::hermite(std::span<const std::int64_t> scores) const {
  std::vector<double> coefficients(kTerms);
  // The integral of the density times h_k beyond an end is the density times h_(k-1) / sqrt(k)
  // there; of h_0 it is the probability.
  coefficients[0] = static_cast<double>(scores[0]);
  for (std::size_t end = 0; end < ends_.size(); ++end) {
    const double z = ends_[end];
    const auto step = static_cast<double>(scores[end + 1] - scores[end]);
    coefficients[0] += step * 0.5 * std::erfc(z * std::sqrt(0.5));
    double before = 0;
    double now = kInverseRootOfTwoPi * std::exp(-z * z / 2);  // the density times h_(k-1)
    for (std::size_t k = 1; k < kTerms; ++k) {
      const auto order = static_cast<double>(k);
      coefficients[k] += step * now / std::sqrt(order);
      const double next = (z * now - std::sqrt(order - 1) * before) / std::sqrt(order);
      before = now;
      now = next;
    }
  }
  return coefficients;
}

double latent_correlation(std::span<const double> a, std::span<const double> b,
                          double mean_product) {
  if (!(a[1] * b[1] > 0)) return 0;  // a column of one score
  double low = -kGreatestCorrelation;
  double high = kGreatestCorrelation;
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = (low + high) / 2;
    (sum_at(a, b, middle) < mean_product ? low : high) = middle;
  }
  return (low + high) / 2;
}

std::vector<double> nearest_correlations(std::vector<double> matrix, std::size_t d) {
  const auto size = static_cast<Index>(d);
  Eigen::Map<MatrixXd> mapped(matrix.data(), size, size);
  const EigenSystem eigen = eigen_system(mapped);
  const MatrixXd root =
      eigen.vectors * eigen.values.cwiseMax(kLeastEigenvalue).cwiseSqrt().asDiagonal();
  const MatrixXd definite = root * root.transpose();
  const Eigen::VectorXd scale = definite.diagonal().cwiseSqrt().cwiseInverse();
  mapped = scale.asDiagonal() * definite * scale.asDiagonal();
  mapped.diagonal().setOnes();
  return matrix;
}

ModelRows copula_rows(const std::vector<std::vector<double>>& shares,
                      const std::vector<double>& correlations, std::size_t count,
                      const RandomWords& words) {
  const auto size = static_cast<Index>(shares.size());
  const std::vector<double> definite = nearest_correlations(correlations, shares.size());
  const MatrixXd root =
      eigen_system(Eigen::Map<const MatrixXd>(definite.data(), size, size)).root();
  std::vector<CopulaColumn> columns;
  for (const std::vector<double>& of_column : shares) columns.emplace_back(of_column);
  ModelRows rows(shares.size(), std::vector<std::uint32_t>(count));
  Eigen::VectorXd normals(size);
  for (std::size_t row = 0; row < count; ++row) {
    for (double& normal : normals) {
      normal = normal_quantile((static_cast<double>(words() >> 11U) + 0.5) * 0x1p-53);
    }
    const Eigen::VectorXd joined = root * normals;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      rows[i][row] = columns[i].value_at(joined[static_cast<Index>(i)]);
    }
  }
  return rows;
}

}  // namespace mollify
