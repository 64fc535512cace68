// The parameters that a mechanism must have, for tests that ask every mechanism.
#pragma once

#include <cmath>
#include <cstddef>

#include "methods/local/mechanism.h"

namespace mollify::test {

/// All of its numbers, in range at any budget, by their rows alone; the reference is the caller's.
inline MechanismParameters complete_parameters(Mechanism mechanism, std::size_t outcomes,
                                               double budget) {
  MechanismParameters parameters{.mechanism = mechanism, .outcome_count = outcomes};
  (row_of(mechanism).in_mu ? parameters.mu : parameters.epsilon) = budget;
  for (const MechanismNumber& number : mechanism_numbers()) {
    if (!row_of(mechanism).has(number)) continue;
    double value = number.is_open ? std::exp(-budget / 4) : 0.25;  // between e^-budget and 1
    if (std::isinf(number.below)) value = number.least + std::expm1(budget) / 2;
    parameters.numbers.*number.value = value;
  }
  return parameters;
}

}  // namespace mollify::test
