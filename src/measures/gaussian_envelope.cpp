#include "measures/gaussian_envelope.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/binomial.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "base/refusal.h"
#include "core/ranges.h"
#include "measures/truncated_normal.h"

namespace mollify {

namespace {

constexpr std::size_t kMostDimensions = 100;

/// Integrates over [low, high] a function that changes over lengths of `scale` and is smooth
/// inside. If it is smooth at the ends, too, a Gauss-Legendre rule is enough, one of three points
/// on short pieces; grids have millions. If it may have square roots there, x = middle + half (3t -
/// t^3)/2 turns them into polynomials.
template <class Function>
double integral(const Function& function, double low, double high, double scale,
                bool smooth_at_ends) {
  using boost::math::quadrature::gauss;
  const double width = high - low;
  if (!(width > 0)) return 0;
  if (smooth_at_ends && width <= 0.2 * scale) {
    return gauss<double, 3>::integrate(function, low, high);
  }
  const auto pieces = static_cast<std::size_t>(std::ceil(width / scale));
  const double half = 0.5 * width / static_cast<double>(pieces);
  double sum = 0;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const double middle = low + static_cast<double>(2 * piece + 1) * half;
    if (smooth_at_ends) {
      sum += gauss<double, 10>::integrate(function, middle - half, middle + half);
      continue;
    }
    sum += gauss<double, 15>::integrate(
        [&](double t) {
          return 1.5 * half * (1 - t * t) * function(middle + half * (1.5 - 0.5 * t * t) * t);
        },
        -1.0, 1.0);
  }
  return sum;
}

double volume_of_unit_ball(double dimension) {
  return std::pow(std::numbers::pi, dimension / 2) / boost::math::tgamma(dimension / 2 + 1);
}

/// A lower bound of the mass that N(m, v I) has in the box, over all |m| <= r; nearly attained.
///
/// The mass is a product of one factor for each axis, log-concave in its coordinate of m, so it is
/// least on the sphere. The sphere is cut into pieces on which every coordinate lies in an
/// interval; there a factor is least at an end of the interval.
double least_normaliser(const Box& box, double radius, double variance) {
  const auto least_between = [&](std::size_t axis, double a, double b) {
    return std::min(TruncatedNormal(a, variance, box[axis]).normaliser(),
                    TruncatedNormal(b, variance, box[axis]).normaliser());
  };
  if (box.size() == 1) return least_between(0, -radius, radius);
  // A multiple of four: in each piece cosine and sine are monotone.
  const int pieces = box.size() == 2 ? 1 << 15 : 1 << 9;
  const double step = 2 * std::numbers::pi / pieces;
  const auto least_on_circle = [&](double reach, std::size_t axis) {
    double least = 1;
    for (int i = 0; i < pieces; ++i) {
      const double a = i * step;
      const double b = a + step;
      least =
          std::min(least, least_between(axis, reach * std::cos(a), reach * std::cos(b)) *
                              least_between(axis + 1, reach * std::sin(a), reach * std::sin(b)));
    }
    return least;
  };
  if (box.size() == 2) return least_on_circle(radius, 0);
  // Slices of the ball: the other two coordinates lie in a disc no larger than the slice's largest,
  // and over a disc, too, the mass is least on the rim.
  double least = 1;
  for (int i = 0; i < pieces / 2; ++i) {
    const double a = i * step;
    const double b = a + step;
    const double reach = radius * std::max(std::sin(a), std::sin(b));
    least = std::min(least, least_between(0, radius * std::cos(a), radius * std::cos(b)) *
                                least_on_circle(reach, 1));
  }
  return least;
}

}  // namespace

GaussianEnvelope::GaussianEnvelope(double radius, double variance, std::size_t dimension, Box box)
    : radius_(radius),
      variance_(variance),
      deviation_(std::sqrt(variance)),
      box_(box.empty() ? Box(dimension) : std::move(box)),
      peak_(std::pow(2 * std::numbers::pi * variance, -0.5 * static_cast<double>(dimension))) {
  require_in(kNotNegative, {"the radius of a Gaussian envelope", "radius"}, radius);
  require_in(kPositive, {"the variance of a Gaussian envelope", "variance"}, variance);
  require_between({"the dimension of a Gaussian envelope", "dimension"}, dimension, 1,
                  kMostDimensions);
  refuse_if(box_.size() != dimension, "wrong-shape", "box",
            "the box of a Gaussian envelope must have its {} dimensions, but has {}", dimension,
            box_.size());
  if (box_ == Box(dimension)) {
    shape_mass_ = unbounded_shape_mass();
  } else {
    refuse_if(dimension > Grid::kMostDimensions, "too-many-columns", {},
              "a Gaussian envelope on a box must have at most {} dimensions, but has {}",
              Grid::kMostDimensions, dimension);
    peak_ /= least_normaliser(box_, radius, variance);
    shape_mass_ = 1;  // box_mass divides by it
    shape_mass_ = box_mass(box_);
  }
  refuse_if(!std::isnormal(shape_mass_) || !std::isnormal(peak_), "not-representable", {},
            "a Gaussian envelope must have a mass that a double holds, but that of radius {:g} and "
            "variance {:g} in {} dimensions has not",
            radius, variance, dimension);
}

