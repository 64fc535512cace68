#include "mechanism_options.h"

#include <fmt/format.h>

#include "command.h"
#include "kernel/core/invalid_input.h"
#include "release/design.h"
#include "release/spec_json.h"

namespace mollify::cli {
namespace {

constexpr const char* kGroup = "Mechanism, all of it public";

}  // namespace

void MechanismOptions::add_to(CLI::App& command, const std::string& reference_help,
                              std::string_view spent_on) {
  const std::string group = kGroup;
  const auto chosen = [](Mechanism default_mechanism) {
    return fmt::format("; makes {} the default", name_of(default_mechanism));
  };
  command
      .add_option("--mechanism", mechanism,
                  fmt::format("one of {} (default: minimax)", local_mechanisms_text()))
      ->type_name("NAME")
      ->group(group);
  const auto number = [&](const std::string& flag, std::optional<double>& value,
                          const std::string& help) {
    add_number(command, flag, value, help)->group(group);
  };
  number("--epsilon", epsilon, fmt::format("privacy budget of {}, from 1e-06", spent_on));
  number("--mu", mu,
         "Gaussian privacy in place of epsilon, from 0.001 to 20 for each draw" +
             chosen(Mechanism::kGaussianCurve));
  number("--c1", c1, "least density of P against the reference" + chosen(Mechanism::kClass));
  number("--c2", c2, "greatest density of P against the reference" + chosen(Mechanism::kClass));
  number("--gamma", gamma,
         "P is within this factor of the reference" + chosen(Mechanism::kNeighbourhood));
  command.add_option("--reference", reference, reference_help + chosen(Mechanism::kRelative))
      ->type_name("FILE")
      ->group(group);
}

void MechanismOptions::add_band_to(CLI::App& command) {
  command
      .add_option("--band", band,
                  "where the band lies, instead of a mechanism: minimax (for --c2), relative, or "
                  "location=B")
      ->type_name("CHOICE")
      ->group(kGroup);
}

std::optional<Mechanism> MechanismOptions::named() const {
  if (!mechanism) return std::nullopt;
  const std::optional<Mechanism> known = mollify::named<Mechanism>(*mechanism);
  if (!known || *known == Mechanism::kLocation) {
    throw InvalidInput(fmt::format("mechanism must be one of {}, but is \"{}\"",
                                   local_mechanisms_text(), *mechanism));
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
