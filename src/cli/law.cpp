// mollify law: the exact output law of a given distribution or density.
#include <numeric>

#include <fmt/format.h>

#include "command.h"
#include "distribution_file.h"
#include "kernel/core/invalid_input.h"
#include "law_of_density.h"
#include "mechanism_options.h"
#include "report.h"

namespace mollify::cli {
namespace {

struct LawOptions {
  std::optional<std::string> p;
  MechanismOptions mechanism;
  DensityOptions density;
  MoreDivergences more;
  bool json = false;
};

int run(const LawOptions& options) {
  if (options.density.given()) {
    if (options.p) throw InvalidInput("--p and --density are two inputs, but one is needed");
    return print_law_of_density(options.density, options.mechanism, options.more, options.json);
  }
  const NamedDistribution p = read_distribution(needed(options.p, "--p"));
  std::vector<double> reference;
  if (options.mechanism.reference) {
    reference = masses_in_order(read_distribution(*options.mechanism.reference), p,
                                *options.mechanism.reference);
  }
  const MechanismParameters parameters = options.mechanism.parameters(p.masses.size(), reference);
  if (!parameters.mu) needed(parameters.epsilon, "--epsilon");
  const auto sampler = make_sampler(parameters);
  std::vector<std::uint32_t> outcomes(p.masses.size());
  std::iota(outcomes.begin(), outcomes.end(), std::uint32_t{0});
  std::vector<std::uint32_t> scored;
  std::vector<double> weights;
  for (const std::uint32_t outcome : outcomes) {
    if (p.masses[outcome] == 0) continue;
    scored.push_back(outcome);
    weights.push_back(p.masses[outcome]);
  }
  const Law law = sampler->law({scored, weights});
  const LawDivergences divergence(p.masses, law.probabilities, options.more);
  if (options.json) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      rows.push_back({{"outcome", p.outcomes[i]},
                      {"numerator", law.numerators[i]},
                      {"denominator", law.denominator},
                      {"probability", law.probabilities[i]}});
    }
    print_json({{"notice", kNotPrivate},
                {"mechanism", name_of(parameters.mechanism)},
                {"guarantee", guarantee_json(sampler->guarantee())},
                {"N", law.denominator},
                {"outcomes", rows},
                {"divergence", divergence.json}});
    return kSuccess;
  }
  fmt::print("{}\nmechanism {}, {}, N = {}\n\n", kNotPrivate, name_of(parameters.mechanism),
             sampler->guarantee().text(), law.denominator);
  fmt::print("{:<24} {:>12} {:>12}  numerator\n", "outcome", "p", "law");
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    fmt::print("{:<24} {:>12.6g} {:>12.6g}  {}\n", p.outcomes[i], p.masses[i], law.probabilities[i],
               law.numerators[i]);
  }
  fmt::print("\ndivergence of p from the law: {}\n", divergence.text);
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
  options->mechanism.add_to(command, "public distribution, in the same form as --p or --density",
                            "one draw");
  options->more.add_to(command);
  options->density.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
