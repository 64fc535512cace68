// From answers to a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "methods/graphical/model.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/noisy_answers.h"

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
/// Requires counted records. O(columns^2 cells + columns^5).
[[nodiscard]] GraphicalModel public_model(const PairCounts& counts,
                                          const std::vector<CellGroups>& groups,
                                          const std::vector<bool>& ordered,
                                          std::uint64_t most_cells, double worth);

/// How many records of the table's own law public records are worth, by how far noisy answers are
/// from them: lambda records of shares q have shares of variance q (1 - q) / lambda, and so far
/// apart are table and public records except for the noise. At most as many as there are.
class PublicWorth {
 public:
  explicit PublicWorth(double records) : records_(records) {}

  /// Answers about cells with shares q in public records: noisy shares of the table, with noise of
  /// this standard deviation each. Answers that are no numbers tell nothing.
  void see(std::span<const double> q, std::span<const double> shares, double deviation);

  [[nodiscard]] double records() const;

 private:
  double records_;
  double expected_ = 0;  // the sum of q (1 - q)
  double seen_ = 0;      // the sum of squares of the differences, less the noise's
};

// -----------------------------------------------------------------------------------------------
// A released model of a table, for drawing rows.

/// A graphical model over groups of each column's cells, or these groups joined by a Gaussian
/// copula (methods/graphical/fit.h); and of each group how its cells share it: given their
/// groups, cells are independent. Made of private answers alone, so it can be handed on
/// and drawn from at no cost. Immutable.
class MarginalModel {
 public:
  struct ColumnModel {
    CellGroups groups;           ///< of the column's cells; its groups are the graph's values
    std::vector<double> shares;  ///< of each cell, positive
  };

  /// Throws InvalidInput unless there is a column for each of the graph's, with a group for each of
  /// its values, none empty, all shares positive and finite.
  ///
  /// `correlations`: of a copula, d x d, row-major; then the graph says what single columns are.
  /// They must be a correlation matrix.
  MarginalModel(std::vector<ColumnModel> columns, GraphicalModel graph,
                std::vector<double> correlations = {});

  [[nodiscard]] const std::vector<ColumnModel>& columns() const noexcept { return columns_; }
  [[nodiscard]] const GraphicalModel& graph() const noexcept { return graph_; }
  /// Empty except for a copula.
  [[nodiscard]] const std::vector<double>& correlations() const noexcept { return correlations_; }

  /// Rows in cells, drawn under the model's law given the cells in `given`. Throws InvalidInput for
  /// columns or cells that there are not, a column given twice, and anything that is given of a
  /// copula.
  [[nodiscard]] ModelRows rows(std::size_t count, const RandomWords& words,
                               const std::vector<Evidence>& given = {}) const;

 private:
  std::vector<ColumnModel> columns_;
  GraphicalModel graph_;
  std::vector<double> correlations_;
  std::vector<std::vector<std::vector<std::uint32_t>>> cells_;  // of each column's groups
};

[[nodiscard]] nlohmann::ordered_json marginal_model_json(const MarginalModel& model);

/// Throws InvalidInput, in one sentence that begins with `name`, for anything else than
/// writes.
[[nodiscard]] MarginalModel marginal_model_from_json(const nlohmann::ordered_json& json,
                                                     const std::string& name);

// -----------------------------------------------------------------------------------------------
// From private answers to a model of a table: the questions, and the model made of the answers.

/// Learns a model: select, measure, generate [McKenna et al. 2021, MST; 2022, AIM].
///
/// 1. Every column is measured. Cells whose noisy counts do not exceed the noise are merged
///    (merge_rare).
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
/// A pair may be chosen as it is, or with its columns cut into few groups of about equal counts:
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
[[nodiscard]] MarginalModel learn_marginals(const MarginalDesign& design, MarginalAnswers& answers,
                                            const PairCounts* reference = nullptr);

/// The design for columns whose private bins have been found, with this many cells.
[[nodiscard]] MarginalDesign with_bins(MarginalDesign design, const std::vector<CellGroups>& bins);

/// The model over the bins' cells that one over bins is: inside a bin their shares are the public
/// records', `reference` of each cell of each column, and one more that is spread evenly.
[[nodiscard]] MarginalModel without_bins(const MarginalModel& model,
                                         const std::vector<CellGroups>& bins,
                                         const std::vector<std::vector<double>>& reference);

}  // namespace mollify
