// A single draw's parameters, from the front to the inside.
#pragma once

#include <string>

#include "base/names.h"
#include "methods/local/mechanism.h"
#include "mollify/sampler.h"

namespace mollify::front {

namespace inside = ::mollify;

[[nodiscard]] inline inside::Mechanism mechanism_of(const std::string& name) {
  if (const auto mechanism = inside::named<inside::Mechanism>(name)) return *mechanism;
  inside::refuse_name("mechanism", "one of " + inside::all_names<inside::Mechanism>(), name,
                      inside::name_list<inside::Mechanism>());
}

/// Borrows the reference.
[[nodiscard]] inline inside::MechanismParameters inward(const SamplerParameters& parameters) {
  return {.mechanism = mechanism_of(parameters.mechanism),
          .outcome_count = parameters.outcomes,
          .reference = parameters.reference,
          .epsilon = parameters.epsilon,
          .mu = parameters.mu,
          .c1 = parameters.c1,
          .c2 = parameters.c2,
          .gamma = parameters.gamma,
          .location = parameters.location};
}

}  // namespace mollify::front
