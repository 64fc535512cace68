// The rounding pass of fit.cpp, once for each instruction set. Chosen at run time: one binary
// serves every processor.
#pragma once

#include "fit.h"

namespace mollify::detail {

/// Writes a numerator for each of bounds.size scores, near t * score and, whatever these are,
/// inside its bounds, and block sums (modulo 2^64). Returns the exact sum of what it wrote.
template <class Score>
using RoundingPass = uint128 (*)(const Bounds& bounds, const Score* scores, double t,
                                 std::uint64_t* numerators, std::uint64_t* block_sums);

struct RoundingLanes {
  RoundingPass<double> of_double;
  RoundingPass<float> of_float;
};

extern const RoundingLanes kBaselineRoundingLanes;
#if defined(__x86_64__)
extern const RoundingLanes kAvx2RoundingLanes;
#endif

}  // namespace mollify::detail
