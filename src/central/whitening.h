// The public change of coordinates after which a covariance is the identity.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "central/centre_design.h"

namespace mollify {

/// The affine map w = A (x - c0) with A Sigma A^T = I, for a public covariance Sigma and a public
/// origin c0.
///
/// With D the diagonal of standard deviations and C = D^-1 Sigma D^-1 the matrix of correlations,
///
///     A = C^(-1/2) D^-1,
///
/// C^(-1/2) being the symmetric root. So coordinates keep their meaning as far as
/// that is possible: a diagonal Sigma divides each column by its own standard deviation, and
/// columns may have units of any size.
///
/// Computed in floating point, and nothing rests on that: the kernel clips whatever doubles come
/// out, so an error here costs accuracy, about d 2^-53 of a row's size times the condition number
/// of C, and never privacy.
///
/// Public and immutable. O(d^2) memory and O(d^2) for a row.
class Whitening {
 public:
  /// How much the greatest eigenvalue of C may exceed the least: beyond, doubles tell nothing.
  static constexpr double kGreatestCondition = 1e10;

  /// Sigma = I and c0 = 0, 1 <= d <= 1024 (InvalidInput otherwise).
  [[nodiscard]] static Whitening identity(std::size_t dimension);

  /// For Sigma, d x d in row-major order, and c0, d numbers or none for 0. Throws InvalidInput, in
  /// one sentence that names what is wrong, unless d is from 1 to 1024, all numbers are finite,
  /// Sigma is symmetric to within 1e-9 of the standard deviations' product and positive definite
  /// with the condition above ("covariance must be positive definite, but its least eigenvalue is
  /// -0.2"). O(d^3).
  [[nodiscard]] static Whitening from_covariance(std::size_t dimension,
                                                 std::span<const double> covariance,
                                                 std::span<const double> origin = {});

  [[nodiscard]] std::size_t dimension() const { return origin_.size(); }
  /// c0, in original coordinates.
  [[nodiscard]] std::span<const double> origin() const { return origin_; }

  /// Rows in, whitened rows out, both row-major and of the same size, a multiple of d; they may not
  /// overlap. Rows of any doubles. What comes out of a row depends on that row, on its place in the
  /// call and on how many rows there are, never on what is in the others.
  void apply(std::span<const double> rows, std::span<double> whitened) const;

  /// The way back, x = c0 + A^-1 w.
  void undo(std::span<const double> whitened, std::span<double> rows) const;

  /// For each whitened coordinate the interval that a box of original coordinates maps into.
  /// `low` and `high` have d numbers each, low < high; InvalidInput otherwise.
  [[nodiscard]] std::vector<WhitenedRange> ranges_of_box(std::span<const double> low,
                                                         std::span<const double> high) const;

 private:
  Whitening() = default;

  std::vector<double> origin_;
  std::vector<double> forward_;   // A^T, row-major, so that rows are multiplied from the left;
  std::vector<double> backward_;  // its inverse; both empty for the identity
};

}  // namespace mollify
