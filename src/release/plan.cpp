#include "release/plan.h"

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

const char* words_of(PlanUnknown unknown) {
  switch (unknown) {
    case PlanUnknown::kRecords:
      return "the least number of records n";
    case PlanUnknown::kOutcomes:
      return "the greatest number of outcomes k";
    case PlanUnknown::kDimension:
      return "the greatest dimension d";
    case PlanUnknown::kEpsilon:
      return "the least epsilon";
    case PlanUnknown::kRho:
      return "the least rho";
    case PlanUnknown::kDelta:
      return "the least delta";
    case PlanUnknown::kOutputs:
      return "the greatest number of outputs m";
    case PlanUnknown::kAlpha:
      break;
  }
  return "the least total variation alpha";
}

bool is_whole(PlanUnknown unknown) {
  return unknown == PlanUnknown::kRecords || unknown == PlanUnknown::kOutcomes ||
         unknown == PlanUnknown::kDimension || unknown == PlanUnknown::kOutputs;
}

void require_alpha(PlanUnknown unknown, double alpha) {
  if (unknown == PlanUnknown::kAlpha || (alpha > 0 && alpha < 1)) return;
  throw InvalidInput(fmt::format("alpha must be above 0 and below 1, but is {}", alpha));
}

std::vector<std::uint64_t> curve_records(std::uint64_t records, std::uint64_t outputs) {
  std::vector<std::uint64_t> found;
  for (int power = -5; power <= 5; ++power) {
    const double scaled = std::round(std::ldexp(static_cast<double>(records), power));
    if (scaled < static_cast<double>(outputs) || scaled < 1 ||
        scaled > static_cast<double>(kMostPlannedRecords)) {
      continue;
    }
    found.push_back(static_cast<std::uint64_t>(scaled));
  }
  return found;
}

}  // namespace mollify
