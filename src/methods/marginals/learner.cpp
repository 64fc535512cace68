#include "methods/marginals/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "methods/graphical/fit.h"
#include "methods/marginals/pair_learner.h"

namespace mollify {

namespace {

/// Cells with fewer standard deviations than this are put together with others.
constexpr double kRareDeviations = 3;
/// The part of all rows that noise alone may put into doubtful cells, in the mean.
constexpr double kRowsOfNoise = 5e-4;

/// Brought to at least 0 and to a sum.
std::vector<double> scaled_to(std::vector<double> counts, double total) {
  double sum = 0;
  for (double& count : counts) {
    if (!(count > 0)) count = 0;
    sum += count;
  }
  for (double& count : counts) {
    count = sum > 0 ? count * (total / sum) : total / static_cast<double>(counts.size());
  }
  return counts;
}

class Learner {
 public:
  Learner(const MarginalDesign& design, MarginalAnswers& answers, const PairCounts* reference,
          const RulesOfCells* rules, const std::vector<ColumnAxis>* axes)
      : design_(design),
        reference_(reference),
        rules_(rules),
        axes_(axes),
        columns_(design.request.columns),
        budget_(design.request.budget, design.request.unit, design.amount),
        answers_(answers) {
    // Of no public records there is no law.
    if (reference_ == nullptr) return;
    if (const double records = counted_records(*reference_); records > 0) {
      worth_.emplace(records);
    }
  }

  MarginalModel learn() {
    measure_columns();
    if (worth_) begin_at_reference();
    if (rules_ != nullptr) begin_at_rules();
    std::vector<double> correlations;
    if (design_.product_parts > 0) correlations = measure_correlations();
    std::vector<MarginalModel::ColumnModel> columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns.push_back({merged_[i], shares_[i]});
    }
    GraphicalModel model = learn_pairs(
        design_, answers_,
        {total_, std::move(merged_), std::move(ordered_), std::move(sizes_), std::move(expected_),
         std::move(levels_), std::move(asked_), std::move(measured_), std::move(cliques_),
         std::move(base_), worth_ ? worth_->records() : 0, rules_ != nullptr});
    return {std::move(columns), std::move(model), std::move(correlations)};
  }

  /// Public records leave the rest of the model's cells to pairs that are measured.
  static constexpr std::uint64_t kPublicShareOfCells = 4;

  void measure_columns() {
    double deviation = budget_.deviation(design_.column_parts);
    std::vector<std::vector<double>> counts = columns_with(design_.column_parts);
    total_ = total_of(counts);
    if (const std::uint32_t more = second_column_parts(design_, total_); more > 0) {
      const std::vector<std::vector<double>> again = columns_with(more);
      const double of_again = budget_.deviation(more);
      // No std::hypot: it takes glibc 2.35, and wheels run on 2.34.
      const double square = deviation * deviation + of_again * of_again;
      const double weight = deviation * deviation / square;
      for (std::size_t i = 0; i < counts.size(); ++i) {
        for (std::size_t cell = 0; cell < counts[i].size(); ++cell) {
          counts[i][cell] += weight * (again[i][cell] - counts[i][cell]);
        }
      }
      deviation *= of_again / std::sqrt(square);
      total_ = total_of(counts);
    }
    for (std::vector<double>& column : counts) keep_total(column);
    see_reference(counts, deviation);
    ColumnSizes most(columns_.size(), kMostGroups);
    if (rules_ != nullptr) {
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        most[i] = std::min(most[i], columns_[i].size);
      }
      most = rules_->most_groups(most, kModelCells / kRulesShareOfCells);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool ordered = columns_[i].ordered;
      ordered_.push_back(ordered);
      if (columns_[i].follows) {
        add_follower();
        continue;
      }
      auto [likely, doubt, has_density] = likely_counts(i, counts[i], deviation);
      if (has_density) counts[i] = scaled_to(likely, total_);
      std::vector<double> cell_shares = without_noise(likely, doubt);
      for (std::size_t cell = 0; has_density && cell < likely.size(); ++cell) {
        if (!(*axes_)[i][cell].is_alone()) cell_shares[cell] = likely[cell];
      }
      std::vector<bool> is_noise(likely.size(), false);
      for (const std::uint32_t cell : columns_[i].doubtful) {
        is_noise[cell] = !(likely[cell] > least_of_doubtful(doubt));
        if (is_noise[cell]) likely[cell] = 0;
      }
      merged_.push_back(by_class(
          likely, ordered, rules_ != nullptr ? rules_->classes(i) : std::vector<std::uint32_t>(),
          [&, noise = doubt](std::span<const double> of_class, double share) {
            const CellGroups rare = merge_rare(of_class, ordered, kRareDeviations * noise);
            const auto few = std::max(1U, static_cast<std::uint32_t>(share * most[i]));
            return composed(rare, coarsen(grouped(of_class, rare), ordered, few));
          }));
      sizes_.push_back(merged_[i].count);
      const std::vector<double> values = grouped(likely, merged_[i]);
      shares_.push_back(shares_of(i, std::move(cell_shares), likely, is_noise));
      expected_.push_back(scaled_to(values, total_));
      add_measured(i, grouped(counts[i], merged_[i]), deviation);
      std::vector<CellGroups>& levels = levels_.emplace_back();
      for (const std::uint32_t count : kResolutions)
        levels.push_back(coarsen(values, ordered, count));
      asked_.push_back(asked_cells(merged_[i], values, ordered));
    }
  }

