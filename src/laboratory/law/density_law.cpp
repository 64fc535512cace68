#include "laboratory/law/density_law.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/band.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "laboratory/law/law.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"

namespace mollify {

namespace {

constexpr std::uint64_t kUsualCandidates = 65'536;

std::size_t usual_cells(std::size_t dimension) {
  return std::size_t{1} << (dimension == 1 ? 16 : dimension == 2 ? 20 : 21);
}

/// The band by its numbers.
struct DensityBand {
  PlacedBand place;
  std::optional<double> c1;
  std::optional<double> c2;
  double floor = 0;
};

DensityBand chosen_band(const DensityLawQuestion& question) {
  DensityBand band{.place = {}, .c1 = question.c1, .c2 = question.c2};
  const bool made_for_a_class = std::isfinite(question.reference->class_bound());
  if (question.band) {
    band.place = *question.band;
  } else if (band.c1 || band.c2 || made_for_a_class) {
    band.place.mechanism = Mechanism::kMinimax;
  }
  if (band.place.mechanism == Mechanism::kMinimax) {
    if (!band.c1) band.c1 = 0;
    if (!band.c2 && made_for_a_class) band.c2 = question.reference->class_bound();
    if (!band.c2) {
      refuse_missing("c2", "greatest density of the private data against the reference");
    }
    band.floor = class_floor(*band.c1, *band.c2, question.epsilon);
    return band;
  }
  if (band.c1 || band.c2) {
    const std::string_view flag = band.c1 ? "c1" : "c2";
    refuse_input("contradicting-parameters", flag, {WayOut::leave(flag)},
                 "{} belongs to the minimax band, but another band is asked for", flag);
  }
  band.floor = band.place.location ? location_floor(*band.place.location, question.epsilon)
                                   : relative_floor(question.epsilon);
  return band;
}

void refuse_mismatch(const Measure& p, const Measure& reference) {
  refuse_if(p.dimension() != reference.dimension(), "wrong-shape", "reference",
            "the reference must have the density's {} dimensions, but has {}", p.dimension(),
            reference.dimension());
  for (std::size_t axis = 0; axis < p.dimension(); ++axis) {
    const Interval of_p = p.box()[axis];
    const Interval of_reference = reference.box()[axis];
    if (of_reference.contains(of_p)) continue;
    throw InvalidInput(
        "not-for-this-domain",
        fmt::format("the reference must be positive wherever the density is, but along axis {} it "
                    "ends at [{:g}, {:g}] and the density at [{:g}, {:g}]",
                    axis, of_reference.low, of_reference.high, of_p.low, of_p.high),
        "reference", {WayOut::set("reference")});
  }
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
Answer answer_about(const DensityLawQuestion& question, const DensityBand& band,
                    const std::string& space, std::uint64_t outcomes, double scale) {
  const double upper = band.floor * std::exp(question.epsilon);
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  answer.add("space", space, fmt::format("{}, ", space));
  answer.add("epsilon", question.epsilon, fmt::format("epsilon {:g}\n", question.epsilon));
  answer.add("k", outcomes);
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
std::vector<DensityPoint> densities_at(const std::vector<std::vector<double>>& points,
                                       const Measure& p, const Law& law) {
  std::vector<DensityPoint> found;
  for (const auto& point : points) found.push_back({point, p.density(point), law.density(point)});
  return found;
}

void add_points(Answer& answer, const std::vector<DensityPoint>& points) {
  if (points.empty()) return;
  Json at = Json::array();
  answer.say(fmt::format("\n{:<24} {:>12} {:>12}\n", "point", "p", "law"));
  for (const DensityPoint& point : points) {
    at.push_back({{"point", point.coordinates}, {"p", point.p}, {"q", point.q}});
    answer.say(fmt::format("{:<24} {:>12.6g} {:>12.6g}\n",
                           fmt::format("{:g}", fmt::join(point.coordinates, ",")), point.p,
                           point.q));
  }
  answer.add("at", at);
}

DensityLaw law_on_grid(const DensityLawQuestion& question, const DensityBand& band) {
  const Measure& p = *question.p;
  Grid grid =
      equal_width_grid(*question.reference, question.cells.value_or(usual_cells(p.dimension())));
  const GridSampler sampler(question.reference, std::move(grid), band.floor, question.epsilon);
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
      question, band,
      fmt::format("grid of {} cells over {}", fmt::join(along, " x "), fmt::join(box, " x ")),
      sampler.grid().cell_count(), release.scale());
  add_divergences(answer, release.masses(), masses, question.more, sampler.grid().cell_volumes());
  if (question.other) {
    GridRelease of_other(sampler);
    of_other.assign(*question.other);
    add_other_law(answer, {release.masses(), masses, release.scale()},
                  {of_other.masses(), probabilities(of_other.table()), of_other.scale()});
  }
  Json regions = Json::array();
  for (const auto& [text, region] : question.regions) {
    const double of_p = p.box_mass(region);
    const double of_reference = sampler.reference().box_mass(region);
    const double of_law = law_mass(sampler, masses, region);
    regions.push_back({{"box", text}, {"p", of_p}, {"reference", of_reference}, {"law", of_law}});
    answer.say(fmt::format("region {}: {:.6g} of p, {:.6g} of the reference, {:.6g} of the law\n",
                           text, of_p, of_reference, of_law));
  }
  if (!regions.empty()) answer.add("regions", regions);
  add_points(answer, densities_at(question.points, p, release));
  return {std::move(answer), densities_at(question.raster, p, release)};
}

DensityLaw law_on_candidates(const DensityLawQuestion& question, const DensityBand& band) {
  const Measure& p = *question.p;
  const Measure& reference = *question.reference;
  const std::uint64_t count = question.candidates.value_or(kUsualCandidates);
  const CandidateLaw candidates(p, reference, count, band.floor, question.epsilon);
  Answer answer = answer_about(
      question, band,
      fmt::format("{} candidates drawn from the reference, list {}", count, CandidateLaw::kList),
      count, candidates.scale());
  add_divergences(answer, candidates.masses(), candidates.probabilities(), question.more, {});
  if (question.other) {
    const CandidateLaw of_other(*question.other, reference, count, band.floor, question.epsilon);
    add_other_law(answer, {candidates.masses(), candidates.probabilities(), candidates.scale()},
                  {of_other.masses(), of_other.probabilities(), of_other.scale()});
  }
  add_points(answer, densities_at(question.points, p, candidates));
  return {std::move(answer), densities_at(question.raster, p, candidates)};
}

}  // namespace

Box box_from(std::string_view option, const std::string& text, std::size_t dimension) {
  Box box;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    const std::size_t colon = std::min(part.find(':'), part.size());
    const auto low = read_number(std::string_view(part).substr(0, colon));
    const auto high = read_number(std::string_view(part).substr(std::min(colon + 1, part.size())));
    if (!low || !high || !(*low < *high)) break;
    box.push_back({*low, *high});
    begin = end + 1;
  }
  refuse_if(box.size() != dimension, "malformed-text", option,
            "{} must be low:high for each of {} axes with commas between them, but is \"{}\"",
            option, dimension, text);
  return box;
}

DensityLaw law_of_density(const DensityLawQuestion& question) {
  refuse_mismatch(*question.p, *question.reference);
  if (question.other) refuse_mismatch(*question.other, *question.reference);
  if (question.cells && question.candidates) refuse_both("cells", "candidates");
  const std::size_t dimension = question.p->dimension();
  for (const auto& point : question.points) {
    if (point.size() == dimension) continue;
    refuse_input("wrong-shape", "at", "{} must be points of {}, but one has {}", flag_words("at"),
                 counted(dimension, "number"), point.size());
  }
  const bool on_grid =
      question.cells || (!question.candidates && dimension <= Grid::kMostDimensions);
  if (!on_grid && !question.regions.empty()) {
    refuse_input("not-for-this-space", "region", {WayOut::leave("region")},
                 "{} needs a grid, but the law is over candidates", flag_words("region"));
  }
  const DensityBand band = chosen_band(question);
  return on_grid ? law_on_grid(question, band) : law_on_candidates(question, band);
}

}  // namespace mollify
