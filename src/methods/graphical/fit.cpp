#include "methods/graphical/fit.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include <Eigen/Core>
#include <boost/math/distributions/normal.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/directed_rounding.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "core/invalid_input.h"
#include "core/lanes.h"
#include "core/ranges.h"
#include "methods/graphical/table_lanes.h"
#include "scores/linear_algebra.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// From noisy marginals to a model.

struct FitState::Inside {
  /// A clique and its groups.
  using Features = std::pair<Clique, std::vector<std::vector<std::uint32_t>>>;
  struct Step {
    Eigen::VectorXd step;
    Eigen::VectorXd change;  // of the gradient
    double inverse;          // of step . change
  };

  std::map<Features, Eigen::Index> begins;  // of each measurement's cells in the vectors
  Eigen::VectorXd potentials;
  std::deque<Step> steps;
};

namespace {

using Vector = Eigen::VectorXd;
using Step = FitState::Inside::Step;

/// How many groups each column of the clique has.
ColumnSizes group_sizes(const ColumnSizes& sizes, const NoisyMarginal& measured) {
  ColumnSizes counted;
  for (std::size_t i = 0; i < measured.clique.size(); ++i) {
    if (measured.groups.empty()) {
      counted.push_back(sizes[measured.clique[i]]);
      continue;
    }
    std::uint32_t count = 0;
    for (const std::uint32_t group : measured.groups[i]) count = std::max(count, group + 1);
    counted.push_back(count);
  }
  return counted;
}

/// The places of a clique's columns among themselves.
Clique all_of(const Clique& clique) {
  Clique places(clique.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  return places;
}

void require_groups(const ColumnSizes& sizes, const NoisyMarginal& measured) {
  bool holds = measured.groups.empty() || measured.groups.size() == measured.clique.size();
  for (std::size_t i = 0; holds && i < measured.groups.size(); ++i) {
    const std::uint32_t size = sizes[measured.clique[i]];
    holds = measured.groups[i].size() == size &&
            std::all_of(measured.groups[i].begin(), measured.groups[i].end(),
                        [size](std::uint32_t group) { return group < size; });
  }
  if (!holds) {
    refuse_input("wrong-shape", {},
                 "the measurement of columns {} must have a group for each value",
                 fmt::join(measured.clique, ", "));
  }
}

/// The cell of groups that each cell of the clique's table belongs to.
std::vector<std::uint32_t> group_cells(const ColumnSizes& sizes, const NoisyMarginal& measured) {
  const ColumnSizes counted = group_sizes(sizes, measured);
  std::vector<std::uint32_t> cells{0};
  for (std::size_t i = 0; i < measured.clique.size(); ++i) {
    std::vector<std::uint32_t> longer;
    for (const std::uint32_t cell : cells) {
      for (std::uint32_t value = 0; value < sizes[measured.clique[i]]; ++value) {
        longer.push_back(cell * counted[i] +
                         (measured.groups.empty() ? value : measured.groups[i][value]));
      }
    }
    cells = std::move(longer);
  }
  return cells;
}

void require_measurements(const ColumnSizes& sizes,
                          const std::vector<NoisyMarginal>& measurements) {
  require_sizes(sizes);
  for (const NoisyMarginal& measured : measurements) {
    require_clique(sizes, measured.clique);
    require_groups(sizes, measured);
    const std::uint64_t cells = cell_count(group_sizes(sizes, measured), all_of(measured.clique));
    if (measured.counts.size() != cells) {
      refuse_input("wrong-shape", {},
                   "the measurement of columns {} must have {} counts, but has {}",
                   fmt::join(measured.clique, ", "), cells, measured.counts.size());
    }
    require_in(kPositive, {"the deviation of a measurement", "deviation"}, measured.deviation);
  }
}

/// Counts and deviations beyond these are as good as there: squares and sums stay finite.
constexpr double kMostCount = 1e18;
constexpr double kLeastDeviation = 1e-6;
constexpr double kMostDeviation = 1e18;

double bounded(double count) {
  return std::isfinite(count) ? std::clamp(count, -kMostCount, kMostCount) : 0;
}

using Features = FitState::Inside::Features;

/// Measurements of one clique in the same groups as one, of the sum of their precisions.
struct Measured {
  std::vector<double> weighted_counts;
  double precision = 0;
  const NoisyMarginal* like = nullptr;  // one of them
};

std::map<Features, Measured> joined(const std::vector<NoisyMarginal>& measurements) {
  std::map<Features, Measured> result;
  for (const NoisyMarginal& measurement : measurements) {
    const double deviation = std::clamp(measurement.deviation, kLeastDeviation, kMostDeviation);
    const double precision = 1 / (deviation * deviation);
    Measured& measured = result[{measurement.clique, measurement.groups}];
    measured.like = &measurement;
    measured.weighted_counts.resize(measurement.counts.size());
    measured.precision += precision;
    for (std::size_t i = 0; i < measurement.counts.size(); ++i) {
      const double count = measurement.counts[i];
      measured.weighted_counts[i] += precision * bounded(count);
    }
  }
  return result;
}

/// The function to minimise, of all potentials one after another.
class Objective {
 public:
  Objective(const ColumnSizes& sizes, const std::map<Features, Measured>& measured, double total,
            const FitOptions& options, const GraphicalModel* base)
      : cliques_(cliques_of(measured, base)),
        tree_(checked_tree(sizes, cliques_)),
        layout_(sizes, tree_, cliques_),
        propagation_(sizes, tree_) {
    Eigen::Index size = 0;
    for (const auto& entry : measured) {
      const Eigen::Index begin = begins_[entry.first] = size;
      size += static_cast<Eigen::Index>(entry.second.weighted_counts.size());
      features_.push_back({place_of(entry.first.first), begin, size,
                           group_sizes(sizes, *entry.second.like),
                           group_cells(sizes, *entry.second.like)});
    }
    for (const Clique& clique : cliques_) base_.emplace_back(cell_count(sizes, clique));
    if (base != nullptr) {
      for (const GraphicalModel::Potential& potential : base->potentials()) {
        base_[place_of(potential.clique)] = potential.values;
      }
    }
    shares_.resize(size);
    ridge_.resize(size);
    noise_.resize(size);
    values_.resize(cliques_.size());
    if (!options.ordered.empty()) add_paths(options);
    Eigen::Index i = 0;
    for (const auto& entry : measured) {
      const double deviation = 1 / std::sqrt(entry.second.precision);
      // No count of `total` rows lies further off; beyond, a share is noise that tells nothing
      // more.
      const double reach = total + 8 * deviation;
      for (const double weighted : entry.second.weighted_counts) {
        const double count = weighted / entry.second.precision;
        shares_[i] = std::clamp(count, -reach, total + reach) / total;
        ridge_[i] =
            std::max(options.shrinkage * (deviation / total) * (deviation / total), kLeastRidge);
        // Counts are integers: nobody sees less than some share of a row.
        noise_[i] = std::max(deviation, 0.5) / total;
        ++i;
      }
    }
    diagonal_ = Vector::Ones(size);
    for (const Path& path : paths_) {
      for (Eigen::Index cell = path.begin; cell < path.end; ++cell) {
        const Eigen::Index place = (cell - path.begin) / path.stride % path.extent;
        diagonal_[cell] += smoothness_ * ((place > 0 ? 1 : 0) + (place + 1 < path.extent ? 1 : 0));
      }
    }
  }

  [[nodiscard]] const std::vector<Clique>& cliques() const { return cliques_; }
  [[nodiscard]] Eigen::Index size() const { return shares_.size(); }
  [[nodiscard]] const std::map<Features, Eigen::Index>& begins() const { return begins_; }

  /// The potentials of cliques that these are of measurements, and the base's.
  [[nodiscard]] NodeTables potentials(const Vector& theta) const {
    NodeTables tables = base_;
    for (const Feature& feature : features_) {
      std::vector<double>& table = tables[feature.clique];
      const double* const values = theta.data() + feature.begin;
      for (std::size_t i = 0; i < table.size(); ++i) table[i] += values[feature.groups[i]];
    }
    return tables;
  }

  /// The value at theta, and its gradient. marginals() are then the model's.
  double at(const Vector& theta, Vector& gradient) {
    keep_going();
    values_ = potentials(theta);
    layout_.gather(values_, tables_);
    const double log_sum = propagation_.run(tables_);
    layout_.scatter(tables_, values_);
    marginals_.setZero(theta.size());
    for (const Feature& feature : features_) {
      const std::vector<double>& table = values_[feature.clique];
      double* const sums = marginals_.data() + feature.begin;
      for (std::size_t i = 0; i < table.size(); ++i) sums[feature.groups[i]] += table[i];
    }
    gradient = ridge_.cwiseProduct(theta + smoothness_ * roughness(theta));
    const double penalty = 0.5 * gradient.dot(theta);
    gradient += marginals_ - shares_;
    return log_sum - shares_.dot(theta) + penalty;
  }

  /// A cell's curvature, overlaps aside, at the marginals last found or, if these are too small, at
  /// their aims: so that no step goes beyond the aim.
  [[nodiscard]] Vector curvature() const {
    return (marginals_.cwiseMax(shares_) + ridge_.cwiseProduct(diagonal_))
        .cwiseMax(kLeastCurvature);
  }

  /// The gradient as a root mean square in units of the noise.
  [[nodiscard]] double relative(const Vector& gradient) const {
    return std::sqrt(gradient.cwiseQuotient(noise_).squaredNorm() /
                     static_cast<double>(std::max<Eigen::Index>(size(), 1)));
  }

 private:
  /// The measurements of one clique in the same groups.
  struct Feature {
    std::size_t clique;
    Eigen::Index begin;  // of its potentials in theta
    Eigen::Index end;
    ColumnSizes extents;                // the groups of each column
    std::vector<std::uint32_t> groups;  // the potential of each of the clique's cells
  };

  /// The cells of one clique that are neighbours along one column, `extent` of them in a row.
  struct Path {
    Eigen::Index begin;
    Eigen::Index end;
    Eigen::Index stride;
    Eigen::Index extent;
  };

  /// Paths of the ordered columns of cliques of more than one column.
  void add_paths(const FitOptions& options) {
    smoothness_ = options.smoothness;
    for (const Feature& feature : features_) {
      const Clique& clique = cliques_[feature.clique];
      if (clique.size() < 2) continue;
      Eigen::Index stride = 1;
      for (std::size_t k = clique.size(); k-- > 0;) {
        const auto extent = static_cast<Eigen::Index>(feature.extents[k]);
        if (options.ordered[clique[k]]) {
          paths_.push_back({feature.begin, feature.end, stride, extent});
        }
        stride *= extent;
      }
    }
  }

  /// The Laplacian of these paths times theta.
  [[nodiscard]] Vector roughness(const Vector& theta) const {
    Vector result = Vector::Zero(theta.size());
    for (const Path& path : paths_) {
      const Eigen::Index block = path.stride * path.extent;
      for (Eigen::Index from = path.begin; from < path.end; from += block) {
        for (Eigen::Index i = from; i + path.stride < from + block; ++i) {
          const double step = theta[i + path.stride] - theta[i];
          result[i] -= step;
          result[i + path.stride] += step;
        }
      }
    }
    return result;
  }

  static constexpr double kLeastCurvature = 1e-12;
  /// So little that it changes nothing, but the minimum stays finite.
  static constexpr double kLeastRidge = 1e-12;

  /// In ascending order.
  static std::vector<Clique> cliques_of(const std::map<Features, Measured>& measured,
                                        const GraphicalModel* base) {
    std::vector<Clique> cliques;
    for (const auto& entry : measured) cliques.push_back(entry.first.first);
    if (base != nullptr) {
      for (const auto& potential : base->potentials()) cliques.push_back(potential.clique);
    }
    std::sort(cliques.begin(), cliques.end());
    cliques.erase(std::unique(cliques.begin(), cliques.end()), cliques.end());
    return cliques;
  }
  [[nodiscard]] std::size_t place_of(const Clique& clique) const {
    return static_cast<std::size_t>(std::lower_bound(cliques_.begin(), cliques_.end(), clique) -
                                    cliques_.begin());
  }
  static JunctionTree checked_tree(const ColumnSizes& sizes, const std::vector<Clique>& cliques) {
    JunctionTree tree(sizes, cliques);
    refuse_if(tree.cells() > GraphicalModel::kMostCells, "too-much-work", {},
              "the junction tree of a fit must have at most {} cells, but has {}",
              GraphicalModel::kMostCells, tree.cells());
    return tree;
  }

  std::vector<Clique> cliques_;
  JunctionTree tree_;
  PotentialLayout layout_;
  BeliefPropagation propagation_;
  std::vector<Feature> features_;
  std::map<Features, Eigen::Index> begins_;  // of theirs in theta
  NodeTables base_;                          // of the cliques, to add the potentials to
  Vector shares_;                            // y / total
  Vector ridge_;                             // lambda deviation^2 / total^2
  Vector noise_;                             // deviation / total
  double smoothness_ = 0;
  std::vector<Path> paths_;
  Vector diagonal_;  // of one and smoothness times the Laplacian
  NodeTables values_;
  NodeTables tables_;
  Vector marginals_;
};

/// The steps and changes of the gradient that L-BFGS remembers [Nocedal, Wright 2006, 7.2].
class History {
 public:
  void remember(Vector step, Vector change) {
    const double product = step.dot(change);
    if (!(product > 0)) return;
    if (pairs_.size() == kMost) pairs_.pop_front();
    pairs_.push_back({std::move(step), std::move(change), 1 / product});
  }
  void forget() { pairs_.clear(); }
  [[nodiscard]] bool empty() const { return pairs_.empty(); }
  [[nodiscard]] const std::deque<Step>& steps() const { return pairs_; }

  /// Minus the inverse curvature times the gradient, from a diagonal as the first guess.
  [[nodiscard]] Vector direction(const Vector& gradient, const Vector& curvature) const {
    Vector q = gradient;
    std::vector<double> alpha(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = pairs_[i].inverse * product(pairs_[i].step, q);
      add_multiple(-alpha[i], pairs_[i].change, q);
    }
    double scale = 1;
    if (!pairs_.empty()) {
      const Step& last = pairs_.back();
      scale = 1 / (last.inverse * last.change.cwiseAbs2().cwiseQuotient(curvature).sum());
    }
    q = scale * q.cwiseQuotient(curvature);
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double beta = pairs_[i].inverse * product(pairs_[i].change, q);
      add_multiple(alpha[i] - beta, pairs_[i].step, q);
    }
    return -q;
  }

 private:
  static double product(const Vector& a, const Vector& b) {
    return detail::fastest<detail::TableLanes>().product(a.data(), b.data(),
                                                         static_cast<std::size_t>(a.size()));
  }
  static void add_multiple(double factor, const Vector& from, Vector& to) {
    detail::fastest<detail::TableLanes>().add_multiple(factor, from.data(), to.data(),
                                                       static_cast<std::size_t>(to.size()));
  }

  static constexpr std::size_t kMost = 20;
  std::deque<Step> pairs_;
};

void minimise(Objective& objective, const FitOptions& options, Vector& theta, History& history) {
  constexpr double kSufficient = 1e-4;
  constexpr int kMostHalvings = 30;
  Vector gradient;
  double value = objective.at(theta, gradient);
  for (std::size_t step = 0; step < options.most_steps; ++step) {
    if (objective.relative(gradient) < options.tolerance) return;
    Vector direction = history.direction(gradient, objective.curvature());
    double slope = gradient.dot(direction);
    if (!(slope < 0)) {
      history.forget();
      direction = history.direction(gradient, objective.curvature());
      slope = gradient.dot(direction);
    }
    double length = 1;
    Vector next;
    Vector next_gradient;
    double next_value = 0;
    int halvings = 0;
    for (;; ++halvings) {
      next = (theta + length * direction)
                 .cwiseMax(-GraphicalModel::kGreatestPotential)
                 .cwiseMin(GraphicalModel::kGreatestPotential);
      next_value = objective.at(next, next_gradient);
      // Rounding hides what is left to gain near the minimum.
      if (next_value <= value + kSufficient * length * slope + 1e-13 * std::abs(value)) break;
      if (halvings == kMostHalvings) break;
      length /= 2;
    }
    if (halvings == kMostHalvings) {
      if (history.empty()) return;
      history.forget();
      value = objective.at(theta, gradient);
      continue;
    }
    history.remember(next - theta, next_gradient - gradient);
    theta = std::move(next);
    gradient = std::move(next_gradient);
    value = next_value;
  }
}

/// Of measurements that the state does not have, potentials and steps are 0.
void begin_at(const FitState::Inside& state, const std::map<Features, Eigen::Index>& begins,
              Vector& theta, History& history) {
  const auto placed = [&](const Vector& from) {
    Vector to = Vector::Zero(theta.size());
    for (auto now = begins.begin(); now != begins.end(); ++now) {
      const auto old = state.begins.find(now->first);
      if (old == state.begins.end()) continue;
      const auto next = std::next(now);
      const Eigen::Index size = (next == begins.end() ? theta.size() : next->second) - now->second;
      to.segment(now->second, size) = from.segment(old->second, size);
    }
    return to;
  };
  theta = placed(state.potentials);
  for (const Step& one : state.steps) history.remember(placed(one.step), placed(one.change));
}

}  // namespace

