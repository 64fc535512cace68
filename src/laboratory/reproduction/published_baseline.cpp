#include "laboratory/reproduction/published_baseline.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "boosting/network.h"
#include "density/points.h"
#include "laboratory/boosting/metropolis_hastings.h"

namespace mollify::detail {
namespace {

constexpr std::size_t kBoostingSteps = 3;

/// Numbers at the nodes of an even grid on [-span, span]^d, d = 1 or 2, and between them by linear
/// interpolation.
class NodeTable {
 public:
  NodeTable(std::size_t dimension, double span)
      : dimension_(dimension),
        span_(span),
        along_(dimension == 1 ? 4096 : 600),
        values_(dimension == 1 ? along_ + 1 : (along_ + 1) * (along_ + 1)) {}

  [[nodiscard]] std::span<double> values() { return values_; }

  /// Where the values are, the last axis fastest.
  [[nodiscard]] std::vector<double> node(std::size_t index) const {
    std::vector<double> point(dimension_);
    for (std::size_t axis = dimension_; axis-- > 0; index /= along_ + 1) {
      const auto place = static_cast<double>(index % (along_ + 1));
      point[axis] = span_ * (2 * place / static_cast<double>(along_) - 1);
    }
    return point;
  }

  /// Minus infinity off the box.
  void operator()(std::span<const double> points, std::span<double> results) const {
    for (std::size_t i = 0; i < results.size(); ++i) {
      results[i] =
          dimension_ == 1 ? on_line(points[i]) : in_plane(points[2 * i], points[2 * i + 1]);
    }
  }

 private:
  struct Place {
    std::size_t node;  ///< the lower one
    double part;       ///< of the way to the next
  };

  [[nodiscard]] bool is_inside(double x) const { return -span_ <= x && x <= span_; }

  [[nodiscard]] Place place_of(double x) const {
    const double steps = (x / span_ + 1) / 2 * static_cast<double>(along_);
    const std::size_t node = std::min(static_cast<std::size_t>(steps), along_ - 1);
    return {node, steps - static_cast<double>(node)};
  }

  /// Between a node and the one that is `stride` further on.
  [[nodiscard]] double between(std::size_t node, std::size_t stride, double part) const {
    return values_[node] + part * (values_[node + stride] - values_[node]);
  }

  [[nodiscard]] double on_line(double x) const {
    if (!is_inside(x)) return -std::numeric_limits<double>::infinity();
    const Place at = place_of(x);
    return between(at.node, 1, at.part);
  }

  [[nodiscard]] double in_plane(double x, double y) const {
    if (!is_inside(x) || !is_inside(y)) return -std::numeric_limits<double>::infinity();
    const Place of_x = place_of(x);
    const Place of_y = place_of(y);
    const std::size_t row = along_ + 1;
    const std::size_t corner = of_x.node * row + of_y.node;
    const double low = between(corner, 1, of_y.part);
    const double high = between(corner + row, 1, of_y.part);
    return low + of_x.part * (high - low);
  }

  std::size_t dimension_;
  double span_;
  std::size_t along_;
  std::vector<double> values_;
};

NodeTable log_density_of(const Measure& measure, double span) {
  NodeTable table(measure.dimension(), span);
  for (std::size_t i = 0; i < table.values().size(); ++i) {
    table.values()[i] = std::log(measure.density(table.node(i)));
  }
  return table;
}

/// The same of a boosted density, up to a constant, by its reference's.
NodeTable log_density_of(const BoostedDensity& boosted, const NodeTable& reference) {
  NodeTable table = reference;
  const std::span<double> values = table.values();
  Points nodes(boosted.dimension(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<double> node = table.node(i);
    for (std::size_t axis = 0; axis < node.size(); ++axis) {
      nodes.values(axis)[i] = static_cast<float>(node[axis]);
    }
  }
  std::vector<double> ratios(values.size());
  boosted.log_ratio(nodes, ratios);
  for (std::size_t i = 0; i < ratios.size(); ++i) values[i] += ratios[i];
  return table;
}

Points ends_of_chains(const NodeTable& target, std::size_t dimension, bool quick,
                      SeededRandom& random) {
  const std::size_t chains = quick ? 1000 : 10'000;
  std::vector<double> places(chains * dimension);
  walk_metropolis_hastings(target, dimension, {.steps = quick ? 101U : 1001U, .start = {}}, random,
                           places);
  Points points(dimension, chains);
  for (std::size_t axis = 0; axis < dimension; ++axis) {
    for (std::size_t i = 0; i < chains; ++i) {
      points.values(axis)[i] = static_cast<float>(places[i * dimension + axis]);
    }
  }
  return points;
}

}  // namespace

BoostedDensity published_baseline(const KnownDensity& density, double span, double epsilon,
                                  std::uint64_t seed, bool quick) {
  NetworkOptions network;
  if (quick) network.epochs = 40;
  const NetworkLearner learner(network);
  const std::size_t dimension = density.truth->dimension();
  const NodeTable log_truth = log_density_of(*density.truth, span);
  const NodeTable log_reference = log_density_of(*density.reference, span);
  SeededRandom random(seed);
  BoostedDensity boosted({epsilon, Bounding::kSigmoid}, dimension);
  for (std::size_t t = 1; t <= kBoostingSteps; ++t) {
    const Points p = ends_of_chains(log_truth, dimension, quick, random);
    const Points q =
        ends_of_chains(log_density_of(boosted, log_reference), dimension, quick, random);
    boosted =
        boosted.boosted(std::shared_ptr<const Classifier>(learner.learn(p, q, random.word())));
  }
  return boosted;
}

}  // namespace mollify::detail
