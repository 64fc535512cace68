// What the sources compare themselves with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "accounting/gaussian.h"
#include "domain/candidates.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The Bernstein mechanism: a private density by noise on the coefficients of a polynomial.

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

// -----------------------------------------------------------------------------------------------
// A Wasserstein GAN whose critic learns from clipped and noised gradients.

/// DPGAN [Xie et al. 2018] in the plane, with the batch of [Husain et al. 2020, Section 5]. What
/// neither says is chosen here: noise in two dimensions, two hidden layers, their width, rates,
/// steps of the critic, and bounds.
struct PrivateGanSpec {
  std::size_t width = 25;  ///< neurons of each of the two hidden layers (tanh)
  std::size_t batch = 128;
  std::size_t generator_steps = 10'000;
  std::size_t critic_steps = 5;  ///< for each step of the generator
  double rate = 5e-5;            ///< of RMSProp, which forgets by .9 a step
  double weight_bound = 0.01;    ///< of each weight of the critic
  /// c_g: the gradient of each example, of the critic at a record less that at what the generator
  /// makes, is clipped to this norm.
  double gradient_bound = 1;
  /// sigma: N(0, sigma^2 c_g^2) is added in every coordinate to the sum of a batch's clipped
  /// gradients, which is then divided by the batch's size on average.
  double noise = 0;
};

/// sigma by the source: 2 q sqrt(n_d ln(1/delta)) / epsilon, q = batch/n, n_d the critic's steps of
/// one step of the generator. It accounts for that one step alone, so the epsilon of all of
/// training is another: private_gan_cost.
[[nodiscard]] double private_gan_noise(const PrivateGanSpec& spec, std::size_t records,
                                       double epsilon, double delta);

/// Every step of the critic, of all of training, each of which chooses every record with
/// probability batch/n, one by one.
[[nodiscard]] SampledGaussian private_gan_cost(const PrivateGanSpec& spec, std::size_t records);

/// Trains on points of the plane and returns `count` points of the generator. NOT PRIVATE: the
/// noise comes from the seed and from floating point. `progress` is told each hundredth of the
/// generator's steps, and may be empty. Throws InvalidInput for points of another dimension, none,
/// or a spec out of range. O(generator_steps critic_steps batch width^2).
[[nodiscard]] Points private_gan_sample(
    const Points& records, const PrivateGanSpec& spec, std::size_t count, std::uint64_t seed,
    const std::function<void(std::size_t step)>& progress = nullptr);

// -----------------------------------------------------------------------------------------------
// One sample of a Gaussian of unknown covariance by propose, test, release.

/// The hockey-stick divergences at epsilon between N(shift, 1 + spread^2) and N(0, 1), either way.
struct GaussianExcess {
  double of_wider = 0;     ///< E_epsilon(N(shift, 1 + spread^2) || N(0, 1))
  double of_standard = 0;  ///< E_epsilon(N(0, 1) || N(shift, 1 + spread^2))
};
[[nodiscard]] GaussianExcess gaussian_excess(double shift, double spread, double epsilon);

/// What is public about it.
struct TestedGaussianSpec {
  std::size_t dimension = 1;  ///< d, 1 to 64
  std::uint64_t records = 0;  ///< n, at least 3
  double epsilon = 1;
  double delta = 1e-6;  ///< below 1/2
  /// B: records are clipped to this distance from 0.
  double clip_radius = 1;
};

