#include "cli/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <variant>

#include <fmt/format.h>

#include "accounting/privacy.h"
#include "base/names.h"
#include "base/progress.h"
#include "cli/compare_table.h"
#include "cli/main.h"
#include "cli/marginals.h"
#include "cli/options.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "formats/csv.h"
#include "formats/public_files.h"
#include "records/units.h"
#include "release/acceptance.h"
#include "release/advice.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/local_method.h"
#include "release/local_release.h"
#include "release/space.h"
#include "release/spec.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// What stands above every verdict of compare.

void CompareCaveats::print() const {
  fmt::print("\n");
  if (const std::string lines = mapped.lines(); !lines.empty()) {
    fmt::print("In the data, before anything is compared:\n{}", lines);
  }
  for (const std::string& sentence : represented) fmt::print("{}\n", sentence);
}

void CompareCaveats::add_to(Json& result) const {
  result["mapped"] = mapped.json();
  result["represents"] = represented;
}

CompareCaveats compare_caveats(const ReleaseSpec& spec, const Domain& domain,
                               const std::string& data) {
  tell_undeclared(domain);
  return {mapped_counts(data, domain), represented(spec)};
}

// -----------------------------------------------------------------------------------------------
// The means of a table's own numbers, beside those of the bins they are counted in.

namespace {

std::optional<double> number_in(const Value& value, double min, double max) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return read_number_of(*text, min, max);
  }
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  return std::nullopt;
}

/// The numbers of one column, and the middles of its cells.
class ColumnNumbers {
 public:
  /// Requires integers or numbers.
  explicit ColumnNumbers(const Column& column) : column_(column) {
    if (const auto* integers = std::get_if<IntegerCells>(&column.cells())) {
      min_ = static_cast<double>(integers->min());
      max_ = static_cast<double>(integers->max());
      are_whole_ = true;
    } else {
      const auto& numbers = std::get<NumberCells>(column.cells());
      min_ = numbers.min();
      max_ = numbers.max();
    }
    const auto declared = [this](const std::optional<std::string>& value) {
      return value ? read_number_of(*value, min_, max_) : std::nullopt;
    };
    null_ = declared(column.mapping().null_value);
    outside_ = declared(column.mapping().outside_value);
  }

  /// As the column reads it; none of what becomes a null that is a category.
  [[nodiscard]] std::optional<double> read(const Value& value) const {
    switch (column_.read(value).verdict) {
      case Verdict::kNull:
        if (column_.mapping().null_is_category) return std::nullopt;
        return null_ ? *null_ : outside_.value_or(min_);
      case Verdict::kOutside:
      case Verdict::kUnreadable:
        // Declared and no number: null.
        if (column_.mapping().outside_value) return outside_;
        break;
      case Verdict::kValue:
        break;
    }
    const double number = number_in(value, min_, max_).value_or(min_);
    if (std::isnan(number)) return min_;
    return std::clamp(are_whole_ ? std::round(number) : number, min_, max_);
  }

  [[nodiscard]] double middle(const Value& value) const {
    return number_of_level(column_, column_.encode(value)).value_or(0);
  }

 private:
  const Column& column_;
  std::optional<double> outside_;
  std::optional<double> null_;
  double min_ = 0;
  double max_ = 0;
  bool are_whole_ = false;
};

/// Of the numbers of one column in one unit.
struct Sums {
  double weight = 0;
  double numbers = 0;  ///< from the first number on, so that squares do not cancel
  double squares = 0;
  double middles = 0;

  void add(const Sums& other, double factor) {
    weight += factor * other.weight;
    numbers += factor * other.numbers;
    squares += factor * other.squares;
    middles += factor * other.middles;
  }
};

}  // namespace

bool OwnMean::is_moved() const { return has_bins && std::abs(in_bins - mean) > deviation / 10; }

