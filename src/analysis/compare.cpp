#include "analysis/compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "analysis/advice.h"
#include "analysis/summaries.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "core/table.h"
#include "domain/column.h"
#include "formats/csv.h"
#include "kernel/search.h"
#include "methods/central/method.h"
#include "methods/divergence/f_divergence.h"
#include "methods/gaussian/method.h"
#include "methods/local/method.h"
#include "methods/local/release.h"
#include "methods/local/space.h"
#include "release/acceptance.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/method.h"
#include "release/release_error.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// compare, where outcomes are listed.

namespace {

/// Of a local release, the other law being the reference; with units, averages over them, and the
/// mean distance of a unit's own law from its own truth.
struct Comparison : OutcomeLaws {
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
  comparison.mean_reference_distance += total_variation(own, comparison.other);
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
    text += list_item(level_text(domain.columns()[i], domain.digit(outcome, i)));
  }
  return text;
}

std::string bar(double mass, double greatest) {
  const auto length = static_cast<std::size_t>(std::lround(mass / greatest * 18));
  return std::string(length, '#');
}

std::string outcomes_text(const Comparison& comparison, const Domain& domain) {
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
  std::string text = fmt::format("{:<{}} {:>9} {:>8} {:>9}  real data, then output\n", "outcome",
                                 width, heading_of("truth"), heading_of("law"), "reference");
  for (const std::uint32_t outcome : order) {
    text += fmt::format("{:<{}} {:>9.4f} {:>8.4f} {:>9.4f}  {}\n", describe(domain, outcome), width,
                        comparison.truth[outcome], comparison.law[outcome],
                        comparison.other[outcome], bar(comparison.truth[outcome], greatest));
    text += fmt::format("{:<{}}  {}\n", "", width + 28, bar(comparison.law[outcome], greatest));
  }
  if (!all)
    text += fmt::format("... the {} most frequent of {} outcomes\n", kMostRows, domain.size());
  return text;
}

/// Whether the outcomes are too many, or the estimate too smooth, for a table of outcomes.
bool is_of_points(const LocalRelease& release) {
  return release.space().kind() != SpaceKind::kCategories ||
         draws_by_scores(*release.certificate().as<LocalDesign>());
}

