#include "scores/learners.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "core/invalid_input.h"
#include "scores/linear_algebra.h"

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

constexpr std::size_t kTermChunk = 256;

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
  for (std::size_t begin = 0; begin < samples.size(); begin += kTermChunk) {
    const std::size_t count = std::min(kTermChunk, samples.size() - begin);
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
  for (std::size_t begin = 0; begin < points.size(); begin += kTermChunk) {
    const std::size_t count = std::min(kTermChunk, points.size() - begin);
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

}  // namespace mollify
