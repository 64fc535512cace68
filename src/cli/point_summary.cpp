#include "point_summary.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "command.h"

namespace mollify::cli {

PointSummary summary_of_points(std::span<const double> points, std::size_t dimension) {
  PointSummary found;
  const std::size_t rows = points.size() / dimension;
  const auto n = static_cast<double>(rows);
  for (std::size_t column = 0; column < dimension; ++column) {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) values.push_back(points[row * dimension + column]);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
    double square = 0;
    for (const double value : values) square += (value - mean) * (value - mean);
    std::sort(values.begin(), values.end());
    const auto quantile = [&](double part) {
      return values[static_cast<std::size_t>(part * (n - 1))];
    };
    found.means.push_back(mean);
    found.deviations.push_back(std::sqrt(square / n));
    found.low.push_back(quantile(0.05));
    found.middle.push_back(quantile(0.5));
    found.high.push_back(quantile(0.95));
  }
  for (std::size_t i = 0; i < dimension; ++i) {
    for (std::size_t j = i + 1; j < dimension; ++j) {
      double sum = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        sum += (points[row * dimension + i] - found.means[i]) *
               (points[row * dimension + j] - found.means[j]);
      }
      const double scale = n * found.deviations[i] * found.deviations[j];
      found.correlations.push_back(scale > 0 ? sum / scale : 0);
    }
  }
  return found;
}

std::string coordinate_name(const RealColumns& columns, std::size_t column) {
  return columns.is_logarithm(column) ? fmt::format("ln {}", columns.name(column))
                                      : columns.name(column);
}

void print_point_summaries(const RealColumns& columns, const PointSummary& truth,
                           const PointSummary& summary, const char* other) {
  fmt::print("{:<32} {:>12} {:>12}\n", "", "truth", other);
  const auto line = [](const std::string& name, double of_truth, double of_other) {
    fmt::print("{:<32} {:>12.5g} {:>12.5g}\n", printable(name), of_truth, of_other);
  };
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string name = coordinate_name(columns, i);
    line("mean of " + name, truth.means[i], summary.means[i]);
    line("deviation of " + name, truth.deviations[i], summary.deviations[i]);
    line("1 in 20 is below, " + name, truth.low[i], summary.low[i]);
    line("half is below, " + name, truth.middle[i], summary.middle[i]);
    line("1 in 20 is above, " + name, truth.high[i], summary.high[i]);
  }
  std::size_t pair = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t j = i + 1; j < columns.size(); ++j, ++pair) {
      line(fmt::format("correlation of {}, {}", columns.name(i), columns.name(j)),
           truth.correlations[pair], summary.correlations[pair]);
    }
  }
}

Json point_summary_json(const PointSummary& summary) {
  return {{"means", summary.means},
          {"deviations", summary.deviations},
          {"quantiles", {{"0.05", summary.low}, {"0.5", summary.middle}, {"0.95", summary.high}}},
          {"correlations", summary.correlations}};
}

}  // namespace mollify::cli
