#include "scores/mixtures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "base/progress.h"
#include "base/refusal.h"
#include "scores/kernels.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Gaussian mixtures fitted to mixed rows.

namespace {

/// The place of mixed points' columns: numbers among the p, levels among all groups.
class Layout {
 public:
  explicit Layout(std::span<const MixedColumn> columns) : columns_(columns) {
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].scale == Scale::kNumber) {
        numbers_.push_back(c);
      } else {
        level_columns_.push_back(c);
        group_begins_.push_back(group_count_);
        group_count_ += groups(columns[c]);
      }
    }
  }

  [[nodiscard]] std::size_t dimension() const { return numbers_.size(); }
  [[nodiscard]] std::size_t level_column_count() const { return level_columns_.size(); }
  [[nodiscard]] std::size_t group_count() const { return group_count_; }

  /// The groups of a level column among all.
  [[nodiscard]] std::size_t group_begin(std::size_t level_column) const {
    return group_begins_[level_column];
  }
  [[nodiscard]] std::size_t group_end(std::size_t level_column) const {
    return level_column + 1 < group_begins_.size() ? group_begins_[level_column + 1] : group_count_;
  }

  /// The numbers of a point, and its group in each level column.
  void read(const MixedPoints& points, std::size_t i, std::span<double> numbers,
            std::span<std::size_t> point_groups) const {
    for (std::size_t d = 0; d < numbers_.size(); ++d) {
      numbers[d] = static_cast<double>(number_in_range(points.values(numbers_[d])[i]));
    }
    for (std::size_t l = 0; l < level_columns_.size(); ++l) {
      const MixedColumn& column = columns_[level_columns_[l]];
      const std::uint64_t level =
          level_in_range(points.values(level_columns_[l])[i], column.levels);
      point_groups[l] =
          group_begins_[l] + static_cast<std::size_t>(level * groups(column) / column.levels);
    }
  }

  /// How many levels a group has on average.
  [[nodiscard]] double levels_in_group(std::size_t level_column) const {
    const MixedColumn& column = columns_[level_columns_[level_column]];
    return static_cast<double>(column.levels) / static_cast<double>(groups(column));
  }

 private:
  static std::uint32_t groups(const MixedColumn& column) {
    return std::min(column.levels, FittedMixture::kMostLevelGroups);
  }

  std::span<const MixedColumn> columns_;
  std::vector<std::size_t> numbers_;
  std::vector<std::size_t> level_columns_;
  std::vector<std::size_t> group_begins_;
  std::size_t group_count_ = 0;
};

/// A mixture in the form that densities are computed from.
class Evaluator {
 public:
  Evaluator(const FittedMixture& mixture, const Layout& layout)
      : mixture_(mixture), dimension_(layout.dimension()), logarithms_(mixture.weights.size()) {
    for (std::size_t k = 0; k < mixture.weights.size(); ++k) {
      factors_.push_back(inverse_factor(mixture.covariances[k]));
      double constant = std::log(mixture.weights[k]) -
                        0.5 * static_cast<double>(dimension_) * std::log(2 * std::acos(-1.0));
      for (std::size_t d = 0; d < dimension_; ++d) {
        constant += std::log(factors_[k][d * dimension_ + d]);
      }
      for (std::size_t l = 0; l < layout.level_column_count(); ++l) {
        constant -= std::log(layout.levels_in_group(l));
      }
      constants_.push_back(constant);
      std::vector<double> level_logarithms;
      for (const double p : mixture.level_probabilities[k]) level_logarithms.push_back(std::log(p));
      level_logarithms_.push_back(std::move(level_logarithms));
    }
  }

  /// The components' shares of the density at a point, and the logarithm of the density.
  double shares(std::span<const double> numbers, std::span<const std::size_t> groups,
                std::span<double> shares) {
    for (std::size_t k = 0; k < logarithms_.size(); ++k) {
      double logarithm = constants_[k];
      const double* factor = factors_[k].data();
      const std::vector<double>& mean = mixture_.means[k];
      for (std::size_t d = 0; d < dimension_; ++d, factor += dimension_) {
        double whitened = 0;
        for (std::size_t e = 0; e <= d; ++e) whitened += factor[e] * (numbers[e] - mean[e]);
        logarithm -= 0.5 * whitened * whitened;
      }
      for (const std::size_t group : groups) logarithm += level_logarithms_[k][group];
      logarithms_[k] = logarithm;
    }
    const double greatest = *std::ranges::max_element(logarithms_);
    double sum = 0;
    for (std::size_t k = 0; k < logarithms_.size(); ++k) {
      shares[k] = std::exp(logarithms_[k] - greatest);
      sum += shares[k];
    }
    for (double& share : shares) share /= sum;
    return greatest + std::log(sum);
  }

