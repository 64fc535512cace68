#include "methods/marginals/pair_learner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "base/progress.h"
#include "methods/graphical/junction_tree.h"
#include "methods/marginals/triples.h"

namespace mollify {

CellGroups composed(const CellGroups& inner, const CellGroups& outer) {
  CellGroups both{inner.of, outer.count};
  for (std::uint32_t& group : both.of) group = outer.of[group];
  return both;
}

AskedCells asked_cells(const CellGroups& merged, std::span<const double> counts, bool ordered) {
  constexpr std::uint32_t kMostAskedCells = 64;
  if (merged.of.size() <= kMostAskedCells) {
    return {single_cells(merged.of.size()), single_cells(merged.count), merged.of};
  }
  AskedCells made;
  made.values = coarsen(counts, ordered, kMostAskedCells);
  made.cells = composed(merged, made.values);
  made.value = single_cells(made.values.count).of;
  return made;
}

std::uint64_t cells_of_question(std::span<const std::size_t> columns,
                                std::span<const AskedCells> asked) {
  std::uint64_t cells = 1;
  for (const std::size_t column : columns) cells *= asked[column].cells.count;
  return cells;
}

namespace {

/// E|z| of a standard normal z: what noise adds to a sum of distances, for each cell.
constexpr double kMeanSize = 0.7978845608028654;
/// The part of a deviation that counts against each cell of a candidate: less than noise adds,
/// because a model takes up only a part of the noise of its answers.
constexpr double kNoisePenalty = 0.45;
/// What chance does to a triple's counts counts this many times against it: more than once, because
/// a pair does more for all triples that hold it.
constexpr double kTripleChance = 1.5;
/// Number of rows by which the model is shrunk (FitOptions) for each time that all rows are a
/// round's noise: the more noise, the less, because measurements weigh less already.
constexpr double kShrinkage = 0.1;
constexpr double kLeastShrinkage = 0.1;
constexpr double kMostShrinkage = 1e6;

/// As an integer that a private distance may be taken from: small enough that no sum passes 2^61.
std::uint64_t whole_count(double count) {
  if (!(count > 0)) return 0;
  return static_cast<std::uint64_t>(std::llround(std::min(count, 0x1p50)));
}

/// A table over two or three columns with their values put together.
std::vector<double> grouped_table(std::span<const double> table,
                                  std::span<const CellGroups> groups) {
  const CellGroups& rows = groups[groups.size() - 2];
  const CellGroups& columns = groups.back();
  static const CellGroups kAll{{0}, 1};
  const CellGroups& first = groups.size() > 2 ? groups.front() : kAll;
  std::vector<double> sums(std::size_t{first.count} * rows.count * columns.count);
  std::size_t cell = 0;
  for (const std::uint32_t slice : first.of) {
    for (const std::uint32_t row : rows.of) {
      double* const of_row = sums.data() + (std::size_t{slice} * rows.count + row) * columns.count;
      for (const std::uint32_t column : columns.of) of_row[column] += table[cell++];
    }
  }
  return sums;
}

double sum_of_distances(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += std::abs(a[i] - b[i]);
  return sum;
}

/// Two or three columns at a resolution; or, where the first two are one, that column as it is.
struct TableChoice {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::size_t first;
  std::size_t second;
  std::array<std::size_t, 3> resolutions{};
  std::size_t third = kNone;

