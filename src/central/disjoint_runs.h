// Many outputs from any sampler of one.
#pragma once

#include <memory>

#include "central/central_sampler.h"

namespace mollify {

/// m runs of a single-sampler on random disjoint parts of the records [Cheu, Nayak 2024, Lemma 8].
///
/// With n' the single-sampler's number of records, m n' of the n records are chosen and put in a
/// uniformly random order, and run i reads the i-th n' of them; the others are not used. The parts
/// are random rather than the file's own order because files are sorted: in the order of the file
/// the first output would tell of the first rows only, and each output of other people. With random
/// parts all outputs have the same law whatever the order of the records is.
///
/// Theorem. The outputs together promise what one run does. Proof: the choice and the order do not
/// look at the values. Given them, a replaced record lies in one part or none, the other runs see
/// the same, and the runs are independent; average over choices and orders. QED
///
/// Theorem. For records drawn from P the outputs are independent draws from the single-sampler's
/// P-hat: weak multi-sampling at its total variation, and strong at m times it [Lemma 9]; so a
/// single-sampler that needs n'(alpha) records gives strong (m, alpha) from m n'(alpha / m)
/// [Corollary 10].
///
/// O(m n' log d), of d distinct outcomes.
class DisjointRuns final : public CentralSampler {
 public:
  /// `single` has one output; runs >= 1 and runs n' <= n. Throws InvalidInput otherwise.
  DisjointRuns(std::unique_ptr<const CentralSampler> single, std::uint64_t records,
               std::uint64_t runs);

  [[nodiscard]] const CentralSampler& single() const { return *single_; }

  [[nodiscard]] std::uint64_t outcome_count() const override { return single_->outcome_count(); }
  [[nodiscard]] std::uint64_t record_count() const override { return records_; }
  [[nodiscard]] std::optional<std::uint64_t> output_count() const override { return runs_; }
  [[nodiscard]] Privacy guarantee() const override { return single_->guarantee(); }
  [[nodiscard]] double total_variation_up() const override { return single_->total_variation_up(); }

 private:
  [[nodiscard]] std::vector<std::uint32_t> draw_of(const OutcomeHistogram& histogram,
                                                   SecureRandom& random) const override;
  std::unique_ptr<const CentralSampler> single_;
  std::uint64_t records_;
  std::uint64_t runs_;
};

/// Total variation of m independent outputs together, if each is within `weak`: m weak, rounded up,
/// at most 1 [Cheu, Nayak 2024, Lemma 9]. Throws InvalidInput unless 0 <= weak.
[[nodiscard]] double strong_total_variation_up(double weak, std::uint64_t outputs);

}  // namespace mollify