Comparison comparison_of(const LocalRelease& release, const Source& data) {
  const Domain& domain = release.space().domain();
  const LocalSampler& sampler = release.sampler();
  Comparison comparison{{.other_name = "reference"}};
  // Without any record the reference is released.
  comparison.other = sampler.law({}).probabilities;
  comparison.truth.assign(domain.size(), 0.0);
  comparison.law.assign(domain.size(), 0.0);
  SecureRandom random;
  const UnitEstimates units(release, data, random);
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

Answer compare_outcomes(const LocalRelease& release, const Source& data) {
  const Certificate& certificate = release.certificate();
  const ReleaseSpec& spec = certificate.spec;
  const Domain& domain = release.space().domain();
  const Privacy guarantee = release.sampler().guarantee();
  const Comparison comparison = comparison_of(release, data);
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  answer.add("mechanism", certificate.mechanism(), certificate.mechanism());
  answer.add("guarantee", privacy_json(guarantee), fmt::format(", {} a draw", guarantee.text()));
  answer.add("units", comparison.units,
             spec.unit ? "; mean of " + counted(comparison.units, "unit") : "");
  answer.say("\n\n" + outcomes_text(comparison, domain));
  answer.outcomes = [comparison, domain] {
    Json rows = Json::array();
    for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
      rows.push_back({{"outcome", describe(domain, outcome)},
                      {"truth", comparison.truth[outcome]},
                      {"law", comparison.law[outcome]},
                      {"reference", comparison.other[outcome]}});
    }
    return rows;
  };
  add_outcome_laws(answer, comparison, domain, data, spec, release.roster());
  answer.add(
      "mean_unit_tv",
      {{"law", comparison.mean_law_distance}, {"reference", comparison.mean_reference_distance}},
      spec.unit
          ? fmt::format(
                "a unit's own rows are at total variation {:.4f} from its output distribution "
                "and {:.4f} from the reference, on average\n",
                comparison.mean_law_distance, comparison.mean_reference_distance)
          : "");
  const double worst = draw_risk(certificate, domain).quoted_total_variation();
  const std::string supposed = draw_supposition(certificate);
  answer.add(
      "worst_case_tv", worst,
      fmt::format("plan and advise print the worst case over all data there could be{}: total "
                  "variation {:.4g}\n",
                  supposed, worst));
  answer.say(
      fmt::format("{}a record is as good as one drawn from {}, except {}\n", within_bins(domain),
                  spec.unit ? "its unit's own, on average" : "the table's own",
                  times_words(spec.unit ? comparison.mean_law_distance
                                        : total_variation(comparison.truth, comparison.law))));
  return answer;
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// compare, where outcomes are points.

namespace {

/// The names of columns of points, for people.
std::vector<std::string> labels_of(const Domain& domain, const RecordLayout& layout) {
  std::vector<std::string> labels;
  for (const Column& column : domain.columns()) {
    // For two levels the share of the second one is shown, by its name.
    const MixedColumn& mixed = layout.columns()[labels.size()];
    const bool is_share = mixed.scale == Scale::kCategory && mixed.levels == 2;
    labels.push_back(is_share
                         ? fmt::format("{} = {}", column.name(), list_item(level_text(column, 1)))
                         : column.name());
    if (is_ordered(column.cells()) && column.codes_and_nulls() > 0)
      labels.push_back(column.name() + " is null");
  }
  return labels;
}

/// The mean of cells in the column's own units, a day's or a time's as the day that it is in; of
/// ordinals, the mean level.
class CellMean {
 public:
  explicit CellMean(const Column& column) : column_(column) {}

  void add(std::uint32_t cell, double weight) {
    mass_ += weight;
    levels_ += weight * cell;
    if (is_number_) numbers_ += weight * number_of_level(column_, cell).value_or(0);
  }

  [[nodiscard]] Json json() const {
    if (!(mass_ > 0)) return nullptr;
    if (is_number_) return numbers_ / mass_;
    if (!std::holds_alternative<DateCells>(column_.cells())) return levels_ / mass_;
    constexpr std::size_t kDay = 10;  // letters of 2024-02-29
    const auto cell = static_cast<std::uint32_t>(std::lround(levels_ / mass_));
    std::string text;
    column_.write(cell, column_.points(cell) / 2, text);
    return text.substr(0, kDay);
  }

 private:
  const Column& column_;
  bool is_number_ = std::holds_alternative<IntegerCells>(column_.cells()) ||
                    std::holds_alternative<NumberCells>(column_.cells());
  double mass_ = 0;
  double levels_ = 0;
  double numbers_ = 0;
};

/// Of each column of points; null where levels have no mean. Nulls count in their own column alone.
Json means_of(const Domain& domain, const MixedPoints& points, std::span<const double> weights) {
  Json means = Json::array();
  for (const Column& column : domain.columns()) {
    const std::size_t at = means.size();
    const MixedColumn& mixed = points.columns()[at];
    const bool has_null = is_ordered(column.cells()) && column.codes_and_nulls() > 0;
    const std::uint32_t cells = has_null ? column.cell_count() : column.size();
    CellMean mean(column);
    double nulls = 0;
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (has_null && points.values(at + 1)[j] > 0.5F) {
        nulls += weights[j];
        continue;
      }
      const double value = static_cast<double>(points.values(at)[j]);
      const double cell = mixed.scale == Scale::kNumber ? value * cells : value;
      mean.add(std::min(static_cast<std::uint32_t>(cell), cells - 1), weights[j]);
    }
    const bool has_mean = mixed.scale != Scale::kCategory || mixed.levels == 2;
    means.push_back(has_mean ? mean.json() : Json(nullptr));
    if (has_null) {
      means.push_back(nulls / std::accumulate(weights.begin(), weights.end(), 0.0));
    }
  }
  return means;
}

struct PointComparison {
  std::size_t units = 0;
  std::vector<NamedLaw> laws{};  // the truth, and others
  std::vector<Json> means{};     // of each, in real units
};

PointComparison points_comparison(const LocalRelease& release, const Source& data) {
  if (release.space().is_fresh()) {
    refuse_input("contradicting-parameters", "fresh", {WayOut::leave("fresh")},
                 "units must share one list of candidates to be compared, but {} is given",
                 flag_words("fresh"));
  }
  SecureRandom random;
  const UnitEstimates units(release, data, random);
  // Points are drawn from bands alone.
  const Band& band = *release.sampler().band();
  const auto total = static_cast<double>(band.total());
  const std::size_t outcomes = band.outcome_count();
  const auto add_law = [&](const Table& table, std::vector<double>& law) {
    for (std::size_t i = 0; i < outcomes; ++i) {
      law[i] += static_cast<double>(table.numerators()[i]) / total;
    }
  };
  Table table(band);
  std::vector<double> reference(outcomes);
  add_law(table, reference);

  PointComparison comparison;
  std::vector<double> law(outcomes);
  std::vector<float> masses(outcomes);
  std::vector<double> weights;
  std::vector<MixedPoints> parts;
  std::size_t records = 0;
  Progress progress("units", units.size());
  for (std::size_t unit = 0; unit < units.size(); ++unit) {
    MixedPoints rows = units.rows(unit);
    if (rows.size() == 0) continue;
    units.masses(unit, masses);
    project(table, masses);
    add_law(table, law);
    weights.insert(weights.end(), rows.size(), 1 / static_cast<double>(rows.size()));
    records += rows.size();
    parts.push_back(std::move(rows));
    ++comparison.units;
    progress.reached(unit + 1);
  }
  progress.finish();
  if (records == 0) return comparison;
  MixedPoints truth(release.space().layout().columns(), records);
  for (std::size_t column = 0; column < truth.columns().size(); ++column) {
    auto to = truth.values(column).begin();
    for (const MixedPoints& part : parts) {
      to = std::copy(part.values(column).begin(), part.values(column).end(), to);
    }
  }
  const MixedPoints points = release.space().points();
  std::vector<double> uniform(outcomes, 1.0);
  const std::span<const float> densities = release.space().densities();
  for (std::size_t i = 0; i < densities.size(); ++i)
    uniform[i] = 1 / static_cast<double>(densities[i]);
  std::vector<WeightedPoints> all{{"truth", &truth, std::move(weights)},
                                  {"law", &points, std::move(law)},
                                  {"reference", &points, std::move(reference)},
                                  {"uniform", &points, std::move(uniform)}};
  for (const WeightedPoints& of : all) {
    comparison.means.push_back(means_of(release.space().domain(), *of.points, of.weights));
  }
  comparison.laws = laws_of_points(std::move(all));
  return comparison;
}

struct Distance {
  const char* key;
  const char* words;
  double LawDistances::*value;
};

constexpr std::array<Distance, 5> kDistances = {{
    {"worst_mean", "worst mean, in deviations", &LawDistances::worst_mean},
    {"mean_correlation", "correlations, on average", &LawDistances::mean_correlation},
    {"worst_correlation", "worst correlation", &LawDistances::worst_correlation},
    {"mean_pair_tv", "two-way marginals, mean TV", &LawDistances::mean_pair},
    {"worst_pair_tv", "two-way marginals, worst TV", &LawDistances::worst_pair},
}};

Json summary_json(const LawMoments& moments) {
  return {{"means", moments.means},
          {"deviations", moments.deviations},
          {"correlations", moments.correlation_matrix()}};
}

Answer compare_points(const LocalRelease& release, const Source& data) {
  const PointComparison found = points_comparison(release, data);
  if (found.units == 0) refuse_nothing_to_compare(data);
  const Certificate& certificate = release.certificate();
  const Domain& domain = release.space().domain();
  const RecordLayout& layout = release.space().layout();
  Answer answer;
  answer.add("notice", kNotPrivate, fmt::format("{}\n", kNotPrivate));
  answer.add("space", name_of(release.space().kind()), space_text(certificate) + ", ");
  answer.add("k", release.space().size());
  answer.add("mechanism", certificate.mechanism(), certificate.mechanism() + ", ");
  answer.add("guarantee", privacy_json(certificate.draw), certificate.draw.text() + " a draw; ");
  answer.add("units", found.units, "mean of " + counted(found.units, "unit") + "\n\n");
  Json columns = Json::array();
  Json means = Json::array();
  for (const std::string& label : labels_of(domain, layout)) {
    Json mean{{"name", printable(label)}};
    for (std::size_t j = 0; j < found.laws.size(); ++j) {
      mean[found.laws[j].name] = found.means[j][columns.size()];
    }
    if (!mean["truth"].is_null()) means.push_back(mean);
    columns.push_back(std::move(mean));
  }
  answer.add("columns", columns);
  answer.add("truth", summary_json(found.laws.front().moments));
  const ComparedLaws compared = compare_laws(found.laws.front().moments.means.size(), found.laws);
  Json distances = Json::array();
  for (const Distance& named : kDistances) distances.push_back({{"name", named.words}});
  std::vector<TableColumn> of_means{{"mean", -28, "/name"},
                                    {heading_of("truth"), 13, "/truth", ".6g"}};
  std::vector<TableColumn> of_distances{{"distance from the real data", -28, "/name"}, {"", 13}};
  for (std::size_t i = 1; i < found.laws.size(); ++i) {
    const char* const other = found.laws[i].name;
    of_means.push_back({heading_of(other), 13, fmt::format("/{}", other), ".6g"});
    of_distances.push_back({heading_of(other), 13, fmt::format("/{}", other), ".4f"});
    answer.add(other, summary_json(found.laws[i].moments));
    for (std::size_t j = 0; j < kDistances.size(); ++j) {
      distances[j][other] = compared.others[i - 1].*kDistances[j].value;
      answer.json[other]["distance"][kDistances[j].key] = distances[j][other];
    }
  }
  answer.say(table_text(of_means, means) + "\n" + table_text(of_distances, distances));
  add_caveats(answer, domain, data, represented(certificate.spec));
  answer.say(fmt::format(
      "\nof two columns together records are as good as ones drawn from the data, except {}, on "
      "average over pairs\n"
      "plan and advise print the worst case of all columns of a record together, over all data "
      "there could be: total variation {:.4g}, near 1 for any sampler over this many outcomes\n",
      times_words(compared.others.front().mean_pair),
      draw_risk(certificate, domain).quoted_total_variation()));
  return answer;
}

}  // namespace

