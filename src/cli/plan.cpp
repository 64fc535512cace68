// mollify plan: what a release can do for a user, before any data.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "accounting/composition.h"
#include "accounting/local_plan.h"
#include "command.h"
#include "io/domain_yaml.h"
#include "io/public_files.h"
#include "io/public_records.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/invalid_input.h"
#include "local/mechanism_risk.h"
#include "mechanism_options.h"
#include "plan_samples.h"
#include "release/draw_budget.h"
#include "release/release_space.h"
#include "report.h"

namespace mollify::cli {
namespace {

struct PlanOptions {
  std::optional<std::string> model, domain;
  std::optional<std::uint64_t> k, count;
  std::vector<std::string> region;
  MechanismOptions mechanism;
  SamplePlanOptions samples;
  bool json = false;
};

/// Which values of one column belong to the region.
struct Condition {
  std::size_t column;
  std::vector<bool> inside;
};

/// Reads "column=value" or "column=value,value".
Condition parse_condition(const std::string& text, const Domain& domain) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const auto& columns = domain.columns();
  const auto column = std::find_if(columns.begin(), columns.end(),
                                   [&](const Column& c) { return c.name() == name; });
  if (equals == std::string::npos || column == columns.end()) {
    throw InvalidInput(fmt::format(
        "region must be COLUMN=VALUE[,VALUE] for a column of the domain, but is \"{}\"", text));
  }
  Condition condition{static_cast<std::size_t>(column - columns.begin()),
                      std::vector<bool>(column->size())};
  for (std::size_t begin = equals + 1; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string value = text.substr(begin, end - begin);
    const Verdict verdict = column->read(value).verdict;
    if (verdict != Verdict::kValue && !(verdict == Verdict::kNull && column->declares_nulls())) {
      throw InvalidInput(fmt::format("region needs for {} {}, but has \"{}\"", name,
                                     column->expectation(), value));
    }
    condition.inside[column->encode(value)] = true;
    begin = end + 1;
  }
  return condition;
}

/// The reference's mass of the region.
double region_mass(const PlanOptions& options, const std::optional<Domain>& domain,
                   std::span<const double> masses) {
  if (!domain) {
    double mass = 0;
    const std::string& text = options.region.front();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mass);
    if (options.region.size() > 1 || error != std::errc() || end != text.data() + text.size() ||
        !(mass >= 0) || !(mass <= 1)) {
      throw InvalidInput(fmt::format(
          "region must be a reference mass from 0 to 1 when no domain is given, but is \"{}\"",
          text));
    }
    return mass;
  }
  std::vector<Condition> conditions;
  for (const std::string& text : options.region) {
    conditions.push_back(parse_condition(text, *domain));
  }
  double mass = 0;
  for (std::uint32_t outcome = 0; outcome < domain->size(); ++outcome) {
    const bool inside =
        std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
          return condition.inside[domain->digit(outcome, condition.column)];
        });
    if (inside) mass += masses.empty() ? 1.0 / domain->size() : masses[outcome];
  }
  return std::min(mass, 1.0);
}

const char* words(PlanChange change) {
  switch (change) {
    case PlanChange::kNothing:
      return "as asked";
    case PlanChange::kLargerEpsilon:
      return "epsilon doubled";
    case PlanChange::kFewerOutcomes:
      return "half the outcomes";
    case PlanChange::kPerfectReference:
      return "a perfect reference";
  }
  return "";
}

/// Refuses what only plans of the local model take.
void require_central(const PlanOptions& options) {
  const MechanismOptions& mechanism = options.mechanism;
  const bool given = mechanism.mechanism || mechanism.mu || mechanism.c1 || mechanism.c2 ||
                     mechanism.gamma || mechanism.reference || mechanism.band ||
                     !options.region.empty();
  if (given) {
    throw InvalidInput(
        "a plan of the central model compares mechanisms by n, k, epsilon, delta, count and alpha, "
        "but another option of a mechanism is given");
  }
  if (options.domain && options.k) {
    throw InvalidInput("--k is for when there is no domain, but --domain is given");
  }
}

