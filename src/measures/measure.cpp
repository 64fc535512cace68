#include "measures/measure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <variant>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/tools/roots.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "domain/column.h"
#include "domain/numbers.h"
#include "measures/gaussian_envelope.h"
#include "scores/mixtures.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Random numbers of known laws, which follow from a seed.

double uniform_of_unit_interval(SeededRandom& random) {
  return (static_cast<double>(random.word() >> 11) + 0.5) * 0x1p-53;
}

double normal_number(SeededRandom& random) {
  return std::numbers::sqrt2 * boost::math::erf_inv(2 * uniform_of_unit_interval(random) - 1);
}

void uniform_in(SeededRandom& random, const Box& box, std::span<double> point) {
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const double share = uniform_of_unit_interval(random);
    point[axis] = box[axis].low * (1 - share) + box[axis].high * share;
  }
}

// -----------------------------------------------------------------------------------------------
// A probability measure on R^d.

double Measure::class_bound() const { return std::numeric_limits<double>::infinity(); }

void Measure::cell_masses(const Grid& grid, std::span<double> masses) const {
  constexpr double kFar = std::numeric_limits<double>::infinity();
  const Box whole = grid.box();
  for (std::size_t i = 0; i < masses.size(); ++i) {
    Box cell = grid.cell(i);
    for (std::size_t axis = 0; axis < cell.size(); ++axis) {
      if (cell[axis].low == whole[axis].low) cell[axis].low = -kFar;
      if (cell[axis].high == whole[axis].high) cell[axis].high = kFar;
    }
    masses[i] = box_mass(cell);
  }
}

Grid equal_width_grid(const Measure& measure, std::size_t cells) {
  const std::size_t along = cells_along_each_axis(cells, measure.dimension());
  std::vector<std::vector<double>> edges;
  for (const Interval& interval : measure.central_box()) {
    edges.push_back(equal_width_edges(interval, along));
  }
  return Grid(std::move(edges));
}

// -----------------------------------------------------------------------------------------------
// The uniform measure on a box.

UniformMeasure::UniformMeasure(Box box) : box_(std::move(box)) {
  refuse_if(box_.empty(), "missing-key", "box", "a uniform measure needs a box");
  for (const Interval& interval : box_) {
    refuse_if(
        !std::isfinite(interval.width()) || !(interval.width() > 0), "out-of-range", "box",
        "a uniform measure's box must be finite and not empty, but is [{:g}, {:g}] along an axis",
        interval.low, interval.high);
    density_ /= interval.width();
  }
  refuse_if(!std::isnormal(density_), "not-representable", "box",
            "a uniform measure's box must have a volume that a double holds");
}

double UniformMeasure::density(std::span<const double> point) const {
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    if (!box_[axis].contains(point[axis])) return 0;
  }
  return density_;
}

double UniformMeasure::box_mass(const Box& box) const {
  double mass = 1;
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    const double low = std::max(box[axis].low, box_[axis].low);
    const double high = std::min(box[axis].high, box_[axis].high);
    mass *= std::max(high - low, 0.0) / box_[axis].width();
  }
  return mass;
}

void UniformMeasure::simulate(SeededRandom& random, std::span<double> point) const {
  uniform_in(random, box_, point);
}

void UniformMeasure::simulate_inside(SeededRandom& random, const Box& cell,
                                     std::span<double> point) const {
  Box inside = cell;
  for (std::size_t axis = 0; axis < inside.size(); ++axis) {
    inside[axis].low = std::clamp(cell[axis].low, box_[axis].low, box_[axis].high);
    inside[axis].high = std::clamp(cell[axis].high, box_[axis].low, box_[axis].high);
  }
  uniform_in(random, inside, point);
}

// -----------------------------------------------------------------------------------------------
// Independent public measures side by side.

namespace {

/// The part of a box that lies along a factor's axes.
Box part_of(const Box& box, std::size_t begin, std::size_t dimension) {
  const auto first = box.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(dimension)};
}

}  // namespace