  /// Moves a column's counts alike, so that they sum to all rows: then the noise of the many cells
  /// of a group does not add up.
  void keep_total(std::vector<double>& counts) const {
    const double sum = std::accumulate(counts.begin(), counts.end(), 0.0);
    const double each = (total_ - sum) / static_cast<double>(counts.size());
    if (!std::isfinite(each)) return;
    for (double& count : counts) count += each;
  }

  /// Of a column that follows from another: one value, without a question.
  void add_follower() {
    merged_.push_back(single_cells(1));
    sizes_.push_back(1);
    shares_.push_back({1});
    expected_.push_back({total_});
    levels_.emplace_back(kResolutions.size(), single_cells(1));
    asked_.emplace_back();
  }

  /// The count above which a doubtful cell is no noise: more than kRareDeviations, and noise of this
  /// deviation in all such cells puts kRowsOfNoise of all rows above it in the mean. If a count
  /// is noise alone, its part above c has the mean s phi(c / s), or (c + b) e^(-c/b) / 2 for Laplace
  /// noise of scale b.
  double least_of_doubtful(double deviation) const {
    double cells = 0;
    for (const MarginalColumn& column : columns_) {
      cells += static_cast<double>(column.doubtful.size());
    }
    const double allowed = kRowsOfNoise * total_ / cells;
    if (design_.request.budget.notion != PrivacyNotion::kPure) {
      constexpr double kDensityAtZero = 0.3989422804014327;
      const double times = kDensityAtZero * deviation / allowed;
      return deviation * std::max(kRareDeviations, std::sqrt(2 * std::log(std::max(times, 1.0))));
    }
    const double scale = deviation / std::sqrt(2.0);
    return std::max(kRareDeviations * deviation, scale * solve_tail(2 * allowed / scale));
  }

  /// The least x >= 0 with (x + 1) e^-x <= y, to nine digits.
  static double solve_tail(double y) {
    double x = 0;
    // Rises towards the answer, because the logarithm of x + 1 does.
    for (int step = 0; step < 60; ++step) x = std::max(0.0, std::log((x + 1) / y));
    return x;
  }

