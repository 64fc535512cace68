// Noisy answers of a release by marginals, for its model's file.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "methods/graphical/measurements.h"
#include "methods/marginals/design.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/pair_learner.h"
#include "methods/marginals/private_bins.h"
#include "release/certificate.h"

namespace mollify {

namespace {

const char* noise_name(const MarginalDesign& design) {
  return design.guarantee.notion == PrivacyNotion::kPure ? "discrete-laplace" : "discrete-gaussian";
}

/// The amount of a count of 1, in rows, in units or in declared weight.
double step_of(const Certificate& certificate) {
  const auto& weights = certificate.spec.weights;
  const auto& request = certificate.as<MarginalDesign>()->request;
  return (weights ? weights->most() : 1.0) / static_cast<double>(request.unit.weight);
}

std::optional<double> records_of(const MarginalDesign& design) {
  const auto& records = design.request.records;
  return records ? std::optional(static_cast<double>(*records)) : std::nullopt;
}

/// Whether it is the deviation's square, which may have other last digits on another machine.
bool is_variance(double variance, double deviation) {
  constexpr double kOtherMachines = 1e-9;
  const double expected = deviation * deviation;
  return std::abs(variance - expected) <= kOtherMachines * expected;
}

bool are_whole(const std::vector<double>& counts) {
  return std::all_of(counts.begin(), counts.end(),
                     [](double count) { return count == std::trunc(count); });
}

using Tables = std::span<const MeasuredTable>;

/// Takes this measurement off the front, if it is there.
bool take(Tables& tables, std::size_t column, std::uint32_t parts) {
  if (tables.empty() || tables.front().columns != std::vector{column} ||
      tables.front().parts != parts) {
    return false;
  }
  tables = tables.subspan(1);
  return true;
}

/// Takes the levels of private bins off the front.
bool take_levels(const MarginalDesign& design, Tables& tables) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t level = 0; columns[i].private_bins && level < kBinLevels; ++level) {
      if (!take(tables, i, design.cut_parts)) return false;
    }
  }
  return true;
}

/// Takes each column that is asked for off the front.
bool take_columns(const MarginalDesign& design, std::uint32_t parts, Tables& tables) {
  const std::vector<MarginalColumn>& columns = design.request.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].follows && !take(tables, i, parts)) return false;
  }
  return true;
}

/// Whether the tree and the rounds of a release, after columns with `second_parts`, can have these
/// tables.
bool can_be_chosen(const MarginalDesign& design, Tables tables, std::uint32_t second_parts) {
  std::vector<Measurement> chosen;
  for (const MeasuredTable& table : tables) {
    chosen.push_back({table.columns, {}, table.parts});
    for (const CellGroups& groups : table.groups) chosen.back().cells.push_back(groups.count);
  }
  return can_be_measured(design, chosen, second_parts);
}

/// Whether a release can have measured these tables, in their order.
bool can_be_tables(const MarginalDesign& design, Tables tables) {
  if (!take_levels(design, tables) || !take_columns(design, design.column_parts, tables)) {
    return false;
  }
  if (can_be_chosen(design, tables, 0)) return true;
  if (tables.empty() || design.round_parts == 0) return false;
  const std::uint32_t second = tables.front().parts;
  return second <= kMostSecondMeasurement * design.column_parts &&
         take_columns(design, second, tables) && can_be_chosen(design, tables, second);
}

/// Whether noisy counts of this design can be in this table.
bool can_be_table(const MarginalDesign& design, const MarginalBudget& budget,
                  const MeasuredTable& table) {
  if (table.parts < 1 || table.parts > MarginalBudget::kParts || table.columns.size() > 3) {
    return false;
  }
  if (table.groups.size() != table.columns.size()) return false;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i] >= design.request.columns.size()) return false;
    const MarginalColumn& column = design.request.columns[table.columns[i]];
    // Rules cut private bins into more.
    const std::uint32_t most = column.private_bins ? column.size : counted_cells(column);
    if (column.follows || table.groups[i].count > most) return false;
  }
  return are_whole(table.counts) && is_variance(table.variance, budget.deviation(table.parts));
}