ProductMeasure::ProductMeasure(std::vector<std::shared_ptr<const Measure>> factors)
    : factors_(std::move(factors)) {
  refuse_if(factors_.empty(), "empty-input", "factors",
            "a product of measures must have at least one factor, but has none");
  for (const auto& factor : factors_) dimension_ += factor->dimension();
}

Box ProductMeasure::box() const {
  Box box;
  for (const auto& factor : factors_) {
    for (const Interval& interval : factor->box()) box.push_back(interval);
  }
  return box;
}

Box ProductMeasure::central_box() const {
  Box box;
  for (const auto& factor : factors_) {
    for (const Interval& interval : factor->central_box()) box.push_back(interval);
  }
  return box;
}

double ProductMeasure::density(std::span<const double> point) const {
  double density = 1;
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    density *= factor->density(point.subspan(begin, factor->dimension()));
    begin += factor->dimension();
  }
  return density;
}

double ProductMeasure::box_mass(const Box& box) const {
  double mass = 1;
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    mass *= factor->box_mass(part_of(box, begin, factor->dimension()));
    begin += factor->dimension();
  }
  return mass;
}

void ProductMeasure::simulate(SeededRandom& random, std::span<double> point) const {
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    factor->simulate(random, point.subspan(begin, factor->dimension()));
    begin += factor->dimension();
  }
}

void ProductMeasure::simulate_inside(SeededRandom& random, const Box& cell,
                                     std::span<double> point) const {
  std::size_t begin = 0;
  for (const auto& factor : factors_) {
    factor->simulate_inside(random, part_of(cell, begin, factor->dimension()),
                            point.subspan(begin, factor->dimension()));
    begin += factor->dimension();
  }
}

// -----------------------------------------------------------------------------------------------
// A measure that is uniform in each cell of a grid.

HistogramMeasure::HistogramMeasure(Grid bins, std::vector<double> masses)
    : bins_(std::move(bins)), masses_(std::move(masses)) {
  refuse_if(masses_.size() != bins_.cell_count(), "wrong-shape", "masses",
            "a histogram of {} bins must have as many masses, but has {}", bins_.cell_count(),
            masses_.size());
  double sum = 0;
  for (std::size_t i = 0; i < masses_.size(); ++i) {
    if (!(masses_[i] > 0)) {
      refuse_input("not-a-distribution", "masses",
                   "mass {} of a reference's histogram must be positive, or data there would be "
                   "lost, but is {:g}",
                   i, masses_[i]);
    }
    sum += masses_[i];
  }
  refuse_if(!(sum > 0) || !std::isfinite(sum), "not-a-distribution", "masses",
            "the masses of a histogram must have a positive, finite sum, but it is {:g}", sum);
  double through = 0;
  masses_through_.reserve(masses_.size());
  for (double& mass : masses_) {
    mass /= sum;
    masses_through_.push_back(through += mass);
  }
}

double HistogramMeasure::density(std::span<const double> point) const {
  const Box box = bins_.box();
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    if (!box[axis].contains(point[axis])) return 0;
  }
  const std::size_t bin = bins_.cell_of(point);
  double density = masses_[bin];
  for (const Interval& interval : bins_.cell(bin)) density /= interval.width();
  return density;
}

template <class Take>
void HistogramMeasure::for_each_part(const Box& box, const Take& take) const {
  // The bins met along each axis: from the one that holds the low end to the one that holds the
  // high end.
  std::vector<std::size_t> first(box.size());
  std::vector<std::size_t> last(box.size());
  for (std::size_t axis = 0; axis < box.size(); ++axis) {
    const std::span<const double> inner = bins_.edges(axis).subspan(1, bins_.cells_along(axis) - 1);
    const auto position = [&](double x) {
      return static_cast<std::size_t>(std::upper_bound(inner.begin(), inner.end(), x) -
                                      inner.begin());
    };
    first[axis] = position(box[axis].low);
    last[axis] = position(box[axis].high);
  }
  std::vector<std::size_t> along = first;
  for (bool more = true; more;) {
    std::size_t bin = 0;
    double share = 1;
    Box part(box.size());
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const double low = bins_.edges(axis)[along[axis]];
      const double high = bins_.edges(axis)[along[axis] + 1];
      part[axis] = {std::clamp(box[axis].low, low, high), std::clamp(box[axis].high, low, high)};
      share *= part[axis].width() / (high - low);
      bin = bin * bins_.cells_along(axis) + along[axis];
    }
    take(part, masses_[bin] * share);
    more = false;
    for (std::size_t axis = box.size(); axis-- > 0;) {
      if (along[axis] < last[axis]) {
        ++along[axis];
        more = true;
        break;
      }
      along[axis] = first[axis];
    }
  }
}