  bool is_column() const { return first == second; }
  bool is_triple() const { return third != kNone; }
  bool is_pair() const { return !is_column() && !is_triple(); }
  Clique clique() const {
    if (is_column()) return {first};
    return is_triple() ? Clique{first, second, third} : Clique{first, second};
  }
};

/// The parts of the table that edges have joined so far.
class Parts {
 public:
  explicit Parts(std::size_t count) : of_(count), sizes_(count, 1) {
    std::iota(of_.begin(), of_.end(), 0U);
  }

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  /// The part of fewest columns that is open; kNone if all are closed.
  std::size_t smallest() const {
    std::size_t smallest = kNone;
    for (std::size_t part = 0; part < sizes_.size(); ++part) {
      if (sizes_[part] == 0) continue;
      if (smallest == kNone || sizes_[part] < sizes_[smallest]) smallest = part;
    }
    return smallest;
  }
  bool is_in(std::size_t column, std::size_t part) const { return of_[column] == part; }
  bool are_joined(std::size_t one, std::size_t other) const { return of_[one] == of_[other]; }
  /// The part that has column `first` of the pair takes in the other's.
  void join(const TableChoice& pair) {
    const std::size_t from = of_[pair.second];
    const std::size_t to = of_[pair.first];
    std::replace(of_.begin(), of_.end(), from, to);
    sizes_[from] = 0;
    sizes_[to] = static_cast<std::size_t>(std::count(of_.begin(), of_.end(), to));
  }
  /// No edge leaves it any more.
  void close(std::size_t part) { sizes_[part] = 0; }

 private:
  std::vector<std::size_t> of_;
  std::vector<std::size_t> sizes_;  // of open parts, else 0
};

class PairLearner {
 public:
  PairLearner(const MarginalDesign& design, MarginalAnswers& answers, ColumnValues values)
      : design_(design),
        budget_(design.request.budget, design.request.unit, design.amount),
        answers_(answers),
        triples_(answers.triples()),
        values_(std::move(values)) {}

  GraphicalModel learn() {
    if (values_.base) fit_model(kLastFit);
    if (design_.product_parts == 0 && design_.request.asked() > 1) {
      measure_questions();
      measure_tree();
      measure_rounds();
    }
    fit_model(kLastFit);
    return *std::move(model_);
  }

 private:
  /// All pairs of 34 columns.
  static constexpr std::size_t kMostLooks = 1200;
  static constexpr std::size_t kFirstOfMany = 6;  // resolution
  static constexpr std::size_t kMostTripleGroups = 256;
  static constexpr std::size_t kRoundFit = 16;
  static constexpr std::size_t kLastFit = 300;
  static constexpr double kTolerance = 0.2;  // of the noise

  /// Pairs with which the model stays small, at each resolution where their groups differ. Some
  /// pairs at a time, all in turn, if there are many.
  std::vector<TableChoice> pair_choices() {
    std::vector<TableChoice> choices;
    const std::size_t columns = values_.sizes.size();
    const std::size_t looks = std::min(columns * columns, kMostLooks);
    for (std::size_t look = 0; look < looks; ++look, ++next_look_) {
      const std::size_t i = next_look_ / columns % columns;
      const std::size_t j = next_look_ % columns;
      if (i < j) add_choices(i, j, choices);
    }
    return choices;
  }

  void add_choices(std::size_t i, std::size_t j, std::vector<TableChoice>& choices) {
    keep_going();
    if (values_.sizes[i] < 2 || values_.sizes[j] < 2 || !is_small_with(i, j)) return;
    const auto& rows = levels(i, j);
    const auto& columns = levels(j, i);
    for (std::size_t r = 0; r < kResolutions.size(); ++r) {
      const bool same = r > 0 && rows[r] == rows[r - 1] && columns[r] == columns[r - 1];
      if (!same) choices.push_back({i, j, {r, r}});
    }
    // Few groups next to many.
    for (std::size_t many = kFirstOfMany; many < kResolutions.size(); ++many) {
      const bool many_rows = rows[many] != rows[many - 1];
      const bool many_columns = columns[many] != columns[many - 1];
      for (std::size_t few = 0; few < kFirstOfMany && (many_rows || many_columns); ++few) {
        if (many_rows && columns[few] != columns[many]) choices.push_back({i, j, {many, few}});
        if (many_columns && rows[few] != rows[many]) choices.push_back({i, j, {few, many}});
      }
    }
  }

