#include "methods/marginals/learner.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/progress.h"
#include "base/refusal.h"
#include "methods/graphical/fit.h"
#include "methods/graphical/junction_tree.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A model of public records, that one of private answers begins at.

namespace {

/// Number of records of uniform and independent columns that are added to the public ones'
/// worth.
constexpr double kUniformRecords = 1;
/// Of what tells nothing at all, such as a single record, a model is made too.
constexpr double kLeastWorth = 1e-3;
constexpr std::size_t kSteps = 300;

struct PublicPair {
  std::size_t first;
  std::size_t second;
  std::vector<double> counts;
  double information;  ///< in nats
  double chance;       ///< its size for independent columns
};

std::vector<double> counts_of(const PairCounts& counts, const MarginalTable& table) {
  const std::vector<std::uint64_t> exact = exact_counts(counts, table);
  return {exact.begin(), exact.end()};
}

PublicPair pair_of(const PairCounts& counts, const std::vector<CellGroups>& groups,
                   const std::vector<std::vector<double>>& columns, std::size_t i, std::size_t j) {
  PublicPair pair{i, j, counts_of(counts, {{i, j}, {groups[i], groups[j]}}), 0, 0};
  const std::vector<double>& rows = columns[i];
  const std::vector<double>& others = columns[j];
  const double records = std::accumulate(rows.begin(), rows.end(), 0.0);
  for (std::size_t cell = 0; cell < pair.counts.size(); ++cell) {
    const double count = pair.counts[cell];
    if (!(count > 0)) continue;
    pair.information +=
        count / records *
        std::log(count * records / (rows[cell / others.size()] * others[cell % others.size()]));
  }
  const auto degrees = [](const std::vector<double>& column) {
    return static_cast<double>(
        std::count_if(column.begin(), column.end(), [](double count) { return count > 0; }) - 1);
  };
  pair.chance = degrees(rows) * degrees(others) / (2 * records);
  return pair;
}

/// As far as chance alone takes counts from their law, in a cell of the mean size.
double sampling_deviation(const std::vector<double>& counts, double records) {
  return std::sqrt(records / static_cast<double>(counts.size()));
}

}  // namespace

double counted_records(const PairCounts& counts) {
  const auto first = counts.column(0);
  return static_cast<double>(std::accumulate(first.begin(), first.end(), std::uint64_t{0}));
}

GraphicalModel public_model(const PairCounts& counts, const std::vector<CellGroups>& groups,
                            const std::vector<bool>& ordered, std::uint64_t most_cells,
                            double worth, std::vector<Clique> cliques) {
  const double records = counted_records(counts);
  ColumnSizes sizes;
  std::vector<std::vector<double>> columns;
  std::vector<NoisyMarginal> known;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    sizes.push_back(groups[i].count);
    columns.push_back(counts_of(counts, {{i}, {groups[i]}}));
    known.push_back({{i}, columns[i], sampling_deviation(columns[i], records)});
  }
  std::vector<PublicPair> pairs;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) {
      if (std::uint64_t{sizes[i]} * sizes[j] > most_cells) continue;
      PublicPair pair = pair_of(counts, groups, columns, i, j);
      if (pair.information > 2 * pair.chance) pairs.push_back(std::move(pair));
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(), [](const PublicPair& a, const PublicPair& b) {
    return a.information - a.chance > b.information - b.chance;
  });
  std::vector<std::size_t> part(groups.size());
  std::iota(part.begin(), part.end(), std::size_t{0});
  for (const bool tree : {true, false}) {
    for (PublicPair& pair : pairs) {
      const std::size_t first = part[pair.first];
      const std::size_t second = part[pair.second];
      Clique clique{pair.first, pair.second};
      if (pair.counts.empty() || (tree && first == second)) continue;
      if (JunctionTree::cells_with(sizes, cliques, clique, most_cells) > most_cells) continue;
      std::replace(part.begin(), part.end(), second, first);
      const double deviation = sampling_deviation(pair.counts, records);
      known.push_back({clique, std::move(pair.counts), deviation});
      cliques.push_back(std::move(clique));
      pair.counts.clear();  // taken
    }
  }
  return fit(sizes, known, records,
             {.shrinkage = kUniformRecords * std::max(1.0, records / std::max(worth, kLeastWorth)),
              .ordered = ordered,
              .most_steps = kSteps});
}

