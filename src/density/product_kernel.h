// Density estimates of mixed points by products of kernels.
#pragma once

#include <memory>
#include <span>

#include "density/bandwidths.h"
#include "density/mixed_points.h"
#include "density/scorer.h"

namespace mollify {

/// Scores candidates by a product-kernel density estimate of the rows.
///
/// Definition. f(x) = (1/n) sum_i prod_c K_c(x_c, X_ic) with the column's kernels K_c of
/// column_kernel.h, each a probability, so f is one too.
///
/// Accuracy. Scores are within 1e-4 of f, relatively, where f exceeds 1e-30 and number bandwidths
/// are at least 1e-3 (narrower ones lose digits in the tails): single precision, and rows are
/// skipped that together add less than 2^-15 of what is there. The same on every processor.
///
/// Speed. Candidates lie in blocks along a k-d tree, split by levels first; equal rows are joined;
/// each block looks only at rows that can matter there. With AVX2, about a billion pairs of row
/// and candidate a second are looked at without skipping (docs/guide/scorers.md). About 4 bytes a
/// value, and as much again for rows while scoring.
class ProductKernelScorer final : public Scorer {
 public:
  explicit ProductKernelScorer(const MixedPoints& candidates);
  ~ProductKernelScorer() override;

  using Scorer::score;
  /// Scores with given bandwidths, which may be private. Throws InvalidInput like the other, and if
  /// there is not one bandwidth for each column.
  void score(const MixedPoints& rows, const Bandwidths& bandwidths, std::span<float> scores) const;

 private:
  class Blocks;

  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  std::unique_ptr<const Blocks> blocks_;
};

}  // namespace mollify
