#include "laboratory/contender/contenders.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <Eigen/Core>
#include <boost/math/distributions/chi_squared.hpp>
#include <fmt/format.h>

#include "core/invalid_input.h"
#include "domain/candidates.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "scores/linear_algebra.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The Bernstein mechanism.

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

// -----------------------------------------------------------------------------------------------
// A Wasserstein GAN whose critic learns from clipped and noised gradients.

namespace {

constexpr std::size_t kPlane = 2;
constexpr std::size_t kMostGanWidth = 128;

/// Inputs, two hidden layers of tanh, linear outputs. Parameters are one vector: of each layer the
/// weights, row by row, and then the offsets.
class SmallNetwork {
 public:
  SmallNetwork(std::size_t inputs, std::size_t width, std::size_t outputs)
      : sizes_{inputs, width, width, outputs} {
    for (std::size_t l = 0; l < 3; ++l) {
      first_[l] = count_;
      count_ += (sizes_[l] + 1) * sizes_[l + 1];
    }
    for (std::size_t l = 0; l < 4; ++l) {
      values_[l].resize(sizes_[l]);
      slopes_[l].resize(sizes_[l]);
    }
  }

  [[nodiscard]] std::size_t parameter_count() const { return count_; }

  /// Uniform weights as [Glorot, Bengio 2010] have them, offsets 0.
  [[nodiscard]] std::vector<float> start(WordStream& words) const {
    std::vector<float> parameters(count_);
    for (std::size_t l = 0; l < 3; ++l) {
      const double limit = std::sqrt(6 / static_cast<double>(sizes_[l] + sizes_[l + 1]));
      for (std::size_t i = 0; i < sizes_[l] * sizes_[l + 1]; ++i) {
        parameters[first_[l] + i] = static_cast<float>(limit * (2 * words.unit() - 1));
      }
    }
    return parameters;
  }

  /// The outputs, which stay until the next call.
  const std::vector<float>& forward(const std::vector<float>& parameters, const float* inputs) {
    std::copy(inputs, inputs + sizes_[0], values_[0].begin());
    for (std::size_t l = 0; l < 3; ++l) {
      const float* weight = parameters.data() + first_[l];
      const float* offset = weight + sizes_[l] * sizes_[l + 1];
      for (std::size_t j = 0; j < sizes_[l + 1]; ++j) {
        float sum = offset[j];
        for (std::size_t k = 0; k < sizes_[l]; ++k) sum += weight[k] * values_[l][k];
        weight += sizes_[l];
        values_[l + 1][j] = l < 2 ? std::tanh(sum) : sum;
      }
    }
    return values_[3];
  }

  /// Adds the gradient of sum_j slopes[j] output_j, for what went forward last; returns that with
  /// respect to the inputs.
  const std::vector<float>& backward(const std::vector<float>& parameters, const float* slopes,
                                     std::vector<float>& gradient) {
    std::copy(slopes, slopes + sizes_[3], slopes_[3].begin());
    for (std::size_t l = 3; l-- > 0;) {
      const float* weight = parameters.data() + first_[l];
      float* of_weight = gradient.data() + first_[l];
      float* of_offset = of_weight + sizes_[l] * sizes_[l + 1];
      std::fill(slopes_[l].begin(), slopes_[l].end(), 0.0F);
      for (std::size_t j = 0; j < sizes_[l + 1]; ++j) {
        const float slope = l < 2 ? slopes_[l + 1][j] * (1 - values_[l + 1][j] * values_[l + 1][j])
                                  : slopes_[l + 1][j];
        of_offset[j] += slope;
        for (std::size_t k = 0; k < sizes_[l]; ++k) {
          of_weight[k] += slope * values_[l][k];
          slopes_[l][k] += slope * weight[k];
        }
        weight += sizes_[l];
        of_weight += sizes_[l];
      }
    }
    return slopes_[0];
  }

