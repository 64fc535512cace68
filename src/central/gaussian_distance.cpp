#include "central/gaussian_distance.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <Eigen/Core>

#include "central/public_normals.h"
#include "linear_algebra/symmetric.h"

namespace mollify {

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
  // Where q's standard coordinates lie in p's: y = turn z + shift.
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