std::vector<std::optional<OwnMean>> own_means(const Source& source, const Domain& domain,
                                              const std::optional<std::string>& unit,
                                              const std::optional<Roster>& roster) {
  std::vector<std::optional<OwnMean>> means(domain.columns().size());
  try {
    source.require_repeatable();
  } catch (const InvalidInput&) {
    return means;
  }
  std::vector<std::string> names;
  std::vector<std::size_t> places;  // in the domain
  std::vector<ColumnNumbers> columns;
  for (std::size_t i = 0; i < domain.columns().size(); ++i) {
    const Column& column = domain.columns()[i];
    if (!is_numeric(column.cells())) continue;
    names.push_back(column.name());
    places.push_back(i);
    columns.emplace_back(column);
  }
  const std::size_t width = columns.size();
  Units units(roster);
  std::vector<double> records;  // of each unit
  std::vector<Sums> sums;       // of each of its columns
  std::vector<std::optional<double>> first(width);
  source.visit(wanted_columns(source, names, unit), [&](const Block& block) {
    std::span<const std::uint32_t> of;
    if (unit) of = units.of(block.columns.back());
    records.resize(unit ? units.size() : 1);
    sums.resize(records.size() * width);
    for (std::size_t row = 0; row < block.rows; ++row) {
      const std::size_t at = unit ? of[row] : 0;
      if (unit && of[row] == Units::kNobody) continue;
      const double weight = block.counts.empty() ? 1 : static_cast<double>(block.counts[row]);
      records[at] += weight;
      for (std::size_t i = 0; i < width; ++i) {
        const Value value = block.columns[i][row];
        const auto number = columns[i].read(value);
        if (!number) continue;
        if (!first[i]) first[i] = *number;
        const double moved = *number - *first[i];
        sums[at * width + i].add({1, moved, moved * moved, columns[i].middle(value)}, weight);
      }
    }
  });
  for (std::size_t i = 0; i < width; ++i) {
    Sums all;
    for (std::size_t at = 0; at < records.size(); ++at) {
      if (records[at] > 0) all.add(sums[at * width + i], 1 / records[at]);
    }
    if (!(all.weight > 0)) continue;
    const double moved = all.numbers / all.weight;
    means[places[i]] =
        OwnMean{.mean = *first[i] + moved,
                .deviation = std::sqrt(std::max(0.0, all.squares / all.weight - moved * moved)),
                .in_bins = all.middles / all.weight,
                .has_bins = has_bins(domain.columns()[places[i]])};
  }
  return means;
}

bool has_bins(const Column& column) {
  const Cells& cells = column.cells();
  if (has_private_bins(cells)) return true;
  if (const auto* integers = std::get_if<IntegerCells>(&cells)) return !integers->ungrouped();
  if (const auto* dates = std::get_if<DateCells>(&cells)) return !dates->cells().ungrouped();
  const auto* numbers = std::get_if<NumberCells>(&cells);
  return numbers != nullptr && numbers->declares_bins();
}

std::string within_bins(const Domain& domain) {
  const auto& columns = domain.columns();
  return std::any_of(columns.begin(), columns.end(), has_bins) ? "within the declared bins, " : "";
}

// -----------------------------------------------------------------------------------------------
// Means, deviations, quantiles and correlations of a table of numbers.

PointSummary summary_of_points(std::span<const double> points, std::size_t dimension) {
  PointSummary found;
  const std::size_t rows = points.size() / dimension;
  const auto n = static_cast<double>(rows);
  for (std::size_t column = 0; column < dimension; ++column) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) values.push_back(points[row * dimension + column]);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean);
    std::sort(values.begin(), values.end());
    const auto quantile = [&](double part) {
      return values[static_cast<std::size_t>(part * (n - 1))];
    };
    found.means.push_back(mean);
    found.deviations.push_back(std::sqrt(square / n));
    found.low.push_back(quantile(0.05));
    found.middle.push_back(quantile(0.5));
    found.high.push_back(quantile(0.95));
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = i + 1; j < dimension; ++j) {
      double sum = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        sum += (points[row * dimension + i] - found.means[i]) *
               (points[row * dimension + j] - found.means[j]);
      }
      const double scale = n * found.deviations[i] * found.deviations[j];
      found.correlations.push_back(scale > 0 ? sum / scale : 0);
    }
  }
  return found;
}