  /// Triples with which the model stays small, at resolutions of few cells.
  void add_triple_choices(std::vector<TableChoice>& choices) {
    if (triples_.empty()) return;
    std::set<Clique> looked_at;
    for (const TableChoice& choice : choices) {
      if (choice.is_pair()) looked_at.insert(choice.clique());
    }
    for (const auto& [i, j, k] : triples_) {
      const bool has_pairs =
          looked_at.contains({i, j}) && looked_at.contains({i, k}) && looked_at.contains({j, k});
      if (!has_pairs || !is_small_with_triple({i, j, k})) continue;
      std::array<const std::vector<CellGroups>*, 3> levels{};
      for (std::size_t side = 0; const std::size_t column : {i, j, k}) {
        levels[side++] = &values_.levels[column];
      }
      for (std::size_t r = 0; r < kResolutions.size(); ++r) {
        std::size_t cells = 1;
        bool same = r > 0;
        for (const auto* const of : levels) {
          cells *= (*of)[r].count;
          same = same && (*of)[r] == (*of)[r - 1];
        }
        if (cells > kMostTripleGroups) break;
        if (!same) choices.push_back({i, j, {r, r, r}, k});
      }
    }
  }

  bool is_small_with_triple(const Clique& triple) {
    const std::uint64_t most = design_.model_cells;
    const ColumnSizes& sizes = values_.sizes;
    for (const std::size_t column : triple) {
      if (sizes[column] < 2) return false;
    }
    if (too_large_.contains(triple)) return false;
    if (!tree_) tree_.emplace(sizes, values_.cliques);
    const bool is_small = tree_->home(triple) != JunctionTree::kNone ||
                          (cell_count(sizes, triple) <= most &&
                           JunctionTree::cells_with(sizes, values_.cliques, triple, most) <= most);
    if (!is_small) too_large_.insert(triple);
    return is_small;
  }

  /// The groups that column `of` may be cut into for column `with`.
  const std::vector<CellGroups>& levels(std::size_t of, std::size_t with) const {
    const auto own = own_levels_.find({of, with});
    return own != own_levels_.end() ? own->second : values_.levels[of];
  }
  const CellGroups& groups_of(const TableChoice& pair, std::size_t side) const {
    if (pair.is_triple()) return values_.levels[pair.clique()[side]][pair.resolutions[side]];
    return (side == 0 ? levels(pair.first, pair.second)
                      : levels(pair.second, pair.first))[pair.resolutions[side]];
  }

  /// Cuts the columns of a pair that was measured anew, by what the model says of them.
  void cut_anew(const TableChoice& pair, std::vector<double> table) {
    for (auto [of, with] : {std::pair{pair.first, pair.second}, {pair.second, pair.first}}) {
      const std::size_t rows = values_.sizes[of];
      own_levels_[{of, with}] = alike_cells(table, rows, values_.ordered[of], kResolutions);
      std::vector<double> turned;
      for (std::size_t cell = 0; cell < table.size(); ++cell) {
        turned.push_back(table[cell % rows * values_.sizes[with] + cell / rows]);
      }
      table = std::move(turned);
    }
  }

  /// A pair that the model has no room for is not looked at again, for more pairs leave no more.
  bool is_small_with(std::size_t i, std::size_t j) {
    const std::uint64_t most = design_.model_cells;
    const ColumnSizes& sizes = values_.sizes;
    if (values_.cliques.empty()) return std::uint64_t{sizes[i]} * sizes[j] <= most;
    const Clique pair{i, j};
    if (too_large_.contains(pair)) return false;
    if (!tree_) tree_.emplace(sizes, values_.cliques);
    const std::uint64_t bound =
        std::min(tree_->cells_with_pair(sizes, i, j), tree_->cells_with_pair(sizes, j, i));
    // A triangulation anew finds room where the bound is little too large; it takes d^2 steps.
    const bool is_small =
        bound <= most || (bound - most <= slack() &&
                          JunctionTree::cells_with(sizes, values_.cliques, pair, most) <= most);
    if (!is_small) too_large_.insert(pair);
    return is_small;
  }

