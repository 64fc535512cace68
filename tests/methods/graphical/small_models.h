// Models small enough to sum over every record.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "methods/graphical/junction_tree.h"
#include "methods/graphical/model.h"

namespace mollify::test {

/// Columns and cliques of a random model; at most a few thousand cells in all.
struct SmallModel {
  ColumnSizes sizes;
  std::vector<GraphicalModel::Potential> potentials;

  [[nodiscard]] std::size_t cells() const {
    std::size_t cells = 1;
    for (const std::uint32_t size : sizes) cells *= size;
    return cells;
  }
  /// The cell of a clique's table that a record, numbered row-major, lies in.
  [[nodiscard]] std::size_t cell(std::size_t record, const Clique& clique) const {
    std::vector<std::size_t> values(sizes.size());
    for (std::size_t c = sizes.size(); c-- > 0;) {
      values[c] = record % sizes[c];
      record /= sizes[c];
    }
    std::size_t cell = 0;
    for (const std::size_t column : clique) cell = cell * sizes[column] + values[column];
    return cell;
  }
  /// log of each record's weight.
  [[nodiscard]] std::vector<long double> log_weights() const {
    std::vector<long double> weights(cells());
    for (std::size_t record = 0; record < weights.size(); ++record) {
      for (const auto& potential : potentials) {
        weights[record] += potential.values[cell(record, potential.clique)];
      }
    }
    return weights;
  }
  [[nodiscard]] long double log_sum() const {
    const std::vector<long double> weights = log_weights();
    long double most = weights[0];
    for (const long double weight : weights) most = std::max(most, weight);
    long double sum = 0;
    for (const long double weight : weights) sum += std::exp(weight - most);
    return std::log(sum) + most;
  }
  /// Each record's probability.
  [[nodiscard]] std::vector<double> joint() const {
    const long double whole = log_sum();
    std::vector<double> p;
    for (const long double weight : log_weights()) {
      p.push_back(static_cast<double>(std::exp(weight - whole)));
    }
    return p;
  }
  [[nodiscard]] std::vector<double> marginal(const Clique& clique) const {
    std::vector<double> sums(cell_count(sizes, clique));
    const std::vector<double> p = joint();
    for (std::size_t record = 0; record < p.size(); ++record)
      sums[cell(record, clique)] += p[record];
    return sums;
  }
  [[nodiscard]] GraphicalModel model(double total = 100) const {
    return {sizes, total, potentials};
  }
};

/// Two to six columns of one to four values, and random potentials of up to three columns whose
/// values have this deviation.
inline SmallModel random_model(std::mt19937_64& random, double deviation) {
  SmallModel small;
  const std::size_t columns = 2 + random() % 5;
  for (std::size_t c = 0; c < columns; ++c) {
    small.sizes.push_back(static_cast<std::uint32_t>(1 + random() % 4));
  }
  std::vector<Clique> cliques;
  for (std::size_t i = 0; i < 1 + columns; ++i) {
    Clique clique;
    for (std::size_t c = 0; c < columns; ++c) {
      if (clique.size() < 3 && random() % columns < 2) clique.push_back(c);
    }
    bool is_new = true;
    for (const Clique& other : cliques) is_new = is_new && other != clique;
    if (is_new) cliques.push_back(clique);
  }
  std::normal_distribution<double> normal(0, deviation);
  for (const Clique& clique : cliques) {
    std::vector<double> values(cell_count(small.sizes, clique));
    for (double& value : values) value = normal(random);
    small.potentials.push_back({clique, std::move(values)});
  }
  return small;
}

/// Every set of columns.
inline std::vector<Clique> all_cliques(std::size_t columns) {
  std::vector<Clique> cliques;
  for (std::size_t bits = 0; bits < (std::size_t{1} << columns); ++bits) {
    Clique clique;
    for (std::size_t c = 0; c < columns; ++c) {
      if ((bits >> c & 1U) != 0) clique.push_back(c);
    }
    cliques.push_back(clique);
  }
  return cliques;
}

}  // namespace mollify::test
