#include "kernel/order/subsample.h"

#include <bit>
#include <cmath>
#include <numeric>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// floor(rate 2^64) 2^-64.
double kept_rate(double rate) {
  if (!(rate >= 0x1p-64 && rate <= 1)) {
    throw InvalidInput("the rate of a subsample must be from 2^-64 to 1, but is " +
                       detail::shortest(rate));
  }
  return std::ldexp(std::floor(std::ldexp(rate, 64)), -64);
}

/// 2^64 less the threshold T of this rate.
std::uint64_t words_not_kept(double rate) {
  return rate == 1 ? 0 : -static_cast<std::uint64_t>(std::ldexp(rate, 64));
}

}  // namespace

RecordsLeft::RecordsLeft(std::span<const std::uint64_t> counts)
    : sums_(counts.size() + 1),
      greatest_step_(std::bit_floor(counts.size())),
      size_(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})) {
  for (std::size_t i = 1; i < sums_.size(); ++i) {
    sums_[i] += counts[i - 1];
    const std::size_t next = i + (i & -i);
    if (next < sums_.size()) sums_[next] += sums_[i];
  }
}

std::size_t RecordsLeft::take_at(std::uint64_t position) {
  std::size_t before = 0;  // values that are passed over
  for (std::size_t step = greatest_step_; step > 0; step /= 2) {
    const std::size_t at = before + step;
    if (at >= sums_.size()) continue;
    if (sums_[at] <= position) {
      position -= sums_[at];
      before = at;
    } else {
      --sums_[at];  // the value is one of those that it sums
    }
  }
  --size_;
  return before;
}

PoissonSubsample::PoissonSubsample(double rate)
    : rate_(kept_rate(rate)), gap_(words_not_kept(rate_)) {}

std::vector<std::uint32_t> PoissonSubsample::draw(std::span<const std::uint64_t> counts,
                                                  SecureRandom& random) const {
  const std::uint64_t records = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<std::uint32_t> kept;
  kept.reserve(static_cast<std::size_t>(rate_ * static_cast<double>(records)));
  std::size_t value = 0;
  std::uint64_t end = counts.empty() ? 0 : counts[0];  // of that value's records
  for (std::uint64_t record = gap_.draw(records, random); record < records;) {
    while (record >= end) end += counts[++value];
    kept.push_back(static_cast<std::uint32_t>(value));
    ++record;
    record += gap_.draw(records - record, random);
  }
  return kept;
}

}  // namespace mollify
