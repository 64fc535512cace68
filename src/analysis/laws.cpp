#include "analysis/laws.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/progress.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "methods/divergence/f_divergence.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// LawMoments.

namespace {

template <class Value, class Weight>
LawMoments moments_of(std::size_t columns, std::size_t rows, const Value& value,
                      const Weight& weight) {
  LawMoments found;
  double whole = 0;
  for (std::size_t row = 0; row < rows; ++row) whole += weight(row);
  for (std::size_t column = 0; column < columns; ++column) {
    keep_going();
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) sum += weight(row) * value(column, row);
    const double mean = sum / whole;
    double square = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const double off = value(column, row) - mean;
      square += weight(row) * off * off;
    }
    found.means.push_back(mean);
    found.deviations.push_back(std::sqrt(square / whole));
  }
  for (const auto& [i, j] : pairs_of(columns)) {
    keep_going();
    double sum = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      sum += weight(row) * (value(i, row) - found.means[i]) * (value(j, row) - found.means[j]);
    }
    const double scale = whole * found.deviations[i] * found.deviations[j];
    found.correlations.push_back(scale > 0 ? sum / scale : 0);
  }
  return found;
}

}  // namespace

std::vector<double> LawMoments::correlation_matrix() const {
  const std::size_t d = means.size();
  std::vector<double> matrix(d * d, 1.0);
  auto next = correlations.begin();
  for (const auto& [i, j] : pairs_of(d)) matrix[i * d + j] = matrix[j * d + i] = *next++;
  return matrix;
}

LawMoments moments_of_rows(std::span<const double> rows, std::size_t columns) {
  const std::size_t count = rows.size() / columns;
  LawMoments found = moments_of(
      columns, count,
      [&](std::size_t column, std::size_t row) { return rows[row * columns + column]; },
      [](std::size_t) { return 1.0; });
  for (std::size_t column = 0; column < columns; ++column) {
    std::vector<double> values;
    for (std::size_t row = 0; row < count; ++row) values.push_back(rows[row * columns + column]);
    std::sort(values.begin(), values.end());
    auto& quantiles = found.quantiles.emplace_back();
    for (std::size_t i = 0; i < kQuantiles.size(); ++i) {
      quantiles[i] =
          values[static_cast<std::size_t>(kQuantiles[i] * (static_cast<double>(count) - 1))];
    }
  }
  return found;
}

// -----------------------------------------------------------------------------------------------
// Laws.

NamedLaw law_over_outcomes(const char* name, const Domain& domain, std::span<const double> masses) {
  return {name, [&domain, masses](std::size_t i, std::size_t j) {
            const bool alone = i == j;
            const std::size_t width = alone ? 1 : domain.columns()[j].size();
            std::vector<double> found(domain.columns()[i].size() * width);
            for (std::uint32_t outcome = 0; outcome < domain.size(); ++outcome) {
              found[domain.digit(outcome, i) * width + (alone ? 0 : domain.digit(outcome, j))] +=
                  masses[outcome];
            }
            return found;
          }};
}

NamedLaw law_of_counts(const char* name, const PairCounts& counts) {
  return {name, [&counts](std::size_t i, std::size_t j) {
            const auto table = i == j ? counts.column(i) : counts.pair(i, j);
            const double sum = std::accumulate(table.begin(), table.end(), 0.0);
            std::vector<double> found;
            for (const std::uint64_t count : table)
              found.push_back(static_cast<double>(count) / sum);
            return found;
          }};
}

NamedLaw law_of_cells(const char* name, std::vector<std::vector<std::uint32_t>> cells,
                      std::vector<std::size_t> sizes, std::vector<double> weights) {
  if (weights.empty() && !cells.empty()) weights.assign(cells.front().size(), 1.0);
  const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double& weight : weights) weight /= whole;
  // Copies of a law share its rows.
  const auto of = std::make_shared<const std::vector<std::vector<std::uint32_t>>>(std::move(cells));
  const auto masses = std::make_shared<const std::vector<double>>(std::move(weights));
  return {name, [of, masses, sizes = std::move(sizes)](std::size_t i, std::size_t j) {
            const std::size_t width = i == j ? 1 : sizes[j];
            std::vector<double> found(sizes[i] * width);
            for (std::size_t row = 0; row < masses->size(); ++row) {
              found[(*of)[i][row] * width + (i == j ? 0 : (*of)[j][row])] += (*masses)[row];
            }
            return found;
          }};
}

NamedLaw law_of_independent_columns(const char* name, const NamedLaw& law, std::size_t columns) {
  std::vector<std::vector<double>> alone;
  for (std::size_t i = 0; i < columns; ++i) alone.push_back(law.shares(i, i));
  return {name, [alone = std::move(alone)](std::size_t i, std::size_t j) {
            if (i == j) return alone[i];
            std::vector<double> found;
            for (const double a : alone[i]) {
              for (const double b : alone[j]) found.push_back(a * b);
            }
            return found;
          }};
}

