#include "estimate/estimate_json.h"

#include <nlohmann/json.hpp>

namespace mollify {
namespace {

using EstimateJson = nlohmann::ordered_json;

EstimateJson known(const std::optional<double>& value) {
  return value ? EstimateJson(*value) : EstimateJson(nullptr);
}

EstimateJson value_json(const EstimatedValue& value, const char* name, const char* what) {
  return {{name, value.name},
          {what, known(value.value)},
          {"standard_error", known(value.standard_error)},
          {"lower", value.interval.lower},
          {"upper", value.interval.upper}};
}

EstimateJson cells_json(const EstimatedTable& table) {
  EstimateJson cells = EstimateJson::array();
  for (const EstimatedValue& cell : table.cells) {
    cells.push_back(value_json(cell, "outcome", "probability"));
  }
  return cells;
}

EstimateJson tables_json(const std::vector<EstimatedTable>& tables) {
  EstimateJson json = EstimateJson::array();
  for (const EstimatedTable& table : tables) {
    json.push_back({{"columns", table.columns}, {"estimates", cells_json(table)}});
  }
  return json;
}

}  // namespace

std::string estimate_json(const PopulationEstimate& estimate) {
  EstimateJson json{{"mechanism", estimate.mechanism},
                    {"linear", estimate.is_linear},
                    {"records", estimate.records},
                    {"confidence", estimate.request.confidence},
                    {"intervals", estimate.intervals},
                    {"method", name_of(estimate.request.method)},
                    {"columns", estimate.outcomes.columns},
                    {"estimates", cells_json(estimate.outcomes)},
                    {"marginals", tables_json(estimate.marginals)},
                    {"means", EstimateJson::array()}};
  for (const EstimatedMean& mean : estimate.means) {
    EstimateJson row = value_json(mean.mean, "column", "mean");
    row["half_cell"] = mean.half_cell;
    json["means"].push_back(std::move(row));
  }
  if (estimate.request.pairs) json["pairs"] = tables_json(estimate.pairs);
  json["frequency_oracle"] = nullptr;
  if (estimate.standard_error_oracle) {
    json["frequency_oracle"] = {{"name", "subset-selection"},
                                {"standard_error", *estimate.standard_error_oracle},
                                {"standard_error_here", known(estimate.standard_error_here)}};
  }
  if (estimate.likelihood_gap_up) json["likelihood_gap"] = *estimate.likelihood_gap_up;
  json["notes"] = estimate.notes;
  // Names of columns may hold any bytes; JSON holds text.
  return json.dump(2, ' ', false, EstimateJson::error_handler_t::replace) + "\n";
}

}  // namespace mollify
