// The scorers that a user can choose, by name.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string_view>

#include "mollify/density/scorer.h"

namespace mollify {

/// How private rows become scores of candidates (docs/scorers.md).
enum class ScorerKind { kKernel, kEmpirical, kHistogram, kGaussianMixture };

inline constexpr std::array<ScorerKind, 4> kScorerKinds = {
    ScorerKind::kKernel, ScorerKind::kEmpirical, ScorerKind::kHistogram,
    ScorerKind::kGaussianMixture};

/// "kernel", "empirical", "histogram" or "gaussian-mixture".
[[nodiscard]] std::string_view name_of(ScorerKind kind) noexcept;

/// The kind of that name, if there is one.
[[nodiscard]] std::optional<ScorerKind> scorer_named(std::string_view name) noexcept;

/// A scorer of these candidates with its default settings.
[[nodiscard]] std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates);

}  // namespace mollify