  /// Doubtful cells have their counts alone, unless a value of the model has no other cells.
  std::vector<double> shares_of(std::size_t column, std::vector<double> shares,
                                const std::vector<double>& likely,
                                const std::vector<bool>& is_noise) const {
    const CellGroups& values = merged_[column];
    std::vector<bool> has_other(values.count, false);
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
      if (!is_noise[cell]) has_other[values.of[cell]] = true;
    }
    for (const std::uint32_t cell : columns_[column].doubtful) {
      if (has_other[values.of[cell]]) shares[cell] = std::max(likely[cell], 0.0);
    }
    return shares;
  }

  /// A column's shares among public records.
  std::vector<double> public_shares(std::size_t column) const {
    const auto counts = reference_->column(column);
    const double records = counted_records(*reference_);
    std::vector<double> shares;
    for (const std::uint64_t count : counts) shares.push_back(static_cast<double>(count) / records);
    return shares;
  }

  void see_reference(const std::vector<std::vector<double>>& counts, double deviation) {
    for (std::size_t i = 0; worth_ && i < counts.size(); ++i) {
      if (columns_[i].follows) continue;
      std::vector<double> shares = counts[i];
      for (double& share : shares) share /= total_;
      worth_->see(public_shares(i), shares, deviation / total_);
    }
  }

  struct Likely {
    std::vector<double> counts;
    double deviation;
    bool has_density = false;
  };

  /// A column's answers with the density that they show together.
  Likely smoothed(std::size_t column, const std::vector<double>& counts, double deviation) const {
    Likely likely{counts, deviation};
    if (axes_ == nullptr || (*axes_)[column].empty()) return likely;
    const ColumnAxis& axis = (*axes_)[column];
    const std::optional<Density> density = smooth_density(axis, counts, deviation);
    likely.has_density = density.has_value();
    for (std::size_t cell = 0; density && cell < counts.size(); ++cell) {
      if (axis[cell].is_alone()) continue;
      likely.counts[cell] =
          with_density(counts[cell], density->between(axis[cell].low, axis[cell].high), deviation);
    }
    return likely;
  }

  /// A column's answers and public records together, by inverse variance.
  Likely likely_counts(std::size_t column, const std::vector<double>& counts,
                       double deviation) const {
    if (!worth_) return smoothed(column, counts, deviation);
    const double noise = deviation / total_;
    const double cells = static_cast<double>(counts.size());
    const double weight = 1 / (1 + worth_->records() * cells * noise * noise);
    Likely likely{public_shares(column), deviation * std::sqrt(weight)};
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      double& count = likely.counts[cell];
      count *= total_;
      count += weight * (counts[cell] - count);
    }
    return likely;
  }

  /// Of a copula: the columns' scores are public once they have been measured, and then the sums
  /// of their products are.
  std::vector<double> measure_correlations() {
    const std::size_t d = columns_.size();
    CellScores scores{{}, design_.score_steps};
    std::vector<std::vector<double>> hermite;
    for (std::size_t i = 0; i < d; ++i) {
      const std::vector<std::int64_t> of_values = rank_scores(expected_[i], scores.steps);
      hermite.push_back(CopulaColumn(expected_[i]).hermite(of_values));
      std::vector<std::int64_t>& of_cells = scores.columns.emplace_back();
      for (const std::uint32_t value : merged_[i].of) of_cells.push_back(of_values[value]);
    }
    const Ratio noise = budget_.product_noise(design_.product_parts, d, scores.steps);
    const double deviation = budget_.deviation_of(noise) / total_;
    std::vector<double> products = answers_.products(scores, design_.product_parts);
    // Towards independent columns by as much as is noise [James, Stein 1961].
    double square = 0;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i + 1; j < d; ++j, ++pair) {
        products[pair] = products[pair] / total_ - hermite[i][0] * hermite[j][0];
        square += products[pair] * products[pair];
      }
    }
    const double noisy = static_cast<double>(products.size()) * deviation * deviation;
    const double kept = square > noisy ? 1 - noisy / square : 0;
    std::vector<double> correlations(d * d, 1.0);
    pair = 0;
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = i + 1; j < d; ++j, ++pair) {
        correlations[i * d + j] = correlations[j * d + i] = latent_correlation(
            hermite[i], hermite[j], hermite[i][0] * hermite[j][0] + kept * products[pair]);
      }
    }
    return nearest_correlations(std::move(correlations), d);
  }

  void begin_at_reference() {
    std::vector<Clique> of_rules;
    if (rules_ != nullptr) of_rules = rules_->possible.table_columns();
    base_ = public_model(*reference_, merged_, ordered_, design_.model_cells / kPublicShareOfCells,
                         worth_->records(), std::move(of_rules));
    for (const GraphicalModel::Potential& potential : base_->potentials()) {
      if (potential.clique.size() > 1) cliques_.push_back(potential.clique);
    }
  }

  void begin_at_rules() {
    if (!base_) {
      base_ = GraphicalModel::uniform(sizes_,
                                      total_ / static_cast<double>(design_.request.unit.weight));
    }
    const std::vector<GraphicalModel::Potential> zeros = rules_->potentials(merged_);
    for (const GraphicalModel::Potential& potential : zeros) {
      if (potential.clique.size() > 1) add_clique(potential.clique);
    }
    base_ = base_->times(zeros);
  }

  void add_clique(const Clique& clique) {
    if (std::find(cliques_.begin(), cliques_.end(), clique) == cliques_.end()) {
      cliques_.push_back(clique);
    }
  }

  /// The fit counts records, whatever each of them weighs.
  void add_measured(std::size_t column, std::vector<double> counts, double deviation) {
    const auto weight = static_cast<double>(design_.request.unit.weight);
    for (double& count : counts) count /= weight;
    measured_.push_back({{column}, std::move(counts), deviation / weight});
  }

  std::vector<std::vector<double>> columns_with(std::uint32_t parts) {
    std::vector<std::vector<double>> counts;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].follows) {
        counts.emplace_back(1);
        continue;
      }
      counts.push_back(answers_.measure({{i}, {single_cells(columns_[i].size)}}, parts));
    }
    return counts;
  }

  /// n W, where n is public; else the mean of the columns' sums, each weighted by what its noise
  /// leaves.
  double total_of(const std::vector<std::vector<double>>& counts) const {
    const MarginalRequest& request = design_.request;
    if (request.records) {
      return static_cast<double>(*request.records) * static_cast<double>(request.unit.weight);
    }
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (columns_[i].follows) continue;
      const std::vector<double>& column = counts[i];
      const double weight = 1 / static_cast<double>(column.size());
      sum += weight * std::accumulate(column.begin(), column.end(), 0.0);
      weights += weight;
    }
    return std::max(sum / weights, static_cast<double>(request.unit.weight));
  }

  const MarginalDesign& design_;
  const PairCounts* reference_;
  const RulesOfCells* rules_;
  const std::vector<ColumnAxis>* axes_;
  const std::vector<MarginalColumn>& columns_;
  MarginalBudget budget_;
  MarginalAnswers& answers_;

  // Made of answers alone.
  double total_ = 0;                             // in weights
  std::vector<CellGroups> merged_;               // of cells: the model's values
  std::vector<bool> ordered_;                    // of the columns
  ColumnSizes sizes_;                            // how many values
  std::vector<std::vector<double>> shares_;      // of cells
  std::vector<std::vector<double>> expected_;    // of values
  std::vector<std::vector<CellGroups>> levels_;  // of values, by resolution
  std::vector<AskedCells> asked_;                // of columns, for questions
  std::vector<NoisyMarginal> measured_;
  std::vector<Clique> cliques_;
  std::optional<PublicWorth> worth_;    // of public records, where there are some
  std::optional<GraphicalModel> base_;  // of them, and of possible records
};

}  // namespace