void PublicWorth::see(std::span<const double> q, std::span<const double> shares, double deviation) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double apart = shares[i] - q[i];
    if (!std::isfinite(apart) || !std::isfinite(deviation)) continue;
    expected_ += q[i] * (1 - q[i]);
    seen_ += apart * apart - deviation * deviation;
  }
}

// -----------------------------------------------------------------------------------------------
// What a domain's rules say of the cells of a design.

namespace {

/// A column that rules compare keeps as many groups.
constexpr std::uint32_t kFewGroups = 4;
/// No column has more values in a model.
constexpr std::uint32_t kMostGroups = 256;
/// Rules leave the rest of the model's cells to pairs that are measured.
constexpr std::uint64_t kRulesShareOfCells = 4;

}  // namespace

std::vector<std::uint32_t> RulesOfCells::classes(std::size_t column) const {
  const auto of_cells = possible.classes(column);
  std::vector<std::uint32_t> of_bins(of_cells.empty() ? 0 : bins[column].count);
  for (std::size_t cell = 0; cell < of_cells.size(); ++cell) {
    of_bins[bins[column].of[cell]] = of_cells[cell];
  }
  return of_bins;
}

ColumnSizes RulesOfCells::most_groups(const ColumnSizes& sizes, std::uint64_t cells) const {
  ColumnSizes most = sizes;
  const std::vector<Clique> cliques = possible.table_columns();
  for (;;) {
    if (JunctionTree(most, cliques).cells() <= cells) return most;
    std::size_t widest = most.size();
    for (const Clique& clique : cliques) {
      for (const std::size_t column : clique) {
        const bool is_wider = widest == most.size() || most[column] > most[widest];
        if (most[column] > kFewGroups && is_wider) widest = column;
      }
    }
    if (widest == most.size()) return most;
    most[widest] = std::max(kFewGroups, most[widest] * 7 / 8);
  }
}

std::vector<GraphicalModel::Potential> RulesOfCells::potentials(
    const std::vector<CellGroups>& groups) const {
  CellLists lists(groups.size());
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (possible.classes(i).empty()) continue;
    lists[i].resize(groups[i].count);
    for (std::uint32_t cell = 0; cell < bins[i].of.size(); ++cell) {
      lists[i][groups[i].of[bins[i].of[cell]]].push_back(cell);
    }
  }
  return potentials_of(possible, lists);
}

void require_few_combinations(const PossibleRecords& possible,
                              std::span<const MarginalColumn> columns) {
  // Half of the model, so that pairs find room.
  constexpr std::uint64_t kMostTreeCells = kModelCells / 2;
  ColumnSizes sizes;
  for (const MarginalColumn& column : columns) sizes.push_back(std::min(column.size, kMostGroups));
  sizes = RulesOfCells{possible, {}}.most_groups(sizes, kModelCells / kRulesShareOfCells);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto classes = possible.classes(i);
    if (classes.empty()) continue;
    // Each class has a group, or each run of one if there is an order: shares are rounded down.
    std::uint32_t parts = *std::max_element(classes.begin(), classes.end()) + 1;
    if (columns[i].ordered) {
      parts = 1;
      for (std::size_t cell = 1; cell < classes.size(); ++cell) {
        parts += classes[cell] != classes[cell - 1] ? 1U : 0U;
      }
    }
    sizes[i] = std::min(columns[i].size, sizes[i] + parts);
  }
  const std::uint64_t cells = JunctionTree(sizes, possible.table_columns()).cells();
  if (cells <= kMostTreeCells) return;
  refuse_input("too-much-work", "rules", {WayOut::declare("rules")},
               {{"given", static_cast<double>(cells), "combinations"},
                {"most", static_cast<double>(kMostTreeCells), "combinations"}},
               "the rules join columns to {} combinations of groups of their values, and method "
               "marginals takes {} at most: name fewer columns in a rule, or leave out a rule that "
               "joins columns",
               cells, kMostTreeCells);
}

