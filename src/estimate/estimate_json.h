// Estimates for programs.
#pragma once

#include <string>

#include "estimate/population_estimate.h"

namespace mollify {

/// Pretty-printed JSON that ends in a line feed: `mechanism`, `records`, `confidence`, `method`,
/// `estimates`, a list of `outcome`, `probability`, `standard_error`, `lower` and `upper`, and the
/// other parts of PopulationEstimate by their names. What is not determined is null.
[[nodiscard]] std::string estimate_json(const PopulationEstimate& estimate);

}  // namespace mollify
