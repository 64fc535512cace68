// What a release chooses from: the outcomes of a domain, the cells of a grid, or candidates.
#pragma once

#include <array>

#include "accounting/names.h"
#include "space/domain.h"

namespace mollify {

/// Only indices are ever drawn, so every space of records is first made finite with public
/// information alone, and the guarantee over indices is inherited (docs/theory/spaces.md).
enum class SpaceKind {
  kCategories,  ///< all records of an enumerable domain
  kGrid,        ///< the cells of equal width of one to three numeric columns, cut anew
  kCandidates,  ///< a list of public records, for any domain
  kModels,      ///< a list of public distributions, of which one is released with rows of it
};

[[nodiscard]] constexpr auto names_of(SpaceKind) {
  return std::array{Named{SpaceKind::kCategories, "categories"}, Named{SpaceKind::kGrid, "grid"},
                    Named{SpaceKind::kCandidates, "candidates"},
                    Named{SpaceKind::kModels, "models"}};
}

/// A domain may leave the bins of a number open. At most 2^20 outcomes without such a column:
/// categories. At most three columns, all of them numbers or integers without a null category:
/// grid. Every other domain: candidates.
[[nodiscard]] SpaceKind chosen_space(const Domain& domain) noexcept;

/// Throws InvalidInput, in one sentence, for a space that the domain cannot have: categories of
/// more than 2^24 outcomes, or a grid of other columns than `chosen_space` speaks of.
void require_space(const Domain& domain, SpaceKind kind);

}  // namespace mollify
