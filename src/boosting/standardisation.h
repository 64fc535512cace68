// Features brought to mean 0 and deviation 1.
#pragma once

#include <span>
#include <vector>

#include "density/points.h"

namespace mollify::detail {

/// Feature f becomes (x - centres[f]) * factors[f].
struct Standardisation {
  std::vector<float> centres{};
  std::vector<float> factors{};
};

/// By mean and deviation of both samples together, each counting half (all, if the other is empty).
/// Values that are not finite count as absent; a feature that does not vary has factor 0.
[[nodiscard]] Standardisation standardisation_of(const Points& p, const Points& q);

/// to[i] = (values[i] - centre) * factor, or 0 if that is not finite.
void standardise(std::span<const float> values, float centre, float factor, float* to);

}  // namespace mollify::detail
