// A mechanism to shuffle.
#pragma once

#include <cstdint>
#include <optional>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What is shuffled: k-ary randomized response of n records, all of them or a random part.

/// Every record goes through k-ary randomized response, which reports a value of {0, ..., k - 1} as
/// itself with probability E0/(E0 + k - 1), E0 = e^epsilon0, and as each other one with probability
/// 1/(E0 + k - 1); the reports are shuffled and all released. With a rate below 1 each record is
/// first kept with that probability (joint Poisson subsampling) and the others leave no report.
struct ShuffledResponse {
  std::uint64_t records;   ///< n, public, from 1 to 2^40
  std::uint64_t outcomes;  ///< k, from 1 to 2^24
  double epsilon0;         ///< of one report, positive and at most 100
  double rate = 1.0;       ///< above 0 and at most 1
};

/// The bound for m of n records, chosen uniformly without replacement.
struct ShuffledSubset {
  std::uint64_t records;   ///< n, public
  std::uint64_t chosen;    ///< m, from 1 to n
  std::uint64_t outcomes;  ///< k
  double epsilon0;
};

/// Two sides of the least delta of a mechanism at an epsilon.
struct DeltaBounds {
  double lower;
  double upper;
};

/// The greatest number of records, and the greatest epsilon0 of a report, that the accounting
/// takes.
inline constexpr std::uint64_t kMostRecords = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMostReportOutcomes = std::uint64_t{1} << 24;
inline constexpr double kGreatestReportEpsilon = 100.0;

/// InvalidInput unless everything is in range; the accounting's functions call it.
void validate(const ShuffledResponse& response);
void validate(const ShuffledSubset& response);
/// InvalidInput unless epsilon is finite and not negative.
void require_total_epsilon(double epsilon);
/// InvalidInput unless delta is above 0 and below 1.
void require_total_delta(double delta);

// -----------------------------------------------------------------------------------------------
// The certified upper bound of shuffled randomized response.

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
/// for an epsilon that is negative or not finite. O(1), see accounting/excess.h.
///
/// If delta is only compared with `interest`, see there.
[[nodiscard]] DeltaBounds privacy_blanket(const ShuffledResponse& response, double epsilon,
                                          double interest = 0, bool only_decides = false);

// -----------------------------------------------------------------------------------------------
// The certified upper bound of shuffled randomized response on m of n records.

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
                                         double interest = 0, bool only_decides = false);

// -----------------------------------------------------------------------------------------------
// The papers' closed form for shuffled randomized response, inside its regime only.

/// Rounded up and at most epsilon0 [Feldman et al. 2021; Cheu, Nayak 2024, Lemma 12],
///
///     ln(1 + (E0 - 1)(4 sqrt(2 (k + 1) ln(4/delta)) / sqrt((E0 + k - 1) k n) + 4 (k + 1)/(k n))).
///
/// None outside the regime epsilon0 <= ln(n/(16 ln(4/delta))) in which it is proved.
/// InvalidInput as `validate`, and for delta not above 0 and below 1. O(1).
[[nodiscard]] std::optional<double> shuffle_closed_form_epsilon(std::uint64_t records,
                                                                std::uint64_t outcomes,
                                                                double epsilon0, double delta);

// -----------------------------------------------------------------------------------------------
// How much privacy shuffling adds to k-ary randomized response, certified on both sides.
//
// Upper bounds are proved for every pair of neighbouring data sets, lower bounds are attained by
// one pair; both are rounded outward. No number here comes from a variation ratio, which
// under-reports for k > 2 (docs/theory/shuffle-accounting.md).

/// The mechanism is (epsilon, upper)-DP and not (epsilon, delta)-DP for any delta < lower.
/// Milliseconds; tenths of a second for a sum of many terms with atoms near 0
/// (accounting/excess.h).
[[nodiscard]] DeltaBounds shuffle_delta(const ShuffledResponse& response, double epsilon);

/// An epsilon, least to 1e-9 of it, for which the mechanism is certainly (epsilon, delta)-DP; at
/// most epsilon0. Each inversion costs ten to thirty evaluations of delta: up to seconds.
[[nodiscard]] double shuffle_epsilon_up(const ShuffledResponse& response, double delta);
/// An epsilon for which it is certainly not (epsilon, delta)-DP; 0 if there is none.
[[nodiscard]] double shuffle_epsilon_down(const ShuffledResponse& response, double delta);

/// The greatest epsilon0, except for 1e-9 of it, certified for (epsilon, delta); at least epsilon
/// and at most kGreatestReportEpsilon. InvalidInput for epsilon not positive or above that.
[[nodiscard]] double shuffle_epsilon0_down(std::uint64_t records, std::uint64_t outcomes,
                                           double epsilon, double delta, double rate = 1.0);

/// The least number of records, up to 2^40, certified for (epsilon, delta) with reports of
/// epsilon0; none if there is none.
[[nodiscard]] std::optional<std::uint64_t> shuffle_records_up(std::uint64_t outcomes,
                                                              double epsilon0, double epsilon,
                                                              double delta, double rate = 1.0);

/// The same for m of n records without replacement.
[[nodiscard]] DeltaBounds subset_delta(const ShuffledSubset& response, double epsilon);
[[nodiscard]] double subset_epsilon_up(const ShuffledSubset& response, double delta);
[[nodiscard]] double subset_epsilon_down(const ShuffledSubset& response, double delta);
[[nodiscard]] double subset_epsilon0_down(std::uint64_t records, std::uint64_t chosen,
                                          std::uint64_t outcomes, double epsilon, double delta);

// -----------------------------------------------------------------------------------------------
// What two data sets really attain under shuffled randomized response.

/// A number that the delta of some pair of neighbouring data sets is at least, rounded down: no
/// claim below it can be true.
///
/// All records but one are c, and the remaining one changes from x to x'. The reports' counts h
/// then have, in units of their law for n records c, Multinomial(n, w) with w the row of c, the
/// likelihood (1/n) sum_y h_y P_y/w_y, so that delta is (1/n) E[(sum_y h_y (P_y - E Q_y)/w_y)_+]
/// exactly: again the mean excess of a sum of n independent terms. The larger one of c = x' and,
/// for k >= 3, c neither x nor x' is returned. Same refusals, cost and `interest` as
/// privacy_blanket.
[[nodiscard]] double attained_delta_down(const ShuffledResponse& response, double epsilon,
                                         double interest = 0);

/// The same for m of n records: with q = m/n a data set's law is q times that of m reports with x
/// among them plus 1 - q times that of m records c, and
/// delta = (q/m) E[(sum_y h_y ((P_y - E' Q_y)/w_y - (1 - q)(E - 1)))_+] for e^epsilon = E' = 1 +
/// q(E - 1), h ~ Multinomial(m, w).
[[nodiscard]] double subset_attained_delta_down(const ShuffledSubset& response, double epsilon,
                                                double interest = 0);

}  // namespace mollify
