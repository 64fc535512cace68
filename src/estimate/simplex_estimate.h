// Estimates that are distributions: no mass below zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "estimate/linear_law.h"

namespace mollify {

/// The distribution nearest to the masses in Euclidean distance, by sorting [Michelot 1986]. If the
/// masses sum to one, no cell moves away from any distribution's by it in that distance.
/// O(k log k).
[[nodiscard]] std::vector<double> projected_on_simplex(std::vector<double> masses);

/// A distribution, and how far its log-likelihood is from the greatest at most.
struct LikelihoodFit {
  std::vector<double> p;
  double gap_up = 0;  ///< in nats, of all draws together
};

/// The distribution under which the law's draws had most likely had these shares: the greatest sum
/// of shares_j ln (P K)_j, times `draws`.
///
/// Of a mixture it is exact: q_j = max(r_j, shares_j / t) with t such that q sums to one. Of a
/// staircase it is found by expectation maximisation, which never loses likelihood, until the gap
/// draws (max_x (K u)_x - 1), u_j = shares_j / q_j, is below 1e-6, or after 100 000 steps; that gap
/// bounds the distance from the maximum because the logarithm is concave.
[[nodiscard]] LikelihoodFit maximum_likelihood(const LinearLaw& law, std::span<const double> shares,
                                               double draws);

}  // namespace mollify
