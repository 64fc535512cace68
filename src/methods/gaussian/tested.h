// Gaussian samples of the records' own covariance, which is tested first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/random.h"
#include "kernel/naturals.h"
#include "methods/gaussian/design.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Propose, test, release: the promise of a run's integers.

/// The public integers of a run that is tested.
///
/// Definition. The n records of a run are clipped to points of Z^d of norm at most L; s is their
/// sum, T the sum of their x x^T and A = n T - s s^T, n^2 times their covariance. Let N = 4 L^2
/// (n - 1) and U = ceil(N / 2^16). The run passes if
///
///     floor(least eigenvalue of A / U) + Z >= threshold
///
/// with Z discrete Laplace of scale b. Then a point z of Z^d is drawn, coordinate by coordinate,
/// from discrete Gaussians of the centres and variances that N(s/n, A/n^2) has given the
/// coordinates before. Otherwise what is released is public.
///
/// Theorem (privacy) [after Ghazi et al. 2023, Algorithm 2; constants and proof are ours]. With
/// j the least integer of P(Z >= j) <= delta, f = threshold - j + 1 and the spread
///
///     p^2 = N / (f U - N - 4 n^2),    if that is positive,
///
/// a run is (epsilon, delta)-DP for replacing a record if, with r = ((1 + eta)/(1 - eta))^d for the
/// lattice's ripple eta at variance 4,
///
///     epsilon >= ceil(N/U)/b + e1 + ln(1 + p^2)/2 + 1/(2 (n - 1)) + 2 ln r   and
///     delta >= r times the excess at e1 of N(p/sqrt(n - 1), 1 + p^2) from N(0, 1).
///
/// Proof: docs/theory/gaussian-proofs.md. Integers alone decide privacy.
struct TestedRun {
  std::size_t dimension = 1;
  std::uint64_t records = 2;  ///< n
  std::uint64_t radius = 1;   ///< L
  Ratio scale;                ///< b
  std::uint64_t threshold = 1;

  /// No replaced record moves floor(eigenvalue / U) by more.
  static constexpr std::uint64_t kSteps = std::uint64_t{1} << 16;
  /// Exact elimination takes d^3 products of numbers of up to 100 d binary digits.
  static constexpr std::size_t kMostDimensions = 32;

  /// U.
  [[nodiscard]] std::uint64_t unit() const;
};

/// Those of a design with a threshold.
[[nodiscard]] TestedRun tested_run(const GaussianDesign& design);

/// Throws InvalidInput unless d is from 1 to 32, n from 2 to 2^39, L from 1 to 2^20, 7 n L^2 at
/// most 2^62 so that 64 bits hold all moments, and the threshold from 1 to 2^62.
void check_tested_run(const TestedRun& run);

/// The theorem, each number rounded outward. Requires what check_tested_run does.
[[nodiscard]] bool tested_run_keeps(const TestedRun& run, double epsilon, double delta);

/// The excess of the theorem, the greatest P(E) - e^epsilon Q(E) of P = N(p/sqrt(n - 1), 1 + p^2)
/// from Q = N(0, 1), rounded up; p^2 = `square` from 10^-14 to 10^2, epsilon at least 0.
[[nodiscard]] double wider_gaussian_excess_up(double square, std::uint64_t records, double epsilon);

/// The total variation of N(0, v I) from N(0, I) in R^d where v is random, (1 + chi-squared of n -
/// 1 degrees of freedom)/n, as a draw of the covariance of n Gaussian records has it. Rounded up;
/// of order sqrt(d (d + 2)/8)/n.
[[nodiscard]] double resampled_gaussian_error_up(std::size_t dimension, std::uint64_t records);

// -----------------------------------------------------------------------------------------------
// Test and draw, exactly.

/// n, s and A of a run, from the entries of ClippedMoments with the offset 1. NOT PRIVATE. Total:
/// of entries that no records have, A is something or other.
class RunScatter {
 public:
  RunScatter(std::uint64_t records, std::size_t dimension, std::span<const std::int64_t> entries);

  /// Whether A - times unit I is positive semidefinite: fraction-free elimination (Bareiss 1968),
  /// in integers of any size.
  [[nodiscard]] bool reaches(int128 times, std::uint64_t unit) const;

  /// A point of Z^d as defined above.
  ///
  /// Theorem (law). If the words are uniform and A is positive definite, P(z) is exactly the
  /// product over i of e^(-(z_i - c_i)^2/(2 v_i)) / (sum over Z of the same), c_i and v_i being
  /// mean and variance of coordinate i under N(s/n, A/n^2) given that those before it are z_1, ...,
  /// z_(i-1). Proof in tested.cpp. A coordinate without variance is its centre, rounded.
  [[nodiscard]] std::vector<std::int64_t> draw(SecureRandom& random) const;

 private:
  std::uint64_t records_;
  std::vector<std::int64_t> sums_;
  std::vector<int128> scatter_;  // A, by rows
};

/// Test and draw of one run; none if it fails.
[[nodiscard]] std::optional<std::vector<std::int64_t>> draw_tested_run(
    const TestedRun& run, std::span<const std::int64_t> entries, SecureRandom& random);

// -----------------------------------------------------------------------------------------------
// The design of a run that is tested.

/// As design_run and settle_run do, of a request with (epsilon, delta) and a covariance bound.
bool design_tested_run(GaussianDesign& design);
bool settle_tested_run(GaussianDesign& design);

/// How likely it is that a run of such records fails its test, at most.
[[nodiscard]] double test_failure_up(const GaussianDesign& design);

}  // namespace mollify
