// The constant b of the bands that need no numbers of their own.
#pragma once

#include <cstddef>

namespace mollify {

/// Every band sampler releases q(x) = clip(P(x)/r, b h(x), b E h(x)) with E = e^epsilon and a
/// public reference h; they differ in b. These functions compute b as doubles: the choice decides
/// how useful the law is, while the integer band built on it decides privacy, so their rounding is
/// harmless. They add, multiply, divide and take roots of what ExpBound found in integers, which
/// IEEE 754 rounds alike everywhere: b is the same on every machine. Each throws InvalidInput for
/// parameters outside its range. The table is in docs/theory/band.md.

/// E, as the nearest double to cut_exp: the same on every machine.
[[nodiscard]] double exponential_of(double epsilon);

/// E - 1, in the same way.
[[nodiscard]] double exponential_less_one_of(double epsilon);

/// The finite minimax sampler on k outcomes with a uniform reference: b = k / (E + k - 1)
/// [Park et al. 2024, Theorem III.1]. k at least 1; for k = 1 there is nothing to bound.
[[nodiscard]] double minimax_floor(std::size_t outcome_count, double epsilon);

/// The relative mollifier of a reference: b = e^(-epsilon/2), the band symmetric about h in the
/// logarithm [Husain et al. 2020, eq. 5 and 8].
[[nodiscard]] double relative_floor(double epsilon);

}  // namespace mollify
