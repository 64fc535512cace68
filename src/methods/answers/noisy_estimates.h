// Unbiased estimates of a table's counts, from noisy counts with known noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "methods/graphical/measurements.h"

namespace mollify {

/// The standard normal's quantile that 97.5 of 100 draws are below.
inline constexpr double kNormal975 = 1.959963984540054;

// -----------------------------------------------------------------------------------------------
// A sum of noisy counts, each with a weight.

/// A weighted sum of noisy counts, plus a constant. Its error is noise alone, which has mean zero
/// and the variance that the measurements state; two of them add up with the noise that they share.
class NoisySum {
 public:
  NoisySum() = default;
  explicit NoisySum(double constant) : constant_(constant) {}

  /// The weights of the counts of a table of the measurements, which has `cells` of them.
  [[nodiscard]] std::vector<double>& weights_of(std::size_t table, std::size_t cells);
  /// Adds `weight` times the sum of all counts of a table.
  void add_all(std::size_t table, double weight) { all_[table] += weight; }
  /// Adds `times` the other sum.
  void add(const NoisySum& other, double times = 1);
  void add_constant(double constant) { constant_ += constant; }

  [[nodiscard]] double value(const Measurements& measurements) const;
  /// Of its noise.
  [[nodiscard]] double variance(const Measurements& measurements) const;

 private:
  double constant_ = 0;
  std::map<std::size_t, std::vector<double>> weights_;  // of each table's counts
  std::map<std::size_t, double> all_;                   // and of all counts of a table alike
};

// -----------------------------------------------------------------------------------------------
// Some columns together.

/// Values of a column that a question tells apart.
struct AskedColumn {
  std::size_t column = 0;
  CellGroups groups{};  ///< of the column's cells

  friend bool operator==(const AskedColumn&, const AskedColumn&) = default;
};

/// The finest groups that both partitions are finer than, or as fine as: two cells that are
/// together in one of them are together. Groups are in the order of their first cells.
[[nodiscard]] CellGroups common_coarsening(const CellGroups& one, const CellGroups& other);

/// Whether each group of `fine` lies in one of `coarse`.
[[nodiscard]] bool is_refinement(const CellGroups& fine, const CellGroups& coarse);

/// The columns with their values put together as far as the measured table that tells most of them
/// apart does; none if no table has all of them. Columns ascend.
[[nodiscard]] std::optional<std::vector<AskedColumn>> told_apart(
    const Measurements& measurements, const std::vector<AskedColumn>& asked);

/// How many rows have each combination of some columns' asked values, in rows or in declared
/// weight: the best linear unbiased estimate, by generalised least squares over all measured tables
/// with some of the columns whose groups refine the asked ones, and over the number of all rows.
///
/// A table of more columns counts by its sums over the others, with the variances of these.
/// Unbiased whatever the true counts are: estimates may be negative. Tables whose groups do not
/// refine the asked ones are not used, and where the number of rows is public, tables without an
/// asked column say nothing. O(their cells) and some steps of conjugate gradients, each O(cells
/// 2^columns).
class JointEstimate {
 public:
  /// Requires columns that told_apart gives, ascending; the measurements must outlive it.
  JointEstimate(const Measurements& measurements, std::vector<AskedColumn> asked);

  [[nodiscard]] const std::vector<AskedColumn>& asked() const noexcept { return asked_; }
  /// Row-major, the last column fastest.
  [[nodiscard]] const std::vector<double>& counts() const noexcept { return counts_; }
  /// The sum over the cells of weight times count, with its noise. Requires a weight for each cell.
  [[nodiscard]] NoisySum sum(std::span<const double> weights) const;

 private:
  /// Counts of some of the columns together, over their asked values, joined from all tables.
  struct Margin {
    std::vector<std::size_t> of_cell{};  ///< the place of each cell of the whole
    std::vector<double> precisions{};
    std::vector<double> counts{};
    /// A used table: the place that each of its counts is added to, and the precisions of the sums.
    struct Part {
      std::size_t table;
      std::vector<std::uint32_t> place;  ///< empty if all counts are added up
      std::vector<double> precisions;
    };
    std::vector<Part> parts{};
  };

  [[nodiscard]] Margin& margin_of(const std::vector<std::size_t>& have);
  void add_table(std::size_t at);
  void finish();
  /// (A' W A)^-1 of these numbers, among numbers that sum to 0 if the number of rows is public.
  [[nodiscard]] std::vector<double> solve(std::span<const double> numbers) const;
  [[nodiscard]] std::vector<double> normal(std::span<const double> x) const;

  const Measurements& measurements_;
  std::vector<AskedColumn> asked_;
  std::size_t cells_ = 1;
  std::map<std::vector<std::size_t>, Margin> margins_;  // by places in asked_
  /// Where the number of rows is public, its even share in each cell, in steps: estimates are this
  /// and numbers that sum to 0.
  std::optional<double> even_;
  std::vector<double> counts_;
};

}  // namespace mollify