  std::uint64_t slack() const {
    constexpr std::uint64_t kFewColumns = 100;
    const std::uint64_t columns = std::max<std::uint64_t>(kFewColumns, values_.sizes.size());
    return design_.model_cells / 4 * (kFewColumns * kFewColumns) / (columns * columns);
  }

  /// The tree that is made with the pair may be larger than the bound that it was looked at by.
  bool has_room_for(const TableChoice& pair) {
    const Clique clique = pair.clique();
    const std::uint64_t most = design_.model_cells;
    if (pair.is_column()) return true;
    if (JunctionTree::cells_with(values_.sizes, values_.cliques, clique, most) <= most) return true;
    too_large_.insert(clique);
    return false;
  }

  /// Columns as they are, which may be measured once more.
  std::vector<TableChoice> column_choices() const {
    std::vector<TableChoice> choices;
    for (std::size_t i = 0; i < values_.sizes.size(); ++i) {
      if (values_.sizes[i] > 1) choices.push_back({i, i, {}});
    }
    return choices;
  }

  std::vector<CellGroups> all_groups_of(const TableChoice& pair) const {
    std::vector<CellGroups> groups;
    for (std::size_t side = 0; side < pair.clique().size(); ++side) {
      groups.push_back(groups_of(pair, side));
    }
    return groups;
  }

  std::size_t cells_of(const TableChoice& pair) const {
    if (pair.is_column()) return values_.sizes[pair.first];
    std::size_t cells = 1;
    for (const CellGroups& groups : all_groups_of(pair)) cells *= groups.count;
    return cells;
  }

  MarginalTable table_of(const TableChoice& pair) const {
    if (pair.is_column()) return {{pair.first}, {values_.merged[pair.first]}};
    MarginalTable table{pair.clique(), {}};
    for (std::size_t side = 0; side < table.columns.size(); ++side) {
      table.groups.push_back(composed(values_.merged[table.columns[side]], groups_of(pair, side)));
    }
    return table;
  }

  /// The expected values of the pair, in its groups.
  std::vector<double> in_groups(const TableChoice& pair, std::span<const double> table) const {
    if (pair.is_column()) return {table.begin(), table.end()};
    return grouped_table(table, all_groups_of(pair));
  }

  /// `counts`: those expected in the pair's groups, in weights.
  MarginalCandidate candidate_of(const TableChoice& pair, const std::vector<double>& counts,
                                 double deviation) const {
    MarginalCandidate candidate{table_of(pair), {}, 0};
    for (const double count : counts) candidate.expected.push_back(whole_count(count));
    const std::size_t cells = values_.has_rules ? possible_cells(counts) : counts.size();
    double penalty = kNoisePenalty * deviation * static_cast<double>(cells);
    if (pair.is_triple()) {
      // Of a law that its pairs determine, chance alone makes counts stray by this at most.
      const auto weight = static_cast<double>(design_.request.unit.weight);
      const double rows = values_.total / weight;
      penalty += kTripleChance * kMeanSize * weight * std::sqrt(rows * static_cast<double>(cells));
    }
    candidate.penalty = whole_count(penalty);
    return candidate;
  }

  /// A cell that cannot occur has no mass at all in any model.
  static std::size_t possible_cells(const std::vector<double>& table) {
    return static_cast<std::size_t>(
        std::count_if(table.begin(), table.end(), [](double count) { return count > 0; }));
  }

  /// Noisy counts of what cannot occur are 0.
  void clear_impossible(const Clique& columns, std::span<const CellGroups> groups,
                        std::vector<double>& counts) const {
    // Far apart, a triple's marginal takes long, and what cannot occur has no mass in any model.
    if (columns.size() > 2 && model_->tree().home(columns) == JunctionTree::kNone) return;
    const std::vector<double> table = grouped_table(model_->marginal(columns), groups);
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      if (!(table[cell] > 0)) counts[cell] = 0;
    }
  }

