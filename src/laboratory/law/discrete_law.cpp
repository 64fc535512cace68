#include "laboratory/law/discrete_law.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "core/band.h"
#include "laboratory/law/law.h"
#include "methods/divergence/f_divergence.h"
#include "methods/divergence/worst_case_risk.h"
#include "release/method.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// How well a density finds what another distribution produces.

namespace {

void require_cells(const char* what, std::span<const double> p, std::span<const double> q,
                   std::span<const double> volumes) {
  refuse_if(p.size() != q.size() || p.size() != volumes.size(), "wrong-shape", {},
            "{} needs masses of P and of Q and a volume for each cell, but has {}, {} and {}", what,
            p.size(), q.size(), volumes.size());
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (volumes[i] > 0) continue;
    refuse_input("out-of-range", "volumes", "the volume of cell {} must be positive, but is {:g}",
                 i, volumes[i]);
  }
}

void require_coverage_level(double level) {
  refuse_outside(kInsideOne, level, "level",
                 "the level of coverage must be above 0 and below 1, but is {:g}", level);
}

double sum_of(const char* what, std::span<const double> masses) {
  CompensatedSum sum;
  for (const double mass : masses) sum += mass;
  refuse_if(!(sum.value() > 0), "not-a-distribution", {}, "{} needs masses with a positive sum",
            what);
  return sum.value();
}

}  // namespace

double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                               std::span<const double> volumes) {
  require_cells("a likelihood", p, q, volumes);
  const double whole_p = sum_of("a likelihood", p);
  const double whole_q = sum_of("a likelihood", q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i] > 0)) continue;
    if (!(q[i] > 0)) return std::numeric_limits<double>::infinity();
    sum += p[i] * std::log(q[i] / volumes[i]);
  }
  return std::log(whole_q) - sum.value() / whole_p;
}

double mode_coverage(std::span<const double> p, std::span<const double> q,
                     std::span<const double> volumes, double level) {
  require_coverage_level(level);
  require_cells("coverage", p, q, volumes);
  std::vector<double> densities(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) densities[i] = q[i] / volumes[i];
  const double whole_p = sum_of("coverage", p);
  const double enough = level * sum_of("coverage", q);
  std::vector<std::size_t> densest_first(q.size());
  std::iota(densest_first.begin(), densest_first.end(), std::size_t{0});
  std::sort(densest_first.begin(), densest_first.end(),
            [&](std::size_t a, std::size_t b) { return densities[a] > densities[b]; });
  CompensatedSum of_p;
  CompensatedSum of_q;
  double threshold = 0;
  for (const std::size_t i : densest_first) {
    if (of_q.value() >= enough && densities[i] < threshold) break;
    threshold = densities[i];
    of_q += q[i];
    of_p += p[i];
  }
  return of_p.value() / whole_p;
}

// -----------------------------------------------------------------------------------------------
// The law and how near it is.

void add_divergences(Answer& answer, std::span<const double> p, std::span<const double> law,
                     const MoreDivergences& more, std::span<const double> volumes) {
  const DivergenceReport usual = divergence_report(p, law);
  Json json = divergence_json(usual);
  std::string text = usual.text();
  if (more.renyi) {
    const double value = renyi(*more.renyi, p, law);
    json["renyi"] = {{"order", *more.renyi}, {"value", number(value)}};
    text += fmt::format(", Rényi of order {:g} {:.6g}", *more.renyi, value);
  }
  if (more.hockey_stick) {
    const double value = hockey_stick(*more.hockey_stick, p, law);
    json["hockey_stick"] = {{"factor", *more.hockey_stick}, {"value", number(value)}};
    text += fmt::format(", hockey stick of factor {:g} {:.6g}", *more.hockey_stick, value);
  }
  answer.add("divergence", json, fmt::format("divergence of p from the law: {}\n", text));
  if (volumes.empty()) return;
  const double nll = negative_log_likelihood(p, law, volumes);
  const double coverage = mode_coverage(p, law, volumes);
  answer.add("nll", number(nll), fmt::format("negative log-likelihood {:.6g}, ", nll));
  answer.add("coverage", coverage, fmt::format("mode coverage {:.6g}\n", coverage));
}