// -----------------------------------------------------------------------------------------------
// From private answers to a model of a table.

namespace {

/// E|z| of a standard normal z: what noise adds to a sum of distances, for each cell.
constexpr double kMeanSize = 0.7978845608028654;
/// The part of a deviation that counts against each cell of a candidate: less than noise adds,
/// because a model takes up only a part of the noise of its answers.
constexpr double kNoisePenalty = 0.45;
/// Cells with fewer standard deviations than this are put together with others.
constexpr double kRareDeviations = 3;
/// The part of all rows that noise alone may put into doubtful cells, in the mean.
constexpr double kRowsOfNoise = 5e-4;
/// Number of rows by which the model is shrunk (FitOptions) for each time that all rows are a
/// round's noise: the more noise, the less, because measurements weigh less already.
constexpr double kShrinkage = 0.1;
constexpr double kLeastShrinkage = 0.1;
constexpr double kMostShrinkage = 1e6;
/// The numbers of groups that columns may be cut into for a pair.
constexpr std::array<std::uint32_t, 7> kResolutions = {2, 3, 4, 6, 9, 14, kMostGroups};

/// The groups of groups.
CellGroups composed(const CellGroups& inner, const CellGroups& outer) {
  CellGroups both{inner.of, outer.count};
  for (std::uint32_t& group : both.of) group = outer.of[group];
  return both;
}

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

/// As an integer that a private distance may be taken from: small enough that no sum passes 2^61.
std::uint64_t whole_count(double count) {
  if (!(count > 0)) return 0;
  return static_cast<std::uint64_t>(std::llround(std::min(count, 0x1p50)));
}

/// A table over two columns with their values put together.
std::vector<double> grouped_pair(std::span<const double> table, const CellGroups& rows,
                                 const CellGroups& columns) {
  std::vector<double> sums(std::size_t{rows.count} * columns.count);
  std::size_t cell = 0;
  for (const std::uint32_t row : rows.of) {
    for (const std::uint32_t column : columns.of) {
      sums[std::size_t{row} * columns.count + column] += table[cell++];
    }
  }
  return sums;
}

double sum_of_distances(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

/// A pair of columns at a resolution; or, where both are one, that column as it is.
struct PairChoice {
  std::size_t first;
  std::size_t second;
  std::size_t resolution;

  bool is_column() const { return first == second; }
};

/// Which parts of the table are joined already.
class Parts {
 public:
  explicit Parts(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0U); }

  bool are_joined(const PairChoice& pair) const { return of_[pair.first] == of_[pair.second]; }
  void join(const PairChoice& pair) {
    const std::size_t from = of_[pair.second];
    std::replace(of_.begin(), of_.end(), from, of_[pair.first]);
  }

 private:
  std::vector<std::size_t> of_;
};

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
    if (base_) fit_model(kLastFit);
    std::vector<double> correlations;
    if (design_.product_parts > 0) {
      correlations = measure_correlations();
    } else if (design_.request.asked() > 1) {
      measure_tree();
      measure_rounds();
    }
    fit_model(kLastFit);
    std::vector<MarginalModel::ColumnModel> columns;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      columns.push_back({merged_[i], shares_[i]});
    }
    return {std::move(columns), *std::move(model_), std::move(correlations)};
  }

 private:
  /// All pairs of 34 columns.
  static constexpr std::size_t kMostLooks = 1200;
  static constexpr std::size_t kRoundFit = 30;
  static constexpr std::size_t kLastFit = 300;
  /// Public records leave the rest of the model's cells to pairs that are measured.
  static constexpr std::uint64_t kPublicShareOfCells = 4;

  /// The model's expectation of columns and pairs, in weights.
  struct Expected {
    std::vector<std::vector<double>> columns;
    std::vector<GraphicalModel::Marginal> pairs;
  };

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
      most = rules_->most_groups(most, design_.model_cells / kRulesShareOfCells);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const bool ordered = columns_[i].ordered;
      ordered_.push_back(ordered);
      if (columns_[i].follows) {
        add_follower();
        continue;
      }
      auto [likely, doubt, has_density] = likely_counts(i, counts[i], deviation);
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
      add_measured({i}, grouped(counts[i], merged_[i]), deviation, {});
      std::vector<CellGroups>& levels = levels_.emplace_back();
      for (const std::uint32_t count : kResolutions)
        levels.push_back(coarsen(values, ordered, count));
    }
  }

  /// Moves a column's counts alike, so that they sum to all rows: then the noise of the many cells of a group
  /// does not add up.
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
  }

  /// The count above which a doubtful cell is no noise: more than kRareDeviations, and noise of this deviation in
  /// all such cells puts kRowsOfNoise of all rows above it in the mean. Of a count x that is noise
  /// alone the part above c has the mean s phi(c / s), or of Laplace noise of scale b (c + b)
  /// e^(-c/b) / 2.
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

  /// Pairs at all resolutions that tell them apart, if the model stays small with them. Of many
  /// columns some pairs at a time, all in turn: looking at one takes time as columns^3.
  std::vector<PairChoice> pair_choices() {
    std::vector<PairChoice> choices;
    const std::size_t columns = sizes_.size();
    const std::size_t looks =
        next_look_ == 0 ? columns * columns : std::min(columns * columns, kMostLooks);
    for (std::size_t look = 0; look < looks; ++look, ++next_look_) {
      keep_going();
      const std::size_t i = next_look_ / columns % columns;
      const std::size_t j = next_look_ % columns;
      if (i >= j || sizes_[i] < 2 || sizes_[j] < 2 || !is_small_with(i, j)) continue;
      for (std::size_t r = 0; r < kResolutions.size(); ++r) {
        const bool same =
            r > 0 && levels_[i][r] == levels_[i][r - 1] && levels_[j][r] == levels_[j][r - 1];
        if (!same) choices.push_back({i, j, r});
      }
    }
    return choices;
  }

  /// A pair that the model has no room for is not looked at again, for more pairs leave no more.
  bool is_small_with(std::size_t i, std::size_t j) {
    const std::uint64_t most = design_.model_cells;
    if (cliques_.empty()) return std::uint64_t{sizes_[i]} * sizes_[j] <= most;
    const Clique pair{i, j};
    if (too_large_.contains(pair)) return false;
    const bool is_small = JunctionTree::cells_with(sizes_, cliques_, pair, most) <= most;
    if (!is_small) too_large_.insert(pair);
    return is_small;
  }

  /// Columns as they are, which may be measured once more.
  std::vector<PairChoice> column_choices() const {
    std::vector<PairChoice> choices;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      if (sizes_[i] > 1) choices.push_back({i, i, kResolutions.size() - 1});
    }
    return choices;
  }

  std::size_t cells_of(const PairChoice& pair) const {
    if (pair.is_column()) return sizes_[pair.first];
    return std::size_t{levels_[pair.first][pair.resolution].count} *
           levels_[pair.second][pair.resolution].count;
  }

  MarginalTable table_of(const PairChoice& pair) const {
    if (pair.is_column()) return {{pair.first}, {merged_[pair.first]}};
    return {{pair.first, pair.second},
            {composed(merged_[pair.first], levels_[pair.first][pair.resolution]),
             composed(merged_[pair.second], levels_[pair.second][pair.resolution])}};
  }

  /// The expected values of the pair, in its groups.
  std::vector<double> in_groups(const PairChoice& pair, std::span<const double> table) const {
    if (pair.is_column()) return {table.begin(), table.end()};
    return grouped_pair(table, levels_[pair.first][pair.resolution],
                        levels_[pair.second][pair.resolution]);
  }

  /// `table`: the expected values of the pair, in weights.
  MarginalCandidate candidate_of(const PairChoice& pair, std::span<const double> table,
                                 double deviation) const {
    MarginalCandidate candidate{table_of(pair), {}, 0};
    for (const double count : in_groups(pair, table)) {
      candidate.expected.push_back(whole_count(count));
    }
    const auto cells = rules_ == nullptr
                           ? static_cast<double>(candidate.expected.size())
                           : static_cast<double>(possible_cells(in_groups(pair, table)));
    candidate.penalty = whole_count(kNoisePenalty * deviation * cells);
    return candidate;
  }

  /// A cell that cannot occur has no mass at all in any model.
  static std::size_t possible_cells(const std::vector<double>& table) {
    return static_cast<std::size_t>(
        std::count_if(table.begin(), table.end(), [](double count) { return count > 0; }));
  }

  /// Noisy counts of what cannot occur are 0.
  void clear_impossible(const PairChoice& pair, std::vector<double>& counts) const {
    const std::vector<double> table = in_groups(pair, model_->marginal({pair.first, pair.second}));
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      if (!(table[cell] > 0)) counts[cell] = 0;
    }
  }

  /// What independent columns would give.
  std::vector<double> independent_table(const PairChoice& pair) const {
    std::vector<double> table;
    for (const double row : expected_[pair.first]) {
      for (const double column : expected_[pair.second]) table.push_back(row * column / total_);
    }
    return table;
  }

  void measure_tree() {
    const double edges = static_cast<double>(design_.request.asked() - 1);
    const double deviation =
        budget_.deviation(std::max(1U, static_cast<std::uint32_t>(design_.tree_parts / edges)));
    std::vector<PairChoice> choices = pair_choices();
    std::vector<MarginalCandidate> candidates;
    std::optional<Expected> expected;
    if (base_) expected = expected_tables();
    for (const PairChoice& pair : choices) {
      candidates.push_back(candidate_of(
          pair, expected ? table_in(*expected, pair) : independent_table(pair), deviation));
    }
    std::vector<PairChoice> chosen;
    Parts parts(columns_.size());
    while (!choices.empty()) {
      const std::size_t at = answers_.choose(candidates, design_.tree_choice_parts);
      chosen.push_back(choices[at]);
      parts.join(choices[at]);
      if (base_) add_clique({chosen.back().first, chosen.back().second});
      std::size_t kept = 0;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (parts.are_joined(choices[i])) continue;
        // Without public records all chosen pairs are a forest, as small as they are.
        if (base_ && !is_small_with(choices[i].first, choices[i].second)) continue;
        if (kept != i) {
          choices[kept] = choices[i];
          candidates[kept] = std::move(candidates[i]);
        }
        ++kept;
      }
      choices.resize(kept);
      candidates.resize(kept);
    }
    std::vector<std::uint64_t> cells;
    for (const PairChoice& pair : chosen) cells.push_back(cells_of(pair));
    const std::vector<std::uint32_t> shares = forest_parts(design_.tree_parts, cells);
    for (std::size_t i = 0; i < chosen.size(); ++i) measure(chosen[i], shares[i]);
  }

  /// No more than is left: where rounding has made parts of 0 one, fewer may be.
  void measure(const PairChoice& pair, std::uint32_t wanted) {
    const std::uint32_t parts = std::min(wanted, answers_.left());
    if (parts == 0) return;
    std::vector<double> counts = answers_.measure(table_of(pair), parts);
    if (pair.is_column()) {
      add_measured({pair.first}, std::move(counts), budget_.deviation(parts), {});
      return;
    }
    if (rules_ != nullptr) clear_impossible(pair, counts);
    const Clique clique{pair.first, pair.second};
    add_measured(
        clique, std::move(counts), budget_.deviation(parts),
        {levels_[pair.first][pair.resolution].of, levels_[pair.second][pair.resolution].of});
    add_clique(clique);
  }

  void add_clique(const Clique& clique) {
    if (std::find(cliques_.begin(), cliques_.end(), clique) == cliques_.end()) {
      cliques_.push_back(clique);
    }
  }

  /// The fit counts records, whatever each of them weighs.
  void add_measured(Clique clique, std::vector<double> counts, double deviation,
                    std::vector<std::vector<std::uint32_t>> groups) {
    const auto weight = static_cast<double>(design_.request.unit.weight);
    for (double& count : counts) count /= weight;
    measured_.push_back(
        {std::move(clique), std::move(counts), deviation / weight, std::move(groups)});
  }

  void measure_rounds() {
    std::uint32_t choice_parts = design_.choice_parts;
    std::uint32_t round_parts = design_.round_parts;
    fit_model(kLastFit);
    Expected expected = expected_tables();
    while (answers_.left() > choice_parts) {
      const std::uint32_t left = answers_.left() - choice_parts;
      const bool is_last = left / 2 < round_parts + choice_parts;
      const std::uint32_t parts = is_last ? left : round_parts;
      const double deviation = budget_.deviation(parts);
      std::vector<PairChoice> choices = pair_choices();
      for (const PairChoice& column : column_choices()) choices.push_back(column);
      if (choices.empty()) return;
      std::vector<MarginalCandidate> candidates;
      for (const PairChoice& pair : choices) {
        candidates.push_back(candidate_of(pair, table_in(expected, pair), deviation));
      }
      const PairChoice pair = choices[answers_.choose(candidates, choice_parts)];
      const std::vector<double> before = coarse_table(expected, pair);
      measure(pair, parts);
      if (is_last) return;
      fit_model(kRoundFit);
      expected = expected_tables();
      const double moved = sum_of_distances(before, coarse_table(expected, pair));
      if (moved <= kMeanSize * deviation * static_cast<double>(cells_of(pair))) {
        choice_parts *= 2;
        round_parts *= 2;
      }
    }
  }

  Expected expected_tables() const {
    Expected tables{{}, model_->pair_marginals()};
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      tables.columns.push_back(model_->marginal({i}));
      for (double& count : tables.columns.back()) count *= total_;
    }
    for (GraphicalModel::Marginal& table : tables.pairs) {
      for (double& count : table.probabilities) count *= total_;
    }
    return tables;
  }

  const std::vector<double>& table_in(const Expected& tables, const PairChoice& pair) const {
    if (pair.is_column()) return tables.columns[pair.first];
    const std::size_t row = pair.first * (2 * sizes_.size() - pair.first - 1) / 2;
    return tables.pairs[row + (pair.second - pair.first - 1)].probabilities;
  }

  std::vector<double> coarse_table(const Expected& tables, const PairChoice& pair) const {
    return in_groups(pair, table_in(tables, pair));
  }

  void fit_model(std::size_t steps) {
    model_ = fit(sizes_, measured_, total_ / static_cast<double>(design_.request.unit.weight),
                 {.shrinkage = shrinkage(), .ordered = ordered_, .most_steps = steps},
                 model_ ? &*model_ : nullptr, base_ ? &*base_ : nullptr);
  }

  double shrinkage() const {
    const double usual = usual_shrinkage();
    // Of few records' worth no less than without them, or the fit takes steps without end.
    return worth_ ? std::max(usual, worth_->records()) : usual;
  }

  double usual_shrinkage() const {
    const std::uint32_t parts =
        design_.round_parts > 0 ? design_.round_parts : design_.column_parts;
    // Also of answers that are no numbers.
    return std::min(kMostShrinkage,
                    std::max(kLeastShrinkage, kShrinkage * total_ / budget_.deviation(parts)));
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
  std::vector<NoisyMarginal> measured_;
  std::vector<Clique> cliques_;
  std::set<Clique> too_large_;          // pairs
  std::size_t next_look_ = 0;           // at a pair
  std::optional<PublicWorth> worth_;    // of public records, where there are some
  std::optional<GraphicalModel> base_;  // of them, and of possible records
  std::optional<GraphicalModel> model_;
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
