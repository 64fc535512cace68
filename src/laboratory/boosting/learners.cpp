#include "laboratory/boosting/learners.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/invalid_input.h"
#include "laboratory/measure/measure.h"
#include "methods/divergence/f_divergence.h"
#include "scores/boosting.h"
#include "scores/linear_algebra.h"
#include "scores/network.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Decision trees that tell two distributions apart; of depth 1, stumps.

namespace {

/// Samples, and what they weigh: either distribution one half.
struct Mass {
  double of_p = 0;
  double of_q = 0;
  std::size_t samples = 0;
};

/// The cross-entropy of the best constant.
double cost(double of_p, double of_q) {
  const auto term = [&](double mass) {
    return mass > 0 ? -mass * std::log(mass / (of_p + of_q)) : 0.0;
  };
  return term(of_p) + term(of_q);
}

struct Split {
  double cost = 0;
  std::uint32_t feature = 0;
  float threshold = 0;
  bool exists = false;
};

/// A leaf that may be split, and a scan over its samples in order of a feature.
struct Front {
  std::uint32_t node = 0;
  Mass all{};
  Split best{};
  Mass below{};
  float last = 0;
};

/// The samples of both distributions, P's first. NaN is as good as infinite: neither is below any
/// threshold.
class Samples {
 public:
  Samples(const Points& p, const Points& q) : p_(p), q_(q) {
    for (std::size_t f = 0; f < p.dimension(); ++f) {
      std::vector<std::size_t> order(size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t i, std::size_t j) { return value(f, i) < value(f, j); });
      orders_.push_back(std::move(order));
    }
  }

  [[nodiscard]] std::size_t size() const { return p_.size() + q_.size(); }
  [[nodiscard]] std::size_t dimension() const { return p_.dimension(); }
  /// All samples by a feature.
  [[nodiscard]] const std::vector<std::size_t>& order(std::size_t f) const { return orders_[f]; }

  [[nodiscard]] float value(std::size_t f, std::size_t i) const {
    const float value = i < p_.size() ? p_.values(f)[i] : q_.values(f)[i - p_.size()];
    return std::isnan(value) ? std::numeric_limits<float>::infinity() : value;
  }

  void add(std::size_t i, Mass& mass) const {
    if (i < p_.size()) {
      mass.of_p += 0.5 / static_cast<double>(p_.size());
    } else {
      mass.of_q += 0.5 / static_cast<double>(q_.size());
    }
    ++mass.samples;
  }

 private:
  const Points& p_;
  const Points& q_;
  std::vector<std::vector<std::size_t>> orders_;
};

/// Above `low` and at most `high`, halfway if that is possible.
float between(float low, float high) {
  const float middle = low / 2 + high / 2;
  return middle > low && middle <= high ? middle : high;
}

class Growth {
 public:
  Growth(const Samples& samples, const TreeOptions& options)
      : samples_(samples), options_(options), front_of_(samples.size(), 0), nodes_(1) {
    Front root;
    for (std::size_t i = 0; i < samples.size(); ++i) samples.add(i, root.all);
    fronts_.push_back(root);
    nodes_[0].logit = logit(root.all);
    cost_ = cost(root.all.of_p, root.all.of_q);
  }

