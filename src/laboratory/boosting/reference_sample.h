// Draws from a public measure as boosting reads them.
#pragma once

#include <cstddef>

#include "boosting/features.h"
#include "kernel/core/secure_random.h"
#include "kernel/core/seeded_random.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// `count` independent points of the measure, rounded to single precision: a pool for `boost`, or
/// what a normaliser is averaged over.
[[nodiscard]] Features reference_sample(const Measure& measure, std::size_t count,
                                        SecureRandom& random);
/// The same for analysis, or for a pool that is public by its seed.
[[nodiscard]] Features reference_sample(const Measure& measure, std::size_t count,
                                        SeededRandom& random);

}  // namespace mollify
