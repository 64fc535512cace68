#include "boosting/ratio_scorer.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "boosting/network.h"

namespace mollify {
namespace {

/// Beyond the ratio of any band, and well inside single precision.
constexpr float kGreatestLogit = 60;

/// Learning is as good from one start as from another, so the start is public and fixed.
constexpr std::uint64_t kStart = 0;

}  // namespace

RatioScorer::RatioScorer(const MixedPoints& candidates)
    : RatioScorer(candidates, release_learner()) {}

RatioScorer::RatioScorer(const MixedPoints& candidates, std::shared_ptr<const WeakLearner> learner,
                         std::size_t samples)
    : Scorer(candidates),
      encoding_(candidates.columns()),
      candidates_(encoding_.features(candidates)),
      sample_(encoding_.features(candidates, candidates.size() == 0 ? 0 : samples)),
      learner_(std::move(learner)) {}

void RatioScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  if (scores.empty() || encoding_.dimension() == 0) {
    std::fill(scores.begin(), scores.end(), 1.0F);
    return;
  }
  const Points p = encoding_.features(rows, sample_.size());
  learner_->learn(p, sample_, kStart)->logits(candidates_, scores);
  for (float& score : scores) {
    // NaN tells nothing, as a logit of 0 does.
    const float logit = std::isnan(score) ? 0.0F : score;
    score = std::exp(std::clamp(logit, -kGreatestLogit, kGreatestLogit));
  }
}

}  // namespace mollify
