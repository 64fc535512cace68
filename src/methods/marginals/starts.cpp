// The start of a learner: public records, and rules.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/refusal.h"
#include "methods/graphical/fit.h"
#include "methods/graphical/junction_tree.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/pair_learner.h"

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

/// Cells of a junction tree of these cliques, or of one clique that is too large for every model.
std::uint64_t tree_cells(const ColumnSizes& sizes, const std::vector<Clique>& cliques) {
  for (const Clique& clique : cliques) {
    double cells = 1;
    for (const std::size_t column : clique) cells *= sizes[column];
    if (cells > static_cast<double>(kModelCells)) {
      return static_cast<std::uint64_t>(std::min(cells, 1e18));
    }
  }
  return JunctionTree(sizes, cliques).cells();
}

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
  ColumnSizes most = sizes, least = sizes;
  const std::vector<Clique> cliques = possible.table_columns();
  for (const Clique& clique : cliques) {
    for (const std::size_t column : clique) least[column] = std::min(least[column], kFewGroups);
  }
  if (tree_cells(least, cliques) > cells) return least;
  for (;;) {
    const std::uint64_t now = tree_cells(most, cliques);
    if (now <= cells) return most;
    std::uint32_t widest = 0;
    for (const Clique& clique : cliques) {
      for (const std::size_t column : clique) widest = std::max(widest, most[column]);
    }
    if (widest <= kFewGroups) return most;
    // One column at a time near the end, so that no more groups are lost than needed.
    const bool is_far = now / 2 > cells;
    bool any = false;
    for (std::size_t column = 0; column < most.size() && (is_far || !any); ++column) {
      const bool is_named = !possible.classes(column).empty();
      if (!is_named || most[column] != widest) continue;
      most[column] = std::max(kFewGroups, widest * 7 / 8);
      any = true;
    }
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
  bool has_bins = false, has_nulls = false;
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
    has_bins = has_bins || (columns[i].ordered && columns[i].size > parts);
    has_nulls = has_nulls || !columns[i].doubtful.empty();
    sizes[i] = std::min(columns[i].size, sizes[i] + parts);
  }
  const std::uint64_t cells = tree_cells(sizes, possible.table_columns());
  if (cells <= kMostTreeCells) return;
  std::vector<WayOut> ways;
  std::string advice;
  if (has_bins) {
    ways.push_back(WayOut::declare("bins"));
    advice += "declare fewer bins for these columns, ";
  }
  if (has_nulls) {
    ways.push_back(WayOut::declare("null"));
    advice += "declare what their nulls become, ";
  }
  ways.push_back(WayOut::declare("rules"));
  refuse_input("too-much-work", "rules", std::move(ways),
               {{"given", static_cast<double>(cells), "combinations"},
                {"most", static_cast<double>(kMostTreeCells), "combinations"}},
               "the rules join columns to {} combinations of groups of their values, and method "
               "marginals takes {} at most: {}name fewer columns in a rule, or leave out a rule "
               "that joins columns",
               cells, kMostTreeCells, advice);
}

}  // namespace mollify
