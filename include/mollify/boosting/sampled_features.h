// Samples of a measure, as classifiers read them.
#pragma once

#include <cstddef>

#include "mollify/boosting/features.h"
#include "mollify/kernel/seeded_random.h"
#include "mollify/reference/measure.h"

namespace mollify {

/// Independent draws; the features of a point are its coordinates. For analysis: NOT PRIVATE where
/// the measure is not public.
[[nodiscard]] Features simulated_features(const Measure& measure, std::size_t count,
                                          SeededRandom& random);

}  // namespace mollify
