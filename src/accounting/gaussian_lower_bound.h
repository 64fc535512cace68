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
/// 27] are orders]. Let there be M means in the ball, 2 r apart. The nearest one to the average of
/// the outputs is the true one but for a probability of p = q + joint_error, q = P(|N(0, I/m)| >
/// r), so A_j = {the jth is nearest} are disjoint with P_j(A_j) >= 1 - p, while any two sets of n
/// records are n replacements apart. So
///  - epsilon-DP: p >= (M - 1) e^(-n epsilon) (1 - p);
///  - (epsilon, delta)-DP: p >= (M - 1) e^(-n epsilon) (1 - p - delta (e^(n epsilon) -
///  1)/(e^epsilon -
///    1));
///  - rho-zCDP: n^2 rho >= kl(1 - p || 1/M) = (1-p) ln((1-p) M) + p ln(p M/(M - 1)) if 1 - p > 1/M.
/// Proof. The first two are P_1(not A_1) <= p, and P_1(A_j) by group privacy. For the third, the
/// divergences of any two output laws are at most n^2 rho (group privacy), so the mutual
/// information of a uniform j and the output is, and the event of finding j has probability >= 1 -
/// p jointly, 1/M if they were independent: data processing. QED M is the greater of floor(R/r) + 1
/// (on a line, where q is that of one coordinate) and (R/(2r))^d (a maximal packing); r is the best
/// of a fixed set. Rounded down by a relative 1e-9.
double gaussian_records_lower_bound(const GaussianSamplingTask& task, const Privacy& guarantee);

}  // namespace mollify
