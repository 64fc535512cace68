// mollify compare: how close the released law is to the truth. NOT PRIVATE.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "command.h"
#include "compare_points.h"
#include "io/csv_source.h"
#include "io/public_files.h"
#include "progress.h"
#include "release/local_release.h"
#include "release/spec_json.h"
#include "release/unit_estimates.h"
#include "report.h"
#include "spec_options.h"

namespace mollify::cli {
namespace {

struct CompareOptions {
  std::optional<std::string> data;
  bool json = false;
};

/// The truth, the law that is released from, and the reference, each over all outcomes; with units,
/// averages over them, and the mean distance of a unit's own law from its own truth.
struct Comparison {
  std::vector<double> truth;
  std::vector<double> law;
  std::vector<double> reference;
  double mean_law_distance = 0;
  double mean_reference_distance = 0;
  std::size_t units = 0;
};

void add_unit(Comparison& comparison, const ScoredOutcomes& p, const LocalSampler& sampler) {
  std::vector<double> own(comparison.truth.size());
  const double sum = std::accumulate(p.weights.begin(), p.weights.end(), 0.0);
  if (sum == 0) return;
  for (std::size_t j = 0; j < p.outcomes.size(); ++j) own[p.outcomes[j]] = p.weights[j] / sum;
  const Law law = sampler.law(p);
  comparison.mean_law_distance += total_variation(own, law.probabilities);
  comparison.mean_reference_distance += total_variation(own, comparison.reference);
  for (std::size_t i = 0; i < own.size(); ++i) {
    comparison.truth[i] += own[i];
    comparison.law[i] += law.probabilities[i];
  }
  ++comparison.units;
}

void take_means(Comparison& comparison) {
  const double units = std::max(1.0, static_cast<double>(comparison.units));
  for (double& mass : comparison.truth) mass /= units;
  for (double& mass : comparison.law) mass /= units;
  comparison.mean_law_distance /= units;
  comparison.mean_reference_distance /= units;
}

/// The outcome's values; for a cell of several its least and greatest: "good false 0..4".
std::string describe(const Domain& domain, std::uint32_t outcome) {
  std::string text;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    const std::uint32_t value = domain.digit(outcome, i);
    if (i > 0) text += " ";
    const std::size_t begin = text.size();
    column.write(value, 0, text);
    if (text.size() == begin) text += "-";
    if (const std::uint64_t points = column.points(value); points > 1) {
      text += "..";
      column.write(value, points - 1, text);
    }
  }
  return text;
}

std::string bar(double mass, double greatest) {
  const auto length = static_cast<std::size_t>(std::lround(mass / greatest * 24));
  return std::string(length, '#');
}

void print_table(const Comparison& comparison, const Domain& domain) {
  constexpr std::size_t kMostRows = 40;
  std::vector<std::uint32_t> order(domain.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const bool all = order.size() <= kMostRows;
  if (!all) {
    std::partial_sort(order.begin(), order.begin() + kMostRows, order.end(),
                      [&](std::uint32_t a, std::uint32_t b) {
                        return comparison.truth[a] > comparison.truth[b];
                      });
    order.resize(kMostRows);
  }
  double greatest = 0;
  std::size_t width = 8;
  for (const std::uint32_t outcome : order) {
    greatest = std::max({greatest, comparison.truth[outcome], comparison.law[outcome]});
    width = std::max(width, describe(domain, outcome).size());
  }
  fmt::print("{:<{}} {:>8} {:>8} {:>9}  truth, then law\n", "outcome", width, "truth", "law",
             "reference");
  for (const std::uint32_t outcome : order) {
    fmt::print("{:<{}} {:>8.4f} {:>8.4f} {:>9.4f}  {}\n", describe(domain, outcome), width,
               comparison.truth[outcome], comparison.law[outcome], comparison.reference[outcome],
               bar(comparison.truth[outcome], greatest));
    fmt::print("{:<{}}  {}\n", "", width + 27, bar(comparison.law[outcome], greatest));
  }
  if (!all) fmt::print("... the {} most frequent of {} outcomes\n", kMostRows, domain.size());
}

/// The release that is compared.
ReleaseSpec spec_for(const CompareOptions& options, const CLI::App& command) {
  needed(options.data, "--data");
  Json parts = given_parts(command, spec_parts());
  if (parts.contains("roster") && !parts.contains("unit")) refuse_missing("--unit");
  parts["model"] = parts.contains("unit") ? "local" : "integral";
  if (!parts.contains("count")) parts["count"] = 1U;
  return mollify::spec_of(parts, "");
}

int run(const CompareOptions& options, const CLI::App& command) {
  const ReleaseSpec spec = spec_for(options, command);
  const std::string& data = *options.data;
  const auto release = prepare_local(spec, PublicFiles(data));
  const CsvSource source(data);
  release->require(source);
  // Whether the outcomes are too many, or the estimate too smooth, for a table of outcomes.
  if (release->space().kind() != SpaceKind::kCategories ||
      draws_by_scores(*release->certificate().local())) {
    return compare_points(*release, source, options.json);
  }
  const Domain& domain = release->space().domain();
  const LocalSampler& sampler = release->sampler();
  Comparison comparison;
  // Without any record the reference is released.
  comparison.reference = sampler.law({}).probabilities;
  comparison.truth.assign(domain.size(), 0.0);
  comparison.law.assign(domain.size(), 0.0);
  SecureRandom random;
  const UnitEstimates units(*release, source, random);
  Progress progress("units", units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    add_unit(comparison, units.outcomes(unit), sampler);
    progress.reached(unit + 1);
  }
  progress.finish();
  if (comparison.units == 0) refuse_nothing_to_compare(data);
  take_means(comparison);
  const DivergenceReport law = divergence_report(comparison.truth, comparison.law);
  const DivergenceReport reference = divergence_report(comparison.truth, comparison.reference);
  if (options.json) {
    Json rows = Json::array();
    for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
      rows.push_back({{"outcome", describe(domain, outcome)},
                      {"truth", comparison.truth[outcome]},
                      {"law", comparison.law[outcome]},
                      {"reference", comparison.reference[outcome]}});
    }
    print_json({{"notice", kNotPrivate},
                {"mechanism", release->certificate().mechanism()},
                {"guarantee", guarantee_json(sampler.guarantee())},
                {"units", comparison.units},
                {"law", divergence_json(law)},
                {"reference", divergence_json(reference)},
                {"mean_unit_tv",
                 {{"law", comparison.mean_law_distance},
                  {"reference", comparison.mean_reference_distance}}},
                {"outcomes", rows}});
    return kSuccess;
  }
  fmt::print("{}\n{}, {} a draw{}\n\n", kNotPrivate, release->certificate().mechanism(),
             sampler.guarantee().text(),
             spec.unit ? fmt::format("; mean of {} units", comparison.units) : "");
  print_table(comparison, domain);
  fmt::print("\ntruth from the law:       {}\n", law.text());
  fmt::print("truth from the reference: {}\n", reference.text());
  if (spec.unit) {
    fmt::print(
        "a unit's own truth is at total variation {:.4f} from its law and {:.4f} from the "
        "reference, on average\n",
        comparison.mean_law_distance, comparison.mean_reference_distance);
  }
  return kSuccess;
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "compare",
      "Show how close the law of a release is to the truth, beside its reference\n\n"
      "NOT PRIVATE: for the data holder, to see what a release is worth. Whatever of a release is\n"
      "chosen by looking at private data tells of them: choose with plan, and with tune on public\n"
      "units.");
  const auto options = std::make_shared<CompareOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  add_part_flags(command, spec_parts(), false);
  command.get_option("--count")->description(
      "records to release: for each unit, or for the table without --unit (default: 1)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

}  // namespace mollify::cli
