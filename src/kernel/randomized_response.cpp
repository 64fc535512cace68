#include "mollify/kernel/randomized_response.h"

#include <string>

#include "mollify/kernel/invalid_input.h"

namespace mollify {

RandomizedResponse::RandomizedResponse(std::size_t outcome_count, double epsilon)
    : bound_(epsilon), outcome_count_(outcome_count) {
  if (outcome_count < 1 || outcome_count > Band::kMostOutcomes) {
    throw InvalidInput("the number of outcomes must be from 1 to 16777216, but is " +
                       std::to_string(outcome_count));
  }
  // The greatest L for which K + (k - 1) L stays at most 2^62: L (Ebar + k - 1) <= 2^62 with Ebar
  // in parts of 2^shift. Numerator and denominator are below 2^115 and 2^77.
  const uint128 denominator =
      bound_.mantissa() + (static_cast<uint128>(outcome_count - 1) << bound_.shift());
  other_ = static_cast<std::uint64_t>(
      (static_cast<uint128>(Band::kGreatestTotal) << bound_.shift()) / denominator);
  kept_ = bound_.times_floor(other_, Band::kGreatestTotal);
  if (outcome_count == 1) other_ = 0;
  below_total_ = UniformBelow(kept_ + other_ * (outcome_count - 1));
  if (outcome_count > 1) below_others_ = UniformBelow(outcome_count - 1);
}

}  // namespace mollify
