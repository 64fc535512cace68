#include "laboratory/contender/bernstein_mechanism.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "divergence/compensated_sum.h"
#include "kernel/core/invalid_input.h"
#include "laboratory/measure/word_stream.h"

namespace mollify {
namespace {

constexpr std::size_t kMostLattice = 200;

void require_spec(const BernsteinSpec& spec, std::size_t coordinates) {
  if (spec.dimension < 1 || spec.dimension > 2) {
    throw InvalidInput(fmt::format(
        "the Bernstein mechanism has 1 or 2 dimensions, but is asked for {}", spec.dimension));
  }
  if (spec.lattice < 1 || spec.lattice > kMostLattice) {
    throw InvalidInput(fmt::format("the lattice must have from 1 to {} parts, but has {}",
                                   kMostLattice, spec.lattice));
  }
  if (spec.order < 1) throw InvalidInput("the order of iteration must be at least 1, but is 0");
  for (const auto& [name, value] : {std::pair{"width", spec.width}, std::pair{"group", spec.group},
                                    std::pair{"epsilon", spec.epsilon.value_or(1)}}) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw InvalidInput(fmt::format("{} must be finite and positive, but is {}", name, value));
    }
  }
  if (coordinates == 0 || coordinates % spec.dimension != 0) {
    throw InvalidInput(fmt::format("points of {} coordinates are needed, but there are {} numbers",
                                   spec.dimension, coordinates));
  }
}

/// Bin(K, y)(v) for v = 0 ... K: the weights of the coefficients at y.
std::vector<double> binomial_weights(std::size_t lattice, double y) {
  if (y > 0.5) {  // from the likelier end, so that nothing underflows
    std::vector<double> weights = binomial_weights(lattice, 1 - y);
    std::reverse(weights.begin(), weights.end());
    return weights;
  }
  const double k = static_cast<double>(lattice);
  std::vector<double> weights{std::pow(1 - y, k)};
  for (std::size_t v = 0; v < lattice; ++v) {
    const double hits = static_cast<double>(v);
    weights.push_back(weights.back() * (k - hits) / (hits + 1) * (y / (1 - y)));
  }
  return weights;
}

/// Rows of weights, one for each of some places along an axis.
std::vector<std::vector<double>> weights_at(std::size_t lattice, std::size_t places) {
  std::vector<std::vector<double>> rows;
  for (std::size_t i = 0; i <= places; ++i) {
    rows.push_back(binomial_weights(lattice, static_cast<double>(i) / static_cast<double>(places)));
  }
  return rows;
}

/// The polynomial at all combinations of those places.
std::vector<double> evaluated(std::span<const double> coefficients, std::size_t dimension,
                              const std::vector<std::vector<double>>& rows) {
  const std::size_t nodes = rows.front().size();
  const auto dot = [nodes](std::span<const double> weights, const double* values,
                           std::size_t stride) {
    double sum = 0;
    for (std::size_t v = 0; v < nodes; ++v) sum += weights[v] * values[v * stride];
    return sum;
  };
  if (dimension == 1) {
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(dot(row, coefficients.data(), 1));
    return values;
  }
  // First along the last axis, then along the first.
  std::vector<double> half(nodes * rows.size());
  for (std::size_t v = 0; v < nodes; ++v) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      half[v * rows.size() + j] = dot(rows[j], coefficients.data() + v * nodes, 1);
    }
  }
  std::vector<double> values(rows.size() * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < rows.size(); ++j) {
      values[i * rows.size() + j] = dot(rows[i], half.data() + j, rows.size());
    }
  }
  return values;
}

double normal_density(double z, double width) {
  return std::exp(-z * z / (2 * width * width)) / (std::sqrt(2 * std::numbers::pi) * width);
}

}  // namespace

