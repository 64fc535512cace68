// Scores from one classifier: the learned density ratio.
#pragma once

#include <cstddef>
#include <memory>

#include "boosting/feature_encoding.h"
#include "boosting/weak_learner.h"
#include "density/scorer.h"

namespace mollify {

/// Scores candidates by exp(logit) of a classifier that has learned to tell rows from candidates:
/// an estimate of p/h without a density of either.
///
/// Candidates are a sample of the reference, so that is what a trained classifier knows
/// (docs/theory/spaces.md). The kernel clips its estimate into the whole band, of which boosting
/// uses about half: compare the two before choosing (docs/guide/boosting.md). Learning looks at the
/// same number of rows, repeated or thinned, whatever the rows are, so that it takes as long for
/// every unit; it shows nothing. The same rows and candidates give the same scores.
class RatioScorer final : public Scorer {
 public:
  /// So many samples of either law does the classifier learn from.
  static constexpr std::size_t kSamples = 20'000;

  /// With the network and the schedule of `release_learner`.
  explicit RatioScorer(const MixedPoints& candidates);
  RatioScorer(const MixedPoints& candidates, std::shared_ptr<const WeakLearner> learner,
              std::size_t samples = kSamples);

  [[nodiscard]] bool scores_are_ratios() const noexcept override { return true; }

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  FeatureEncoding encoding_;
  Points candidates_;
  Points sample_;  // of the candidates, for learning
  std::shared_ptr<const WeakLearner> learner_;
};

}  // namespace mollify
