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
#include "base/names.h"
#include "base/speech.h"
#include "base/words.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/text_files.h"
#include "laboratory/law/discrete_law.h"
#include "laboratory/law/law.h"
#include "laboratory/measure/measure.h"
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

constexpr std::uint64_t kDefaultCandidates = 65'536;
constexpr std::uint64_t kMostPixels = 1'000'000;

struct Point {
  std::vector<double> coordinates;
  double p = 0;
  double q = 0;
};

/// Where P and its law are compared.
struct Places {
  std::vector<std::vector<double>> points;
  std::vector<std::string> region_texts;
  std::vector<Box> regions;
  std::vector<std::vector<double>> raster;
};

struct ChosenBand {
  PlacedBand place;
  std::optional<double> c1;
  std::optional<double> c2;
  double floor = 0;
  double epsilon = 0;
};

ChosenBand chosen_band(const DensityOptions& options, const MechanismOptions& mechanism,
                       const Measure& reference) {
  ChosenBand band;
  tell_large_epsilon(mechanism.epsilon, mechanism.mu);
  band.epsilon = ExpBound(needed(mechanism.epsilon, "--epsilon")).epsilon();
  band.c1 = mechanism.numbers.c1;
  band.c2 = mechanism.numbers.c2;
  const bool made_for_a_class = std::isfinite(reference.class_bound());
  if (options.band) {
    band.place = parse_fixed_band(*options.band);
  } else if (band.c1 || band.c2 || made_for_a_class) {
    band.place.mechanism = Mechanism::kMinimax;
  }
  if (band.place.mechanism == Mechanism::kMinimax) {
    if (!band.c1) band.c1 = 0;
    if (!band.c2 && made_for_a_class) band.c2 = reference.class_bound();
    if (!band.c2) {
      throw MissingFlag{"--c2"};
    }
    band.floor = class_floor(*band.c1, *band.c2, band.epsilon);
    return band;
  }
  if (band.c1 || band.c2) {
    throw InvalidInput("contradicting-parameters",
                       fmt::format("{} belongs to the minimax band, but another band is asked for",
                                   band.c1 ? "c1" : "c2"));
  }
  band.floor = band.place.location ? location_floor(*band.place.location, band.epsilon)
                                   : relative_floor(band.epsilon);
  return band;
}

std::vector<double> point_from(const std::string& text, std::size_t dimension) {
  std::vector<double> point;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto coordinate = read_number(std::string_view(text).substr(begin, end - begin));
    if (!coordinate) break;
    point.push_back(*coordinate);
    begin = end + 1;
  }
  if (point.size() != dimension) {
    throw InvalidInput("malformed-text",
                       fmt::format("at must be {} numbers with commas between them, but is \"{}\"",
                                   dimension, text),
                       "at");
  }
  return point;
}

void refuse_mismatch(const Measure& p, const Measure& reference) {
  if (p.dimension() != reference.dimension()) {
    throw InvalidInput(
        "wrong-shape",
        fmt::format("the reference must have the density's {} dimensions, but has {}",
                    p.dimension(), reference.dimension()),
        "reference");
  }
  for (std::size_t axis = 0; axis < p.dimension(); ++axis) {
    const Interval of_p = p.box()[axis];
    const Interval of_reference = reference.box()[axis];
    if (of_reference.contains(of_p)) continue;
    throw InvalidInput(
        "not-for-this-domain",
        fmt::format("the reference must be positive wherever the density is, but along axis {} it "
                    "ends at [{:g}, {:g}] and the density at [{:g}, {:g}]",
                    axis, of_reference.low, of_reference.high, of_p.low, of_p.high),
        "reference");
  }
}

std::size_t default_cells(std::size_t dimension) {
  return std::size_t{1} << (dimension == 1 ? 16 : dimension == 2 ? 20 : 21);
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
  if (along.size() != box.size() || box.size() > 2 || pixels > kMostPixels) {
    throw InvalidInput(
        "malformed-text",
        fmt::format("raster must be N for one axis or NxM for two, at most {} pixels in all, but "
                    "is \"{}\" for {} axes",
                    kMostPixels, text, box.size()),
        "raster");
  }
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

/// A cell's part of a box, if they meet.
std::optional<Box> common_part(const Box& cell, const Box& box) {
  Box both = cell;
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    both[axis] = {std::max(cell[axis].low, box[axis].low),
                  std::min(cell[axis].high, box[axis].high)};
    if (!(both[axis].low < both[axis].high)) return std::nullopt;
  }
  return both;
}

/// The law's mass of a box: inside a cell it is spread like the reference.
double law_mass(const GridSampler& sampler, std::span<const double> law, const Box& box) {
  double mass = 0;
  for (std::size_t i = 0; i < law.size(); ++i) {
    const Box cell = sampler.grid().cell(i);
    const std::optional<Box> both = common_part(cell, box);
    if (!both) continue;
    const double whole = *both == cell ? 0 : sampler.reference().box_mass(cell);
    mass += whole > 0 ? law[i] * sampler.reference().box_mass(*both) / whole : law[i];
  }
  return mass;
}

