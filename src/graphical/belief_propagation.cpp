#include "graphical/belief_propagation.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace mollify {
namespace {

/// Sums below this may have lost all they were made of.
constexpr double kLeastSum = 0x1p-900;
/// Eigen's exponential of anything below is some denormal, not zero.
constexpr double kLeastExponent = -700;

/// v = exp(v - shift); zero where that is nothing.
void exponentiate(std::vector<double>& v, double shift) {
  Eigen::Map<Eigen::ArrayXd> values(v.data(), static_cast<Eigen::Index>(v.size()));
  values -= shift;
  values = (values > kLeastExponent).select(values.exp(), 0.0);
}

/// The greatest, or zero if all are -infinity.
double greatest_of(const std::vector<double>& v) {
  const double most =
      Eigen::Map<const Eigen::ArrayXd>(v.data(), static_cast<Eigen::Index>(v.size())).maxCoeff();
  return std::isfinite(most) ? most : 0;
}

}  // namespace

BeliefPropagation::BeliefPropagation(const ColumnSizes& sizes, const JunctionTree& tree) {
  const auto& nodes = tree.nodes();
  std::size_t most = 1;
  for (const JunctionTree::Node& node : nodes) {
    const bool is_root = node.parent == JunctionTree::kNone;
    const std::size_t parent = is_root ? 0 : node.parent;
    steps_.push_back({parent, Projection(sizes, node.clique, node.separator),
                      Projection(sizes, nodes[parent].clique, node.separator)});
    messages_.emplace_back(steps_.back().from_node.part_cells());
    most = std::max(most, messages_.back().size());
  }
  sums_.resize(most);
}

double BeliefPropagation::run(NodeTables& tables) {
  double log_sum = 0;
  std::vector<double> whole;
  for (std::size_t i = steps_.size(); i-- > 0;) {
    const Step& step = steps_[i];
    std::vector<double>& table = tables[i];
    std::vector<double>& message = messages_[i];
    const std::size_t cells = message.size();
    const double shift = greatest_of(table);
    whole = table;
    exponentiate(table, shift);
    step.from_node.sum(table.data(), message.data());
    if (*std::min_element(message.begin(), message.end()) > kLeastSum) {
      std::copy(message.begin(), message.end(), sums_.begin());
      for (double& value : message) value = std::log(value) + shift;
    } else {
      // Some cell of the separator is too far below the greatest: relative to its own.
      table = whole;
      step.from_node.greatest(table.data(), sums_.data());
      std::vector<double> own(sums_.begin(), sums_.begin() + static_cast<std::ptrdiff_t>(cells));
      for (std::size_t s = 0; s < cells; ++s) sums_[s] = std::isfinite(own[s]) ? -own[s] : 0;
      step.from_node.add(sums_.data(), table.data());
      exponentiate(table, 0);
      step.from_node.sum(table.data(), message.data());
      for (std::size_t s = 0; s < cells; ++s) {
        sums_[s] = message[s];
        message[s] = message[s] > 0 ? std::log(message[s]) + own[s] : own[s];
      }
    }
    // The table becomes p(x_C | x_S).
    for (std::size_t s = 0; s < cells; ++s) sums_[s] = sums_[s] > 0 ? 1 / sums_[s] : 0;
    step.from_node.multiply(sums_.data(), table.data());
    if (i == 0) {
      log_sum = message[0];
    } else {
      step.from_parent.add(message.data(), tables[step.parent].data());
    }
  }
  for (std::size_t i = 1; i < steps_.size(); ++i) {
    steps_[i].from_parent.sum(tables[steps_[i].parent].data(), messages_[i].data());
    steps_[i].from_node.multiply(messages_[i].data(), tables[i].data());
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