 private:
  std::size_t sizes_[4];
  std::size_t first_[3] = {};
  std::size_t count_ = 0;
  std::vector<float> values_[4];
  std::vector<float> slopes_[4];
};

/// RMSProp: each coordinate's step is divided by the root of its mean square.
class RootMeanSquareSteps {
 public:
  RootMeanSquareSteps(std::size_t count, double rate) : squares_(count), rate_(rate) {}

  /// Moves the parameters along the gradient; `direction` is 1 or -1.
  void step(const std::vector<float>& gradient, float direction, std::vector<float>& parameters) {
    for (std::size_t i = 0; i < gradient.size(); ++i) {
      squares_[i] = 0.9F * squares_[i] + 0.1F * gradient[i] * gradient[i];
      parameters[i] +=
          direction * static_cast<float>(rate_) * gradient[i] / (std::sqrt(squares_[i]) + 1e-8F);
    }
  }

 private:
  std::vector<float> squares_;
  double rate_;
};

void require_gan(const Points& records, const PrivateGanSpec& spec) {
  if (records.dimension() != kPlane || records.size() == 0) {
    throw InvalidInput(
        fmt::format("the network learns from points of the plane, but has {} of {} "
                    "dimensions",
                    records.size(), records.dimension()));
  }
  if (spec.width < 1 || spec.width > kMostGanWidth || spec.batch < 1 || spec.critic_steps < 1) {
    throw InvalidInput(
        fmt::format("width (to {}), batch and steps of the critic must be at least 1, but are {}, "
                    "{} and {}",
                    kMostGanWidth, spec.width, spec.batch, spec.critic_steps));
  }
  if (!(spec.rate > 0) || !(spec.weight_bound > 0) || !(spec.gradient_bound > 0) ||
      !(spec.noise >= 0)) {
    throw InvalidInput("rate and bounds must be positive and noise not negative");
  }
}

/// Generator and critic with all that they are trained with.
class Training {
 public:
  Training(const Points& records, const PrivateGanSpec& spec, SeededRandom& random)
      : records_(records),
        spec_(spec),
        words_(random),
        generator_(kPlane, spec.width, kPlane),
        critic_(kPlane, spec.width, 1),
        generator_weights_(generator_.start(words_)),
        critic_weights_(critic_.start(words_)),
        generator_steps_(generator_weights_.size(), spec.rate),
        critic_steps_(critic_weights_.size(), spec.rate),
        sum_(critic_weights_.size()),
        one_(critic_weights_.size()),
        of_generator_(generator_weights_.size()) {
    bound_weights();
  }

  /// One step of the critic: up f(x) - f(G(z)), privately.
  void improve_critic() {
    std::fill(sum_.begin(), sum_.end(), 0.0F);
    for (std::size_t chosen = passed_over(); chosen < records_.size();
         chosen += 1 + passed_over()) {
      const float record[kPlane] = {records_.values(0)[chosen], records_.values(1)[chosen]};
      std::fill(one_.begin(), one_.end(), 0.0F);
      add_critic_gradient(record, 1);
      add_critic_gradient(made().data(), -1);
      double squares = 0;
      for (const float part : one_) squares += static_cast<double>(part * part);
      const double norm = std::sqrt(squares);
      const auto kept =
          static_cast<float>(norm > spec_.gradient_bound ? spec_.gradient_bound / norm : 1);
      for (std::size_t j = 0; j < sum_.size(); ++j) sum_[j] += kept * one_[j];
    }
    const double deviation = spec_.noise * spec_.gradient_bound;
    for (float& part : sum_) {
      if (deviation > 0) part += static_cast<float>(deviation * words_.normal());
      part /= static_cast<float>(spec_.batch);
    }
    critic_steps_.step(sum_, 1, critic_weights_);
    bound_weights();
  }

  /// One step of the generator: up f(G(z)); no record is looked at.
  void improve_generator() {
    std::fill(of_generator_.begin(), of_generator_.end(), 0.0F);
    const float share = 1 / static_cast<float>(spec_.batch);
    for (std::size_t i = 0; i < spec_.batch; ++i) {
      const std::vector<float> point = made();
      critic_.forward(critic_weights_, point.data());
      const float slope = share;
      const std::vector<float> of_point = critic_.backward(critic_weights_, &slope, one_);
      generator_.backward(generator_weights_, of_point.data(), of_generator_);
    }
    generator_steps_.step(of_generator_, 1, generator_weights_);
  }

