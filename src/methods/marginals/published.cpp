// What a release by marginals measured.
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "methods/graphical/measurements.h"
#include "methods/marginals/design.h"
#include "methods/marginals/method.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/pair_learner.h"
#include "release/certificate.h"

namespace mollify {

namespace {

const char* noise_name(const MarginalDesign& design) {
  return design.guarantee.notion == PrivacyNotion::kPure ? "discrete-laplace" : "discrete-gaussian";
}

/// Of the noisy counts that a release's parts pay for.
bool has_variance(double variance, double deviation) {
  constexpr double kOtherMachines = 1e-9;
  const double expected = deviation * deviation;
  return std::abs(variance - expected) <= kOtherMachines * expected;
}

}  // namespace

Measurements published_measurements(const Certificate& certificate,
                                    std::vector<MeasuredTable> found, const RecordedAnswers& asked,
                                    const std::vector<CellGroups>& bins) {
  const MarginalDesign& design = *certificate.as<MarginalDesign>();
  const auto& weights = certificate.spec.weights;
  Measurements made{
      .noise = noise_name(design),
      .step = (weights ? weights->most() : 1.0) / static_cast<double>(design.request.unit.weight),
      .tables = std::move(found),
      .products = asked.products()};
  if (design.request.records) made.records = static_cast<double>(*design.request.records);
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

bool can_have_measured(const MarginalDesign& design, const Measurements& made) {
  const MarginalBudget budget(design.request.budget, design.request.unit, design.amount);
  std::vector<Measurement> pairs;
  std::uint64_t parts = 0;
  for (const MeasuredTable& table : made.tables) {
    if (table.parts < 1 || table.parts > MarginalBudget::kParts) return false;
    if (!has_variance(table.variance, budget.deviation(table.parts))) return false;
    parts += table.parts;
    for (const std::size_t column : table.columns) {
      if (design.request.columns[column].follows) return false;
    }
    if (table.columns.size() != 2) continue;
    pairs.push_back({table.columns, {table.groups[0].count, table.groups[1].count}, table.parts});
  }
  if (const auto& products = made.products) {
    if (!design.request.copula || products->parts != design.product_parts) return false;
    const Ratio noise =
        budget.product_noise(products->parts, products->scores.size(), design.score_steps);
    if (!has_variance(products->variance, budget.deviation_of(noise))) return false;
    parts += products->parts;
  }
  return made.noise == noise_name(design) && parts <= MarginalBudget::kParts &&
         can_be_measured(design, pairs);
}

}  // namespace mollify
