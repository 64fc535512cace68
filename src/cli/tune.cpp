// mollify tune: where to put the band, told from public units.
#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "base/names.h"
#include "base/progress.h"
#include "cli/compare.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "formats/domain_yaml.h"
#include "formats/public_files.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "methods/local/sampler.h"
#include "methods/tuning/best_band.h"
#include "release/public_inputs.h"
#include "release/release_error.h"
#include "release/space.h"

namespace mollify::cli {

namespace {

struct TuneOptions {
  std::optional<std::string> public_units, unit, domain, data, reference, divergence;
  std::optional<double> epsilon, c1, c2;
  std::optional<std::uint64_t> count;
  std::optional<std::string> out;
  SpaceOptions space;
  bool best = false;
  bool json = false;
  bool overwrite = false;
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

/// The one that bands are compared in: KL unless another is asked for.
const DivergenceName& divergence_of(const TuneOptions& options) {
  const std::string key = options.divergence.value_or(kDivergenceNames.front().key);
  std::vector<std::string> known;
  for (const DivergenceName& name : kDivergenceNames) {
    if (name.key == key) return name;
    known.emplace_back(name.key);
  }
  refuse_name("divergence", key, known);
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

/// What the best band is looked for with, and nothing else.
void require_best(const TuneOptions& options, const ReleaseSpace& space) {
  const auto refuse = [](bool given, const char* flag) {
    if (!given) return;
    throw InvalidInput(fmt::format(
        "--best finds the reference and its place itself, so {} must not be given beside it",
        flag));
  };
  refuse(options.c1.has_value(), "--c1");
  refuse(options.c2.has_value(), "--c2");
  refuse(options.reference.has_value(), "--reference");
  if (space.kind() == SpaceKind::kCandidates) {
    throw InvalidInput(
        "--best is for categories and grids, but the space is candidates: each list of these would "
        "need bounds of its own");
  }
  require_new("--out", options.out, options.overwrite);
}

void print_contest(const BandContest& found, const char* words, const TuneOptions& options) {
  const auto held_out = [](const std::optional<double>& mean) {
    return mean ? fmt::format("{:.4f}", *mean) : std::string("-");
  };
  fmt::print(
      "no epsilon-LDP sampler has mean {} below {:.4f} on these units; minimax {:.4f}, uniform "
      "reference at its best b {:.4f}, reference from the units {:.4f}, best {} held out\n\n",
      words, found.best.limit_down, found.minimax, found.even.mean, found.from_units.mean,
      held_out(found.best_held_out));
  fmt::print("{:<34} {:>9} {:>12} {:>9}\n", fmt::format("mean {}", words), "b", "on the units",
             "held out");
  const auto row = [&](const std::string& name, const std::string& b, double mean,
                       const std::optional<double>& out) {
    fmt::print("{:<34} {:>9} {:>12.4f} {:>9}\n", name, b, mean, held_out(out));
  };
  row("minimax", "", found.minimax, found.minimax);
  row("uniform reference", fmt::format("{:.4f}", found.even.location), found.even.mean,
      found.even_held_out);
  row("reference from the units", fmt::format("{:.4f}", found.from_units.location),
      found.from_units.mean, found.from_units_held_out);
  row("best", "", found.best.mean, found.best_held_out);
  fmt::print("{:<34} {:>9} {:>12.4f}\n\n", "limit of every sampler, proven", "",
             found.best.limit_down);
  // To a power of ten, from 1e-6: what is below is the processor's.
  const double gap = found.best.mean - found.best.limit_down;
  fmt::print(
      "the best is within {:.0e} of the limit; held out: each fifth of the units, by the rest\n",
      std::pow(10, std::max(-6.0, std::ceil(std::log10(std::max(gap, 1e-300))))));
  if (found.share > 0) {
    fmt::print(
        "written is the best moved {:g} of the way to the uniform one, which has mean {} {} held "
        "out\n",
        found.share, words, held_out(found.written_held_out));
  }
  if (options.out)
    fmt::print("{} is a band that sample takes: --band file={}\n", *options.out, *options.out);
}

/// Held-out figures of few units say little of the next ones.
void tell_few_units(std::size_t units) {
  constexpr std::size_t kFewUnits = 50;
  if (units >= kFewUnits) return;
  if (units < kHeldOutParts) {
    tell(fmt::format(
        "WARNING: {} public unit{} {} too few to hold any out, so nothing tells how the band does "
        "on other units: it fits these alone; give {} or more\n",
        units, units == 1 ? "" : "s", units == 1 ? "is" : "are", kFewUnits));
    return;
  }
  tell(fmt::format(
      "WARNING: of {} public units each held-out part has {} or so, too few to tell how the band "
      "does on other units; give {} or more\n",
      units, units / kHeldOutParts, kFewUnits));
}

int run_best(const TuneOptions& options, const DivergenceName& name, const UnitMasses& units,
             double epsilon, const ReleaseSpace& space) {
  Progress progress("searches", 1 + kHeldOutParts);
  const auto divergence = known_value<BandDivergence>("divergence", name.key);
  const BandContest found = band_contest(units, epsilon, divergence,
                                         [&](std::size_t searched) { progress.reached(searched); });
  progress.finish();
  if (options.out) write_files({{*options.out, public_band_text({epsilon, found.written})}});
  if (!options.json) {
    print_contest(found, name.words, options);
    tell_few_units(units.size());
    tell_what_was_not_compared(options);
    return kSuccess;
  }
  const auto known = [](const std::optional<double>& mean) {
    return mean ? Json(*mean) : Json(nullptr);
  };
  const std::string key = name.key;
  const std::string held_out = "held_out_" + key;
  print_json({{"epsilon", epsilon},
              {"units", units.size()},
              {"space", name_of(space.kind())},
              {"outcomes", space.size()},
              {"divergence", key},
              {"limit", {{key, found.best.limit_down}}},
              {"best", {{key, found.best.mean}, {held_out, known(found.best_held_out)}}},
              {"minimax", {{key, found.minimax}}},
              {"uniform",
               {{"location", found.even.location},
                {key, found.even.mean},
                {held_out, known(found.even_held_out)}}},
              {"from_units",
               {{"location", found.from_units.location},
                {key, found.from_units.mean},
                {held_out, known(found.from_units_held_out)}}},
              {"written",
               {{"share", found.share},
                {held_out, known(found.written_held_out)},
                {"lower", found.written}}}});
  tell_few_units(units.size());
  tell_what_was_not_compared(options);
  return kSuccess;
}

int run(const TuneOptions& options) {
  const std::string& file = needed(options.public_units, "--public-units");
  refuse_private_units(options, file);
  const Domain domain = read_domain(needed(options.domain, "--domain"));
  const DivergenceName& asked = divergence_of(options);
  SpaceSpec request = options.space.request();
  // Which list it is makes no difference on average over units; one list is made faster.
  request.fresh = false;
  if (options.space.fresh && !request.kind) request.kind = SpaceKind::kCandidates;
  const auto reference =
      options.reference ? std::optional(PublicFile{*options.reference}) : std::nullopt;
  if (request.kind == SpaceKind::kModels) {
    throw InvalidInput(
        "tune is for records of units, but method integral-model releases a model of a table");
  }
  const ReleaseSpace space(domain, request, reference, PublicFiles());
  const double epsilon = draw_budget_down(Privacy::pure(needed(options.epsilon, "--epsilon")),
                                          options.count.value_or(1))
                             .epsilon;
  tell_large_epsilon(*options.epsilon / static_cast<double>(options.count.value_or(1)));
  if (options.best) {
    require_best(options, space);
  } else if (options.out) {
    throw InvalidInput("--out is where --best writes its band, but --best is not given");
  }
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
  UnitMasses distributions(outcomes);
  Progress progress("units", units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    score_against_reference(*scorer, space.layout().points(units.digits(unit)), space.densities(),
                            scores);
    if (options.best) {
      distributions.add(std::span<const float>(scores));
    } else {
      tuning.add(scores);
    }
    progress.reached(unit + 1);
  }
  progress.finish();
  if (tuning.units() + distributions.size() == 0) {
    throw InvalidInput(fmt::format("{} must hold units to tune with, but holds none", file));
  }
  if (options.best) return run_best(options, asked, distributions, epsilon, space);

  const std::vector<BandTuning::Result> results = tuning.results();
  Json least = Json::object();
  for (const DivergenceName& name : kDivergenceNames) {
    least[name.key] =
        best(bands, results, [&](const DivergenceReport& mean) { return mean.*name.value; });
  }
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
                {"best", least}});
    tell_what_was_not_compared(options);
    return kSuccess;
  }
  fmt::print("{}, {} ({}), scored by {}, epsilon {:.6g} a draw\n\n",
             counted(tuning.units(), "public unit"), name_of(space.kind()),
             counted(space.size(), "outcome"), name_of(kind), epsilon);
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
  fmt::print("\nleast mean {}: --band {}\n", asked.words,
             least[asked.key].get_ref<const std::string&>());
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
  add_text(command, "--divergence", options->divergence, "NAME",
           "what bands are compared by: kl (default), tv, hellinger2 or chi2");
  command.add_flag("--best", options->best,
                   "find the best band there is for these units, with the limit that no sampler of "
                   "any kind beats on them");
  add_out(command, options->out, options->overwrite,
          "with --best: where the band goes, for sample --band file=FILE");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
