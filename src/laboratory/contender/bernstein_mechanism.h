// The Bernstein mechanism: a private density by noise on the coefficients of a polynomial.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "space/seeded_random.h"

namespace mollify {

/// What is public about it.
struct BernsteinSpec {
  std::size_t dimension = 1;  ///< d, 1 or 2
  std::size_t lattice = 20;   ///< K, 1 to 200
  std::size_t order = 1;      ///< h, at least 1
  /// w, the kernel's deviation in units of the box.
  double width = 0.01;
  /// Of the whole density; none: no noise, for comparison.
  std::optional<double> epsilon = std::nullopt;
  /// g, the records that epsilon protects together: 1, or all n.
  double group = 1;
};

/// A function at the nodes v/K, the last axis fastest, and how many points it was estimated from.
struct NodeValues {
  std::vector<double> values;
  std::size_t points = 0;
};

/// The Gaussian kernel density estimate that the mechanism adds noise to, from n points of d
/// coordinates in [0, 1], end to end (others lie outside the box and still count for n). Throws
/// InvalidInput for a spec out of range or no points. O(n (K + 1)^d).
[[nodiscard]] NodeValues kernel_density_at_nodes(std::span<const double> points,
                                                 const BernsteinSpec& spec);

/// A density on [0, 1]^d as a Bernstein polynomial. NOT PRIVATE here: its noise comes from a seed
/// and from floating point.
///
/// Definition [Aldà, Rubinstein 2017], with a Gaussian kernel density estimate as the function: c_v
/// = f(v/K) for v in {0 ... K}^d, f(y) = (1/n) sum_i N(y; x_i, w^2 I); Laplace noise of scale S (K
/// + 1)^d / epsilon on each, S = g / (n (2 pi)^(d/2) w^d). The polynomial is sum_v c_v prod_j
/// Bin(K, y_j)(v_j); at order h the coefficients are W c with W = sum_{i<h} (I - B)^i, B evaluating
/// the polynomial at the nodes.
///
/// Theorem. The coefficients are epsilon-DP for groups of g replaced records: replacing g of n
/// moves each f(v/K) by at most S, as a kernel lies between 0 and its peak, and so all (K + 1)^d
/// of them by at most S (K + 1)^d in sum. What is computed from them is free, shifting included.
class BernsteinDensity {
 public:
  /// Draws the noise. Throws InvalidInput as kernel_density_at_nodes does. O(n (K + 1)^d).
  BernsteinDensity(std::span<const double> points, const BernsteinSpec& spec, SeededRandom& random);
  /// The same from an estimate that stands, for many draws from one. Throws InvalidInput for a spec
  /// out of range or other nodes than the estimate's.
  BernsteinDensity(const NodeValues& estimate, const BernsteinSpec& spec, SeededRandom& random);

  /// W c, the last axis fastest.
  [[nodiscard]] std::span<const double> coefficients() const { return coefficients_; }

  /// The polynomial at a point of [0, 1]^d, which may be negative there.
  [[nodiscard]] double polynomial(std::span<const double> point) const;

  /// Masses of the cells of equal width, `along` on each axis, the last axis fastest. The
  /// polynomial's minimum over the cells' corners and middles is subtracted if it is negative;
  /// then all is divided by the sum, by Simpson's rule in each cell.
  [[nodiscard]] std::vector<double> cell_masses(std::size_t along) const;

 private:
  BernsteinSpec spec_;
  std::vector<double> coefficients_;
};

/// The width with the greatest ten-fold cross-validated likelihood, of 13 from .005 to .2 in equal
/// steps of the logarithm. On private points it is private data that no epsilon pays for. O(13
/// n^2), so of more than 2000 points the first 2000 are taken.
[[nodiscard]] double cross_validated_width(std::span<const double> points, std::size_t dimension);

}  // namespace mollify