  /// Splits the leaves that the last level left.
  void grow() {
    for (std::size_t f = 0; f < samples_.dimension(); ++f) look_for_splits(f);
    std::vector<Front> next;
    std::vector<std::size_t> first_child(fronts_.size());
    for (std::size_t l = 0; l < fronts_.size(); ++l) {
      const Front& front = fronts_[l];
      first_child[l] = kNone;
      if (!front.best.exists) continue;
      first_child[l] = next.size();
      const auto child = static_cast<std::uint32_t>(nodes_.size());
      nodes_[front.node] = {front.best.feature, child, front.best.threshold, 0};
      nodes_.resize(nodes_.size() + 2);
      for (std::uint32_t side = 0; side < 2; ++side) {
        Front& part = next.emplace_back();
        part.node = child + side;
      }
      cost_ -= cost(front.all.of_p, front.all.of_q);
    }
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (front_of_[i] == kNone) continue;
      const Split& split = fronts_[front_of_[i]].best;
      const std::size_t child = first_child[front_of_[i]];
      front_of_[i] = child;
      if (child == kNone) continue;
      if (!(samples_.value(split.feature, i) < split.threshold)) ++front_of_[i];
      samples_.add(i, next[front_of_[i]].all);
    }
    for (const Front& front : next) {
      nodes_[front.node].logit = logit(front.all);
      cost_ += cost(front.all.of_p, front.all.of_q);
    }
    fronts_ = std::move(next);
  }

  /// The cross-entropy without smoothing.
  [[nodiscard]] double cross_entropy() const { return cost_; }
  [[nodiscard]] std::vector<TreeNode> take_nodes() { return std::move(nodes_); }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  [[nodiscard]] float logit(const Mass& mass) const {
    const double samples = static_cast<double>(samples_.size());
    return static_cast<float>(std::log((mass.of_p * samples + options_.smoothing) /
                                       (mass.of_q * samples + options_.smoothing)));
  }

  void look_for_splits(std::size_t f) {
    for (Front& front : fronts_) front.below = {};
    for (const std::size_t i : samples_.order(f)) {
      if (front_of_[i] == kNone) continue;
      Front& front = fronts_[front_of_[i]];
      const float value = samples_.value(f, i);
      if (front.below.samples > 0 && value > front.last) consider(f, value, front);
      samples_.add(i, front.below);
      front.last = value;
    }
  }

  /// A split of what is below from what is from `value` on.
  void consider(std::size_t f, float value, Front& front) const {
    const Mass& below = front.below;
    if (below.samples < options_.least_leaf) return;
    if (front.all.samples - below.samples < options_.least_leaf) return;
    const double parts = cost(below.of_p, below.of_q) +
                         cost(front.all.of_p - below.of_p, front.all.of_q - below.of_q);
    // What rounding makes of equal costs is no improvement.
    const double least = front.best.exists ? front.best.cost : cost(front.all.of_p, front.all.of_q);
    if (!(parts < least - 1e-12)) return;
    front.best = {parts, static_cast<std::uint32_t>(f), between(front.last, value), true};
  }

  const Samples& samples_;
  const TreeOptions& options_;
  std::vector<Front> fronts_;
  std::vector<std::size_t> front_of_;  ///< of each sample, or kNone
  std::vector<TreeNode> nodes_;
  double cost_ = 0;
};

}  // namespace

DecisionTree::DecisionTree(std::size_t dimension, std::vector<TreeNode> nodes)
    : dimension_(dimension), nodes_(std::move(nodes)) {
  if (dimension_ == 0) throw InvalidInput("a tree must read at least 1 feature, but reads 0");
  if (nodes_.empty()) throw InvalidInput("a tree must have at least 1 node, but has 0");
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeNode& node = nodes_[i];
    if (node.child == 0) continue;
    if (node.child <= i || node.child + std::size_t{1} >= nodes_.size()) {
      throw InvalidInput(
          fmt::format("node {} of a tree of {} must have both children after itself, but they are "
                      "{} and {}",
                      i, nodes_.size(), node.child, node.child + std::size_t{1}));
    }
    if (node.feature >= dimension_) {
      throw InvalidInput(fmt::format("node {} of a tree must read a feature below {}, but reads {}",
                                     i, dimension_, node.feature));
    }
  }
}

void DecisionTree::logits(const Points& points, std::span<float> logits) const {
  detail::check_points(*this, points, logits);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const TreeNode* node = nodes_.data();
    while (node->child != 0) {
      const bool is_below = points.values(node->feature)[i] < node->threshold;
      node = nodes_.data() + node->child + (is_below ? 0 : 1);
    }
    logits[i] = node->logit;
  }
}

TreeLearner::TreeLearner(const TreeOptions& options) : options_(options) {
  constexpr std::size_t kMostDepth = 16;
  require_between("the depth of a tree", options.depth, 1, kMostDepth);
  if (!(options.smoothing > 0 && std::isfinite(options.smoothing))) {
    throw InvalidInput(fmt::format(
        "the smoothing of a tree must be finite and positive, but is {:g}", options.smoothing));
  }
}

