// Public references made of public records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/random.h"
#include "domain/candidates.h"
#include "domain/domain.h"
#include "records/tallies.h"
#include "scores/kernels.h"
#include "scores/points.h"
#include "scores/records.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The reference masses of a grid's cells from public records.

/// The mean of the histograms that cut every axis into 1, 2, 4, ..., 2^R parts, each spread evenly
/// over the cells of its parts: close to the records where they are many, never zero (the first
/// histogram is uniform), and made of additions, products and quotients alone, so that it is the
/// same on every machine. A grid has too many cells for `smoothed_histogram`.
///
/// `grid` is enumerable, and its d columns are the axes; `public_records` are **public** and lie in
/// it. R is the greatest with 2^(R (d + 2)) <= 4^(d + 2) n for n records, the order of the best
/// histogram's parts [Scott 1992, section 3.4], with finer ones for narrow peaks; parts are never
/// narrower than cells. O(k R) for k cells. The masses sum to one up to rounding.
[[nodiscard]] std::vector<double> multiscale_histogram(const Empirical& public_records,
                                                       const Domain& grid);

// -----------------------------------------------------------------------------------------------
// A public reference made of public records.

/// The masses (count_i + 1) / (n + k) of k outcomes after n **public** records: Laplace's rule.
///
/// A band needs a positive mass on every outcome, or the outcome could never be released; one
/// record's worth on each does that and vanishes as public records accumulate. O(k).
[[nodiscard]] std::vector<double> smoothed_histogram(const Empirical& public_records,
                                                     std::size_t outcome_count);

// -----------------------------------------------------------------------------------------------
// A public reference on mixed points, made of public records.

/// The law h = (1 - lambda) f + lambda u of points, where f is the product-kernel density estimate
/// of **public** records (scores/kernels.h) and u is uniform: numbers on [0, 1], levels evenly.
///
/// u keeps h positive everywhere: no point's density ratio to a bounded p exceeds max p / lambda.
/// Without records h is uniform.
///
/// 4 bytes a value of the records.
class SmoothedRecords {
 public:
  static constexpr double kUniformShare = 0.1;

  /// `uniform_share` is lambda. Throws InvalidInput if it is not in (0, 1], or if there is not one
  /// bandwidth for each column.
  SmoothedRecords(MixedPoints records, Bandwidths bandwidths, double uniform_share = kUniformShare);
  /// With the bandwidths of `rule_of_thumb`.
  explicit SmoothedRecords(const MixedPoints& records, double uniform_share = kUniformShare);

  [[nodiscard]] std::span<const MixedColumn> columns() const noexcept { return records_.columns(); }
  [[nodiscard]] const Bandwidths& bandwidths() const noexcept { return bandwidths_; }
  [[nodiscard]] double uniform_share() const noexcept { return uniform_share_; }

  /// The density of h with respect to u at each point, at least lambda: 1 everywhere if h is
  /// uniform. Throws InvalidInput unless the points have the records' columns, and `densities` one
  /// entry for each. Single precision, as ProductKernelScorer; makes one for the points.
  void densities(const MixedPoints& points, std::span<float> densities) const;

  /// One point with law h into `point`, which has one entry for each column. Each draw goes to one
  /// record, uniformly, and from there in each column by its kernel. O(columns).
  void draw(SecureRandom& random, std::span<float> point) const { draw_with(random, point); }
  /// Draws from a public seed, as for a public list of candidates.
  void draw(SeededRandom& random, std::span<float> point) const { draw_with(random, point); }

 private:
  template <WordSource Source>
  void draw_with(Source& random, std::span<float> point) const;

  MixedPoints records_;
  Bandwidths bandwidths_;
  double uniform_share_;
  std::vector<ColumnKernel> kernels_;
};

// -----------------------------------------------------------------------------------------------
// Candidates that look like public records.

/// Draws candidates from the smoothed records of a **public** file (SmoothedRecords) instead of
/// evenly. If the private records are like the public ones, far fewer candidates are enough.
class ReferenceCandidates {
 public:
  /// Most records to smooth: of more, this many at equal distances in the file.
  static constexpr std::size_t kMostRecords = std::size_t{1} << 17U;

  /// `digits` holds public records' digits, a record after the other. `domain` is kept.
  ReferenceCandidates(Domain domain, const std::vector<std::uint32_t>& digits);

  /// The list of the domain's seed: the same wherever the mathematical library rounds alike, so a
  /// list that many machines share should be a file.
  [[nodiscard]] Candidates seeded(std::uint64_t count) const;

  /// New ones that nobody has seen.
  [[nodiscard]] Candidates fresh(std::uint64_t count, SecureRandom& random) const;

 private:
  template <class Random>
  [[nodiscard]] Candidates draw(std::uint64_t count, Random& random) const;

  Domain domain_;
  RecordLayout layout_;
  SmoothedRecords records_;
};

}  // namespace mollify
