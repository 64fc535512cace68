// How many records any private sampler of Gaussians needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "accounting/privacy.h"

namespace mollify {

/// What is asked of a sampler: for records from N(mu, I) in R^d, |mu| <= mean_norm, outputs whose
/// joint law is within `joint_error` of that many independent draws of N(mu, I). Independent
/// outputs that are each within alpha have a joint_error of `outputs` alpha.
struct GaussianSamplingTask {
  std::size_t dimension = 1;
  double mean_norm = 0;
  std::uint64_t outputs = 1;
  double joint_error = 0;
};

/// A number of records below which no sampler does this under the guarantee; 0 where that says
/// nothing.
///
/// Theorem [ours; with constants, where the lower bounds of [Cheu, Nayak 2024, Theorems 22, 23 and
/// 27] are orders; proof: docs/theory/gaussian-proofs.md]. Let there be M means in the ball, 2 r
/// apart, q = P(|N(0, I/m)| > r) and p = q + joint_error. Then
///
///     epsilon-DP:            p >= (M - 1) e^(-n epsilon) (1 - p)
///     (epsilon, delta)-DP:   p >= (M - 1) e^(-n epsilon)
///                                 (1 - p - delta (e^(n epsilon) - 1)/(e^epsilon - 1))
///     rho-zCDP:              n^2 rho >= (1 - p) ln((1 - p) M) + p ln(p M/(M - 1))
///                                 if 1 - p > 1/M
///
/// M is the greater of floor(R/r) + 1 (on a line, where q is that of one coordinate) and
/// (R/(2 r))^d (a maximal packing); r is the best of a fixed set. Rounded down by a relative 1e-9.
[[nodiscard]] double gaussian_records_lower_bound(const GaussianSamplingTask& task,
                                                  const Privacy& guarantee);

}  // namespace mollify
