// What every public list of masses must satisfy.
#pragma once

#include <cmath>
#include <span>
#include <string>

#include "kernel/core/band.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/shortest.h"

namespace mollify::detail {

/// The sum of 1 to 2^24 finite, positive masses; throws InvalidInput for any other list.
inline double validated_mass_sum(std::span<const double> masses) {
  if (masses.empty() || masses.size() > Band::kMostOutcomes) {
    throw InvalidInput("the number of outcomes must be from 1 to 16777216, but is " +
                       std::to_string(masses.size()));
  }
  double sum = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] > 0) || !std::isfinite(masses[i])) {
      throw InvalidInput("the reference mass of outcome " + std::to_string(i) +
                         " must be finite and positive, but is " + shortest(masses[i]));
    }
    sum += masses[i];
  }
  if (!std::isfinite(sum)) throw InvalidInput("the reference masses must have a finite sum");
  return sum;
}

}  // namespace mollify::detail