/// The facts of a law over any space. Divergences come last.
Answer answer_about(const ChosenBand& band, const std::string& space, std::uint64_t outcomes,
                    double scale) {
  const double upper = band.floor * std::exp(ExpBound(band.epsilon).epsilon());
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  answer.add("space", space, fmt::format("{}, ", space));
  answer.add("epsilon", band.epsilon, fmt::format("epsilon {:g}\n", band.epsilon));
  answer.add("outcomes", outcomes);
  answer.add("band", to_text(band.place), fmt::format("band {}: ", to_text(band.place)));
  if (band.c1) answer.add("c1", *band.c1);
  if (band.c2) answer.add("c2", *band.c2);
  answer.add("lower", band.floor);
  answer.add("upper", upper);
  answer.add(
      "r", number(scale),
      fmt::format("q = clip(p/r, {:.6g} h, {:.6g} h), r = {:.6g}\n", band.floor, upper, scale));
  return answer;
}

/// Densities of P and of its law at some points.
template <class Law>
std::vector<Point> densities_at(const std::vector<std::vector<double>>& points, const Measure& p,
                                const Law& law) {
  std::vector<Point> found;
  for (const auto& point : points) found.push_back({point, p.density(point), law.density(point)});
  return found;
}

void add_points(Answer& answer, const std::vector<Point>& points) {
  if (points.empty()) return;
  Json at = Json::array();
  answer.say(fmt::format("\n{:<24} {:>12} {:>12}\n", "point", "p", "law"));
  for (const Point& point : points) {
    at.push_back({{"point", point.coordinates}, {"p", point.p}, {"q", point.q}});
    answer.say(fmt::format("{:<24} {:>12.6g} {:>12.6g}\n",
                           fmt::format("{:g}", fmt::join(point.coordinates, ",")), point.p,
                           point.q));
  }
  answer.add("at", at);
}

/// `other` may be null.
Answer law_on_grid(const Measure& p, const Measure* other, std::shared_ptr<const Measure> reference,
                   std::size_t cells, const ChosenBand& band, const MoreDivergences& more,
                   const Places& places, std::vector<Point>& raster) {
  Grid grid = equal_width_grid(*reference, cells);
  const GridSampler sampler(std::move(reference), std::move(grid), band.floor, band.epsilon);
  GridRelease release(sampler);
  release.assign(p);
  std::vector<std::size_t> along;
  std::vector<std::string> box;
  for (std::size_t axis = 0; axis < p.dimension(); ++axis) {
    along.push_back(sampler.grid().cells_along(axis));
    const Interval interval = sampler.grid().box()[axis];
    box.push_back(fmt::format("[{:.6g}, {:.6g}]", interval.low, interval.high));
  }
  const std::vector<double> masses = probabilities(release.table());
  Answer answer = answer_about(
      band, fmt::format("grid of {} cells over {}", fmt::join(along, " x "), fmt::join(box, " x ")),
      sampler.grid().cell_count(), release.scale());
  add_divergences(answer, release.masses(), masses, more, sampler.grid().cell_volumes());
  if (other != nullptr) {
    GridRelease of_other(sampler);
    of_other.assign(*other);
    add_other_law(answer, {release.masses(), masses, release.scale()},
                  {of_other.masses(), probabilities(of_other.table()), of_other.scale()});
  }
  Json regions = Json::array();
  for (std::size_t i = 0; i < places.regions.size(); ++i) {
    const Box& region = places.regions[i];
    const double of_p = p.box_mass(region);
    const double of_reference = sampler.reference().box_mass(region);
    const double of_law = law_mass(sampler, masses, region);
    regions.push_back({{"box", places.region_texts[i]},
                       {"p", of_p},
                       {"reference", of_reference},
                       {"law", of_law}});
    answer.say(fmt::format("region {}: {:.6g} of p, {:.6g} of the reference, {:.6g} of the law\n",
                           places.region_texts[i], of_p, of_reference, of_law));
  }
  if (!regions.empty()) answer.add("regions", regions);
  add_points(answer, densities_at(places.points, p, release));
  raster = densities_at(places.raster, p, release);
  return answer;
}

/// `other` may be null.
Answer law_on_candidates(const Measure& p, const Measure* other, const Measure& reference,
                         std::uint64_t count, const ChosenBand& band, const MoreDivergences& more,
                         const Places& places, std::vector<Point>& raster) {
  const CandidateLaw candidates(p, reference, count, band.floor, band.epsilon);
  Answer answer = answer_about(
      band,
      fmt::format("{} candidates drawn from the reference, list {}", count, CandidateLaw::kList),
      count, candidates.scale());
  add_divergences(answer, candidates.masses(), candidates.probabilities(), more, {});
  if (other != nullptr) {
    const CandidateLaw of_other(*other, reference, count, band.floor, band.epsilon);
    add_other_law(answer, {candidates.masses(), candidates.probabilities(), candidates.scale()},
                  {of_other.masses(), of_other.probabilities(), of_other.scale()});
  }
  add_points(answer, densities_at(places.points, p, candidates));
  raster = densities_at(places.raster, p, candidates);
  return answer;
}

