// What makes a boosted density sum to one.
#pragma once

#include <cstddef>

namespace mollify {

/// log Z, Z = E_{Q0} exp(sum theta_t c_t), and how it was found. NOT PRIVATE.
///
/// Z lies between the bounds of exp(sum theta_t c_t), and `value` is clamped to them, so an
/// estimate may be inaccurate but is never impossible.
struct LogNormaliser {
  enum class Method { kCubature, kImportanceSampling };

  double value = 0;
  /// By sampling, the standard error of `value`; by cubature, how far the value is from that of a
  /// grid with half as many cells along each axis.
  double error = 0;
  Method method = Method::kCubature;
  /// Cells, or samples.
  std::size_t points = 0;
};

}  // namespace mollify
