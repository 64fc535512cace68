#include "boosting/boosted_scorer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "boosting/network.h"

namespace mollify {

BoostedScorer::BoostedScorer(const MixedPoints& candidates, double epsilon)
    : BoostedScorer(candidates, epsilon, release_learner()) {}

BoostedScorer::BoostedScorer(const MixedPoints& candidates, double epsilon,
                             std::shared_ptr<const WeakLearner> learner, std::size_t samples)
    : Scorer(candidates),
      encoding_(candidates.columns()),
      candidates_(encoding_.features(candidates)),
      spec_{.boosting = {.epsilon = epsilon}, .iterations = kIterations, .sample_size = samples},
      learner_(std::move(learner)) {
  // Refuses what is wrong with epsilon before any rows are seen.
  static_cast<void>(
      BoostedDensity(spec_.boosting, std::max<std::size_t>(encoding_.dimension(), 1)));
}

void BoostedScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  if (scores.empty() || encoding_.dimension() == 0) {
    std::fill(scores.begin(), scores.end(), 1.0F);
    return;
  }
  const Points p = encoding_.features(rows, spec_.sample_size);
  boost(p, candidates_, *learner_, spec_).log_ratio(candidates_, scores);
  for (float& score : scores) score = std::exp(score);
}

}  // namespace mollify
