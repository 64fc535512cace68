#include "cli/law.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/privacy.h"
#include "analysis/mechanisms.h"
#include "base/named.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/text_files.h"
#include "laboratory/law/density_law.h"
#include "laboratory/law/discrete_law.h"
#include "measures/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/bands.h"
#include "methods/local/mechanism.h"
#include "methods/local/method.h"
#include "release/release_error.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What `mollify law` does with a density on R^d.

namespace {

constexpr std::uint64_t kMostPixels = 1'000'000;

std::vector<double> point_from(const std::string& text, std::size_t dimension) {
  std::vector<double> point;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto coordinate = read_number(std::string_view(text).substr(begin, end - begin));
    if (!coordinate) break;
    point.push_back(*coordinate);
    begin = end + 1;
  }
  refuse_if(point.size() != dimension, "malformed-text", "at",
            "at must be {} numbers with commas between them, but is \"{}\"", dimension, text);
  return point;
}

/// The middles of the pixels of "NxM" over a box, the first axis fastest and ascending.
std::vector<std::vector<double>> raster_from(const std::string& text, const Box& box) {
  std::vector<std::uint64_t> along;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    std::uint64_t count = 0;
    const auto [stopped, error] = std::from_chars(text.data() + begin, text.data() + end, count);
    if (error != std::errc() || stopped != text.data() + end || count == 0) break;
    along.push_back(count);
    begin = end + 1;
  }
  std::uint64_t pixels = 1;
  for (const std::uint64_t count : along) {
    pixels = count > kMostPixels ? kMostPixels + 1 : std::min(kMostPixels + 1, pixels * count);
  }
  refuse_if(along.size() != box.size() || box.size() > 2 || pixels > kMostPixels, "malformed-text",
            "raster",
            "raster must be N for one axis or NxM for two, at most {} pixels in all, but is \"{}\" "
            "for {} axes",
            kMostPixels, text, box.size());
  std::vector<std::vector<double>> middles;
  for (std::uint64_t i = 0; i < pixels; ++i) {
    std::vector<double>& middle = middles.emplace_back();
    std::uint64_t rest = i;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const double share =
          (static_cast<double>(rest % along[axis]) + 0.5) / static_cast<double>(along[axis]);
      middle.push_back(box[axis].low + share * box[axis].width());
      rest /= along[axis];
    }
  }
  return middles;
}

/// A row for each pixel, under the names of its columns.
std::string raster_csv(const std::vector<DensityPoint>& raster) {
  std::string csv = raster.front().coordinates.size() == 1 ? "x,p,law\n" : "x,y,p,law\n";
  for (const DensityPoint& point : raster) {
    csv +=
        fmt::format("{:.9g},{:.9g},{:.9g}\n", fmt::join(point.coordinates, ","), point.p, point.q);
  }
  return csv;
}

}  // namespace

void add_more_divergences(CLI::App& command, MoreDivergences& more) {
  add_number(command, "--renyi", more.renyi, "also print the Rényi divergence of this order");
  add_number(command, "--hockey-stick", more.hockey_stick,
             "also print the hockey-stick divergence of this factor\nIt is e^epsilon for (epsilon, "
             "delta)-privacy");
}

void DensityOptions::add_to(CLI::App& command) {
  const std::string group = "Density on one or more dimensions";
  add_text(command, "--density", density, "FILE",
           "the distribution, as JSON\nSuch as {\"type\": \"gaussian_mixture\", \"means\": ...}")
      ->group(group);
  add_text(command, "--band", band, "BAND",
           "minimax, relative or location=B with B in (0, 1)\nBy default minimax with --c2 or an "
           "envelope as the reference, otherwise relative")
      ->group(group);
  add_whole_number(
      command, "--cells", cells,
      "cells of the grid in all, up to 2^24\nBy default 2^16 in one dimension, 2^20 in two, "
      "2^21 in three")
      ->group(group);
  add_whole_number(
      command, "--candidates", candidates,
      "candidates drawn from the reference, instead of a grid\nBy default 65536 beyond three "
      "dimensions")
      ->group(group);
  command.add_option("--at", at, "points at which to print the density and the law")
      ->type_name("X,Y,...")
      ->group(group);
  command.add_option("--region", regions, "low:high for each axis, with commas: prints its mass")
      ->type_name("BOX")
      ->group(group);
  add_text(command, "--raster", raster, "NxM",
           "write density and law at N x M pixels to --out (one axis: N)")
      ->group(group);
  add_text(command, "--raster-box", raster_box, "BOX",
           "box of the raster, low:high for each axis\nBy default the reference's mass")
      ->group(group);
  add_out(command, out, overwrite, "where the raster goes, as CSV", group);
}

