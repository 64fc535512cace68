#include "mechanism_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "mollify/kernel/invalid_input.h"
#include "mollify/release/local_release.h"

namespace mollify::cli {

void MechanismOptions::add_to(CLI::App& command, const std::string& reference_help) {
  const auto names = mechanism_names();
  command.add_option("--mechanism", mechanism, fmt::format("one of {}", fmt::join(names, ", ")))
      ->type_name("NAME");
  add_number(command, "--epsilon", epsilon, "privacy budget of all draws of a unit together");
  add_number(command, "--mu", mu, "the same for gaussian-curve, in Gaussian-DP");
  add_number(command, "--c1", c1, "class: least density of P against the reference");
  add_number(command, "--c2", c2, "class: greatest density of P against the reference");
  add_number(command, "--gamma", gamma, "neighbourhood: P is within this factor of the reference");
  command.add_option("--reference", reference, reference_help)->type_name("FILE");
}

std::optional<Mechanism> MechanismOptions::named() const {
  if (!mechanism) return std::nullopt;
  const std::optional<Mechanism> known = mechanism_named(*mechanism);
  if (!known) {
    throw InvalidInput(fmt::format("mechanism must be one of {}, but is \"{}\"",
                                   fmt::join(mechanism_names(), ", "), *mechanism));
  }
  return known;
}

Mechanism MechanismOptions::chosen() const {
  LocalReleaseRequest request;
  request.mechanism = named();
  request.reference = reference;
  request.mu = mu;
  request.c1 = c1;
  request.c2 = c2;
  request.gamma = gamma;
  return chosen_mechanism(request);
}

MechanismParameters MechanismOptions::parameters(std::size_t outcome_count,
                                                 std::span<const double> reference_masses) const {
  return {.mechanism = chosen(),
          .outcome_count = outcome_count,
          .reference = reference_masses,
          .epsilon = epsilon,
          .mu = mu,
          .c1 = c1,
          .c2 = c2,
          .gamma = gamma};
}

}  // namespace mollify::cli
