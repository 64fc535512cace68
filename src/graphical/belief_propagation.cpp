#include "graphical/belief_propagation.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

namespace mollify {
namespace {

/// Sums below this may have lost all they were made of: exponentials end some 2^-1022 below the
/// greatest.
constexpr double kLeastSum = 0x1p-900;

/// exp(from - shift); what is too small for a double is some 2^-1022.
void exponentiate(const std::vector<double>& from, double shift, std::vector<double>& to) {
  const auto size = static_cast<Eigen::Index>(from.size());
  to.resize(from.size());
  Eigen::Map<Eigen::ArrayXd>(to.data(), size) =
      (Eigen::Map<const Eigen::ArrayXd>(from.data(), size) - shift).exp();
}

double greatest_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::ArrayXd>(v.data(), static_cast<Eigen::Index>(v.size())).maxCoeff();
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
    const double shift = greatest_of(table);
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
