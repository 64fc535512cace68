#pragma once

#ifndef MOLLIFY_LINEAR_ALGEBRA_SYMMETRIC_H
#define MOLLIFY_LINEAR_ALGEBRA_SYMMETRIC_H

#include <optional>

#include <Eigen/Core>

/// Functions of symmetric matrices, in doubles; no privacy depends on them. Eigen's factors are
/// templates that take seconds to compile: they are compiled here, once. Of each matrix, d x d, the
/// lower triangle is read. O(d^3).
namespace mollify {

using SymmetricMatrix = Eigen::Ref<const Eigen::MatrixXd>;

/// Eigenvalues from the least to the greatest, and their vectors of length 1 as columns.
struct EigenSystem {
  Eigen::VectorXd values;
  Eigen::MatrixXd vectors;

  /// The symmetric matrix whose square is the one that was asked about; values below 0 count as 0.
  [[nodiscard]] Eigen::MatrixXd root() const;
  /// The inverse of root(); all values must be positive.
  [[nodiscard]] Eigen::MatrixXd inverse_root() const;
};

[[nodiscard]] EigenSystem eigen_system(const SymmetricMatrix& matrix);

/// From the least to the greatest.
[[nodiscard]] Eigen::VectorXd eigenvalues(const SymmetricMatrix& matrix);

/// L of the matrix L L^T, lower triangular (Cholesky); none where the matrix is not positive
/// definite.
[[nodiscard]] std::optional<Eigen::MatrixXd> cholesky_factor(const SymmetricMatrix& matrix);

/// x of L L^T x = right, for what cholesky_factor gives. O(d^2).
[[nodiscard]] Eigen::VectorXd solve_factored(const Eigen::MatrixXd& factor,
                                             const Eigen::VectorXd& right);

/// X of L X = right for a lower triangular L, column by column. O(d^2) a column.
[[nodiscard]] Eigen::MatrixXd solve_lower(const Eigen::MatrixXd& lower,
                                          const Eigen::MatrixXd& right);

/// x of matrix x = right, for a semidefinite matrix (Cholesky with pivots).
[[nodiscard]] Eigen::VectorXd solve_symmetric(const SymmetricMatrix& matrix,
                                              const Eigen::VectorXd& right);

}  // namespace mollify

#endif  // MOLLIFY_LINEAR_ALGEBRA_SYMMETRIC_H