  /// A point of the generator.
  const std::vector<float>& made() {
    const float noise[kPlane] = {static_cast<float>(words_.normal()),
                                 static_cast<float>(words_.normal())};
    return generator_.forward(generator_weights_, noise);
  }

 private:
  /// How many records are passed over before one that is chosen, each with probability batch/n.
  std::size_t passed_over() {
    const double rest = 1 - static_cast<double>(spec_.batch) / static_cast<double>(records_.size());
    if (rest <= 0) return 0;
    const double passed = std::floor(std::log(words_.unit()) / std::log(rest));
    return passed < static_cast<double>(records_.size()) ? static_cast<std::size_t>(passed)
                                                         : records_.size();
  }

  void add_critic_gradient(const float* point, float sign) {
    critic_.forward(critic_weights_, point);
    critic_.backward(critic_weights_, &sign, one_);
  }

  void bound_weights() {
    const auto bound = static_cast<float>(spec_.weight_bound);
    for (float& weight : critic_weights_) weight = std::clamp(weight, -bound, bound);
  }

  const Points& records_;
  const PrivateGanSpec& spec_;
  WordStream words_;
  SmallNetwork generator_;
  SmallNetwork critic_;
  std::vector<float> generator_weights_;
  std::vector<float> critic_weights_;
  RootMeanSquareSteps generator_steps_;
  RootMeanSquareSteps critic_steps_;
  std::vector<float> sum_;
  std::vector<float> one_;
  std::vector<float> of_generator_;
};

}  // namespace

double private_gan_noise(const PrivateGanSpec& spec, std::size_t records, double epsilon,
                         double delta) {
  const double rate = static_cast<double>(spec.batch) / static_cast<double>(records);
  return 2 * rate * std::sqrt(static_cast<double>(spec.critic_steps) * std::log(1 / delta)) /
         epsilon;
}

SampledGaussian private_gan_cost(const PrivateGanSpec& spec, std::size_t records) {
  return {.rate = std::min(1.0, static_cast<double>(spec.batch) / static_cast<double>(records)),
          .deviation = spec.noise,
          .steps = spec.generator_steps * spec.critic_steps};
}

Points private_gan_sample(const Points& records, const PrivateGanSpec& spec, std::size_t count,
                          std::uint64_t seed,
                          const std::function<void(std::size_t step)>& progress) {
  require_gan(records, spec);
  SeededRandom random(seed);
  Training training(records, spec, random);
  const std::size_t hundredth = std::max<std::size_t>(spec.generator_steps / 100, 1);
  for (std::size_t step = 1; step <= spec.generator_steps; ++step) {
    for (std::size_t i = 0; i < spec.critic_steps; ++i) training.improve_critic();
    training.improve_generator();
    if (progress && step % hundredth == 0) progress(step);
  }
  Points sample(kPlane, count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::vector<float>& point = training.made();
    for (std::size_t axis = 0; axis < kPlane; ++axis) sample.values(axis)[i] = point[axis];
  }
  return sample;
}

// -----------------------------------------------------------------------------------------------
// One sample of a Gaussian of unknown covariance by propose, test, release.

