// mollify law: the exact output law of a given distribution or density.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "command.h"
#include "distribution_file.h"
#include "divergence/band_projection.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/boosting/fit.h"
#include "laboratory/mollifier/scale_and_shift.h"
#include "law_of_density.h"
#include "mechanism_options.h"
#include "mollifier_options.h"
#include "report.h"

namespace mollify::cli {
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

/// What a band makes of one more distribution, P': how far its law is, and can be, from that of P.
struct Continuity {
  double scale = 0;  ///< r of P
  std::optional<double> other_scale{};
  double between_inputs = 0;
  double between_laws = 0;
  /// TV(P, P') / max(r, r') [Park et al. 2024, Proposition IV.1].
  double bound = 0;
};

Continuity continuity_of(const MechanismParameters& parameters, std::span<const double> p,
                         const std::optional<std::vector<double>>& other) {
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
  Continuity result{.scale = of_p.scale};
  if (!other) return result;
  const BandProjection of_other = project_on_band(*other, lower, upper);
  result.other_scale = of_other.scale;
  result.between_inputs = total_variation(p, *other);
  result.between_laws = total_variation(of_p.law, of_other.law);
  result.bound = result.between_inputs / std::max(of_p.scale, of_other.scale);
  return result;
}

Json continuity_json(const Continuity& continuity) {
  if (!continuity.other_scale) return nullptr;
  return {{"r", number(*continuity.other_scale)},
          {"tv_of_inputs", continuity.between_inputs},
          {"tv_of_laws", continuity.between_laws},
          {"bound", continuity.bound}};
}

void print_continuity(const Continuity& continuity) {
  fmt::print(
      "r = {:.6g}: laws of two P differ in total variation by at most 1/r = {:.6g} times "
      "what these do\n",
      continuity.scale, 1 / continuity.scale);
  if (!continuity.other_scale) return;
  fmt::print("the other has r = {:.6g}: inputs differ by {:.6g}, laws by {:.6g}, at most {:.6g}\n",
             *continuity.other_scale, continuity.between_inputs, continuity.between_laws,
             continuity.bound);
}

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
  if (mechanism.mechanism || mechanism.mu || mechanism.gamma || mechanism.c1 || mechanism.c2) {
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
  std::optional<Continuity> continuity;
  if (is_projection) continuity = continuity_of(parameters, p.masses, other);
  std::vector<std::uint32_t> outcomes(p.masses.size());
  std::iota(outcomes.begin(), outcomes.end(), std::uint32_t{0});
  std::vector<std::uint32_t> scored;
  std::vector<double> weights;
  const std::vector<double> scores = scores_of(options, p, parameters);
  for (const std::uint32_t outcome : outcomes) {
    if (scores[outcome] == 0) continue;
    scored.push_back(outcome);
    weights.push_back(scores[outcome]);
  }
  const Law law = sampler->law({scored, weights});
  const LawDivergences divergence(p.masses, law.probabilities, options.more);
  const std::vector<double> alike(p.masses.size(), 1.0);
  const double nll = negative_log_likelihood(p.masses, law.probabilities, alike);
  const double coverage = mode_coverage(p.masses, law.probabilities, alike);
  if (options.json) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      rows.push_back({{"outcome", p.outcomes[i]},
                      {"numerator", law.numerators[i]},
                      {"denominator", law.denominator},
                      {"probability", law.probabilities[i]}});
    }
    Json json = {{"notice", kNotPrivate},
                 {"mechanism", name},
                 {"guarantee", guarantee_json(sampler->guarantee())},
                 {"N", law.denominator},
                 {"outcomes", rows},
                 {"divergence", divergence.json},
                 {"nll", number(nll)},
                 {"coverage", coverage}};
    if (continuity) json["r"] = number(continuity->scale);
    if (other) json["other"] = continuity_json(*continuity);
    print_json(json);
    return kSuccess;
  }
  fmt::print("{}\nmechanism {}, {}, N = {}\n\n", kNotPrivate, name, sampler->guarantee().text(),
             law.denominator);
  fmt::print("{:<24} {:>12} {:>12}  numerator\n", "outcome", "p", "law");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    fmt::print("{:<24} {:>12.6g} {:>12.6g}  {}\n", p.outcomes[i], p.masses[i], law.probabilities[i],
               law.numerators[i]);
  }
  fmt::print("\ndivergence of p from the law: {}\n", divergence.text);
  fmt::print("negative log-likelihood {:.6g}, mode coverage {:.6g}\n", nll, coverage);
  if (continuity) print_continuity(*continuity);
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
  options->more.add_to(command);
  options->density.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
