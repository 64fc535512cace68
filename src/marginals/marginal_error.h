// How far noise puts a table's rows from it: told before any data.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "marginals/marginal_design.h"

namespace mollify {

/// Total variation over some marginals: its mean and that of the worst of them.
struct MarginalDistance {
  double mean = 0;
  double worst = 0;
};

/// What noise is expected to do to rows of family marginals, from public facts alone.
///
/// A column of k cells whose counts have noise of deviation s is off by
/// E|z| s sqrt(k (k - 1)) / (2 n) in total variation, because the counts' sum is known; E|z| is
/// sqrt(2/pi), or 1/sqrt(2) of Laplace noise. 1/s^2 is that of
/// the column's own measurements, and half of the sum of those of the tree's and the rounds',
/// shared among the columns: so much do later measurements tell of columns. Two columns i and j are
/// off by the root of 3/2 (t_i^2 + t_j^2): their columns' noise together, and half as much again
/// for the dependence that measured pairs make up. Both shares were found by releases of tables
/// whose columns are independent, and hold there to within a half
/// (tests/marginals/marginal_error.cpp). No distance is above 1.
///
/// Left out, because no public fact tells it: the dependence between columns that the model does
/// not hold. It comes on top.
struct MarginalError {
  MarginalDistance columns;
  MarginalDistance pairs;  ///< zero for one column
  /// A pair that is cut into `groups` by `groups` is worth measuring in a round only if the groups'
  /// dependence is above this total variation from independence: E|z| s groups^2 / (2 n), s the
  /// noise of a round.
  struct Seen {
    std::uint32_t groups;
    double distance;
  };
  std::vector<Seen> seen;  ///< none for one column, and of a copula

  /// Of pairs, or of the column where there is but one.
  [[nodiscard]] double expected() const { return pairs.mean > 0 ? pairs.mean : columns.mean; }
};

/// `records`: how many rows, or units, there are; where that is not public, how many are assumed.
/// At least 1. O(columns^2).
[[nodiscard]] MarginalError marginal_error(const MarginalDesign& design, std::uint64_t records);

/// The least number of records at which what is expected is half of what it is at `records`; none
/// up to 2^40.
[[nodiscard]] std::optional<std::uint64_t> records_to_halve(const MarginalDesign& design,
                                                            std::uint64_t records);

}  // namespace mollify
