// A noisy mean and covariance that all rows share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "core/random.h"
#include "kernel/clipped_sums.h"
#include "kernel/naturals.h"
#include "records/private_table.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From a budget and public numbers to all parameters of a shared Gaussian model.

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
/// - approximate: Delta^2 / (variance - kLatticePart) of the square of mu (accounting/gaussian.h),
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
  /// The greatest ModelError::total_variation from kLeastDeviations on: what plans, releases and
  /// advice state.
  double expected_total_variation = 0;
  /// The least of them: where even this tells nothing, a release tells nothing.
  double least_total_variation = 0;
  std::string why;  ///< for people

  friend bool operator==(const MomentDesign&, const MomentDesign&) = default;
};

/// Throws InvalidInput unless n is within the limits above.
void require_moment_records(std::uint64_t records);

/// Throws InvalidInput, in one sentence, for a request outside the limits above, and for budgets so
/// small or large that the kernel has no noise for them. `amount` is MomentDesign::amount, where it
/// has been found before (adaptive_amount_down); all else follows from it by operations that every
/// machine rounds alike.
[[nodiscard]] MomentDesign design_moments(const MomentRequest& request,
                                          std::optional<double> amount = std::nullopt);

/// How many of its standard deviations a column's range reaches to both sides of its mean, in the
/// cases that errors are stated for.
inline constexpr std::array<double, 3> kStatedDeviations = {2, 3, 5};
/// From here on a design states its error: narrower ranges cut data, and no budget mends that.
inline constexpr double kLeastDeviations = 3;
/// And the least variance of a weighted sum of columns, relative to independent columns, that
/// errors are stated for: correlations of one half between any two have it.
inline constexpr double kLeastSum = 0.5;
/// That of columns with these correlations, of the first and second, the first and third, ...: the
/// least eigenvalue of their matrix.
[[nodiscard]] double least_sum(std::size_t dimension, std::span<const double> correlations);

/// What noise and ranges are expected to do to a model, from public facts alone.
struct ModelError {
  double mean = 0;        ///< of a column, in its standard deviations
  double covariance = 0;  ///< of two columns, in products of their standard deviations
  /// From the Gaussian of the data's mean and covariance, as they are before ranges cut them.
  double total_variation = 1;
};

/// The error if every column's range reaches `deviations` of the column's standard deviations to
/// both sides of its mean.
///
/// Derivation. Let v be the narrowest direction's variance in a round's map: at first
/// kLeastSum (r / deviations)^2 / d, because half a range is r / sqrt(d) there. The
/// round's noise spreads what is seen of directions over a semicircle of radius R = 2 sqrt(d) e, e
/// the noise of an entry [Wigner 1958], and the next map divides a direction's variance by what was
/// seen and the margin. The mean square of that divisor is (v + margin)^2 + R^2 / 4; its root is
/// taken, or 1 if it is more. The last round's noise adds a symmetric matrix of radius
/// R' = 2 sqrt(d + 1) e / v to the identity and moves the mean by m / sqrt(v) in each coordinate.
/// A model's variances are raised to a quarter of that radius, because less is noise, so that none
/// is lost. The mean Kullback-Leibler divergence is d (m^2 / v + E[l - 1 - log l]) / 2, where
/// l = max(1 + x, R' / 4), x of the semicircle of R'.
///
/// Values beyond a range are taken at its bounds. That takes 2 (r f(r) - (r^2 - 1) Q(r)) of a
/// column's variance, r its `deviations`, f and Q the normal density and upper tail: at most
/// c = 4 r f(r) / (r^2 + 1), because Q(r) >= r f(r) / (r^2 + 1) (Mills' ratio). A normal law whose
/// variance is less by a share of c has the divergence (-log(1 - c) - c) / 2 from what it was. Of d
/// independent columns it is d times that, which is added, and total variation is at most the root
/// of half of the sum (Pinsker's inequality).
///
/// Measured errors are below it (docs/evidence/tables.md).
[[nodiscard]] ModelError expected_error(const MomentDesign& design, double deviations);

