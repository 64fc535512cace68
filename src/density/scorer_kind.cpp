#include "mollify/density/scorer_kind.h"

#include "mollify/density/empirical_points.h"
#include "mollify/density/gaussian_mixture_fit.h"
#include "mollify/density/histogram.h"
#include "mollify/density/product_kernel.h"

namespace mollify {

std::string_view name_of(ScorerKind kind) noexcept {
  switch (kind) {
    case ScorerKind::kKernel:
      return "kernel";
    case ScorerKind::kEmpirical:
      return "empirical";
    case ScorerKind::kHistogram:
      return "histogram";
    case ScorerKind::kGaussianMixture:
      break;
  }
  return "gaussian-mixture";
}

std::optional<ScorerKind> scorer_named(std::string_view name) noexcept {
  for (const ScorerKind kind : kScorerKinds) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates) {
  switch (kind) {
    case ScorerKind::kKernel:
      return std::make_unique<ProductKernelScorer>(candidates);
    case ScorerKind::kEmpirical:
      return std::make_unique<EmpiricalScorer>(candidates);
    case ScorerKind::kHistogram:
      return std::make_unique<HistogramScorer>(candidates);
    case ScorerKind::kGaussianMixture:
      break;
  }
  return std::make_unique<GaussianMixtureScorer>(candidates);
}

}  // namespace mollify
