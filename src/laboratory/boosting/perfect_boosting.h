// Boosting by classifiers that know everything.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "boosting/boosted_density.h"

namespace mollify {

/// Q_T's cell masses where each classifier's logit is log P/Q_(t-1) itself: what boosting would
/// reach if learning had no error. P's and Q0's masses of the same cells; where P has none c is its
/// least value. Throws InvalidInput as BoostedDensity does and if sizes differ. O(T k).
[[nodiscard]] std::vector<double> perfectly_boosted(std::span<const double> p,
                                                    std::span<const double> reference,
                                                    const BoostingSpec& spec,
                                                    std::size_t iterations = 3);

}  // namespace mollify
