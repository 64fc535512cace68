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
#include "analysis/risk.h"
#include "base/names.h"
#include "cli/main.h"
#include "cli/options.h"
#include "cli/output.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/text_files.h"
#include "laboratory/boosting/diagnostics.h"
#include "laboratory/boosting/likelihood.h"
#include "laboratory/law/discrete_law.h"
#include "laboratory/law/law.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "methods/local/mollifiers.h"
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

/// Masses of a box.
struct Region {
  std::string text;
  double p = 0;
  double reference = 0;
  double law = 0;
};

/// Where P and its law are compared.
struct Places {
  std::vector<std::vector<double>> points;
  std::vector<std::string> region_texts;
  std::vector<Box> regions;
  std::vector<std::vector<double>> raster;
};

/// What is printed.
struct DensityLaw {
  std::string space;
  std::uint64_t outcomes = 0;
  double scale = 0;
  LawDivergences divergence;
  std::optional<double> nll{};
  std::optional<double> coverage{};
  std::vector<Region> regions{};
  std::vector<Point> points{};
  std::vector<Point> raster{};
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
    band.place = parse_band(*options.band);
    if (band.place.mechanism == Mechanism::kLocation && !band.place.location) {
      throw InvalidInput(fmt::format("band {} is for releases; here say where it lies, location=B",
                                     *options.band));
    }
  } else if (band.c1 || band.c2 || made_for_a_class) {
    band.place.mechanism = Mechanism::kMinimax;
  }
  if (band.place.mechanism == Mechanism::kMinimax) {
    if (!band.c1) band.c1 = 0;
    if (!band.c2 && made_for_a_class) band.c2 = reference.class_bound();
    if (!band.c2) {
      throw InvalidInput(
          "the minimax band needs c2, the declared bound on the density of P against the "
          "reference, but none is given");
    }
    band.floor = class_floor(*band.c1, *band.c2, band.epsilon);
    return band;
  }
  if (band.c1 || band.c2) {
    throw InvalidInput(fmt::format("{} belongs to the minimax band, but another band is asked for",
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
    throw InvalidInput(fmt::format("at must be {} numbers with commas between them, but is \"{}\"",
                                   dimension, text));
  }
  return point;
}

void refuse_mismatch(const Measure& p, const Measure& reference) {
  if (p.dimension() != reference.dimension()) {
    throw InvalidInput(
        fmt::format("the reference must have the density's {} dimensions, but has {}",
                    p.dimension(), reference.dimension()));
  }
  for (std::size_t axis = 0; axis < p.dimension(); ++axis) {
    const Interval of_p = p.box()[axis];
    const Interval of_reference = reference.box()[axis];
    if (of_reference.contains(of_p)) continue;
    throw InvalidInput(
        fmt::format("the reference must be positive wherever the density is, but along axis {} it "
                    "ends at [{:g}, {:g}] and the density at [{:g}, {:g}]",
                    axis, of_reference.low, of_reference.high, of_p.low, of_p.high));
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
        fmt::format("raster must be N for one axis or NxM for two, at most {} pixels in all, but "
                    "is \"{}\" for {} axes",
                    kMostPixels, text, box.size()));
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

DensityLaw law_on_grid(const Measure& p, std::shared_ptr<const Measure> reference,
                       std::size_t cells, const ChosenBand& band, const MoreDivergences& more,
                       const Places& places) {
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
  const std::vector<double> volumes = cell_volumes(sampler.grid());
  DensityLaw law{.space = fmt::format("grid of {} cells over {}", fmt::join(along, " x "),
                                      fmt::join(box, " x ")),
                 .outcomes = sampler.grid().cell_count(),
                 .scale = release.scale(),
                 .divergence = {release.masses(), masses, more},
                 .nll = negative_log_likelihood(release.masses(), masses, volumes),
                 .coverage = mode_coverage(release.masses(), masses, volumes)};
  for (std::size_t i = 0; i < places.regions.size(); ++i) {
    const Box& region = places.regions[i];
    law.regions.push_back({places.region_texts[i], p.box_mass(region),
                           sampler.reference().box_mass(region),
                           law_mass(sampler, masses, region)});
  }
  for (const auto& point : places.points) {
    law.points.push_back({point, p.density(point), release.density(point)});
  }
  for (const auto& point : places.raster) {
    law.raster.push_back({point, p.density(point), release.density(point)});
  }
  return law;
}

DensityLaw law_on_candidates(const Measure& p, const Measure& reference, std::uint64_t count,
                             const ChosenBand& band, const MoreDivergences& more,
                             const Places& places) {
  const CandidateLaw candidates(p, reference, count, band.floor, band.epsilon);
  DensityLaw law{.space = fmt::format("{} candidates drawn from the reference, list {}", count,
                                      CandidateLaw::kList),
                 .outcomes = count,
                 .scale = candidates.scale(),
                 .divergence = {candidates.masses(), candidates.probabilities(), more}};
  for (const auto& point : places.points) {
    law.points.push_back({point, p.density(point), candidates.density(point)});
  }
  for (const auto& point : places.raster) {
    law.raster.push_back({point, p.density(point), candidates.density(point)});
  }
  return law;
}

void print_as_json(const DensityLaw& law, const ChosenBand& band) {
  Json points = Json::array();
  for (const Point& point : law.points) {
    points.push_back({{"point", point.coordinates}, {"p", point.p}, {"q", point.q}});
  }
  Json json = {{"notice", kNotPrivate},
               {"epsilon", band.epsilon},
               {"band", to_text(band.place)},
               {"space", law.space},
               {"outcomes", law.outcomes}};
  if (band.c1) json["c1"] = *band.c1;
  if (band.c2) json["c2"] = *band.c2;
  json["r"] = number(law.scale);
  json["lower"] = band.floor;
  json["upper"] = band.floor * std::exp(ExpBound(band.epsilon).epsilon());
  json["divergence"] = law.divergence.json;
  if (law.nll) json["nll"] = number(*law.nll);
  if (law.coverage) json["coverage"] = *law.coverage;
  if (!law.regions.empty()) {
    Json regions = Json::array();
    for (const Region& region : law.regions) {
      regions.push_back({{"box", region.text},
                         {"p", region.p},
                         {"reference", region.reference},
                         {"law", region.law}});
    }
    json["regions"] = regions;
  }
  if (!law.points.empty()) json["at"] = points;
  print_json(json);
}

void print_for_people(const DensityLaw& law, const ChosenBand& band) {
  fmt::print("{}\n{}, epsilon {:g}\n", kNotPrivate, law.space, band.epsilon);
  fmt::print("band {}: q = clip(p/r, {:.6g} h, {:.6g} h), r = {:.6g}\n", to_text(band.place),
             band.floor, band.floor * std::exp(ExpBound(band.epsilon).epsilon()), law.scale);
  fmt::print("divergence of p from the law: {}\n", law.divergence.text);
  if (law.nll) {
    fmt::print("negative log-likelihood {:.6g}, mode coverage {:.6g}\n", *law.nll, *law.coverage);
  }
  for (const Region& region : law.regions) {
    fmt::print("region {}: {:.6g} of p, {:.6g} of the reference, {:.6g} of the law\n", region.text,
               region.p, region.reference, region.law);
  }
  if (law.points.empty()) return;
  fmt::print("\n{:<24} {:>12} {:>12}\n", "point", "p", "law");
  for (const Point& point : law.points) {
    fmt::print("{:<24} {:>12.6g} {:>12.6g}\n",
               fmt::format("{:g}", fmt::join(point.coordinates, ",")), point.p, point.q);
  }
}

/// A row for each pixel, under the names of its columns.
std::string raster_csv(const DensityLaw& law) {
  std::string csv = law.raster.front().coordinates.size() == 1 ? "x,p,law\n" : "x,y,p,law\n";
  for (const Point& point : law.raster) {
    csv +=
        fmt::format("{:.9g},{:.9g},{:.9g}\n", fmt::join(point.coordinates, ","), point.p, point.q);
  }
  return csv;
}

}  // namespace

void add_more_divergences(CLI::App& command, MoreDivergences& more) {
  add_number(command, "--renyi", more.renyi, "also print the Rényi divergence of this order");
  add_number(command, "--hockey-stick", more.hockey_stick,
             "also print the hockey-stick divergence of this factor, e^epsilon for (epsilon, "
             "delta)-privacy");
}

void DensityOptions::add_to(CLI::App& command) {
  const std::string group = "Density on one or more dimensions";
  add_text(command, "--density", density, "FILE",
           "the distribution, as JSON: {\"type\": \"gaussian_mixture\", \"means\": ...}")
      ->group(group);
  add_text(command, "--band", band, "BAND",
           "minimax, relative or location=B with B in (0, 1) (default: minimax with --c2 or "
           "an envelope as the reference, else relative)")
      ->group(group);
  add_whole_number(command, "--cells", cells,
                   "cells of the grid in all, up to 2^24 (default: 2^16 in one dimension, 2^20 in "
                   "two, 2^21 in three)")
      ->group(group);
  add_whole_number(command, "--candidates", candidates,
                   "candidates drawn from the reference instead of a grid (default beyond three "
                   "dimensions: 65536)")
      ->group(group);
  command.add_option("--at", at, "points at which to print the density and the law")
      ->type_name("X,Y,...")
      ->group(group);
  command
      .add_option("--region", regions,
                  "low:high for each axis, with commas: how much mass of it is captured")
      ->type_name("BOX")
      ->group(group);
  add_text(command, "--raster", raster, "NxM",
           "write the density and the law at the middles of N x M pixels (one axis: N) to --out")
      ->group(group);
  add_text(command, "--raster-box", raster_box, "BOX",
           "what the raster shows, low:high for each axis (default: where the reference has its "
           "mass)")
      ->group(group);
  add_out(command, out, overwrite, "where the raster goes, as CSV", group);
}

bool DensityOptions::given() const {
  if (density) return true;
  const auto refuse = [](bool is_given, std::string_view flag) {
    if (is_given) throw InvalidInput(fmt::format("{} is for --density, but none is given", flag));
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
                         const MoreDivergences& more, bool json) {
  if (mechanism.mechanism || mechanism.mu ||
      own_numbers(Mechanism::kClass, mechanism.numbers) != mechanism.numbers) {
    throw InvalidInput(
        "a density's law is that of a band, so --band says where it lies, and only --c1 and --c2 "
        "may be given besides");
  }
  if (!mechanism.reference) {
    throw InvalidInput(
        "a continuous space needs --reference, a public distribution: without one there are "
        "infinitely many mutually singular inputs, and no private sampler beats one that ignores "
        "them all (Park et al. 2024, Proposition III.2)");
  }
  if (options.cells && options.candidates) {
    throw InvalidInput("--cells and --candidates are two spaces, but one is needed");
  }
  const std::shared_ptr<const Measure> p =
      measure_from_json(read_text_file(*options.density), *options.density);
  const std::shared_ptr<const Measure> reference =
      measure_from_json(read_text_file(*mechanism.reference), *mechanism.reference);
  refuse_mismatch(*p, *reference);
  const ChosenBand band = chosen_band(options, mechanism, *reference);
  Places places{.points = {}, .region_texts = options.regions, .regions = {}, .raster = {}};
  for (const std::string& text : options.at) {
    places.points.push_back(point_from(text, p->dimension()));
  }
  for (const std::string& text : options.regions) {
    places.regions.push_back(box_from("region", text, p->dimension()));
  }
  if (options.raster.has_value() != options.out.has_value()) {
    throw InvalidInput("--raster and --out are needed together, but only one is given");
  }
  if (options.raster_box && !options.raster) {
    throw InvalidInput("--raster-box is for --raster, but none is given");
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
    throw InvalidInput("--region needs a grid, but the law is over candidates");
  }
  const DensityLaw law =
      on_grid ? law_on_grid(*p, reference, options.cells.value_or(default_cells(p->dimension())),
                            band, more, places)
              : law_on_candidates(*p, *reference, options.candidates.value_or(kDefaultCandidates),
                                  band, more, places);
  if (options.out) write_files({{*options.out, raster_csv(law)}});
  if (json) {
    print_as_json(law, band);
  } else {
    print_for_people(law, band);
  }
  return kSuccess;
}

// -----------------------------------------------------------------------------------------------
// mollify law.

namespace {

struct LawOptions {
  std::optional<std::string> p, other;
  MechanismOptions mechanism;
  MollifierOptions mollifier;
  DensityOptions density;
  MoreDivergences more;
  bool normalise = false;
  bool json = false;
};

/// Scores by which the band of the relative mollifier has the law of the scaled and shifted p.
std::vector<double> scores_of(const LawOptions& options, const NamedDistribution& p,
                              const MechanismParameters& parameters) {
  std::vector<double> scores = p.masses;
  if (options.mollifier.is_scale_and_shift()) {
    scale_and_shift(scores, parameters.masses(), *parameters.epsilon);
  }
  return scores;
}

/// What is left of the mechanism's options where a mollifier stands in its place.
MechanismOptions without_mechanism(const LawOptions& options) {
  MechanismOptions mechanism = options.mechanism;
  if (!options.mollifier.given()) return mechanism;
  if (mechanism.mechanism || mechanism.mu || mechanism.numbers != MechanismNumbers{}) {
    throw InvalidInput(
        "--mollifier stands in the place of a mechanism, but --mechanism or a parameter of one is "
        "given, too");
  }
  if (mechanism.reference && !options.mollifier.is_scale_and_shift()) {
    throw InvalidInput("--reference is for scale-and-shift, but the mollifier has a channel");
  }
  mechanism.mechanism = std::string(name_of(Mechanism::kRelative));
  return mechanism;
}

int run(const LawOptions& options) {
  if (options.density.given()) {
    if (options.mollifier.given()) {
      throw InvalidInput("--mollifier is for --p, but --density is given");
    }
    if (options.other) throw InvalidInput("--other is for --p, but --density is given");
    if (options.p) throw InvalidInput("--p and --density are two inputs, but one is needed");
    return print_law_of_density(options.density, options.mechanism, options.more, options.json);
  }
  const NamedDistribution p = read_distribution(needed(options.p, "--p"));
  if (!options.normalise && !(std::abs(p.sum - 1) <= 1e-9)) {
    throw InvalidInput(
        fmt::format("the masses of {} must sum to 1 within 1e-9, but sum to {:.12g}; --normalise "
                    "divides by their sum",
                    *options.p, p.sum));
  }
  std::vector<double> reference;
  const MechanismOptions mechanism = without_mechanism(options);
  if (mechanism.reference) {
    reference = masses_in_order(read_distribution(*mechanism.reference), p, *mechanism.reference);
  }
  const MechanismParameters parameters = mechanism.parameters(p.masses.size(), reference);
  tell_large_epsilon(parameters.epsilon, parameters.mu);
  if (!parameters.mu) needed(parameters.epsilon, "--epsilon");
  const bool is_projection = is_band(parameters.mechanism) && !options.mollifier.given();
  const std::string name =
      options.mollifier.mollifier.value_or(std::string(name_of(parameters.mechanism)));
  std::optional<std::vector<double>> other;
  if (options.other) {
    if (!is_projection) {
      throw InvalidInput(fmt::format("--other is for bands, but {} is none", name));
    }
    other = masses_in_order(read_distribution(*options.other), p, *options.other);
  }
  const auto sampler = options.mollifier.given() && !options.mollifier.is_scale_and_shift()
                           ? options.mollifier.sampler(p.masses.size(), *parameters.epsilon)
                           : make_sampler(parameters);
  const DiscreteLaw law = discrete_law({.p = p.masses,
                                        .outcomes = p.outcomes,
                                        .parameters = parameters,
                                        .name = name,
                                        .sampler = *sampler,
                                        .is_projection = is_projection,
                                        .scores = scores_of(options, p, parameters),
                                        .other = std::move(other),
                                        .more = options.more});
  if (options.json) {
    print_json(law.json);
  } else {
    fmt::print("{}", law.text);
  }
  return kSuccess;
}

}  // namespace

void add_law(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "law",
      "Print the exact output law of a given distribution\n\n"
      "Every probability is a fraction of integers; they sum to one exactly. NOT PRIVATE.\n"
      "With --density, the law of a grid of cells or of a list of candidates.");
  const auto options = std::make_shared<LawOptions>();
  add_text(command, "--p", options->p, "FILE",
           "the distribution: a JSON array, or CSV with columns outcome and p");
  add_text(command, "--other", options->other, "FILE",
           "another distribution on the same outcomes: how far its law is from p's, and can be");
  options->mechanism.add_to(command, "public distribution, in the same form as --p or --density",
                            "one draw");
  options->mollifier.add_to(command);
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

/// The worst case of one mechanism at one budget, or why there is none.
struct OneRisk {
  MechanismParameters parameters;
  std::optional<WorstCaseRisk> risk{};
  std::string refusal{};
};

/// Every mechanism, or the one chosen, at each epsilon; refusals are told in their rows.
std::vector<std::vector<OneRisk>> risk_table(const RiskOptions& options, std::size_t k,
                                             std::span<const double> reference, bool every) {
  std::vector<std::vector<OneRisk>> rows;
  for (const auto& [mechanism, name] : named_mechanisms()) {
    MechanismOptions asked = options.mechanism;
    if (every) {
      asked.mechanism = name;
      asked.numbers = own_numbers(mechanism, asked.numbers);
    }
    std::vector<OneRisk> row;
    for (const std::string& epsilon : number_list(*options.epsilons, "epsilon")) {
      asked.epsilon = number_of(epsilon, "epsilon");
      const bool alone = row_of(mechanism).reference == ReferenceUse::kNone && every;
      OneRisk one{asked.parameters(k, alone ? std::span<const double>() : reference)};
      if (every) {
        try {
          one.risk = mechanism_risk(one.parameters);
        } catch (const InvalidInput& refused) {
          one.refusal = refused.what();
        }
      } else {
        one.risk = mechanism_risk(one.parameters);
      }
      row.push_back(std::move(one));
    }
    rows.push_back(std::move(row));
    if (!every) break;
  }
  const bool any = std::any_of(rows.begin(), rows.end(), [](const std::vector<OneRisk>& row) {
    return std::any_of(row.begin(), row.end(), [](const OneRisk& one) { return !!one.risk; });
  });
  if (!any) throw InvalidInput(rows.front().front().refusal);
  for (const OneRisk& one : rows.front()) tell_large_epsilon(one.parameters.epsilon);
  return rows;
}

void print_risk_table(const std::vector<std::vector<OneRisk>>& rows, std::size_t k) {
  const std::size_t columns = rows.front().size();
  fmt::print("worst case over {}, {}\n\n", counted(k, "outcome"),
             columns > 1 ? "total variation" : "by every divergence");
  fmt::print("{:<20}", columns > 1 ? "epsilon" : "");
  if (columns == 1) {
    fmt::print(" {:>10} {:>10} {:>10} {:>10} {:>12}", "KL", "TV", "Hellinger²", "chi²",
               "largest lift");
  }
  for (std::size_t i = 0; columns > 1 && i < columns; ++i) {
    fmt::print(" {:>10g}", *rows.front()[i].parameters.epsilon);
  }
  fmt::print("\n");
  for (const std::vector<OneRisk>& row : rows) {
    fmt::print("{:<20}", name_of(row.front().parameters.mechanism));
    if (std::none_of(row.begin(), row.end(), [](const OneRisk& one) { return !!one.risk; })) {
      fmt::print(" {:>10} ({})\n", "-", row.front().refusal);
      continue;
    }
    for (const OneRisk& one : row) {
      if (columns > 1) {
        fmt::print(" {:>10}",
                   one.risk ? fmt::format("{:.4g}", one.risk->quoted_total_variation()) : "-");
        continue;
      }
      const DivergenceReport& risk = one.risk->risk;
      fmt::print(" {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>12}", risk.kl, risk.tv,
                 risk.hellinger2, risk.chi2,
                 one.risk->largest_lift > 0 ? fmt::format("{:.4g}", one.risk->largest_lift) : "-");
    }
    fmt::print("\n");
  }
}

int print_risks(const RiskOptions& options, std::size_t k, std::span<const double> reference,
                bool every) {
  const auto rows = risk_table(options, k, reference, every);
  if (!options.json) {
    print_risk_table(rows, k);
    return kSuccess;
  }
  Json list = Json::array();
  for (const std::vector<OneRisk>& row : rows) {
    for (const OneRisk& one : row) {
      Json json{{"mechanism", name_of(one.parameters.mechanism)},
                {"epsilon", *one.parameters.epsilon},
                {"refusal", one.refusal}};
      list.push_back(one.risk ? risk_json(one.parameters, *one.risk) : json);
    }
  }
  print_json({{"risks", list}});
  return kSuccess;
}

int run(RiskOptions options) {
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = read_distribution(*options.mechanism.reference).masses;
  }
  const std::size_t k = reference.empty() ? outcome_count(options.k) : reference.size();
  if (options.k && *options.k != k) {
    throw InvalidInput(
        fmt::format("the reference must have {} masses like --k, but has {}", *options.k, k));
  }
  const bool every = options.mechanism.mechanism == "all";
  if (every || (options.epsilons && options.epsilons->find(',') != std::string::npos)) {
    if (every && options.mechanism.band) {
      throw InvalidInput("a band is given instead of a mechanism, but both are given");
    }
    needed(options.epsilons, "--epsilon");
    return print_risks(options, k, reference, every);
  }
  if (options.epsilons) options.mechanism.epsilon = number_of(*options.epsilons, "epsilon");
  const MechanismParameters parameters = options.mechanism.parameters(k, reference);
  options.mechanism.require_budget();
  tell_large_epsilon(options.mechanism.epsilon, options.mechanism.mu);
  const WorstCaseRisk risk = mechanism_risk(parameters);
  if (options.json) {
    print_json(risk_json(parameters, risk));
    return kSuccess;
  }
  fmt::print("{}", risk_text(parameters, risk));
  return kSuccess;
}

}  // namespace

void add_risk(CLI::App& app, Session& session) {
  CLI::App& command =
      *app.add_subcommand("risk",
                          "Print how far the released law can be from the truth, at worst\n\n"
                          "Nothing private is read. --mechanism all tells every mechanism, "
                          "--epsilon 0.5,1,2 each epsilon.");
  const auto options = std::make_shared<RiskOptions>();
  add_whole_number(command, "--k", options->k, "number of outcomes");
  options->mechanism.add_to(command, "public distribution: a JSON array, or CSV (outcome, p)",
                            "one draw");
  options->mechanism.add_band_to(command);
  take_epsilon_list(command, options->epsilons);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