std::unique_ptr<Classifier> TreeLearner::learn(const Points& p, const Points& q,
                                               std::uint64_t /*seed*/,
                                               const TrainingProgress& progress) const {
  detail::check_samples(p, q);
  if (p.size() == 0 || q.size() == 0) {
    return std::make_unique<DecisionTree>(p.dimension(), std::vector<TreeNode>(1));
  }
  const Samples samples(p, q);
  Growth growth(samples, options_);
  for (std::size_t level = 1; level <= options_.depth; ++level) {
    growth.grow();
    if (progress) progress(level, options_.depth, growth.cross_entropy());
  }
  return std::make_unique<DecisionTree>(p.dimension(), growth.take_nodes());
}

// -----------------------------------------------------------------------------------------------
// Logistic regression on the points' features, or on their squares and products as well.

namespace {

using detail::Standardisation;

constexpr std::size_t kChunk = 256;

/// Columns are samples.
using Terms = Eigen::MatrixXd;

std::size_t term_count(std::size_t dimension, bool has_products) {
  return 1 + dimension + (has_products ? dimension * (dimension + 1) / 2 : 0);
}

Eigen::Index index(std::size_t i) { return static_cast<Eigen::Index>(i); }

/// The terms of `count` points from `begin` on.
Terms terms_of(const Points& points, std::size_t begin, std::size_t count,
               const Standardisation& standardisation, bool has_products) {
  const std::size_t dimension = points.dimension();
  Terms terms(index(term_count(dimension, has_products)), index(count));
  terms.row(0).setOnes();
  std::vector<float> values(count);
  for (std::size_t f = 0; f < dimension; ++f) {
    detail::standardise(points.values(f).subspan(begin, count), standardisation.centres[f],
                        standardisation.factors[f], values.data());
    for (std::size_t i = 0; i < count; ++i) {
      terms(index(1 + f), index(i)) = static_cast<double>(values[i]);
    }
  }
  if (!has_products) return terms;
  Eigen::Index row = index(1 + dimension);
  for (std::size_t f = 0; f < dimension; ++f) {
    for (std::size_t g = f; g < dimension; ++g, ++row) {
      terms.row(row) = terms.row(index(1 + f)).cwiseProduct(terms.row(index(1 + g)));
    }
  }
  return terms;
}

/// The objective at some coefficients, with its derivatives.
struct Objective {
  double value = 0;
  double cross_entropy = 0;
  Eigen::VectorXd gradient{};
  Eigen::MatrixXd hessian{};
};

/// Adds the mean over samples of one distribution, times one half.
void add_samples(const Points& samples, double target, const Eigen::VectorXd& coefficients,
                 const Standardisation& standardisation, bool has_products, Objective& objective) {
  const double weight = 0.5 / static_cast<double>(samples.size());
  for (std::size_t begin = 0; begin < samples.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, samples.size() - begin);
    Terms terms = terms_of(samples, begin, count, standardisation, has_products);
    Eigen::VectorXd residuals = terms.transpose() * coefficients;
    Eigen::VectorXd roots(residuals.size());
    for (Eigen::Index i = 0; i < residuals.size(); ++i) {
      const double logit = residuals[i];
      const double sigmoid = 1 / (1 + std::exp(-logit));
      const double against = target > 0 ? -logit : logit;
      objective.cross_entropy +=
          weight * (std::fmax(against, 0.0) + std::log1p(std::exp(-std::abs(against))));
      residuals[i] = weight * (sigmoid - target);
      roots[i] = std::sqrt(weight * sigmoid * (1 - sigmoid));
    }
    objective.gradient += terms * residuals;
    terms = terms * roots.asDiagonal();
    objective.hessian.selfadjointView<Eigen::Lower>().rankUpdate(terms);
  }
}