 private:
  /// The inverse of the lower Cholesky factor of a covariance, row by row.
  [[nodiscard]] std::vector<double> inverse_factor(const std::vector<double>& covariance) const {
    const std::size_t p = dimension_;
    std::vector<double> lower(p * p);
    std::vector<double> inverse(p * p);
    for (std::size_t i = 0; i < p; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double rest = covariance[i * p + j];
        for (std::size_t e = 0; e < j; ++e) rest -= lower[i * p + e] * lower[j * p + e];
        // The prior keeps pivots above this; a floor makes rounding harmless, too.
        lower[i * p + j] = i == j ? std::sqrt(std::max(rest, 1e-14)) : rest / lower[j * p + j];
      }
      inverse[i * p + i] = 1 / lower[i * p + i];
      for (std::size_t j = 0; j < i; ++j) {
        double sum = 0;
        for (std::size_t e = j; e < i; ++e) sum += lower[i * p + e] * inverse[e * p + j];
        inverse[i * p + j] = -sum / lower[i * p + i];
      }
    }
    return inverse;
  }

  const FittedMixture& mixture_;
  std::size_t dimension_;
  std::vector<std::vector<double>> factors_;
  std::vector<double> constants_;
  std::vector<std::vector<double>> level_logarithms_;
  std::vector<double> logarithms_;
};

/// What maximisation needs to know of the rows that belong to one component.
struct ComponentSums {
  double weight = 0;
  std::vector<double> sums;
  std::vector<double> products;
  std::vector<double> group_sums;

  explicit ComponentSums(const Layout& layout)
      : sums(layout.dimension()),
        products(layout.dimension() * layout.dimension()),
        group_sums(layout.group_count()) {}

  void add(double share, std::span<const double> numbers, std::span<const std::size_t> groups) {
    weight += share;
    const std::size_t p = numbers.size();
    for (std::size_t d = 0; d < p; ++d) {
      const double shared = share * numbers[d];
      sums[d] += shared;
      for (std::size_t e = 0; e <= d; ++e) products[d * p + e] += shared * numbers[e];
    }
    for (const std::size_t group : groups) group_sums[group] += share;
  }
};

/// Which part each row starts in, by Var-Part; parts are numbered from 0 on.
std::vector<std::size_t> starting_parts(const MixedPoints& rows, std::size_t most_parts) {
  struct Part {
    std::vector<std::uint32_t> rows;
    double squares = 0;      // about the mean, over all columns
    std::size_t widest = 0;  // column
    double mean = 0;         // in it
  };
  const auto value = [&](std::size_t c, std::uint32_t i) {
    const MixedColumn& column = rows.columns()[c];
    const float x = rows.values(c)[i];
    return column.scale == Scale::kNumber
               ? static_cast<double>(number_in_range(x))
               : static_cast<double>(level_in_range(x, column.levels)) / column.levels;
  };
  const auto measure = [&](Part& part) {
    double most = 0;
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      double sum = 0;
      for (const std::uint32_t i : part.rows) sum += value(c, i);
      const double mean = sum / static_cast<double>(part.rows.size());
      double squares = 0;
      for (const std::uint32_t i : part.rows)
        squares += (value(c, i) - mean) * (value(c, i) - mean);
      part.squares += squares;
      if (squares > most) {
        most = squares;
        part.widest = c;
        part.mean = mean;
      }
    }
  };
  std::vector<Part> parts(1);
  parts[0].rows.resize(rows.size());
  std::iota(parts[0].rows.begin(), parts[0].rows.end(), std::uint32_t{0});
  measure(parts[0]);
  while (parts.size() < most_parts) {
    keep_going();
    const auto worst = std::ranges::max_element(parts, {}, &Part::squares);
    if (!(worst->squares > 0)) break;
    Part low, high;
    for (const std::uint32_t i : worst->rows) {
      (value(worst->widest, i) <= worst->mean ? low : high).rows.push_back(i);
    }
    if (low.rows.empty() || high.rows.empty()) break;
    measure(low);
    measure(high);
    *worst = std::move(low);
    parts.push_back(std::move(high));
  }
  std::vector<std::size_t> part_of_row(rows.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const std::uint32_t i : parts[k].rows) part_of_row[i] = k;
  }
  return part_of_row;
}

/// The prior of every component: the moments of all rows and of one record spread evenly.
struct Prior {
  std::vector<double> means;
  std::vector<double> variances;
  std::vector<double> group_probabilities;