void refuse_nothing_to_compare(const Source& data) {
  if (const auto weights = data.weights()) {
    refuse_input("empty-input", "data",
                 "{} must hold a row with a weight above 0 in column {} to compare with, but holds "
                 "none",
                 data.name(), in_quotes(data.columns()[weights->column]));
  }
  refuse_input("empty-input", "data",
               "{} must hold records of a unit to compare with, but holds none: all that is "
               "released comes from the reference",
               data.name());
}

// -----------------------------------------------------------------------------------------------
// One release next to others.

namespace {

/// One of several releases: a mechanism's distances at each epsilon, or a reason.
struct ComparedRow {
  std::string mechanism;
  std::vector<std::optional<ReleaseDistance>> distances;  ///< of a unit's own law, of the table's
  Why refusal;
  bool is_of_rows = false;  ///< the distances, and not of a law
};

/// What is compared with the table: the laws of draws, the law of a record, or simulated rows, which
/// any method has.
enum class Compared { kDraws, kRecords, kRows };

Compared compared_by(const ReleaseSpec& spec) {
  if (kPublishedModels.has(spec.method)) return Compared::kRows;
  if (spec.own.get<LocalSpec>() != nullptr) return Compared::kDraws;
  const bool has_law =
      spec.own.get<CentralSpec>() != nullptr || spec.own.get<GaussianSpec>() != nullptr;
  return has_law ? Compared::kRecords : Compared::kRows;
}

ReleaseDistance distance_of(const Json& parts, const PublicInputs& inputs, const Source& data,
                            bool& is_of_rows) {
  ReleaseSpec spec = spec_of(parts, "");
  spec.accept_error = true;  // nothing is released
  const Compared what = compared_by(spec);
  is_of_rows = what == Compared::kRows;
  if (is_of_rows) return rows_distance(spec, inputs, data);
  if (what == Compared::kRecords) return central_distance(spec, inputs, data);
  const std::shared_ptr<const LocalRelease> release = prepare_local(spec, inputs);
  release->require(data);
  if (is_of_points(*release)) {
    refuse_input("not-for-this-domain", "epsilon",
                 {WayOut::set("epsilon"), WayOut::set("mechanism")},
                 "give one {} and one {}: several at once are compared over categories, but this "
                 "domain is released over a grid or candidates",
                 flag_words("epsilon"), flag_words("mechanism"));
  }
  return {comparison_of(*release, data).mean_law_distance, release};
}

/// The mechanisms asked for, or all of the method's; if it has none, a release
/// refuses.
std::vector<std::string> compared_mechanisms(const Json& parts) {
  const std::string asked = parts.value("mechanism", "");
  if (asked != "all") return {asked};
  auto all = mechanisms_of(known_value<Method>("method", parts.value("method", "")));
  std::erase(all, "auto");  // which is one of the others
  std::erase_if(all, [](const std::string& name) {
    const auto known = named<Mechanism>(name);
    return known && row_of(*known).has_channel;
  });
  if (all.empty()) return {asked};
  return all;
}

ComparedRow compared_row(std::span<const Json> questions, const std::string& mechanism,
                         const PublicInputs& inputs, const Source& data) {
  ComparedRow row{.mechanism = mechanism, .distances = {}, .refusal = {}};
  for (Json one : questions) {
    const bool every = one.value("mechanism", "") == "all";
    if (every) one["mechanism"] = mechanism;
    if (const auto known = named<Mechanism>(mechanism); every && known) {
      // What another mechanism has is not told to this one.
      for (const MechanismNumber& number : mechanism_numbers()) {
        if (!row_of(*known).has(number)) one.erase(std::string(number.name));
      }
      if (row_of(*known).reference == ReferenceUse::kNone) one.erase("reference");
    }
    try {
      row.distances.emplace_back(distance_of(one, inputs, data, row.is_of_rows));
    } catch (const InvalidInput& refused) {
      if (!every) throw;
      row.distances.emplace_back();
      row.refusal = refused;
    }
  }
  if (row.mechanism.empty()) row.mechanism = "as chosen";
  return row;
}

/// The distances of a table.
const char* distance_words(const Json& question, bool is_of_rows) {
  if (is_of_rows) {
    return "released rows from the real data, of two columns together, on average";
  }
  const auto method = known_value<Method>("method", question["method"].get<std::string>());
  if (question.contains("unit") && kDrawMethods.has(method)) {
    return "a unit's output distribution from its own rows, on average";
  }
  if (kGaussianMethods.has(method)) {
    return "a record from a new row of the Gaussian that the data are taken for, as promised";
  }
  return "the output distribution from the real data";
}

Answer compare_several(std::span<const Json> questions, const PublicInputs& inputs,
                       const Source& data) {
  Json list = Json::array();
  Json lines = Json::array();
  std::vector<TableColumn> columns{{"epsilon", -20, "/mechanism"}};
  std::vector<std::string> budgets;
  for (const Json& question : questions) {
    const Json epsilon = question.value("/privacy/epsilon"_json_pointer, Json("-"));
    budgets.push_back(epsilon.is_string() ? epsilon.get<std::string>() : epsilon.dump());
  }
  for (std::size_t i = 0; i < questions.size(); ++i) {
    columns.push_back({printable(budgets[i]), 10, fmt::format("/{}", i), ".4f"});
  }
  columns.push_back({"", 0, "/refusal"});
  std::optional<std::string> refusal;
  bool any = false, is_of_rows = false;
  std::vector<std::optional<ReleaseDistance>> nearest(questions.size());  // of all mechanisms
  for (const std::string& mechanism : compared_mechanisms(questions.front())) {
    const ComparedRow row = compared_row(questions, mechanism, inputs, data);
    Json line{{"mechanism", printable(row.mechanism)}};
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const auto& distance = row.distances[i];
      any |= distance.has_value();
      line[std::to_string(i)] = distance ? Json(distance->value) : Json(nullptr);
      if (distance && (!nearest[i] || distance->value < nearest[i]->value)) nearest[i] = distance;
      list.push_back({{"mechanism", row.mechanism},
                      {"epsilon", budgets[i] == "-" ? "" : budgets[i]},
                      {"tv", line[std::to_string(i)]}});
      (distance ? Why() : row.refusal).put(list.back(), "refusal");
    }
    is_of_rows |= row.is_of_rows;
    if (!row.refusal.text.empty()) line["refusal"] = fmt::format("  ({})", row.refusal.text);
    if (!refusal) refusal = row.refusal.text;
    lines.push_back(std::move(line));
  }
  if (!any) throw InvalidInput("no-mechanism", *refusal);
  Answer answer;
  answer.add("notice", kNotPrivate,
             fmt::format("{}\ntotal variation of {}\n\n", kNotPrivate,
                         distance_words(questions.front(), is_of_rows)));
  answer.add("compared", list, table_text(columns, lines));
  for (const auto& one : nearest) {
    if (!one) continue;
    for (Message& warning : one->release->warnings()) answer.warn(std::move(warning));
    const SpecDomain& domain = one->release->certificate().spec.domain;
    for (Message& warning : inputs.domain(domain).warnings()) answer.warn(std::move(warning));
  }
  return answer;
}

