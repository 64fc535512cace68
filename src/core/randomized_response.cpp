#include "core/randomized_response.h"

#include <string>

#include "core/invalid_input.h"

namespace mollify {

RandomizedResponse::RandomizedResponse(std::size_t outcome_count, double epsilon,
                                       std::uint64_t records, std::uint64_t chosen)
    : bound_(epsilon), outcome_count_(outcome_count), records_(records), chosen_(chosen) {
  require_between("the number of outcomes", outcome_count, 1, Band::kMostOutcomes);
  require_between("the number of records", records, 1, kMostRecords);
  if (chosen < 1 || chosen > records) {
    throw InvalidInput("the number of chosen records must be from 1 to all " +
                       std::to_string(records) + ", but is " + std::to_string(chosen));
  }
  // The odds K : L in parts of 2^shift, below 2^94.
  const std::uint64_t one = std::uint64_t{1} << bound_.shift();
  const uint128 odds = one + uint128{records} * (bound_.mantissa() - one) / chosen;
  // The greatest L for which K + (k - 1) L stays at most 2^62: L (odds + k - 1) <= 2^62. Numerator
  // and denominator are below 2^115 and 2^95. Where the odds alone are greater, L is 1 and K is
  // cut.
  const uint128 denominator = odds + (uint128{outcome_count - 1} << bound_.shift());
  other_ =
      static_cast<std::uint64_t>((uint128{Band::kGreatestTotal} << bound_.shift()) / denominator);
  if (other_ == 0) other_ = 1;
  const uint128 kept = (other_ * odds) >> bound_.shift();
  const std::uint64_t room = Band::kGreatestTotal - other_ * (outcome_count - 1);
  kept_ = kept < room ? static_cast<std::uint64_t>(kept) : room;
  if (outcome_count == 1) other_ = 0;
  below_total_ = UniformBelow(kept_ + other_ * (outcome_count - 1));
  if (outcome_count > 1) below_others_ = UniformBelow(outcome_count - 1);
}

}  // namespace mollify
