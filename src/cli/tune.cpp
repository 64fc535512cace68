// mollify tune: where to put the band, told from public units.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "command.h"
#include "divergence/worst_case_risk.h"
#include "io/domain_yaml.h"
#include "io/public_files.h"
#include "io/public_records.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "local/band_floor.h"
#include "local/band_tuning.h"
#include "local/mechanism.h"
#include "local/scored_table.h"
#include "report.h"
#include "space_options.h"

namespace mollify::cli {
namespace {

struct TuneOptions {
  std::optional<std::string> public_units, unit, domain, data, reference;
  std::optional<double> epsilon, c1, c2;
  std::optional<std::uint64_t> count;
  SpaceOptions space;
  bool json = false;
};

struct TriedBand {
  std::string choice;  // as --band takes it
  double floor;
};

std::vector<TriedBand> bands_to_try(const TuneOptions& options, const ReleaseSpace& space,
                                    double epsilon) {
  std::vector<TriedBand> bands;
  if (options.c2) {
    bands.push_back({"minimax", class_floor(options.c1.value_or(0), *options.c2, epsilon)});
  } else if (options.c1) {
    throw InvalidInput("c1 needs c2 beside it, but none is given");
  } else if (space.kind() == SpaceKind::kCategories && !options.reference && space.size() > 1) {
    bands.push_back({"minimax", minimax_floor(space.size(), epsilon)});
  }
  bands.push_back({"relative", relative_floor(epsilon)});
  // Denser next to 1, where units far from the reference have their best band.
  for (const int percent : {2, 5, 10, 20, 30, 40, 60, 70, 80, 90}) {
    // Three digits are as good, and easier to type.
    const double b = std::stod(fmt::format("{:.3g}", std::exp(-epsilon * percent / 100)));
    if (!(b > std::exp(-epsilon)) || !(b < 1)) continue;
    bands.push_back({to_text(PlacedBand{Mechanism::kLocation, b}), location_floor(b, epsilon)});
  }
  return bands;
}

/// The worst case over everything between c1 and c2 times the reference, whatever the units; an
/// upper bound. None without c2.
std::optional<DivergenceReport> worst_case(const TuneOptions& options, const TriedBand& band,
                                           std::size_t outcomes, double epsilon) {
  if (!options.c2) return std::nullopt;
  const DensityClass inputs{options.c1.value_or(0), *options.c2};
  return location_risk(ReferenceMasses::uniform(outcomes), epsilon, band.floor, inputs).risk;
}

/// The band whose mean of one divergence is least.
template <class Divergence>
const std::string& best(const std::vector<TriedBand>& bands,
                        const std::vector<BandTuning::Result>& results, Divergence divergence) {
  const auto least = std::min_element(results.begin(), results.end(), [&](auto& a, auto& b) {
    return divergence(a.mean) < divergence(b.mean);
  });
  return bands[static_cast<std::size_t>(least - results.begin())].choice;
}

void refuse_private_units(const TuneOptions& options, const std::string& file) {
  if (!options.data) return;
  if (!std::filesystem::exists(*options.data)) {
    throw InvalidInput(
        fmt::format("{} must be the private file, but there is none", *options.data));
  }
  if (same_file_or_content(file, *options.data)) {
    throw InvalidInput(
        fmt::format("the units must be public, but {} is the private file itself", file));
  }
}

/// What is taken on trust.
void tell_what_was_not_compared(const TuneOptions& options) {
  if (options.data) return;
  tell(
      "not compared with private data, because no --data is given: that the units are public is "
      "your word\n");
}

int run(const TuneOptions& options) {
  const std::string& file = needed(options.public_units, "--public-units");
  refuse_private_units(options, file);
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  SpaceSpec request = options.space.request();
  // Which list it is makes no difference on average over units; one list is made faster.
  request.fresh = false;
  if (options.space.fresh && !request.kind) request.kind = SpaceKind::kCandidates;
  const auto reference =
      options.reference ? std::optional(PublicFile{*options.reference}) : std::nullopt;
  const ReleaseSpace space(domain, request, reference, PublicFiles());
  const double epsilon = draw_budget_down(Privacy::pure(needed(options.epsilon, "--epsilon")),
                                          options.count.value_or(1))
                             .epsilon;
  std::vector<double> masses;
  if (options.reference && space.kind() != SpaceKind::kCandidates) {
    masses = reference_masses(read_public_records(*options.reference, space.domain()), space.kind(),
                              space.domain());
  }
  const std::vector<TriedBand> bands = bands_to_try(options, space, epsilon);
  std::vector<double> floors;
  floors.reserve(bands.size());
  for (const TriedBand& band : bands) floors.push_back(band.floor);
  const std::size_t outcomes = static_cast<std::size_t>(space.size());
  BandTuning tuning(floors, outcomes, masses, epsilon);

  const ScorerKind kind = options.space.scorer_for(space.kind());
  const auto scorer = make_scorer(kind, space.points(), epsilon);
  const UnitRecords units = read_public_units(file, space.domain(), needed(options.unit, "--unit"));
  std::vector<float> scores(outcomes);
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    score_against_reference(*scorer, space.layout().points(units.digits(unit)), space.densities(),
                            scores);
    tuning.add(scores);
  }
  if (tuning.units() == 0) {
    throw InvalidInput(fmt::format("{} must hold units to tune with, but holds none", file));
  }