std::string coordinate_name(const RealColumns& columns, std::size_t column) {
  return columns.is_logarithm(column) ? fmt::format("ln {}", columns.name(column))
                                      : columns.name(column);
}

void print_point_summaries(const RealColumns& columns, const PointSummary& truth,
                           const PointSummary& summary, const char* other) {
  fmt::print("{:<32} {:>12} {:>12}\n", "", "truth", other);
  const auto line = [](const std::string& name, double of_truth, double of_other) {
    fmt::print("{:<32} {:>12.5g} {:>12.5g}\n", printable(name), of_truth, of_other);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = coordinate_name(columns, i);
    line("mean of " + name, truth.means[i], summary.means[i]);
    line("deviation of " + name, truth.deviations[i], summary.deviations[i]);
    line("1 in 20 is below, " + name, truth.low[i], summary.low[i]);
    line("half is below, " + name, truth.middle[i], summary.middle[i]);
    line("1 in 20 is above, " + name, truth.high[i], summary.high[i]);
  }
  std::size_t pair = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j, ++pair) {
      line(fmt::format("correlation of {}, {}", columns.name(i), columns.name(j)),
           truth.correlations[pair], summary.correlations[pair]);
    }
  }
}

Json point_summary_json(const PointSummary& summary) {
  return {{"means", summary.means},
          {"deviations", summary.deviations},
          {"quantiles", {{"0.05", summary.low}, {"0.5", summary.middle}, {"0.95", summary.high}}},
          {"correlations", summary.correlations}};
}

// -----------------------------------------------------------------------------------------------
// mollify compare.

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

/// The parts of the release that is compared.
Json parts_for(const CompareOptions& options, const CLI::App& command,
               std::optional<Method> method) {
  needed(options.data, "--data");
  Json parts = given_parts(command, spec_parts(), method);
  if (parts.contains("roster") && !parts.contains("unit")) refuse_missing("--unit");
  if (!parts.contains("count") && !parts.contains("rate")) parts["count"] = 1U;
  return parts;
}

/// Whether the outcomes are too many, or the estimate too smooth, for a table of outcomes.
bool is_of_points(const LocalRelease& release) {
  return release.space().kind() != SpaceKind::kCategories ||
         draws_by_scores(*release.certificate().as<LocalDesign>());
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
  if (kRowMethods.has(spec.method)) return central_distance(spec, data);
  if (spec.method == Method::kIntegralModel) return marginals_distance(spec, data);
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
  if (parts["method"] == name_of(Method::kCentral)) {
    for (const auto& [mechanism, name] : names<CentralMechanism>()) all.emplace_back(name);
    return all;
  }
  for (const auto& known : named_mechanisms()) all.emplace_back(known.name);
  return all;
}

