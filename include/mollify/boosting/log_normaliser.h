// What makes a boosted density sum to one.
#pragma once

#include <cstddef>

#include "mollify/boosting/features.h"
#include "mollify/reference/measure.h"

namespace mollify {

class BoostedDensity;

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

/// Sums over cells of equal width that cover the reference's central box, with exact cell masses
/// and the classifiers' values at cell centres: an error of the order of the squared width where
/// they are smooth, and of the width where they jump. For one and two dimensions; 2^16 cells take
/// some tens of milliseconds. Throws InvalidInput if the dimensions differ, beyond three
/// dimensions, below 4 cells along each axis or beyond 2^24 cells.
[[nodiscard]] LogNormaliser log_normaliser_by_cubature(const BoostedDensity& density,
                                                       const Measure& reference,
                                                       std::size_t cells = std::size_t{1} << 16U);

/// Averages over independent draws from Q0, for any dimension. The standard error is that of the
/// mean, divided by the mean (the delta method); at most (e^(epsilon/2) - 1) / (2 sqrt(n)) or so.
/// Throws InvalidInput if the dimensions differ or there are fewer than two draws.
[[nodiscard]] LogNormaliser log_normaliser_by_sampling(const BoostedDensity& density,
                                                       const Features& reference_draws);

}  // namespace mollify
