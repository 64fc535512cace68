// Samples of product distributions on {0, 1}^d, coordinate by coordinate, with pure privacy.
#pragma once

#include "central/central_sampler.h"
#include "kernel/core/randomized_response.h"

namespace mollify {

/// Outcomes 0 to 2^d - 1 stand for bit vectors, bit j for coordinate j; d <= 24, as for all
/// outcomes.
///
/// Definition. For each coordinate by itself m of the n records are chosen without replacement and
/// put in a random order, and their bits go through binary randomized response with odds
/// 1 + (n / m)(e^(epsilon / d) - 1). Output i has the i-th bit of every coordinate.
///
/// Theorem. epsilon-DP: each coordinate is epsilon / d-DP (RandomizedResponse), they are drawn
/// independently of each other, and privacy adds up. [Raskhodnikova et al. 2021; the odds are ours]
///
/// Theorem. If the records are independent draws from a product distribution P on {0, 1}^d, then
/// the m outputs are independent draws from a product distribution at total variation at most
///
///     d / (2 + (n / m)(e^(epsilon / d) - 1))
///
/// from P. Proof: the m d bits come from different bits of the
/// records, all independent; a flipped bit is at most that far from its law (SubsetSampler, k = 2),
/// and total variation of products is at most the sum. QED
///
/// Against k = 2^d outcomes through one randomized response, this needs about d^2 / (alpha epsilon)
/// records rather than 2^d / (alpha epsilon). Where P is not a product the outputs follow the
/// product of its marginals, and total_variation_up says nothing.
///
/// For a draw, O(d) for each distinct outcome and each output.
class ProductSampler final : public CentralSampler {
 public:
  /// d from 1 to 24, 1 <= m <= n <= 2^40, and epsilon / d as for ExpBound; throws InvalidInput
  /// otherwise.
  ProductSampler(unsigned coordinates, std::uint64_t records, std::uint64_t outputs,
                 double epsilon);

  [[nodiscard]] const RandomizedResponse& response() const { return response_; }
  [[nodiscard]] unsigned coordinates() const { return coordinates_; }

  [[nodiscard]] std::uint64_t outcome_count() const override {
    return std::uint64_t{1} << coordinates_;
  }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return outputs_; }
  [[nodiscard]] Privacy guarantee() const override { return Privacy::pure(epsilon_); }
  /// For product distributions P.
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  RandomizedResponse response_;
  unsigned coordinates_;
  std::uint64_t records_;
  std::uint64_t outputs_;
  double epsilon_;
};

/// The number of records whose outcome has this bit.
[[nodiscard]] std::uint64_t ones_of(const OutcomeHistogram& histogram, unsigned coordinate);

}  // namespace mollify
