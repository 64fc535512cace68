#include "tuning/unit_masses.h"

#include <cmath>

namespace mollify {

void UnitMasses::add(std::span<const double> weights) { add_weights(weights); }
void UnitMasses::add(std::span<const float> weights) { add_weights(weights); }

template <class Weight>
void UnitMasses::add_weights(std::span<const Weight> weights) {
  double greatest = 0;
  for (const Weight weight : weights) {
    if (weight > 0 && std::isfinite(weight)) {
      greatest = std::fmax(greatest, static_cast<double>(weight));
    }
  }
  if (!(greatest > 0)) return;
  // What is below 2^-60 of the greatest is nothing, so that logarithms and ratios stay finite.
  const std::size_t begin = masses_.size();
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double relative =
        std::isfinite(weights[i]) ? static_cast<double>(weights[i]) / greatest : 0;
    if (!(relative > 0x1p-60)) continue;
    outcomes_.push_back(static_cast<std::uint32_t>(i));
    masses_.push_back(relative);
    sum += relative;
  }
  for (std::size_t i = begin; i < masses_.size(); ++i) masses_[i] /= sum;
  ends_.push_back(masses_.size());
}

UnitMasses::Unit UnitMasses::operator[](std::size_t unit) const noexcept {
  const std::size_t begin = unit == 0 ? 0 : ends_[unit - 1];
  const std::size_t count = ends_[unit] - begin;
  return {std::span(outcomes_).subspan(begin, count), std::span(masses_).subspan(begin, count)};
}

UnitMasses UnitMasses::without(std::size_t part, std::size_t parts) const {
  return selected(part, parts, false);
}

UnitMasses UnitMasses::only(std::size_t part, std::size_t parts) const {
  return selected(part, parts, true);
}

UnitMasses UnitMasses::selected(std::size_t part, std::size_t parts, bool inside) const {
  UnitMasses chosen(outcome_count_);
  for (std::size_t unit = 0; unit < size(); ++unit) {
    if ((unit % parts == part) != inside) continue;
    const Unit from = (*this)[unit];
    chosen.outcomes_.insert(chosen.outcomes_.end(), from.outcomes.begin(), from.outcomes.end());
    chosen.masses_.insert(chosen.masses_.end(), from.masses.begin(), from.masses.end());
    chosen.ends_.push_back(chosen.masses_.size());
  }
  return chosen;
}

std::vector<double> UnitMasses::mean() const {
  std::vector<double> mean(outcome_count_);
  for (std::size_t unit = 0; unit < size(); ++unit) {
    const Unit one = (*this)[unit];
    for (std::size_t i = 0; i < one.outcomes.size(); ++i) {
      mean[one.outcomes[i]] += one.masses[i] / static_cast<double>(size());
    }
  }
  return mean;
}

}  // namespace mollify