GraphicalModel fit(const ColumnSizes& sizes, const std::vector<NoisyMarginal>& measurements,
                   double total, const FitOptions& options, FitState* state,
                   const GraphicalModel* base) {
  require_measurements(sizes, measurements);
  require_in(kPositive, {"the total of a fit", "total"}, total);
  require_in(kPositive, {"the shrinkage of a fit", "shrinkage"}, options.shrinkage);
  require_in(kNotNegative, {"the smoothness of a fit", "smoothness"}, options.smoothness);
  refuse_if(!options.ordered.empty() && options.ordered.size() != sizes.size(), "wrong-shape", {},
            "which of {} columns are ordered must be said of each, but is of {}", sizes.size(),
            options.ordered.size());
  refuse_if(base != nullptr && base->sizes() != sizes, "wrong-shape", {},
            "a fit must start at a model of the same columns, but these are others");
  Objective objective(sizes, joined(measurements), total, options, base);
  const std::vector<Clique>& cliques = objective.cliques();
  Vector theta = Vector::Zero(objective.size());
  History history;
  if (state != nullptr && state->inside)
    begin_at(*state->inside, objective.begins(), theta, history);
  minimise(objective, options, theta, history);
  if (state != nullptr) {
    state->inside = std::make_shared<const FitState::Inside>(
        FitState::Inside{objective.begins(), theta, history.steps()});
  }
  NodeTables tables = objective.potentials(theta);
  std::vector<GraphicalModel::Potential> potentials;
  for (std::size_t c = 0; c < cliques.size(); ++c) {
    // Each measurement's are within the limit; of one clique there may be several.
    for (double& value : tables[c]) {
      value = std::clamp(value, -GraphicalModel::kGreatestPotential,
                         GraphicalModel::kGreatestPotential);
    }
    potentials.push_back({cliques[c], std::move(tables[c])});
  }
  return {sizes, total, std::move(potentials)};
}

