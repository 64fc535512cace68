#include "central/histogram_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "accounting/directed_rounding.h"
#include "kernel/core/band.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

double validated(double epsilon) {
  if (!(epsilon >= 1e-6 && std::isfinite(epsilon))) {
    throw InvalidInput(
        fmt::format("epsilon must be finite and at least 1e-06, but is {}", epsilon));
  }
  return epsilon;
}

double next_up(double value) {
  return std::nextafter(value, std::numeric_limits<double>::infinity());
}

}  // namespace

HistogramSampler::HistogramSampler(std::uint64_t outcomes, std::uint64_t records,
                                   std::uint64_t outputs, double epsilon)
    : outcomes_(outcomes),
      records_(records),
      outputs_(outputs),
      epsilon_(validated(epsilon)),
      noise_(DiscreteLaplace::at_least(div_up(2, epsilon))) {
  constexpr std::uint64_t kMostCounted = std::uint64_t{1} << 40;
  require_between("the number of outcomes", outcomes, 1, Band::kMostOutcomes);
  require_between("the number of records", records, 1, kMostCounted);
  if (outputs < 1) throw InvalidInput("the number of outputs must be at least 1, but is 0");
}

double HistogramSampler::total_variation_up() const {
  const auto n = static_cast<double>(records_);
  const auto k = static_cast<double>(outcomes_);
  const double scale = next_up(div_up(static_cast<double>(noise_.scale().numerator),
                                      static_cast<double>(noise_.scale().denominator)));
  const double noise = div_up(mul_up(k, scale), n);
  const double same_record = div_up(next_up(static_cast<double>(outputs_ - 1)), 2 * n);
  const double sampling = next_up(std::sqrt(div_up(k - 1, n))) / 2;
  return std::fmin(1, next_up(noise + (outputs_ == 1 ? 0 : std::fmin(same_record, sampling))));
}

std::vector<std::uint32_t> HistogramSampler::draw_of(const OutcomeHistogram& histogram,
                                                     SecureRandom& random) const {
  std::vector<std::int64_t> counts(outcomes_);
  for (std::size_t i = 0; i < histogram.keys.size(); ++i) {
    counts[histogram.keys[i]] = static_cast<std::int64_t>(histogram.counts[i]);
  }
  // No count is above n, so no sum is above k n <= 2^64, and all but the last are at most
  // (k - 1) n < 2^64. The last one is 2^64, and wraps to 0, only if every count is n: then all
  // outcomes are alike, as they are where every count is 0.
  std::vector<std::uint64_t> sums(outcomes_ + 1);
  for (std::size_t x = 0; x < outcomes_; ++x) {
    const std::int64_t noisy = noise_.perturb(counts[x], random);
    const auto most = static_cast<std::int64_t>(records_);
    sums[x + 1] = sums[x] + static_cast<std::uint64_t>(std::clamp(noisy, std::int64_t{0}, most));
  }
  std::vector<std::uint32_t> outputs(outputs_);
  for (std::uint32_t& output : outputs) {
    if (sums.back() == 0) {
      output = static_cast<std::uint32_t>(random.below(outcomes_));
      continue;
    }
    const std::uint64_t position = random.below(sums.back());
    const auto next = std::upper_bound(sums.begin(), sums.end(), position);
    output = static_cast<std::uint32_t>(next - sums.begin() - 1);
  }
  return outputs;
}

}  // namespace mollify