/// A plan of the central model.
int run_central(const PlanOptions& options) {
  require_central(options);
  SamplePlanOptions samples = options.samples;
  samples.k = options.k;
  samples.count = options.count;
  samples.epsilon = options.mechanism.epsilon;
  if (!samples.family) {
    if (const auto given = samples.first_gaussian_given()) {
      throw InvalidInput(
          fmt::format("{} is for --family gaussian, but no family is given", *given));
    }
    if (options.domain) samples.k = read_domain(*options.domain).size();
    return run_finite_plan(samples, options.json);
  }
  if (samples.family != "gaussian") {
    throw InvalidInput(fmt::format("family must be gaussian, but is \"{}\"", *samples.family));
  }
  if (options.domain || options.k) {
    throw InvalidInput(
        "a plan of Gaussian samples has a --dimension and no outcomes, but --domain or --k is "
        "given");
  }
  return run_gaussian_plan(samples, options.json);
}

int run(const PlanOptions& options) {
  if (options.model == "central") return run_central(options);
  if (options.model && *options.model != "local" && *options.model != "integral") {
    throw InvalidInput(
        fmt::format("model must be local, integral or central, but is \"{}\"", *options.model));
  }
  if (options.samples.family) {
    throw InvalidInput("--family is for --model central, but the model is " +
                       options.model.value_or("local"));
  }
  if (const auto given = options.samples.first_gaussian_given()) {
    throw InvalidInput(fmt::format("{} is for --family gaussian, but no family is given", *given));
  }
  if (const auto given = options.samples.first_given()) {
    throw InvalidInput(fmt::format("{} is for --model central, but the model is {}", *given,
                                   options.model.value_or("local")));
  }
  const auto& reference_file = options.mechanism.reference;
  if (options.domain && options.k) {
    throw InvalidInput("--k is for when there is no domain, but --domain is given");
  }
  // What sample would choose from.
  std::optional<ReleaseSpace> space;
  if (options.domain) {
    space.emplace(read_domain(*options.domain), SpaceSpec{},
                  reference_file ? std::optional(PublicFile{*reference_file}) : std::nullopt,
                  PublicFiles());
  }
  const SpaceKind kind = space ? space->kind() : SpaceKind::kCategories;
  const std::size_t k =
      space ? static_cast<std::size_t>(space->size()) : outcome_count(options.k, "--domain or --k");
  if (reference_file && !space) {
    throw InvalidInput("--reference needs --domain, but none is given");
  }
  std::optional<Domain> domain;
  if (kind != SpaceKind::kCandidates && space) domain = space->domain();
  std::vector<double> masses;
  if (reference_file && domain) {
    masses = reference_masses(read_public_records(*reference_file, *domain), kind, *domain);
  }
  MechanismParameters parameters = options.mechanism.parameters(k, masses, kind);
  if (!is_band(parameters.mechanism)) {
    throw InvalidInput(fmt::format(
        "plan needs a mechanism with a band, but {} has none; see mollify risk and mollify law",
        name_of(parameters.mechanism)));
  }
  const double asked = needed(parameters.epsilon, "--epsilon");
  const std::uint64_t count = options.count.value_or(1);
  parameters.epsilon = ExpBound(*draw_budget(asked, std::nullopt, count).epsilon).epsilon();
  // Above 30 a draw counts as 30, and then the total is less than was asked for.
  const double total = std::min(asked, basic_composition_epsilon_up(*parameters.epsilon, count));
  const ReferenceMasses reference =
      masses.empty() ? ReferenceMasses::uniform(k) : ReferenceMasses::given(masses);
  validate_parameters(parameters);
  LocalPlan plan =
      plan_local([&](const ReferenceMasses& masses_of_row,
                     double epsilon) { return band_risk(parameters, masses_of_row, epsilon); },
                 reference, *parameters.epsilon);
  std::erase_if(plan.table, [&](const PlanRow& row) {
    return row.epsilon > ExpBound::kGreatestEpsilon ||
           (kind != SpaceKind::kCategories && row.change == PlanChange::kFewerOutcomes);
  });
  const WorstCaseRisk& risk = plan.risk;
  std::optional<double> mass;
  std::optional<RegionBounds> bounds;
  if (!options.region.empty() && space && !domain) {
    throw InvalidInput(
        "region needs a domain whose records can be listed, but this one is released by "
        "candidates; "
        "give its reference mass and --k instead");
  }
  if (!options.region.empty()) {
    mass = region_mass(options, domain, masses);
    bounds = region_bounds(risk.lower_factor, risk.largest_lift, *mass);
  }
  const std::string promise = fmt::format(
      "no event, and no decision taken later on the output, has its probability changed by more "
      "than a factor e^{:g} = {:.4g} by any data at all",
      total, std::exp(total));
  if (options.json) {
    Json table = Json::array();
    for (const PlanRow& row : plan.table) {
      table.push_back({{"change", words(row.change)},
                       {"epsilon_per_draw", row.epsilon},
                       {"outcomes", row.outcomes},
                       {"largest_lift", row.largest_lift},
                       {"tv", row.total_variation}});
    }
    Json json{{"mechanism", name_of(parameters.mechanism)},
              {"space", name_of(kind)},
              {"outcomes", plan.outcomes},
              {"epsilon_total", total},
              {"epsilon_per_draw", plan.epsilon},
              {"lower_factor", risk.lower_factor},
              {"largest_lift", risk.largest_lift},
              {"risk", divergence_json(risk.risk)},
              {"attained", risk.attained},
              {"table", table},
              {"promised", promise},
              {"not_promised", "membership without a roster of units; timing"}};
    if (bounds) {
      json["region"] = {
          {"reference_mass", *mass}, {"at_least", bounds->at_least}, {"at_most", bounds->at_most}};
    }
    print_json(json);
    return kSuccess;
  }
  const char* what = kind == SpaceKind::kGrid         ? "cells"
                     : kind == SpaceKind::kCandidates ? "candidates"
                                                      : "outcomes";
  fmt::print("{} over {} {}, epsilon {:g} in all, {:.6g} for each of {} draw{} of a unit\n\n",
             name_of(parameters.mechanism), plan.outcomes, what, total, plan.epsilon, count,
             count == 1 ? "" : "s");
  fmt::print("promised: {}\n", promise);
  fmt::print("not promised: membership without a roster of units; timing\n\n");
  fmt::print(
      "whatever the data, an outcome is released with {:.4g} to {:.4g} times its reference "
      "mass\n",
      risk.lower_factor, risk.largest_lift);
  if (bounds) {
    fmt::print("the region has reference mass {:.4g} and is released with {:.4g} to {:.4g}\n",
               *mass, bounds->at_least, bounds->at_most);
  }
  fmt::print("worst case: {}{}\n\n", divergence_text(risk.risk),
             risk.attained ? "" : " (an upper bound)");
  fmt::print("{:<20} {:>8} {:>9} {:>12} {:>16}\n", "", "epsilon", "outcomes", "largest lift",
             "worst-case TV");
  for (const PlanRow& row : plan.table) {
    fmt::print("{:<20} {:>8.4g} {:>9} {:>12.4g} {:>16.4g}\n", words(row.change), row.epsilon,
               row.outcomes, row.largest_lift, row.total_variation);
  }
  return kSuccess;
}

}  // namespace

