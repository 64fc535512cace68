// A model of a table, for drawing rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "domain/possible.h"
#include "methods/graphical/model.h"

namespace mollify {

/// Columns of a table that method marginals makes a model of at most.
inline constexpr std::size_t kMostColumnsOfATable = 400;

/// A partition of a column's cells: each cell's group, from 0 to count - 1, none empty.
struct CellGroups {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;

  friend bool operator==(const CellGroups&, const CellGroups&) = default;
};

/// A graphical model over groups of each column's cells, or these groups joined by a Gaussian
/// copula (methods/graphical/fit.h); and of each group how its cells share it: given their
/// groups, cells are independent. Made of private answers alone, so it can be handed on
/// and drawn from at no cost. Immutable.
class MarginalModel {
 public:
  struct ColumnModel {
    CellGroups groups;           ///< of the column's cells; its groups are the graph's values
    std::vector<double> shares;  ///< of each cell; positive in some cell of each group
    ColumnShapes shapes{};       ///< of some cells, how their values share them
  };

  /// Throws InvalidInput unless there is a column for each of the graph's, with a group for each of
  /// its values, none empty, all shares finite and none negative, and one of each group positive,
  /// and shapes are sound.
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

  /// The cells of a group that have a share, and the sums of these up to each of them.
  struct GroupCells {
    std::vector<std::uint32_t> cells;
    std::vector<double> sums;

    /// The cell at a uniform word's place.
    [[nodiscard]] std::uint32_t at(std::uint64_t word) const;
  };
  [[nodiscard]] const std::vector<GroupCells>& groups(std::size_t column) const noexcept {
    return cells_[column];
  }

 private:
  std::vector<ColumnModel> columns_;
  GraphicalModel graph_;
  std::vector<double> correlations_;
  std::vector<std::vector<GroupCells>> cells_;  // of each column's groups
};

/// The model with the shapes of its columns' cells, as its expected counts say (shapes_of). The mass
/// of no cell changes. `noise`: the standard deviation of the columns' counts.
[[nodiscard]] MarginalModel with_shapes(const MarginalModel& model, std::span<const Column> columns,
                                        double noise);

[[nodiscard]] nlohmann::ordered_json marginal_model_json(const MarginalModel& model);

/// Throws InvalidInput, in one sentence that begins with `name`, for anything else than
/// writes.
[[nodiscard]] MarginalModel marginal_model_from_json(const nlohmann::ordered_json& json,
                                                     const std::string& name);

/// kImpossible where a table says so; of groups without cells too. Tables of one clique are joined.
[[nodiscard]] std::vector<GraphicalModel::Potential> potentials_of(const PossibleRecords& possible,
                                                                   const CellLists& groups);

}  // namespace mollify