// -----------------------------------------------------------------------------------------------
// Columns joined by a Gaussian copula.

namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kTerms = 100;
/// Beyond, 100 terms do not tell correlations apart.
constexpr double kGreatestCorrelation = 0.98;
constexpr double kLeastEigenvalue = 1e-4;
/// The beginning of a share's rounding.
constexpr double kLeastTail = 1e-15;
constexpr double kInverseRootOfTwoPi = 0.3989422804014327;

double normal_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), std::clamp(p, kLeastTail, 1 - kLeastTail));
}

double sum_at(std::span<const double> a, std::span<const double> b, double r) {
  double sum = 0;
  for (std::size_t k = a.size(); k-- > 0;) sum = sum * r + a[k] * b[k];
  return sum;
}

}  // namespace

std::vector<std::int64_t> rank_scores(std::span<const double> shares, std::uint64_t steps) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  const auto most = static_cast<double>(steps);
  double below = 0;
  std::vector<std::int64_t> scores;
  for (const double share : shares) {
    const double rank = 2 * (below + share / 2) / all - 1;
    scores.push_back(std::llround(std::clamp(rank, -1.0, 1.0) * most));
    below += share;
  }
  return scores;
}

CopulaColumn::CopulaColumn(std::span<const double> shares) {
  const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
  double below = 0;
  for (std::size_t value = 0; value + 1 < shares.size(); ++value) {
    below += shares[value];
    ends_.push_back(normal_quantile(below / all));
  }
}

