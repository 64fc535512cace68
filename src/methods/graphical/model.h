// A model of many columns, and rows from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "methods/graphical/junction_tree.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Integers that represent masses.

/// counts[i] = the expected number count * masses[i] / sum of masses, rounded up or down, by
/// systematic sampling [Tillé 2006, 7.2]: whole numbers are counted along the sums of the expected
/// ones, from a start u in [0, 1). They sum to `count`, and have the expected numbers as means if u
/// is uniform. Requires masses of at least zero that do not all vanish, and a count for each.
inline void round_systematically(std::span<const double> masses, std::size_t count, double u,
                                 std::vector<std::size_t>& counts) {
  double sum = 0;
  for (const double mass : masses) sum += mass;
  double before = 0;
  std::size_t given = 0;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    before += masses[i];  // in the end the sum itself, to the last bit
    const double place = u + static_cast<double>(count) * (before / sum);
    // u close to 1 is rounded to it with a great count.
    const std::size_t next = std::min(count, static_cast<std::size_t>(std::floor(place)));
    counts[i] = next - given;
    given = next;
  }
}

// -----------------------------------------------------------------------------------------------
// A distribution over a table of many columns, as a product of potentials over small cliques.

/// A source of independent uniform words. Rows of a model are public, or made of public parts: any
/// source will do.
using RandomWords = std::function<std::uint64_t()>;

/// Rows by columns: rows[c][i] is the value of column c in row i.
using ModelRows = std::vector<std::vector<std::uint32_t>>;

/// How rows represent a model.
enum class RowSampling {
  kIndependent,  ///< each row a draw of its own
  /// Along the tree the counts of each conditional are those expected, rounded up or down, so that
  /// the rows' marginals on the tree's nodes are nearer to the model's than independent rows'. Each
  /// row by itself still has the model's law.
  kRounded,
  /// Rounded, then changed until all pairs of columns, in the tree or not, have nearly the counts
  /// that the model expects (methods/graphical/model.h): the nearest to
  /// the model that rows can be. Of fewer rows than kLeastMatched and more than kMostMatched
  /// the same as kRounded.
  kMatched,
};

/// Of a cell that cannot occur: its exponential is zero, beside any other potential.
inline constexpr double kImpossible = -1e6;

/// A fixed value of a column.
struct Evidence {
  std::size_t column;
  std::uint32_t value;
};

/// A log-linear model: p(x) proportional to exp(sum over m of theta_m(x_m)), each potential theta_m
/// a table over a clique of columns, with the marginals of all nodes of the junction tree of these
/// cliques at hand. Everything is a function of sizes and potentials alone.
class GraphicalModel {
 public:
  struct Potential {
    Clique clique;
    std::vector<double> values;  ///< row-major, at most kGreatestPotential off zero
  };
  struct Marginal {
    Clique clique;
    std::vector<double> probabilities;  ///< row-major, at least 0, sum to 1
  };

  /// More cells than this, a gigabyte of numbers, are refused in a tree and in a marginal.
  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 27;

  /// Rows are matched from this many on, because fewer rows' counts of pairs show little, up to
  /// this many: some 7 microseconds a row are too long for more.
  static constexpr std::size_t kLeastMatched = 500;
  static constexpr std::size_t kMostMatched = std::size_t{1} << 18;

  /// exp of it is more than doubles hold, and a sum of many still tells them apart.
  static constexpr double kGreatestPotential = 1e6;

  /// `total`: the number of rows that the model represents, positive; it is handed on, no more.
  /// Throws InvalidInput for wrong cliques or ones that come twice, values too great or not as many
  /// as cells, and a tree of more than kMostCells. O(cells of the tree).
  GraphicalModel(ColumnSizes sizes, double total, std::vector<Potential> potentials);

  /// Every column uniform and independent.
  static GraphicalModel uniform(ColumnSizes sizes, double total) {
    return {std::move(sizes), total, {}};
  }