namespace {

/// Adds r, and the law of one more distribution.
void add_continuity(Answer& answer, const MechanismParameters& parameters,
                    std::span<const double> p, const std::optional<std::vector<double>>& other) {
  std::vector<double> lower = parameters.masses();
  const double whole = std::accumulate(lower.begin(), lower.end(), 0.0);
  for (double& mass : lower) mass /= whole;
  std::vector<double> upper = lower;
  const double floor = band_floor_of(parameters);
  const double growth = std::exp(ExpBound(*parameters.epsilon).epsilon());
  for (std::size_t i = 0; i < lower.size(); ++i) {
    upper[i] = floor * growth * lower[i];
    lower[i] *= floor;
  }
  const BandProjection of_p = project_on_band(p, lower, upper);
  answer.add("r", number(of_p.scale),
             fmt::format("r = {:.6g}: laws of two P differ in total variation by at most 1/r = "
                         "{:.6g} times what these do\n",
                         of_p.scale, 1 / of_p.scale));
  if (!other) return;
  const BandProjection of_other = project_on_band(*other, lower, upper);
  add_other_law(answer, {p, of_p.law, of_p.scale}, {*other, of_other.law, of_other.scale});
}

}  // namespace

void add_other_law(Answer& answer, const ProjectedMasses& one, const ProjectedMasses& other) {
  const double inputs = total_variation(one.p, other.p);
  const double laws = total_variation(one.law, other.law);
  const double bound = inputs / std::max(one.scale, other.scale);
  answer.add("other",
             {{"r", number(other.scale)},
              {"tv_of_inputs", inputs},
              {"tv_of_laws", laws},
              {"bound", bound}},
             fmt::format("the other has r = {:.6g}: inputs differ by {:.6g}, laws by {:.6g}, at "
                         "most {:.6g}\n",
                         other.scale, inputs, laws, bound));
}

Answer discrete_law(const DiscreteLawQuestion& question) {
  const std::span<const double> p = question.p;
  std::vector<std::uint32_t> scored;
  std::vector<double> weights;
  for (std::uint32_t outcome = 0; outcome < p.size(); ++outcome) {
    if (question.scores[outcome] == 0) continue;
    scored.push_back(outcome);
    weights.push_back(question.scores[outcome]);
  }
  const Law law = question.sampler.law({scored, weights});
  const Privacy guarantee = question.sampler.guarantee();
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  answer.add("mechanism", question.name, fmt::format("mechanism {}, ", question.name));
  answer.add("guarantee", privacy_json(guarantee), fmt::format("{}, ", guarantee.text()));
  answer.add("N", law.denominator, fmt::format("N = {}\n\n", law.denominator));
  answer.say(fmt::format("{:<24} {:>12} {:>12}  numerator\n", "outcome", "p", "law"));
  Json rows = Json::array();
  for (std::size_t i = 0; i < p.size(); ++i) {
    rows.push_back({{"outcome", question.outcomes[i]},
                    {"numerator", law.numerators[i]},
                    {"denominator", law.denominator},
                    {"probability", law.probabilities[i]}});
    answer.say(fmt::format("{:<24} {:>12.6g} {:>12.6g}  {}\n", question.outcomes[i], p[i],
                           law.probabilities[i], law.numerators[i]));
  }
  answer.add("outcomes", std::move(rows), "\n");
  add_divergences(answer, p, law.probabilities, question.more, std::vector<double>(p.size(), 1.0));
  if (question.is_projection) add_continuity(answer, question.parameters, p, question.other);
  return answer;
}

}  // namespace mollify
