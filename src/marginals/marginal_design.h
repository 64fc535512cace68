// From a budget and public numbers to all parameters of a table's marginals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "kernel/noise/ratio.h"
#include "marginals/cell_groups.h"
#include "marginals/marginal_budget.h"

namespace mollify {

/// Everything public about a release by marginals.
struct MarginalRequest {
  std::vector<MarginalColumn> columns;  ///< 1 to 100, of 1 to 65 536 cells each
  Privacy budget;
  UnitWeight unit;
  /// n, of rows or units; none where it is protected.
  std::optional<std::uint64_t> records;
  /// Columns are joined by their rank correlations alone, and all of them have an order or two
  /// cells at most.
  bool copula = false;

  friend bool operator==(const MarginalRequest& a, const MarginalRequest& b) {
    return a.columns == b.columns && a.budget == b.budget && a.unit.weight == b.unit.weight &&
           a.unit.neighbours == b.unit.neighbours && a.records == b.records && a.copula == b.copula;
  }
};

/// How the budget's parts are split. Two designs of one request are equal, so a certificate can be
/// checked by designing anew.
///
/// Drawn are, of columns of private bins, where these lie (private_bins.h), each of four levels
/// with `cut_parts`; then (marginal_learner.h): every column, with `column_parts`, where that
/// leaves much noise once more (second_measurement.h); a tree of pairs, chosen with
/// `tree_choice_parts` an edge and measured with `tree_parts` in all; in rounds one more pair, with
/// `choice_parts` and `round_parts`, doubled where the outputs say that less noise is needed, until
/// nothing is left. Of a copula instead of tree and rounds the products of all pairs' rank scores,
/// of sizes up to `score_steps`, with `product_parts`.
///
/// Theorem (privacy). Each step is private by what it takes of the budget (marginal_budget.h), and
/// PartsLeft lets no sequence of them take more than all: so the whole keeps the guarantee, however
/// the parts are split, whatever is chosen and whoever chooses it. All else is made of outputs.
struct MarginalDesign {
  MarginalRequest request;
  std::uint32_t cut_parts = 0;  ///< for each level of each column of private bins
  std::uint32_t column_parts = 0;
  std::uint32_t tree_choice_parts = 0;
  std::uint32_t tree_parts = 0;
  std::uint32_t choice_parts = 0;
  std::uint32_t round_parts = 0;
  std::uint32_t product_parts = 0;
  std::uint64_t score_steps = 0;
  /// The greatest number of cells of the model's junction tree.
  std::uint64_t model_cells = 0;
  /// epsilon, rho or mu^2 of all parts, rounded down.
  double amount = 0;
  /// Of a column's counts: scale of the discrete Laplace if pure, else variance of the discrete
  /// Gaussian.
  Ratio column_noise;
  /// The standard deviation of a column's count, in records.
  double column_deviation = 0;
  Privacy guarantee;
  std::string why;  ///< for people

  /// Of all levels of all columns.
  [[nodiscard]] std::uint64_t all_cut_parts() const;
};

/// Throws InvalidInput, in one sentence, for a request outside the limits above, for pairs of
/// columns of more cells than can be counted (PairCounts::kMostCells), and for budgets as
/// MarginalBudget. `amount` as there; all else follows from it by operations that every machine
/// rounds alike.
[[nodiscard]] MarginalDesign design_marginals(const MarginalRequest& request,
                                              std::optional<double> amount = std::nullopt);

/// Throws InvalidInput unless the numbers of the design, wherever it comes from, keep its
/// guarantee.
void check_marginal_design(const MarginalDesign& design);

}  // namespace mollify
