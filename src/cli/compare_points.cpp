#include "compare_points.h"

#include <algorithm>
#include <array>
#include <variant>

#include <fmt/format.h>

#include "command.h"
#include "compare_caveats.h"
#include "density/mixed_summary.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/table.h"
#include "kernel/search/projection.h"
#include "marginals.h"
#include "progress.h"
#include "release/advice.h"
#include "release/design.h"
#include "release/unit_estimates.h"
#include "report.h"

namespace mollify::cli {
namespace {

/// A column of points, for people: its name and the values that 0 and 1 stand for; those of ordered
/// levels, per level.
struct Label {
  std::string name;
  double least = 0;
  double unit = 1;
};

std::vector<Label> labels_of(const Domain& domain, const RecordLayout& layout) {
  std::vector<Label> labels;
  for (const Column& column : domain.columns()) {
    Label label{column.name()};
    const bool number = layout.columns()[labels.size()].scale == Scale::kNumber;
    if (const auto* cells = std::get_if<NumberCells>(&column.cells());
        cells != nullptr && cells->are_equal()) {
      label.least = cells->min();
      label.unit = (cells->max() - cells->min()) / (number ? 1 : cells->size());
    } else if (const auto* integers = std::get_if<IntegerCells>(&column.cells());
               integers != nullptr && integers->declared_edges().empty()) {
      const double width = static_cast<double>(integers->max() - integers->min()) + 1;
      label.least = static_cast<double>(integers->min()) - (number ? 0.5 : 0);
      label.unit = width / (number ? 1 : integers->size());
    }
    // Of two levels the share of the second one is told, by its name.
    const MixedColumn& mixed = layout.columns()[labels.size()];
    if (mixed.scale == Scale::kCategory && mixed.levels == 2) {
      label.name = fmt::format("{} = {}", column.name(), level_text(column, 1));
    }
    labels.push_back(label);
    if (is_ordered(column.cells()) && column.mapping().null_is_category)
      labels.push_back({column.name() + " is null"});
  }
  return labels;
}

bool has_mean(const MixedColumn& column) {
  return column.scale != Scale::kCategory || column.levels == 2;
}

struct PointComparison {
  std::size_t units = 0;
  MixedSummary truth;
  std::array<MixedSummary, 3> others;  // law, reference, uniform
};

constexpr std::array<const char*, 3> kOthers = {"law", "reference", "uniform"};

PointComparison comparison_of(const LocalRelease& release, const Source& data) {
  if (release.space().is_fresh()) {
    throw InvalidInput(
        "units must share one list of candidates to be compared, but --fresh is given");
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
  const MarginalCuts cuts = MarginalCuts::quartiles_of(truth, weights);
  comparison.truth = summarise(truth, cuts, weights);
  comparison.others = {summarise(points, cuts, law), summarise(points, cuts, reference),
                       summarise(points, cuts, uniform)};
  return comparison;
}

struct Distance {
  const char* key;
  const char* words;
  double SummaryDistance::*value;
};

constexpr std::array<Distance, 5> kDistances = {{
    {"worst_mean", "worst mean, in deviations", &SummaryDistance::worst_mean},
    {"mean_correlation", "correlations, on average", &SummaryDistance::mean_correlation},
    {"worst_correlation", "worst correlation", &SummaryDistance::worst_correlation},
    {"mean_pair_tv", "two-way marginals, mean TV", &SummaryDistance::mean_pair},
    {"worst_pair_tv", "two-way marginals, worst TV", &SummaryDistance::worst_pair},
}};

void print_text(const LocalRelease& release, const PointComparison& found,
                const CompareCaveats& caveats) {
  const RecordLayout& layout = release.space().layout();
  const std::vector<Label> labels = labels_of(release.space().domain(), layout);
  fmt::print("{}\n{}, {}, {} a draw; mean of {} unit{}\n\n", kNotPrivate,
             space_text(release.certificate()), release.certificate().mechanism(),
             release.certificate().draw.text(), found.units, found.units == 1 ? "" : "s");
  fmt::print("{:<28} {:>12} {:>12} {:>12} {:>12}\n", "mean", "truth", kOthers[0], kOthers[1],
             kOthers[2]);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!has_mean(layout.columns()[i])) continue;
    const auto value = [&](const MixedSummary& summary) {
      return labels[i].least + labels[i].unit * summary.means[i];
    };
    fmt::print("{:<28} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}\n", printable(labels[i].name),
               value(found.truth), value(found.others[0]), value(found.others[1]),
               value(found.others[2]));
  }
  fmt::print("\n{:<28} {:>12} {:>12} {:>12} {:>12}\n", "distance from the truth", "", kOthers[0],
             kOthers[1], kOthers[2]);
  for (const Distance& distance : kDistances) {
    fmt::print("{:<28} {:>12}", distance.words, "");
    for (const MixedSummary& other : found.others) {
      fmt::print(" {:>12.4f}", summary_distance(found.truth, other).*distance.value);
    }
    fmt::print("\n");
  }
  caveats.print();
  fmt::print(
      "\nof two columns together records are as good as ones drawn from the data, but for {}, on "
      "average over pairs\n"
      "plan and advise tell the worst case of all columns of a record together, over all data "
      "there could be: total variation {:.4g}, near 1 for any sampler over so many outcomes\n",
      times_words(summary_distance(found.truth, found.others.front()).mean_pair),
      draw_risk(release.certificate(), release.space().domain()).quoted_total_variation());
}

Json summary_json(const MixedSummary& summary) {
  return {{"means", summary.means},
          {"deviations", summary.deviations},
          {"correlations", summary.correlations}};
}

}  // namespace

void refuse_nothing_to_compare(std::string_view data) {
  throw InvalidInput(fmt::format(
      "{} must hold records of a unit to compare with, but holds none: all that is released comes "
      "from the reference",
      data));
}

int compare_points(const LocalRelease& release, const Source& data, const std::string& file,
                   bool json) {
  const PointComparison found = comparison_of(release, data);
  if (found.units == 0) refuse_nothing_to_compare(data.name());
  const CompareCaveats caveats =
      compare_caveats(release.certificate().spec, release.space().domain(), file);
  if (!json) {
    print_text(release, found, caveats);
    return kSuccess;
  }
  Json columns = Json::array();
  for (const Label& label : labels_of(release.space().domain(), release.space().layout())) {
    columns.push_back(
        {{"name", printable(label.name)}, {"least", label.least}, {"unit", label.unit}});
  }
  Json result = {{"notice", kNotPrivate},
                 {"space", name_of(release.space().kind())},
                 {"outcomes", release.space().size()},
                 {"mechanism", release.certificate().mechanism()},
                 {"guarantee", guarantee_json(release.certificate().draw)},
                 {"units", found.units},
                 {"columns", columns},
                 {"truth", summary_json(found.truth)}};
  for (std::size_t i = 0; i < kOthers.size(); ++i) {
    Json other = summary_json(found.others[i]);
    const SummaryDistance distance = summary_distance(found.truth, found.others[i]);
    for (const Distance& named : kDistances) other["distance"][named.key] = distance.*named.value;
    result[kOthers[i]] = other;
  }
  caveats.add_to(result);
  print_json(result);
  return kSuccess;
}

}  // namespace mollify::cli
