// How far rows are expected to be from their table: told before any data.
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

/// How far rows of family marginals are expected to be from the table, from public facts alone.
///
/// A column of k cells whose counts have noise of deviation s is off by
/// E|z| s sqrt(k (k - 1)) / (2 n) in total variation, because the counts' sum is known; E|z| is
/// sqrt(2/pi), or 1/sqrt(2) of Laplace noise. 1/s^2 is that of
/// the column's own measurements, and half of the sum of those of the tree's and the rounds',
/// shared among the columns: so much do later measurements tell of columns. A measured pair of g by
/// g groups is off by E|z| s g^2 / (2 n), s the deviation of its own counts. No distance is
/// above 1.
///
/// Two columns together are off by more than noise, because pairs that are worth less than their
/// noise are not measured, and because a model holds some pairs only. No public fact says by how
/// much. So `usual` is an upper end that held in releases of tables of twelve kinds, at epsilon .1
/// to 5 (docs/measured/marginals.md), but not of tables in which one column determines all others:
/// there `at_worst` held, too. Other tables can be further off. Both are means over pairs of the
/// root of four terms, so that two columns are off by no less than each of them:
///
/// - the squares of the noise of both columns;
/// - Margin::noise^2 times the noise of a pair in Margin::groups groups of each column, or fewer
///   where a column has fewer: not its square, because the more noise there is the fewer pairs are
///   worth it;
/// - kOfModel^2, because a model leaves something out at any budget;
/// - kOfChance^2 k l / n of k by l cells: n rows stray from even cells by .4 sqrt(k l / n), and a
///   model does not keep what chance did to rare cells.
///
/// They are of as many rows as the table has: fewer rows stray more from the model. Of a copula
/// only `usual` is found, on tables of two kinds: the root of the squares of 1.5 times the noise of
/// its columns and products, and of kOfCopula.
struct MarginalError {
  MarginalDistance columns;
  double usual = 0;     ///< on average over pairs; zero for one column
  double at_worst = 0;  ///< on average over pairs; zero for one column, and of a copula
  /// The noise of a pair that a round measures in `groups` by `groups`. Its groups' dependence is
  /// worth the noise only above this total variation from independence.
  struct Seen {
    std::uint32_t groups;
    double distance;
  };
  std::vector<Seen> seen;  ///< none for one column, and of a copula

  /// Of pairs, or of the column where there is but one.
  [[nodiscard]] double expected() const { return usual > 0 ? usual : columns.mean; }
};

/// `records`: how many rows, or units, there are; where that is not public, how many are assumed.
/// At least 1. O(columns^2).
[[nodiscard]] MarginalError marginal_error(const MarginalDesign& design, std::uint64_t records);

/// The noise in records, where their number is not public: `columns` and `seen` times any number of
/// records that is so large that no distance is 1.
[[nodiscard]] MarginalError noise_in_records(const MarginalDesign& design);

/// Half of the mean sum of the noise of so many counts of that deviation, which is in weights: how
/// far the noisy counts of a table are from its counts, in records.
[[nodiscard]] double counts_noise(const MarginalDesign& design, double deviation, double cells);

/// The least number of records at which noise of columns is half of what it is at `records`; none
/// up to 2^40.
[[nodiscard]] std::optional<std::uint64_t> records_to_halve(const MarginalDesign& design,
                                                            std::uint64_t records);

}  // namespace mollify