  Prior(const ComponentSums& all, const Layout& layout, std::size_t components)
      : means(layout.dimension()),
        variances(layout.dimension()),
        group_probabilities(layout.group_count()) {
    const std::size_t p = layout.dimension();
    const double n = all.weight + 1;
    for (std::size_t d = 0; d < p; ++d) {
      means[d] = (all.sums[d] + 0.5) / n;
      const double square = (all.products[d * p + d] + 1.0 / 3) / n;
      const double variance = std::max(square - means[d] * means[d], 1.0 / (12 * n));
      variances[d] =
          variance * std::pow(static_cast<double>(components), -2 / static_cast<double>(p));
    }
    for (std::size_t l = 0; l < layout.level_column_count(); ++l) {
      const std::size_t begin = layout.group_begin(l);
      const auto groups = static_cast<double>(layout.group_end(l) - begin);
      for (std::size_t g = begin; g < layout.group_end(l); ++g) {
        group_probabilities[g] = (all.group_sums[g] + 1 / groups) / n;
      }
    }
  }
};

/// The most probable component given its rows' moments.
void maximise(const ComponentSums& rows, const Prior& prior, bool full_covariance, std::size_t k,
              FittedMixture& mixture) {
  constexpr double kMeanPrior = 0.01;  // rows' worth, as [Fraley, Raftery 2007] have it
  const std::size_t p = prior.means.size();
  std::vector<double>& mean = mixture.means[k];
  for (std::size_t d = 0; d < p; ++d) {
    mean[d] = (rows.sums[d] + kMeanPrior * prior.means[d]) / (rows.weight + kMeanPrior);
  }
  for (std::size_t d = 0; d < p; ++d) {
    for (std::size_t e = 0; e <= d; ++e) {
      double product = 0;
      if (d == e || full_covariance) {
        product = rows.products[d * p + e] - mean[d] * rows.sums[e] - mean[e] * rows.sums[d] +
                  rows.weight * mean[d] * mean[e];
      }
      if (d == e) product = std::max(product, 0.0) + prior.variances[d];
      mixture.covariances[k][d * p + e] = product / (rows.weight + 1);
      mixture.covariances[k][e * p + d] = product / (rows.weight + 1);
    }
  }
  for (std::size_t g = 0; g < prior.group_probabilities.size(); ++g) {
    mixture.level_probabilities[k][g] =
        (rows.group_sums[g] + prior.group_probabilities[g]) / (rows.weight + 1);
  }
}

}  // namespace

FittedMixture fit_gaussian_mixture(const MixedPoints& rows, const MixtureFit& how) {
  refuse_if(how.components == 0, "out-of-range", "components",
            "a mixture must have at least 1 component, but is to have 0");
  const Layout layout(rows.columns());
  const std::size_t p = layout.dimension();
  const std::vector<std::size_t> parts = starting_parts(rows, how.components);
  const std::size_t components = parts.empty() ? 1 : *std::ranges::max_element(parts) + 1;
  std::vector<double> numbers(p);
  std::vector<std::size_t> groups(layout.level_column_count());
  std::vector<ComponentSums> moments(components, ComponentSums(layout));
  ComponentSums all(layout);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    layout.read(rows, i, numbers, groups);
    all.add(1, numbers, groups);
    moments[parts[i]].add(1, numbers, groups);
  }
  const Prior prior(all, layout, components);
  FittedMixture mixture{
      .columns = {rows.columns().begin(), rows.columns().end()},
      .weights = std::vector<double>(components),
      .means = {components, std::vector<double>(p)},
      .covariances = {components, std::vector<double>(p * p)},
      .level_probabilities = {components, std::vector<double>(layout.group_count())}};
  const auto maximise_all = [&] {
    for (std::size_t k = 0; k < components; ++k) {
      mixture.weights[k] = (moments[k].weight + 1 / static_cast<double>(components)) /
                           (static_cast<double>(rows.size()) + 1);
      maximise(moments[k], prior, how.full_covariance, k, mixture);
    }
  };
  maximise_all();
  std::vector<double> shares(components);
  for (std::size_t step = 0; step < how.iterations; ++step) {
    Evaluator evaluator(mixture, layout);
    moments.assign(components, ComponentSums(layout));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      keep_going();
      layout.read(rows, i, numbers, groups);
      evaluator.shares(numbers, groups, shares);
      for (std::size_t k = 0; k < components; ++k) moments[k].add(shares[k], numbers, groups);
    }
    maximise_all();
  }
  return mixture;
}

void mixture_densities(const FittedMixture& mixture, const MixedPoints& points,
                       std::span<float> densities) {
  const Layout layout(mixture.columns);
  Evaluator evaluator(mixture, layout);
  std::vector<double> numbers(layout.dimension());
  std::vector<std::size_t> groups(layout.level_column_count());
  std::vector<double> shares(mixture.weights.size());
  constexpr double kMost = std::numeric_limits<float>::max();
  for (std::size_t i = 0; i < points.size(); ++i) {
    keep_going();
    layout.read(points, i, numbers, groups);
    const double density = std::exp(evaluator.shares(numbers, groups, shares));
    densities[i] = static_cast<float>(std::min(density, kMost));
  }
}

