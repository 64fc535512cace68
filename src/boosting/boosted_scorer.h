// Scores from boosted classifiers.
#pragma once

#include <cstddef>
#include <memory>

#include "boosting/feature_encoding.h"
#include "boosting/mbde.h"
#include "boosting/weak_learner.h"
#include "density/scorer.h"

namespace mollify {

/// Scores candidates by dQ_T/dQ0 of the boosted density that MBDE makes of the rows, Q0 being the
/// law of the candidates [Husain et al. 2020, Algorithm 1].
///
/// The scores' logarithms lie within +-epsilon/4, so a band that holds [e^(-epsilon/2),
/// e^(epsilon/2)] clips none of them and the release follows Q_T itself. As for RatioScorer,
/// learning takes as long for every unit, shows nothing, and is the same for the same rows.
class BoostedScorer final : public Scorer {
 public:
  /// So many samples of either law does each classifier learn from, as in the papers.
  static constexpr std::size_t kSamples = 10'000;
  /// T, as in the papers.
  static constexpr std::size_t kIterations = 3;

  /// With the network and the schedule of `release_learner`. Throws InvalidInput unless epsilon,
  /// that of one draw, is finite and positive.
  BoostedScorer(const MixedPoints& candidates, double epsilon);
  BoostedScorer(const MixedPoints& candidates, double epsilon,
                std::shared_ptr<const WeakLearner> learner, std::size_t samples = kSamples);

  [[nodiscard]] bool scores_are_ratios() const noexcept override { return true; }

 private:
  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  FeatureEncoding encoding_;
  Points candidates_;
  MbdeSpec spec_;
  std::shared_ptr<const WeakLearner> learner_;
};

}  // namespace mollify
