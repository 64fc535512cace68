// The certified upper bound of shuffled randomized response on m of n records.
#pragma once

#include "accounting/shuffled_response.h"

namespace mollify {

/// The E of m reports that amounts to e^epsilon = 1 + (m/n)(E - 1) for the subset, rounded so that
/// 1 + (m/n)(E - 1) is at most e^epsilon, or at least. At least 1.
[[nodiscard]] double subset_odds_down(const ShuffledSubset& response, double epsilon);
[[nodiscard]] double subset_odds_up(const ShuffledSubset& response, double epsilon);

/// Both sides of a delta for which m of n records through k-ary randomized response, shuffled, are
/// (epsilon, delta)-DP: the smaller one of two bounds. `upper` is certified, `upper - lower` the
/// slack of the arithmetic. q = m/n, e^epsilon = E' = 1 + q(E - 1).
///
/// Subsampling of anything: q times the delta of m shuffled reports at ln E [Balle et al. 2018,
/// Theorem 9, for replacement].
///
/// Jointly (derived for this project): (1/n) E[(G_1 + ... + G_m)_+], G_i independent: with Z = E0 +
/// k - 1,
///     E0 - E                                      with probability 1/Z,
///     1 - E'E0 - (1 - q)(E - 1)                   with probability 1/Z,
///     1 - E                                       with probability (k - 2)/Z,
///     -(1 - q)(E - 1)                             otherwise.
/// Proof: docs/theory/shuffle-accounting.md.
///
/// Refuses what `validate` refuses and an epsilon that is negative or not finite. O(1).
[[nodiscard]] DeltaBounds subset_blanket(const ShuffledSubset& response, double epsilon,
                                         double interest = 0);

}  // namespace mollify