double HistogramMeasure::box_mass(const Box& box) const {
  double sum = 0;
  for_each_part(box, [&](const Box&, double mass) { sum += mass; });
  return sum;
}

void HistogramMeasure::simulate(SeededRandom& random, std::span<double> point) const {
  const double position = uniform_of_unit_interval(random) * masses_through_.back();
  const auto bin = std::upper_bound(masses_through_.begin(), masses_through_.end() - 1, position);
  uniform_in(random, bins_.cell(static_cast<std::size_t>(bin - masses_through_.begin())), point);
}

void HistogramMeasure::simulate_inside(SeededRandom& random, const Box& cell,
                                       std::span<double> point) const {
  double left = uniform_of_unit_interval(random) * box_mass(cell);
  Box chosen = cell;
  bool found = false;
  for_each_part(cell, [&](const Box& part, double mass) {
    if (found || !(mass > 0)) return;
    chosen = part;
    found = left < mass;
    left -= mass;
  });
  uniform_in(random, chosen, point);
}

// -----------------------------------------------------------------------------------------------
// Mixtures of Gaussians along the axes of the space, on a box if one is given.

namespace {

void refuse_malformed(const GaussianMixtureSpec& spec) {
  refuse_if(spec.means.empty() || spec.means.front().empty(), "empty-input", "means",
            "a Gaussian mixture must have at least one component of one dimension, but has none");
  const std::size_t dimension = spec.means.front().size();
  refuse_if(spec.weights.size() != spec.means.size() || spec.variances.size() != spec.means.size(),
            "wrong-shape", "means",
            "a Gaussian mixture of {} means must have as many weights and variances, but has {} "
            "weights and {} variances",
            spec.means.size(), spec.weights.size(), spec.variances.size());
  for (std::size_t i = 0; i < spec.means.size(); ++i) {
    if (spec.means[i].size() != dimension || spec.variances[i].size() != dimension) {
      refuse_input("wrong-shape", "means",
                   "component {} of a Gaussian mixture must have {} coordinates like component 0, "
                   "but has {} in its mean and {} in its variance",
                   i, dimension, spec.means[i].size(), spec.variances[i].size());
    }
    if (!(spec.weights[i] >= 0)) {
      refuse_input("not-a-distribution", "weights",
                   "weight {} of a Gaussian mixture must not be negative, but is {:g}", i,
                   spec.weights[i]);
    }
  }
  refuse_if(!spec.box.empty() && spec.box.size() != dimension, "wrong-shape", "box",
            "the box of a Gaussian mixture must have its {} dimensions, but has {}", dimension,
            spec.box.size());
}

/// A normal law has less than 2^-43 of its mass farther out, on both sides together.
constexpr double kFarDeviations = 7.5;

/// One of the weights' positions, with a probability in proportion to it; the first if all are 0.
std::size_t pick(SeededRandom& random, std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  double left = uniform_of_unit_interval(random) * sum;
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
  refuse_if(!(sum > 0) || !std::isfinite(sum), "not-a-distribution", "weights",
            "the weights of a Gaussian mixture must have a positive, finite sum, but it is {:g}",
            sum);
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
  // Each row of cells along the last axis gets that axis' masses times the other axes'.
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

void GaussianMixture::simulate(SeededRandom& random, std::span<double> point) const {
  simulate_inside(random, box_, point);
}

void GaussianMixture::simulate_inside(SeededRandom& random, const Box& cell,
                                      std::span<double> point) const {
  std::vector<double> shares(weights_.size());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = weights_[i];
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      shares[i] *= factor(i, axis).mass(cell[axis]);
    }
  }
  const std::size_t component = pick(random, shares);
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    point[axis] = factor(component, axis).quantile(uniform_of_unit_interval(random), cell[axis]);
  }
}

