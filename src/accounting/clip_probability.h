// How likely it is that a Gaussian record lies outside the ball it is clipped to.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mollify {

/// Gaussian records in whitened coordinates: mean of norm at most `mean_norm`, covariance from I to
/// `covariance_bound` times I (1: it is I itself).
struct WhitenedRecords {
  std::size_t dimension = 1;
  double mean_norm = 0;
  double covariance_bound = 1;
};

/// A bound on P(|x| > radius) for every such record.
///
/// Covariance I: the probability itself, at |mu| = R, where it is greatest (of two means the one
/// nearer to 0 leaves more in a ball around 0, Anderson 1955). With one coordinate z along mu and
/// the others a chi-squared of d - 1 degrees of freedom,
///     P = P(|R + z| > B) + integral over |R + z| <= B of phi(z) P(chi2 > B^2 - (R + z)^2) dz.
/// The truth times at least 1 and at most 1 + 2e-9 down to 1e-300 for R up to 10^6 (numerically;
/// Boost's own noncentral chi-squared is off by factors in far tails and stops for large R).
///
/// Covariance up to K I: the lesser of two bounds.
///  - |x| <= R + sqrt(K) |z| with z ~ N(0, I), so P <= P(|z| > (B - R)/sqrt(K)).
///  - P <= 2 P(|N(mu, K I)| > B): N(mu, K I) is x + w for an independent centred w, and given |x| >
///    B the half space of all w with w.x >= 0, of probability at least one half, keeps |x + w| > B.
/// (That K I itself is the worst is false: with mu next to the sphere more variance along mu brings
/// records back inside.)
///
/// From 1e-300 to 1. InvalidInput unless the dimension is from 1 to 10^6, the mean's norm from 0 to
/// 10^6, the covariance bound from 1 to 10^12 and the radius finite and positive.
[[nodiscard]] double clip_probability_up(const WhitenedRecords& records, double radius);

/// The same at covariance I.
[[nodiscard]] double clip_probability_up(std::size_t dimension, double mean_norm, double radius);

/// P(any of n records lies outside) <= n times the above, at most 1.
[[nodiscard]] double any_clip_probability_up(const WhitenedRecords& records, std::uint64_t count,
                                             double radius);

/// A radius with any_clip_probability_up <= beta, the least but for a relative 1e-6 of its excess
/// over the mean's norm. InvalidInput as above, or unless 1e-290 <= beta/n and beta < 1.
[[nodiscard]] double clip_radius_up(const WhitenedRecords& records, std::uint64_t count,
                                    double beta);

/// The papers' radius R + sqrt(K) (sqrt(d) + sqrt(2 ln(n/beta))) [Cheu, Nayak 2024, Algorithm 4;
/// Ghazi et al. 2023, Algorithms 1 and 3], rounded up: any_clip_probability_up <= beta there
/// too. Errors as above.
[[nodiscard]] double paper_clip_radius_up(const WhitenedRecords& records, std::uint64_t count,
                                          double beta);

}  // namespace mollify
