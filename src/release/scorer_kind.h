// The scorers that a user can choose, by name.
#pragma once

#include <array>
#include <memory>

#include "accounting/names.h"
#include "density/scorer.h"

namespace mollify {

/// How private rows become scores of candidates (docs/guide/scorers.md).
enum class ScorerKind {
  kKernel,
  kEmpirical,
  kHistogram,
  kGaussianMixture,
  kRatio,
  kBoosted,
  kLikelihood,  ///< of models, and of these alone
};

constexpr auto names_of(ScorerKind) {
  return std::array{Named{ScorerKind::kKernel, "kernel"},
                    Named{ScorerKind::kEmpirical, "empirical"},
                    Named{ScorerKind::kHistogram, "histogram"},
                    Named{ScorerKind::kGaussianMixture, "gaussian-mixture"},
                    Named{ScorerKind::kRatio, "ratio"},
                    Named{ScorerKind::kBoosted, "mbde"},
                    Named{ScorerKind::kLikelihood, "likelihood"}};
}

/// Whether the scorer learns to tell rows from points of the reference, and so needs candidates,
/// which are such points.
[[nodiscard]] bool needs_candidates(ScorerKind kind) noexcept;

/// Whether a row counts for one outcome or candidate alone, so that an estimate is as sparse as its
/// rows are few. The others spread rows over what is near them.
[[nodiscard]] bool counts_records(ScorerKind kind) noexcept;

/// Requires another kind than kLikelihood. A scorer of these candidates with its default settings,
/// for draws at `epsilon` each (which only kBoosted heeds).
[[nodiscard]] std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                                  double epsilon);

}  // namespace mollify
