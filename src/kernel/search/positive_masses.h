// What every public list of masses must satisfy.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <string>

#include "kernel/core/band.h"
#include "kernel/core/invalid_input.h"

namespace mollify::detail {

template <class Mass>
double sum_of_validated(std::span<const Mass> masses) {
  require_between("the number of outcomes", masses.size(), 1, Band::kMostOutcomes);
  double sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] > 0) || !std::isfinite(masses[i])) {
      throw InvalidInput("the reference mass of outcome " + std::to_string(i) +
                         " must be finite and positive, but is " +
                         shortest(static_cast<double>(masses[i])));
    }
    sum += static_cast<double>(masses[i]);
  }
  if (!std::isfinite(sum)) throw InvalidInput("the reference masses must have a finite sum");
  return sum;
}

/// The sum of 1 to 2^24 finite, positive masses; throws InvalidInput for any other list.
[[nodiscard]] inline double validated_mass_sum(std::span<const double> masses) {
  return sum_of_validated(masses);
}
[[nodiscard]] inline double validated_mass_sum(std::span<const float> masses) {
  return sum_of_validated(masses);
}

}  // namespace mollify::detail