/// A row for each pixel, under the names of its columns.
std::string raster_csv(const std::vector<Point>& raster) {
  std::string csv = raster.front().coordinates.size() == 1 ? "x,p,law\n" : "x,y,p,law\n";
  for (const Point& point : raster) {
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
  if (options.cells && options.candidates) {
    throw InvalidInput("contradicting-parameters", "give --cells or --candidates, not both",
                       "cells", {WayOut::leave("cells"), WayOut::leave("candidates")});
  }
  const std::shared_ptr<const Measure> p =
      measure_from_json(read_text_file(*options.density), *options.density);
  const std::shared_ptr<const Measure> reference =
      measure_from_json(read_text_file(*mechanism.reference), *mechanism.reference);
  refuse_mismatch(*p, *reference);
  std::shared_ptr<const Measure> another;
  if (other) {
    another = measure_from_json(read_text_file(*other), *other);
    refuse_mismatch(*another, *reference);
  }
  const ChosenBand band = chosen_band(options, mechanism, *reference);
  Places places{.points = {}, .region_texts = options.regions, .regions = {}, .raster = {}};
  for (const std::string& text : options.at) {
    places.points.push_back(point_from(text, p->dimension()));
  }
  for (const std::string& text : options.regions) {
    places.regions.push_back(box_from("region", text, p->dimension()));
  }
  if (options.raster.has_value() != options.out.has_value()) {
    throw InvalidInput("missing-parameter", "give --raster and --out together, or neither",
                       "raster");
  }
  if (options.raster_box && !options.raster) {
    refuse_missing("raster", "--raster-box needs it");
  }
  if (options.raster) {
    places.raster =
        raster_from(*options.raster,
                    options.raster_box ? box_from("raster-box", *options.raster_box, p->dimension())
                                       : reference->central_box());
    refuse_overwriting("--out", options.out, "--density", options.density);
    refuse_overwriting("--out", options.out, "--reference", mechanism.reference);
    require_new("--out", options.out, options.overwrite);
  }
  const bool on_grid =
      options.cells || (!options.candidates && p->dimension() <= Grid::kMostDimensions);
  if (!on_grid && !options.regions.empty()) {
    throw InvalidInput("not-for-this-space",
                       "--region needs a grid, but the law is over candidates", "region",
                       {WayOut::leave("region")});
  }
  std::vector<Point> raster;
  const Answer answer = on_grid ? law_on_grid(*p, another.get(), reference,
                                              options.cells.value_or(default_cells(p->dimension())),
                                              band, more, places, raster)
                                : law_on_candidates(*p, another.get(), *reference,
                                                    options.candidates.value_or(kDefaultCandidates),
                                                    band, more, places, raster);
  if (options.out) write_files({{*options.out, raster_csv(raster)}});
  return print_answer(answer, json);
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
    if (options.p)
      throw InvalidInput("contradicting-parameters", "give --p or --density, not both", "p",
                         {WayOut::leave("p"), WayOut::leave("density")});
    return print_law_of_density(options.density, options.mechanism, options.other, options.more,
                                options.json);
  }
  const NamedDistribution p = read_distribution(needed(options.p, "--p"));
  if (!options.normalise && !(std::abs(p.sum - 1) <= 1e-9)) {
    throw InvalidInput(
        "not-a-distribution",
        fmt::format("the masses of {} must sum to 1 within 1e-9, but sum to {:.12g}; --normalise "
                    "divides by their sum",
                    *options.p, p.sum),
        "p", {WayOut::add("normalise")});
  }
  std::vector<double> reference;
  const MechanismOptions& mechanism = options.mechanism;
  if (mechanism.reference) {
    reference = masses_in_order(read_distribution(*mechanism.reference), p, *mechanism.reference);
  }
  const std::vector<double> rows = mechanism.channel_rows(p.masses.size());
  const MechanismParameters parameters = mechanism.parameters(p.masses.size(), reference, rows);
  tell_large_epsilon(parameters.epsilon, parameters.mu);
  mechanism.require_budget();
  const bool is_projection = is_band(parameters.mechanism);
  const std::string name(name_of(parameters.mechanism));
  std::optional<std::vector<double>> other;
  if (options.other) {
    if (!is_projection) {
      throw InvalidInput("not-for-this-mechanism",
                         fmt::format("--other works with bands, and {} is not a band", name),
                         "other", {WayOut::leave("other")});
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
        list.push_back({{"mechanism", name_of(parameters.mechanism)},
                        {"epsilon", *parameters.epsilon},
                        {"refusal", refused.what()}});
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
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  }
  const std::size_t k = reference.empty() ? outcome_count(options.k) : reference.size();
  if (options.k && *options.k != k) {
    throw InvalidInput(
        "wrong-shape",
        fmt::format("the reference must have {} masses like --k, but has {}", *options.k, k),
        "reference");
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
  const std::vector<double> rows = options.mechanism.channel_rows(k);
  const MechanismParameters parameters = options.mechanism.parameters(k, reference, rows);
  options.mechanism.require_budget();
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