ComparedRow compared_row(const Json& parts, const std::string& mechanism, const std::string& data) {
  ComparedRow row{.mechanism = mechanism, .distances = {}, .refusal = {}};
  const bool every = parts.value("mechanism", "") == "all";
  for (Json one : for_each_epsilon(parts)) {
    if (every) one["mechanism"] = mechanism;
    if (const auto known = named<Mechanism>(mechanism); every && known) {
      // What another mechanism has is not told to this one.
      for (const MechanismNumber& number : mechanism_numbers()) {
        if (!row_of(*known).has(number)) one.erase(std::string(number.name));
      }
      if (row_of(*known).reference == ReferenceUse::kNone) one.erase("reference");
    }
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
  const auto method = known_value<Method>("method", parts["method"].get<std::string>());
  if (parts.contains("unit") && method == Method::kLocal) {
    what = "the law that is released from a unit's own truth, on average";
  } else if (kGaussianMethods.has(method)) {
    what = "a record from a new row of the Gaussian that the data are taken for, as promised";
  } else if (kModelMethods.has(method)) {
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

int compare(const CompareOptions& options, const CLI::App& command, std::optional<Method> method) {
  const Json parts = parts_for(options, command, method);
  const std::string& data = *options.data;
  if (parts.value("mechanism", "") == "all" || for_each_epsilon(parts).size() > 1) {
    return compare_several(parts, data, options.json);
  }
  ReleaseSpec spec = mollify::spec_of(parts, "");
  spec.accept_error = true;  // nothing is released
  if (kRowMethods.has(spec.method)) return compare_central(spec, data, options.json);
  if (spec.method == Method::kIntegralModel) return compare_marginals(spec, data, options.json);
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

/// Whether rows that are there already have the part.
bool is_of_released(const Part& part) {
  constexpr std::string_view kKnown[] = {"/domain", "/unit", "/roster", "/units_column",
                                         "/logarithms"};
  return std::find(std::begin(kKnown), std::end(kKnown), part.place) != std::end(kKnown);
}

/// What is compared with rows that are there already; refuses what only a release to come has.
ReleasedRows released_rows(const CompareOptions& options, const CLI::App& command) {
  std::vector<Part> others;
  std::vector<Part> parts;
  for (const Part& part : spec_parts()) {
    (is_of_released(part) ? parts : others).push_back(part);
  }
  if (const std::string flag = first_given_part(command, others); !flag.empty()) {
    throw InvalidInput(fmt::format(
        "--released compares rows that are there, however they were made, but {} is given", flag));
  }
  const Json given = given_parts(command, spec_parts(), std::nullopt);
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

int run(const CompareOptions& options, const CLI::App& command, std::optional<Method> method) {
  if (options.released && method) {
    throw InvalidInput(fmt::format(
        "--released compares rows that are there, however they were made, but method {} is given",
        name_of(*method)));
  }
  if (options.released) return compare_released(released_rows(options, command), options.json);
  if (!method) {
    throw InvalidInput(
        fmt::format("a method is needed (mollify compare METHOD, one of {}), or --released, but "
                    "neither is given",
                    all_names<Method>()));
  }
  const int status = compare(options, command, method);
  // Rows of one model are as many as one likes; of all others the count splits the budget.
  const Json given = given_parts(command, spec_parts(), method);
  if (!options.json && !given.contains("count") && !given.contains("rate") &&
      !kModelMethods.has(*method)) {
    fmt::print("all this is for --count 1, because none is given\n");
  }
  return status;
}

}  // namespace

void add_compare(CLI::App& app, Session& session) {
  CLI::App& command = *app.add_subcommand(
      "compare",
      "Show how close the law of a release is to the truth, beside its reference\n\n"
      "mollify compare METHOD ...: a release to come. --epsilon 0.5,1,2 and --mechanism all make "
      "one\ntable of distances. mollify compare --released FILE: rows that are there.\n\n"
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
  add_part_flags(command, spec_parts(), session.method ? session.methods() : kEveryMethod);
  if (!session.method && !session.lists_all) {
    // The others are taken only to be refused by what they are for.
    for (const Part& part : spec_parts()) {
      if (*part.flag != '\0' && !is_of_released(part)) command.get_option(part.flag)->group("");
    }
  } else {
    command.get_option("--count")->description(
        "records to release: for each unit, or for the table without --unit (default: 1)");
  }
  command.add_flag("--json", options->json, "print as JSON");
  command.callback(
      [options, &session, &command] { session.status = run(*options, command, session.method); });
}

// -----------------------------------------------------------------------------------------------
// How guarantees and divergences are written, for people and for programs.

std::string promise_lines(const std::vector<std::string>& promises,
                          const std::vector<std::string>& limits) {
  std::string text;
  for (const std::string& promise : promises) text += fmt::format("promised: {}\n", promise);
  for (const std::string& limit : limits) text += fmt::format("not promised: {}\n", limit);
  return text;
}

}  // namespace mollify::cli
