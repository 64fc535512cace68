#include "accounting/shuffled_response.h"

#include <cmath>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

namespace {

constexpr std::uint64_t kMostReportOutcomes = std::uint64_t{1} << 24;

}  // namespace

void validate(const ShuffledResponse& response) {
  require_between("the number of records", response.records, 1, kMostRecords);
  require_between("the number of outcomes", response.outcomes, 1, kMostReportOutcomes);
  if (!(response.epsilon0 > 0.0 && response.epsilon0 <= kGreatestReportEpsilon)) {
    throw InvalidInput(fmt::format("epsilon0 must be positive and at most {}, but is {}",
                                   kGreatestReportEpsilon, response.epsilon0));
  }
  if (!(response.rate > 0.0 && response.rate <= 1.0)) {
    throw InvalidInput(
        fmt::format("the sampling rate must be above 0 and at most 1, but is {}", response.rate));
  }
}

void validate(const ShuffledSubset& response) {
  validate(ShuffledResponse{response.records, response.outcomes, response.epsilon0});
  require_between("the number of chosen records", response.chosen, 1, response.records);
}

void require_total_epsilon(double epsilon) {
  if (!(epsilon >= 0.0) || std::isinf(epsilon)) {
    throw InvalidInput(fmt::format("epsilon must be finite and not negative, but is {}", epsilon));
  }
}

void require_total_delta(double delta) {
  if (!(delta > 0.0 && delta < 1.0)) {
    throw InvalidInput(fmt::format("delta must be above 0 and below 1, but is {}", delta));
  }
}

}  // namespace mollify
