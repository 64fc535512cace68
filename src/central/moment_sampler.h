// One noisy mean and one noisy covariance of a private table, and rows drawn from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "central/moment_design.h"
#include "kernel/core/secure_random.h"
#include "kernel/noise/clipped_moments.h"
#include "records/numeric_table.h"

namespace mollify {

/// A Gaussian of d coordinates. What was released of it may be handed on at no cost.
struct SharedGaussian {
  std::vector<double> mean;        ///< d
  std::vector<double> covariance;  ///< d x d, row-major, positive definite

  /// Calls `visit` with so many independent draws, each cut to the ranges; d numbers. O(d^3) once
  /// and O(d^2) a row.
  void draw(std::uint64_t count, std::span<const double> low, std::span<const double> high,
            SecureRandom& random, const std::function<void(std::span<const double>)>& visit) const;
};

/// What a round asks of each row: scores = forward (row - centre), in steps of the lattice. Made of
/// what is public and of noisy answers, so it may be handed on.
struct MomentMeasure {
  std::vector<double> centre;   ///< d
  std::vector<double> forward;  ///< d x d, row-major
};

/// The exact entries that a round sums up over rows. Sums of parts of a table, added modulo 2^64,
/// are those of the table. NOT PRIVATE.
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
/// moment_design.h. Each round reads the first n rows, of which missing ones count as none at all
/// (their moments are 0, like those of one public row), maps every row by itself, and hands it to
/// ClippedMoments; of these only entries with exact noise are looked at.
///
/// Accuracy, not privacy, rests on floating point and on what is made of the entries: the
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

  /// Sums up a round over all rows of a table: MomentSums::entries, or those of its parts added
  /// modulo 2^64. Each row must count once.
  using SumUp = std::function<std::vector<std::int64_t>(const MomentMeasure&)>;
  /// The same of a table that lies elsewhere. Entries that lack count as 0.
  [[nodiscard]] SharedGaussian measure(const SumUp& sum_up, SecureRandom& random) const;

 private:
  MomentDesign design_;
  std::vector<double> low_;
  std::vector<double> high_;
};

}  // namespace mollify
