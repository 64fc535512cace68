// Trees of cliques, along which sums over all columns become sums over each clique.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graphical/clique.h"

namespace mollify {

/// A junction tree of a graph over columns in which every given clique is complete.
///
/// The graph is made chordal by eliminating columns one by one, each time the one that adds the
/// fewest edges, or whose clique has the fewest cells, or whose new edges weigh least; of the three
/// triangulations the one with the fewest cells in all is kept. Its maximal cliques are the nodes,
/// joined by a tree of greatest separators, so that
///   * every given clique, and every column, lies in a node;
///   * the nodes that hold a column are connected (running intersection).
/// What is not connected is joined by empty separators. [Koller, Friedman 2009, 9.4 and 10.4]
class JunctionTree {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Node {
    Clique clique;
    Clique separator;    ///< what it shares with its parent, empty at the root
    std::size_t parent;  ///< kNone at the root, which is node 0; elsewhere below the node's own
  };

  /// Throws InvalidInput for cliques that are none, see require_clique.
  JunctionTree(const ColumnSizes& sizes, const std::vector<Clique>& cliques);

  /// Parents before children.
  [[nodiscard]] const std::vector<Node>& nodes() const noexcept { return nodes_; }
  /// All nodes' cells together; kUncountable if they do not fit.
  [[nodiscard]] std::uint64_t cells() const noexcept { return cells_; }
  /// The node of fewest cells that holds the clique, or kNone.
  [[nodiscard]] std::size_t home(const Clique& clique) const;

  /// cells() of the tree of `cliques` and `extra`, without making it; or, if a triangulation is
  /// found before that has at most `enough` cells, its number. O(d^3) for d columns.
  [[nodiscard]] static std::uint64_t cells_with(const ColumnSizes& sizes,
                                                const std::vector<Clique>& cliques,
                                                const Clique& extra, std::uint64_t enough = 0);

 private:
  std::vector<Node> nodes_;
  std::vector<std::uint64_t> node_cells_;
  std::uint64_t cells_ = 0;
};

}  // namespace mollify
