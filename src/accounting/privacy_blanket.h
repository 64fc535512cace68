// The certified upper bound of shuffled randomized response.
#pragma once

#include "accounting/shuffled_response.h"

namespace mollify {

/// Both sides of the privacy-blanket bound
///     B(epsilon) = (1/n) E[(G_1 + ... + G_n)_+] >= delta(epsilon),
/// G_i independent: with Z = E0 + k - 1, E = e^epsilon and a rate s,
///     E0 - E     with probability s/Z,
///     1 - E0 E   with probability s/Z,
///     1 - E      with probability (k - 2) s/Z + 1 - s,
///     0          otherwise.
/// Theorem. The shuffled mechanism is (epsilon, B(epsilon))-DP under replacement: every report is
/// with probability k s/Z + 1 - s drawn without regard to its record, the hidden blanket [Balle et
/// al. 2019, Lemma 5.3]; a dropped record is one more public outcome.
///
/// `upper` is at least B and `lower` at most B; their difference is the slack of the arithmetic.
/// The upper bound takes E rounded down and E0 rounded up, because delta falls in epsilon and rises
/// in epsilon0 (less randomized reports can be randomized further). InvalidInput as `validate` and
/// for an epsilon that is negative or not finite. O(1), see mean_excess.h.
///
/// Where delta is compared with `interest` alone, see there.
[[nodiscard]] DeltaBounds privacy_blanket(const ShuffledResponse& response, double epsilon,
                                          double interest = 0);

}  // namespace mollify