MarginalModel learn_marginals(const MarginalDesign& design, MarginalAnswers& answers,
                              const PairCounts* reference, const RulesOfCells* rules,
                              const std::vector<ColumnAxis>* axes) {
  return Learner(design, answers, reference, rules, axes).learn();
}

MarginalDesign with_bins(MarginalDesign design, const std::vector<FoundBins>& bins) {
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const MarginalColumn before = design.request.columns[i];
    const CellGroups& groups = bins[i].groups;
    if (before.follows) continue;
    MarginalColumn& column = design.request.columns[i] = {groups.count, before.ordered};
    std::vector<bool> is_doubtful(groups.count, before.private_bins);
    for (const std::uint32_t cell : before.apart) is_doubtful[groups.of[cell]] = false;
    for (const std::uint32_t cell : before.doubtful) is_doubtful[groups.of[cell]] = true;
    for (std::uint32_t group = 0; group < groups.count; ++group) {
      if (is_doubtful[group]) column.doubtful.push_back(group);
    }
  }
  return design;
}

MarginalModel without_bins(const MarginalModel& model, const std::vector<FoundBins>& bins,
                           const std::vector<std::vector<double>>& reference) {
  std::vector<MarginalModel::ColumnModel> columns;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    const MarginalModel::ColumnModel& of_bins = model.columns()[i];
    const CellGroups& groups = bins[i].groups;
    const std::vector<double> inside = shares_inside(bins[i], reference[i]);
    MarginalModel::ColumnModel& column =
        columns.emplace_back(MarginalModel::ColumnModel{composed(groups, of_bins.groups), {}});
    for (std::size_t cell = 0; cell < groups.of.size(); ++cell) {
      column.shares.push_back(of_bins.shares[groups.of[cell]] * inside[cell]);
    }
  }
  return {std::move(columns), model.graph(), model.correlations()};
}

}  // namespace mollify