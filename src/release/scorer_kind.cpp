#include "release/scorer_kind.h"

#include "boosting/boosted_scorer.h"
#include "boosting/ratio_scorer.h"
#include "density/empirical_points.h"
#include "density/gaussian_mixture_fit.h"
#include "density/histogram.h"
#include "density/product_kernel.h"

namespace mollify {

bool needs_candidates(ScorerKind kind) noexcept {
  return kind == ScorerKind::kRatio || kind == ScorerKind::kBoosted;
}

bool counts_records(ScorerKind kind) noexcept { return kind == ScorerKind::kEmpirical; }

std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                    double epsilon) {
  switch (kind) {
    case ScorerKind::kKernel:
      return std::make_unique<ProductKernelScorer>(candidates);
    case ScorerKind::kEmpirical:
      return std::make_unique<EmpiricalScorer>(candidates);
    case ScorerKind::kHistogram:
      return std::make_unique<HistogramScorer>(candidates);
    case ScorerKind::kGaussianMixture:
      return std::make_unique<GaussianMixtureScorer>(candidates);
    case ScorerKind::kRatio:
      return std::make_unique<RatioScorer>(candidates);
    case ScorerKind::kBoosted:
    case ScorerKind::kLikelihood:
      break;
  }
  return std::make_unique<BoostedScorer>(candidates, epsilon);
}

}  // namespace mollify