Objective objective_at(const Points& p, const Points& q, const Eigen::VectorXd& coefficients,
                       const Standardisation& standardisation, const LogisticOptions& options) {
  const Eigen::Index terms = coefficients.size();
  Objective result;
  result.gradient = options.ridge * coefficients;
  result.gradient[0] = 0;
  result.hessian = options.ridge * Eigen::MatrixXd::Identity(terms, terms);
  // Only for a factorisation should all samples be certain: the intercept has no ridge.
  result.hessian(0, 0) = std::numeric_limits<double>::epsilon();
  add_samples(p, 1, coefficients, standardisation, options.has_products, result);
  add_samples(q, 0, coefficients, standardisation, options.has_products, result);
  result.value =
      result.cross_entropy + options.ridge / 2 * coefficients.tail(terms - 1).squaredNorm();
  return result;
}

std::vector<double> vector_of(const Eigen::VectorXd& coefficients) {
  return {coefficients.data(), coefficients.data() + coefficients.size()};
}

}  // namespace

LogisticClassifier::LogisticClassifier(LogisticParameters parameters)
    : parameters_(std::move(parameters)) {
  const std::size_t dimension = parameters_.centres.size();
  if (dimension == 0) {
    throw InvalidInput("a logistic model must read at least 1 feature, but reads 0");
  }
  if (parameters_.factors.size() != dimension) {
    throw InvalidInput(
        fmt::format("a logistic model of {} features must have as many factors, but has {}",
                    dimension, parameters_.factors.size()));
  }
  const std::size_t terms = term_count(dimension, parameters_.has_products);
  if (parameters_.coefficients.size() != terms) {
    throw InvalidInput(
        fmt::format("a logistic model of {} terms must have as many coefficients, "
                    "but has {}",
                    terms, parameters_.coefficients.size()));
  }
}

void LogisticClassifier::logits(const Points& points, std::span<float> logits) const {
  detail::check_points(*this, points, logits);
  constexpr double kMost = std::numeric_limits<float>::max();
  const Eigen::Map<const Eigen::VectorXd> coefficients(parameters_.coefficients.data(),
                                                       index(parameters_.coefficients.size()));
  const Standardisation standardisation{parameters_.centres, parameters_.factors};
  for (std::size_t begin = 0; begin < points.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, points.size() - begin);
    const Terms terms = terms_of(points, begin, count, standardisation, parameters_.has_products);
    const Eigen::VectorXd result = terms.transpose() * coefficients;
    for (std::size_t i = 0; i < count; ++i) {
      logits[begin + i] = static_cast<float>(std::clamp(result[index(i)], -kMost, kMost));
    }
  }
}

LogisticLearner::LogisticLearner(const LogisticOptions& options) : options_(options) {
  if (!(options.ridge > 0 && std::isfinite(options.ridge))) {
    throw InvalidInput(
        fmt::format("the ridge of a logistic model must be finite and positive, but "
                    "is {:g}",
                    options.ridge));
  }
  if (options.passes == 0) {
    throw InvalidInput("a logistic model must be fitted in at least 1 pass, but is to have 0");
  }
}

std::unique_ptr<Classifier> LogisticLearner::learn(const Points& p, const Points& q,
                                                   std::uint64_t /*seed*/,
                                                   const TrainingProgress& progress) const {
  detail::check_samples(p, q);
  Standardisation standardisation = detail::standardisation_of(p, q);
  Eigen::VectorXd best =
      Eigen::VectorXd::Zero(index(term_count(p.dimension(), options_.has_products)));
  if (p.size() > 0 && q.size() > 0) {
    double least = std::numeric_limits<double>::infinity();
    Eigen::VectorXd step = Eigen::VectorXd::Zero(best.size());
    for (std::size_t pass = 1; pass <= options_.passes; ++pass) {
      const Eigen::VectorXd tried = best + step;
      const Objective objective = objective_at(p, q, tried, standardisation, options_);
      if (progress) progress(pass, options_.passes, objective.cross_entropy);
      if (objective.value < least) {
        least = objective.value;
        best = tried;
        step = -solve_symmetric(objective.hessian, objective.gradient);
      } else {
        step /= 2;
      }
    }
  }
  return std::make_unique<LogisticClassifier>(
      LogisticParameters{std::move(standardisation.centres), std::move(standardisation.factors),
                         options_.has_products, vector_of(best)});
}

