// Points of a sample drawn again in proportion to weights.
#pragma once

#include <cstddef>
#include <span>

#include "density/points.h"
#include "space/seeded_random.h"

namespace mollify {

/// `count` of the points, point i about weights[i] / sum * count times: the copies that lie at
/// equal distances on the weights' cumulative sum from a random start (systematic resampling), in
/// the points' order. Each point is taken the whole number below or above its share, so this adds
/// far less noise than independent draws.
///
/// Total: weights that are not positive and finite count as 0, and if none is left all count alike.
/// Without points, none. For training only: nothing drawn here is released. Throws InvalidInput if
/// there is not one weight for each point. O(points + count d).
[[nodiscard]] Points resampled(const Points& points, std::span<const double> weights,
                               std::size_t count, SeededRandom& random);

}  // namespace mollify
