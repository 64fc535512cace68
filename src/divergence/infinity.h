// The value of divergences that are not finite.
#pragma once

#include <limits>

namespace mollify {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace mollify
