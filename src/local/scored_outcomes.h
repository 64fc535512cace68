// A private distribution as the samplers take it: some outcomes, and a weight for each.
#pragma once

#include <cstdint>
#include <span>

namespace mollify {

/// A view of m outcomes, ascending, and their weights; outcomes not listed have weight zero.
///
/// Weights need not be normalised, nor make sense: NaN and negative ones count as zero, and no
/// weight at all means that nothing is known, which releases the reference. Samplers accept
/// anything here, because it is private data.
struct ScoredOutcomes {
  std::span<const std::uint32_t> outcomes;
  std::span<const double> weights;
};

}  // namespace mollify
