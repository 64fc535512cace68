// Kernel density estimates.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/random.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How far kernels smooth, column by column.

/// One smoothing parameter for each column (see ColumnKernel).
struct Bandwidths {
  std::vector<float> of_column;
};

/// Bandwidths by closed rules, from the rows and one more record spread evenly over the domain,
/// which makes constant columns, one row and none ordinary cases.
///
/// Number: h = sigma n^(-1/(p + 4)) with p number columns [Scott 1992, eq. 6.42]. Category: the
/// lambda that minimises the expected squared error of the column's own histogram, estimated
/// [Fienberg, Holland 1973]: what this kernel does to a histogram is to shrink it to the uniform
/// one. Ordered: the same for Wang and van Ryzin's kernel to first order in lambda, where it
/// shrinks each level to its neighbours' mean. So the margins of discrete columns are kept as well
/// as they can.
///
/// Private if the rows are. Any values are read into range. O(values), and sorting of levels.
[[nodiscard]] Bandwidths rule_of_thumb(const MixedPoints& rows);

// -----------------------------------------------------------------------------------------------
// How one column spreads around a value.

/// A probability K(x, X) in x around each origin X of a column:
///
///   number: the normal density of mean X and deviation h on [0, 1], divided by its mass there;
///   category: 1 - lambda if x = X, else lambda / (levels - 1)
///     [Aitchison, Aitken 1976];
///   ordered: 1 if x = X, else lambda^|x - X| / 2, divided by the sum over all levels
///     [Wang, van Ryzin 1981].
///
/// No mass is lost at edges. Values are read into range.
class ColumnKernel {
 public:
  /// `bandwidth` is h, from 2^-16 to 2^10, or lambda: from 0 to (levels - 1) / levels for
  /// categories, to 1 for ordered values. Beyond, it is the nearest end; NaN is the least value.
  ColumnKernel(MixedColumn column, float bandwidth) noexcept;

  [[nodiscard]] const MixedColumn& column() const noexcept { return column_; }
  [[nodiscard]] double bandwidth() const noexcept { return bandwidth_; }

  /// K(x, X), with respect to Lebesgue or counting measure.
  [[nodiscard]] double density(float x, float origin) const noexcept;

  /// The binary logarithm of K(X, X).
  [[nodiscard]] double log2_peak(float origin) const noexcept;

  /// The binary logarithm of K(X, X) / K(x, X), at least 0. At distance d = |x - X| it is
  /// (slope d)^2 for numbers, slope for another category, slope d + min(d, 1) for ordered values.
  [[nodiscard]] double loss(float x, float origin) const noexcept;
  /// At most 10^4, which represents lambda = 0: K is then below every float.
  [[nodiscard]] double slope() const noexcept { return slope_; }

  /// A value with law K(., X). Numbers stay within six deviations: 2e-9 of their law is missing.
  /// Equal words give equal values on every processor, except that a comparison with a logarithm or
  /// exponential may differ once in about 10^15 values.
  template <WordSource Source>
  [[nodiscard]] float draw(float origin, Source& source) const {
    switch (column_.scale) {
      case Scale::kNumber:
        return draw_number(static_cast<double>(number_in_range(origin)), source);
      case Scale::kCategory:
        return static_cast<float>(draw_category(level_in_range(origin, column_.levels), source));
      case Scale::kOrdered:
        break;
    }
    return static_cast<float>(draw_ordered(level_in_range(origin, column_.levels), source));
  }

 private:
  /// Uniform on the multiples of 2^-53 in [0, 1).
  template <WordSource Source>
  static double uniform(Source& source) {
    return static_cast<double>(source.word() >> 11U) * 0x1p-53;
  }

  template <WordSource Source>
  [[nodiscard]] float draw_number(double origin, Source& source) const {
    const double low = std::max(origin - 6 * bandwidth_, 0.0);
    const double high = std::min(origin + 6 * bandwidth_, 1.0);
    double x = 0;
    double deviation = 0;
    do {
      x = low + (high - low) * uniform(source);
      deviation = (x - origin) / bandwidth_;
    } while (uniform(source) >= std::exp(-0.5 * deviation * deviation));
    return static_cast<float>(x);
  }

  template <WordSource Source>
  [[nodiscard]] std::uint32_t draw_category(std::uint32_t origin, Source& source) const {
    if (uniform(source) >= bandwidth_) return origin;
    const auto other = static_cast<std::uint32_t>(uniform_below(source, column_.levels - 1));
    return other < origin ? other : other + 1;
  }

  template <WordSource Source>
  [[nodiscard]] std::uint32_t draw_ordered(std::uint32_t origin, Source& source) const {
    const double below = 0.5 * powers_up_to(origin);
    const double above = 0.5 * powers_up_to(column_.levels - 1 - origin);
    const double side = uniform(source) * (1 + below + above);
    if (side < 1) return origin;
    const bool is_below = side < 1 + below;
    const std::uint32_t most = is_below ? origin : column_.levels - 1 - origin;
    const std::uint32_t distance = distance_at(uniform(source), most);
    return is_below ? origin - distance : origin + distance;
  }

  /// lambda + lambda^2 + ... + lambda^most.
  [[nodiscard]] double powers_up_to(std::uint32_t most) const noexcept;
  /// The least d in {1, ..., most} with powers_up_to(d) > u powers_up_to(most).
  [[nodiscard]] std::uint32_t distance_at(double u, std::uint32_t most) const noexcept;

  MixedColumn column_;
  double bandwidth_;
  double slope_;
};

// -----------------------------------------------------------------------------------------------
// Density estimates of mixed points by products of kernels.

/// Scores candidates by a product-kernel density estimate of the rows.
///
/// Definition. f(x) = (1/n) sum_i prod_c K_c(x_c, X_ic) with the column's kernels K_c of
/// ColumnKernel, each a probability, so f is one too.
///
/// Accuracy. Scores are within 1e-4 of f, relatively, where f exceeds 1e-30 and number bandwidths
/// are at least 1e-3 (narrower ones lose digits in the tails): single precision, and rows are
/// skipped that together add less than 2^-15 of what is there. Equal on every processor.
///
/// Speed. Candidates lie in blocks along a k-d tree, split by levels first; equal rows are joined;
/// each block looks only at rows that can matter there. With AVX2, about a billion pairs of row
/// and candidate a second are looked at without skipping (docs/evidence/speed-inside.md). About 4 bytes
/// a value, and as much again for rows while scoring.
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