bool DensityOptions::given() const {
  if (density) return true;
  const auto refuse = [](bool is_given, std::string_view flag) {
    if (is_given) refuse_missing("density", fmt::format("{} needs it", flag));
  };
  refuse(band.has_value(), "--band");
  refuse(cells.has_value(), "--cells");
  refuse(candidates.has_value(), "--candidates");
  refuse(!at.empty(), "--at");
  refuse(!regions.empty(), "--region");
  refuse(raster.has_value(), "--raster");
  refuse(raster_box.has_value(), "--raster-box");
  refuse(out.has_value(), "--out");
  refuse(overwrite, "--overwrite");
  return false;
}

int print_law_of_density(const DensityOptions& options, const MechanismOptions& mechanism,
                         const std::optional<std::string>& other, const MoreDivergences& more,
                         bool json) {
  if (mechanism.mechanism || mechanism.mu ||
      own_numbers(Mechanism::kClass, mechanism.numbers) != mechanism.numbers) {
    throw InvalidInput(
        "missing-parameter",
        "a density's law is that of a band, so --band says where it lies, and only --c1 and --c2 "
        "may be given as well",
        "band", {WayOut::set("band")});
  }
  if (!mechanism.reference) {
    throw InvalidInput(
        "missing-parameter",
        "a continuous space needs --reference, a public distribution: without one there are "
        "infinitely many mutually singular inputs, and no private sampler beats one that ignores "
        "them all (Park et al. 2024, Proposition III.2)",
        "reference", {WayOut::set("reference")});
  }
  DensityLawQuestion question{.p = parsed_file(*options.density, measure_from_json),
                              .reference = parsed_file(*mechanism.reference, measure_from_json)};
  if (other) question.other = parsed_file(*other, measure_from_json);
  tell_large_epsilon(mechanism.epsilon, mechanism.mu);
  question.epsilon = ExpBound(needed(mechanism.epsilon, "--epsilon")).epsilon();
  if (options.band) question.band = parse_fixed_band(*options.band);
  question.c1 = mechanism.numbers.c1;
  question.c2 = mechanism.numbers.c2;
  question.cells = options.cells;
  question.candidates = options.candidates;
  question.more = more;
  const std::size_t dimension = question.p->dimension();
  for (const std::string& text : options.at) {
    question.points.push_back(point_from(text, dimension));
  }
  for (const std::string& text : options.regions) {
    question.regions.push_back({text, box_from("region", text, dimension)});
  }
  if (options.raster.has_value() != options.out.has_value()) {
    const char* const missing = options.raster ? "out" : "raster";
    refuse_input("missing-parameter", missing,
                 {WayOut::set(missing), WayOut::leave(options.raster ? "raster" : "out")},
                 "give --raster and --out together, or neither");
  }
  if (options.raster_box && !options.raster) {
    refuse_missing("raster", "--raster-box needs it");
  }
  if (options.raster) {
    question.raster = raster_from(
        *options.raster, options.raster_box ? box_from("raster-box", *options.raster_box, dimension)
                                            : question.reference->central_box());
    refuse_overwriting("--out", options.out, "--density", options.density);
    refuse_overwriting("--out", options.out, "--reference", mechanism.reference);
    require_new("--out", options.out, options.overwrite);
  }
  const DensityLaw law = law_of_density(question);
  if (options.out) write_files({{*options.out, raster_csv(law.raster)}});
  return print_answer(law.answer, json);
}

// -----------------------------------------------------------------------------------------------
// mollify law.

