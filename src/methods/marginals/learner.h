// From answers to a model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "domain/densities.h"
#include "domain/possible.h"
#include "methods/graphical/table_model.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/noisy_answers.h"
#include "methods/marginals/private_bins.h"
#include "records/pair_counts.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A model of public records, that one of private answers begins at.

/// How many records are counted: the sum of the first column's cells.
[[nodiscard]] double counted_records(const PairCounts& counts);

/// The model of greatest entropy, shrunk (methods/graphical/fit.h), of the counts of all columns
/// and of those pairs whose mutual information stands out from that of independent columns by twice
/// what chance gives: most first, the tree of them [Chow, Liu 1968] before all others, each as long
/// as the junction tree has at most `most_cells` cells. Its values are `groups` of the counted
/// cells; `ordered` as in FitOptions. It is shrunk as if one uniform record were added to `worth`
/// of the records (PublicWorth), so that public records unlike the table make nothing impossible.
/// `cliques` of others count as cells of the tree. Requires counted records. O(columns^2 cells +
/// columns^5).
[[nodiscard]] GraphicalModel public_model(const PairCounts& counts,
                                          const std::vector<CellGroups>& groups,
                                          const std::vector<bool>& ordered,
                                          std::uint64_t most_cells, double worth,
                                          std::vector<Clique> cliques = {});

/// How many records of the table's own law public records are worth, by how far noisy answers are
/// from them: lambda records of shares q have shares of variance q (1 - q) / lambda, and so far
/// apart are table and public records except for the noise. At most as many as there are.
class PublicWorth {
 public:
  explicit PublicWorth(double records) : records_(records) {}

  /// Answers about cells with shares q in public records: noisy shares of the table, with noise of
  /// this standard deviation each. Answers that are no numbers tell nothing.
  void see(std::span<const double> q, std::span<const double> shares, double deviation);

  [[nodiscard]] double records() const {
    return seen_ * records_ > expected_ ? expected_ / seen_ : records_;
  }

 private:
  double records_;
  double expected_ = 0;  // the sum of q (1 - q)
  double seen_ = 0;      // the sum of squares of the differences, less the noise's
};

// -----------------------------------------------------------------------------------------------
// What a domain's rules say of the cells of a design.

/// Rules of a domain whose cells are put together in bins, each bin of one class.
struct RulesOfCells {
  const PossibleRecords& possible;
  std::vector<CellGroups> bins;  ///< of each column

  /// The class of each of a column's bins; empty for a column that no rule names.
  [[nodiscard]] std::vector<std::uint32_t> classes(std::size_t column) const;
  /// At most how many groups each column may have, so that the tables of possible groups are small:
  /// their junction tree has at most `cells` cells, if classes allow that.
  [[nodiscard]] ColumnSizes most_groups(const ColumnSizes& sizes, std::uint64_t cells) const;
  /// What cannot occur: kImpossible, else 0. `groups` are of bins.
  [[nodiscard]] std::vector<GraphicalModel::Potential> potentials(
      const std::vector<CellGroups>& groups) const;
};

/// Throws InvalidInput if the tables of possible groups could make a tree of more than half of the model's cells,
/// however noise puts the cells of these columns together.
void require_few_combinations(const PossibleRecords& possible,
                              std::span<const MarginalColumn> columns);

// -----------------------------------------------------------------------------------------------
// From private answers to a model of a table: the questions, and the model made of the answers.

/// Learns a model: select, measure, generate [McKenna et al. 2021, MST; 2022, AIM].
///
/// 1. Every column is measured. Cells whose noisy counts do not exceed the noise are merged
///    (merge_rare). Doubtful ones among them (MarginalColumn) get no rows, so that noise alone puts
///    at most kRowsOfNoise of all rows there.
/// 2. A tree of pairs: edge after edge joins two parts of the table, chosen by how far the pair is
///    from independent columns; then all are measured, with more of the budget for tables of more
///    cells.
/// 3. Rounds: the model is fitted, one more pair, or a column once more, is chosen by how far the
///    table is from the model, and measured, while the model's junction tree stays below a public
///    size. If a measurement changed no more than its noise would, the next ones spend double.
///
/// Of a copula, instead of 2 and 3, the products of all pairs' rank scores are measured, and the
/// model is columns joined by a Gaussian copula that gives these products.
///
/// A pair may be chosen as it is, or with its columns cut into few groups (coarsen, alike_cells):
/// its noise counts against it, so that fine tables are taken where the data are many for the
/// budget and coarse ones where they are few.
///
/// Sees the data through `answers` alone, so nothing in here can cost privacy; neither the time
/// that it takes nor its result depends on anything else. Spends the budget whole, except for what
/// no pair can be measured with.
///
/// `reference`: counts of public records in the design's cells, or none. Then the model is shrunk
/// towards the public records' model instead of uniform columns, by as many
/// records as they are worth (PublicWorth), and the tree's pairs are chosen by how far the table is
/// from that.
///
/// `rules`: a domain's rules about the design's cells, or none. Then cells of a group are of one
/// class, and what cannot occur has probability 0 from the beginning: the model is shrunk towards
/// what can, and noisy counts of what cannot are 0. Answers alone decide all else, as before.
///
/// `axes`: where numbers of the design's cells lie, of each column, or none. Then a column's counts
/// are those that all of them make likely (smooth_density), without public records.
[[nodiscard]] MarginalModel learn_marginals(const MarginalDesign& design, MarginalAnswers& answers,
                                            const PairCounts* reference = nullptr,
                                            const RulesOfCells* rules = nullptr,
                                            const std::vector<ColumnAxis>* axes = nullptr);

/// The design for columns whose private bins have been found, with this many cells.
[[nodiscard]] MarginalDesign with_bins(MarginalDesign design, const std::vector<FoundBins>& bins);

/// The model over the bins' cells that one over bins is, by shares_inside of each column;
/// `reference`: how many public records each cell of each column has.
[[nodiscard]] MarginalModel without_bins(const MarginalModel& model,
                                         const std::vector<FoundBins>& bins,
                                         const std::vector<std::vector<double>>& reference);

}  // namespace mollify
