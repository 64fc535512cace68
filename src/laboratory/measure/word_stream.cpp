#include "laboratory/measure/word_stream.h"

#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace mollify {

double WordStream::normal() { return std::numbers::sqrt2 * boost::math::erf_inv(2 * unit() - 1); }

void WordStream::uniform_in(const Box& box, std::span<double> point) {
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const double share = unit();
    point[axis] = box[axis].low * (1 - share) + box[axis].high * share;
  }
}

}  // namespace mollify
