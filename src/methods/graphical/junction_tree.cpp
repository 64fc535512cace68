#include "methods/graphical/junction_tree.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "base/refusal.h"
#include "core/lanes.h"
#include "methods/graphical/table_lanes.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sets of columns, and the tables of numbers over them.

std::uint64_t cell_count(const ColumnSizes& sizes, const Clique& clique) {
  std::uint64_t cells = 1;
  for (const std::size_t column : clique) {
    if (cells > kUncountable / sizes[column]) return kUncountable;
    cells *= sizes[column];
  }
  return cells;
}

std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) {
  return a > kUncountable - b ? kUncountable : a + b;
}

bool contains(const Clique& whole, const Clique& part) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

Clique united(const Clique& a, const Clique& b) {
  Clique result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Clique common(const Clique& a, const Clique& b) {
  Clique result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

Clique without(const Clique& a, const Clique& b) {
  Clique result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
  return result;
}

void require_sizes(const ColumnSizes& sizes) {
  refuse_if(sizes.empty(), "empty-input", {}, "a model must have columns, but has none");
  refuse_if(sizes.size() > kMostColumns, "too-many-columns", {},
            "a model must have at most {} columns, but has {}", kMostColumns, sizes.size());
  for (std::size_t column = 0; column < sizes.size(); ++column) {
    refuse_if(sizes[column] == 0, "empty-input", {},
              "column {} of a model must have at least one value, but has none", column);
  }
}

void require_clique(const ColumnSizes& sizes, const Clique& clique) {
  for (std::size_t i = 0; i < clique.size(); ++i) {
    if (clique[i] >= sizes.size()) {
      refuse_input("out-of-range", {},
                   "a clique of a model of {} columns must name columns below that, but names {}",
                   sizes.size(), clique[i]);
    }
    if (i > 0 && clique[i - 1] >= clique[i]) {
      refuse_input("not-ascending", {}, "the columns of a clique must ascend, but {} follows {}",
                   clique[i], clique[i - 1]);
    }
  }
}

// -----------------------------------------------------------------------------------------------
// From the table over a clique to that over a part of its columns, and back.

Projection::Projection(const ColumnSizes& sizes, const Clique& whole, const Clique& part) {
  whole_cells_ = cell_count(sizes, whole);
  part_cells_ = cell_count(sizes, part);
  std::vector<Axis> axes;  // from the last column on
  std::size_t stride = 1;
  for (std::size_t i = whole.size(); i-- > 0;) {
    const std::size_t extent = sizes[whole[i]];
    const bool kept = std::binary_search(part.begin(), part.end(), whole[i]);
    if (!axes.empty() && (axes.back().stride != 0) == kept) {
      axes.back().extent *= extent;
    } else {
      axes.push_back({extent, kept ? stride : 0});
    }
    if (kept) stride *= extent;
  }
  if (!axes.empty()) inner_ = axes[0];
  if (axes.size() > 1) middle_ = axes[1];
  if (axes.size() > 2) outer_.assign(axes.begin() + 2, axes.end());
}

namespace {

const detail::TableLanes& lanes() { return detail::fastest<detail::TableLanes>(); }

}  // namespace

template <class Visit>
void Projection::for_each_block(const Visit& visit) const {
  std::vector<std::size_t> place(outer_.size());
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    visit(i, j);
    i += middle_.extent * inner_.extent;
    std::size_t axis = 0;
    for (; axis < outer_.size(); ++axis) {
      j += outer_[axis].stride;
      if (++place[axis] < outer_[axis].extent) break;
      j -= outer_[axis].stride * outer_[axis].extent;
      place[axis] = 0;
    }
    if (axis == outer_.size()) return;
  }
}

void Projection::sum(const double* whole, double* part) const {
  std::fill(part, part + part_cells_, 0.0);
  const detail::TableRows rows{middle_.extent, inner_.extent};
  const auto pass = inner_.stride != 0 ? lanes().add_rows : lanes().add_cells;
  for_each_block([&](std::size_t i, std::size_t j) { pass(rows, whole + i, part + j); });
}

void Projection::greatest(const double* whole, double* part) const {
  std::fill(part, part + part_cells_, -std::numeric_limits<double>::infinity());
  const std::vector<std::uint32_t> target = targets();
  for (std::size_t i = 0; i < whole_cells_; ++i) {
    part[target[i]] = std::max(part[target[i]], whole[i]);
  }
}

void Projection::add(const double* part, double* whole) const {
  const detail::TableRows rows{middle_.extent, inner_.extent};
  const auto pass = inner_.stride != 0 ? lanes().add_to_rows : lanes().add_to_cells;
  for_each_block([&](std::size_t i, std::size_t j) { pass(rows, part + j, whole + i); });
}

void Projection::multiply(const double* part, double* whole) const {
  const detail::TableRows rows{middle_.extent, inner_.extent};
  const auto pass = inner_.stride != 0 ? lanes().multiply_rows : lanes().multiply_cells;
  for_each_block([&](std::size_t i, std::size_t j) { pass(rows, part + j, whole + i); });
}

std::vector<std::uint32_t> Projection::targets() const {
  std::vector<std::uint32_t> target;
  target.reserve(whole_cells_);
  for_each_block([&](std::size_t, std::size_t j) {
    for (std::size_t m = 0; m < middle_.extent; ++m) {
      for (std::size_t k = 0; k < inner_.extent; ++k) {
        target.push_back(static_cast<std::uint32_t>(j + m * middle_.stride + k * inner_.stride));
      }
    }
  });
  return target;
}

// -----------------------------------------------------------------------------------------------
// Trees of cliques, along which sums over all columns become sums over each clique.

namespace {

/// Which columns are neighbours, as bits.
class ColumnGraph {
 public:
  explicit ColumnGraph(std::size_t columns)
      : words_((columns + 63) / 64), bits_(columns * words_) {}

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
  void remove(std::size_t a, const Clique& neighbours) {
    for (const std::size_t b : neighbours) {
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
  // Only neighbours of an eliminated node, and theirs, change their cost.
  std::vector<Cost> costs(sizes.size());
  std::vector<bool> known(sizes.size(), false);
  std::vector<std::vector<std::size_t>> holding(sizes.size());  // cliques, of each column
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
    graph.remove(column, neighbours);
    for (const std::size_t neighbour : neighbours) {
      known[neighbour] = false;
      graph.neighbours(neighbour, others);
      for (const std::size_t other : others) known[other] = false;
    }
    Clique clique = neighbours;
    clique.insert(std::upper_bound(clique.begin(), clique.end(), column), column);
    const bool is_inside =
        std::any_of(holding[column].begin(), holding[column].end(),
                    [&](std::size_t earlier) { return contains(result.cliques[earlier], clique); });
    if (is_inside) continue;
    for (const std::size_t one : clique) holding[one].push_back(result.cliques.size());
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
  top_.resize(sizes.size());
  for (std::size_t node = count; node-- > 0;) {
    for (const std::size_t column : nodes_[node].clique) top_[column] = node;
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

std::uint64_t JunctionTree::cells_with_pair(const ColumnSizes& sizes, std::size_t i,
                                            std::size_t j) const {
  // Parents come before children, so the greater of two nodes is no ancestor of the other.
  std::vector<std::size_t> way{top_[i]};
  std::vector<std::size_t> back{top_[j]};
  while (way.back() != back.back()) {
    std::vector<std::size_t>& lower = way.back() > back.back() ? way : back;
    lower.push_back(nodes_[lower.back()].parent);
  }
  back.pop_back();
  way.insert(way.end(), back.rbegin(), back.rend());
  const auto holds = [this](std::size_t node, std::size_t column) {
    return contains(nodes_[node].clique, {column});
  };
  std::size_t begin = 0;
  while (begin + 1 < way.size() && holds(way[begin + 1], i)) ++begin;
  std::size_t end = begin;
  while (!holds(way[end], j)) ++end;
  if (begin == end) return cells_;
  std::vector<Clique> separators;
  for (std::size_t k = begin + 1; k <= end; ++k) {
    separators.push_back(nodes_[std::max(way[k - 1], way[k])].separator);
    if (!separators.back().empty()) continue;
    return saturated_sum(cells_, std::uint64_t{sizes[i]} * sizes[j]);
  }
  separators.push_back({j});
  std::uint64_t gone = 0;  // cells of nodes that lie within new ones
  std::vector<Clique> added{nodes_[way[begin]].clique};
  for (std::size_t k = begin + 1; k <= end; ++k) {
    const std::size_t at = k - begin - 1;
    Clique clique = united({i}, united(separators[at], separators[at + 1]));
    if (contains(clique, nodes_[way[k]].clique)) gone += node_cells_[way[k]];
    if (contains(added.back(), clique)) continue;
    while (!added.empty() && contains(clique, added.back())) added.pop_back();
    added.push_back(std::move(clique));
  }
  if (added.front() == nodes_[way[begin]].clique) {
    added.erase(added.begin());
  } else {
    gone += node_cells_[way[begin]];
  }
  std::uint64_t cells = cells_;
  for (const Clique& clique : added) cells = saturated_sum(cells, cell_count(sizes, clique));
  // Of countless cells nothing can be taken away.
  return cells < kUncountable ? cells - gone : cells;
}

std::uint64_t JunctionTree::cells_with(const ColumnSizes& sizes, const std::vector<Clique>& cliques,
                                       const Clique& extra, std::uint64_t enough) {
  ColumnGraph graph = graph_of(sizes, cliques);
  require_clique(sizes, extra);
  graph.join_all(extra);
  return triangulated(sizes, graph, enough).cells;
}

// -----------------------------------------------------------------------------------------------
// Sums over all cells of a product of tables, along a junction tree.

namespace {

/// Sums below this may have lost all they were made of: exponentials end some 2^-1022 below the
/// greatest.
constexpr double kLeastSum = 0x1p-900;

/// exp(from - shift), for numbers of at most the shift.
void exponentiate(const std::vector<double>& from, double shift, std::vector<double>& to) {
  to.resize(from.size());
  lanes().exponentiate(from.data(), shift, to.data(), from.size());
}

}  // namespace

BeliefPropagation::BeliefPropagation(const ColumnSizes& sizes, const JunctionTree& tree) {
  const auto& nodes = tree.nodes();
  for (const JunctionTree::Node& node : nodes) {
    const bool is_root = node.parent == JunctionTree::kNone;
    const std::size_t parent = is_root ? 0 : node.parent;
    steps_.push_back({parent, Projection(sizes, node.clique, node.separator),
                      Projection(sizes, nodes[parent].clique, node.separator)});
    messages_.emplace_back(steps_.back().from_node.part_cells());
  }
  sums_ = messages_;
}

double BeliefPropagation::run(NodeTables& tables) {
  double log_sum = 0;
  std::vector<double> masses;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    std::vector<double>& table = tables[i];
    std::vector<double>& message = messages_[i];
    std::vector<double>& sums = sums_[i];
    const std::size_t cells = message.size();
    const double shift = lanes().greatest(table.data(), table.size());
    exponentiate(table, shift, masses);
    step.from_node.sum(masses.data(), message.data());
    if (*std::min_element(message.begin(), message.end()) > kLeastSum) {
      sums = message;
      for (double& value : message) value = std::log(value) + shift;
    } else {
      // Some cell of the separator is too far below the greatest: relative to its own.
      step.from_node.greatest(table.data(), message.data());
      for (std::size_t s = 0; s < cells; ++s) sums[s] = -message[s];
      step.from_node.add(sums.data(), table.data());
      exponentiate(table, 0, masses);
      step.from_node.sum(masses.data(), sums.data());
      for (std::size_t s = 0; s < cells; ++s) message[s] += std::log(sums[s]);
    }
    table.swap(masses);
    if (i == 0) {
      log_sum = message[0];
    } else {
      step.from_parent.add(message.data(), tables[step.parent].data());
    }
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    // p(x_C) = p(x_S) exp(...) / its sum given x_S.
    std::vector<double>& factor = messages_[i];
    if (i == 0) {
      factor[0] = 1;
    } else {
      steps_[i].from_parent.sum(tables[steps_[i].parent].data(), factor.data());
    }
    for (std::size_t s = 0; s < factor.size(); ++s) factor[s] /= sums_[i][s];
    steps_[i].from_node.multiply(factor.data(), tables[i].data());
  }
  return log_sum;
}

PotentialLayout::PotentialLayout(const ColumnSizes& sizes, const JunctionTree& tree,
                                 const std::vector<Clique>& cliques) {
  for (const JunctionTree::Node& node : tree.nodes()) {
    node_cells_.push_back(cell_count(sizes, node.clique));
  }
  std::vector<std::size_t> cells;
  for (const Clique& clique : cliques) {
    cells.push_back(cell_count(sizes, clique));
    sums_.emplace_back(cells.back());
  }
  std::vector<std::size_t> order(cliques.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cliques[a].size() != cliques[b].size() ? cliques[a].size() < cliques[b].size() : a < b;
  });
  for (std::size_t o = 0; o < order.size(); ++o) {
    const std::size_t i = order[o];
    std::size_t host = cliques.size();
    for (std::size_t p = o + 1; p < order.size(); ++p) {
      const std::size_t other = order[p];
      if (cliques[other].size() > cliques[i].size() && contains(cliques[other], cliques[i]) &&
          (host == cliques.size() || cells[other] < cells[host])) {
        host = other;
      }
    }
    if (host != cliques.size()) {
      places_.push_back({i, false, host, Projection(sizes, cliques[host], cliques[i])});
    } else {
      const std::size_t node = tree.home(cliques[i]);
      places_.push_back({i, true, node, Projection(sizes, tree.nodes()[node].clique, cliques[i])});
    }
  }
}

void PotentialLayout::gather(const NodeTables& values, NodeTables& tables) {
  tables.resize(node_cells_.size());
  for (std::size_t node = 0; node < node_cells_.size(); ++node) {
    tables[node].assign(node_cells_[node], 0.0);
  }
  for (std::size_t i = 0; i < values.size(); ++i) sums_[i] = values[i];
  for (const Place& place : places_) {
    std::vector<double>& host = place.is_in_node ? tables[place.host] : sums_[place.host];
    place.from_host.add(sums_[place.clique].data(), host.data());
  }
}

void PotentialLayout::scatter(const NodeTables& tables, NodeTables& values) const {
  values.resize(sums_.size());
  for (std::size_t p = places_.size(); p-- > 0;) {
    const Place& place = places_[p];
    const std::vector<double>& host = place.is_in_node ? tables[place.host] : values[place.host];
    values[place.clique].resize(place.from_host.part_cells());
    place.from_host.sum(host.data(), values[place.clique].data());
  }
}

}  // namespace mollify
