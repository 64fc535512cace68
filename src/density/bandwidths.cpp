#include "density/bandwidths.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

namespace mollify {
namespace {

float of_numbers(std::span<const float> values, double number_columns) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.5;
  for (const float value : values) sum += static_cast<double>(number_in_range(value));
  const double mean = sum / (n + 1);
  double squares = 1.0 / 12 + (0.5 - mean) * (0.5 - mean);
  for (const float value : values) {
    const double deviation = static_cast<double>(number_in_range(value)) - mean;
    squares += deviation * deviation;
  }
  return static_cast<float>(std::sqrt(squares / (n + 1)) *
                            std::pow(std::max(n, 1.0), -1 / (number_columns + 4)));
}

/// Sums of r(l) r(l + d) over levels l, for d = 0, 1 and 2, where r(l) is the share of the rows at
/// l among the rows and the one record that is spread over all levels.
struct Products {
  double at[3] = {0, 0, 0};
};

Products products(std::span<const float> values, std::uint32_t levels) {
  std::vector<std::uint32_t> sorted;
  sorted.reserve(values.size());
  for (const float value : values) sorted.push_back(level_in_range(value, levels));
  std::ranges::sort(sorted);
  Products result;
  const double share = 1 / (static_cast<double>(values.size()) + 1);
  double before[3] = {0, 0, 0};  // the shares of the last level and the two below it
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::uint32_t level = sorted[i];
    double count = 0;
    for (; i < sorted.size() && sorted[i] == level; ++i) ++count;
    const std::uint32_t step = level - last;
    for (std::uint32_t s = 0; s < std::min(step, 3U); ++s) {
      before[2] = before[1];
      before[1] = before[0];
      before[0] = 0;
    }
    before[0] = count * share;
    last = level;
    for (std::size_t d = 0; d < 3; ++d) result.at[d] += before[0] * before[d];
  }
  return result;
}

float of_categories(std::span<const float> values, std::uint32_t levels) {
  const auto n = static_cast<double>(values.size());
  const auto c = static_cast<double>(levels);
  const double rows_share = n / (n + 1);
  const double uniform = 1 / (c * (n + 1));
  const double squares = products(values, levels).at[0];
  const double variance = 1 - (squares + 2 * uniform * rows_share + c * uniform * uniform);
  const double bias = squares - rows_share * rows_share / c;
  const double all = variance + n * std::max(bias, 0.0);
  const double weight_of_uniform = all > 0 ? std::max(variance, 0.0) / all : 0;
  return static_cast<float>(weight_of_uniform * (c - 1) / c);
}

float of_ordered(std::span<const float> values, std::uint32_t levels) {
  const auto n = static_cast<double>(std::max<std::size_t>(values.size(), 1));
  const Products p = products(values, levels);
  const double gain = 1 - p.at[0] + p.at[1];
  const double bias = 1.5 * p.at[0] - 2 * p.at[1] + 0.5 * p.at[2];
  return static_cast<float>(std::clamp(gain / (1.5 + (n - 1) * std::max(bias, 0.0)), 0.0, 1.0));
}

}  // namespace

Bandwidths rule_of_thumb(const MixedPoints& rows) {
  const auto number_columns = static_cast<double>(std::ranges::count(
      rows.columns(), Scale::kNumber, [](const MixedColumn& column) { return column.scale; }));
  Bandwidths result;
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    const MixedColumn& column = rows.columns()[c];
    switch (column.scale) {
      case Scale::kNumber:
        result.of_column.push_back(of_numbers(rows.values(c), number_columns));
        break;
      case Scale::kCategory:
        result.of_column.push_back(of_categories(rows.values(c), column.levels));
        break;
      case Scale::kOrdered:
        result.of_column.push_back(of_ordered(rows.values(c), column.levels));
        break;
    }
  }
  return result;
}

}  // namespace mollify
