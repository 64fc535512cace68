// Scale-and-shift mollification: a density squeezed towards the reference until it fits the band.
#pragma once

#include <span>

namespace mollify {

/// Replaces the masses of P by those of its scaled and shifted density [Husain et al. 2020,
/// Figure 2, for the uniform reference on [0, 1]].
///
/// Definition. Relative to a reference h the density f = P/h becomes 1 + a (f - 1), scaled by a and
/// shifted by 1 - a, where a <= 1 is the greatest with all values in [e^(-epsilon/2),
/// e^(epsilon/2)]. That keeps the order of all values, and so every mode, and scales every gradient
/// of f by a, where the projection on the same mollifier cuts peaks off; it is further from P.
///
/// These are scores like any others. a looks at P, so that the result alone has no guarantee;
/// assigned to a Table of the band with floor relative_floor(epsilon) they are its law, to the
/// table's accuracy, because they lie inside that band already, and the table alone is what makes
/// the release private. NaN, infinite and negative masses count as zero; without any mass the
/// result is the reference. The reference is public and positive, of the same length (InvalidInput
/// otherwise); neither needs to sum to one. O(k).
void scale_and_shift(std::span<double> masses, std::span<const double> reference, double epsilon);

}  // namespace mollify
