// Cliques, junction trees and belief propagation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sets of columns, and the tables of numbers over them.

/// Indices of columns, ascending, each at most once; may be empty.
using Clique = std::vector<std::size_t>;

/// How many values each column has, at least one.
using ColumnSizes = std::vector<std::uint32_t>;

/// The greatest sum or product of numbers of cells.
inline constexpr std::uint64_t kUncountable = std::numeric_limits<std::uint64_t>::max();

/// The number of cells of the table over a clique: the product of its columns' sizes, one for the
/// empty clique; kUncountable if it does not fit. Tables are row-major, the last column fastest.
[[nodiscard]] std::uint64_t cell_count(const ColumnSizes& sizes, const Clique& clique);

/// a + b, stopping at kUncountable.
[[nodiscard]] std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b);

[[nodiscard]] bool contains(const Clique& whole, const Clique& part);
[[nodiscard]] Clique united(const Clique& a, const Clique& b);
[[nodiscard]] Clique common(const Clique& a, const Clique& b);
/// The columns of `a` that are not in `b`.
[[nodiscard]] Clique without(const Clique& a, const Clique& b);

/// A graph of columns takes memory in their square.
inline constexpr std::size_t kMostColumns = 4096;

/// Throws InvalidInput unless there are columns, not too many, and every size is at least one.
void require_sizes(const ColumnSizes& sizes);

/// Throws InvalidInput unless the clique is ascending and names columns only.
void require_clique(const ColumnSizes& sizes, const Clique& clique);

// -----------------------------------------------------------------------------------------------
// From the table over a clique to that over a part of its columns, and back.

/// The map from the cells of a clique's table to the cells of a part's. Each pass takes time in the
/// cells of the whole. Tables are row-major, as cell_count says.
class Projection {
 public:
  /// Requires part to lie in whole, and both tables to be countable.
  Projection(const ColumnSizes& sizes, const Clique& whole, const Clique& part);

  [[nodiscard]] std::size_t whole_cells() const noexcept { return whole_cells_; }
  [[nodiscard]] std::size_t part_cells() const noexcept { return part_cells_; }

  /// part[j] = the sum of the cells of `whole` that map to j.
  void sum(const double* whole, double* part) const;
  /// part[j] = the greatest of the cells of `whole` that map to j.
  void greatest(const double* whole, double* part) const;
  /// whole[i] += part[j] for each cell i, which maps to j.
  void add(const double* part, double* whole) const;
  /// whole[i] *= part[j].
  void multiply(const double* part, double* whole) const;
  /// j for each cell i.
  [[nodiscard]] std::vector<std::uint32_t> targets() const;

 private:
  /// Neighbouring columns of the whole that are all kept, or all summed over.
  struct Axis {
    std::size_t extent;
    std::size_t stride;  // in the part; 0 if summed over
  };

  /// Calls visit(i, j) for each block of the two innermost axes, which begins at cell i and maps
  /// from j on. One of the two is kept, if both have cells: with stride 1.
  template <class Visit>
  void for_each_block(const Visit& visit) const;

  std::vector<Axis> outer_;
  Axis middle_{1, 0};
  Axis inner_{1, 0};
  std::size_t whole_cells_ = 1;
  std::size_t part_cells_ = 1;
};

// -----------------------------------------------------------------------------------------------
// Trees of cliques, along which sums over all columns become sums over each clique.

/// A junction tree of a graph over columns in which every given clique is complete.
///
/// The graph is made chordal by eliminating columns one by one, each time the one that adds the
/// fewest edges, or whose clique has the fewest cells, or whose new edges weigh least; of the three
/// triangulations the one with the fewest cells in all is kept. Its maximal cliques are the nodes,
/// joined by a tree of greatest separators, so that
///   * every given clique, and every column, lies in a node;
///   * the nodes that hold a column are connected (running intersection). Unconnected parts are
///     joined by empty separators. [Koller, Friedman 2009, 9.4 and 10.4]
class JunctionTree {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Node {
    Clique clique;
    Clique separator;    ///< columns shared with its parent, empty at the root
    std::size_t parent;  ///< kNone at the root, which is node 0; elsewhere below the node's own
  };

  /// Throws InvalidInput for wrong cliques, see require_clique.
  JunctionTree(const ColumnSizes& sizes, const std::vector<Clique>& cliques);

