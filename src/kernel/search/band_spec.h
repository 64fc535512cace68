// Which lower bounds a band has: shares of a public reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kernel/core/band.h"

namespace mollify {

/// What a band is made of. All of it is public: nothing here may be computed from private data.
struct BandSpec {
  /// Number of outcomes k, 1 to 2^24. May be left 0 when `reference` is given.
  std::size_t outcome_count = 0;
  /// Reference masses h, k positive finite numbers, normalised by make_band. Empty: uniform.
  std::span<const double> reference = {};
  /// The same in single precision, instead: of a network, say.
  std::span<const float> float_reference = {};
  /// b: no outcome is released with probability below b * h. In (0, 1).
  double floor = 0;
  /// The privacy parameter of one draw, from 1e-6; above 30 it counts as 30.
  double epsilon = 0;
  /// N, the number of equal parts that probability is cut into. Smaller values serve the exhaustive
  /// tests; the guarantee holds for every N, the resolution is best at 2^62.
  std::uint64_t total = Band::kGreatestTotal;
};

/// The band with
///   lower_i = ceil(N b h_i (1 + 2^-39)),
/// and for k = 1 the only outcome has lower = upper = N: it is released always.
///
/// The hair of 2^-39 makes up for Ebar lying 2^-40 below e^epsilon, so that the upper bounds still
/// reach N for the P that a minimax band is made for; where these lower bounds sum to more than N
/// (b next to 1) they are max(1, floor(N b h_i)) instead. All of this decides how useful a band is;
/// Band's theorem holds for any lower bounds.
///
/// The integers are the same on every machine: certificates hash them. Throws InvalidInput, in one
/// sentence, if the spec is malformed or no table fits. O(k).
[[nodiscard]] Band make_band(const BandSpec& spec);

}  // namespace mollify