Box GaussianEnvelope::central_box() const {
  // Beyond the ball the radius grows at most like a Gaussian's in d dimensions.
  const double reach =
      radius_ + deviation_ * (7.5 + std::sqrt(static_cast<double>(dimension() - 1)));
  Box central = box_;
  for (Interval& interval : central) {
    interval.low = std::max(interval.low, std::min(-reach, interval.high - reach));
    interval.high = std::min(interval.high, std::max(reach, interval.low + reach));
  }
  return central;
}

double GaussianEnvelope::shape(double squared_norm) const {
  if (squared_norm <= radius_ * radius_) return 1;
  const double beyond = std::sqrt(squared_norm) - radius_;
  return std::exp(-beyond * beyond / (2 * variance_));
}

double GaussianEnvelope::density(std::span<const double> point) const {
  double squared_norm = 0;
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    if (!box_[axis].contains(point[axis])) return 0;
    squared_norm += point[axis] * point[axis];
  }
  return shape(squared_norm) / shape_mass_;
}

double GaussianEnvelope::unbounded_shape_mass() const {
  // The ball, and sphere by sphere what lies outside: the integral over s > 0 of
  // d V (r + s)^(d-1) exp(-s^2 / (2v)), expanded by powers of s.
  const auto d = static_cast<unsigned>(dimension());
  double outside = 0;
  for (unsigned k = 0; k < d; ++k) {
    outside += boost::math::binomial_coefficient<double>(d - 1, k) *
               std::pow(radius_, static_cast<double>(d - 1 - k)) * 0.5 *
               std::pow(2 * variance_, 0.5 * (k + 1)) * boost::math::tgamma(0.5 * (k + 1));
  }
  return volume_of_unit_ball(d) * (std::pow(radius_, static_cast<double>(d)) + d * outside);
}

double GaussianEnvelope::shape_integral(const Box& box, std::size_t axis,
                                        double squared_norm) const {
  // The integral along this axis has kinks where the sphere, or its intersection with a side of
  // the box, begins or ends.
  std::array<double, 9> squares{radius_ * radius_ - squared_norm};
  std::size_t count = 1;
  for (std::size_t later = axis + 1; later < box.size(); ++later) {
    const std::size_t before = count;
    for (const double side : {box[later].low, box[later].high}) {
      for (std::size_t j = 0; j < before; ++j) squares[count++] = squares[j] - side * side;
    }
  }
  std::array<double, 20> places{box[axis].low};
  std::size_t place_count = 1;
  for (std::size_t j = 0; j < count; ++j) {
    if (!(squares[j] > 0)) continue;
    const double root = std::sqrt(squares[j]);
    for (const double place : {-root, root}) {
      if (box[axis].low < place && place < box[axis].high) places[place_count++] = place;
    }
  }
  places[place_count++] = box[axis].high;
  std::sort(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(place_count));
  const auto slice = [&](double x) {
    const double squared = squared_norm + x * x;
    return axis + 1 == box.size() ? shape(squared) : shape_integral(box, axis + 1, squared);
  };
  double sum = 0;
  for (std::size_t j = 0; j + 1 < place_count; ++j) {
    const bool smooth_at_ends = axis + 1 == box.size() || place_count == 2;
    sum += integral(slice, places[j], places[j + 1], deviation_, smooth_at_ends);
  }
  return sum;
}