/// [after Ghazi et al. 2023, Algorithm 2; weights, constants and proof are ours]: NOT PRIVATE here,
/// as it computes with doubles and its noise comes from a seed.
///
/// Definition. Let m be the mean and S the scatter matrix sum_i (x_i - m)(x_i - m)^T of the clipped
/// records, and D = 4 B^2 (n - 1)/n^2. If the least eigenvalue of S/n plus Laplace noise of scale
/// 2 D/epsilon is at least 1/2 + D (1 + 2 ln(1/(2 delta))/epsilon), a draw from N(m, S/n) is
/// released; otherwise nothing.
///
/// Theorem (privacy). If `is_private()`, this is (epsilon, delta)-DP for replacing a record.
/// Proof. Leave one record x out: c and T are mean and scatter of the others, a = x - c, so that
/// S = T + (n - 1)/n a a^T and m = c + a/n. (1) The least eigenvalues of S/n and T/n differ by at
/// most (n - 1)/n^2 |a|^2 <= D, and T does not depend on x: neighbours' differ by at most D, and
/// the test is (epsilon/2)-DP. (2) If that of S/n is below 1/2 + D, the test passes with
/// probability at most delta. (3) Otherwise T/n >= 1/2. Where T/n is the identity, N(m, S/n) and
/// N(c, T/n) are alike but along a, where they are N(p/sqrt(n - 1), 1 + p^2) and N(0, 1) with
/// p^2 = (n - 1)/n^2 a^T (T/n)^-1 a <= 2 D. The channel y -> s y + sqrt(1 - s^2) N(0, 1) takes the
/// pair of p to that of s p, so no smaller p is worse than the greatest. From N(m, S/n) to
/// N(c, T/n) to the neighbour's is epsilon/4 twice, and `is_private` says that
/// E(wider || standard) + e^(epsilon/4) E(standard || wider) <= delta. (1) and (3) compose to
/// (epsilon, delta), (1) and (2) do. QED
///
/// Theorem (accuracy). For unclipped records from N(mu, Sigma), given that it is released without
/// a look at the test, y = sum_i w_i x_i with w_i = 1/n + (g_i - mean g)/sqrt(n) and g_i standard
/// normal, independent of the records: N(mu, v Sigma) with v = (1 + chi^2_(n-1))/n, of mean 1 and
/// variance 2 (n - 1)/n^2, whatever mu and Sigma are.
class TestedGaussian {
 public:
  /// Throws InvalidInput for a spec out of range.
  explicit TestedGaussian(const TestedGaussianSpec& spec);

  /// Whether n is enough for the budget; the other statements hold without.
  [[nodiscard]] bool is_private() const;

  /// The least eigenvalue of S/n that passes the test without noise.
  [[nodiscard]] double threshold() const { return threshold_; }
  /// Of the test's Laplace noise.
  [[nodiscard]] double test_scale() const { return test_scale_; }

  /// A draw; none if the test fails. Rows of d numbers end to end, n of them; InvalidInput
  /// otherwise. O(n d^2).
  [[nodiscard]] std::optional<std::vector<double>> simulate(std::span<const double> rows,
                                                            SeededRandom& random) const;

 private:
  TestedGaussianSpec spec_;
  double test_scale_;
  double threshold_;
};

/// The total variation between N(0, v I), v = (1 + chi^2_(n-1))/n, and N(0, I) in d dimensions, to
/// about 1 %: quadrature with 400 values of v and 2000 of the norm.
[[nodiscard]] double resampled_gaussian_total_variation(std::size_t dimension,
                                                        std::uint64_t records);

/// R + sqrt(K) (sqrt(d) + sqrt(2 ln(2n/alpha))): n records from a Gaussian with |mu| <= R and Sigma
/// <= K I are all within it but with probability alpha/2.
[[nodiscard]] double tested_clip_radius(std::size_t dimension, double mean_bound,
                                        double covariance_bound, std::uint64_t records,
                                        double alpha);

/// The least n, up to 2^40, for one sample within total variation alpha of every N(mu, Sigma) with
/// |mu| <= mean_bound and I <= Sigma <= covariance_bound I, as the sum of: clipping, alpha/2, at
/// tested_clip_radius; a test that fails, alpha/4; and the
/// shape above. None if no such n serves.
[[nodiscard]] std::optional<std::uint64_t> tested_gaussian_records(std::size_t dimension,
                                                                   double mean_bound,
                                                                   double covariance_bound,
                                                                   double epsilon, double delta,
                                                                   double alpha);

}  // namespace mollify
