// The search's passes over vectors, a table of them for each instruction set. Which one runs is
// chosen at run time (core/lanes.h, whose rules hold here), and all of them give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/numerators.h"

namespace mollify::detail {

/// What lower bounds follow from: total, floor, and whether a hair is added (make_band).
struct LowerRule {
  double floor;
  double mass_sum;
  double total;
  bool is_generous;
};

/// The result of a first look at the scores. NaN is not positive.
struct Survey {
  double sum;       ///< of the positive scores
  double greatest;  ///< score, 0 if none is above 0
  double room;      ///< between the bounds of outcomes with a positive score
};

/// Sum of clip(t * score, lower, upper) - lower, and of the scores that are not clipped: its slope
/// in t. Taken from the lower bound on, because where most outcomes stay there a sum of all
/// numerators would drown what matters in rounding.
struct Excess {
  double sum;
  double slope;
};

/// Scores that meet no bound between two t's, how many are at their upper bound there, and how many
/// others there are, infinite ones among them: they were copied.
struct Narrowed {
  double free_sum;
  double free_count;
  double upper_count;
  std::size_t copied;
};

/// Passes over scores or masses. They read bounds.size of them, and equally many lower bounds if
/// each outcome has its own.
template <class Score>
struct Passes {
  Survey (*survey)(const Bounds&, const Score*);
  Excess (*excess)(const Bounds&, const Score*, double t);
  /// Writes `size` lower bounds, from 1 to 2^62, of `size` masses. One in double precision is
  /// divided by the sum, because certificates hash it; one in single precision is multiplied once,
  /// for a division binds, and is at most 2^-51 beside that.
  void (*lowers)(const LowerRule&, const Score* masses, std::size_t size, std::uint64_t* to);
};

struct SearchLanes {
  Passes<double> of_double;
  Passes<float> of_float;
  /// For bounds that are the same for all: which scores meet one of them between `least` and
  /// `most`. These, and perhaps some next to them, are copied to `to`, which has `room` places: all
  /// of them if these are eight more than there are scores, and never beyond.
  Narrowed (*narrow)(const Bounds&, const float*, double least, double most, float* to,
                     std::size_t room);

  static const SearchLanes kBaseline, kAvx2;
};

}  // namespace mollify::detail
