// The three passes over the scores that projection.cpp steers, one table of them for each
// instruction set. Chosen at run time: one binary serves every processor.
#pragma once

#include "mollify/kernel/wide.h"
#include "projection.h"

namespace mollify::detail {

/// What a first look at the scores tells. Positive means > 0: NaN is not.
struct Survey {
  double sum;       ///< of the positive scores
  double greatest;  ///< score, 0 if none is positive
  double capacity;  ///< the greatest sum of numerators if outcomes without a score stay lowest
};

/// Sum of clip(t * score, lower, upper), and of the scores that are not clipped: its slope in t.
struct ClippedSum {
  double sum;
  double slope;
};

template <class Score>
struct Passes {
  Survey (*survey)(const Bounds&, const Score*);
  ClippedSum (*clipped_sum)(const Bounds&, const Score*, double t);
  /// Writes clip(trunc(t * score), lower, upper) and block sums (modulo 2^64); the exact total.
  uint128 (*round)(const Bounds&, const Score*, double t, std::uint64_t* numerators,
                   std::uint64_t* block_sums);
};

struct Lanes {
  Passes<double> of_double;
  Passes<float> of_float;
};

extern const Lanes kBaselineLanes;
#if defined(__x86_64__)
extern const Lanes kAvx2Lanes;
#endif

}  // namespace mollify::detail
