// m of n records, each through randomized response, in a random order.
#pragma once

#include "central/central_sampler.h"
#include "kernel/core/randomized_response.h"

namespace mollify {

/// The sampler behind four names. m of the n records are chosen without replacement, each goes
/// through k-ary randomized response, and the reports leave in a uniformly random order.
///
/// Theorem (outputs). If the records are independent draws from P, the m outputs are independent
/// draws from P-hat = ((E0 - 1) P + k uniform) / Z, Z = E0 + k - 1, and TV(P-hat, P) is at most
/// (k - 1) / Z, which a point mass attains. Proof: the choice and the order do not look at the
/// values, so the chosen records are m independent draws from P; 1 - P-hat(x) = (k - 1) / Z for the
/// point mass at x, and total variation is convex in P. QED
///
/// Theorem (privacy), by how E0 was chosen:
/// - subsampled-rr, reveal-or-obscure: E0 = 1 + (n / m)(E - 1); epsilon-DP (RandomizedResponse).
///   With m = 1 this is [Cheu, Nayak 2024, Theorem 11] with the tight odds; "uniform with
///   probability k / (k + n (E - 1)), else a random record" [Tasnim et al. 2025] is the same law.
///   With m > 1 it has the law of m runs on random disjoint parts of n / m records each [ibid.,
///   Lemma 8], of which each takes one record, except that n / m need not be an integer.
/// - subset-rr, shuffled-rr (m = n): E0 from the blanket bound of shuffled responses amplified by
///   the choice (accounting/shuffle_amplification.h); (epsilon, delta)-DP.
/// So the four differ in their accounting alone.
///
/// O(log d) for each output, of d distinct outcomes; 8 bytes each.
class SubsetSampler final : public CentralSampler {
 public:
  /// 1 <= chosen <= records. The caller owes that `response` keeps the guarantee
  /// (central_design.h does). Throws InvalidInput if chosen is out of range.
  SubsetSampler(const RandomizedResponse& response, std::uint64_t records, std::uint64_t chosen,
                const Privacy& guarantee);

  [[nodiscard]] const RandomizedResponse& response() const { return response_; }

  [[nodiscard]] std::uint64_t outcome_count() const override { return response_.outcome_count(); }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return chosen_; }
  [[nodiscard]] Privacy guarantee() const override { return guarantee_; }
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  RandomizedResponse response_;
  std::uint64_t records_;
  std::uint64_t chosen_;
  Privacy guarantee_;
};

/// (k - 1) / Z of a randomized response, rounded up: how far its reports' law is at most from that
/// of the values.
[[nodiscard]] double total_variation_up(const RandomizedResponse& response);

}  // namespace mollify
