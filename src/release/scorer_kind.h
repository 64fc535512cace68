// The scorers that a user can choose, by name.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "density/scorer.h"

namespace mollify {

/// How private rows become scores of candidates (docs/guide/scorers.md).
enum class ScorerKind { kKernel, kEmpirical, kHistogram, kGaussianMixture, kRatio, kBoosted };

inline constexpr std::array<ScorerKind, 6> kScorerKinds = {
    ScorerKind::kKernel,          ScorerKind::kEmpirical, ScorerKind::kHistogram,
    ScorerKind::kGaussianMixture, ScorerKind::kRatio,     ScorerKind::kBoosted};

/// "kernel", "empirical", "histogram", "gaussian-mixture", "ratio" or "mbde".
[[nodiscard]] std::string_view name_of(ScorerKind kind) noexcept;

/// The kind of that name, if there is one.
[[nodiscard]] std::optional<ScorerKind> scorer_named(std::string_view name) noexcept;

/// Whether the scorer learns to tell rows from points of the reference, and so needs candidates,
/// which are such points.
[[nodiscard]] bool needs_candidates(ScorerKind kind) noexcept;

/// A scorer of these candidates with its default settings, for draws at `epsilon` each (which only
/// kBoosted heeds).
[[nodiscard]] std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                                  double epsilon);

}  // namespace mollify
