#include "laboratory/measure/word_stream.h"

#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace mollify {

double WordStream::normal() { return std::numbers::sqrt2 * boost::math::erf_inv(2 * unit() - 1); }

}  // namespace mollify
