// From a budget and public numbers to all parameters of a shared Gaussian model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "kernel/noise/ratio.h"

namespace mollify {

/// Everything public about a release from one noisy mean and one noisy covariance.
struct MomentRequest {
  /// n, 1 to 2^39.
  std::uint64_t records = 0;
  /// d, 1 to 256; under pure privacy 1 to 43, whose moments are the most coordinates that
  /// EuclideanLaplace draws.
  std::size_t dimension = 0;
  /// epsilon with or without delta, or rho.
  Privacy budget;

  friend bool operator==(const MomentRequest&, const MomentRequest&) = default;
};

/// One measurement of all moments.
struct MomentRound {
  std::uint32_t parts = 0;  ///< of MomentDesign::kParts that the budget is cut into
  /// Pure: the scale of EuclideanLaplace noise on all entries; else the variance of
  /// DiscreteGaussian noise on each.
  Ratio noise;

  friend bool operator==(const MomentRound&, const MomentRound&) = default;
};

/// How one mean and one covariance are measured. Two designs of one request are equal, so a
/// certificate can be checked by designing anew.
///
/// Rows are measured in rounds [after Biswas et al. 2020]: in each they are moved and
/// turned by a public affine map, multiplied by L / clip_radius, and their ClippedMoments of radius
/// L and offset b taken with noise. The first map brings the box of the declared ranges into the
/// ball; each further one is made of the round's noisy answer, so that the columns' directions have
/// variance of about 1 and clip_radius is in standard deviations.
///
/// Theorem (privacy). For any rows, replacing one moves a round's entries by Delta = 5 sqrt(2)
/// (L^2 + b^2) at most, given all answers before (ClippedMoments: the map is a function of them).
/// So round k, with k's noise, spends
/// - pure: Delta / scale of epsilon [EuclideanLaplace];
/// - concentrated: Delta^2 / (2 variance) of rho [DiscreteGaussian];
/// - approximate: Delta^2 / (variance - kLatticePart) of the square of mu (adaptive_gaussian.h),
/// and rounds add up, each chosen after the outputs before it. The model, its rows, and more rows
/// of it are post-processing.
struct MomentDesign {
  static constexpr std::uint32_t kParts = 64;

  MomentRequest request;
  /// r: how far from a round's centre rows are cut, in its units.
  double clip_radius = 0;
  std::uint64_t lattice_radius = 0;  ///< L
  std::uint64_t offset = 0;          ///< b
  std::vector<MomentRound> rounds;
  /// epsilon, rho or mu^2 of all rounds, rounded down.
  double amount = 0;
  Privacy guarantee;
  /// The standard deviation that noise gives a column's mean, and an entry of the covariance of two
  /// of them, in the columns' own standard deviations.
  double mean_error = 0;
  double covariance_error = 0;
  /// The least standard deviation, as a share of half of a column's range, of which that is so:
  /// narrower directions are seen as if they had it.
  double least_spread = 0;
  /// About how far the model is expected to be from the Gaussian of the table's own mean and
  /// covariance, in total variation, for such columns.
  double expected_total_variation = 0;
  std::string why;  ///< for people

  friend bool operator==(const MomentDesign&, const MomentDesign&) = default;
};

/// Throws InvalidInput unless n is within the limits above.
void require_moment_records(std::uint64_t records);

/// Throws InvalidInput, in one sentence, for a request outside the limits above, and for budgets
/// so small or large that no noise of the kernel serves them.
[[nodiscard]] MomentDesign design_moments(const MomentRequest& request);

/// What the expected total variation rests on, for people: "if the standard deviation of every
/// column is at least 0.78 of half of its range". Public.
[[nodiscard]] std::string spread_condition(const MomentDesign& design);

/// Throws InvalidInput unless the integers of the design, wherever it comes from, keep its
/// guarantee.
void check_moment_design(const MomentDesign& design);

/// The standard deviation of noise on one of a round's entries, about.
[[nodiscard]] double entry_deviation(const MomentDesign& design, const MomentRound& round);

/// What noise gives the mean of a coordinate, and the product of two of them, of a round's map.
struct MomentErrors {
  double mean = 0;
  double product = 0;
  /// How much variance is added to all directions before the next map is made, so that none is cut
  /// for noise alone.
  double margin = 0;
};
[[nodiscard]] MomentErrors errors_of(const MomentDesign& design, const MomentRound& round);

}  // namespace mollify