namespace {

/// The values below which a quarter, a half and three quarters of the weight lie, without repeats.
std::vector<float> inner_quartiles(std::span<const float> values, std::span<const double> weights) {
  constexpr std::size_t kParts = 4;
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return number_in_range(values[a]) < number_in_range(values[b]);
  });
  const double whole = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<float> edges;
  double sum = 0;
  std::size_t part = 1;
  for (const std::size_t i : order) {
    sum += weights[i];
    const float value = number_in_range(values[i]);
    for (; part < kParts && sum >= whole * static_cast<double>(part) / kParts; ++part) {
      if (edges.empty() || value > edges.back()) edges.push_back(value);
    }
  }
  return edges;
}

}  // namespace

std::vector<NamedLaw> laws_of_points(std::vector<WeightedPoints> all) {
  const std::span<const MixedColumn> columns = all.front().points->columns();
  const auto has_order = [&](std::size_t i) {
    return columns[i].scale != Scale::kCategory || columns[i].levels == 2;
  };
  std::vector<std::vector<float>> edges(columns.size());  // of numbers
  std::vector<std::size_t> sizes;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    sizes.push_back(columns[i].levels);
    if (columns[i].scale != Scale::kNumber) continue;
    edges[i] = inner_quartiles(all.front().points->values(i), all.front().weights);
    sizes[i] = edges[i].size() + 1;
  }
  std::vector<NamedLaw> laws;
  for (auto& [name, points, weights] : all) {
    std::vector<std::vector<std::uint32_t>> cells(columns.size());
    std::vector<std::vector<double>> values(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      for (const float value : points->values(i)) {
        if (columns[i].scale != Scale::kNumber) {
          values[i].push_back(cells[i].emplace_back(level_in_range(value, columns[i].levels)));
          continue;
        }
        // A value on an edge belongs below it: it is one of those that the edge was chosen for.
        const float number = number_in_range(value);
        const auto above = std::lower_bound(edges[i].begin(), edges[i].end(), number);
        cells[i].push_back(static_cast<std::uint32_t>(above - edges[i].begin()));
        values[i].push_back(static_cast<double>(number));
      }
    }
    LawMoments moments = moments_of(
        columns.size(), points->size(),
        [&](std::size_t column, std::size_t row) { return values[column][row]; },
        [&, &masses = weights](std::size_t row) { return masses[row]; });
    auto correlation = moments.correlations.begin();
    for (const auto& [i, j] : pairs_of(columns.size())) {
      if (!has_order(i) || !has_order(j)) *correlation = 0;
      ++correlation;
    }
    laws.push_back(law_of_cells(name, std::move(cells), sizes, std::move(weights)));
    laws.back().moments = std::move(moments);
  }
  return laws;
}

// -----------------------------------------------------------------------------------------------
// Distances.

std::vector<std::pair<std::size_t, std::size_t>> pairs_of(std::size_t columns) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < columns; ++i) {
    for (std::size_t j = i + 1; j < columns; ++j) pairs.emplace_back(i, j);
  }
  return pairs;
}

namespace {

void compare_moments(const LawMoments& truth, const LawMoments& other, LawDistances& found) {
  for (std::size_t i = 0; i < truth.means.size(); ++i) {
    if (!(truth.deviations[i] > 0)) continue;
    found.worst_mean =
        std::max(found.worst_mean, std::abs(other.means[i] - truth.means[i]) / truth.deviations[i]);
  }
  for (std::size_t pair = 0; pair < truth.correlations.size(); ++pair) {
    const double off = std::abs(other.correlations[pair] - truth.correlations[pair]);
    found.worst_correlation = std::max(found.worst_correlation, off);
    found.mean_correlation += off / static_cast<double>(truth.correlations.size());
  }
}

}  // namespace

ComparedLaws compare_laws(std::size_t columns, std::span<const NamedLaw> laws) {
  const auto pairs = pairs_of(columns);
  ComparedLaws found{.others = std::vector<LawDistances>(laws.size() - 1)};
  for (const auto& [i, j] : pairs) {
    const std::vector<double> truth = laws.front().shares(i, j);
    found.spread += spread_of(truth);
    for (std::size_t other = 1; other < laws.size(); ++other) {
      LawDistances& of_other = found.others[other - 1];
      const double distance = total_variation(truth, laws[other].shares(i, j));
      of_other.pairs.push_back(distance);
      of_other.mean_pair += distance;
      if (distance > of_other.worst_pair) of_other.worst_columns = {i, j};
      of_other.worst_pair = std::max(of_other.worst_pair, distance);
    }
  }
  const double count = std::max<double>(1, static_cast<double>(pairs.size()));
  found.spread /= count;
  for (std::size_t other = 1; other < laws.size(); ++other) {
    found.others[other - 1].mean_pair /= count;
    if (!laws[other].moments.means.empty()) {
      compare_moments(laws.front().moments, laws[other].moments, found.others[other - 1]);
    }
  }
  return found;
}

double spread_of(std::span<const double> shares) {
  double sum = 0;
  for (const double share : shares) sum += std::sqrt(share * (1 - share));
  return sum;
}

double chance_of(double spread, double rows, double other_rows) {
  return spread * std::sqrt((1 / rows + 1 / other_rows) / (2 * std::acos(-1.0)));
}

}  // namespace mollify
