#include "kernel/channel/staircase_channel.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "kernel/core/invalid_input.h"
#include "kernel/search/positive_masses.h"

namespace mollify {
namespace {

/// About x * share for a share in [0, 1], to 2^-52 relative, and never above x.
uint128 part_of(uint128 x, double share) {
  int exponent = 0;
  const double fraction = std::frexp(share, &exponent);  // share = fraction 2^exponent
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
  const uint128 low = static_cast<uint128>(static_cast<std::uint64_t>(x)) * mantissa;
  const uint128 high = (x >> 64) * mantissa + (low >> 64);
  // (high 2^64 + low's low half) / 2^(53 - exponent); high stays below 2^(62 + 53).
  const int shift = 53 - exponent;
  if (shift >= 64 + 116) return 0;
  if (shift >= 64) return high >> (shift - 64);
  return std::min(x, (high << (64 - shift)) | (static_cast<std::uint64_t>(low) >> shift));
}

}  // namespace

StaircaseChannel StaircaseChannel::make(std::span<const double> reference, double epsilon) {
  const ExpBound bound(epsilon);
  const double sum = detail::validated_mass_sum(reference);
  std::vector<std::uint32_t> order(reference.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return reference[a] < reference[b]; });
  StaircaseChannel channel = in_order(reference, sum, std::move(order), bound);
  if (!channel.satisfies(bound)) {
    throw InvalidInput(
        "the public-data kernel of this reference cannot be built exactly at epsilon "
        "= " +
        detail::shortest(epsilon) + ": its smallest mass is too small beside the others");
  }
  return channel;
}

StaircaseChannel StaircaseChannel::in_order(std::span<const double> reference, double sum,
                                            std::vector<std::uint32_t> order,
                                            const ExpBound& bound) {
  const std::size_t count = reference.size();
  StaircaseChannel channel;
  channel.order_ = std::move(order);
  channel.rank_.resize(count);
  channel.prefix_.resize(count + 1);
  for (std::size_t i = 0; i < count; ++i) {
    channel.rank_[channel.order_[i]] = static_cast<std::uint32_t>(i);
    const double share = std::floor(reference[channel.order_[i]] / sum * 0x1p60);
    channel.prefix_[i + 1] =
        channel.prefix_[i] + std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share));
  }
  // A hair less than Ebar, so that rounding the entries leaves every column within Ebar itself.
  const double e = bound.value() * (1 - 0x1p-46);
  channel.steps_.resize(count + 1);
  channel.stays_.resize(count);
  channel.moves_.resize(count);
  channel.steps_[0] = channel.total();
  for (std::size_t i = 0; i < count; ++i) {
    const uint128 step = channel.steps_[i];
    const double own = static_cast<double>(channel.weight(i));
    const double after = static_cast<double>(channel.weight_after(i));
    const double w = e * own + after;
    // Of the two parts of the step the smaller is computed and the larger is the rest, so that
    // both are right to many digits.
    const uint128 leaving =
        after < e * own ? part_of(step, after / w) : step - part_of(step, e * own / w);
    channel.steps_[i + 1] = step - part_of(step, own / w);
    channel.stays_[i] = step;
    if (i + 1 == count) break;  // the last outcome moves nowhere
    // Moves are the least entries of their columns, so they are rounded up, at the cost of d.
    channel.moves_[i] = leaving / channel.weight_after(i) + 1;
    if (i > 0) channel.moves_[i] = std::min(channel.moves_[i], channel.moves_[i - 1]);
    channel.stays_[i] -= std::max(leaving, channel.moves_[i] * channel.weight_after(i));
  }
  channel.last_column_ = {channel.stays_[count - 1], channel.stays_[count - 1]};
  for (std::size_t i = 0; i + 1 < count; ++i) {
    const uint128 entry = channel.moves_[i] * channel.weight(count - 1) + channel.rest_entry(i);
    channel.last_column_.greatest = std::max(channel.last_column_.greatest, entry);
    channel.last_column_.least = std::min(channel.last_column_.least, entry);
  }
  return channel;
}

std::uint64_t StaircaseChannel::reference(std::size_t j) const { return weight(rank_[j]); }

uint128 StaircaseChannel::entry(std::size_t x, std::size_t j) const {
  const std::size_t from = rank_[x];
  const std::size_t to = rank_[j];
  if (to < from) return stop_entry(to);
  if (to == from) return stay_entry(from);
  return moves_[from] * weight(to) + (to + 1 == outcome_count() ? rest_entry(from) : 0);
}

Extremes StaircaseChannel::column(std::size_t j) const {
  const std::size_t to = rank_[j];
  if (to + 1 == outcome_count()) return last_column_;
  Extremes entries{stay_entry(to), stay_entry(to)};
  const auto include = [&](uint128 entry) {
    entries.greatest = std::max(entries.greatest, entry);
    entries.least = std::min(entries.least, entry);
  };
  include(stop_entry(to));
  if (to > 0) {
    include(moves_[to - 1] * weight(to));
    include(moves_[0] * weight(to));
  }
  return entries;
}

bool StaircaseChannel::satisfies(const ExpBound& bound) const {
  for (std::size_t j = 0; j < outcome_count(); ++j) {
    const Extremes entries = column(j);
    if (!bound.allows(entries.greatest, entries.least)) return false;
  }
  return true;
}

std::size_t StaircaseChannel::outcome_at(std::size_t x, uint128 position) const {
  const std::size_t rank = rank_[x];
  const uint128 stopped_before = total() - steps_[rank];
  if (position < stopped_before) {
    // steps_ descends: find the last rank whose part of the staircase begins at or before it.
    const uint128 height = total() - position;
    const auto after = std::partition_point(steps_.begin(), steps_.end(),
                                            [&](uint128 step) { return step >= height; });
    return order_[static_cast<std::size_t>(after - steps_.begin()) - 1];
  }
  position -= stopped_before;
  const uint128 staying = stay_entry(rank);
  if (position < staying) return x;
  const uint128 beyond = (position - staying) / moves_[rank];
  if (beyond >= weight_after(rank)) return order_.back();
  return locate_weight(prefix_[rank + 1] + static_cast<std::uint64_t>(beyond));
}

std::size_t StaircaseChannel::locate_weight(std::uint64_t position) const {
  const auto after = std::upper_bound(prefix_.begin(), prefix_.end(), position);
  return order_[static_cast<std::size_t>(after - prefix_.begin()) - 1];
}

}  // namespace mollify
