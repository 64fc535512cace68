#include "mechanism_options.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "kernel/core/invalid_input.h"
#include "release/local_release.h"

namespace mollify::cli {
namespace {

constexpr const char* kGroup = "Mechanism, all of it public";

/// Those that --mechanism takes: a location is a band, and --band says where.
std::vector<std::string_view> names_to_choose_from() {
  std::vector<std::string_view> taken;
  for (const auto& [mechanism, name] : names<Mechanism>()) {
    if (mechanism != Mechanism::kLocation) taken.push_back(name);
  }
  return taken;
}

}  // namespace

void MechanismOptions::add_to(CLI::App& command, const std::string& reference_help,
                              std::string_view spent_on) {
  const std::string group = kGroup;
  const auto names = names_to_choose_from();
  const auto chosen = [](Mechanism default_mechanism) {
    return fmt::format("; makes {} the default", name_of(default_mechanism));
  };
  command
      .add_option("--mechanism", mechanism,
                  fmt::format("one of {} (default: minimax)", fmt::join(names, ", ")))
      ->type_name("NAME")
      ->group(group);
  const auto number = [&](const std::string& flag, std::optional<double>& value,
                          const std::string& help) {
    add_number(command, flag, value, help)->group(group);
  };
  number("--epsilon", epsilon, fmt::format("privacy budget of {}, from 1e-06", spent_on));
  number("--mu", mu,
         "its counterpart in Gaussian-DP, from 0.001 to 20 for each draw" +
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

std::optional<BandChoice> MechanismOptions::chosen_band() const {
  if (!band) return std::nullopt;
  return parse_band_choice(*band);
}

std::optional<Mechanism> MechanismOptions::named() const {
  if (!mechanism) return std::nullopt;
  const std::optional<Mechanism> known = mollify::named<Mechanism>(*mechanism);
  if (!known || *known == Mechanism::kLocation) {
    throw InvalidInput(fmt::format("mechanism must be one of {}, but is \"{}\"",
                                   fmt::join(names_to_choose_from(), ", "), *mechanism));
  }
  return known;
}

void MechanismOptions::require_budget() const {
  if (epsilon || mu) return;
  refuse_missing(named() == Mechanism::kGaussianCurve ? "--mu" : "--epsilon");
}

LocalReleaseRequest MechanismOptions::request() const {
  LocalReleaseRequest request;
  request.mechanism = named();
  request.reference = reference;
  request.epsilon = epsilon;
  request.mu = mu;
  request.c1 = c1;
  request.c2 = c2;
  request.gamma = gamma;
  request.band = chosen_band();
  return request;
}

Mechanism MechanismOptions::chosen() const { return chosen_mechanism(request()); }

MechanismParameters MechanismOptions::parameters(std::size_t outcome_count,
                                                 std::span<const double> reference_masses) const {
  return mechanism_parameters(request(), SpaceKind::kCategories, outcome_count, reference_masses);
}

}  // namespace mollify::cli
