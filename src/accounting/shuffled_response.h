// What is shuffled: k-ary randomized response of n records, all of them or a random part.
#pragma once

#include <cstdint>

namespace mollify {

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

/// The same for m of n records, chosen uniformly without replacement.
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
inline constexpr double kGreatestReportEpsilon = 100.0;

/// InvalidInput unless everything is in range; the accounting's functions call it.
void validate(const ShuffledResponse& response);
void validate(const ShuffledSubset& response);
/// InvalidInput unless epsilon is finite and not negative.
void require_total_epsilon(double epsilon);
/// InvalidInput unless delta is above 0 and below 1.
void require_total_delta(double delta);

}  // namespace mollify
