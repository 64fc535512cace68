#include "central/poisson_sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "accounting/directed_rounding.h"
#include "central/subset_sampler.h"
#include "kernel/core/invalid_input.h"
#include "kernel/order/shuffle.h"

namespace mollify {

PoissonSampler::PoissonSampler(const RandomizedResponse& response,
                               const PoissonSubsample& subsample, std::uint64_t records,
                               const Privacy& guarantee)
    : response_(response), subsample_(subsample), records_(records), guarantee_(guarantee) {}

PoissonSampler::PoissonSampler(const RandomizedResponse& response,
                               const PoissonSubsample& subsample, std::uint64_t records,
                               std::uint64_t outputs, const Privacy& guarantee)
    : PoissonSampler(response, subsample, records, guarantee) {
  if (outputs < 1) throw InvalidInput("the number of outputs must be at least 1, but is 0");
  outputs_ = outputs;
}

double PoissonSampler::total_variation_up() const {
  const double response = mollify::total_variation_up(response_);
  if (!outputs_) return response;
  const double sum = response + binomial_below_up(records_, rate(), *outputs_);
  return std::fmin(1, std::nextafter(sum, std::numeric_limits<double>::infinity()));
}

std::vector<std::uint32_t> PoissonSampler::draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const {
  std::vector<std::uint32_t> reports = subsample_.draw(histogram.counts, random);
  for (std::uint32_t& value : reports) {
    value = static_cast<std::uint32_t>(response_.draw(histogram.keys[value], random));
  }
  if (outputs_) {
    while (reports.size() < *outputs_) {
      reports.push_back(static_cast<std::uint32_t>(random.below(outcome_count())));
    }
  }
  shuffle(reports, random);
  if (outputs_) reports.resize(*outputs_);
  return reports;
}

double binomial_below_up(std::uint64_t trials, double rate, std::uint64_t count) {
  if (count == 0) return 0;
  const double mean = static_cast<double>(trials) * rate;
  const double distance = mean - static_cast<double>(count - 1);
  // Rounding of the mean moves the distance by 2^-52 of the mean; a distance of which that is more
  // than 1e-10 proves nothing here.
  if (!(distance > mean * 0x1p-18)) return 1;
  const double exponent =
      distance * distance / (2 * (mean * (1 - rate) + rate * distance / 3)) * (1 - 1e-9);
  return std::fmin(1, exp_up(-exponent));
}

std::optional<double> poisson_rate_for(std::uint64_t records, std::uint64_t outputs,
                                       double failure) {
  double low = 0;
  double high = 1;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (binomial_below_up(records, middle, outputs) <= failure ? high : low) = middle;
  }
  if (high == 1) return std::nullopt;
  return high;
}

}  // namespace mollify