namespace {

struct LawOptions {
  std::optional<std::string> p, other;
  MechanismOptions mechanism;
  DensityOptions density;
  MoreDivergences more;
  bool normalise = false;
  bool json = false;
};

int run(const LawOptions& options) {
  if (options.density.given()) {
    if (options.mechanism.channel) {
      throw InvalidInput("superfluous-parameter", "--channel is for --p, but --density is given",
                         "channel", {WayOut::leave("channel")});
    }
    if (options.p) refuse_both("p", "density");
    return print_law_of_density(options.density, options.mechanism, options.other, options.more,
                                options.json);
  }
  const NamedDistribution p = read_distribution(needed(options.p, "--p"));
  if (!options.normalise && !(std::abs(p.sum - 1) <= 1e-9)) {
    refuse_input("not-a-distribution", "p", {WayOut::add("normalise")},
                 "the masses of {} must sum to 1 within 1e-9, but sum to {:.12g}; --normalise "
                 "divides by their sum",
                 *options.p, p.sum);
  }
  std::vector<double> reference;
  const MechanismOptions& mechanism = options.mechanism;
  if (mechanism.reference) {
    reference = masses_in_order(read_distribution(*mechanism.reference), p, *mechanism.reference);
  }
  mechanism.require_budget();
  const std::vector<double> rows = mechanism.channel_rows(p.masses.size());
  const MechanismParameters parameters = mechanism.parameters(p.masses.size(), reference, rows);
  tell_large_epsilon(parameters.epsilon, parameters.mu);
  const bool is_projection = is_band(parameters.mechanism);
  const std::string name(name_of(parameters.mechanism));
  std::optional<std::vector<double>> other;
  if (options.other) {
    if (!is_projection) {
      refuse_input("not-for-this-mechanism", "other", {WayOut::leave("other")},
                   "--other works with bands, and {} is not a band", name);
    }
    other = masses_in_order(read_distribution(*options.other), p, *options.other);
  }
  const auto sampler = make_sampler(parameters);
  return print_answer(discrete_law({.p = p.masses,
                                    .outcomes = p.outcomes,
                                    .parameters = parameters,
                                    .name = name,
                                    .sampler = *sampler,
                                    .is_projection = is_projection,
                                    .scores = p.masses,
                                    .other = std::move(other),
                                    .more = options.more}),
                      options.json);
}

}  // namespace

void add_law(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "law",
      "Print the exact output law of a given distribution\n\n"
      "NOT PRIVATE. Every probability is a fraction of integers; they sum to one exactly. With "
      "--density, the law of a grid of cells or of a list of candidates.");
  const auto options = std::make_shared<LawOptions>();
  add_text(command, "--p", options->p, "FILE",
           "the distribution: a JSON array, or CSV (outcome, p)");
  add_text(
      command, "--other", options->other, "FILE",
      "another distribution, to compare its law with that one's\nIn the form of --p or --density");
  options->mechanism.add_to(command, "public distribution, in the form of --p or --density",
                            "one draw");
  command.add_flag("--normalise", options->normalise, "divide the masses of --p by their sum");
  add_more_divergences(command, options->more);
  options->density.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

// -----------------------------------------------------------------------------------------------
// mollify risk.