  /// What independent columns would give.
  std::vector<double> independent_table(const TableChoice& pair) const {
    std::vector<double> table;
    for (const double row : values_.expected[pair.first]) {
      for (const double column : values_.expected[pair.second])
        table.push_back(row * column / values_.total);
    }
    return table;
  }

  /// Measures the tables of questions, whose parts follow from their cells and weights. They come
  /// into the model as long as they have room.
  void measure_questions() {
    const auto& questions = design_.request.questions;
    std::vector<std::uint64_t> cells;
    for (const Clique& columns : questions) {
      cells.push_back(cells_of_question(columns, values_.asked));
    }
    const std::vector<std::uint32_t> shares =
        forest_parts(parts_of_questions(design_.request, answers_.left()), cells,
                     design_.request.question_weights);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      const std::uint32_t parts = std::min(shares[i], answers_.left());
      if (parts > 0) measure_question(questions[i], parts);
    }
  }

  void measure_question(const Clique& columns, std::uint32_t parts) {
    MarginalTable asked{columns, {}};
    std::vector<CellGroups> of_counts, of_model;
    std::vector<std::vector<std::uint32_t>> groups;
    for (const std::size_t column : columns) {
      const AskedCells& one = values_.asked[column];
      asked.groups.push_back(one.cells);
      of_counts.push_back({one.value, one.values.count});
      of_model.push_back(one.values);
      groups.push_back(one.values.of);
    }
    const std::vector<double> counts = answers_.measure(asked, parts);
    const std::uint64_t most = design_.model_cells;
    if (JunctionTree::cells_with(values_.sizes, values_.cliques, columns, most) > most) return;
    const bool is_column = columns.size() == 1;
    std::vector<double> of_values =
        is_column ? grouped(counts, of_counts.front()) : grouped_table(counts, of_counts);
    if (values_.has_rules && !is_column) clear_impossible(columns, of_model, of_values);
    const double together =
        static_cast<double>(counts.size()) / static_cast<double>(of_values.size());
    add_measured(columns, std::move(of_values), budget_.deviation(parts) * std::sqrt(together),
                 std::move(groups));
    if (!is_column) add_clique(columns);
    if (columns.size() > 2) known_triples_.insert(columns);
  }

  /// Joins the smallest part to another, time after time, so that each edge is chosen among those
  /// that leave one part. Without noise this is the tree of greatest distances [Borůvka 1926].
  void measure_tree() {
    const double edges = static_cast<double>(design_.request.asked() - 1);
    const double deviation =
        budget_.deviation(std::max(1U, static_cast<std::uint32_t>(design_.tree_parts / edges)));
    const std::size_t columns = values_.sizes.size();
    std::vector<TableChoice> chosen;
    Parts parts(columns);
    for (const NoisyMarginal& one : values_.measured) {
      for (std::size_t i = 1; i < one.clique.size(); ++i) {
        if (parts.are_joined(one.clique[0], one.clique[i])) continue;
        parts.join({one.clique[0], one.clique[i]});
      }
    }
    for (std::size_t part; (part = parts.smallest()) != Parts::kNone;) {
      std::vector<TableChoice> choices;
      for (std::size_t i = 0; i < columns; ++i) {
        for (std::size_t j = i + 1; j < columns; ++j) {
          if (parts.is_in(i, part) != parts.is_in(j, part)) add_choices(i, j, choices);
        }
      }
      if (choices.empty()) {
        parts.close(part);
        continue;
      }
      chosen.push_back(choose(choices, deviation, design_.tree_choice_parts).pair);
      parts.join(chosen.back());
      // Without public records and questions all chosen pairs are a forest, as small as they are.
      if (values_.base || !values_.cliques.empty())
        add_clique({chosen.back().first, chosen.back().second});
    }
    std::vector<std::uint64_t> cells;
    for (const TableChoice& pair : chosen) cells.push_back(cells_of(pair));
    const std::vector<std::uint32_t> shares = forest_parts(design_.tree_parts, cells);
    for (std::size_t i = 0; i < chosen.size(); ++i) measure(chosen[i], shares[i]);
    fit_model(kLastFit);
    for (const TableChoice& pair : chosen) cut_anew(pair, expected_in(pair));
  }

