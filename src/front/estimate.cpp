#include "mollify/estimate.h"

#include "accounting/nearest_name.h"
#include "estimate/estimate_json.h"
#include "estimate/population_estimate.h"
#include "front/domain.h"
#include "front/release.h"
#include "records/private_table.h"

namespace mollify::front {
namespace {

inside::EstimateRequest inward(const EstimateOptions& options) {
  return {.confidence = options.confidence,
          .method = inside::known_value<inside::EstimateMethod>("method", options.method),
          .pairs = options.pairs};
}

EstimatedValue outward_value(const inside::EstimatedValue& found) {
  return {.name = found.name,
          .value = found.value,
          .standard_error = found.standard_error,
          .lower = found.interval.lower,
          .upper = found.interval.upper};
}

EstimatedTable outward_table(const inside::EstimatedTable& found) {
  EstimatedTable table{.columns = found.columns, .cells = {}};
  for (const inside::EstimatedValue& cell : found.cells) table.cells.push_back(outward_value(cell));
  return table;
}

}  // namespace

Estimate estimate(const Certificate& certificate, const Domain& domain, const Source& released,
                  const EstimateOptions& options) {
  const inside::EstimateRequest request = inward(options);
  const auto& [name, stated] = certificate.inside();
  const inside::ReleasedLaw law(stated, name, domain.inside().domain);
  const inside::Source& records = *released.inside().records;
  const inside::PopulationEstimate found = inside::estimate_population(
      law, inside::read_table(records, law.domain()), request, std::string(records.name()));
  Estimate told{.mechanism = found.mechanism,
                .is_linear = found.is_linear,
                .records = found.records,
                .outcomes = outward_table(found.outcomes),
                .notes = found.notes,
                .json = inside::estimate_json(found)};
  for (const auto& table : found.marginals) told.marginals.push_back(outward_table(table));
  for (const auto& mean : found.means) told.means.push_back(outward_value(mean.mean));
  for (const auto& table : found.pairs) told.pairs.push_back(outward_table(table));
  return told;
}

}  // namespace mollify::front
