#include "central/gaussian_distance.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "central/public_normals.h"

namespace mollify {

double simulated_total_variation(const SharedGaussian& p, const SharedGaussian& q,
                                 std::size_t draws, SecureRandom& random) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  const auto d = static_cast<Eigen::Index>(p.mean.size());
  const auto mean = [d](const SharedGaussian& of) {
    return Eigen::Map<const VectorXd>(of.mean.data(), d);
  };
  const auto root = [d](const SharedGaussian& of) {
    return Eigen::LLT<MatrixXd>(Eigen::Map<const MatrixXd>(of.covariance.data(), d, d));
  };
  const Eigen::LLT<MatrixXd> of_p = root(p);
  const Eigen::LLT<MatrixXd> of_q = root(q);
  if (of_p.info() != Eigen::Success || of_q.info() != Eigen::Success) return 1;
  // Where q's standard coordinates lie in p's: y = turn z + shift.
  const MatrixXd lower = of_p.matrixL();
  const MatrixXd turn = of_q.matrixL().solve(lower);
  const VectorXd difference = mean(p) - mean(q);
  const VectorXd shift = of_q.matrixL().solve(difference);
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
