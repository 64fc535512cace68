// How much privacy shuffling adds to k-ary randomized response, certified on both sides.
//
// Upper bounds are proved for every pair of neighbouring data sets, lower bounds are attained by
// one pair; both are rounded outward. No number here comes from a variation ratio, which
// under-reports for k > 2 (docs/theory/shuffle-accounting.md).
#pragma once

#include <cstdint>
#include <optional>

#include "accounting/shuffle_closed_form.h"
#include "accounting/shuffled_response.h"

namespace mollify {

/// The mechanism is (epsilon, upper)-DP and not (epsilon, delta)-DP for any delta < lower.
/// Milliseconds; tenths of a second for a sum of many terms with atoms near 0 (mean_excess.h).
[[nodiscard]] DeltaBounds shuffle_delta(const ShuffledResponse& response, double epsilon);

/// An epsilon, least but for 1e-9 of it, for which the mechanism is certainly (epsilon, delta)-DP;
/// at most epsilon0. Each inversion costs ten to thirty evaluations of delta: up to seconds.
[[nodiscard]] double shuffle_epsilon_up(const ShuffledResponse& response, double delta);
/// An epsilon for which it is certainly not (epsilon, delta)-DP; 0 if there is none.
[[nodiscard]] double shuffle_epsilon_down(const ShuffledResponse& response, double delta);

/// The greatest epsilon0, but for 1e-9 of it, certified for (epsilon, delta); at least epsilon and
/// at most kGreatestReportEpsilon. InvalidInput for epsilon not positive or above that.
[[nodiscard]] double shuffle_epsilon0_down(std::uint64_t records, std::uint64_t outcomes,
                                           double epsilon, double delta, double rate = 1.0);

/// The least number of records, up to 2^40, certified for (epsilon, delta) with reports of
/// epsilon0; none if there is none.
[[nodiscard]] std::optional<std::uint64_t> shuffle_records_up(std::uint64_t outcomes,
                                                              double epsilon0, double epsilon,
                                                              double delta, double rate = 1.0);

/// The same for m of n records without replacement (subset_blanket.h).
[[nodiscard]] DeltaBounds subset_delta(const ShuffledSubset& response, double epsilon);
[[nodiscard]] double subset_epsilon_up(const ShuffledSubset& response, double delta);
[[nodiscard]] double subset_epsilon_down(const ShuffledSubset& response, double delta);
[[nodiscard]] double subset_epsilon0_down(std::uint64_t records, std::uint64_t chosen,
                                          std::uint64_t outcomes, double epsilon, double delta);

}  // namespace mollify
