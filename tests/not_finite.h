// Values that are not finite numbers.
#pragma once

#include <limits>

namespace mollify::test {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
inline constexpr float kInfiniteFloat = std::numeric_limits<float>::infinity();
inline constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();

}  // namespace mollify::test