bool can_be_products(const MarginalDesign& design, const MarginalBudget& budget,
                     const MeasuredProducts& products) {
  if (design.product_parts == 0 || products.parts != design.product_parts) return false;
  const auto steps = static_cast<std::int64_t>(design.score_steps);
  for (const std::vector<std::int64_t>& column : products.scores) {
    for (const std::int64_t score : column) {
      if (score < -steps || score > steps) return false;
    }
  }
  const Ratio noise =
      budget.product_noise(products.parts, products.scores.size(), design.score_steps);
  return are_whole(products.sums) && is_variance(products.variance, budget.deviation_of(noise));
}

bool can_be_distances(const MarginalDesign& design, const Measurements& made,
                      const MeasuredDistances& error, std::uint32_t parts) {
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  const std::uint64_t pairs = design.request.pairs();
  const bool pure = budget.notion() == PrivacyNotion::kPure;
  const std::uint64_t weight = table_weight(design, made.tables);
  // Another machine may round a sum of noisy counts to another whole number.
  const std::uint64_t apart = std::max(error.weight, weight) - std::min(error.weight, weight);
  return error.columns == asked_columns(design) && error.parts == parts &&
         apart <= (design.request.records ? 0 : 1) && error.sums.size() == (pure ? 1 : pairs) &&
         are_whole(error.sums) &&
         is_variance(error.variance,
                     budget.deviation_of(budget.distance_noise(error.parts, pairs)));
}

bool can_be_error(const Certificate& certificate, const Measurements& made) {
  const MarginalDesign& design = *certificate.as<MarginalDesign>();
  const bool is_asked = design.error_parts > 0;
  if (made.error.has_value() != is_asked || made.independent.has_value() != is_asked) return false;
  return !is_asked ||
         (made.error->rows == certificate.spec.count &&
          can_be_distances(design, made, *made.error, design.rows_parts()) &&
          can_be_distances(design, made, *made.independent, design.independent_parts()));
}

}  // namespace

std::uint64_t table_weight(const MarginalDesign& design, const std::vector<MeasuredTable>& tables) {
  const MarginalRequest& request = design.request;
  if (request.records) return *request.records * request.unit.weight;
  double sum = 0, weights = 0;
  for (const MeasuredTable& table : tables) {
    const double weight = 1 / (static_cast<double>(table.counts.size()) * table.variance);
    sum += weight * std::accumulate(table.counts.begin(), table.counts.end(), 0.0);
    weights += weight;
  }
  constexpr double kGreatest = 0x1p60;
  return static_cast<std::uint64_t>(std::clamp(std::round(sum / weights), 1.0, kGreatest));
}

std::vector<std::size_t> asked_columns(const MarginalDesign& design) {
  std::vector<std::size_t> asked;
  for (std::size_t i = 0; i < design.request.columns.size(); ++i) {
    if (!design.request.columns[i].follows) asked.push_back(i);
  }
  return asked;
}

Measurements published_measurements(const Certificate& certificate,
                                    std::vector<MeasuredTable> found, const RecordedAnswers& asked,
                                    const std::vector<CellGroups>& bins) {
  const MarginalDesign& design = *certificate.as<MarginalDesign>();
  Measurements made{.noise = noise_name(design),
                    .step = step_of(certificate),
                    .weighted = certificate.spec.weights.has_value(),
                    .records = records_of(design),
                    .tables = std::move(found),
                    .products = asked.products()};
  for (MeasuredTable table : asked.measured()) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      table.groups[i] = composed(bins[table.columns[i]], table.groups[i]);
    }
    made.tables.push_back(std::move(table));
  }
  if (!made.products) return made;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    std::vector<std::int64_t> of_cells;
    for (const std::uint32_t bin : bins[i].of) of_cells.push_back(made.products->scores[i][bin]);
    made.products->scores[i] = std::move(of_cells);
  }
  return made;
}

bool can_have_measured(const Certificate& certificate, const Measurements& made) {
  const MarginalDesign& design = *certificate.as<MarginalDesign>();
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  if (made.noise != noise_name(design) || made.step != step_of(certificate) ||
      made.weighted != certificate.spec.weights.has_value() || made.records != records_of(design)) {
    return false;
  }
  const auto is_possible = [&](const MeasuredTable& table) {
    return can_be_table(design, budget, table);
  };
  if (!std::all_of(made.tables.begin(), made.tables.end(), is_possible)) return false;
  if (made.products.has_value() != (design.product_parts > 0)) return false;
  if (made.products && !can_be_products(design, budget, *made.products)) return false;
  return can_be_tables(design, made.tables) && can_be_error(certificate, made);
}

}  // namespace mollify
