#include "density/mixed_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mollify {
namespace {

double weight_of(std::span<const double> weights, std::size_t point) {
  return weights.empty() ? 1 : weights[point];
}

double value_in_range(const MixedColumn& column, float value) {
  return column.scale == Scale::kNumber ? static_cast<double>(number_in_range(value))
                                        : level_in_range(value, column.levels);
}

bool has_order(const MixedColumn& column) {
  return column.scale != Scale::kCategory || column.levels == 2;
}

/// The values below which a quarter, a half and three quarters of the weight lie, without repeats.
std::vector<float> inner_quantiles(std::span<const float> values, std::span<const double> weights) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return number_in_range(values[a]) < number_in_range(values[b]);
  });
  double whole = 0;
  for (std::size_t i = 0; i < values.size(); ++i) whole += weight_of(weights, i);
  std::vector<float> edges;
  double sum = 0;
  std::size_t part = 1;
  for (const std::size_t i : order) {
    sum += weight_of(weights, i);
    const float value = number_in_range(values[i]);
    const auto goal = [&] { return whole * static_cast<double>(part) / MarginalCuts::kParts; };
    while (part < MarginalCuts::kParts && sum >= goal()) {
      if (edges.empty() || value > edges.back()) edges.push_back(value);
      ++part;
    }
  }
  return edges;
}

std::size_t pairs_of(std::size_t columns) { return columns * (columns - 1) / 2; }

}  // namespace

MarginalCuts MarginalCuts::quartiles_of(const MixedPoints& points,
                                        std::span<const double> weights) {
  MarginalCuts cuts;
  for (std::size_t i = 0; i < points.columns().size(); ++i) {
    const MixedColumn& column = points.columns()[i];
    cuts.edges_.push_back(column.scale == Scale::kNumber
                              ? inner_quantiles(points.values(i), weights)
                              : std::vector<float>{});
    cuts.cells_.push_back(column.scale == Scale::kNumber ? cuts.edges_.back().size() + 1
                                                         : column.levels);
  }
  return cuts;
}

std::size_t MarginalCuts::cell(std::size_t column, float value) const noexcept {
  const std::vector<float>& edges = edges_[column];
  if (edges.empty()) return level_in_range(value, static_cast<std::uint32_t>(cells_[column]));
  // A value on an edge belongs below it: it is one of those that the edge was chosen for.
  const auto above = std::lower_bound(edges.begin(), edges.end(), number_in_range(value));
  return static_cast<std::size_t>(above - edges.begin());
}

MixedSummary summarise(const MixedPoints& points, const MarginalCuts& cuts,
                       std::span<const double> weights) {
  const std::span<const MixedColumn> columns = points.columns();
  const std::size_t count = columns.size();
  double whole = 0;
  for (std::size_t p = 0; p < points.size(); ++p) whole += weight_of(weights, p);

  MixedSummary summary;
  for (std::size_t i = 0; i < count; ++i) {
    double mean = 0;
    double square = 0;
    for (std::size_t p = 0; p < points.size(); ++p) {
      mean += weight_of(weights, p) / whole * value_in_range(columns[i], points.values(i)[p]);
    }
    for (std::size_t p = 0; p < points.size(); ++p) {
      const double difference = value_in_range(columns[i], points.values(i)[p]) - mean;
      square += weight_of(weights, p) / whole * difference * difference;
    }
    summary.means.push_back(mean);
    summary.deviations.push_back(std::sqrt(square));
  }

  summary.correlations.assign(count * count, 0.0);
  summary.pair_marginals.reserve(pairs_of(count));
  for (std::size_t i = 0; i < count; ++i) {
    summary.correlations[i * count + i] = 1;
    for (std::size_t j = i + 1; j < count; ++j) {
      std::vector<double>& marginal =
          summary.pair_marginals.emplace_back(cuts.cells(i) * cuts.cells(j));
      double covariance = 0;
      for (std::size_t p = 0; p < points.size(); ++p) {
        const float first = points.values(i)[p];
        const float second = points.values(j)[p];
        const double mass = weight_of(weights, p) / whole;
        marginal[cuts.cell(i, first) * cuts.cells(j) + cuts.cell(j, second)] += mass;
        covariance += mass * (value_in_range(columns[i], first) - summary.means[i]) *
                      (value_in_range(columns[j], second) - summary.means[j]);
      }
      const double scale = summary.deviations[i] * summary.deviations[j];
      if (scale > 0 && has_order(columns[i]) && has_order(columns[j])) {
        summary.correlations[i * count + j] = summary.correlations[j * count + i] =
            covariance / scale;
      }
    }
  }
  return summary;
}

SummaryDistance summary_distance(const MixedSummary& truth, const MixedSummary& other) {
  SummaryDistance distance;
  const std::size_t count = truth.means.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (!(truth.deviations[i] > 0)) continue;
    distance.worst_mean = std::max(distance.worst_mean,
                                   std::abs(other.means[i] - truth.means[i]) / truth.deviations[i]);
  }
  const auto pairs = static_cast<double>(std::max<std::size_t>(pairs_of(count), 1));
  std::size_t pair = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j, ++pair) {
      const double correlation =
          std::abs(other.correlations[i * count + j] - truth.correlations[i * count + j]);
      double variation = 0;
      for (std::size_t cell = 0; cell < truth.pair_marginals[pair].size(); ++cell) {
        variation +=
            std::abs(other.pair_marginals[pair][cell] - truth.pair_marginals[pair][cell]) / 2;
      }
      distance.worst_correlation = std::max(distance.worst_correlation, correlation);
      distance.mean_correlation += correlation / pairs;
      distance.worst_pair = std::max(distance.worst_pair, variation);
      distance.mean_pair += variation / pairs;
    }
  }
  return distance;
}

}  // namespace mollify
