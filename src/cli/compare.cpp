// mollify compare: how close the released law is to the truth. NOT PRIVATE.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "accounting/counted.h"
#include "command.h"
#include "compare_caveats.h"
#include "compare_central.h"
#include "compare_marginals.h"
#include "compare_points.h"
#include "compare_released.h"
#include "io/csv_source.h"
#include "io/public_files.h"
#include "kernel/core/invalid_input.h"
#include "marginals.h"
#include "number_list.h"
#include "progress.h"
#include "release/acceptance.h"
#include "release/advice.h"
#include "release/design.h"
#include "release/local_release.h"
#include "release/spec_json.h"
#include "release/unit_estimates.h"
#include "report.h"
#include "spec_options.h"

namespace mollify::cli {
namespace {

struct CompareOptions {
  std::optional<std::string> data, released;
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
    if (i > 0) text += " ";
    text += level_text(domain.columns()[i], domain.digit(outcome, i));
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

/// Whether all rows are drawn from one released model.
bool shares_model(const Json& parts) {
  return parts.value("family", "") == name_of(Family::kMarginals) ||
         parts.value(Json::json_pointer("/space/kind"), "") == name_of(SpaceKind::kModels);
}

/// The parts of the release that is compared.
Json parts_for(const CompareOptions& options, const CLI::App& command) {
  needed(options.data, "--data");
  Json parts = given_parts(command, spec_parts());
  if (parts.contains("roster") && !parts.contains("unit")) refuse_missing("--unit");
  if (!parts.contains("model")) parts["model"] = parts.contains("unit") ? "local" : "integral";
  if (!parts.contains("count") && !parts.contains("rate")) parts["count"] = 1U;
  return parts;
}

/// Whether the outcomes are too many, or the estimate too smooth, for a table of outcomes.
bool is_of_points(const LocalRelease& release) {
  return release.space().kind() != SpaceKind::kCategories ||
         draws_by_scores(*release.certificate().local());
}

Comparison comparison_of(const LocalRelease& release, const CsvSource& source,
                         const std::string& data) {
  const Domain& domain = release.space().domain();
  const LocalSampler& sampler = release.sampler();
  Comparison comparison;
  // Without any record the reference is released.
  comparison.reference = sampler.law({}).probabilities;
  comparison.truth.assign(domain.size(), 0.0);
  comparison.law.assign(domain.size(), 0.0);
  SecureRandom random;
  const UnitEstimates units(release, source, random);
  Progress progress("units", units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    add_unit(comparison, units.outcomes(unit), sampler);
    progress.reached(unit + 1);
  }
  progress.finish();
  if (comparison.units == 0) refuse_nothing_to_compare(data);
  take_means(comparison);
  return comparison;
}

/// One release beside the others: a mechanism's distances at each epsilon, or why there are none.
struct ComparedRow {
  std::string mechanism;
  std::vector<std::optional<double>> distances;  ///< of a unit's own law, of the table's
  std::string refusal;
};

double distance_of(const Json& parts, const std::string& data) {
  ReleaseSpec spec = mollify::spec_of(parts, "");
  spec.accept_error = true;  // nothing is released
  if (spec.model == Model::kCentral) return central_distance(spec, data);
  if (spec.shares_model()) return marginals_distance(spec, data);
  const auto release = prepare_local(spec, PublicFiles(data));
  const CsvSource source(data);
  release->require(source);
  if (is_of_points(*release)) {
    throw InvalidInput(
        "give one --epsilon and one --mechanism: several at once are compared over categories, but "
        "this domain is released over a grid or candidates");
  }
  return comparison_of(*release, source, data).mean_law_distance;
}

std::vector<std::string> mechanisms_of(const Json& parts) {
  if (parts.value("mechanism", "") != "all") return {parts.value("mechanism", "")};
  std::vector<std::string> all;
  if (parts["model"] == "central") {
    for (const auto& [mechanism, name] : names<CentralMechanism>()) all.emplace_back(name);
    return all;
  }
  for (const auto& [mechanism, name] : names<Mechanism>()) {
    if (mechanism != Mechanism::kLocation) all.emplace_back(name);
  }
  return all;
}

ComparedRow compared_row(const Json& parts, const std::string& mechanism, const std::string& data) {
  ComparedRow row{.mechanism = mechanism, .distances = {}, .refusal = {}};
  const bool every = parts.value("mechanism", "") == "all";
  for (Json one : for_each_epsilon(parts)) {
    if (every) one["mechanism"] = mechanism;
    // What another mechanism has is not told to this one.
    if (every && mechanism != name_of(Mechanism::kClass)) {
      one.erase("c1");
      one.erase("c2");
    }
    if (every && mechanism != name_of(Mechanism::kNeighbourhood)) one.erase("gamma");
    if (every && mechanism == name_of(Mechanism::kRandomizedResponse)) one.erase("reference");
    try {
      row.distances.emplace_back(distance_of(one, data));
    } catch (const InvalidInput& refused) {
      if (!every) throw;
      row.distances.emplace_back();
      row.refusal = refused.what();
    }
  }
  if (row.mechanism.empty()) row.mechanism = "as chosen";
  return row;
}

int compare_several(const Json& parts, const std::string& data, bool json) {
  std::vector<ComparedRow> rows;
  bool any = false;
  for (const std::string& mechanism : mechanisms_of(parts)) {
    rows.push_back(compared_row(parts, mechanism, data));
    for (const auto& distance : rows.back().distances) any |= distance.has_value();
  }
  if (!any) throw InvalidInput(rows.front().refusal);
  const Json::json_pointer epsilon("/privacy/epsilon");
  const std::vector<Json> budgets = for_each_epsilon(parts);
  if (json) {
    Json list = Json::array();
    for (const ComparedRow& row : rows) {
      for (std::size_t i = 0; i < budgets.size(); ++i) {
        const auto& distance = row.distances[i];
        list.push_back({{"mechanism", row.mechanism},
                        {"epsilon", budgets[i].value(epsilon, "")},
                        {"tv", distance ? Json(*distance) : Json(nullptr)},
                        {"refusal", distance ? "" : row.refusal}});
      }
    }
    print_json({{"notice", kNotPrivate}, {"compared", list}});
    return kSuccess;
  }
  const char* what = "the law that is released from the truth";
  if (parts.contains("unit") && parts["model"] == "local") {
    what = "the law that is released from a unit's own truth, on average";
  } else if (parts.value("family", "") == name_of(Family::kGaussian)) {
    what = "a record from a new row of the Gaussian that the data are taken for, as promised";
  } else if (shares_model(parts)) {
    what = "released rows from the truth, of two columns together, on average";
  }
  fmt::print("{}\ntotal variation of {}\n\n{:<20}", kNotPrivate, what, "epsilon");
  for (const Json& budget : budgets) fmt::print(" {:>9}", printable(budget.value(epsilon, "-")));
  fmt::print("\n");
  for (const ComparedRow& row : rows) {
    fmt::print("{:<20}", printable(row.mechanism));
    for (const auto& distance : row.distances) {
      fmt::print(" {:>9}", distance ? fmt::format("{:.4f}", *distance) : "-");
    }
    fmt::print("{}\n", row.refusal.empty() ? "" : fmt::format("  ({})", row.refusal));
  }
  return kSuccess;
}

int compare(const CompareOptions& options, const CLI::App& command) {
  const Json parts = parts_for(options, command);
  const std::string& data = *options.data;
  if (parts.value("mechanism", "") == "all" || for_each_epsilon(parts).size() > 1) {
    return compare_several(parts, data, options.json);
  }
  ReleaseSpec spec = mollify::spec_of(parts, "");
  spec.accept_error = true;  // nothing is released
  if (spec.model == Model::kCentral) return compare_central(spec, data, options.json);
  if (spec.shares_model()) return compare_marginals(spec, data, options.json);
  const auto release = prepare_local(spec, PublicFiles(data));
  const CsvSource source(data);
  release->require(source);
  for (const std::string& warning : release->warnings()) {
    tell("WARNING: " + warning + "\n");
  }
  if (is_of_points(*release)) return compare_points(*release, source, data, options.json);
  const Domain& domain = release->space().domain();
  const LocalSampler& sampler = release->sampler();
  const Comparison comparison = comparison_of(*release, source, data);
  const NamedLaw laws[] = {law_over_outcomes("truth", domain, comparison.truth),
                           law_over_outcomes("law", domain, comparison.law),
                           law_over_outcomes("reference", domain, comparison.reference)};
  const auto own = own_means(source, domain, spec.unit, release->roster());
  const CompareCaveats caveats = compare_caveats(spec, domain, data);
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
    Json result{
        {"notice", kNotPrivate},
        {"mechanism", release->certificate().mechanism()},
        {"guarantee", guarantee_json(sampler.guarantee())},
        {"units", comparison.units},
        {"law", divergence_json(law)},
        {"worst_case_tv", draw_risk(release->certificate(), domain).quoted_total_variation()},
        {"reference", divergence_json(reference)},
        {"mean_unit_tv",
         {{"law", comparison.mean_law_distance},
          {"reference", comparison.mean_reference_distance}}},
        {"outcomes", rows}};
    result.update(marginals_json(domain, laws, own));
    caveats.add_to(result);
    print_json(result);
    return kSuccess;
  }
  fmt::print("{}\n{}, {} a draw{}\n\n", kNotPrivate, release->certificate().mechanism(),
             sampler.guarantee().text(),
             spec.unit ? "; mean of " + counted(comparison.units, "unit") : "");
  print_table(comparison, domain);
  print_marginals(domain, laws, own);
  caveats.print();
  fmt::print("\ntruth from the law:       {}\n", law.text());
  fmt::print("truth from the reference: {}\n", reference.text());
  if (spec.unit) {
    fmt::print(
        "a unit's own truth is at total variation {:.4f} from its law and {:.4f} from the "
        "reference, on average\n",
        comparison.mean_law_distance, comparison.mean_reference_distance);
  }
  fmt::print(
      "plan and advise tell the worst case over all data there could be: total variation {:.4g}\n",
      draw_risk(release->certificate(), domain).quoted_total_variation());
  fmt::print("{}a record is as good as one drawn from {}, but for {}\n", within_bins(domain),
             spec.unit ? "its unit's own, on average" : "the table's own",
             times_words(spec.unit ? comparison.mean_law_distance
                                   : total_variation(comparison.truth, comparison.law)));
  return kSuccess;
}

/// What is compared with rows that are there already; refuses what only a release to come has.
ReleasedRows released_rows(const CompareOptions& options, const CLI::App& command) {
  const std::vector<std::string_view> known = {"/domain", "/unit", "/roster", "/units_column",
                                               "/logarithms"};
  std::vector<Part> others;
  std::vector<Part> parts;
  for (const Part& part : spec_parts()) {
    const bool is_known = std::find(known.begin(), known.end(), part.place) != known.end();
    (is_known ? parts : others).push_back(part);
  }
  if (const std::string flag = first_given_part(command, others); !flag.empty()) {
    throw InvalidInput(fmt::format(
        "--released compares rows that are there, however they were made, but {} is given", flag));
  }
  const Json given = given_parts(command, spec_parts());
  const std::string flags;  // sentences name flags
  const PartReader reader(parts, given, flags, "a comparison");
  reader.require_given("/domain");
  if (reader.has("/roster") && !reader.has("/unit")) refuse_missing("--unit");
  ReleasedRows rows{.data = needed(options.data, "--data"), .released = *options.released};
  rows.spec.domain = *reader.find_domain("/domain");
  rows.spec.unit = reader.find<std::string>("/unit");
  rows.spec.roster = reader.find_file("/roster");
  rows.spec.units_column = reader.find<std::string>("/units_column");
  rows.logarithms =
      reader.find<std::vector<std::string>>("/logarithms").value_or(std::vector<std::string>());
  return rows;
}

int run(const CompareOptions& options, const CLI::App& command) {
  if (options.released) return compare_released(released_rows(options, command), options.json);
  const int status = compare(options, command);
  // Rows of one model are as many as one likes; of all others the count splits the budget.
  const Json given = given_parts(command, spec_parts());
  if (!options.json && !given.contains("count") && !given.contains("rate") &&
      !shares_model(given)) {
    fmt::print("all this is for --count 1, because none is given\n");
  }
  return status;
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "compare",
      "Show how close the law of a release is to the truth, beside its reference\n\n"
      "Model local with --unit, integral without, unless --model central is given. --epsilon "
      "0.5,1,2 and\n"
      "--mechanism all make one table of distances. --released judges rows that are there.\n\n"
      "The means of truth and law take a number for the middle of its bin; the column's real mean\n"
      "stands below, and a warning where the bins alone move it by more than a tenth of the\n"
      "column's standard deviation.\n\n"
      "NOT PRIVATE: for the data holder, to see what a release is worth. Whatever of a release is\n"
      "chosen by looking at private data tells of them: choose with plan, and with tune on public\n"
      "units.");
  const auto options = std::make_shared<CompareOptions>();
  command.add_option("--data", options->data, "the private CSV file")->type_name("FILE");
  add_text(command, "--released", options->released, "FILE",
           "compare the data with these released rows, instead of a release to come; with --data "
           "and --domain, and --unit, --units and --log where they were given to sample");
  add_part_flags(command, spec_parts());
  command.get_option("--count")->description(
      "records to release: for each unit, or for the table without --unit (default: 1)");
  command.add_flag("--json", options->json, "print as JSON");
  command.callback([options, &session, &command] { session.status = run(*options, command); });
}

}  // namespace mollify::cli
