// Scores from a histogram of mixed rows.
#pragma once

#include "density/mixed_points.h"
#include "density/scorer.h"

namespace mollify {

/// Scores candidates by a histogram of the rows in all columns together, backed by the columns'
/// own histograms where no row has been.
///
/// Definition. Numbers are cut into ceil(1 / w) equal cells, at most 1024, of width
/// w = 3.49 sigma n^(-1/(p + 2)) with p number columns [Scott 1979, in p dimensions]; every level
/// is a cell. With D distinct cells among n rows,
///
///   f = (n joint + D independent) / (n + D),
///
/// where `joint` is the density of the histogram over all columns and `independent` the product of
/// the columns' densities, each with one more record spread evenly. D / (n + D) estimates the
/// chance of a cell not seen yet [Witten, Bell 1991]: in many
/// columns nearly every row has a cell of its own, and half of f is then `independent`.
///
/// O((rows + candidates) columns); cells are hashed, and two may count as one once in 2^64 pairs.
class HistogramScorer final : public Scorer {
 public:
  explicit HistogramScorer(const MixedPoints& candidates);

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  MixedPoints candidates_;
};

}  // namespace mollify