/// The conditions of the stated error, for people: "if every column's range reaches 3 to 5 of its
/// standard deviations ...". Public.
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

// -----------------------------------------------------------------------------------------------
// One noisy mean and one noisy covariance of a private table, and rows drawn from them.

/// A Gaussian of d coordinates. Its released parts may be handed on at no cost.
struct SharedGaussian {
  std::vector<double> mean;        ///< d
  std::vector<double> covariance;  ///< d x d, row-major, positive definite

  /// Calls `visit` with `draws` independent draws, each cut to the ranges; d numbers. O(d^3) once
  /// and O(d^2) a row.
  void draw(std::uint64_t count, std::span<const double> low, std::span<const double> high,
            SecureRandom& random, const std::function<void(std::span<const double>)>& visit) const;
};

/// A round's question to each row: scores = forward (row - centre), in steps of the lattice. Made
/// of public numbers and of noisy answers, so it may be handed on.
struct MomentMeasure {
  std::vector<double> centre;   ///< d
  std::vector<double> forward;  ///< d x d, row-major
};

/// The exact entries that a round sums up over rows. Sums of parts of a table, added modulo 2^64,
/// are the table's. NOT PRIVATE.
class MomentSums {
 public:
  /// `measure` is of the design's dimension.
  MomentSums(const MomentDesign& design, MomentMeasure measure);

  /// Whole rows, row-major, any doubles. A row becomes the same integers wherever it lies.
  void add(std::span<const double> rows);
  [[nodiscard]] std::vector<std::int64_t> entries() const { return moments_.entries(); }

 private:
  MomentMeasure measure_;
  ClippedMoments moments_;
  std::vector<double> centred_;
  std::vector<double> scores_;
};

/// Measures a table by the design's rounds.
///
/// Theorem (privacy). The model keeps design().guarantee for replacing one row, whatever rows are:
/// MomentDesign. Each round reads the first n rows, and missing ones count as zero (their
/// moments are 0, like one public row's), maps every row by itself, and hands it to ClippedMoments;
/// of these only entries with exact noise are looked at.
///
/// Accuracy, not privacy, depends on floating point and on what is made of the entries: the
/// covariance is made positive definite by its eigenvalues, and the mean brought into the ranges.
///
/// Public and immutable.
class MomentSampler {
 public:
  /// `low` and `high` are the ranges' ends, finite, d each, low <= high. Throws InvalidInput for a
  /// design whose integers do not keep its guarantee, and other numbers of ranges.
  MomentSampler(MomentDesign design, std::vector<double> low, std::vector<double> high);

  [[nodiscard]] const MomentDesign& design() const { return design_; }
  [[nodiscard]] std::span<const double> low() const { return low_; }
  [[nodiscard]] std::span<const double> high() const { return high_; }

  /// Total: any doubles. Requires table.dimension() == d (InvalidInput otherwise). A pass over the
  /// table for each round, O(n d^2), and memory of d^2 numbers.
  [[nodiscard]] SharedGaussian measure(const NumericTable& table, SecureRandom& random) const;

  /// Sums up a round over all rows of a table: MomentSums::entries, or its parts' added modulo
  /// 2^64. Each row must count once.
  using SumUp = std::function<std::vector<std::int64_t>(const MomentMeasure&)>;
  /// A release of a table that is elsewhere. Entries that lack count as 0.
  [[nodiscard]] SharedGaussian measure(const SumUp& sum_up, SecureRandom& random) const;

 private:
  MomentDesign design_;
  std::vector<double> low_;
  std::vector<double> high_;
};

// -----------------------------------------------------------------------------------------------
// How far two Gaussians are from each other.

/// The total variation of q from p, the mean of max(0, 1 - q/p) over this many draws of p, at least
/// 1: its standard error is at most 1/(2 sqrt(draws)). 1 where a covariance is not positive
/// definite to doubles. Requires one dimension d. O(d^3), and O(d^2) a draw.
[[nodiscard]] double simulated_total_variation(const SharedGaussian& p, const SharedGaussian& q,
                                               std::size_t draws, SecureRandom& random);

}  // namespace mollify