std::uint32_t CopulaColumn::value_at(double z) const {
  return static_cast<std::uint32_t>(std::upper_bound(ends_.begin(), ends_.end(), z) -
                                    ends_.begin());
}

std::vector<double> CopulaColumn::hermite(std::span<const std::int64_t> scores) const {
  std::vector<double> coefficients(kTerms);
  // The integral of the density times h_k beyond an end is the density times h_(k-1) / sqrt(k)
  // there; of h_0 it is the probability.
  coefficients[0] = static_cast<double>(scores[0]);
  for (std::size_t end = 0; end < ends_.size(); ++end) {
    const double z = ends_[end];
    const auto step = static_cast<double>(scores[end + 1] - scores[end]);
    coefficients[0] += step * 0.5 * std::erfc(z * std::sqrt(0.5));
    double before = 0;
    double now = kInverseRootOfTwoPi * std::exp(-z * z / 2);  // the density times h_(k-1)
    for (std::size_t k = 1; k < kTerms; ++k) {
      const auto order = static_cast<double>(k);
      coefficients[k] += step * now / std::sqrt(order);
      const double next = (z * now - std::sqrt(order - 1) * before) / std::sqrt(order);
      before = now;
      now = next;
    }
  }
  return coefficients;
}

double latent_correlation(std::span<const double> a, std::span<const double> b,
                          double mean_product) {
  if (!(a[1] * b[1] > 0)) return 0;  // a column of one score
  const Ends found =
      halve({.serves = kGreatestCorrelation, .fails = -kGreatestCorrelation}, {.most = 40},
            [&](double correlation) { return !(sum_at(a, b, correlation) < mean_product); });
  return (found.serves + found.fails) / 2;
}