namespace {

constexpr std::size_t kMostTestedDimensions = 64;
constexpr double kLeastEigenvalue = 0.5;

double normal_cdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

/// N(mean, deviation^2) between two points; the tail that is the nearer one is subtracted, so that
/// small masses keep their digits.
double mass_between(double low, double high, double mean, double deviation) {
  const double a = (low - mean) / deviation;
  const double b = (high - mean) / deviation;
  return a > 0 ? normal_cdf(-a) - normal_cdf(-b) : normal_cdf(b) - normal_cdf(a);
}

double mass_beyond(double low, double high, double mean, double deviation) {
  return normal_cdf((low - mean) / deviation) + normal_cdf((mean - high) / deviation);
}

/// D: how far a replaced record moves an eigenvalue.
double eigenvalue_step(const TestedGaussianSpec& spec) {
  const auto n = static_cast<double>(spec.records);
  return 4 * spec.clip_radius * spec.clip_radius * (n - 1) / (n * n);
}

void require_tested(const TestedGaussianSpec& spec) {
  require_between("the dimension", spec.dimension, 1, kMostTestedDimensions);
  if (spec.records < 3) {
    throw InvalidInput(
        fmt::format("the number of records must be at least 3, but is {}", spec.records));
  }
  for (const auto& [name, value] :
       {std::pair{"epsilon", spec.epsilon}, std::pair{"the clip radius", spec.clip_radius}}) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw InvalidInput(fmt::format("{} must be finite and positive, but is {}", name, value));
    }
  }
  if (!(spec.delta > 0 && spec.delta < 0.5)) {
    throw InvalidInput(fmt::format("delta must be between 0 and 1/2, but is {}", spec.delta));
  }
}

}  // namespace

GaussianExcess gaussian_excess(double shift, double spread, double epsilon) {
  // ln N(shift, s^2)(y) / N(0, 1)(y) - e = a y^2 + b y - (c + e)
  const double variance = 1 + spread * spread;
  const double deviation = std::sqrt(variance);
  const double a = spread * spread / (2 * variance);
  const double b = shift / variance;
  const double c = shift * shift / (2 * variance) + std::log1p(spread * spread) / 2;
  GaussianExcess excess;
  // Roots of a y^2 + b y = level, a sum without cancellation; none for the second level if it is
  // not reached.
  const auto roots = [&](double level) {
    const double root = std::sqrt(b * b + 4 * a * level);
    const double far = -(b + root) / (2 * a);
    return std::pair{far, 2 * level / (b + root)};
  };
  const auto [low, high] = roots(c + epsilon);
  excess.of_wider = std::max(0.0, mass_beyond(low, high, shift, deviation) -
                                      std::exp(epsilon) * mass_beyond(low, high, 0, 1));
  if (b * b + 4 * a * (c - epsilon) > 0) {
    const auto [from, to] = roots(c - epsilon);
    excess.of_standard =
        std::max(0.0, mass_between(from, to, 0, 1) -
                          std::exp(epsilon) * mass_between(from, to, shift, deviation));
  }
  return excess;
}

TestedGaussian::TestedGaussian(const TestedGaussianSpec& spec) : spec_(spec) {
  require_tested(spec);
  const double step = eigenvalue_step(spec);
  test_scale_ = 2 * step / spec.epsilon;
  threshold_ = kLeastEigenvalue + step + test_scale_ * std::log(1 / (2 * spec.delta));
}

bool TestedGaussian::is_private() const {
  const double spread = std::sqrt(eigenvalue_step(spec_) / kLeastEigenvalue);
  const double shift = spread / std::sqrt(static_cast<double>(spec_.records - 1));
  const double hop = spec_.epsilon / 4;
  const GaussianExcess excess = gaussian_excess(shift, spread, hop);
  return excess.of_wider + std::exp(hop) * excess.of_standard <= spec_.delta;
}

std::optional<std::vector<double>> TestedGaussian::simulate(std::span<const double> rows,
                                                            SeededRandom& random) const {
  const std::size_t d = spec_.dimension;
  if (rows.size() != d * spec_.records) {
    throw InvalidInput(
        fmt::format("there must be {} records of {} numbers, but there are {} numbers",
                    spec_.records, d, rows.size()));
  }
  const auto columns = static_cast<Eigen::Index>(spec_.records);
  Eigen::MatrixXd points =
      Eigen::Map<const Eigen::MatrixXd>(rows.data(), static_cast<Eigen::Index>(d), columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    const double norm = points.col(i).norm();
    // What is not finite is clipped to 0.
    if (!std::isfinite(norm)) {
      points.col(i).setZero();
    } else if (norm > spec_.clip_radius) {
      points.col(i) *= spec_.clip_radius / norm;
    }
  }
  const Eigen::VectorXd mean = points.rowwise().mean();
  const Eigen::MatrixXd centred = points.colwise() - mean;
  const Eigen::MatrixXd scatter =
      centred * centred.transpose() / static_cast<double>(spec_.records);
  const EigenSystem eigen = eigen_system(scatter);
  WordStream words(random);
  const double side = words.unit() < 0.5 ? -1 : 1;
  if (!(eigen.values[0] - side * test_scale_ * std::log(words.unit()) >= threshold_))
    return std::nullopt;
  Eigen::VectorXd normals(static_cast<Eigen::Index>(d));
  for (double& z : normals) z = words.normal();
  const Eigen::VectorXd released = mean + eigen.root() * normals;
  return std::vector<double>(released.begin(), released.end());
}

