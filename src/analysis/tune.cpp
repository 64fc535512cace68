#include "analysis/tune.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/privacy.h"
#include "analysis/requests.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/bands.h"
#include "methods/local/mechanism.h"
#include "methods/local/space.h"
#include "methods/local/tuned_band.h"
#include "release/acceptance.h"
#include "release/release_error.h"

namespace mollify {

namespace {

struct TriedBand {
  std::string choice;  // as --band takes it
  double floor;
};

std::vector<TriedBand> bands_to_try(const LocalSpec& spec, const ReleaseSpace& space,
                                    double epsilon) {
  std::vector<TriedBand> bands;
  if (spec.numbers.c2) {
    bands.push_back(
        {"minimax", class_floor(spec.numbers.c1.value_or(0), *spec.numbers.c2, epsilon)});
  } else if (spec.numbers.c1) {
    refuse_missing("c2", flag_words("c1") + " needs it");
  } else if (space.kind() == SpaceKind::kCategories && !spec.reference && space.size() > 1) {
    bands.push_back({"minimax", minimax_floor(space.size(), epsilon)});
  }
  bands.push_back({"relative", relative_floor(epsilon)});
  // Denser next to 1, where units far from the reference have their best band.
  for (const int percent : {2, 5, 10, 20, 30, 40, 60, 70, 80, 90}) {
    // Three digits are as good, and easier to type.
    const double b = std::stod(fmt::format("{:.3g}", std::exp(-epsilon * percent / 100)));
    if (!(b > std::exp(-epsilon)) || !(b < 1)) continue;
    bands.push_back({location_band(b), location_floor(b, epsilon)});
  }
  return bands;
}

/// The worst case over everything between c1 and c2 times the reference, whatever the units; an
/// upper bound. None without c2.
std::optional<DivergenceReport> worst_case(const LocalSpec& spec, const TriedBand& band,
                                           std::size_t outcomes, double epsilon) {
  if (!spec.numbers.c2) return std::nullopt;
  const DensityClass inputs{spec.numbers.c1.value_or(0), *spec.numbers.c2};
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
const DivergenceName& divergence_of(const TuneQuestion& question) {
  const std::string key = question.divergence.value_or(kDivergenceNames.front().key);
  std::vector<std::string> known;
  for (const DivergenceName& name : kDivergenceNames) {
    if (name.key == key) return name;
    known.emplace_back(name.key);
  }
  refuse_name("divergence", key, known);
}

/// The inputs of the search for the best band.
void require_best(const LocalSpec& spec, const ReleaseSpace& space) {
  const auto refuse = [](bool given, const char* flag) {
    if (!given) return;
    refuse_input("superfluous-parameter", parameter_of(flag), {WayOut::leave(flag)},
                 "{} finds the reference and its place itself, so {} must not be given with it",
                 flag_words("best"), flag_words(flag));
  };
  refuse(spec.numbers.c1.has_value(), "c1");
  refuse(spec.numbers.c2.has_value(), "c2");
  refuse(spec.reference.has_value(), "reference");
  if (space.kind() == SpaceKind::kCandidates) {
    refuse_input("not-for-this-domain", "best", {WayOut::leave("best")},
                 "{} is for categories and grids, but the space is candidates: each list of these "
                 "would need bounds of its own",
                 flag_words("best"));
  }
}

/// Held-out figures of few units say little of the next ones.
void warn_few_units(Answer& answer, std::size_t units) {
  constexpr std::size_t kFewUnits = 50;
  if (units >= kFewUnits) return;
  Message few{
      .code = "few-units",
      .verdict = fmt::format("of {} public units each held-out part has {} or so, too few to "
                             "show how the band does on other units",
                             units, units / kHeldOutParts),
      .clauses = {fmt::format("give {} or more", kFewUnits)},
      .remedy = {.told = {WayOut::have("units", std::to_string(kFewUnits))}},
      .quantities = {{"given", static_cast<double>(units), "units"},
                     {"least", static_cast<double>(kFewUnits), "units"}}};
  if (units < kHeldOutParts) {
    few.verdict = fmt::format(
        "{} {} too few to hold any out, so nothing shows how the band does on "
        "other units",
        counted(units, "public unit"), units == 1 ? "is" : "are");
    few.reason = "it fits these alone";
  }
  answer.warn(std::move(few));
}

/// Bands to compare with the best one: a fact each, and a line of a table.
void add_contest(Answer& answer, const BandContest& found, const DivergenceName& divergence) {
  const std::string key = divergence.key;
  const std::string held_out = "held_out_" + key;
  Json lines = Json::array();
  const auto add = [&](const char* name, const char* words, std::optional<double> location,
                       double mean, const std::optional<double>& out) {
    Json& fact = answer.json[name];
    if (location) fact["location"] = *location;
    fact[key] = mean;
    fact[held_out] = out ? Json(*out) : Json(nullptr);
    lines.push_back(fact);
    lines.back()["words"] = words;
  };
  add("minimax", "minimax", std::nullopt, found.minimax, found.minimax);
  add("uniform", "uniform reference", found.even.location, found.even.mean, found.even_held_out);
  add("from_units", "reference from the units", found.from_units.location, found.from_units.mean,
      found.from_units_held_out);
  add("best", "best", std::nullopt, found.best.mean, found.best_held_out);
  answer.json["limit"] = {{key, found.best.limit_down}};
  lines.push_back({{"words", "limit of every sampler, proven"}, {key, found.best.limit_down}});
  answer.say("\n" + table_text(std::array{TableColumn{fmt::format("mean {}", divergence.words), -34,
                                                      "/words"},
                                          TableColumn{"b", 10, "/location", ".4f"},
                                          TableColumn{"on the units", 13, "/" + key, ".4f"},
                                          TableColumn{"held out", 10, "/" + held_out, ".4f"}},
                               lines));
}

Tuning tuned_best(const TuneQuestion& question, const DivergenceName& name, const UnitMasses& units,
                  double epsilon, const ReleaseSpace& space) {
  Progress progress("searches", 1 + kHeldOutParts);
  const auto divergence = known_value<BandDivergence>("divergence", name.key);
  const BandContest found = band_contest(units, epsilon, divergence,
                                         [&](std::size_t searched) { progress.reached(searched); });
  progress.finish();
  const auto held_out = [](const std::optional<double>& mean) {
    return mean ? fmt::format("{:.4f}", *mean) : std::string("-");
  };
  Tuning tuning{.answer = {}, .band = public_band_text({epsilon, found.written})};
  Answer& answer = tuning.answer;
  answer.add("epsilon", epsilon);
  answer.add("units", units.size());
  answer.add("space", name_of(space.kind()));
  answer.add("k", space.size());
  answer.add("divergence", name.key);
  answer.say(fmt::format(
      "no epsilon-LDP sampler has mean {} below {:.4f} on these units; minimax {:.4f}, uniform "
      "reference at its best b {:.4f}, reference from the units {:.4f}, best {} held out\n",
      name.words, found.best.limit_down, found.minimax, found.even.mean, found.from_units.mean,
      held_out(found.best_held_out)));
  add_contest(answer, found, name);
  // To a power of ten, from 1e-6: smaller differences are the processor's.
  const double gap = found.best.mean - found.best.limit_down;
  answer.say(fmt::format(
      "\nthe best is within {:.0e} of the limit; held out: each fifth of the units, by the rest\n",
      std::pow(10, std::max(-6.0, std::ceil(std::log10(std::max(gap, 1e-300)))))));
  const auto& written = found.written_held_out;
  answer.add(
      "written",
      {{"share", found.share},
       {fmt::format("held_out_{}", name.key), written ? Json(*written) : Json(nullptr)},
       {"lower", found.written}},
      found.share > 0
          ? fmt::format("written is the best moved {:g} of the way to the uniform one, which "
                        "has mean {} {} held out\n",
                        found.share, name.words, held_out(written))
          : "");
  if (question.out) {
    answer.say(fmt::format("{0} is a band that sample takes: {1}{2}file={0}\n", *question.out,
                           flag_words("band"), words_of_speech(" ", "=")));
  }
  warn_few_units(answer, units.size());
  return tuning;
}

void add_bands(Answer& answer, const std::vector<TriedBand>& bands, const BandTuning& tuning,
               const LocalSpec& spec, std::size_t outcomes, double epsilon) {
  const std::vector<BandTuning::Result> results = tuning.results();
  Json rows = Json::array();
  for (std::size_t i = 0; i < bands.size(); ++i) {
    const auto bound = worst_case(spec, bands[i], outcomes, epsilon);
    rows.push_back({{"band", bands[i].choice},
                    {"floor", bands[i].floor},
                    {"mean", divergence_json(results[i].mean)},
                    {"worst", divergence_json(results[i].worst)},
                    {"worst_case", bound ? divergence_json(*bound) : Json(nullptr)}});
  }
  std::vector<TableColumn> columns{{flag_words("band"), -15, "/band"}, {"b", 8, "/floor", ".4f"}};
  for (const auto& [key, words] :
       {std::pair{"kl", "KL"}, std::pair{"tv", "TV"}, std::pair{"hellinger2", "H2"}}) {
    columns.push_back({fmt::format("mean {}", words), 8, fmt::format("/mean/{}", key), ".4f"});
    columns.push_back({"worst", 8, fmt::format("/worst/{}", key), ".4f"});
  }
  columns.push_back({"bound KL", 9, spec.numbers.c2 ? "/worst_case/kl" : "/worst_case", ".4f"});
  answer.add("bands", rows, "\n" + table_text(columns, rows));
  answer.say(
      fmt::format("\nworst: among these units; bound: over everything between c1 and c2 times the "
                  "reference{}\n",
                  spec.numbers.c2 ? "" : fmt::format(" (needs {})", flag_words("c2"))));
  Json least = Json::object();
  for (const DivergenceName& name : kDivergenceNames) {
    least[name.key] =
        best(bands, results, [&](const DivergenceReport& mean) { return mean.*name.value; });
  }
  answer.add("best", least);
}

}  // namespace

std::span<const Part> tune_parts() {
  using enum PartKind;
  static constexpr Part kParts[] = {
      {{"/public_units", "--public-units", kFile, "public CSV of units like yours"}},
      {{"/data", "--data", kFile, "the private file, to refuse units that are from it"}},
      {{"/divergence", "--divergence", kText, "kl (default), tv, hellinger2 or chi2", "NAME"}},
      {{"/best", "--best", kTruth,
        "find the best band for these units\nAnd the limit that no sampler of any kind beats on "
        "them"}},
      needing("/best", {"/out", "--out", kText,
                        "with --best: the band's file, for --band file=FILE", "FILE"})};
  return kParts;
}

TuneQuestion tune_question_of(const Json& json, const std::string& name, ReleaseSpec spec) {
  const PartReader reader(tune_parts(), json, name, "a question to tune");
  reader.require_given("/public_units");
  TuneQuestion question{.spec = std::move(spec),
                        .public_units = reader.find_file("/public_units")->name,
                        .divergence = reader.find<std::string>("/divergence"),
                        .best = reader.is_true("/best"),
                        .out = reader.find<std::string>("/out")};
  if (const auto data = reader.find_file("/data")) question.data = data->name;
  return question;
}

Tuning tune(const TuneQuestion& question, const PublicFiles& files) {
  const ReleaseSpec& spec = question.spec;
  LocalSpec local = *spec.own.get<LocalSpec>();
  const Domain domain = files.domain(spec.domain);
  const DivergenceName& asked = divergence_of(question);
  if (!spec.unit) {
    refuse_missing("unit", "column that names the public unit of each row");
  }
  SpaceSpec request = local.space;
  // Which list it is makes no difference on average over units; one list is made faster.
  request.fresh = false;
  if (local.space.fresh && !request.kind) request.kind = SpaceKind::kCandidates;
  if (request.kind == SpaceKind::kModels) {
    refuse_input("not-for-this-method", "method", {WayOut::use("local")},
                 "tune is for records of units, but {} releases a model of a table",
                 method_words("integral-model"));
  }
  const ReleaseSpace space(domain, request, local.reference, files);
  const std::uint64_t draws = spec.count.value_or(1);
  const double epsilon = draw_budget_down(spec.budget(), draws).epsilon;
  if (question.best) require_best(local, space);
  std::vector<double> masses;
  if (local.reference && space.kind() != SpaceKind::kCandidates) {
    const Empirical counts = reference_counts(*local.reference, space.domain(), files);
    masses = reference_masses(*local.reference, counts, space.kind(), space.domain());
    declare_class(local, files);
  }
  const std::vector<TriedBand> bands = bands_to_try(local, space, epsilon);
  std::vector<double> floors;
  floors.reserve(bands.size());
  for (const TriedBand& band : bands) floors.push_back(band.floor);
  const std::size_t outcomes = static_cast<std::size_t>(space.size());
  BandTuning tuning(floors, outcomes, masses, epsilon);

  const ScorerKind kind = request.scorer.value_or(usual_scorer(space.kind()));
  const auto scorer = make_scorer(kind, space.points(), epsilon);
  const UnitRecords units = files.units(question.public_units, space.domain(), spec.unit);
  std::vector<float> scores(outcomes);
  UnitMasses distributions(outcomes);
  Progress progress("units", units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    score_against_reference(*scorer, space.layout().points(units.digits(unit)), space.densities(),
                            scores);
    if (question.best) {
      distributions.add(std::span<const float>(scores));
    } else {
      tuning.add(scores);
    }
    progress.reached(unit + 1);
  }
  progress.finish();
  refuse_if(tuning.units() + distributions.size() == 0, "empty-input", "public-units",
            "{} must hold units to tune with, but holds none", question.public_units);
  Tuning found;
  if (question.best) {
    found = tuned_best(question, asked, distributions, epsilon, space);
  } else {
    Answer& answer = found.answer;
    answer.add("epsilon", epsilon);
    answer.add("units", tuning.units(), counted(tuning.units(), "public unit") + ", ");
    answer.add("space", name_of(space.kind()), std::string(name_of(space.kind())) + " ");
    answer.add("k", space.size(), fmt::format("({}), ", counted(space.size(), "outcome")));
    answer.add("scorer", name_of(kind),
               fmt::format("scored by {}, epsilon {:.6g} a draw\n", name_of(kind), epsilon));
    add_bands(answer, bands, tuning, local, outcomes, epsilon);
    answer.say(fmt::format("\nleast mean {}: {} {}\n", asked.words, flag_words("band"),
                           answer.json["best"][asked.key].get<std::string>()));
  }
  const Privacy of_draw = Privacy::pure(spec.budget().epsilon / static_cast<double>(draws));
  Privacy released = of_draw;
  released.epsilon = std::min<double>(of_draw.epsilon, ExpBound::kGreatestEpsilon);
  for (Message& one : epsilon_warnings(of_draw, released, 1)) found.answer.warn(std::move(one));
  if (!files.knows_private_data()) {
    found.answer.warn(
        {.code = "not-compared",
         .verdict = fmt::format("not compared with private data, because no {} is given",
                                flag_words("data")),
         .reason = "that the units are public is your word"});
  }
  return found;
}

}  // namespace mollify