// -----------------------------------------------------------------------------------------------
// Draws from a measure and cells of a grid as classifiers read them.

Points measure_sample(const Measure& measure, std::size_t count, SeededRandom& random) {
  Points points(measure.dimension(), count);
  std::vector<double> point(measure.dimension());
  for (std::size_t i = 0; i < count; ++i) {
    measure.simulate(random, point);
    for (std::size_t axis = 0; axis < point.size(); ++axis) {
      points.values(axis)[i] = static_cast<float>(point[axis]);
    }
  }
  return points;
}

Points cell_centres(const Grid& grid) {
  Points centres(grid.dimension(), grid.cell_count());
  // The last axis runs fastest: along an axis the same centre stands `run` times in a row.
  std::size_t run = grid.cell_count();
  for (std::size_t axis = 0; axis < grid.dimension(); ++axis) {
    const auto edges = grid.edges(axis);
    const std::size_t cells = grid.cells_along(axis);
    run /= cells;
    const auto values = centres.values(axis);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t cell = i / run % cells;
      values[i] = static_cast<float>(edges[cell] + (edges[cell + 1] - edges[cell]) / 2);
    }
  }
  return centres;
}

// -----------------------------------------------------------------------------------------------
// A learner that learns the first classifier once for all values of epsilon.

std::unique_ptr<Classifier> FirstOnceLearner::learn(const Points& p, const Points& q,
                                                    std::uint64_t seed,
                                                    const TrainingProgress& progress) const {
  if (first_ && seed == first_seed_) return std::make_unique<NetworkClassifier>(*first_);
  std::unique_ptr<Classifier> classifier = learner_.learn(p, q, seed, progress);
  if (!first_) {
    first_ = dynamic_cast<const NetworkClassifier&>(*classifier).parameters();
    first_seed_ = seed;
  }
  return classifier;
}

// -----------------------------------------------------------------------------------------------
// Boosting by classifiers that know everything.

std::vector<double> perfectly_boosted(std::span<const double> p, std::span<const double> reference,
                                      const BoostingSpec& spec, std::size_t iterations) {
  if (p.size() != reference.size()) {
    throw InvalidInput(
        fmt::format("P must have Q0's {} cells, but has {}", reference.size(), p.size()));
  }
  const BoostedDensity thetas(spec, 1);
  const double share = 1 / static_cast<double>(spec.outputs);
  std::vector<double> law(reference.begin(), reference.end());
  for (std::size_t t = 1; t <= iterations; ++t) {
    CompensatedSum sum;
    for (std::size_t i = 0; i < law.size(); ++i) {
      const double c = share * bounded(std::log(p[i] / law[i]), spec.bounding);
      law[i] *= std::exp(thetas.theta(t) * c);
      sum += law[i];
    }
    for (double& mass : law) mass /= sum.value();
  }
  return law;
}

// -----------------------------------------------------------------------------------------------
// How well a density finds what another distribution produces.

namespace {

void require_cells(const char* what, std::span<const double> p, std::span<const double> q,
                   std::span<const double> volumes) {
  if (p.size() != q.size() || p.size() != volumes.size()) {
    throw InvalidInput(fmt::format(
        "{} needs masses of P and of Q and a volume for each cell, but has {}, {} and {}", what,
        p.size(), q.size(), volumes.size()));
  }
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    if (volumes[i] > 0) continue;
    throw InvalidInput(
        fmt::format("the volume of cell {} must be positive, but is {:g}", i, volumes[i]));
  }
}

void require_level(double level) {
  if (level > 0 && level < 1) return;
  throw InvalidInput(
      fmt::format("the level of coverage must be above 0 and below 1, but is {:g}", level));
}

double sum_of(const char* what, std::span<const double> masses) {
  CompensatedSum sum;
  for (const double mass : masses) sum += mass;
  if (!(sum.value() > 0))
    throw InvalidInput(fmt::format("{} needs masses with a positive sum", what));
  return sum.value();
}

}  // namespace

