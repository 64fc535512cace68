// A random part of the records, each through randomized response, in a random order.
#pragma once

#include "central/central_sampler.h"
#include "kernel/core/randomized_response.h"
#include "kernel/order/subsample.h"

namespace mollify {

/// Each record is kept by a coin of its own with probability s, each kept one goes through k-ary
/// randomized response, and the reports leave in a uniformly random order: all of them, or exactly
/// m.
///
/// Privacy is that of all the reports, from the blanket bound with rate s
/// (accounting/shuffle_amplification.h). Exactly m are made of them without the data: of more than
/// m, the first m of the random order; in place of those that are missing, uniform outcomes.
///
/// Outputs. For records drawn from P the reports are independent draws from the P-hat of
/// SubsetSampler, and their number M ~ Bin(n, s) depends on nothing else. Exactly m outputs are m
/// such draws unless M < m; the probability of that is bounded and added to the total variation.
///
/// O(log(1 / s)) for each report, and O(d) for d distinct outcomes.
class PoissonSampler final : public CentralSampler {
 public:
  /// All reports: a random number of them.
  PoissonSampler(const RandomizedResponse& response, const PoissonSubsample& subsample,
                 std::uint64_t records, const Privacy& guarantee);
  /// Exactly `outputs`. Throws InvalidInput if there are none.
  PoissonSampler(const RandomizedResponse& response, const PoissonSubsample& subsample,
                 std::uint64_t records, std::uint64_t outputs, const Privacy& guarantee);

  [[nodiscard]] const RandomizedResponse& response() const { return response_; }
  [[nodiscard]] double rate() const { return subsample_.rate(); }

  [[nodiscard]] std::uint64_t outcome_count() const override { return response_.outcome_count(); }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return outputs_; }
  [[nodiscard]] Privacy guarantee() const override { return guarantee_; }
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  RandomizedResponse response_;
  PoissonSubsample subsample_;
  std::uint64_t records_;
  std::optional<std::uint64_t> outputs_;
  Privacy guarantee_;
};

/// P(Bin(n, s) < m), rounded up, by Bernstein's inequality: with x = n s - (m - 1) > 0 at most
/// exp(-x^2 / (2 (n s (1 - s) + s x / 3))), as no term lies further than s below its mean; else 1.
/// n up to 2^40.
[[nodiscard]] double binomial_below_up(std::uint64_t trials, double rate, std::uint64_t count);

/// The least rate, but for rounding up, at which binomial_below_up(records, rate, outputs) is at
/// most `failure`, in (0, 1); none if the rate must be 1.
[[nodiscard]] std::optional<double> poisson_rate_for(std::uint64_t records, std::uint64_t outputs,
                                                     double failure);

}  // namespace mollify
