// The doubles that are no numbers.
#pragma once

#include <limits>

namespace mollify::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace mollify::test