NodeValues kernel_density_at_nodes(std::span<const double> points, const BernsteinSpec& spec) {
  require_spec(spec, points.size());
  const std::size_t nodes = spec.lattice + 1;
  const std::size_t count = points.size() / spec.dimension;
  NodeValues result{std::vector<double>(spec.dimension == 1 ? nodes : nodes * nodes), count};
  std::vector<double>& sums = result.values;
  std::vector<double> first(nodes);
  std::vector<double> last(nodes);
  for (std::size_t i = 0; i < count; ++i) {
    const auto along = [&](std::size_t axis, std::vector<double>& values) {
      for (std::size_t v = 0; v < nodes; ++v) {
        const double node = static_cast<double>(v) / static_cast<double>(spec.lattice);
        values[v] = normal_density(node - points[i * spec.dimension + axis], spec.width);
      }
    };
    along(spec.dimension - 1, last);
    if (spec.dimension == 1) {
      for (std::size_t v = 0; v < nodes; ++v) sums[v] += last[v];
      continue;
    }
    along(0, first);
    for (std::size_t u = 0; u < nodes; ++u) {
      if (first[u] == 0) continue;
      for (std::size_t v = 0; v < nodes; ++v) sums[u * nodes + v] += first[u] * last[v];
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(count);
  return result;
}

BernsteinDensity::BernsteinDensity(std::span<const double> points, const BernsteinSpec& spec,
                                   SeededRandom& random)
    : BernsteinDensity(kernel_density_at_nodes(points, spec), spec, random) {}

BernsteinDensity::BernsteinDensity(const NodeValues& estimate, const BernsteinSpec& spec,
                                   SeededRandom& random)
    : spec_(spec) {
  require_spec(spec, estimate.points * spec.dimension);
  std::vector<double> noisy = estimate.values;
  const std::size_t nodes = spec.lattice + 1;
  if (noisy.size() != (spec.dimension == 1 ? nodes : nodes * nodes)) {
    throw InvalidInput(
        fmt::format("the estimate must be that at {} nodes along each axis, but has "
                    "{} values",
                    nodes, noisy.size()));
  }
  if (spec.epsilon) {
    const auto count = static_cast<double>(estimate.points);
    const auto d = static_cast<double>(spec.dimension);
    const double sensitivity =
        spec.group / (count * std::pow(2 * std::numbers::pi, d / 2) * std::pow(spec.width, d));
    const double scale = sensitivity * static_cast<double>(noisy.size()) / *spec.epsilon;
    WordStream words(random);
    for (double& coefficient : noisy) {
      const double side = words.unit() < 0.5 ? -1 : 1;
      coefficient -= side * scale * std::log(words.unit());
    }
  }
  // W c = c + (I - B) c + (I - B)^2 c + ...
  const auto at_nodes = weights_at(spec.lattice, spec.lattice);
  coefficients_ = noisy;
  std::vector<double> rest = noisy;
  for (std::size_t i = 1; i < spec.order; ++i) {
    const std::vector<double> smoothed = evaluated(rest, spec.dimension, at_nodes);
    for (std::size_t v = 0; v < rest.size(); ++v) {
      rest[v] -= smoothed[v];
      coefficients_[v] += rest[v];
    }
  }
}

double BernsteinDensity::polynomial(std::span<const double> point) const {
  const std::vector<double> last = binomial_weights(spec_.lattice, point.back());
  const std::vector<double> first =
      spec_.dimension == 1 ? std::vector<double>{1} : binomial_weights(spec_.lattice, point[0]);
  double sum = 0;
  for (std::size_t u = 0; u < first.size(); ++u) {
    for (std::size_t v = 0; v < last.size(); ++v) {
      sum += first[u] * last[v] * coefficients_[u * last.size() + v];
    }
  }
  return sum;
}

std::vector<double> BernsteinDensity::cell_masses(std::size_t along) const {
  const std::size_t places = 2 * along + 1;
  std::vector<double> values =
      evaluated(coefficients_, spec_.dimension, weights_at(spec_.lattice, 2 * along));
  const double least = *std::min_element(values.begin(), values.end());
  if (least < 0) {
    for (double& value : values) value -= least;
  }
  constexpr double kSimpson[] = {1, 4, 1};
  std::vector<double> masses;
  CompensatedSum whole;
  const std::size_t rows = spec_.dimension == 1 ? 1 : along;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < along; ++j) {
      double mass = 0;
      for (std::size_t a = 0; a < (spec_.dimension == 1 ? 1U : 3U); ++a) {
        for (std::size_t b = 0; b < 3; ++b) {
          const double weight = (spec_.dimension == 1 ? 1 : kSimpson[a]) * kSimpson[b];
          mass += weight * values[(2 * i + a) * (spec_.dimension == 1 ? 0 : places) + 2 * j + b];
        }
      }
      masses.push_back(mass);
      whole += mass;
    }
  }
  for (double& mass : masses) mass /= whole.value();
  return masses;
}

double cross_validated_width(std::span<const double> points, std::size_t dimension) {
  constexpr std::size_t kMostPoints = 2000;
  constexpr std::size_t kFolds = 10;
  constexpr int kWidths = 13;
  if (dimension == 0 || points.size() < 2 * dimension) {
    throw InvalidInput("a width needs at least 2 points to be found from");
  }
  const std::size_t count = std::min(points.size() / dimension, kMostPoints);
  double best = 0;
  double best_likelihood = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < kWidths; ++step) {
    const double width = 0.005 * std::pow(0.2 / 0.005, static_cast<double>(step) / (kWidths - 1));
    const double factor = -1 / (2 * width * width);
    const double peak =
        std::pow(std::sqrt(2 * std::numbers::pi) * width, -static_cast<double>(dimension));
    double likelihood = 0;
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      std::size_t others = 0;
      for (std::size_t j = 0; j < count; ++j) {
        if (j % kFolds == i % kFolds) continue;
        double squares = 0;
        for (std::size_t axis = 0; axis < dimension; ++axis) {
          const double z = points[i * dimension + axis] - points[j * dimension + axis];
          squares += z * z;
        }
        sum += std::exp(factor * squares);
        ++others;
      }
      if (others == 0) continue;
      likelihood += std::log(
          std::max(peak * sum / static_cast<double>(others), std::numeric_limits<double>::min()));
    }
    if (likelihood > best_likelihood) {
      best_likelihood = likelihood;
      best = width;
    }
  }
  return best;
}

}  // namespace mollify