  /// Parents before children.
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  /// All nodes' cells together; kUncountable if they do not fit.
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  /// The node of fewest cells that holds the clique, or kNone.
  [[nodiscard]] std::size_t home(const Clique& clique) const;

  /// At least cells() of some tree of the same cliques and the pair of columns `i` and `j`: the one
  /// where i joins the separators between it and j, and nothing else. O(its nodes between them).
  ///
  /// Theorem. Let C_0, ..., C_m be the nodes from the last one that holds i to the first that holds
  /// j, S_k the separator of C_(k-1) and C_k, S_(m+1) = {j}, N_k = {i} + S_k + S_(k+1). Then C_0,
  /// N_1, ..., N_m, with each C_k next to N_k instead of C_(k-1) and C_(k+1), is a junction tree.
  /// Proof. A column of S_k lies in N_(k-1) and N_k, so what C_(k-1) and C_k shared is still
  /// connected; i and j are along the N. A node within another can go. If some S_k is empty, {i,
  /// j} instead of that edge will do. QED
  [[nodiscard]] std::uint64_t cells_with_pair(const ColumnSizes& sizes, std::size_t i,
                                              std::size_t j) const;

  /// cells() of the tree of `cliques` and `extra`, without making it; or, if a triangulation is
  /// found before that has at most `enough` cells, its number. O(d^3) for d columns.
  [[nodiscard]] static std::uint64_t cells_with(const ColumnSizes& sizes,
                                                const std::vector<Clique>& cliques,
                                                const Clique& extra, std::uint64_t enough = 0);

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> node_cells_;
  std::vector<std::size_t> top_;  // of each column: the first node that holds it
  std::uint64_t cells_ = 0;
};

// -----------------------------------------------------------------------------------------------
// Sums over all cells of a product of tables, along a junction tree.

/// One table for each node of a junction tree.
using NodeTables = std::vector<std::vector<double>>;

/// Exact belief propagation for p(x) proportional to exp(sum over nodes t_C(x_C)).
///
/// Upwards, each node hands its parent m(s) = log sum over x_C with x_S = s of exp(t_C + the
/// children's m); downwards p(x_C) = p(x_S) exp(t_C + ... - m(x_S)). One exponential a cell
/// [Koller, Friedman 2009, 10.3]. Everything is relative to the greatest of a separator's cells
/// where it has to be, so any finite t, however large, gives a distribution.
class BeliefPropagation {
 public:
  /// Requires the tree's cells to be countable.
  BeliefPropagation(const ColumnSizes& sizes, const JunctionTree& tree);

  /// Turns t into the nodes' marginals; returns the log of the sum of exp over all cells of all
  /// columns. O(cells).
  double run(NodeTables& tables);

 private:
  struct Step {
    std::size_t parent;
    Projection from_node;    // to the separator
    Projection from_parent;  // to the separator
  };

  std::vector<Step> steps_;  // of each node; the root's has an empty separator
  NodeTables messages_;      // over separators
  NodeTables sums_;          // of exponentials, over separators
};

/// The places of potentials over cliques in a junction tree: how they make the nodes' tables, and
/// how the nodes' marginals make theirs.
///
/// Each clique belongs to the smallest other clique that holds it, or else to the smallest node
/// that does, so that what lies in a pair costs a pass over the pair, not over the node.
class PotentialLayout {
 public:
  /// Requires each clique to lie in a node of the tree, and no clique twice.
  PotentialLayout(const ColumnSizes& sizes, const JunctionTree& tree,
                  const std::vector<Clique>& cliques);

  /// tables[node] = the sum of the potentials of the cliques that lie in it; values[i] is the table
  /// over clique i.
  void gather(const NodeTables& values, NodeTables& tables);
  /// values[i] = the sums of its node's table.
  void scatter(const NodeTables& tables, NodeTables& values) const;

 private:
  struct Place {
    std::size_t clique;
    bool is_in_node;
    std::size_t host;  // a node, or a clique
    Projection from_host;
  };

  std::vector<Place> places_;  // small cliques before those that hold them
  std::vector<std::size_t> node_cells_;
  NodeTables sums_;  // of each clique: its own potential and its parts
};

}  // namespace mollify
