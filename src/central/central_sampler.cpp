#include "central/central_sampler.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// Counts records of outcomes from k on as records of 0.
OutcomeHistogram with_strays_as_first(OutcomeHistogram histogram, std::uint64_t outcomes) {
  const auto inside = std::lower_bound(histogram.keys.begin(), histogram.keys.end(), outcomes);
  const auto kept = static_cast<std::size_t>(inside - histogram.keys.begin());
  const std::uint64_t strays =
      std::accumulate(histogram.counts.begin() + static_cast<std::ptrdiff_t>(kept),
                      histogram.counts.end(), std::uint64_t{0});
  histogram.keys.resize(kept);
  histogram.counts.resize(kept);
  if (strays == 0) return histogram;
  if (kept == 0 || histogram.keys.front() != 0) {
    histogram.keys.insert(histogram.keys.begin(), 0);
    histogram.counts.insert(histogram.counts.begin(), 0);
  }
  histogram.counts.front() += strays;
  return histogram;
}

}  // namespace

std::vector<std::uint32_t> CentralSampler::draw(const OutcomeHistogram& histogram,
                                                SecureRandom& random) const {
  const uint128 records = mollify::record_count(histogram);
  if (records != record_count()) {
    throw InvalidInput(fmt::format("a draw must be from the {} records of its design, but has {}",
                                   record_count(), records));
  }
  if (!histogram.keys.empty() && histogram.keys.back() >= outcome_count()) {
    return draw_of(with_strays_as_first(histogram, outcome_count()), random);
  }
  return draw_of(histogram, random);
}

std::vector<std::uint32_t> CentralSampler::draw(std::span<const std::uint32_t> records,
                                                SecureRandom& random) const {
  return draw(counts_of(records), random);
}

}  // namespace mollify
