// The certified upper bound of shuffled randomized response on m of n records.
#pragma once

#include "accounting/shuffled_response.h"

namespace mollify {

/// The E of m reports that amounts to e^epsilon = 1 + (m/n)(E - 1) for the subset, rounded so that
/// 1 + (m/n)(E - 1) is at most e^epsilon, or at least. At least 1.
double subset_odds_down(const ShuffledSubset& response, double epsilon);
double subset_odds_up(const ShuffledSubset& response, double epsilon);

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
/// Proof. Let x change to x'. Tell the observer more: which reports of other records hide nothing
/// (with probability 1 - k/Z a report is its record), and pool the others, uniform, with x's own
/// report. With x chosen the pool has 1 + Bin(m - 1, k/Z) reports, without it Bin(m, k/Z); given
/// its size the other reports are those of a uniform subset of the other records in both cases, so
/// they tell nothing. In units of the law C without x, the law A with x is (Z/m) sum P(y_i) over
/// the pool, and likewise B with x'; delta is E_C[(qA - E'qB - (E' - 1)(1 - q))_+], which is the
/// formula.
///
/// Refuses what `validate` refuses and an epsilon that is negative or not finite. O(1).
DeltaBounds subset_blanket(const ShuffledSubset& response, double epsilon, double interest = 0);

}  // namespace mollify