double negative_log_likelihood(std::span<const double> p, std::span<const double> q,
                               std::span<const double> volumes) {
  require_cells("a likelihood", p, q, volumes);
  const double whole_p = sum_of("a likelihood", p);
  const double whole_q = sum_of("a likelihood", q);
  CompensatedSum sum;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (!(p[i] > 0)) continue;
    if (!(q[i] > 0)) return std::numeric_limits<double>::infinity();
    sum += p[i] * std::log(q[i] / volumes[i]);
  }
  return std::log(whole_q) - sum.value() / whole_p;
}

Estimate negative_log_likelihood(std::span<const double> log_q_at_samples_of_p) {
  const std::size_t count = log_q_at_samples_of_p.size();
  if (count < 2) {
    throw InvalidInput(fmt::format("a likelihood needs at least 2 samples, but has {}", count));
  }
  const double n = static_cast<double>(count);
  CompensatedSum sum;
  for (const double value : log_q_at_samples_of_p) sum += value;
  const double mean = sum.value() / n;
  CompensatedSum squares;
  for (const double value : log_q_at_samples_of_p) squares += (value - mean) * (value - mean);
  return {.value = -mean, .standard_error = std::sqrt(squares.value() / (n - 1) / n)};
}

double mode_coverage(std::span<const double> p, std::span<const double> q,
                     std::span<const double> volumes, double level) {
  require_level(level);
  require_cells("coverage", p, q, volumes);
  std::vector<double> densities(q.size());
  for (std::size_t i = 0; i < q.size(); ++i) densities[i] = q[i] / volumes[i];
  const double whole_p = sum_of("coverage", p);
  const double enough = level * sum_of("coverage", q);
  std::vector<std::size_t> densest_first(q.size());
  std::iota(densest_first.begin(), densest_first.end(), std::size_t{0});
  std::sort(densest_first.begin(), densest_first.end(),
            [&](std::size_t a, std::size_t b) { return densities[a] > densities[b]; });
  CompensatedSum of_p;
  CompensatedSum of_q;
  double threshold = 0;
  for (const std::size_t i : densest_first) {
    if (of_q.value() >= enough && densities[i] < threshold) break;
    threshold = densities[i];
    of_q += q[i];
    of_p += p[i];
  }
  return of_p.value() / whole_p;
}

Estimate mode_coverage_of_samples(std::span<const double> q_at_samples_of_p,
                                  std::span<const double> q_at_samples_of_q, double level) {
  require_level(level);
  if (q_at_samples_of_p.empty() || q_at_samples_of_q.size() < 2) {
    throw InvalidInput(fmt::format("coverage needs a sample of P and two of Q, but has {} and {}",
                                   q_at_samples_of_p.size(), q_at_samples_of_q.size()));
  }
  std::vector<double> of_p(q_at_samples_of_p.begin(), q_at_samples_of_p.end());
  std::vector<double> of_q(q_at_samples_of_q.begin(), q_at_samples_of_q.end());
  std::sort(of_p.begin(), of_p.end());
  std::sort(of_q.begin(), of_q.end());
  const double n = static_cast<double>(of_p.size());
  const double m = static_cast<double>(of_q.size());
  // The share of P above the threshold that leaves `share` of Q's samples above it.
  const auto covered = [&](double share) {
    const double below = std::clamp(std::floor((1 - share) * m), 0.0, m - 1);
    const double threshold = of_q[static_cast<std::size_t>(below)];
    const auto first = std::lower_bound(of_p.begin(), of_p.end(), threshold);
    return static_cast<double>(of_p.end() - first) / n;
  };
  const double value = covered(level);
  const double of_level = std::sqrt(level * (1 - level) / m);
  const double of_threshold = (covered(level + of_level) - covered(level - of_level)) / 2;
  return {.value = value,
          .standard_error = std::sqrt(value * (1 - value) / n + of_threshold * of_threshold)};
}

// -----------------------------------------------------------------------------------------------
// Boosted densities in files.

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kModelFormat = "mollify boosted density";
constexpr std::uint64_t kModelVersion = 1;
constexpr const char* kNotice =
    "PRIVATE DATA: this was learned from private records without protection; it may be drawn from "
    "through the kernel, but not given away";

/// Numbers that JSON has none of are texts.
Json json_of(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "infinity" : "-infinity";
  return value;
}

