#include "laboratory/measure/gaussian_mixture_measure.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/tools/roots.hpp>

namespace mollify {
namespace {

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

Box GaussianMixtureMeasure::central_box() const {
  Box central = mixture_.box();
  for (std::size_t axis = 0; axis < central.size(); ++axis) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (std::size_t i = 0; i < mixture_.component_count(); ++i) {
      if (mixture_.weight(i) == 0) continue;
      const TruncatedNormal& factor = mixture_.factor(i, axis);
      const double reach = kFarDeviations * factor.deviation();
      // A support far out in a tail is kept whole: the mass lies at its inner end.
      const Interval& support = factor.support();
      low =
          std::min(low, factor.mean() - reach < support.high ? factor.mean() - reach : support.low);
      high = std::max(high,
                      factor.mean() + reach > support.low ? factor.mean() + reach : support.high);
    }
    central[axis].low = std::max(central[axis].low, low);
    central[axis].high = std::min(central[axis].high, high);
  }
  return central;
}

std::vector<double> GaussianMixtureMeasure::equal_mass_edges(std::size_t axis,
                                                             std::size_t cells) const {
  const Interval ends = central_box()[axis];
  // The marginal along an axis is the mixture of the components' factors.
  const auto mass_below = [&](double x) {
    double sum = 0;
    for (std::size_t i = 0; i < mixture_.component_count(); ++i) {
      sum += mixture_.weight(i) * mixture_.factor(i, axis).mass({ends.low, x});
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

void GaussianMixtureMeasure::draw_from(WordStream& words, std::span<double> point) const {
  draw_inside_from(words, mixture_.box(), point);
}

void GaussianMixtureMeasure::draw_inside_from(WordStream& words, const Box& cell,
                                              std::span<double> point) const {
  std::vector<double> shares(mixture_.component_count());
  for (std::size_t i = 0; i < shares.size(); ++i) {
    shares[i] = mixture_.weight(i);
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      shares[i] *= mixture_.factor(i, axis).mass(cell[axis]);
    }
  }
  const std::size_t component = pick(words, shares);
  for (std::size_t axis = 0; axis < point.size(); ++axis) {
    point[axis] = mixture_.factor(component, axis).quantile(words.unit(), cell[axis]);
  }
}

GaussianMixtureSpec single_gaussian(std::vector<double> mean, double variance, Box box) {
  const std::vector<double> variances(mean.size(), variance);
  return {
      .means = {std::move(mean)}, .weights = {1}, .variances = {variances}, .box = std::move(box)};
}

}  // namespace mollify
