#include "graphical/junction_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace mollify {
namespace {

/// Which columns are neighbours, as bits.
class ColumnGraph {
 public:
  explicit ColumnGraph(std::size_t columns)
      : columns_(columns), words_((columns + 63) / 64), bits_(columns * words_) {}

  [[nodiscard]] bool has_edge(std::size_t a, std::size_t b) const {
    return (bits_[a * words_ + b / 64] >> (b % 64) & 1U) != 0;
  }
  void join(std::size_t a, std::size_t b) {
    if (a == b) return;
    bits_[a * words_ + b / 64] |= std::uint64_t{1} << (b % 64);
    bits_[b * words_ + a / 64] |= std::uint64_t{1} << (a % 64);
  }
  void join_all(const Clique& clique) {
    for (const std::size_t a : clique) {
      for (const std::size_t b : clique) join(a, b);
    }
  }
  void remove(std::size_t a) {
    for (std::size_t b = 0; b < columns_; ++b) {
      bits_[b * words_ + a / 64] &= ~(std::uint64_t{1} << (a % 64));
    }
    std::fill_n(bits_.begin() + static_cast<std::ptrdiff_t>(a * words_), words_, 0);
  }
  /// Ascending, into `result`.
  void neighbours(std::size_t a, Clique& result) const {
    result.clear();
    for (std::size_t w = 0; w < words_; ++w) {
      for (std::uint64_t left = bits_[a * words_ + w]; left != 0; left &= left - 1) {
        result.push_back(w * 64 + static_cast<std::size_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  std::size_t columns_;
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

enum class Rule { kFewestEdges, kFewestCells, kLightestEdges };

struct Cost {
  double first = 0;
  double second = 0;
};

/// Of eliminating the column whose neighbours these are.
Cost cost_of(const ColumnGraph& graph, const std::vector<double>& logs, const Clique& neighbours,
             double own_log, Rule rule) {
  double cells = own_log;
  double edges = 0;
  double weight = 0;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    cells += logs[neighbours[i]];
    for (std::size_t j = 0; j < i; ++j) {
      if (graph.has_edge(neighbours[i], neighbours[j])) continue;
      edges += 1;
      weight += logs[neighbours[i]] + logs[neighbours[j]];
    }
  }
  switch (rule) {
    case Rule::kFewestEdges:
      return {edges, cells};
    case Rule::kFewestCells:
      return {cells, edges};
    case Rule::kLightestEdges:
      return {weight, cells};
  }
  return {};
}

struct Triangulation {
  std::vector<Clique> cliques;  ///< maximal
  std::uint64_t cells = 0;
};

Triangulation eliminated(const ColumnSizes& sizes, const std::vector<double>& logs,
                         ColumnGraph graph, Rule rule) {
  Triangulation result;
  std::vector<std::size_t> left(sizes.size());
  for (std::size_t column = 0; column < left.size(); ++column) left[column] = column;
  // Only neighbours of what was eliminated, and theirs, change what they cost.
  std::vector<Cost> costs(sizes.size());
  std::vector<bool> known(sizes.size(), false);
  Clique neighbours;
  Clique others;
  while (!left.empty()) {
    std::size_t best = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const std::size_t column = left[i];
      if (!known[column]) {
        graph.neighbours(column, neighbours);
        costs[column] = cost_of(graph, logs, neighbours, logs[column], rule);
        known[column] = true;
      }
      const Cost& cost = costs[column];
      const Cost& least = costs[left[best]];
      if (cost.first < least.first || (cost.first == least.first && cost.second < least.second)) {
        best = i;
      }
    }
    const std::size_t column = left[best];
    left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
    graph.neighbours(column, neighbours);
    graph.join_all(neighbours);
    graph.remove(column);
    for (const std::size_t neighbour : neighbours) {
      known[neighbour] = false;
      graph.neighbours(neighbour, others);
      for (const std::size_t other : others) known[other] = false;
    }
    Clique clique = neighbours;
    clique.insert(std::upper_bound(clique.begin(), clique.end(), column), column);
    const bool is_inside = std::any_of(result.cliques.begin(), result.cliques.end(),
                                       [&](const Clique& c) { return contains(c, clique); });
    if (is_inside) continue;
    result.cells = saturated_sum(result.cells, cell_count(sizes, clique));
    result.cliques.push_back(std::move(clique));
  }
  return result;
}

/// The one of fewest cells, or the first one that has at most `enough`.
Triangulation triangulated(const ColumnSizes& sizes, const ColumnGraph& graph,
                           std::uint64_t enough) {
  std::vector<double> logs;
  for (const std::uint32_t size : sizes) logs.push_back(std::log(size));
  Triangulation best = eliminated(sizes, logs, graph, Rule::kFewestEdges);
  for (const Rule rule : {Rule::kFewestCells, Rule::kLightestEdges}) {
    if (best.cells <= enough) break;
    Triangulation other = eliminated(sizes, logs, graph, rule);
    if (other.cells < best.cells) best = std::move(other);
  }
  return best;
}

ColumnGraph graph_of(const ColumnSizes& sizes, const std::vector<Clique>& cliques) {
  ColumnGraph graph(sizes.size());
  for (const Clique& clique : cliques) {
    require_clique(sizes, clique);
    graph.join_all(clique);
  }
  return graph;
}

}  // namespace

JunctionTree::JunctionTree(const ColumnSizes& sizes, const std::vector<Clique>& cliques) {
  require_sizes(sizes);
  Triangulation found = triangulated(sizes, graph_of(sizes, cliques), 0);
  cells_ = found.cells;
  const std::size_t count = found.cliques.size();
  // A tree of greatest separators, grown from the first clique [Koller, Friedman 2009, 10.4.2].
  std::vector<std::size_t> shared(count, 0);
  std::vector<std::size_t> nearest(count, kNone);  // among nodes_
  std::vector<bool> taken(count, false);
  for (std::size_t step = 0; step < count; ++step) {
    std::size_t next = kNone;
    for (std::size_t i = 0; i < count; ++i) {
      if (!taken[i] && (next == kNone || shared[i] > shared[next])) next = i;
    }
    taken[next] = true;
    const std::size_t parent = step == 0 ? kNone : nearest[next] == kNone ? 0 : nearest[next];
    Clique separator;
    if (parent != kNone) separator = common(found.cliques[next], nodes_[parent].clique);
    nodes_.push_back({found.cliques[next], std::move(separator), parent});
    node_cells_.push_back(cell_count(sizes, found.cliques[next]));
    for (std::size_t i = 0; i < count; ++i) {
      if (taken[i]) continue;
      const std::size_t size = common(found.cliques[i], nodes_.back().clique).size();
      if (size > shared[i]) {
        shared[i] = size;
        nearest[i] = step;
      }
    }
  }
}

std::size_t JunctionTree::home(const Clique& clique) const {
  std::size_t best = kNone;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (contains(nodes_[i].clique, clique) &&
        (best == kNone || node_cells_[i] < node_cells_[best])) {
      best = i;
    }
  }
  return best;
}

std::uint64_t JunctionTree::cells_with(const ColumnSizes& sizes, const std::vector<Clique>& cliques,
                                       const Clique& extra, std::uint64_t enough) {
  ColumnGraph graph = graph_of(sizes, cliques);
  require_clique(sizes, extra);
  graph.join_all(extra);
  return triangulated(sizes, graph, enough).cells;
}

}  // namespace mollify
