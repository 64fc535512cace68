// One sample of a product distribution on {0, 1}^d under concentrated privacy.
#pragma once

#include "central/central_sampler.h"

namespace mollify {

/// Output bit j is 1 with probability clip(c_j, T, n - T) / n, where c_j counts the records with
/// bit j: an integer below n decides, so the law is exact. Outcomes are bit vectors as for
/// ProductSampler.
///
/// Theorem (proof: docs/theory/central.md). rho-zCDP with
///
///     rho = (d / 8) eta^2,   eta = ln[(T + 1)(n - T) / (T (n - T - 1))].
///
/// If the records are independent draws from a product distribution whose d means lie in [1/3,
/// 2/3], the output follows a product distribution at total variation at most
///
///     d t exp(-2 n (1/3 - t)^2),   t = T / n < 1/3.
///
/// For other means total_variation_up says nothing.
///
/// For a draw, O(d) for each distinct outcome.
class ClippedMeans final : public CentralSampler {
 public:
  /// d from 1 to 24, n from 4 to 2^40, T = clip from 1 to less than n / 3; throws InvalidInput
  /// otherwise.
  ClippedMeans(unsigned coordinates, std::uint64_t records, std::uint64_t clip);

  /// The least clip T for which the theorem gives at most rho; none if there is none below n / 3.
  [[nodiscard]] static std::optional<std::uint64_t> least_clip(unsigned coordinates,
                                                               std::uint64_t records, double rho);

  [[nodiscard]] std::uint64_t clip() const { return clip_; }
  [[nodiscard]] unsigned coordinates() const { return coordinates_; }

  [[nodiscard]] std::uint64_t outcome_count() const override {
    return std::uint64_t{1} << coordinates_;
  }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return 1; }
  [[nodiscard]] Privacy guarantee() const override;
  /// For product distributions with means in [1/3, 2/3].
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  unsigned coordinates_;
  std::uint64_t records_;
  std::uint64_t clip_;
};

}  // namespace mollify