void add_plan(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "plan",
      "Say what a release can do, before any data is opened\n\n"
      "The largest lift, bounds on a region's probability, worst cases, and what a larger "
      "epsilon,\n"
      "fewer outcomes or a better reference would buy. Nothing private is read.\n\n"
      "With --model central: give all but one of --n, --k (or --domain), --epsilon and --alpha, "
      "and\n"
      "it is found for every mechanism; --delta is 0 and --count 1 unless given. With those four\n"
      "given, --count or --delta is found. Neighbouring data sets replace one record, so n is "
      "public.\n\n"
      "With --family gaussian besides: samples of a Gaussian in --dimension coordinates, measured "
      "in\n"
      "standard deviations of the data. Give all but one of --n, --dimension, the budget "
      "(--epsilon and\n"
      "--delta, or --rho), --alpha and --count. What is promised about accuracy holds if the data "
      "are\n"
      "Gaussian with the covariance and within the bounds that are declared; privacy holds "
      "whatever the\n"
      "data are.");
  const auto options = std::make_shared<PlanOptions>();
  command
      .add_option("--model", options->model,
                  "local or integral, whose plans are the same, or central")
      ->type_name("MODEL");
  command.add_option("--domain", options->domain, "the public domain, YAML")->type_name("FILE");
  add_whole_number(command, "--k", options->k, "number of outcomes, when there is no domain");
  add_whole_number(command, "--count", options->count, "draws of each unit (default: 1)");
  command
      .add_option("--region", options->region,
                  "COLUMN=VALUE[,VALUE]; several narrow it. Without a domain: its reference mass")
      ->type_name("REGION");
  options->mechanism.add_to(command, "public CSV of records in the domain",
                            "all draws of a unit together");
  options->mechanism.add_band_to(command);
  options->samples.add_to(command);
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session] { session.status = run(*options); });
}

}  // namespace mollify::cli