  [[nodiscard]] const ColumnSizes& sizes() const noexcept { return sizes_; }
  [[nodiscard]] double total() const noexcept { return total_; }
  [[nodiscard]] const std::vector<Potential>& potentials() const noexcept { return potentials_; }
  [[nodiscard]] const JunctionTree& tree() const noexcept { return tree_; }

  /// The model times more potentials, such as kImpossible where nothing can be; cliques may be the
  /// model's. Throws InvalidInput as the constructor.
  [[nodiscard]] GraphicalModel times(const std::vector<Potential>& more) const;
  /// False if no cell is possible.
  [[nodiscard]] bool is_possible() const noexcept { return log_sum_ > kImpossible / 2; }

  /// The probabilities of the cells of any clique's table. In the tree it is a sum over a node;
  /// else the cliques between are eliminated, which takes the cells of a node times the cells of
  /// the columns asked for. Throws InvalidInput for more than kMostCells.
  [[nodiscard]] std::vector<double> marginal(const Clique& clique) const;

  /// Those of each of some pairs of columns, none twice, by one pass up and down the tree. O(cells
  /// of the tree times the sum of the sizes of all pairs' first columns).
  [[nodiscard]] std::vector<std::vector<double>> pair_marginals(
      const std::vector<Clique>& pairs) const;
  /// Those of all pairs of columns, (0, 1), (0, 2), ....
  [[nodiscard]] std::vector<Marginal> pair_marginals() const;

  /// Rows drawn along the tree, parents first. O(count * nodes + cells), and for kMatched what
  /// match_pairs takes.
  [[nodiscard]] ModelRows sample(std::size_t count, const RandomWords& words,
                                 RowSampling sampling = RowSampling::kMatched) const;

  /// Rows under the model's law given some columns' values; these columns are constant in the rows.
  /// Throws InvalidInput for columns or values that there are not, and a column fixed twice.
  [[nodiscard]] ModelRows sample_given(const std::vector<Evidence>& evidence, std::size_t count,
                                       const RandomWords& words,
                                       RowSampling sampling = RowSampling::kMatched) const;

 private:
  ColumnSizes sizes_;
  double total_;
  std::vector<Potential> potentials_;
  JunctionTree tree_;
  NodeTables marginals_;
  double log_sum_ = 0;
};

/// {"version": 1, "sizes": [...], "total": ..., "potentials": [{"columns": [...], "values":
/// [...]}]}: all that a model is. A model that is read back is equal to the last bit.
[[nodiscard]] nlohmann::ordered_json graphical_model_json(const GraphicalModel& model);

/// Throws InvalidInput, in one sentence that begins with `name`, for anything else than
/// graphical_model_json writes. A text must have been JSON before (base/json.h).
[[nodiscard]] GraphicalModel graphical_model_from_json(const nlohmann::ordered_json& json,
                                                       const std::string& name);

// -----------------------------------------------------------------------------------------------
// Rows whose pairs of columns have the model's counts.

/// Changes rows of the model, value by value, until their counts of all pairs of columns are near
/// the model's expectation for this many rows.
///
/// Each pair's expected counts are rounded to integers at random first, so that rare values are not
/// rounded away. Then each value is drawn anew from the model's law given the rest of its row,
/// which alone would leave rows as the model's; the draw is kept only if it lowers the sum over all
/// pairs' cells of (count - target)^2 / (target + 1). O(rows * columns * (columns + cliques)) a
/// sweep. Nothing is done where the tables of all pairs would not fit into
/// GraphicalModel::kMostCells.
void match_pairs(const GraphicalModel& model, const RandomWords& words, ModelRows& rows);

// -----------------------------------------------------------------------------------------------
// Rows drawn from marginals on a junction tree.

/// Rows of the distribution with these marginals on the tree's nodes, which agree on separators:
/// each node's other columns are drawn given its separator's.
[[nodiscard]] ModelRows model_rows(const ColumnSizes& sizes, const JunctionTree& tree,
                                   const NodeTables& marginals, std::size_t count,
                                   const RandomWords& words, RowSampling sampling);

}  // namespace mollify