template <class Number>
Json json_of(const std::vector<Number>& values) {
  Json list = Json::array();
  for (const Number value : values) list.push_back(json_of(static_cast<double>(value)));
  return list;
}

template <class Number>
Number number_from(const JsonNode& node) {
  if (!node.value.is_string()) return static_cast<Number>(node.number());
  const std::string text = node.text();
  if (text == "nan") return std::numeric_limits<Number>::quiet_NaN();
  if (text == "infinity") return std::numeric_limits<Number>::infinity();
  if (text == "-infinity") return -std::numeric_limits<Number>::infinity();
  throw InvalidInput(fmt::format("{} must be a number, nan, infinity or -infinity, but is \"{}\"",
                                 node.place, text));
}

template <class Number>
std::vector<Number> numbers_from(const JsonNode& node) {
  std::vector<Number> values;
  for (const JsonNode& entry : node.entries()) values.push_back(number_from<Number>(entry));
  return values;
}

Json json_of(const NetworkParameters& network) {
  Json layers = Json::array();
  for (const std::vector<float>& layer : network.layers) layers.push_back(json_of(layer));
  return {{"type", "network"},
          {"centres", json_of(network.centres)},
          {"factors", json_of(network.factors)},
          {"layers", layers}};
}

NetworkParameters network_from(const JsonNode& node) {
  node.allow_only({"type", "centres", "factors", "layers"});
  NetworkParameters network{
      numbers_from<float>(node.member("centres")), numbers_from<float>(node.member("factors")), {}};
  for (const JsonNode& layer : node.member("layers").entries()) {
    network.layers.push_back(numbers_from<float>(layer));
  }
  return network;
}

Json json_of(const DecisionTree& tree) {
  Json nodes = Json::array();
  for (const TreeNode& node : tree.nodes()) {
    nodes.push_back({{"feature", node.feature},
                     {"child", node.child},
                     {"threshold", json_of(static_cast<double>(node.threshold))},
                     {"logit", json_of(static_cast<double>(node.logit))}});
  }
  return {{"type", "tree"}, {"dimension", tree.dimension()}, {"nodes", nodes}};
}

/// Nodes are numbered in 32 bits.
std::uint32_t index_from(const JsonNode& node) {
  const std::uint64_t index = node.whole_number();
  if (index > std::numeric_limits<std::uint32_t>::max()) node.refuse("a number below 2^32");
  return static_cast<std::uint32_t>(index);
}

std::shared_ptr<const Classifier> tree_from(const JsonNode& node) {
  node.allow_only({"type", "dimension", "nodes"});
  std::vector<TreeNode> nodes;
  for (const JsonNode& entry : node.member("nodes").entries()) {
    entry.allow_only({"feature", "child", "threshold", "logit"});
    nodes.push_back({index_from(entry.member("feature")), index_from(entry.member("child")),
                     number_from<float>(entry.member("threshold")),
                     number_from<float>(entry.member("logit"))});
  }
  const auto dimension = static_cast<std::size_t>(node.member("dimension").whole_number());
  return std::make_shared<DecisionTree>(dimension, std::move(nodes));
}

Json json_of(const LogisticParameters& model) {
  return {{"type", "logistic"},
          {"centres", json_of(model.centres)},
          {"factors", json_of(model.factors)},
          {"products", model.has_products},
          {"coefficients", json_of(model.coefficients)}};
}

LogisticParameters logistic_from(const JsonNode& node) {
  node.allow_only({"type", "centres", "factors", "products", "coefficients"});
  const JsonNode products = node.member("products");
  if (!products.value.is_boolean()) products.refuse("true or false");
  return {numbers_from<float>(node.member("centres")), numbers_from<float>(node.member("factors")),
          products.value.get<bool>(), numbers_from<double>(node.member("coefficients"))};
}

Json json_of(const Classifier& classifier) {
  if (const auto* network = dynamic_cast<const NetworkClassifier*>(&classifier)) {
    return json_of(network->parameters());
  }
  if (const auto* tree = dynamic_cast<const DecisionTree*>(&classifier)) return json_of(*tree);
  if (const auto* model = dynamic_cast<const LogisticClassifier*>(&classifier)) {
    return json_of(model->parameters());
  }
  throw InvalidInput("a model can be saved only of networks, trees and logistic models");
}

