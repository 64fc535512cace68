#include "kernel/core/band.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernel/core/invalid_input.h"
#include "kernel/core/shortest.h"

namespace mollify {

using detail::shortest;
namespace {

std::size_t validated_count(const BandSpec& spec) {
  const std::size_t count = spec.reference.empty() ? spec.outcome_count : spec.reference.size();
  if (spec.outcome_count != 0 && spec.outcome_count != count) {
    throw InvalidInput("the reference must have one mass for each of the " +
                       std::to_string(spec.outcome_count) + " outcomes, but has " +
                       std::to_string(count));
  }
  if (count < 1 || count > Band::kMostOutcomes) {
    throw InvalidInput("the number of outcomes must be from 1 to 16777216, but is " +
                       std::to_string(count));
  }
  return count;
}

/// The reference's sum; refuses masses that are not positive, but for structural zeros.
double validated_sum(const BandSpec& spec) {
  double sum = 0;
  auto zero = spec.structural_zeros.begin();
  for (std::size_t i = 0; i < spec.reference.size(); ++i) {
    const double mass = spec.reference[i];
    if (zero != spec.structural_zeros.end() && *zero == i) {
      ++zero;
      if (mass != 0) {
        throw InvalidInput("the reference mass of outcome " + std::to_string(i) +
                           ", a structural zero, must be 0, but is " + shortest(mass));
      }
      continue;
    }
    if (!(mass > 0) || !std::isfinite(mass)) {
      throw InvalidInput("the reference mass of outcome " + std::to_string(i) +
                         " must be finite and positive, but is " + shortest(mass));
    }
    sum += mass;
  }
  if (!std::isfinite(sum)) throw InvalidInput("the reference masses must have a finite sum");
  return sum;
}

void validate_zeros(std::span<const std::uint32_t> zeros, std::size_t outcome_count) {
  for (std::size_t j = 0; j < zeros.size(); ++j) {
    if (zeros[j] >= outcome_count || (j > 0 && zeros[j] <= zeros[j - 1])) {
      throw InvalidInput("structural zeros must be ascending outcomes below " +
                         std::to_string(outcome_count) + ", but entry " + std::to_string(j) +
                         " is " + std::to_string(zeros[j]));
    }
  }
  if (zeros.size() == outcome_count) {
    throw InvalidInput("at least one outcome must not be a structural zero, but none is left");
  }
}

/// A hair above `share` of the total where there is room for that, and otherwise just below.
std::uint64_t lower_for(double share, std::uint64_t total, bool generous) {
  const double scaled = share * static_cast<double>(total);
  const double rounded = generous ? std::ceil(scaled * (1 + 0x1p-39)) : std::floor(scaled);
  return rounded >= 1 ? static_cast<std::uint64_t>(rounded) : 1;
}

}  // namespace

Band Band::make(const BandSpec& spec) {
  const ExpBound bound(spec.epsilon);
  const std::size_t count = validated_count(spec);
  if (!(spec.floor > 0) || !(spec.floor < 1)) {
    throw InvalidInput("the band's floor b must be above 0 and below 1, but is " +
                       shortest(spec.floor));
  }
  if (spec.total < 1 || spec.total > kGreatestTotal) {
    throw InvalidInput("the total must be from 1 to 2^62, but is " + std::to_string(spec.total));
  }
  validate_zeros(spec.structural_zeros, count);
  const double sum = validated_sum(spec);

  Band band(bound, count, spec.total);
  uint128 lower_sum = 0;
  uint128 upper_sum = 0;
  const auto fits = [&] { return lower_sum <= spec.total && spec.total <= upper_sum; };
  if (count - spec.structural_zeros.size() == 1) {
    // One outcome can occur: it is released always, and there is nothing to protect.
    band.lower_ = band.upper_ = spec.total;
    if (count > 1) {
      const std::size_t only = [&] {
        std::size_t i = 0;
        while (i < spec.structural_zeros.size() && spec.structural_zeros[i] == i) ++i;
        return i;
      }();
      band.lowers_.assign(count, 0);
      band.lowers_[only] = spec.total;
      band.uppers_ = band.lowers_;
    }
    lower_sum = upper_sum = spec.total;
  } else if (spec.reference.empty() && spec.structural_zeros.empty()) {
    for (const bool generous : {true, false}) {
      band.lower_ = lower_for(spec.floor / static_cast<double>(count), spec.total, generous);
      band.upper_ = bound.times_floor(band.lower_, spec.total);
      lower_sum = static_cast<uint128>(band.lower_) * count;
      upper_sum = static_cast<uint128>(band.upper_) * count;
      if (fits()) break;
    }
  } else {
    band.lowers_.resize(count);
    band.uppers_.resize(count);
    const double uniform_mass = 1.0 / static_cast<double>(count - spec.structural_zeros.size());
    for (const bool generous : {true, false}) {
      lower_sum = upper_sum = 0;
      auto zero = spec.structural_zeros.begin();
      for (std::size_t i = 0; i < count; ++i) {
        if (zero != spec.structural_zeros.end() && *zero == i) {
          ++zero;
          continue;
        }
        const double mass = spec.reference.empty() ? uniform_mass : spec.reference[i] / sum;
        band.lowers_[i] = lower_for(spec.floor * mass, spec.total, generous);
        band.uppers_[i] = bound.times_floor(band.lowers_[i], spec.total);
        lower_sum += band.lowers_[i];
        upper_sum += band.uppers_[i];
      }
      if (fits()) break;
    }
  }
  if (!fits()) {
    throw InvalidInput("no table of " + std::to_string(spec.total) + " parts fits a band of " +
                       std::to_string(count) + " outcomes with floor b = " + shortest(spec.floor) +
                       " at epsilon = " + shortest(spec.epsilon) +
                       (lower_sum > spec.total ? ": the lower bounds sum to more than the whole"
                                               : ": the upper bounds sum to less than the whole"));
  }
  if (!band.lowers_.empty()) {
    band.prefix_.resize(count + 1);
    for (std::size_t i = 0; i < count; ++i) band.prefix_[i + 1] = band.prefix_[i] + band.lowers_[i];
  }
  return band;
}

std::size_t Band::outcome_at(std::uint64_t position) const {
  if (is_uniform()) return static_cast<std::size_t>(position / lower_);
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return static_cast<std::size_t>(after - prefix_.begin()) - 1;
}

}  // namespace mollify
