#include "laboratory/measure/domain_measure.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "density/gaussian_mixture_fit.h"
#include "density/mixed_points.h"
#include "kernel/core/invalid_input.h"
#include "space/seeded_random.h"

namespace mollify {
namespace {

constexpr double kLeastMass = 0x1p-80;

Interval interval_of(const Column& column) {
  if (!column.mapping().null_is_category) {
    if (const auto* numbers = std::get_if<NumberCells>(&column.cells());
        numbers != nullptr && numbers->are_equal()) {
      return {numbers->min(), numbers->max()};
    }
    if (const auto* integers = std::get_if<IntegerCells>(&column.cells());
        integers != nullptr && integers->declared_edges().empty()) {
      return {static_cast<double>(integers->min()) - 0.5,
              static_cast<double>(integers->max()) + 0.5};
    }
  }
  throw InvalidInput(
      fmt::format("a box needs columns of numbers or integers in equal cells and without a null "
                  "category, but column \"{}\" is not one",
                  column.name()));
}

std::uint32_t cell_of(const Interval& axis, std::uint32_t cells, double x) {
  const double place = (x - axis.low) / axis.width() * cells;
  return static_cast<std::uint32_t>(std::clamp(place, 0.0, cells - 1.0));
}

}  // namespace

Box domain_box(const Domain& domain) {
  Box box;
  for (const Column& column : domain.columns()) box.push_back(interval_of(column));
  return box;
}

std::vector<double> domain_points(const Domain& domain, std::span<const std::uint32_t> digits) {
  const Box box = domain_box(domain);
  std::vector<double> points(digits.size());
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t axis = i % box.size();
    const double share = (digits[i] + 0.5) / domain.columns()[axis].size();
    points[i] = box[axis].low + share * box[axis].width();
  }
  return points;
}

GaussianMixtureSpec fitted_reference(const Domain& domain, std::span<const std::uint32_t> digits,
                                     std::size_t components) {
  const Box box = domain_box(domain);
  const std::size_t dimension = box.size();
  MixedPoints records(std::vector<MixedColumn>(dimension), digits.size() / dimension);
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const double share = (digits[i] + 0.5) / domain.columns()[i % dimension].size();
    records.values(i % dimension)[i / dimension] = static_cast<float>(share);
  }
  const FittedMixture fit =
      fit_gaussian_mixture(records, {.components = components, .full_covariance = false});
  GaussianMixtureSpec spec{.means = {}, .weights = fit.weights, .variances = {}, .box = box};
  for (std::size_t k = 0; k < fit.weights.size(); ++k) {
    std::vector<double> mean(dimension);
    std::vector<double> variances(dimension);
    for (std::size_t axis = 0; axis < dimension; ++axis) {
      const double width = box[axis].width();
      mean[axis] = box[axis].low + width * fit.means[k][axis];
      variances[axis] = width * width * fit.covariances[k][axis * dimension + axis];
    }
    spec.means.push_back(std::move(mean));
    spec.variances.push_back(std::move(variances));
  }
  return spec;
}

Candidates measure_candidates(const Domain& domain, const Measure& measure, std::uint64_t count) {
  Candidates::require_count(count);
  const Box box = domain_box(domain);
  if (measure.dimension() != box.size()) {
    throw InvalidInput(
        fmt::format("the reference must have a dimension for each of {} columns, but has {}",
                    box.size(), measure.dimension()));
  }
  const double mass = measure.box_mass(box);
  if (!(mass >= kLeastMass)) {
    throw InvalidInput(fmt::format(
        "the reference must lie on the domain's values, but only {:.3g} of its mass does", mass));
  }
  SeededRandom random(domain.seed());
  std::vector<double> point(box.size());
  std::vector<std::uint32_t> digits;
  digits.reserve(static_cast<std::size_t>(count) * box.size());
  for (std::uint64_t i = 0; i < count; ++i) {
    measure.simulate_inside(random, box, point);
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      digits.push_back(cell_of(box[axis], domain.columns()[axis].size(), point[axis]));
    }
  }
  double volume = 1;
  for (const Interval& axis : box) volume *= axis.width();
  const std::vector<double> middles = domain_points(domain, digits);
  std::vector<float> densities;
  densities.reserve(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < middles.size(); i += box.size()) {
    const double density = measure.density(std::span(middles).subspan(i, box.size()));
    densities.push_back(static_cast<float>(std::max(density * volume / mass, 1e-30)));
  }
  return Candidates::of(domain, std::move(digits), std::move(densities));
}

}  // namespace mollify