std::vector<double> nearest_correlations(std::vector<double> matrix, std::size_t d) {
  const auto size = static_cast<Index>(d);
  Eigen::Map<MatrixXd> mapped(matrix.data(), size, size);
  const EigenSystem eigen = eigen_system(mapped);
  const MatrixXd root =
      eigen.vectors * eigen.values.cwiseMax(kLeastEigenvalue).cwiseSqrt().asDiagonal();
  const MatrixXd definite = root * root.transpose();
  const Eigen::VectorXd scale = definite.diagonal().cwiseSqrt().cwiseInverse();
  mapped = scale.asDiagonal() * definite * scale.asDiagonal();
  mapped.diagonal().setOnes();
  return matrix;
}

ModelRows copula_rows(const std::vector<std::vector<double>>& shares,
                      const std::vector<double>& correlations, std::size_t count,
                      const RandomWords& words) {
  const auto size = static_cast<Index>(shares.size());
  const std::vector<double> definite = nearest_correlations(correlations, shares.size());
  const MatrixXd root =
      eigen_system(Eigen::Map<const MatrixXd>(definite.data(), size, size)).root();
  std::vector<CopulaColumn> columns;
  for (const std::vector<double>& of_column : shares) columns.emplace_back(of_column);
  ModelRows rows(shares.size(), std::vector<std::uint32_t>(count));
  Eigen::VectorXd normals(size);
  for (std::size_t row = 0; row < count; ++row) {
    for (double& normal : normals) {
      normal = normal_quantile((static_cast<double>(words() >> 11U) + 0.5) * 0x1p-53);
    }
    const Eigen::VectorXd joined = root * normals;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      rows[i][row] = columns[i].value_at(joined[static_cast<Index>(i)]);
    }
  }
  return rows;
}

}  // namespace mollify
