#include "kernel/search/band_spec.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernel/core/invalid_input.h"
#include "kernel/search/positive_masses.h"

namespace mollify {
namespace {

std::size_t validated_count(const BandSpec& spec) {
  const std::size_t count = spec.reference.empty() ? spec.outcome_count : spec.reference.size();
  if (spec.outcome_count != 0 && spec.outcome_count != count) {
    throw InvalidInput("the reference must have one mass for each of the " +
                       std::to_string(spec.outcome_count) + " outcomes, but has " +
                       std::to_string(count));
  }
  detail::require_outcome_count(count);
  return count;
}

std::uint64_t lower_for(double share, std::uint64_t total, bool is_generous) {
  const double scaled = share * static_cast<double>(total);
  const double rounded = is_generous ? std::ceil(scaled * (1 + 0x1p-39)) : std::floor(scaled);
  return rounded >= 1 ? static_cast<std::uint64_t>(std::fmin(rounded, 0x1p63)) : 1;
}

/// A hair above the shares of the total where there is room for that, and otherwise just below.
std::vector<std::uint64_t> lowers_for(const BandSpec& spec, double sum) {
  std::vector<std::uint64_t> lowers(spec.reference.size());
  for (const bool is_generous : {true, false}) {
    uint128 lower_sum = 0;
    for (std::size_t i = 0; i < lowers.size(); ++i) {
      lowers[i] = lower_for(spec.floor * (spec.reference[i] / sum), spec.total, is_generous);
      lower_sum += lowers[i];
    }
    if (lower_sum <= spec.total) break;
  }
  return lowers;
}

}  // namespace

Band make_band(const BandSpec& spec) {
  const ExpBound bound(spec.epsilon);
  const std::size_t count = validated_count(spec);
  if (!(spec.floor > 0) || !(spec.floor < 1)) {
    throw InvalidInput("the band's floor b must be above 0 and below 1, but is " +
                       detail::shortest(spec.floor));
  }
  if (!spec.reference.empty()) {
    const double sum = detail::validated_mass_sum(spec.reference);
    if (count > 1) return Band::make(lowers_for(spec, sum), bound, spec.total);
  }
  if (count == 1) return Band::make(1, spec.total, bound, spec.total);
  const double share = spec.floor / static_cast<double>(count);
  std::uint64_t lower = lower_for(share, spec.total, true);
  if (uint128{lower} * count > spec.total) lower = lower_for(share, spec.total, false);
  return Band::make(count, lower, bound, spec.total);
}

}  // namespace mollify
