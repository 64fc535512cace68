// Uniform draws from a finite box.
#pragma once

#include <span>

#include "laboratory/measure/box.h"
#include "laboratory/measure/word_stream.h"

namespace mollify::detail {

inline double uniform_in(WordStream& words, const Interval& interval) {
  const double share = words.unit();
  return interval.low * (1 - share) + interval.high * share;
}

inline void uniform_in_box(WordStream& words, const Box& box, std::span<double> point) {
  for (std::size_t axis = 0; axis < box.size(); ++axis) point[axis] = uniform_in(words, box[axis]);
}

}  // namespace mollify::detail
