// How near single draws must be if many of them together are near.
#pragma once

#include <cstdint>

namespace mollify {

/// TV(Bin(m, p), Bin(m, q)): how well the counts of m coins tell two biases apart. m from 1 to
/// 2^20, p and q in [0, 1] (InvalidInput otherwise). O(m), in doubles to about 1e-10.
[[nodiscard]] double binomial_total_variation(std::uint64_t m, double p, double q);

/// The least total variation that m independent draws together can have if one has alpha: min over
/// p in [0, 1 - alpha] of TV(Bin(m, p + alpha), Bin(m, p)).
///
/// Theorem [Cheu, Nayak 2024, Theorem 21, with its constant]. If P and Q are alpha apart, some
/// event has probability p + alpha under one and p under the other; among m draws its count is
/// Bin(m, p + alpha) or Bin(m, p), and processing brings nothing further apart. So a strong
/// multi-sampler within this much is a single sampler within alpha. About sqrt(2m/pi) alpha while
/// that is small, reached at p about one half. By symmetry and unimodality in p the middle is
/// searched, on a grid of 64 and then between its best neighbours. O(m) times some hundreds.
[[nodiscard]] double joint_total_variation_least(std::uint64_t m, double alpha);

/// The greatest alpha with joint_total_variation_least(m, alpha) <= joint: what single draws of a
/// strong multi-sampler are within. By bisection to a relative 1e-6.
[[nodiscard]] double single_total_variation_most(std::uint64_t m, double joint);

}  // namespace mollify
