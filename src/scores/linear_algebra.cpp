#include "scores/linear_algebra.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

namespace mollify {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd EigenSystem::root() const {
  return vectors * values.cwiseMax(0).cwiseSqrt().asDiagonal() * vectors.transpose();
}

MatrixXd EigenSystem::inverse_root() const {
  return vectors * values.cwiseInverse().cwiseSqrt().asDiagonal() * vectors.transpose();
}

EigenSystem eigen_system(const SymmetricMatrix& matrix) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(matrix);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

VectorXd eigenvalues(const SymmetricMatrix& matrix) {
  return Eigen::SelfAdjointEigenSolver<MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
}

std::optional<MatrixXd> cholesky_factor(const SymmetricMatrix& matrix) {
  const Eigen::LLT<MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success) return std::nullopt;
  return MatrixXd(solver.matrixL());
}

VectorXd solve_factored(const MatrixXd& factor, const VectorXd& right) {
  const auto lower = factor.triangularView<Eigen::Lower>();
  return lower.transpose().solve(lower.solve(right));
}

MatrixXd solve_lower(const MatrixXd& lower, const MatrixXd& right) {
  return lower.triangularView<Eigen::Lower>().solve(right);
}

VectorXd solve_symmetric(const SymmetricMatrix& matrix, const VectorXd& right) {
  return matrix.selfadjointView<Eigen::Lower>().ldlt().solve(right);
}

}  // namespace mollify
