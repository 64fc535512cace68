#include "kernel/search/band_spec.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "kernel/core/fastest_lanes.h"
#include "kernel/core/invalid_input.h"
#include "kernel/search/band_lanes.h"
#include "kernel/search/positive_masses.h"

namespace mollify {
namespace {

using detail::BandLanes;
using detail::fastest;

std::size_t validated_count(const BandSpec& spec) {
  const std::size_t given = std::max(spec.reference.size(), spec.float_reference.size());
  const std::size_t count = given == 0 ? spec.outcome_count : given;
  if (spec.outcome_count != 0 && spec.outcome_count != count) {
    throw InvalidInput("the reference must have one mass for each of the " +
                       std::to_string(spec.outcome_count) + " outcomes, but has " +
                       std::to_string(count));
  }
  if (!spec.reference.empty() && !spec.float_reference.empty()) {
    throw InvalidInput("the reference must be given once, but is in double and single precision");
  }
  require_between("the number of outcomes", count, 1, Band::kMostOutcomes);
  return count;
}

std::uint64_t lower_for(double share, std::uint64_t total, bool is_generous) {
  const double scaled = share * static_cast<double>(total);
  const double rounded = is_generous ? std::ceil(scaled * (1 + 0x1p-39)) : std::floor(scaled);
  return rounded >= 1 ? static_cast<std::uint64_t>(std::fmin(rounded, 0x1p63)) : 1;
}

/// Sums of doubles are made in their order, as ever, for certificates hash what comes of them.
double mass_sum_of(std::span<const double> masses) { return detail::validated_mass_sum(masses); }
double mass_sum_of(std::span<const float> masses) {
  const double sum = fastest<BandLanes>().sum_of_floats(masses.data(), masses.size());
  return std::isnan(sum) ? detail::validated_mass_sum(masses) : sum;  // which says what is wrong
}

uint128 lowers_of(const detail::LowerRule& rule, std::span<const double> masses,
                  std::vector<std::uint64_t>& lowers) {
  return fastest<BandLanes>().lowers_of_doubles(rule, masses.data(), masses.size(), lowers.data());
}
uint128 lowers_of(const detail::LowerRule& rule, std::span<const float> masses,
                  std::vector<std::uint64_t>& lowers) {
  return fastest<BandLanes>().lowers_of_floats(rule, masses.data(), masses.size(), lowers.data());
}

/// A hair above the shares of the total where there is room for that, and otherwise just below.
template <class Mass>
Band make_uneven(const BandSpec& spec, std::span<const Mass> masses, const ExpBound& bound) {
  detail::LowerRule rule{spec.floor, mass_sum_of(masses), static_cast<double>(spec.total), true};
  if (masses.size() == 1) return Band::make(1, spec.total, bound, spec.total);
  std::vector<std::uint64_t> lowers(masses.size());
  if (lowers_of(rule, masses, lowers) > spec.total) {
    rule.is_generous = false;
    lowers_of(rule, masses, lowers);
  }
  return Band::make(std::move(lowers), bound, spec.total);
}

}  // namespace

Band make_band(const BandSpec& spec) {
  const ExpBound bound(spec.epsilon);
  const std::size_t count = validated_count(spec);
  if (!(spec.floor > 0) || !(spec.floor < 1)) {
    throw InvalidInput("the band's floor b must be above 0 and below 1, but is " +
                       detail::shortest(spec.floor));
  }
  if (!spec.reference.empty()) return make_uneven(spec, spec.reference, bound);
  if (!spec.float_reference.empty()) return make_uneven(spec, spec.float_reference, bound);
  if (count == 1) return Band::make(1, spec.total, bound, spec.total);
  const double share = spec.floor / static_cast<double>(count);
  std::uint64_t lower = lower_for(share, spec.total, true);
  if (uint128{lower} * count > spec.total) lower = lower_for(share, spec.total, false);
  return Band::make(count, lower, bound, spec.total);
}

}  // namespace mollify
