// What releases cost together, what one notion is worth in another, and what shuffling adds.
//
// Every bound is rounded to the safe side. Parameters out of range throw InvalidInput.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mollify/namespace.h"
#include "mollify/privacy.h"

namespace MOLLIFY_NAMESPACE {

/// What all releases, made from the same data, promise together: the sum of epsilon and delta, or
/// of rho, where a pure release counts epsilon^2/2 and a Gaussian one mu^2/2. An approximate one
/// beside one in rho or mu has no sum: InvalidInput.
[[nodiscard]] Privacy composed_up(std::span<const Privacy> releases);

/// What a promise against adding or removing one record (neighbours add-remove) is worth against
/// replacing it, which is to remove one and to add another; what a ledger is charged.
[[nodiscard]] Privacy replacing_up(const Privacy& add_remove);

/// A total epsilon for `releases` releases at `epsilon` each that are allowed a total `delta`: by
/// optimal composition [Kairouz et al. 2015], least but for rounding, and never above the
/// sum. `epsilon` up to 700, up to 2^20 releases, delta from 0 to 1. O(60 releases).
[[nodiscard]] double composed_epsilon_up(double epsilon, std::uint64_t releases, double delta);

/// The greatest epsilon of each of `releases` releases that together keep the total by the sum.
[[nodiscard]] double epsilon_per_release_down(double total, std::uint64_t releases);

/// The release as (epsilon, delta)-DP at this epsilon: the least delta that is proved for it (zCDP:
/// Canonne et al. 2020, Corollary 13; Gaussian-DP: its exact curve).
[[nodiscard]] double delta_up(const Privacy& release, double epsilon);
/// The same at this delta: the least epsilon, infinite where there is none.
[[nodiscard]] double epsilon_up(const Privacy& release, double delta);
/// The rho of a pure, concentrated or Gaussian release. An approximate one has none: InvalidInput.
[[nodiscard]] double rho_up(const Privacy& release);

/// An epsilon for which `steps` steps of Gaussian noise are certainly (epsilon, delta)-DP together.
/// Each step chooses every record with probability `rate` and adds noise of `deviation` times what
/// one record contributes at most [Mironov et al. 2019]; infinite where none is found. Rate and
/// delta are in (0, 1).
[[nodiscard]] double sampled_gaussian_epsilon_up(double rate, double deviation, std::uint64_t steps,
                                                 double delta);

/// What the promise of one draw means if its epsilon is 10 or more: the odds that it allows, and
/// above 30 that a draw counts no more. A sentence each, none for less. Rho and mu are explained by
/// their epsilon at a delta of 1e-6. A PreparedRelease reports the same of all its draws
/// (mollify/release.h).
[[nodiscard]] std::vector<std::string> epsilon_warnings(const Privacy& draw);

/// Reports of `records` people, each through randomized response over `outcomes` outcomes at
/// epsilon0, each kept with probability `rate`, in random order. To 2^40 records and 2^24 outcomes.
struct ShuffledReports {
  std::uint64_t records = 0;
  std::uint64_t outcomes = 0;
  double epsilon0 = 0;
  double rate = 1;
};

/// A delta for which they are certainly (epsilon, delta)-DP. Mostly milliseconds.
[[nodiscard]] double shuffled_delta_up(const ShuffledReports& reports, double epsilon);
/// An epsilon for which they certainly are, least but for 1e-9 of it; at most epsilon0.
/// Up to some seconds where epsilon0 and the number of outcomes are large.
[[nodiscard]] double shuffled_epsilon_up(const ShuffledReports& reports, double delta);
/// The greatest epsilon0, but for 1e-9 of it, with which they certainly are.
[[nodiscard]] double shuffled_epsilon0_down(std::uint64_t records, std::uint64_t outcomes,
                                            double epsilon, double delta, double rate = 1);

}  // namespace MOLLIFY_NAMESPACE