double resampled_gaussian_total_variation(std::size_t dimension, std::uint64_t records) {
  constexpr std::size_t kVariances = 400;
  constexpr std::size_t kNorms = 2000;
  using ChiSquared = boost::math::chi_squared_distribution<double>;
  const auto middle = [](std::size_t i, std::size_t count) {
    return (static_cast<double>(i) + 0.5) / static_cast<double>(count);
  };
  const auto n = static_cast<double>(records);
  const auto d = static_cast<double>(dimension);
  const ChiSquared of_variance(n - 1);
  const ChiSquared of_norm(d);
  std::vector<double> variances(kVariances);
  for (std::size_t i = 0; i < kVariances; ++i) {
    variances[i] = (1 + quantile(of_variance, middle(i, kVariances))) / n;
  }
  double sum = 0;
  for (std::size_t j = 0; j < kNorms; ++j) {
    const double q = quantile(of_norm, middle(j, kNorms));
    double ratio = 0;
    for (const double v : variances) {
      ratio += std::exp(-d / 2 * std::log(v) + q / 2 * (1 - 1 / v)) / kVariances;
    }
    sum += std::abs(ratio - 1) / kNorms;
  }
  return sum / 2;
}

double tested_clip_radius(std::size_t dimension, double mean_bound, double covariance_bound,
                          std::uint64_t records, double alpha) {
  return mean_bound + std::sqrt(covariance_bound) *
                          (std::sqrt(static_cast<double>(dimension)) +
                           std::sqrt(2 * std::log(2 * static_cast<double>(records) / alpha)));
}

std::optional<std::uint64_t> tested_gaussian_records(std::size_t dimension, double mean_bound,
                                                     double covariance_bound, double epsilon,
                                                     double delta, double alpha) {
  const auto d = static_cast<double>(dimension);
  const auto serves = [&](std::uint64_t records) {
    const auto n = static_cast<double>(records);
    const TestedGaussian sampler({.dimension = dimension,
                                  .records = records,
                                  .epsilon = epsilon,
                                  .delta = delta,
                                  .clip_radius = tested_clip_radius(
                                      dimension, mean_bound, covariance_bound, records, alpha)});
    if (!sampler.is_private()) return false;
    // Wishart with n - 1 degrees: the root of S/(n - 1)'s least eigenvalue is below
    // 1 - sqrt(d/(n - 1)) - t with probability at most e^(-(n - 1) t^2/2) [Davidson, Szarek 2001].
    const double logarithm = std::log(8 / alpha);
    const double root = 1 - std::sqrt(d / (n - 1)) - std::sqrt(2 * logarithm / (n - 1));
    const double least = root > 0 ? (n - 1) / n * root * root : 0;
    if (least < sampler.threshold() + sampler.test_scale() * logarithm) return false;
    return resampled_gaussian_total_variation(dimension, records) <= alpha / 4;
  };
  std::uint64_t high = 4;
  while (!serves(high)) {
    if (high >= std::uint64_t{1} << 40) return std::nullopt;
    high *= 2;
  }
  std::uint64_t low = high / 2;
  while (high - low > 1) {
    const std::uint64_t between = low + (high - low) / 2;
    (serves(between) ? high : low) = between;
  }
  return high;
}

}  // namespace mollify
