// Sums over all cells of a product of tables, along a junction tree.
#pragma once

#include <cstddef>
#include <vector>

#include "graphical/clique.h"
#include "graphical/junction_tree.h"
#include "graphical/projection.h"

namespace mollify {

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

/// Where potentials over cliques lie in a junction tree: how they make the nodes' tables, and how
/// the nodes' marginals make theirs.
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
  NodeTables sums_;  // of each clique: its own potential and what belongs to it
};

}  // namespace mollify
