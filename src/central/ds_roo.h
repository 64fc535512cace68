// Data-specific reveal-or-obscure: obscure less where every outcome has been seen often.
#pragma once

#include <vector>

#include "central/central_sampler.h"
#include "kernel/core/exp_bound.h"
#include "kernel/core/wide.h"

namespace mollify {

/// One output: with probability q a uniform outcome, else a uniformly chosen record, where q
/// depends on the data through the least of the k counts alone [Tasnim et al. 2025].
///
/// Definition. q_j = Q_j / D for integers 0 <= Q_j <= D = 2^62. With least count j an outcome that
/// was seen c times has probability h_j(c) = (1 - q_j) c / n + q_j / k. Q_0 is the least integer,
/// and Q_(j+1) the least after Q_j, for which
///   h_j(j + 1) <= Ebar h_j(j)                                          one least count, j;
///   h_j(j) and h_(j+1)(j + 1),
///   h_j(c) and h_(j+1)(c - 1) for j + 2 <= c <= r,
///   h_j(c) and h_(j+1)(c)     for j + 1 <= c <= r                      least counts j, j + 1
/// are within a factor of Ebar of each other, both ways; r = n - j - (k - 2)(j + 1) is the greatest
/// count that can stand beside the others when a replaced record raises the least count.
///
/// Theorem. epsilon-DP [ours; proof: docs/theory/central.md. The published form compares only equal
/// least counts, and is not epsilon-DP: n = 20, k = 3, epsilon = .3 attains .42].
///
/// In c each inequality is linear, so the ends of its range decide, and two of the ends follow from
/// the others (step_holds): a step is seven comparisons of 192-bit integers. In Q_(j+1) each is
/// linear too and holds at Q_j, so bisection finds the least. q_(j+1) = q_j always satisfies them,
/// so the sequence falls, to 0 after about 1 / (E - 1) steps or ends with j = n / k. It is public,
/// made once, and read by every draw.
///
/// Outputs: for records drawn from P the law is E[(1 - q) D / n + q u], q <= q_0, so
/// TV <= q_0 (1 - 1/k) = (k - 1) / (k + n (E - 1)), attained by a point mass: in the worst case no
/// better than RandomizedResponse of one chosen record, on data that covers all outcomes much
/// better. Construction takes microseconds a step, a draw O(1) for each distinct outcome.
class DsRoo final : public CentralSampler {
 public:
  /// D.
  static constexpr std::uint64_t kTotal = std::uint64_t{1} << 62;

  /// k from 1 to 2^24, n from 1 to 2^40, epsilon as for ExpBound; throws InvalidInput otherwise.
  DsRoo(std::uint64_t outcomes, std::uint64_t records, double epsilon);

  /// Q_j, for the least count j <= n / k.
  [[nodiscard]] std::uint64_t obscured(std::uint64_t least) const {
    return least < obscured_.size() ? obscured_[least] : 0;
  }

  /// Numerator over D n k of h_j(c), for the analysis of laws.
  [[nodiscard]] uint128 numerator(std::uint64_t least, std::uint64_t count) const {
    return numerator_for(obscured(least), count);
  }

  /// Whether all inequalities hold, at every step, in integers.
  [[nodiscard]] bool satisfies(const ExpBound& bound) const;

  [[nodiscard]] std::uint64_t outcome_count() const override { return outcomes_; }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return 1; }
  [[nodiscard]] Privacy guarantee() const override { return Privacy::pure(bound_.epsilon()); }
  [[nodiscard]] double total_variation_up() const override;

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  [[nodiscard]] uint128 numerator_for(std::uint64_t obscured, uint128 count) const {
    return (kTotal - obscured) * count * outcomes_ + uint128{obscured} * records_;
  }
  [[nodiscard]] bool same_least_holds(std::uint64_t least, std::uint64_t obscured,
                                      const ExpBound& bound) const;
  [[nodiscard]] bool step_holds(std::uint64_t least, std::uint64_t before, std::uint64_t after,
                                const ExpBound& bound) const;
  [[nodiscard]] std::uint64_t least_count(const OutcomeHistogram& histogram) const;

  ExpBound bound_;
  std::uint64_t outcomes_;
  std::uint64_t records_;
  std::vector<std::uint64_t> obscured_;  // Q_0, Q_1, ... up to the first 0 or j = n / k
};

}  // namespace mollify
