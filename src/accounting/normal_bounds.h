// The normal distribution function with results known to lie on one side of the truth.
#pragma once

namespace mollify {

/// Above and below Φ(x), by 2^-46 of it where Φ(x) is above 10^-300. The C library's erfc is
/// assumed to be within 16 units in the last place (glibc states 5), and its argument is moved
/// outward by more than its roundings.
[[nodiscard]] double normal_cdf_up(double x);
[[nodiscard]] double normal_cdf_down(double x);

/// Above ln Φ(x), by less than .002 where Φ(x) leaves the doubles: there by Φ(-t) <= φ(t)/t.
[[nodiscard]] double ln_normal_cdf_up(double x);

}  // namespace mollify
