// From measured columns to a model of them and their pairs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "methods/graphical/fit.h"
#include "methods/graphical/model.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/noisy_answers.h"

namespace mollify {

/// No column has more values in a model.
inline constexpr std::uint32_t kMostGroups = 256;
/// Rules leave the rest of the model's cells to pairs that are measured.
inline constexpr std::uint64_t kRulesShareOfCells = 4;
/// The numbers of groups that columns may be cut into for a pair.
inline constexpr std::array<std::uint32_t, 9> kResolutions = {2,  3,  4,  6,          9,
                                                              14, 22, 36, kMostGroups};

/// The groups of groups.
[[nodiscard]] CellGroups composed(const CellGroups& inner, const CellGroups& outer);

/// How a column's cells are counted for questions: each by itself if they are few. Then a value is
/// counted without the rare values that the model joins with it.
struct AskedCells {
  CellGroups cells{};                  ///< of the column's cells
  CellGroups values{};                 ///< of the model's values, for the fit
  std::vector<std::uint32_t> value{};  ///< of each group of `cells`, its group of `values`
};
/// Of a column's values, `merged` of its cells, with these counts.
[[nodiscard]] AskedCells asked_cells(const CellGroups& merged, std::span<const double> counts,
                                     bool ordered);

/// How many cells a question's columns have together, each counted as it is asked about.
[[nodiscard]] std::uint64_t cells_of_question(std::span<const std::size_t> columns,
                                              std::span<const AskedCells> asked);

/// The values that a model has in each column, and all facts about them once columns are measured.
/// Made of answers alone.
struct ColumnValues {
  double total;                                 ///< in weights
  std::vector<CellGroups> merged;               ///< of cells: the model's values
  std::vector<bool> ordered;                    ///< of the columns
  ColumnSizes sizes;                            ///< how many values
  std::vector<std::vector<double>> expected;    ///< of values, in weights
  std::vector<std::vector<CellGroups>> levels;  ///< of values, by resolution
  std::vector<AskedCells> asked;                ///< of columns that questions are about
  std::vector<NoisyMarginal> measured;
  std::vector<Clique> cliques;         ///< pairs and larger sets that the model has already
  std::optional<GraphicalModel> base;  ///< of public records, and of possible records
  double least_shrinkage = 0;          ///< towards the base
  bool has_rules = false;
};

/// Asks for a tree of pairs, then for pairs in rounds (learn_marginals), and fits a model of all
/// answers. A copula and a single column ask for nothing more.
[[nodiscard]] GraphicalModel learn_pairs(const MarginalDesign& design, MarginalAnswers& answers,
                                         ColumnValues values);

}  // namespace mollify
