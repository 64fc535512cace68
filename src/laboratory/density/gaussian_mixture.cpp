#include "laboratory/density/gaussian_mixture.h"

#include <algorithm>
#include <cmath>

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

}  // namespace mollify
