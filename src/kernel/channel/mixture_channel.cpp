#include "kernel/channel/mixture_channel.h"

#include <algorithm>
#include <cmath>

#include "kernel/core/invalid_input.h"
#include "kernel/search/positive_masses.h"

namespace mollify {

MixtureChannel::MixtureChannel(std::span<const double> reference) {
  const double sum = detail::validated_mass_sum(reference);
  prefix_.resize(reference.size() + 1);
  for (std::size_t j = 0; j < reference.size(); ++j) {
    const double share = std::floor(reference[j] / sum * 0x1p62);
    prefix_[j + 1] = prefix_[j] + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
}

MixtureChannel MixtureChannel::pure(std::span<const double> reference, double epsilon) {
  const ExpBound bound(epsilon);
  MixtureChannel channel(reference);
  if (channel.outcome_count() == 1) return channel;
  std::size_t rarest = 0;
  for (std::size_t j = 1; j < channel.outcome_count(); ++j) {
    if (channel.reference(j) < channel.reference(rarest)) rarest = j;
  }
  // The ratio of the rarest outcome's column grows with a, so bisection ends at the largest.
  std::uint64_t refused = kKeepTotal;
  for (std::uint64_t allowed = 0; refused - allowed > 1;) {
    const std::uint64_t middle = allowed + (refused - allowed) / 2;
    channel.keep_ = middle;
    const Extremes entries = channel.column(rarest);
    (bound.allows(entries.greatest, entries.least) ? allowed : refused) = middle;
  }
  channel.keep_ = refused - 1;
  return channel;
}

MixtureChannel MixtureChannel::with_weight(std::span<const double> reference, double weight) {
  require_between("the weight of the value", weight, 0, 1);
  return with_kept(reference, static_cast<std::uint64_t>(weight * static_cast<double>(kKeepTotal)));
}

MixtureChannel MixtureChannel::with_kept(std::span<const double> reference, std::uint64_t kept) {
  require_between("the parts of 2^62 that keep the value", kept, 0, kKeepTotal);
  MixtureChannel channel(reference);
  channel.keep_ = kept;
  return channel;
}

Extremes MixtureChannel::column(std::size_t j) const {
  const uint128 least = replaced_entry(j);
  return {kept_entry() + least, outcome_count() > 1 ? least : kept_entry() + least};
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