  /// A choice and its expected counts, in its groups.
  struct Chosen {
    TableChoice pair;
    std::vector<double> expected;
  };

  /// One of the choices, by how far the table is from what is expected, which is independent
  /// columns before there is a model.
  Chosen choose(const std::vector<TableChoice>& choices, double deviation,
                std::uint32_t choice_parts) {
    std::vector<Clique> pairs;
    for (const TableChoice& choice : choices) {
      const Clique pair{choice.first, choice.second};
      if (choice.is_pair() && (pairs.empty() || pairs.back() != pair)) pairs.push_back(pair);
    }
    std::vector<std::vector<double>> tables;
    if (model_) tables = model_->pair_marginals(pairs);
    std::vector<MarginalCandidate> candidates;
    std::size_t next = 0;
    std::vector<double> table;
    for (const TableChoice& choice : choices) {
      if (choice.is_triple()) {
        const bool is_known = known_triples_.contains(choice.clique());
        if (is_known && choice.resolutions[0] == 0) table = expected_in(choice);
        candidates.push_back(candidate_of(
            choice, is_known ? in_groups(choice, table) : of_pairs(choice), deviation));
        continue;
      }
      if (choice.is_column()) {
        table = expected_in(choice);
      } else if (next == 0 || pairs[next - 1] != Clique{choice.first, choice.second}) {
        table = model_ ? in_weights(std::move(tables[next])) : independent_table(choice);
        ++next;
        if (!triples_.empty() && model_) pair_tables_[pairs[next - 1]] = table;
      }
      candidates.push_back(candidate_of(choice, in_groups(choice, table), deviation));
    }
    const std::size_t at = answers_.choose(candidates, choice_parts);
    const std::vector<std::uint64_t>& expected = candidates[at].expected;
    return {choices[at], {expected.begin(), expected.end()}};
  }

  /// What a triple's pairs make likely.
  std::vector<double> of_pairs(const TableChoice& choice) const {
    std::array<std::size_t, 3> sizes{};
    for (std::size_t side = 0; side < sizes.size(); ++side)
      sizes[side] = groups_of(choice, side).count;
    const Clique columns = choice.clique();
    const auto pair = [&](std::size_t a, std::size_t b) {
      return grouped_table(pair_tables_.at({columns[a], columns[b]}),
                           std::array{groups_of(choice, a), groups_of(choice, b)});
    };
    return table_of_pairs(sizes, pair(0, 1), pair(0, 2), pair(1, 2));
  }

  /// No more than is left: where rounding has made parts of 0 one, fewer may be.
  void measure(const TableChoice& pair, std::uint32_t wanted) {
    const std::uint32_t parts = std::min(wanted, answers_.left());
    if (parts == 0) return;
    std::vector<double> counts = answers_.measure(table_of(pair), parts);
    if (pair.is_column()) {
      add_measured({pair.first}, std::move(counts), budget_.deviation(parts), {});
      return;
    }
    if (values_.has_rules) clear_impossible(pair.clique(), all_groups_of(pair), counts);
    const Clique clique = pair.clique();
    std::vector<std::vector<std::uint32_t>> groups;
    for (std::size_t side = 0; side < clique.size(); ++side) {
      groups.push_back(groups_of(pair, side).of);
    }
    add_measured(clique, std::move(counts), budget_.deviation(parts), std::move(groups));
    add_clique(clique);
    if (pair.is_triple()) known_triples_.insert(clique);
  }

