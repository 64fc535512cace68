// The parameters that a mechanism must have, for tests that ask every mechanism.
#pragma once

#include <cmath>
#include <cstddef>

#include "methods/local/mechanism.h"

namespace mollify::test {

/// All of its numbers, in range at any budget; the reference is the caller's.
inline MechanismParameters complete_parameters(Mechanism mechanism, std::size_t outcomes,
                                               double budget) {
  MechanismParameters parameters{.mechanism = mechanism, .outcome_count = outcomes};
  (row_of(mechanism).in_mu ? parameters.mu : parameters.epsilon) = budget;
  parameters.numbers =
      own_numbers(mechanism, {.c1 = 0.25, .c2 = 3, .gamma = 10, .location = std::exp(-budget / 4)});
  return parameters;
}

}  // namespace mollify::test
