// One sample of a Gaussian of unknown covariance by propose, test, release.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "space/seeded_random.h"

namespace mollify {

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