  void add_clique(const Clique& clique) {
    std::vector<Clique>& cliques = values_.cliques;
    if (std::find(cliques.begin(), cliques.end(), clique) != cliques.end()) return;
    cliques.push_back(clique);
    tree_.reset();
  }

  /// The fit counts records, whatever each of them weighs.
  void add_measured(Clique clique, std::vector<double> counts, double deviation,
                    std::vector<std::vector<std::uint32_t>> groups) {
    const auto weight = static_cast<double>(design_.request.unit.weight);
    for (double& count : counts) count /= weight;
    values_.measured.push_back(
        {std::move(clique), std::move(counts), deviation / weight, std::move(groups)});
  }

  void measure_rounds() {
    std::uint32_t choice_parts = design_.choice_parts;
    std::uint32_t round_parts = design_.round_parts;
    while (answers_.left() > choice_parts) {
      const std::uint32_t left = answers_.left() - choice_parts;
      const bool is_last = left / 2 < round_parts + choice_parts;
      const std::uint32_t parts = is_last ? left : round_parts;
      const double deviation = budget_.deviation(parts);
      std::vector<TableChoice> choices = pair_choices();
      for (const TableChoice& column : column_choices()) choices.push_back(column);
      add_triple_choices(choices);
      if (choices.empty()) return;
      const auto [pair, before] = choose(choices, deviation, choice_parts);
      if (!has_room_for(pair)) continue;
      measure(pair, parts);
      if (is_last) return;
      fit_model(kRoundFit);
      const std::vector<double> after = expected_in(pair);
      const double moved = sum_of_distances(before, in_groups(pair, after));
      if (pair.is_pair()) cut_anew(pair, after);
      if (moved <= kMeanSize * deviation * static_cast<double>(cells_of(pair))) {
        choice_parts *= 2;
        round_parts *= 2;
      }
    }
  }

  std::vector<double> in_weights(std::vector<double> table) const {
    for (double& count : table) count *= values_.total;
    return table;
  }

  /// The model's expected counts of a column or a pair.
  std::vector<double> expected_in(const TableChoice& pair) const {
    return in_weights(model_->marginal(pair.clique()));
  }

  void fit_model(std::size_t steps) {
    model_ = fit(values_.sizes, values_.measured,
                 values_.total / static_cast<double>(design_.request.unit.weight),
                 {.shrinkage = shrinkage(),
                  .ordered = values_.ordered,
                  .tolerance = kTolerance,
                  .most_steps = steps},
                 &state_, values_.base ? &*values_.base : nullptr);
  }

  /// Of few records' worth no less than without them, or the fit takes steps without end.
  double shrinkage() const {
    const std::uint32_t parts =
        design_.round_parts > 0 ? design_.round_parts : design_.column_parts;
    // Also of answers that are no numbers.
    const double usual =
        std::min(kMostShrinkage,
                 std::max(kLeastShrinkage, kShrinkage * values_.total / budget_.deviation(parts)));
    return std::max(usual, values_.least_shrinkage);
  }

  const MarginalDesign& design_;
  MarginalBudget budget_;
  MarginalAnswers& answers_;
  std::span<const Triple> triples_;  // that can be measured

  // Made of answers alone.
  ColumnValues values_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<CellGroups>> own_levels_;
  std::set<Clique> too_large_;                         // pairs and triples
  std::set<Clique> known_triples_;                     // to the model
  std::map<Clique, std::vector<double>> pair_tables_;  // the model's expected ones of this round
  std::optional<JunctionTree> tree_;                   // of the cliques, once it has been needed
  std::size_t next_look_ = 0;                          // at a pair
  std::optional<GraphicalModel> model_;
  FitState state_;
};

}  // namespace

GraphicalModel learn_pairs(const MarginalDesign& design, MarginalAnswers& answers,
                           ColumnValues values) {
  return PairLearner(design, answers, std::move(values)).learn();
}

}  // namespace mollify
