// Draws from a public measure as boosting reads them.
#pragma once

#include <cstddef>

#include "mollify/boosting/features.h"
#include "mollify/kernel/secure_random.h"
#include "mollify/kernel/seeded_random.h"
#include "mollify/reference/measure.h"

namespace mollify {

/// `count` independent points of the measure, rounded to single precision: a pool for `boost`, or
/// what a normaliser is averaged over.
[[nodiscard]] Features reference_sample(const Measure& measure, std::size_t count,
                                        SecureRandom& random);
/// The same for analysis, or for a pool that is public by its seed.
[[nodiscard]] Features reference_sample(const Measure& measure, std::size_t count,
                                        SeededRandom& random);

}  // namespace mollify
