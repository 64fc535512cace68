#include "laboratory/density/callable_density.h"

#include <algorithm>
#include <cmath>

#include <boost/math/quadrature/gauss.hpp>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using Rule = boost::math::quadrature::gauss<double, 4>;

/// A place where the density is taken, and how much of it counts.
struct Node {
  double place;
  double weight;
};

void add_nodes(double low, double high, std::vector<Node>& nodes) {
  const double middle = 0.5 * (low + high);
  const double half = 0.5 * (high - low);
  // An even rule: its abscissas are the positive ones, each standing for two.
  for (std::size_t n = 0; n < Rule::abscissa().size(); ++n) {
    const double offset = half * Rule::abscissa()[n];
    const double weight = half * Rule::weights()[n];
    nodes.push_back({middle - offset, weight});
    nodes.push_back({middle + offset, weight});
  }
}

/// The nodes of each cell along one axis.
std::vector<std::vector<Node>> nodes_along(std::span<const double> edges,
                                           const std::vector<double>& kinks) {
  std::vector<std::vector<Node>> cells(edges.size() - 1);
  for (std::size_t j = 0; j + 1 < edges.size(); ++j) {
    double low = edges[j];
    for (auto kink = std::upper_bound(kinks.begin(), kinks.end(), low);
         kink != kinks.end() && *kink < edges[j + 1]; ++kink) {
      add_nodes(low, *kink, cells[j]);
      low = *kink;
    }
    add_nodes(low, edges[j + 1], cells[j]);
  }
  return cells;
}

}  // namespace

CallableDensity::CallableDensity(Function function, Box box, std::vector<std::vector<double>> kinks)
    : function_(std::move(function)), box_(std::move(box)), kinks_(std::move(kinks)) {
  if (kinks_.empty()) kinks_.resize(box_.size());
  if (box_.empty() || kinks_.size() != box_.size()) {
    throw InvalidInput(
        fmt::format("a density's kinks must be listed for each of its {} axes, but are for {}",
                    box_.size(), kinks_.size()));
  }
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    for (const double end : {box_[axis].low, box_[axis].high}) {
      if (std::isfinite(end)) kinks_[axis].push_back(end);
    }
    std::sort(kinks_[axis].begin(), kinks_[axis].end());
    kinks_[axis].erase(std::unique(kinks_[axis].begin(), kinks_[axis].end()), kinks_[axis].end());
  }
}

double CallableDensity::density(std::span<const double> point) const {
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    if (!box_[axis].contains(point[axis])) return 0;
  }
  return function_(point);
}

void CallableDensity::cell_masses(const Grid& grid, std::span<double> masses) const {
  std::vector<std::vector<std::vector<Node>>> nodes;
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    nodes.push_back(nodes_along(grid.edges(axis), kinks_[axis]));
  }
  std::vector<double> point(box_.size());
  std::vector<std::size_t> along(box_.size());
  const std::function<double(std::size_t)> integral = [&](std::size_t axis) -> double {
    if (axis == box_.size()) return density(point);
    double sum = 0;
    for (const Node& node : nodes[axis][along[axis]]) {
      point[axis] = node.place;
      sum += node.weight * integral(axis + 1);
    }
    return sum;
  };
  for (double& mass : masses) {
    mass = integral(0);
    // The next cell: the last axis is the fastest.
    for (std::size_t axis = box_.size(); axis-- > 0;) {
      if (++along[axis] < grid.cells_along(axis)) break;
      along[axis] = 0;
    }
  }
}

}  // namespace mollify
