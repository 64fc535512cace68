// How a refusal writes a number.
#pragma once

#include <cstdio>
#include <string>

namespace mollify::detail {

/// The number as a person would write it: 0.1, 1e-06, nan.
inline std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace mollify::detail
