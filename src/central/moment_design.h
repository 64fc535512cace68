// From a budget and public numbers to all parameters of a shared Gaussian model.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
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
  /// columns, in the columns' own standard deviations, if the data are as narrow as
  /// kStatedDeviations.back() says.
  double mean_error = 0;
  double covariance_error = 0;
  /// The greatest ModelError::total_variation over kStatedDeviations: what plans, releases and
  /// advice state.
  double expected_total_variation = 0;
  std::string why;  ///< for people

  friend bool operator==(const MomentDesign&, const MomentDesign&) = default;
};

/// Throws InvalidInput unless n is within the limits above.
void require_moment_records(std::uint64_t records);

/// Throws InvalidInput, in one sentence, for a request outside the limits above, and for budgets
/// so small or large that no noise of the kernel serves them. `amount` is MomentDesign::amount,
/// where it has been found before (adaptive_amount_down); all else follows from it by operations
/// that every machine rounds alike.
[[nodiscard]] MomentDesign design_moments(const MomentRequest& request,
                                          std::optional<double> amount = std::nullopt);

/// How many standard deviations half of a column's range has in the cases that errors are stated
/// for: in each case any two columns have a correlation of at most kStatedCorrelation.
inline constexpr std::array<double, 3> kStatedDeviations = {2, 3, 5};
inline constexpr double kStatedCorrelation = 0.5;

/// What noise is expected to do to a model, from public facts alone.
struct ModelError {
  double mean = 0;        ///< of a column, in its standard deviations
  double covariance = 0;  ///< of two columns, in products of their standard deviations
  /// From the Gaussian of the table's own mean and covariance.
  double total_variation = 1;
};

/// The error if half of every column's range has `deviations` of the column's standard deviations.
///
/// Derivation. Let v be the narrowest direction's variance in a round's map: at first
/// (1 - kStatedCorrelation) (r / deviations)^2 / d, because half a range is r / sqrt(d) there. The
/// round's noise spreads what is seen of directions over a semicircle of radius R = 2 sqrt(d) e, e
/// the noise of an entry [Wigner 1958], and the next map divides a direction's variance by what was
/// seen and the margin. The mean square of that divisor is (v + margin)^2 + R^2 / 4; its root is
/// taken, or 1 if it is more. The last round's noise adds a symmetric matrix of radius
/// R' = 2 sqrt(d + 1) e / v to the identity and moves the mean by m / sqrt(v) in each coordinate.
/// The mean Kullback-Leibler divergence is d (m^2 / v + E[-log(1 + x)]) / 2, x of the semicircle of
/// R', and total variation is at most the root of half of that (Pinsker's inequality). A model
/// whose R' is 1 or more may have lost a direction, and counts as 1.
///
/// Measured errors are below it (docs/measured/gaussian-data.md), except that ranges of two
/// deviations cut rows, which adds up to .01.
[[nodiscard]] ModelError expected_error(const MomentDesign& design, double deviations);

/// What the stated error depends on, for people: "if half of every column's range is at most 5 of
/// its standard deviations ...". Public.
[[nodiscard]] std::string spread_condition();

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