Answer compare_one(const Json& question, const PublicInputs& inputs, const Source& data) {
  ReleaseSpec spec = spec_of(question, "");
  spec.accept_error = true;  // nothing is released
  const Compared what = compared_by(spec);
  if (what == Compared::kRows) return compare_rows(spec, inputs, data);
  if (what == Compared::kRecords) return compare_central(spec, inputs, data);
  const auto release = prepare_local(spec, inputs);
  release->require(data);
  Answer answer =
      is_of_points(*release) ? compare_points(*release, data) : compare_outcomes(*release, data);
  for (Message& warning : release->warnings()) answer.warn(std::move(warning));
  return answer;
}

/// The weights that are declared, of every question alike.
std::optional<WeightColumn> weights_of(const Json& question) {
  const std::string flags;  // sentences name flags
  const Json declared =
      question.contains("weights") ? Json{{"weights", question["weights"]}} : Json::object();
  return PartReader(spec_parts(), declared, flags, "weights").find_weights();
}

}  // namespace

Answer compare(std::span<const Json> questions, const PublicInputs& inputs, const Source& table) {
  const CsvSource::RefusingEndlessLines refusing(table);
  std::vector<Json> asked(questions.begin(), questions.end());
  const bool has_count = asked.front().contains("count") || asked.front().contains("rate");
  for (Json& one : asked) {
    if (!has_count) one["count"] = 1U;
  }
  for (const Json& one : asked) {
    if (const auto method = named<Method>(one.value("method", "")))
      require_mechanism_or_all(one, *method);
  }
  static_cast<void>(is_repeatable(table));  // a stream is kept from now on
  const CountedTable counted_table(table, weights_of(asked.front()));
  const Source& data = *counted_table;
  Answer answer = asked.size() > 1 || asked.front().value("mechanism", "") == "all"
                      ? compare_several(asked, inputs, data)
                      : compare_one(asked.front(), inputs, data);
  // Rows of one model are as many as one likes; of all others the count splits the budget.
  const auto method = named<Method>(asked.front().value("method", ""));
  if (!has_count && method && !kModelMethods.has(*method)) {
    answer.say(fmt::format("all this is for {} 1, because none is given\n", flag_words("count")));
  }
  return answer;
}

}  // namespace mollify
