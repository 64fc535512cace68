#pragma once

#include <cstddef>
#include <cstdint>

#include "core/fit.h"
#include "core/lanes.h"
#include "core/random.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// What the search's passes over vectors share beyond core/lanes.h, whose rules hold here.

namespace {

typedef std::int32_t Int8 __attribute__((vector_size(32)));

/// Whether all lanes of a comparison are true.
inline bool all_true(Int4 lanes) {
#if defined(__AVX2__)
  return _mm256_movemask_epi8(reinterpret_cast<__m256i>(lanes)) == -1;
#else
  return (lanes[0] & lanes[1] & lanes[2] & lanes[3]) != 0;
#endif
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// The passes over a reference's masses that make a band's lower bounds, once for each instruction
// set. Chosen at run time: one binary serves every processor, and all give the same integers.

/// What lower bounds follow from: total, floor, and whether a hair is added (band_spec.h).
struct LowerRule {
  double floor;
  double mass_sum;
  double total;
  bool is_generous;
};

struct BandLanes {
  /// The sum of masses, in sixteen parts; NaN unless each of them is positive and finite.
  double (*sum_of_floats)(const float* masses, std::size_t size);

  /// Writes the lower bounds, from 1 to 2^62, and returns their exact sum. A mass in double
  /// precision is divided by the sum, for certificates hash what comes of it; one in single
  /// precision is multiplied once, for a division binds, and is at most 2^-51 beside that.
  uint128 (*lowers_of_doubles)(const LowerRule&, const double* masses, std::size_t size,
                               std::uint64_t* lowers);
  uint128 (*lowers_of_floats)(const LowerRule&, const float* masses, std::size_t size,
                              std::uint64_t* lowers);

  static const BandLanes kBaseline, kAvx2, kAvx512;
};

// -----------------------------------------------------------------------------------------------
// The passes over the scores that projection.cpp steers, one table of them for each
// instruction set. Chosen at run time: one binary serves every processor.

/// What a first look at the scores tells. NaN is not positive.
struct Survey {
  double sum;       ///< of the positive scores
  double greatest;  ///< score, 0 if none is above 0
  double capacity;  ///< the greatest sum of numerators if outcomes without a score stay lowest
};

/// Sum of clip(t * score, lower, upper) - lower, and of the scores that are not clipped: its slope
/// in t. Taken from the lower bound on, because where most outcomes stay there a sum of all
/// numerators would drown what matters in rounding.
struct Excess {
  double sum;
  double slope;
};

/// The excess at the ends of a stretch of t. That of the groups of eight outcomes which meet none
/// of their bounds between the ends is linear in t there; the other groups are listed.
struct Stretch {
  double linear_at_least;
  double linear_at_most;
  double listed_at_least;
  double listed_at_most;
  std::size_t listed_count;
};

/// The scores above a threshold.
struct Active {
  double sum;
  double count;
};

template <class Score>
struct Passes {
  Survey (*survey)(const Bounds&, const Score*);
  /// Half of the work of an excess, and all of it where nothing reaches a common upper bound. The
  /// threshold may not be negative.
  Active (*active)(std::size_t size, const Score*, double threshold);
  Excess (*excess)(const Bounds&, const Score*, double t);
};

struct SearchLanes {
  Passes<double> of_double;
  Passes<float> of_float;
  // The rest is for a multiple of eight outcomes.

  /// Where each outcome has bounds of its own: the stretch from `least` to `most`, both positive.
  /// `listed`, with room for every group, are their first outcomes.
  Stretch (*stretch)(const Bounds&, const float*, double least, double most, std::uint32_t* listed);
  /// The excess of the groups listed, one after the other.
  Excess (*listed_excess)(const Bounds&, const float*, const std::uint32_t* listed,
                          std::size_t count, double t);
  /// The survey in single precision. The capacity is right where the bounds are the same for all.
  Survey (*coarse_survey)(const Bounds&, const float*);

  // And these are for bounds that are the same for all.

  /// The excess in single precision, to about six digits. t should be far from its range's ends.
  Excess (*coarse_excess)(const Bounds&, const float*, double t);
  /// Copies the scores above `least`, and perhaps some just below it, to `to`, which has room for
  /// two for each outcome, followed by zeros up to a multiple of eight. Returns how many there are.
  std::size_t (*gather)(const Bounds&, const float*, double least, void* to);

  static const SearchLanes kBaseline, kAvx2, kAvx512;
};

}  // namespace mollify::detail
