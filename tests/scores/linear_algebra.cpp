#include "scores/linear_algebra.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace mollify {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Orthogonal, from formulas: the sine transform's matrix.
MatrixXd axes(Eigen::Index d) {
  MatrixXd result(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j < d; ++j) {
      result(i, j) = std::sqrt(2.0 / static_cast<double>(d + 1)) *
                     std::sin(std::numbers::pi * static_cast<double>((i + 1) * (j + 1)) /
                              static_cast<double>(d + 1));
    }
  }
  return result;
}

MatrixXd with_eigenvalues(const VectorXd& values) {
  const MatrixXd vectors = axes(values.size());
  return vectors * values.asDiagonal() * vectors.transpose();
}

TEST(Symmetric, FindsTheEigenvaluesThatTheMatrixWasMadeOf) {
  for (const Eigen::Index d : {1, 2, 7, 40}) {
    const VectorXd values = VectorXd::LinSpaced(d, 0.5, 9);
    const MatrixXd matrix = with_eigenvalues(values);
    const EigenSystem found = eigen_system(matrix);
    const double least = d == 1 ? 9 : 0.5;  // LinSpaced's single value is the upper end
    EXPECT_NEAR(found.values[0], least, 1e-12);
    EXPECT_LT((found.values - values).norm(), 1e-12 * static_cast<double>(d));
    EXPECT_LT((eigenvalues(matrix) - values).norm(), 1e-12 * static_cast<double>(d));
    EXPECT_LT((matrix * found.vectors - found.vectors * found.values.asDiagonal()).norm(), 1e-11);
    EXPECT_LT((found.root() * found.root() - matrix).norm(), 1e-11);
    EXPECT_LT((found.inverse_root() * found.root() - MatrixXd::Identity(d, d)).norm(), 1e-11);
  }
}

TEST(Symmetric, RootTakesNegativeEigenvaluesForZero) {
  const MatrixXd root = eigen_system(with_eigenvalues(VectorXd{{-1e-3, 0, 4}})).root();
  EXPECT_LT((root * root - with_eigenvalues(VectorXd{{0, 0, 4}})).norm(), 1e-12);
}

TEST(Symmetric, FactorsMultiplyToTheMatrixAndSolve) {
  const MatrixXd matrix = with_eigenvalues(VectorXd::LinSpaced(30, 0.1, 5));
  const VectorXd solution = VectorXd::LinSpaced(30, -1, 2);
  const MatrixXd factor = cholesky_factor(matrix).value();
  EXPECT_EQ(factor.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().norm(), 0);
  EXPECT_LT((factor * factor.transpose() - matrix).norm(), 1e-13);
  EXPECT_LT((solve_factored(factor, matrix * solution) - solution).norm(), 1e-11);
  EXPECT_LT((solve_lower(factor, factor * matrix) - matrix).norm(), 1e-11);
  EXPECT_LT((solve_symmetric(matrix, matrix * solution) - solution).norm(), 1e-11);
}

TEST(Symmetric, ReadsTheLowerTriangleAlone) {
  const MatrixXd matrix = with_eigenvalues(VectorXd::LinSpaced(5, 1, 3));
  MatrixXd lower = matrix;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(100);
  EXPECT_EQ(eigen_system(lower).values, eigen_system(matrix).values);
  EXPECT_EQ(eigenvalues(lower), eigenvalues(matrix));
  EXPECT_EQ(cholesky_factor(lower), cholesky_factor(matrix));
  const VectorXd right = VectorXd::Ones(5);
  EXPECT_EQ(solve_symmetric(lower, right), solve_symmetric(matrix, right));
}

TEST(Symmetric, HasNoFactorWhereTheMatrixIsNotPositive) {
  EXPECT_FALSE(cholesky_factor(with_eigenvalues(VectorXd{{-1, 1, 2}})));
  EXPECT_FALSE(cholesky_factor(MatrixXd::Zero(2, 2)));
}

}  // namespace

}  // namespace mollify
