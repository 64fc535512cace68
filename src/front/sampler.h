// A single draw's parameters, from the front to the inside.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/names.h"
#include "methods/local/mechanism.h"
#include "mollify/sampler.h"

namespace mollify::front {

namespace inside = ::mollify;

[[nodiscard]] inline inside::Mechanism mechanism_of(const std::string& name) {
  return inside::known_value<inside::Mechanism>("mechanism", name);
}

/// Borrows the reference and the channel.
[[nodiscard]] inline inside::MechanismParameters inward(const SamplerParameters& parameters) {
  inside::MechanismNumbers numbers;
  std::vector<std::string> known;
  for (const auto& number : inside::mechanism_numbers()) {
    known.emplace_back(number.name);
    const auto given = parameters.numbers.find(known.back());
    if (given != parameters.numbers.end()) numbers.*number.value = given->second;
  }
  for (const auto& [name, value] : parameters.numbers) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    inside::refuse_name("a number of a mechanism", name, known);
  }
  return {.mechanism = mechanism_of(parameters.mechanism),
          .outcome_count = parameters.outcomes,
          .reference = parameters.reference,
          .epsilon = parameters.epsilon,
          .mu = parameters.mu,
          .numbers = numbers,
          .channel = parameters.channel};
}

}  // namespace mollify::front
