// Normal deviates for what is public.
#pragma once

#include <cmath>

#include "kernel/core/secure_random.h"

namespace mollify {

/// Standard normal deviates by the polar method (Marsaglia, Bray 1964), in floating point: for
/// public noise alone. Uniforms have 53 bits, which ends the tails beyond 8 standard deviations.
class PublicNormals {
 public:
  explicit PublicNormals(SecureRandom& random) : random_(random) {}

  double draw() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    for (;;) {
      const double x = uniform(), y = uniform();
      const double square = x * x + y * y;
      if (square >= 1 || square == 0) continue;
      const double factor = std::sqrt(-2 * std::log(square) / square);
      spare_ = factor * y;
      has_spare_ = true;
      return factor * x;
    }
  }

 private:
  /// Of (-1, 1).
  double uniform() { return (static_cast<double>(random_.word() >> 11) + 0.5) * 0x1p-52 - 1; }

  SecureRandom& random_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace mollify
