#include "laboratory/measure/gaussian_envelope.h"

#include <cmath>
#include <cstdio>

#include <gtest/gtest.h>

namespace mollify {
namespace {

/// The mass of the ring's reference of radius 1 and variance 1/2 whose tail is
/// exp(-(|x| - 1)^2 / width), by the midpoint rule along the radius.
double ring_mass(double width) {
  double mass = 1;  // the disc: pi times the peak, 1/pi
  constexpr double kStep = 1e-4;
  for (double beyond = kStep / 2; beyond < 12; beyond += kStep) {
    mass += kStep * 2 * (1 + beyond) * std::exp(-beyond * beyond / width);
  }
  return mass;
}

// docs/theory/experiments.md: 2 sqrt(sigma^2) where 2 sigma^2 is meant.
TEST(GaussianEnvelope, TheRingsCodeHasAnotherExponent) {
  const GaussianEnvelope envelope(1, 0.5, 2);
  const double of_the_code = ring_mass(2 * std::sqrt(0.5));
  std::printf("c2 %.4f; with the code's exponent %.4f\n", envelope.class_bound(), of_the_code);
  EXPECT_NEAR(envelope.class_bound(), ring_mass(2 * 0.5), 1e-6);
  EXPECT_NEAR(envelope.class_bound(), 3.77, 5e-3);
  EXPECT_NEAR(of_the_code, 4.52, 5e-3);
}

}  // namespace
}  // namespace mollify