GaussianMixtureScorer::GaussianMixtureScorer(const MixedPoints& candidates, const MixtureFit& how)
    : Scorer(candidates), candidates_(candidates), how_(how) {
  refuse_if(how.components == 0, "out-of-range", "components",
            "a mixture must have at least 1 component, but is to have 0");
}

void GaussianMixtureScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  mixture_densities(fit_gaussian_mixture(rows, how_), candidates_, scores);
}

// -----------------------------------------------------------------------------------------------
// Scores from a histogram of mixed rows.

namespace {

/// The cells of one column and the density of its rows in them.
class ColumnCells {
 public:
  ColumnCells(const MixedColumn& column, double number_columns, float bandwidth,
              std::span<const float> rows)
      : column_(column), cells_(column.levels) {
    const auto n = static_cast<double>(rows.size());
    if (column.scale == Scale::kNumber) {
      // rule_of_thumb has sigma n^(-1/(p + 4)).
      const double width = 3.49 * static_cast<double>(bandwidth) *
                           std::pow(n, 1 / (number_columns + 4) - 1 / (number_columns + 2));
      cells_ = static_cast<std::uint32_t>(std::clamp(std::ceil(1 / width), 1.0, 1024.0));
      volume_ = 1 / static_cast<double>(cells_);
    }
    for (const float row : rows) ++counts_[cell(row)];
    for (auto& [cell, count] : counts_) count = smoothed(count, n);
    empty_ = smoothed(0, n);
  }

  [[nodiscard]] std::uint32_t cell(float value) const {
    if (column_.scale != Scale::kNumber) return level_in_range(value, cells_);
    const float position = number_in_range(value) * static_cast<float>(cells_);
    return std::min(static_cast<std::uint32_t>(position), cells_ - 1);
  }

  /// Of a cell, in Lebesgue or counting measure.
  [[nodiscard]] double volume() const { return volume_; }
  [[nodiscard]] double density(std::uint32_t cell) const {
    const auto found = counts_.find(cell);
    return found == counts_.end() ? empty_ : found->second;
  }

 private:
  [[nodiscard]] double smoothed(double count, double n) const {
    return (count + 1 / static_cast<double>(cells_)) / ((n + 1) * volume_);
  }

  MixedColumn column_;
  std::uint32_t cells_;
  double volume_ = 1;
  std::unordered_map<std::uint32_t, double> counts_;
  double empty_ = 0;
};

/// Joins a cell to the hash of those before it (the finaliser of SplitMix64 [Steele et al. 2014]).
std::uint64_t joined(std::uint64_t hash, std::uint64_t cell) {
  std::uint64_t x = hash + 0x9e3779b97f4a7c15U * (cell + 1);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

HistogramScorer::HistogramScorer(const MixedPoints& candidates)
    : Scorer(candidates), candidates_(candidates) {}

void HistogramScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  const Bandwidths bandwidths = rule_of_thumb(rows);
  const auto number_columns = static_cast<double>(std::ranges::count(
      columns(), Scale::kNumber, [](const MixedColumn& column) { return column.scale; }));
  std::vector<std::uint64_t> row_cells(rows.size());
  std::vector<std::uint64_t> candidate_cells(scores.size());
  std::vector<double> independent(scores.size(), 1.0);
  double volume = 1;
  for (std::size_t c = 0; c < columns().size(); ++c) {
    const ColumnCells cells(columns()[c], number_columns, bandwidths.of_column[c], rows.values(c));
    volume *= cells.volume();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      row_cells[i] = joined(row_cells[i], cells.cell(rows.values(c)[i]));
    }
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const std::uint32_t cell = cells.cell(candidates_.values(c)[j]);
      candidate_cells[j] = joined(candidate_cells[j], cell);
      independent[j] *= cells.density(cell);
    }
  }
  std::unordered_map<std::uint64_t, double> counts;
  for (const std::uint64_t cell : row_cells) ++counts[cell];
  const auto n = static_cast<double>(rows.size());
  const auto distinct = static_cast<double>(counts.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto found = counts.find(candidate_cells[j]);
    const double joint = found == counts.end() ? 0 : found->second / volume;  // times n
    constexpr double kMost = std::numeric_limits<float>::max();
    scores[j] =
        static_cast<float>(std::min((joint + distinct * independent[j]) / (n + distinct), kMost));
  }
}

}  // namespace mollify
