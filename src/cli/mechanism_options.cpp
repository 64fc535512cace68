#include "mechanism_options.h"

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"
#include "release/design.h"
#include "release/spec_json.h"
#include "spec_options.h"

namespace mollify::cli {

void MechanismOptions::add_to(CLI::App& command, const std::string& reference_help,
                              std::string_view spent_on) {
  describe(command.add_option("--mechanism", mechanism))
      ->description(fmt::format("one of {} (default: minimax)", local_mechanisms_text()));
  describe(add_number(command, "--epsilon", epsilon))
      ->description(fmt::format("privacy budget of {}, from 1e-06", spent_on));
  describe(add_number(command, "--mu", mu));
  describe(add_number(command, "--c1", c1));
  describe(add_number(command, "--c2", c2));
  describe(add_number(command, "--gamma", gamma));
  describe(command.add_option("--reference", reference))
      ->description(
          fmt::format("{}; makes {} the default", reference_help, name_of(Mechanism::kRelative)));
}

void MechanismOptions::add_band_to(CLI::App& command) {
  describe(command.add_option("--band", band))
      ->description(
          "where the band lies, instead of a mechanism: minimax (for --c2), relative, or "
          "location=B");
}

std::optional<Mechanism> MechanismOptions::named() const {
  if (!mechanism) return std::nullopt;
  const std::optional<Mechanism> known = mollify::named<Mechanism>(*mechanism);
  if (!known || *known == Mechanism::kLocation) {
    refuse_mechanism(*mechanism, Model::kLocal);
  }
  return known;
}

void MechanismOptions::require_budget() const {
  if (epsilon || mu) return;
  refuse_missing(named() == Mechanism::kGaussianCurve ? "--mu" : "--epsilon");
}

LocalSpec MechanismOptions::spec() const {
  LocalSpec spec{.mechanism = named(), .c1 = c1, .c2 = c2, .gamma = gamma};
  if (band) {
    spec.band = parse_band(*band);
    if (spec.band->mechanism == Mechanism::kLocation && !spec.band->location) {
      throw InvalidInput(fmt::format(
          "band {} is found when a release is prepared; here say where it lies, location=B",
          *band));
    }
  }
  if (reference) spec.reference = PublicFile{*reference};
  return spec;
}

Mechanism MechanismOptions::chosen() const { return chosen_mechanism(spec(), mu.has_value()); }

MechanismParameters MechanismOptions::parameters(std::size_t outcome_count,
                                                 std::span<const double> reference_masses,
                                                 SpaceKind space) const {
  MechanismParameters parameters =
      mechanism_parameters(spec(), mu.has_value(), space, outcome_count, reference_masses);
  parameters.epsilon = epsilon;
  parameters.mu = mu;
  return parameters;
}

}  // namespace mollify::cli