// -----------------------------------------------------------------------------------------------
// Measures on the part of R^d in which the records of a numeric domain lie.

namespace {

constexpr double kLeastMass = 0x1p-80;

/// None of a column that is no axis.
std::optional<Interval> interval_in(const Column& column) {
  if (column.codes_and_nulls() != 0) return std::nullopt;
  if (const auto* numbers = std::get_if<NumberCells>(&column.cells());
      numbers != nullptr && numbers->are_equal()) {
    return Interval{numbers->min(), numbers->max()};
  }
  if (const auto* integers = std::get_if<IntegerCells>(&column.cells());
      integers != nullptr && integers->are_equal()) {
    return Interval{static_cast<double>(integers->min()) - 0.5,
                    static_cast<double>(integers->max()) + 0.5};
  }
  return std::nullopt;
}

Interval interval_of(const Column& column) {
  if (const auto interval = interval_in(column)) return *interval;
  refuse_input("not-for-this-domain", Concern::of_column(column.name()), {WayOut::set("reference")},
               "a density of numbers needs columns of type number or integer without edges or "
               "null: category, but column \"{}\" is not one: leave it out of the domain, or use "
               "the public table itself as the reference",
               column.name());
}

/// The ends of a column's cells.
std::vector<double> edges_of(const Column& column) {
  const Interval whole = interval_of(column);
  const auto* integers = std::get_if<IntegerCells>(&column.cells());
  if (integers == nullptr) return equal_width_edges(whole, column.size());
  std::vector<double> edges{whole.low};
  double through = 0;
  for (std::uint32_t cell = 0; cell < integers->size(); ++cell) {
    through += static_cast<double>(integers->points(cell));
    edges.push_back(whole.low + through);
  }
  return edges;
}

void require_dimension(const Measure& measure, const Box& box) {
  if (measure.dimension() == box.size()) return;
  refuse_input("wrong-shape", "reference",
               "the reference must have a dimension for each of {} columns, but has {}", box.size(),
               measure.dimension());
}

std::uint32_t cell_of(const Interval& axis, std::uint32_t cells, double x) {
  const double place = (x - axis.low) / axis.width() * cells;
  return static_cast<std::uint32_t>(std::clamp(place, 0.0, cells - 1.0));
}

}  // namespace

bool has_interval(const Column& column) { return interval_in(column).has_value(); }

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

