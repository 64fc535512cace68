// The loops over pairs of row and candidate that kernels.cpp steers, one table of them for
// each instruction set. Chosen at run time: one binary works on every processor.
#pragma once

#include <cstddef>
#include <cstdint>

namespace mollify::detail {

/// How many columns of each scale.
struct ScaleCounts {
  std::size_t numbers;
  std::size_t categories;
  std::size_t ordered;
};

/// A column of rows, and a block of candidates in it. A kernel's loss by distance, in powers of
/// two, is (slope d)^2 for numbers at distance d, slope for another category, and slope d + min(d,
/// 1) for ordered values.
struct BoxColumn {
  const float* rows;
  float low;
  float high;
  float slope;
};

/// All columns: those in which the block holds one value, then the others; each by scale.
struct BlockBox {
  const BoxColumn* columns;
  ScaleCounts constant;
  ScaleCounts varying;
};

/// Rows chosen for a block: row by row, `stride` values of which the numbers are multiplied by
/// their slope already, and the logarithms of their weights.
struct PackedRows {
  const float* values;
  std::size_t stride;
  const float* weights;
  std::size_t count;
};

/// Candidates in the columns in which they vary, column by column and by scale.
struct Tile {
  ScaleCounts varying;
  const std::uint32_t* slots;  ///< where rows have these columns
  const float* slopes;         ///< of categories and ordered columns
  const float* values;         ///< of candidates; numbers multiplied by their slope already
  std::size_t padded;          ///< number of candidates, a multiple of 8
};

struct KernelLanes {
  /// For rows of given logarithmic weights (a multiple of 8 of them), all logarithms being binary:
  /// `exact` gets the weight less what the constant columns lose, `upper` that less the least that
  /// the others may lose inside the box. Returns the greatest upper bound.
  float (*bound)(const BlockBox&, const float* weights, std::size_t row_count, float* exact,
                 float* upper);
  /// shells[i] = (top - upper[i]) / width, rounded down and at most `last`; `row_count` is a
  /// multiple of 8.
  void (*sort_into_shells)(const float* upper, std::size_t row_count, float top, float width,
                           float last, std::int32_t* shells);
  /// to[k][s] = (values[chosen[k]][s] - origins[s]) * factors[s] for s below `stride`, a multiple
  /// of 8.
  void (*pack)(const float* values, std::size_t stride, const std::uint32_t* chosen,
               std::size_t count, const float* origins, const float* factors, float* to);
  /// Adds the kernels of all rows to the candidates' sums and returns the least sum. Kernels below
  /// 2^-125 are nothing.
  float (*add_kernels)(const Tile&, const PackedRows&, float* sums);
  /// (value - origin) * factor for `count` values, a multiple of 8.
  void (*scale)(const float* values, std::size_t count, float origin, float factor, float* to);

  static const KernelLanes kBaseline, kAvx2;
};

}  // namespace mollify::detail
