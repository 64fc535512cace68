// Scores from rows that stand for the candidates next to them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "density/mixed_points.h"
#include "density/scorer.h"

namespace mollify {

/// Gives each row to the nearest candidate: the rows' empirical distribution, moved to the
/// candidates.
///
/// Distance. The sum over columns of squared differences: numbers on [0, 1], ordered values in
/// units of (levels - 1), and 1 for another category [Gower 1971, with squares]. Rows equidistant
/// from several candidates go to the first of them, except that candidates equal to each other
/// share evenly.
///
/// Scores are ratios: a candidate's share of the rows times the number of candidates. Their mean
/// is 1. Most are zero when candidates are many more than rows, so the release leans on the band;
/// useful when records can be equal to candidates or rows are many.
///
/// Rows are looked up in a k-d tree's leaves: O(candidates / 32) box tests a row at least.
class EmpiricalScorer final : public Scorer {
 public:
  explicit EmpiricalScorer(const MixedPoints& candidates);
  ~EmpiricalScorer() override;

  [[nodiscard]] bool scores_are_ratios() const noexcept override { return true; }

 private:
  class Nearest;

  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  std::unique_ptr<const Nearest> nearest_;
  std::vector<std::uint32_t> first_equal_;   // for each candidate, the first one equal to it
  std::vector<std::uint32_t> equal_counts_;  // for each first one, how many there are
};

}  // namespace mollify