std::vector<double> domain_masses(const Domain& domain, const Measure& measure) {
  constexpr double kLeastShare = 0.5;
  const Box box = domain_box(domain);
  require_dimension(measure, box);
  const double inside = measure.box_mass(box);
  if (!(inside >= kLeastShare)) {
    refuse_input("not-for-this-domain", "reference", {WayOut::set("reference")},
                 "only {:.3g} of the reference's mass lies between min and max of the domain's "
                 "columns: state the reference in the columns' units, or widen min and max",
                 inside);
  }
  std::vector<std::vector<double>> edges;
  for (const Column& column : domain.columns()) edges.push_back(edges_of(column));
  const Grid grid(std::move(edges));
  std::vector<double> masses(grid.cell_count());
  measure.cell_masses(grid, masses);
  if (domain.possible() == nullptr) return masses;
  std::vector<double> of_outcomes(domain.size());
  for (std::uint32_t outcome = 0; outcome < of_outcomes.size(); ++outcome) {
    std::size_t cell = 0;
    for (std::size_t i = 0; i < domain.columns().size(); ++i) {
      cell = cell * domain.columns()[i].size() + domain.digit(outcome, i);
    }
    of_outcomes[outcome] = masses[cell];
  }
  return of_outcomes;
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
  require_dimension(measure, box);
  const double mass = measure.box_mass(box);
  if (!(mass >= kLeastMass)) {
    refuse_input("not-for-this-domain", "reference", {WayOut::set("reference")},
                 "the reference must lie on the domain's values, but only {:.3g} of its mass does",
                 mass);
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

// -----------------------------------------------------------------------------------------------
// Measures written as JSON.

namespace {

using nlohmann::json;

/// One JSON value and its place, for messages. Refers to the value. Every member function throws
/// InvalidInput, one sentence, if the value is not what is asked for.
struct JsonNode {
  const json& value;
  std::string place;

  [[noreturn]] void refuse(std::string_view expected) const {
    refuse_input("wrong-type", place, "{} must be {}, but is {}", place, expected,
                 value.type_name());
  }

  [[nodiscard]] JsonNode member(const char* key) const {
    if (!value.is_object()) refuse("a JSON object");
    refuse_if(!value.contains(key), "missing-key", key, "{} must have \"{}\"", place, key);
    return {value[key], fmt::format("\"{}\" of {}", key, place)};
  }

  [[nodiscard]] double number() const {
    if (!value.is_number()) refuse("a number");
    return value.get<double>();
  }

  [[nodiscard]] std::string text() const {
    if (!value.is_string()) refuse("a text");
    return value.get<std::string>();
  }

  [[nodiscard]] std::vector<JsonNode> entries() const {
    if (!value.is_array()) refuse("a list");
    std::vector<JsonNode> nodes;
    for (std::size_t i = 0; i < value.size(); ++i) {
      nodes.push_back({value[i], fmt::format("entry {} of {}", i, place)});
    }
    return nodes;
  }

  [[nodiscard]] std::vector<double> numbers() const {
    std::vector<double> found;
    for (const JsonNode& entry : entries()) found.push_back(entry.number());
    return found;
  }

  /// Refuses an object that has other keys: a misspelt one must not be passed over.
  void allow_only(std::initializer_list<std::string_view> keys) const {
    if (!value.is_object()) refuse("a JSON object");
    for (const auto& [key, ignored] : value.items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
        refuse_input("unknown-key", key, "{} may have only {}, but has \"{}\"", place,
                     fmt::join(keys, ", "), key);
      }
    }
  }
};

constexpr std::string_view kMixture = "gaussian_mixture";
constexpr std::string_view kGaussian = "gaussian";
constexpr std::string_view kEnvelope = "gaussian_mixture_envelope";
constexpr std::string_view kUniform = "uniform";
constexpr std::string_view kHistogram = "histogram";
constexpr std::string_view kProduct = "product";
/// Deep enough for products of products, and no deeper than a stack is.
constexpr int kMostLevels = 8;

Box box_of(const JsonNode& node) {
  if (!node.value.contains("box")) return {};
  Box box;
  for (const JsonNode& entry : node.member("box").entries()) {
    const std::vector<double> ends = entry.numbers();
    if (ends.size() != 2 || !(ends[0] < ends[1])) {
      refuse_input("malformed-text", "box", "{} must be a lower and a greater upper end, but is {}",
                   entry.place, entry.value.dump());
    }
    box.push_back({ends[0], ends[1]});
  }
  refuse_if(box.empty(), "empty-input", "box", "\"box\" of {} must have an axis, but is empty",
            node.place);
  return box;
}

GaussianMixtureSpec mixture_of(const JsonNode& node) {
  node.allow_only({"type", "means", "weights", "variance", "box"});
  GaussianMixtureSpec spec;
  for (const JsonNode& mean : node.member("means").entries()) spec.means.push_back(mean.numbers());
  spec.weights = node.member("weights").numbers();
  const JsonNode variance = node.member("variance");
  if (variance.value.is_array()) {
    const std::vector<JsonNode> entries = variance.entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t dimension = i < spec.means.size() ? spec.means[i].size() : 0;
      spec.variances.push_back(entries[i].value.is_array()
                                   ? entries[i].numbers()
                                   : std::vector<double>(dimension, entries[i].number()));
    }
  } else {
    for (const auto& mean : spec.means) {
      spec.variances.emplace_back(mean.size(), variance.number());
    }
  }
  spec.box = box_of(node);
  return spec;
}

GaussianMixtureSpec gaussian_of(const JsonNode& node) {
  node.allow_only({"type", "mean", "variance", "box"});
  const std::vector<double> mean = node.member("mean").numbers();
  const JsonNode variance = node.member("variance");
  return {.means = {mean},
          .weights = {1},
          .variances = {variance.value.is_array()
                            ? variance.numbers()
                            : std::vector<double>(mean.size(), variance.number())},
          .box = box_of(node)};
}

std::shared_ptr<const Measure> envelope_of(const JsonNode& node) {
  node.allow_only({"type", "radius", "variance", "dimension", "box"});
  const double dimension = node.member("dimension").number();
  if (!(dimension >= 1) || !(dimension <= 100) || dimension != std::floor(dimension)) {
    refuse_input("out-of-range", "dimension",
                 "\"dimension\" of {} must be a whole number from 1 to 100, but is {}", node.place,
                 node.member("dimension").value.dump());
  }
  return std::make_shared<GaussianEnvelope>(node.member("radius").number(),
                                            node.member("variance").number(),
                                            static_cast<std::size_t>(dimension), box_of(node));
}

std::shared_ptr<const Measure> histogram_of(const JsonNode& node) {
  node.allow_only({"type", "edges", "masses"});
  std::vector<std::vector<double>> edges;
  for (const JsonNode& axis : node.member("edges").entries()) edges.push_back(axis.numbers());
  return std::make_shared<HistogramMeasure>(Grid(std::move(edges)),
                                            node.member("masses").numbers());
}

std::shared_ptr<const Measure> measure_of(const JsonNode& node, int levels) {
  const std::string type = node.member("type").text();
  if (type == kMixture) return std::make_shared<GaussianMixture>(mixture_of(node));
  if (type == kGaussian) return std::make_shared<GaussianMixture>(gaussian_of(node));
  if (type == kEnvelope) return envelope_of(node);
  if (type == kUniform) {
    node.allow_only({"type", "box"});
    return std::make_shared<UniformMeasure>(box_of(node));
  }
  if (type == kHistogram) return histogram_of(node);
  if (type == kProduct) {
    node.allow_only({"type", "factors"});
    refuse_if(levels == 0, "malformed-file", {}, "{} is nested too deeply", node.place);
    std::vector<std::shared_ptr<const Measure>> factors;
    for (const JsonNode& factor : node.member("factors").entries()) {
      factors.push_back(measure_of(factor, levels - 1));
    }
    return std::make_shared<ProductMeasure>(std::move(factors));
  }
  const std::vector<std::string> known{std::string(kMixture),   std::string(kGaussian),
                                       std::string(kEnvelope),  std::string(kUniform),
                                       std::string(kHistogram), std::string(kProduct)};
  refuse_input("unknown-name", "type", ways_to_mean("type", type, known),
               "\"type\" of {} must be {}, but is \"{}\"{}", node.place, choice_words(known), type,
               did_you_mean(type, known));
}

}  // namespace

std::string measure_json(const GaussianMixtureSpec& mixture) {
  json box = json::array();
  for (const Interval& axis : mixture.box) box.push_back(json::array({axis.low, axis.high}));
  const auto lines = [](const std::vector<std::vector<double>>& lists) {
    std::string text;
    for (const auto& list : lists) {
      text += fmt::format("{}    {}", text.empty() ? "" : ",\n", json(list).dump());
    }
    return text;
  };
  return fmt::format(
      "{{\n  \"type\": \"{}\",\n  \"means\": [\n{}\n  ],\n  \"weights\": {},\n  \"variance\": "
      "[\n{}\n  ]{}\n}}\n",
      kMixture, lines(mixture.means), json(mixture.weights).dump(), lines(mixture.variances),
      box.empty() ? "" : fmt::format(",\n  \"box\": {}", box.dump()));
}

std::shared_ptr<const Measure> measure_from_json(std::string_view text, const std::string& name) {
  require_json(text, name);
  const json value = json::parse(text);
  return measure_of({value, name}, kMostLevels);
}

}  // namespace mollify