double GaussianEnvelope::box_mass(const Box& box) const {
  Box inside(box_.size());
  double squared_farthest = 0;
  for (std::size_t axis = 0; axis < box_.size(); ++axis) {
    inside[axis] = {std::max(box[axis].low, box_[axis].low),
                    std::min(box[axis].high, box_[axis].high)};
    if (!(inside[axis].width() > 0)) return 0;
    const double farthest = std::max(std::abs(inside[axis].low), std::abs(inside[axis].high));
    squared_farthest += farthest * farthest;
  }
  if (squared_farthest <= radius_ * radius_) {
    double volume = 1;
    for (const Interval& interval : inside) volume *= interval.width();
    return volume / shape_mass_;
  }
  if (box_.size() == 1) {
    // Half a bell on either side of the flat part.
    const double flat =
        std::max(0.0, std::min(inside[0].high, radius_) - std::max(inside[0].low, -radius_));
    const double bell = std::sqrt(2 * std::numbers::pi * variance_);
    const TruncatedNormal left(-radius_, variance_);
    const TruncatedNormal right(radius_, variance_);
    return (flat + bell * (left.mass({inside[0].low, std::min(inside[0].high, -radius_)}) +
                           right.mass({std::max(inside[0].low, radius_), inside[0].high}))) /
           shape_mass_;
  }
  refuse_if(box_.size() > Grid::kMostDimensions, "too-many-columns", {},
            "masses of boxes are known for Gaussian envelopes of at most {} dimensions, but this "
            "one has {}",
            Grid::kMostDimensions, box_.size());
  // Cubature takes a piece for each deviation along each axis.
  const double most_deviations = box_.size() == 2 ? 200 : 20;
  if (radius_ > most_deviations * deviation_) {
    refuse_input("out-of-range", "radius",
                 "masses of boxes are known for Gaussian envelopes of {} dimensions with a radius "
                 "of at most {} deviations, but this one has {:g}",
                 box_.size(), most_deviations, radius_ / deviation_);
  }
  // Nothing that counts lies farther out, and cubature needs finite ends.
  const double far = radius_ + 12 * deviation_;
  for (Interval& interval : inside) {
    interval.low = std::max(interval.low, std::min(-far, interval.high - far));
    interval.high = std::min(interval.high, std::max(far, interval.low + far));
  }
  return shape_integral(inside, 0, 0) / shape_mass_;
}

void GaussianEnvelope::draw_unbounded(SeededRandom& random, std::span<double> point) const {
  const auto d = static_cast<unsigned>(dimension());
  // The radius: in the ball, or r + s with s from one of the terms of unbounded_shape_mass, where
  // s^2 / (2v) has a gamma law.
  double left = uniform_of_unit_interval(random) * shape_mass_ / volume_of_unit_ball(d) -
                std::pow(radius_, static_cast<double>(d));
  double norm = 0;
  if (left < 0) {
    norm = radius_ * std::pow(uniform_of_unit_interval(random), 1.0 / d);
  } else {
    unsigned k = 0;
    for (; k + 1 < d; ++k) {
      left -= d * boost::math::binomial_coefficient<double>(d - 1, k) *
              std::pow(radius_, static_cast<double>(d - 1 - k)) * 0.5 *
              std::pow(2 * variance_, 0.5 * (k + 1)) * boost::math::tgamma(0.5 * (k + 1));
      if (left < 0) break;
    }
    norm = radius_ +
           std::sqrt(2 * variance_ *
                     boost::math::gamma_p_inv(0.5 * (k + 1), uniform_of_unit_interval(random)));
  }
  double squared = 0;
  for (double& x : point) {
    x = normal_number(random);
    squared += x * x;
  }
  for (double& x : point) x *= norm / std::sqrt(squared);
}

void GaussianEnvelope::simulate(SeededRandom& random, std::span<double> point) const {
  if (box_ == Box(dimension())) return draw_unbounded(random, point);
  simulate_inside(random, central_box(), point);
}

void GaussianEnvelope::simulate_inside(SeededRandom& random, const Box& cell,
                                       std::span<double> point) const {
  // Uniform proposals, accepted in proportion to the density against the nearest point's.
  Box inside = cell;
  double squared_nearest = 0;
  for (std::size_t axis = 0; axis < inside.size(); ++axis) {
    inside[axis].low = std::clamp(cell[axis].low, box_[axis].low, box_[axis].high);
    inside[axis].high = std::clamp(cell[axis].high, box_[axis].low, box_[axis].high);
    const double nearest = std::clamp(0.0, inside[axis].low, inside[axis].high);
    squared_nearest += nearest * nearest;
  }
  const double greatest = shape(squared_nearest);
  for (;;) {
    uniform_in(random, inside, point);
    double squared = 0;
    for (const double x : point) squared += x * x;
    if (!(uniform_of_unit_interval(random) * greatest > shape(squared))) return;
  }
}

}  // namespace mollify