  const std::vector<BandTuning::Result> results = tuning.results();
  const auto& by_kl = best(bands, results, [](const DivergenceReport& d) { return d.kl; });
  if (options.json) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < bands.size(); ++i) {
      rows.push_back({{"band", bands[i].choice},
                      {"floor", bands[i].floor},
                      {"mean", divergence_json(results[i].mean)},
                      {"worst", divergence_json(results[i].worst)}});
      const auto bound = worst_case(options, bands[i], outcomes, epsilon);
      rows.back()["worst_case"] = bound ? divergence_json(*bound) : Json(nullptr);
    }
    print_json({{"epsilon", epsilon},
                {"units", tuning.units()},
                {"space", name_of(space.kind())},
                {"outcomes", space.size()},
                {"scorer", name_of(kind)},
                {"bands", rows},
                {"best",
                 {{"kl", by_kl},
                  {"tv", best(bands, results, [](const DivergenceReport& d) { return d.tv; })},
                  {"hellinger2", best(bands, results,
                                      [](const DivergenceReport& d) { return d.hellinger2; })}}}});
    tell_what_was_not_compared(options);
    return kSuccess;
  }
  fmt::print("{} public units, {} ({} outcomes), scored by {}, epsilon {:.6g} a draw\n\n",
             tuning.units(), name_of(space.kind()), space.size(), name_of(kind), epsilon);
  fmt::print("{:<16} {:>10}  {:>9} {:>9}  {:>8} {:>8}  {:>9} {:>9}  {:>9}\n", "--band", "b",
             "mean KL", "worst", "mean TV", "worst", "mean H2", "worst", "bound KL");
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const auto& [mean, worst] = results[i];
    const auto bound = worst_case(options, bands[i], outcomes, epsilon);
    fmt::print("{:<16} {:>10.6f}  {:>9.4f} {:>9.4f}  {:>8.4f} {:>8.4f}  {:>9.4f} {:>9.4f}  {:>9}\n",
               bands[i].choice, bands[i].floor, mean.kl, worst.kl, mean.tv, worst.tv,
               mean.hellinger2, worst.hellinger2, bound ? fmt::format("{:.4f}", bound->kl) : "-");
  }
  fmt::print(
      "\nworst: among these units; bound: over everything between c1 and c2 times the "
      "reference{}\n",
      options.c2 ? "" : " (needs --c2)");
  fmt::print("\nleast mean KL: --band {}\n", by_kl);
  tell_what_was_not_compared(options);
  return kSuccess;
}

}  // namespace

void add_tune(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "tune",
      "Choose where the band lies, from PUBLIC example units\n\n"
      "For each band: how far the units' estimates are from the laws they would be released from,\n"
      "on average and at worst. The units must be public: whatever is chosen by looking at "
      "private\n"
      "ones tells of them.");
  const auto options = std::make_shared<TuneOptions>();
  add_text(command, "--public-units", options->public_units, "FILE",
           "public CSV of units like yours");
  add_text(command, "--unit", options->unit, "COLUMN", "column that names the unit of each row");
  add_text(command, "--domain", options->domain, "FILE", "the public domain, YAML");
  add_text(command, "--data", options->data, "FILE",
           "the private file, opened only to make sure that the units are not from it");
  add_number(command, "--epsilon", options->epsilon, "privacy budget of all draws of a unit");
  add_whole_number(command, "--count", options->count, "draws of each unit (default: 1)");
  add_number(command, "--c1", options->c1, "least density of P against the reference");
  add_number(command, "--c2", options->c2,
             "greatest density of P against the reference: tries minimax too");
  add_text(command, "--reference", options->reference, "FILE",
           "public CSV of records in the domain");
  options->space.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
