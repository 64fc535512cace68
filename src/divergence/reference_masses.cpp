#include "divergence/reference_masses.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

ReferenceMasses::ReferenceMasses(std::uint64_t outcomes, std::vector<double> masses)
    : outcomes_(outcomes), masses_(std::move(masses)) {}

ReferenceMasses ReferenceMasses::uniform(std::uint64_t outcomes) {
  constexpr std::uint64_t kLargest = std::uint64_t{1} << 53;
  require_between("the number of outcomes k", outcomes, 1, kLargest);
  return {outcomes, {}};
}

ReferenceMasses ReferenceMasses::given(std::span<const double> masses) {
  std::vector<double> positive;
  CompensatedSum sum;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (!(masses[i] >= 0.0) || std::isinf(masses[i])) {
      throw InvalidInput(
          fmt::format("the reference mass of outcome {} must be finite and not negative, but is {}",
                      i, masses[i]));
    }
    if (masses[i] > 0.0) positive.push_back(masses[i]);
    sum += masses[i];
  }
  const double total = sum.value();
  if (!(std::abs(total - 1.0) <= 1e-9)) {
    throw InvalidInput(fmt::format("the reference masses must sum to one, but sum to {}", total));
  }
  if (std::all_of(positive.begin(), positive.end(),
                  [&](double mass) { return mass == positive.front(); })) {
    return {positive.size(), {}};
  }
  for (double& mass : positive) mass /= total;
  const std::uint64_t outcomes = positive.size();
  return {outcomes, std::move(positive)};
}

double ReferenceMasses::mass(std::size_t outcome) const {
  return is_uniform() ? 1.0 / static_cast<double>(outcomes_) : masses_[outcome];
}

double ReferenceMasses::smallest_mass() const {
  return is_uniform() ? mass(0) : *std::min_element(masses_.begin(), masses_.end());
}

ReferenceMasses ReferenceMasses::merged_in_pairs() const {
  if (is_uniform() && outcomes_ % 2 == 0) return uniform(outcomes_ / 2);
  if (outcomes_ == 1) return *this;
  // An odd uniform number of outcomes leaves one unpaired, but storing 2^53 masses to say so is
  // not worth it: the plan that asks speaks of half as many outcomes.
  if (is_uniform()) return uniform(outcomes_ / 2 + 1);
  std::vector<double> merged;
  merged.reserve(masses_.size() / 2 + 1);
  for (std::size_t i = 0; i < masses_.size(); i += 2) {
    merged.push_back(masses_[i] + (i + 1 < masses_.size() ? masses_[i + 1] : 0.0));
  }
  return given(merged);
}

}  // namespace mollify
