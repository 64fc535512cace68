#include "mollify/kernel/mixture_channel.h"

#include <algorithm>
#include <cmath>

#include "mollify/kernel/band.h"
#include "mollify/kernel/invalid_input.h"
#include "positive_masses.h"
#include "shortest.h"

namespace mollify {

MixtureChannel::MixtureChannel(std::span<const double> reference, std::uint64_t reference_total) {
  const double sum = detail::validated_mass_sum(reference);
  prefix_.resize(reference.size() + 1);
  for (std::size_t j = 0; j < reference.size(); ++j) {
    const double share = std::floor(reference[j] / sum * static_cast<double>(reference_total));
    prefix_[j + 1] = prefix_[j] + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
}

MixtureChannel MixtureChannel::pure(std::span<const double> reference, double epsilon) {
  const ExpBound bound(epsilon);
  // keep may reach (Ebar - 1) times the least g, at most half of 2^62 beside the other half.
  MixtureChannel channel(reference, Band::kGreatestTotal / 2);
  std::uint64_t least = channel.prefix_.back();
  for (std::size_t j = 0; j < reference.size(); ++j) least = std::min(least, channel.reference(j));
  channel.keep_ = bound.times_floor(least, Band::kGreatestTotal / 2) - least;
  return channel;
}

MixtureChannel MixtureChannel::with_weight(std::span<const double> reference, double weight) {
  if (!(weight >= 0) || !(weight <= 1)) {
    throw InvalidInput("the weight of the value must be from 0 to 1, but is " +
                       detail::shortest(weight));
  }
  const double whole = static_cast<double>(Band::kGreatestTotal);
  MixtureChannel channel(reference, static_cast<std::uint64_t>((1 - weight) * whole));
  // keep / (keep + G) <= weight, whatever G became by rounding its parts.
  const double reference_total = static_cast<double>(channel.prefix_.back());
  const double keep = std::floor(std::min(weight / (1 - weight) * reference_total, whole));
  channel.keep_ = static_cast<std::uint64_t>(keep * (1 - 0x1p-50));
  return channel;
}

MixtureChannel::Extremes MixtureChannel::column(std::size_t j) const {
  const uint128 g = reference(j);
  return {keep_ + g, outcome_count() > 1 ? g : keep_ + g};
}

bool MixtureChannel::satisfies(const ExpBound& bound) const {
  for (std::size_t j = 0; j < outcome_count(); ++j) {
    const Extremes entries = column(j);
    if (!bound.allows(entries.greatest, entries.least)) return false;
  }
  return true;
}

std::size_t MixtureChannel::locate(std::uint64_t position) const {
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return static_cast<std::size_t>(after - prefix_.begin()) - 1;
}

}  // namespace mollify
