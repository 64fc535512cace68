#include "laboratory/measure/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

void refuse_malformed(const GaussianMixtureSpec& spec) {
  if (spec.means.empty() || spec.means.front().empty()) {
    throw InvalidInput(
        "a Gaussian mixture must have at least one component of one dimension, but has none");
  }
  const std::size_t dimension = spec.means.front().size();
  if (spec.weights.size() != spec.means.size() || spec.variances.size() != spec.means.size()) {
    throw InvalidInput(
        fmt::format("a Gaussian mixture of {} means must have as many weights and variances, but "
                    "has {} weights and {} variances",
                    spec.means.size(), spec.weights.size(), spec.variances.size()));
  }
  for (std::size_t i = 0; i < spec.means.size(); ++i) {
    if (spec.means[i].size() != dimension || spec.variances[i].size() != dimension) {
      throw InvalidInput(fmt::format(
          "component {} of a Gaussian mixture must have {} coordinates like component 0, but has "
          "{} in its mean and {} in its variance",
          i, dimension, spec.means[i].size(), spec.variances[i].size()));
    }
    if (!(spec.weights[i] >= 0)) {
      throw InvalidInput(fmt::format(
          "weight {} of a Gaussian mixture must not be negative, but is {:g}", i, spec.weights[i]));
    }
  }
  if (!spec.box.empty() && spec.box.size() != dimension) {
    throw InvalidInput(
        fmt::format("the box of a Gaussian mixture must have its {} dimensions, but has {}",
                    dimension, spec.box.size()));
  }
}

/// A normal law has less than 2^-43 of its mass farther out, on both sides together.
constexpr double kFarDeviations = 7.5;

/// One of the weights' positions, with a probability in proportion to it; the first if all are 0.
std::size_t pick(WordStream& words, std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double left = words.unit() * sum;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0)) continue;
    if (left < weights[i]) return i;
    left -= weights[i];
    last = i;
  }
  return last;
}

}  // namespace

GaussianMixture::GaussianMixture(const GaussianMixtureSpec& spec) : weights_(spec.weights) {
  refuse_malformed(spec);
  box_ = spec.box.empty() ? Box(spec.means.front().size()) : spec.box;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    for (std::size_t axis = 0; axis < box_.size(); ++axis) {
      factors_.emplace_back(spec.means[i][axis], spec.variances[i][axis], box_[axis]);
      weights_[i] *= factors_.back().normaliser();
    }
  }
  double sum = 0;
  for (const double weight : weights_) sum += weight;
  if (!(sum > 0) || !std::isfinite(sum)) {
    throw InvalidInput(fmt::format(
        "the weights of a Gaussian mixture must have a positive, finite sum, but it is {:g}", sum));
  }
  for (double& weight : weights_) weight /= sum;
}

double GaussianMixture::density(std::span<const double> point) const {
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    double product = weights_[i];
    for (std::size_t axis = 0; axis < box_.size(); ++axis) {
      product *= factor(i, axis).density(point[axis]);
    }
    sum += product;
  }
  return sum;
}

double GaussianMixture::box_mass(const Box& box) const {
  double sum = 0;
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    double product = weights_[i];
    for (std::size_t axis = 0; axis < box_.size(); ++axis) {
      product *= factor(i, axis).mass(box[axis]);
    }
    sum += product;
  }
  return sum;
}

void GaussianMixture::cell_masses(const Grid& grid, std::span<double> masses) const {
  std::fill(masses.begin(), masses.end(), 0.0);
  const std::size_t last = box_.size() - 1;
  if (last == 0) {
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      factor(i, 0).add_cell_masses(grid.edges(0), grid.is_equal_width(0), weights_[i], masses);
    }
    return;
  }
  // Each row of cells along the last axis gets that axis' masses times those of the other axes.
  const std::size_t row = grid.cells_along(last);
  std::vector<double> along_last(row);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    std::vector<double> others{weights_[i]};
    for (std::size_t axis = 0; axis < last; ++axis) {
      std::vector<double> along(grid.cells_along(axis));
      factor(i, axis).add_cell_masses(grid.edges(axis), grid.is_equal_width(axis), 1, along);
      std::vector<double> products;
      products.reserve(others.size() * along.size());
      for (const double other : others) {
        for (const double mass : along) products.push_back(other * mass);
      }
      others = std::move(products);
    }
    std::fill(along_last.begin(), along_last.end(), 0.0);
    factor(i, last).add_cell_masses(grid.edges(last), grid.is_equal_width(last), 1, along_last);
    for (std::size_t r = 0; r < others.size(); ++r) {
      double* const cells = masses.data() + r * row;
      for (std::size_t j = 0; j < row; ++j) cells[j] += others[r] * along_last[j];
    }
  }
}

Box GaussianMixture::central_box() const {
  Box central = box_;
  for (std::size_t axis = 0; axis < central.size(); ++axis) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (weights_[i] == 0) continue;
      const TruncatedNormal& along = factor(i, axis);
      const double reach = kFarDeviations * along.deviation();
      // A support far out in a tail is kept whole: the mass lies at its inner end.
      const Interval& support = along.support();
      low = std::min(low, along.mean() - reach < support.high ? along.mean() - reach : support.low);
      high =
          std::max(high, along.mean() + reach > support.low ? along.mean() + reach : support.high);
    }
    central[axis].low = std::max(central[axis].low, low);
    central[axis].high = std::min(central[axis].high, high);
  }
  return central;
}

std::vector<double> GaussianMixture::equal_mass_edges(std::size_t axis, std::size_t cells) const {
  const Interval ends = central_box()[axis];
  // The marginal along an axis is the mixture of the components' factors.
  const auto mass_below = [&](double x) {
    double sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      sum += weights_[i] * factor(i, axis).mass({ends.low, x});
    }
    return sum;
  };
  const double whole = mass_below(ends.high);
  std::vector<double> edges(cells + 1);
  edges.front() = ends.low;
  edges.back() = ends.high;
  for (std::size_t j = 1; j < cells; ++j) {
    const double share = static_cast<double>(j) / static_cast<double>(cells);
    const auto [low, high] = boost::math::tools::bisect(
        [&](double x) { return mass_below(x) - share * whole; }, edges[j - 1], ends.high,
        boost::math::tools::eps_tolerance<double>(44));
    edges[j] = 0.5 * (low + high);
  }
  return edges;
}

void GaussianMixture::draw_from(WordStream& words, std::span<double> point) const {
  draw_inside_from(words, box_, point);
}

void GaussianMixture::draw_inside_from(WordStream& words, const Box& cell,
                                       std::span<double> point) const {
  std::vector<double> shares(weights_.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = weights_[i];
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      shares[i] *= factor(i, axis).mass(cell[axis]);
    }
  }
  const std::size_t component = pick(words, shares);
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    point[axis] = factor(component, axis).quantile(words.unit(), cell[axis]);
  }
}

GaussianMixtureSpec single_gaussian(std::vector<double> mean, double variance, Box box) {
  const std::vector<double> variances(mean.size(), variance);
  return {
      .means = {std::move(mean)}, .weights = {1}, .variances = {variances}, .box = std::move(box)};
}

}  // namespace mollify