std::shared_ptr<const Classifier> classifier_from(const JsonNode& node) {
  const std::string type = node.member("type").text();
  if (type == "network") return std::make_shared<NetworkClassifier>(network_from(node));
  if (type == "tree") return tree_from(node);
  if (type == "logistic") return std::make_shared<LogisticClassifier>(logistic_from(node));
  throw InvalidInput(fmt::format("\"type\" of {} must be network, tree or logistic, but is \"{}\"",
                                 node.place, type));
}

constexpr const char* name_of(LogNormaliser::Method method) {
  return method == LogNormaliser::Method::kCubature ? "cubature" : "importance sampling";
}

LogNormaliser normaliser_from(const JsonNode& node) {
  node.allow_only({"value", "error", "method", "points"});
  LogNormaliser normaliser;
  normaliser.value = node.member("value").number();
  normaliser.error = node.member("error").number();
  normaliser.points = static_cast<std::size_t>(node.member("points").whole_number());
  const std::string method = node.member("method").text();
  for (const auto known :
       {LogNormaliser::Method::kCubature, LogNormaliser::Method::kImportanceSampling}) {
    normaliser.method = known;
    if (method == name_of(known)) return normaliser;
  }
  throw InvalidInput(fmt::format("{} must be cubature or importance sampling, but is \"{}\"",
                                 node.member("method").place, method));
}

}  // namespace

std::string boosted_model_json(const BoostedDensity& density) {
  Json json = {{"format", kModelFormat},
               {"version", kModelVersion},
               {"notice", kNotice},
               {"epsilon", density.spec().epsilon},
               {"outputs", density.spec().outputs},
               {"bounding", name_of(density.spec().bounding)},
               {"features", density.dimension()},
               {"log_normaliser", nullptr}};
  if (density.log_normaliser()) {
    const LogNormaliser& normaliser = *density.log_normaliser();
    json["log_normaliser"] = {{"value", normaliser.value},
                              {"error", normaliser.error},
                              {"method", name_of(normaliser.method)},
                              {"points", normaliser.points}};
  }
  json["classifiers"] = Json::array();
  for (const auto& classifier : density.classifiers()) {
    json["classifiers"].push_back(json_of(*classifier));
  }
  return json.dump(1) + "\n";
}

BoostedDensity boosted_model_from_json(std::string_view text, const std::string& name) {
  const nlohmann::json value = parsed_json(text, name);
  const JsonNode node{value, name};
  if (node.member("format").text() != kModelFormat) {
    throw InvalidInput(fmt::format("{} must be \"{}\", but is \"{}\"", node.member("format").place,
                                   kModelFormat, node.member("format").text()));
  }
  const std::uint64_t version = node.member("version").whole_number();
  if (version != kModelVersion) {
    throw InvalidInput(fmt::format("{} must be {}, but is {}", node.member("version").place,
                                   kModelVersion, version));
  }
  node.allow_only({"format", "version", "notice", "epsilon", "outputs", "bounding", "features",
                   "log_normaliser", "classifiers"});
  const std::optional<Bounding> bounding = named<Bounding>(node.member("bounding").text());
  if (!bounding) {
    throw InvalidInput(fmt::format("{} must be probability, logit, sign or sigmoid, but is \"{}\"",
                                   node.member("bounding").place, node.member("bounding").text()));
  }
  BoostedDensity density(
      {.epsilon = node.member("epsilon").number(),
       .bounding = *bounding,
       .outputs = static_cast<std::size_t>(node.member("outputs").whole_number())},
      static_cast<std::size_t>(node.member("features").whole_number()));
  for (const JsonNode& entry : node.member("classifiers").entries()) {
    density = density.boosted(classifier_from(entry));
  }
  const JsonNode normaliser = node.member("log_normaliser");
  return normaliser.value.is_null() ? density : density.normalised(normaliser_from(normaliser));
}

}  // namespace mollify