namespace {

struct RiskOptions {
  std::optional<std::uint64_t> k;
  MechanismOptions mechanism;
  std::optional<std::string> epsilons;
  bool json = false;
};

/// Every mechanism, or the one chosen, at each epsilon; refusals are in their rows.
Answer risk_table(const RiskOptions& options, std::size_t k, std::span<const double> reference,
                  bool every) {
  const std::vector<std::string> epsilons = number_list(*options.epsilons, "epsilon");
  const bool several = epsilons.size() > 1;
  Json list = Json::array();
  Json lines = Json::array();
  std::string refusal;
  bool any = false;
  const std::vector<double> rows = options.mechanism.channel_rows(k);
  for (const auto& [mechanism, name] : named_mechanisms()) {
    if (every && row_of(mechanism).has_channel) continue;
    MechanismOptions asked = options.mechanism;
    if (every) {
      asked.mechanism = name;
      asked.numbers = own_numbers(mechanism, asked.numbers);
    }
    Json line = Json::object();
    std::string refused_here;
    bool any_here = false;
    for (const std::string& epsilon : epsilons) {
      asked.epsilon = number_of(epsilon, "epsilon");
      const bool alone = row_of(mechanism).reference == ReferenceUse::kNone && every;
      const auto parameters =
          asked.parameters(k, alone ? std::span<const double>() : reference, rows);
      line["mechanism"] = name_of(parameters.mechanism);
      try {
        const WorstCaseRisk risk = mechanism_risk(parameters);
        list.push_back(risk_answer(parameters, risk).json);
        line[epsilon] = risk.quoted_total_variation();
        line["risk"] = list.back()["risk"];
        line["lift"] = risk.largest_lift > 0 ? Json(risk.largest_lift) : Json(nullptr);
        any_here = any = true;
      } catch (const InvalidInput& refused) {
        if (!every) throw;
        if (refused_here.empty()) refused_here = refused.what();
        line[epsilon] = nullptr;
        list.push_back(
            {{"mechanism", name_of(parameters.mechanism)}, {"epsilon", *parameters.epsilon}});
        Why(refused).put(list.back(), "refusal");
      }
    }
    if (refusal.empty()) refusal = refused_here;
    if (!any_here) {
      line = {
          {"mechanism", line["mechanism"]},
          {several ? epsilons.front() : "risk", several ? Json(nullptr) : Json{{"kl", nullptr}}},
          {"refusal", fmt::format(" ({})", refused_here)}};
    }
    lines.push_back(std::move(line));
    if (!every) break;
  }
  if (!any) throw InvalidInput("no-mechanism", refusal);
  std::vector<TableColumn> columns{{several ? "epsilon" : "", -20, "/mechanism"}};
  if (several) {
    for (const std::string& epsilon : epsilons) {
      columns.push_back(
          {fmt::format("{:g}", number_of(epsilon, "epsilon")), 11, "/" + epsilon, ".4g"});
    }
  } else {
    for (const auto& [heading, place] :
         {std::pair{"KL", "kl"}, std::pair{"TV", "tv"}, std::pair{"Hellinger²", "hellinger2"},
          std::pair{"chi²", "chi2"}}) {
      columns.push_back({heading, 11, fmt::format("/risk/{}", place), ".4g"});
    }
    columns.push_back({"largest lift", 13, "/lift", ".4g"});
  }
  columns.insert(columns.begin() + 2, TableColumn{"", 0, "/refusal"});
  Answer answer;
  answer.say(fmt::format("worst case over {}, {}\n\n", counted(k, "outcome"),
                         several ? "total variation" : "by every divergence"));
  answer.add("risks", list, table_text(columns, lines));
  for (const std::string& epsilon : epsilons) tell_large_epsilon(number_of(epsilon, "epsilon"));
  return answer;
}

int run(RiskOptions options) {
  options.mechanism.takes_all = true;
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  }
  const std::size_t k = reference.empty() ? outcome_count(options.k) : reference.size();
  if (options.k && *options.k != k) {
    refuse_input("wrong-shape", "reference",
                 "the reference must have {} masses like --k, but has {}", *options.k, k);
  }
  const bool every = options.mechanism.mechanism == "all";
  if (every || (options.epsilons && options.epsilons->find(',') != std::string::npos)) {
    if (every && options.mechanism.band) {
      refuse_band_and_mechanism();
    }
    needed(options.epsilons, "--epsilon");
    return print_answer(risk_table(options, k, reference, every), options.json);
  }
  if (options.epsilons) options.mechanism.epsilon = number_of(*options.epsilons, "epsilon");
  options.mechanism.require_budget();
  const std::vector<double> rows = options.mechanism.channel_rows(k);
  const MechanismParameters parameters = options.mechanism.parameters(k, reference, rows);
  tell_large_epsilon(options.mechanism.epsilon, options.mechanism.mu);
  return print_answer(risk_answer(parameters, mechanism_risk(parameters)), options.json);
}

}  // namespace

void add_risk(CLI::App& app, Session& session) {
  CLI::App& command =
      *app.add_subcommand("risk",
                          "Print how far the output can be from the data, at worst\n\n"
                          "risk reads nothing private. --mechanism all prints every mechanism, "
                          "--epsilon 0.5,1,2 each epsilon.");
  const auto options = std::make_shared<RiskOptions>();
  add_whole_number(command, "--k", options->k, "number of possible records");
  options->mechanism.add_to(command, "public distribution: a JSON array, or CSV (outcome, p)",
                            "one draw");
  options->mechanism.add_band_to(command);
  take_every_mechanism(command);
  take_epsilon_list(command, options->epsilons);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
