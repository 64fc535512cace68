// A second opinion on cell masses: integrals of a function over the cells of a grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include <boost/math/quadrature/gauss.hpp>

#include "measures/grid.h"
#include "measures/measure.h"

namespace mollify::test {

/// A place where the function is taken, and how much of it counts.
using Nodes = std::vector<std::pair<double, double>>;

/// The nodes between two places: a Gauss-Legendre rule of 4 points on each piece between kinks.
inline Nodes nodes_between(double low, double high, const std::vector<double>& kinks) {
  using Rule = boost::math::quadrature::gauss<double, 4>;
  std::vector<double> ends{low};
  for (const double kink : kinks) {
    if (low < kink && kink < high) ends.push_back(kink);
  }
  ends.push_back(high);
  std::sort(ends.begin(), ends.end());
  Nodes nodes;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    const double middle = 0.5 * (ends[i] + ends[i + 1]);
    const double half = 0.5 * (ends[i + 1] - ends[i]);
    // An even rule: its abscissas are the positive ones, each standing for two.
    for (std::size_t n = 0; n < Rule::abscissa().size(); ++n) {
      const double offset = half * Rule::abscissa()[n];
      nodes.emplace_back(middle - offset, half * Rule::weights()[n]);
      nodes.emplace_back(middle + offset, half * Rule::weights()[n]);
    }
  }
  return nodes;
}

/// The integral over each cell of a function that is zero outside `support`. On each axis a cell is
/// split at the support's ends and at the kinks that lie inside it, the coordinates at which the
/// function or one of its derivatives jumps: exact for polynomials of degree 7 in each coordinate,
/// so the error falls with the eighth power of a smooth piece's width.
inline std::vector<double> cubature(const Grid& grid,
                                    const std::function<double(std::span<const double>)>& function,
                                    const Box& support,
                                    std::vector<std::vector<double>> kinks = {}) {
  const std::size_t dimension = grid.dimension();
  kinks.resize(dimension);
  std::vector<std::vector<Nodes>> nodes(dimension);
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    kinks[axis].push_back(support[axis].low);
    kinks[axis].push_back(support[axis].high);
    for (std::size_t j = 0; j < grid.cells_along(axis); ++j) {
      nodes[axis].push_back(
          nodes_between(grid.edges(axis)[j], grid.edges(axis)[j + 1], kinks[axis]));
    }
  }
  std::vector<double> point(dimension);
  std::vector<std::size_t> along(dimension);
  const std::function<double(std::size_t)> integral = [&](std::size_t axis) -> double {
    if (axis == dimension) return function(point);
    double sum = 0;
    for (const auto& [place, weight] : nodes[axis][along[axis]]) {
      point[axis] = place;
      if (support[axis].contains(place)) sum += weight * integral(axis + 1);
    }
    return sum;
  };
  std::vector<double> integrals(grid.cell_count());
  for (double& cell : integrals) {
    cell = integral(0);
    // The next cell: the last axis is the fastest.
    for (std::size_t axis = dimension; axis-- > 0;) {
      if (++along[axis] < grid.cells_along(axis)) break;
      along[axis] = 0;
    }
  }
  return integrals;
}

/// `cells` + 1 ascending edges along an axis of a measure's central box, with about equal masses
/// between them, by the masses of slices.
inline std::vector<double> equal_mass_edges(const Measure& measure, std::size_t axis,
                                            std::size_t cells) {
  Box slice = measure.central_box();
  const std::vector<double> fine =
      equal_width_edges(slice[axis], std::max<std::size_t>(128, 16 * cells));
  std::vector<double> through{0};  // the mass up to each fine edge
  for (std::size_t j = 0; j + 1 < fine.size(); ++j) {
    slice[axis] = {fine[j], fine[j + 1]};
    through.push_back(through.back() + measure.box_mass(slice));
  }
  std::vector<double> edges{fine.front()};
  for (std::size_t j = 1; j < cells; ++j) {
    const double wanted = through.back() * static_cast<double>(j) / static_cast<double>(cells);
    const auto above = static_cast<std::size_t>(
        std::upper_bound(through.begin(), through.end() - 1, wanted) - through.begin());
    const double share = (wanted - through[above - 1]) / (through[above] - through[above - 1]);
    edges.push_back(fine[above - 1] + share * (fine[above] - fine[above - 1]));
  }
  edges.push_back(fine.back());
  return edges;
}

/// One Gaussian with the same variance along every axis, on a box if one is given.
inline GaussianMixtureSpec single_gaussian(std::vector<double> mean, double variance,
                                           Box box = {}) {
  const std::vector<double> variances(mean.size(), variance);
  return {
      .means = {std::move(mean)}, .weights = {1}, .variances = {variances}, .box = std::move(box)};
}

}  // namespace mollify::test
