// How a run of boosting is told.
#pragma once

#include <string>

#include "boosting_run.h"
#include "command.h"

namespace mollify::cli {

Json boosting_json(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec);
void print_boosting(const BoostingRun& run, const BoostingProblem& problem, const MbdeSpec& spec);
/// The points that were drawn by the sampler of that name, a line each.
void print_draws(const BoostingRun& run, const std::string& sampler);

}  // namespace mollify::cli
