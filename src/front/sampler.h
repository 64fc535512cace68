// A single draw's parameters, from the front to the inside.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/band.h"
#include "core/ranges.h"
#include "methods/local/mechanism.h"
#include "mollify/sampler.h"

namespace mollify::front {

namespace inside = ::mollify;

[[nodiscard]] inline inside::Mechanism mechanism_of(const std::string& name) {
  return inside::known_value<inside::Mechanism>("mechanism", name);
}

[[nodiscard]] inline std::vector<std::string> names_of_numbers() {
  std::vector<std::string> names;
  for (const auto& number : inside::mechanism_numbers()) names.emplace_back(number.name);
  return names;
}

/// Throws unless a sampler can be made of this many.
inline void require_outcomes(std::size_t k) {
  inside::require_between({"k", "k", "outcomes"}, k, 1, inside::Band::kMostOutcomes);
}

/// Borrows the reference and the channel. Its parameters have names of their own, not a spec's.
[[nodiscard]] inline inside::MechanismParameters inward(const SamplerParameters& parameters) {
  inside::speak_of({});
  inside::MechanismNumbers numbers;
  for (const auto& number : inside::mechanism_numbers()) {
    const auto given = parameters.numbers.find(std::string(number.name));
    if (given != parameters.numbers.end()) numbers.*number.value = given->second;
  }
  const std::vector<std::string> known = names_of_numbers();
  for (const auto& [name, value] : parameters.numbers) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse_input("unknown-key", name, {WayOut::leave(name)},
                 "the numbers of a mechanism are {}, and none is \"{}\"{}", fmt::join(known, ", "),
                 name, inside::did_you_mean(name, known));
  }
  require_outcomes(parameters.k);
  return {.mechanism = mechanism_of(parameters.mechanism),
          .outcome_count = parameters.k,
          .reference = parameters.reference,
          .epsilon = parameters.epsilon,
          .mu = parameters.mu,
          .numbers = numbers,
          .channel = parameters.channel};
}

}  // namespace mollify::front
