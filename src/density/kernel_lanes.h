// The loops over pairs of row and candidate that product_kernel.cpp steers, one table of them for
// each instruction set. Chosen at run time: one binary serves every processor.
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

/// A column of rows, and a block of candidates in it. What a kernel loses by distance, in powers of
/// two, is (slope d)^2 for numbers at distance d, slope for another category, and slope d + min(d,
/// 1) for ordered values.
struct BoxColumn {
  const float* rows;
  float low;
  float high;
  float slope;
};

/// All columns: those in which the block holds one value, then the others; each by scale.
struct Box {
  const BoxColumn* columns;
  ScaleCounts constant;
  ScaleCounts varying;
};

/// Some candidates and rows, with the columns in which the candidates vary, by scale. Numbers are
/// multiplied by their slope already.
struct Tile {
  ScaleCounts varying;
  const float* slopes;  ///< of categories and ordered columns
  const float* values;  ///< of candidates, column by column
  std::size_t padded;   ///< number of candidates, a multiple of 8
  const float* rows;    ///< row by row: logarithm of its weight, then its values
  std::size_t row_count;
};

struct KernelLanes {
  /// For rows of given logarithmic weights (a multiple of 8 of them), all logarithms being binary:
  /// `exact` gets the weight less what the constant columns lose, `upper` that less the least that
  /// the others may lose inside the box. Returns the greatest upper bound.
  float (*bound)(const Box&, const float* weights, std::size_t row_count, float* exact,
                 float* upper);
  /// Adds the kernels of all rows to the candidates' sums and returns the least sum. Kernels below
  /// 2^-125 are nothing.
  float (*add_kernels)(const Tile&, float* sums);
  /// (value - origin) * factor for `count` values, a multiple of 8.
  void (*scale)(const float* values, std::size_t count, float origin, float factor, float* to);
};

extern const KernelLanes kBaselineKernelLanes;
#if defined(__x86_64__)
extern const KernelLanes kAvx2KernelLanes;
#endif

}  // namespace mollify::detail
