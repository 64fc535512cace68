// Draws from a noisy histogram: the baseline.
#pragma once

#include "central/central_sampler.h"
#include "kernel/noise/discrete_laplace.h"

namespace mollify {

/// Each of the k counts gets discrete Laplace noise of scale t >= 2 / epsilon and is clipped to
/// [0, n]; the m outputs are drawn from the clipped counts, normalised, or from the uniform law if
/// all are 0 [Raskhodnikova et al. 2021].
///
/// Theorem. epsilon-DP for any m, and for records drawn from P each output is at total variation at
/// most k t / n from P, all m together at most m times
///
///     k t / n + min( (m - 1) / (2 n), sqrt((k - 1) / n) / 2 ).
///
/// Proof: docs/theory/central.md [ours; the source states the order].
///
/// The outputs are independent given the noisy counts, and not otherwise: they share its errors. So
/// this is neither a weak nor a strong multi-sampler but what [Cheu, Nayak 2024, Section 1.2] call
/// qualitatively weak and ask for: a joint law near to that of m draws from P, whatever depends on
/// what.
/// m may exceed n. O(k) time and memory and O(log k) for each output.
class HistogramSampler final : public CentralSampler {
 public:
  /// k from 1 to 2^24, n from 1 to 2^40, m at least 1, epsilon at least 1e-6 and finite; throws
  /// InvalidInput otherwise.
  HistogramSampler(std::uint64_t outcomes, std::uint64_t records, std::uint64_t outputs,
                   double epsilon);

  [[nodiscard]] const DiscreteLaplace& noise() const { return noise_; }

  [[nodiscard]] std::uint64_t outcome_count() const override { return outcomes_; }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return outputs_; }
  [[nodiscard]] Privacy guarantee() const override { return Privacy::pure(epsilon_); }
  [[nodiscard]] double total_variation_up() const override;
  [[nodiscard]] bool outputs_are_independent() const override { return outputs_ == 1; }

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  std::uint64_t outcomes_;
  std::uint64_t records_;
  std::uint64_t outputs_;
  double epsilon_;
  DiscreteLaplace noise_;
};

}  // namespace mollify
