#include "domain/combinations.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/refusal.h"
#include "base/words.h"
#include "domain/column.h"

namespace mollify {

namespace {

class Joined {
 public:
  explicit Joined(std::size_t count) : of_(count) { std::iota(of_.begin(), of_.end(), 0U); }
  std::size_t find(std::size_t one) {
    while (of_[one] != one) one = of_[one] = of_[of_[one]];
    return one;
  }
  void join(std::size_t one, std::size_t other) { of_[find(one)] = find(other); }

 private:
  std::vector<std::size_t> of_;
};

class Builder {
 public:
  Builder(std::span<const Column> columns, const std::vector<DomainRule>& rules,
          Combinations& inside)
      : columns_(columns), rules_(rules), inside_(inside) {
    inside_.columns = columns;
  }

  void build() {
    find_followers();
    std::vector<RuleParts> parts(rules_.size());
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].following) {
        aims_.emplace_back();
        continue;
      }
      aims_.push_back(by_aim(rules_[i], inside_.follows));
      parts[i] = parts_of(rules_[i], columns_, inside_.follows, literals_);
    }
    make_classes();
    require_few_combinations(parts);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].following) continue;
      std::vector<Clause> made = clauses_of(parts[i], i);
      const bool is_idle =
          std::none_of(made.begin(), made.end(), [&](const Clause& one) { return can_fail(one); });
      refuse_if(is_idle, "idle-rule", Concern("rules"),
                "rule \"{}\" says nothing: every record of the domain keeps it; leave it out, or "
                "check its values",
                rules_[i].name);
      for (Clause& clause : made) clauses_.push_back(std::move(clause));
    }
    make_blocks();
    for (RuleBlock& block : inside_.blocks) {
      make_choices(block);
      for (RuleBlock& part : block.parts) make_choices(part);
    }
    make_components();
  }

 private:
  void find_followers() {
    inside_.follows.resize(columns_.size());
    for (const DomainRule& rule : rules_) {
      if (!rule.following) continue;
      const FollowingColumn& one = *rule.following;
      const Column& column = columns_[one.column];
      const Column& from = columns_[one.from];
      refuse_if(inside_.follows[one.column].has_value(), "malformed-text",
                Concern::of_column(column.name()),
                "rule \"{}\" lets column \"{}\" follow from a second column, but it must follow "
                "from one",
                rule.name, column.name());
      FollowingDigits made{one.from, std::vector<std::uint32_t>(from.size(), column.size() - 1)};
      for (const auto& [key, value] : one.map) {
        made.map[from.encode(Value(std::string_view(key)))] =
            value.empty() ? column.encode(Value()) : column.encode(Value(std::string_view(value)));
      }
      inside_.follows[one.column] = std::move(made);
    }
    std::vector<bool> known(columns_.size());
    for (std::size_t i = 0; i < columns_.size(); ++i) known[i] = !inside_.follows[i];
    for (bool found = true; found;) {
      found = false;
      for (std::size_t i = 0; i < columns_.size(); ++i) {
        if (known[i] || !known[inside_.follows[i]->from]) continue;
        known[i] = found = true;
        inside_.following_order.push_back(i);
      }
    }
    for (const DomainRule& rule : rules_) {
      if (!rule.following || known[rule.following->column]) continue;
      refuse_input("contradictory-rules", Concern("rules"),
                   "rule \"{}\" lets a column follow from itself, in a circle: leave one of the "
                   "maps out",
                   rule.name);
    }
  }

  static void add_columns(const Literal& literal, std::set<std::size_t>& all) {
    if (literal.has_cells()) all.insert(literal.column);
    if (!literal.comparison) return;
    for (const SumComparison::Term& term : literal.comparison->terms) all.insert(term.column);
  }
  std::vector<std::size_t> columns_of(const Clause& clause) const {
    std::set<std::size_t> all;
    for (const std::uint32_t one : clause.literals) add_columns(literals_.all[one], all);
    return {all.begin(), all.end()};
  }

  /// The columns that the parts' clauses will join.
  std::vector<std::set<std::size_t>> joined_columns(const RuleParts& parts) const {
    std::vector<std::set<std::size_t>> all;
    if (parts.kind == RuleParts::Kind::kLiteral) {
      add_columns(literals_.all[parts.literal], all.emplace_back());
      return all;
    }
    if (parts.kind == RuleParts::Kind::kAny) all.emplace_back();
    for (const RuleParts& part : parts.parts) {
      for (std::set<std::size_t>& one : joined_columns(part)) {
        if (parts.kind == RuleParts::Kind::kAny) {
          all.front().merge(one);
        } else {
          all.push_back(std::move(one));
        }
      }
    }
    return all;
  }

  /// Counts combinations before clauses take memory.
  void require_few_combinations(const std::vector<RuleParts>& parts) const {
    Joined joined(columns_.size());
    std::map<std::size_t, std::size_t> first;  // rule of a column
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].following) continue;
      for (const std::set<std::size_t>& set : joined_columns(parts[i])) {
        for (const std::size_t column : set) {
          first.emplace(column, i);
          joined.join(column, *set.begin());
        }
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> sets;
    for (const auto& [column, rule] : first) sets[joined.find(column)].push_back(column);
    for (const auto& [root, columns] : sets) {
      std::size_t rule = rules_.size();
      for (const std::size_t column : columns) rule = std::min(rule, first.at(column));
      require_few_combinations(columns, rule);
    }
  }

  /// What cells of a class answer; maybe where a comparison decides.
  CellAnswer answer(const Literal& literal, std::size_t column, std::uint32_t one) const {
    if (literal.has_cells()) {
      return literal.column == column ? literal.cells.at(inside_.lists[column][one].front())
                                      : CellAnswer::kNo;
    }
    const auto& terms = literal.comparison->terms;
    const bool is_compared = std::any_of(terms.begin(), terms.end(),
                                         [&](const auto& term) { return term.column == column; });
    return is_compared && !inside_.has_number[column][one] ? CellAnswer::kYes : CellAnswer::kMaybe;
  }

  /// Whether some values make all literals false. Each comparison is tried alone, so the answer may be
  /// a wrong yes for several.
  bool can_fail(const Clause& clause) const {
    std::map<std::size_t, std::pair<std::uint32_t, std::uint32_t>> ends;  // of cells
    for (const std::size_t column : columns_of(clause)) {
      for (std::uint32_t one = 0; one < inside_.class_count(column); ++one) {
        const bool fails = std::none_of(
            clause.literals.begin(), clause.literals.end(), [&](std::uint32_t literal) {
              return answer(literals_.all[literal], column, one) == CellAnswer::kYes;
            });
        if (!fails) continue;
        const std::vector<std::uint32_t>& cells = inside_.lists[column][one];
        const auto [found, is_new] = ends.emplace(column, std::pair(cells.front(), cells.back()));
        found->second.first = std::min(found->second.first, cells.front());
        found->second.second = std::max(found->second.second, cells.back());
      }
      if (!ends.contains(column)) return false;
    }
    return std::all_of(clause.literals.begin(), clause.literals.end(), [&](std::uint32_t one) {
      const Literal& literal = literals_.all[one];
      return literal.has_cells() || can_fail(*literal.comparison, ends);
    });
  }

  /// The least and the greatest of the sum tell; they are of ends, and so of values.
  bool can_fail(const SumComparison& comparison,
                const std::map<std::size_t, std::pair<std::uint32_t, std::uint32_t>>& ends) const {
    bool any_seconds = false;
    for (const auto& term : comparison.terms) {
      any_seconds = any_seconds || has_seconds(columns_[term.column]);
    }
    double least = comparison.constant, most = comparison.constant;
    for (const auto& term : comparison.terms) {
      const Column& column = columns_[term.column];
      const bool is_day = moments_of(column) != nullptr && !has_seconds(column);
      const PlaceAxis axis{&column, any_seconds && is_day ? 86'400.0 : 1.0, 0};
      const auto [front, back] = ends.at(term.column);
      double low = moved_by_months(axis.first(front), term.months, !any_seconds);
      double high = moved_by_months(axis.last(back), term.months, !any_seconds);
      if (term.negative) std::tie(low, high) = std::pair(-high, -low);
      least += low;
      most += high;
    }
    switch (comparison.kind) {
      case SumComparison::Kind::kAtMost:
        return most > 0;
      case SumComparison::Kind::kBelow:
        return most >= 0;
      case SumComparison::Kind::kIs:
        return least != 0 || most != 0;
    }
    return true;
  }

  void make_classes() {
    inside_.classes.resize(columns_.size());
    inside_.lists.resize(columns_.size());
    inside_.has_number.resize(columns_.size());
    inside_.is_compared.resize(columns_.size());
    std::vector<std::vector<const CellAnswers*>> tables(columns_.size());
    std::set<std::size_t> named;
    for (const Literal& literal : literals_.all) {
      add_columns(literal, named);
      if (literal.has_cells()) tables[literal.column].push_back(&literal.cells);
      if (!literal.comparison) continue;
      for (const SumComparison::Term& term : literal.comparison->terms) {
        inside_.is_compared[term.column] = true;
      }
    }
    for (const std::size_t i : named) {
      const Column& column = columns_[i];
      std::set<std::uint32_t> starts{0};
      if (column.cell_count() < column.size()) starts.insert(column.cell_count());
      for (const CellAnswers* const table : tables[i]) {
        starts.insert(table->starts.begin(), table->starts.end());
      }
      std::map<std::vector<std::uint32_t>, std::uint32_t> known;
      for (auto start = starts.begin(); start != starts.end(); ++start) {
        std::vector<std::uint32_t> answers;
        for (const CellAnswers* const table : tables[i]) {
          answers.push_back(static_cast<std::uint32_t>(table->at(*start)));
        }
        const bool is_number = *start < column.cell_count();
        answers.push_back(inside_.is_compared[i] && is_number ? 1 : 0);
        const auto found = known.emplace(std::move(answers), known.size()).first->second;
        if (found == inside_.lists[i].size()) {
          inside_.lists[i].emplace_back();
          inside_.has_number[i].push_back(is_number);
        }
        const std::uint32_t end =
            std::next(start) == starts.end() ? column.size() : *std::next(start);
        for (std::uint32_t cell = *start; cell < end; ++cell) {
          inside_.classes[i].push_back(found);
          inside_.lists[i][found].push_back(cell);
        }
      }
    }
  }

  void make_blocks() {
    Joined joined(clauses_.size());
    std::map<std::size_t, std::size_t> first;  // clause of a compared column
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      for (const std::uint32_t literal : clauses_[i].literals) {
        const auto& comparison = literals_.all[literal].comparison;
        if (!comparison) continue;
        for (const SumComparison::Term& term : comparison->terms) {
          joined.join(i, first.emplace(term.column, i).first->second);
        }
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> sets;
    for (std::size_t i = 0; i < clauses_.size(); ++i) sets[joined.find(i)].push_back(i);
    for (const auto& [root, members] : sets) {
      RuleBlock block = block_of(members);
      if (is_wide(block)) {
        std::map<std::vector<std::size_t>, std::vector<std::size_t>> alike;
        for (const std::size_t member : members) {
          alike[columns_of(clauses_[member])].push_back(member);
        }
        for (const auto& [columns, some] : alike) block.parts.push_back(block_of(some));
      }
      inside_.blocks.push_back(std::move(block));
    }
  }

  RuleBlock block_of(const std::vector<std::size_t>& members) {
    RuleBlock block;
    std::set<std::size_t> all, compared;
    for (const std::size_t member : members) {
      const Clause& clause = clauses_[member];
      for (const std::size_t column : columns_of(clause)) all.insert(column);
      for (const std::uint32_t literal : clause.literals) {
        const auto& comparison = literals_.all[literal].comparison;
        if (!comparison) continue;
        for (const SumComparison::Term& term : comparison->terms) compared.insert(term.column);
      }
      block.clauses.push_back(clause);
    }
    block.columns.assign(all.begin(), all.end());
    block.compared.assign(compared.begin(), compared.end());
    if (!block.compared.empty()) make_system(block);
    return block;
  }

  /// Whether a table of all columns would be large, and orders of two columns each leave little
  /// between them that is impossible together. Sums would leave much.
  bool is_wide(const RuleBlock& block) const {
    constexpr std::uint32_t kFewCells = 16;
    constexpr double kMostCells = 32'768;
    double cells = 1;
    for (const std::size_t column : block.columns) {
      cells *= std::min(columns_[column].size(), kFewCells);
    }
    const auto& all = block.system.comparisons;
    return cells > kMostCells && std::none_of(all.begin(), all.end(), is_sum);
  }

  /// The comparisons with places in `compared` for columns, on one axis.
  void make_system(RuleBlock& block) {
    bool any_seconds = false;
    for (const std::size_t column : block.compared) {
      any_seconds = any_seconds || has_seconds(columns_[column]);
    }
    block.system.calendar.in_days = !any_seconds;
    Joined joined(block.compared.size());  // columns that comparisons join
    std::vector<const DomainRule*> rules;  // of each comparison
    for (const Clause& clause : block.clauses) {
      for (const std::uint32_t literal : clause.literals) {
        if (!literals_.all[literal].comparison) continue;
        const auto place = static_cast<std::uint32_t>(rules.size());
        if (!block.comparison_at.emplace(literal, place).second) continue;
        const DomainRule& rule = rules_[clause.rule];
        SumComparison& comparison =
            block.system.comparisons.emplace_back(*literals_.all[literal].comparison);
        rules.push_back(&rule);
        if (any_seconds && !comparison.in_seconds) to_seconds(comparison, columns_, rule);
        for (SumComparison::Term& term : comparison.terms) {
          term.column = static_cast<std::size_t>(
              std::lower_bound(block.compared.begin(), block.compared.end(), term.column) -
              block.compared.begin());
          joined.join(term.column, comparison.terms.front().column);
        }
      }
    }
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      const Column& column = columns_[block.compared[i]];
      const bool is_day = moments_of(column) != nullptr && !has_seconds(column);
      block.system.axes.push_back({&column, any_seconds && is_day ? 86'400.0 : 1.0,
                                   grid_of(block, joined, joined.find(i), any_seconds)});
    }
    for (std::size_t i = 0; i < rules.size(); ++i) {
      SumComparison& comparison = block.system.comparisons[i];
      const DomainRule& rule = *rules[i];
      const double grid = block.system.axes[comparison.terms.front().column].grid;
      if (grid > 0) to_grid(comparison, grid, rule);
      const bool adds = is_sum(comparison) || comparison.constant != 0;
      refuse_if(grid == 0 && comparison.terms.size() > 1 && adds &&
                    comparison.kind == SumComparison::Kind::kIs,
                "wrong-type", Concern("rules"),
                "rule \"{}\" says that sums are equal, and its columns must have the same step: "
                "declare it in each (`step: 0.01`), or make them integers, without a list of "
                "values",
                rule.name);
    }
  }

  /// The distance of neighbouring values, if it is the same in all of the joined columns and no value
  /// between is missing; otherwise 0.
  double grid_of(const RuleBlock& block, Joined& joined, std::size_t root, bool any_seconds) const {
    double grid = 0;
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      if (joined.find(i) != root) continue;
      const Column& column = columns_[block.compared[i]];
      const double one = step_of(column, any_seconds);
      if (one == 0 || (grid != 0 && one != grid)) return 0;
      grid = one;
    }
    return grid;
  }

  /// Sums that hold together must be a tree: of comparisons and columns as two kinds of points, no
  /// circle. Comparisons of pairs may form circles.
  void require_tree(const RuleBlock& block, const std::vector<std::uint32_t>& way,
                    const DomainRule& rule) const {
    const std::size_t columns = block.compared.size();
    Joined joined(columns + way.size());
    std::vector<std::size_t> circles;
    for (std::size_t number = 0; number < way.size(); ++number) {
      const SumComparison& comparison = block.system.comparisons[way[number]];
      if (comparison.terms.size() < 2) continue;
      for (const SumComparison::Term& term : comparison.terms) {
        if (joined.find(term.column) == joined.find(columns + number)) {
          circles.push_back(term.column);
        }
        joined.join(term.column, columns + number);
      }
    }
    for (const std::uint32_t one : way) {
      const SumComparison& comparison = block.system.comparisons[one];
      if (!is_sum(comparison)) continue;
      const std::size_t root = joined.find(comparison.terms.front().column);
      const bool is_circle = std::any_of(circles.begin(), circles.end(), [&](std::size_t column) {
        return joined.find(column) == root;
      });
      refuse_if(is_circle, "too-much-work", Concern("rules"),
                "rule \"{}\" and others bind the same columns in a circle of sums, which mollify "
                "does not solve: leave one of the rules out",
                rule.name);
    }
  }

  void make_choices(RuleBlock& block) {
    const std::size_t all = inside_.combinations(block.columns);
    if (block.compared.empty()) {
      block.all_choices = {{}, {{}}};
      block.choice_of = held_places(block);
      return;
    }
    require_comparisons_that_can_hold(block);
    std::map<std::vector<std::vector<std::uint32_t>>, std::uint32_t> known;
    for (std::size_t place = 0; place < all; ++place) {
      auto choices = choices_of(block, inside_.classes_at(block.columns, place));
      const auto [found, is_new] = known.emplace(std::move(choices), known.size());
      if (is_new) block.all_choices.push_back(found->first);
      block.choice_of.push_back(found->second);
    }
  }

  /// A clause of comparisons that numbers never keep would hold of nulls alone.
  void require_comparisons_that_can_hold(const RuleBlock& block) const {
    std::vector<std::vector<std::uint32_t>> numbers;
    std::vector<Reach> all;
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      numbers.emplace_back(columns_[block.compared[i]].cell_count());
      std::iota(numbers.back().begin(), numbers.back().end(), 0U);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      all.push_back(Reach::all(block.system.axes[i], numbers[i]));
    }
    for (const Clause& clause : block.clauses) {
      const bool can_hold =
          std::any_of(clause.literals.begin(), clause.literals.end(), [&](std::uint32_t one) {
            if (literals_.all[one].has_cells()) return true;
            const std::vector<std::uint32_t> alone{block.comparison_at.at(one)};
            std::vector<Reach> reaches = all;
            return block.system.settle(alone, reaches);
          });
      refuse_if(!can_hold, "contradictory-rules", Concern("rules"),
                "rule \"{}\" can hold only if a column has no number: all numbers of its columns "
                "break it; correct it, or write which column `is null`",
                rules_[clause.rule].name);
    }
  }

  /// 1 for each combination of classes for which the block's only clause holds, else 0.
  std::vector<std::uint32_t> held_places(const RuleBlock& block) const {
    std::vector<std::uint32_t> held{0};
    for (const std::size_t column : block.columns) {
      std::vector<std::uint32_t> longer;
      std::vector<std::uint32_t> is_yes;
      for (std::uint32_t one = 0; one < inside_.class_count(column); ++one) {
        const auto& literals = block.clauses.front().literals;
        is_yes.push_back(std::any_of(literals.begin(), literals.end(),
                                     [&](std::uint32_t literal) {
                                       return answer(literals_.all[literal], column, one) ==
                                              CellAnswer::kYes;
                                     })
                             ? 1U
                             : 0U);
      }
      for (const std::uint32_t before : held) {
        for (const std::uint32_t yes : is_yes) longer.push_back(before | yes);
      }
      held = std::move(longer);
    }
    return held;
  }

  void require_few_combinations(const std::vector<std::size_t>& of, std::size_t rule) const {
    double all = 1;
    for (const std::size_t column : of) all *= static_cast<double>(inside_.class_count(column));
    if (all <= static_cast<double>(PossibleRecords::kMostCombinations)) return;
    std::string names;
    for (const std::size_t column : of) {
      names += fmt::format("{}{} {}", names.empty() ? "" : ", ", in_quotes(columns_[column].name()),
                           inside_.class_count(column));
    }
    refuse_input(
        "too-much-work", "rules", {WayOut::declare("rules")},
        {{"given", all, "combinations"},
         {"most", static_cast<double>(PossibleRecords::kMostCombinations), "combinations"}},
        "rule \"{}\" and those that share its columns must leave at most {} combinations of "
        "kinds of values, but leave {:.15g} (kinds in each column: {}): split the rules, or "
        "name fewer values",
        rules_[rule].name, PossibleRecords::kMostCombinations, all, names);
  }

  /// The ways in which all clauses can hold, as sets of comparisons that can hold together.
  std::vector<std::vector<std::uint32_t>> choices_of(const RuleBlock& block,
                                                     const std::vector<std::uint32_t>& each) const {
    const auto class_of = [&](std::size_t column) {
      return each[static_cast<std::size_t>(
          std::lower_bound(block.columns.begin(), block.columns.end(), column) -
          block.columns.begin())];
    };
    std::set<std::vector<std::uint32_t>> ways{{}};
    for (const Clause& clause : block.clauses) {
      bool holds = false;
      std::vector<std::uint32_t> maybe;
      for (const std::uint32_t one : clause.literals) {
        const Literal& literal = literals_.all[one];
        CellAnswer all = CellAnswer::kMaybe;
        if (literal.has_cells()) {
          all = answer(literal, literal.column, class_of(literal.column));
        } else {
          for (const SumComparison::Term& term : literal.comparison->terms) {
            if (!inside_.has_number[term.column][class_of(term.column)]) all = CellAnswer::kYes;
          }
        }
        holds = holds || all == CellAnswer::kYes;
        if (all == CellAnswer::kMaybe) maybe.push_back(block.comparison_at.at(one));
      }
      if (holds) continue;
      std::set<std::vector<std::uint32_t>> longer;
      for (const auto& way : ways) {
        for (const std::uint32_t one : maybe) {
          std::vector<std::uint32_t> with = way;
          const auto at = std::lower_bound(with.begin(), with.end(), one);
          if (at == with.end() || *at != one) with.insert(at, one);
          longer.insert(std::move(with));
        }
      }
      ways = std::move(longer);
      if (ways.size() > PossibleRecords::kMostChoices) {
        refuse_input("too-much-work", Concern("rules"),
                     "rule \"{}\" and those that share its columns must leave at most {} ways to "
                     "choose among alternatives, but leave more: split the rules",
                     rules_[clause.rule].name, PossibleRecords::kMostChoices);
      }
    }
    std::vector<std::vector<std::uint32_t>> possible;
    for (const auto& way : ways) {
      require_tree(block, way, rules_[block.clauses.back().rule]);
      if (way.empty()) {
        possible.push_back(way);
        continue;
      }
      // Columns without a number here are in no comparison of the way.
      std::vector<Reach> reaches =
          Combinations::reaches(block, [&](std::size_t column) -> std::span<const std::uint32_t> {
            return inside_.lists[column][class_of(column)];
          });
      if (block.system.settle(way, reaches)) possible.push_back(way);
    }
    return possible;
  }

  void make_components() {
    Joined joined(columns_.size());
    for (const RuleBlock& block : inside_.blocks) {
      for (const std::size_t column : block.columns) joined.join(column, block.columns.front());
    }
    std::map<std::size_t, RuleComponent> made;
    for (std::size_t b = 0; b < inside_.blocks.size(); ++b) {
      made[joined.find(inside_.blocks[b].columns.front())].blocks.push_back(b);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!inside_.lists[i].empty()) made[joined.find(i)].columns.push_back(i);
    }
    for (auto& [root, component] : made) {
      find_targets(component);
      for (const std::size_t b : component.blocks) {
        RuleBlock& block = inside_.blocks[b];
        block.component = inside_.components.size();
        for (const Clause& clause : block.clauses) {
          for (const std::size_t column : aims_[clause.rule]) {
            const bool is_new =
                std::find(block.aims.begin(), block.aims.end(), column) == block.aims.end();
            if (is_new && inside_.is_compared[column] &&
                std::binary_search(block.compared.begin(), block.compared.end(), column)) {
              block.aims.push_back(column);
            }
          }
        }
      }
      inside_.components.push_back(std::move(component));
    }
  }

  /// The rules that each combination of a component's classes breaks, in the order of blocks.
  std::vector<std::vector<std::size_t>> broken_rules(const RuleComponent& component,
                                                     const std::vector<std::size_t>& strides,
                                                     std::size_t all) const {
    std::vector<std::vector<std::size_t>> broken(all);
    for (const std::size_t b : component.blocks) {
      const RuleBlock& block = inside_.blocks[b];
      // Places of the block's combinations, and of those of the other columns.
      std::vector<std::size_t> inner{0}, outer{0};
      for (std::size_t i = 0; i < component.columns.size(); ++i) {
        const std::size_t column = component.columns[i];
        const bool is_inner =
            std::binary_search(block.columns.begin(), block.columns.end(), column);
        std::vector<std::size_t>& places = is_inner ? inner : outer;
        std::vector<std::size_t> longer;
        for (const std::size_t place : places) {
          for (std::size_t one = 0; one < inside_.class_count(column); ++one) {
            longer.push_back(place + one * strides[i]);
          }
        }
        places = std::move(longer);
      }
      for (std::size_t place = 0; place < inner.size(); ++place) {
        if (!block.choices(place).empty()) continue;
        for (const std::size_t other : outer) {
          std::vector<std::size_t>& rules = broken[inner[place] + other];
          for (const Clause& clause : block.clauses) {
            if (rules.empty() || rules.back() != clause.rule) rules.push_back(clause.rule);
          }
        }
      }
    }
    return broken;
  }

  /// Whether a null or a missing code must become a value: in the class `from` all cells are such
  /// ones, and in the other none.
  bool is_invented(std::size_t column, std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t values = columns_[column].cell_count();
    return inside_.lists[column][from].front() >= values &&
           inside_.lists[column][to].back() < values;
  }

  bool has_null(std::size_t column, std::uint32_t one) const {
    return columns_[column].mapping().null_is_category &&
           inside_.lists[column][one].back() + 1 == columns_[column].size();
  }

  /// Whether a change of a column whose value is known does no harm to its mean: to null, and of
  /// words.
  bool is_mild(std::size_t column, std::uint32_t to) const {
    return has_null(column, to) || is_of_words(columns_[column]) ||
           inside_.lists[column][to].front() >= columns_[column].cell_count();
  }

  /// The classes of a column in the order in which another one is changed to them: null, then the
  /// nearest. No value is near a null: the nearest to the middle, or to the first word.
  std::vector<std::uint32_t> by_nearness(std::size_t column, std::uint32_t from) const {
    const Column& one = columns_[column];
    const std::size_t count = inside_.class_count(column);
    const std::int64_t middle = middle_cell(one);
    const auto distance = [&](std::uint32_t other) {
      if (!is_invented(column, from, other)) {
        return std::abs(static_cast<std::int64_t>(other) - static_cast<std::int64_t>(from));
      }
      std::int64_t least = one.size();
      for (const std::int64_t cell : inside_.lists[column][other]) {
        least = std::min(least, std::abs(cell - middle));
      }
      return least;
    };
    std::vector<std::uint32_t> order;
    for (std::uint32_t other = 0; other < count; ++other) {
      if (other != from) order.push_back(other);
    }
    const auto rank = [&](std::uint32_t other) {
      return std::tuple(!has_null(column, other), is_invented(column, from, other),
                        distance(other));
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
    return order;
  }

  void find_targets(RuleComponent& component) {
    const std::size_t all = inside_.combinations(component.columns);
    std::vector<std::size_t> strides(component.columns.size(), 1);
    for (std::size_t i = strides.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * inside_.class_count(component.columns[i]);
    }
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    component.target.assign(all, kNone);
    std::vector<std::vector<std::uint32_t>> each(all);
    const std::vector<std::vector<std::size_t>> broken = broken_rules(component, strides, all);
    bool any = false;
    for (std::size_t place = 0; place < all; ++place) {
      each[place] = inside_.classes_at(component.columns, place);
      if (!broken[place].empty()) continue;
      component.target[place] = static_cast<std::uint32_t>(place);
      any = true;
    }
    if (!any) refuse_contradiction(component);
    require_values(component, each);
    nearness_.clear();
    const auto changed = [&](std::size_t place, std::size_t i, std::uint32_t to) {
      return place - each[place][i] * strides[i] + to * strides[i];
    };
    std::vector<std::uint32_t> found = component.target;
    for (std::size_t place = 0; place < all; ++place) {
      if (found[place] != kNone) continue;
      std::vector<std::size_t> order;  // places of columns in the component
      for (const std::size_t rule : broken[place]) {
        for (const std::size_t column : aims_[rule]) {
          const auto at =
              std::lower_bound(component.columns.begin(), component.columns.end(), column);
          if (at == component.columns.end() || *at != column) continue;
          const auto i = static_cast<std::size_t>(at - component.columns.begin());
          if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
        }
      }
      found[place] = one_or_two_changes(component, each[place], place, order, changed);
    }
    // The others go to the nearest combination, by changes of single columns.
    std::vector<std::uint32_t> front;
    for (std::size_t place = 0; place < all; ++place) {
      if (component.target[place] != kNone) front.push_back(static_cast<std::uint32_t>(place));
    }
    for (std::size_t at = 0; at < front.size(); ++at) {
      const std::uint32_t place = front[at];
      for (std::size_t i = 0; i < component.columns.size(); ++i) {
        for (std::uint32_t to = 0; to < inside_.class_count(component.columns[i]); ++to) {
          const std::size_t next = changed(place, i, to);
          if (component.target[next] != kNone) continue;
          component.target[next] = component.target[place];
          front.push_back(static_cast<std::uint32_t>(next));
        }
      }
    }
    for (std::size_t place = 0; place < all; ++place) {
      if (found[place] != kNone) component.target[place] = found[place];
    }
  }

  template <class Changed>
  std::uint32_t one_or_two_changes(const RuleComponent& component,
                                   const std::vector<std::uint32_t>& from, std::size_t place,
                                   const std::vector<std::size_t>& order, const Changed& changed) {
    const auto to_classes = [&](std::size_t i) -> const std::vector<std::uint32_t>& {
      const auto [found, is_new] = nearness_.try_emplace({component.columns[i], from[i]});
      if (is_new) found->second = by_nearness(component.columns[i], from[i]);
      return found->second;
    };
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    const auto invents = [&](std::size_t i, std::uint32_t to) {
      return is_invented(component.columns[i], from[i], to);
    };
    // An invented value is a last resort, short of changing the number of another column.
    std::uint32_t invented = kNone;
    for (const std::size_t i : order) {
      for (const std::uint32_t to : to_classes(i)) {
        const std::size_t next = changed(place, i, to);
        if (component.target[next] != next) continue;
        if (invents(i, to)) {
          if (invented == kNone) invented = static_cast<std::uint32_t>(next);
        } else if (invented == kNone || is_mild(component.columns[i], to)) {
          return static_cast<std::uint32_t>(next);
        }
      }
    }
    if (invented != kNone) return invented;
    for (std::size_t a = 0; a < order.size(); ++a) {
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        for (const std::uint32_t one : to_classes(order[a])) {
          for (const std::uint32_t other : to_classes(order[b])) {
            const std::size_t half = changed(place, order[a], one);
            const std::size_t next = changed(half, order[b], other);
            if (component.target[next] != next) continue;
            if (!invents(order[a], one) && !invents(order[b], other)) {
              return static_cast<std::uint32_t>(next);
            }
            if (invented == kNone) invented = static_cast<std::uint32_t>(next);
          }
        }
      }
    }
    return invented;
  }

  struct Contradiction {};

  bool leave_records(std::span<const std::size_t> numbers) const {
    std::vector<DomainRule> some;
    for (const DomainRule& rule : rules_) {
      if (rule.following) some.push_back(rule);
    }
    for (const std::size_t number : numbers) some.push_back(rules_[number]);
    Combinations inside;
    Builder builder(columns_, some, inside);
    builder.is_probe_ = true;
    try {
      builder.build();
    } catch (const Contradiction&) {
      return false;
    }
    return true;
  }

  /// Names the first rule that leaves nothing with those before it, and one of these where two
  /// contradict one another.
  [[noreturn]] void refuse_contradiction(const RuleComponent& component) const {
    if (is_probe_) throw Contradiction();
    std::set<std::size_t> all;
    for (const std::size_t b : component.blocks) {
      for (const Clause& clause : inside_.blocks[b].clauses) all.insert(clause.rule);
    }
    const std::vector<std::size_t> numbers(all.begin(), all.end());
    std::size_t before = 0, count = numbers.size();  // of rules that leave records, and that do not
    while (count - before > 1) {
      const std::size_t middle = before + (count - before) / 2;
      (leave_records(std::span(numbers).first(middle)) ? before : count) = middle;
    }
    const std::size_t last = numbers[count - 1];
    std::string with = count == 1 ? "itself" : "those before it";
    for (std::size_t i = 0; i + 1 < count; ++i) {
      if (leave_records(std::vector{numbers[i], last})) continue;
      with = fmt::format("rule {}", in_quotes(rules_[numbers[i]].name));
      break;
    }
    refuse_input("contradictory-rules", Concern("rules"),
                 "rules must leave records, but rule \"{}\" contradicts {}", rules_[last].name,
                 with);
  }

  /// Every column must keep a value other than null.
  void require_values(const RuleComponent& component,
                      const std::vector<std::vector<std::uint32_t>>& each) const {
    for (std::size_t i = 0; i < component.columns.size(); ++i) {
      const std::size_t column = component.columns[i];
      std::vector<bool> occurs(inside_.class_count(column));
      for (std::size_t place = 0; place < each.size(); ++place) {
        if (component.target[place] == place) occurs[each[place][i]] = true;
      }
      bool any = false;
      for (std::uint32_t one = 0; one < occurs.size(); ++one) {
        for (const std::uint32_t cell : inside_.lists[column][one]) {
          any = any || (occurs[one] && cell < columns_[column].cell_count());
        }
      }
      if (any) continue;
      const std::size_t rule = inside_.blocks[component.blocks.front()].clauses.front().rule;
      refuse_input("contradictory-rules", Concern::of_column(columns_[column].name()),
                   "rule \"{}\" and those that share its columns leave column \"{}\" nothing but "
                   "nulls and missing codes",
                   rules_[rule].name, columns_[column].name());
    }
  }

  std::span<const Column> columns_;
  const std::vector<DomainRule>& rules_;
  Combinations& inside_;
  LiteralList literals_;
  std::vector<std::vector<std::size_t>> aims_;  // of each rule
  std::vector<Clause> clauses_;
  /// The classes of a column by their nearness to one of them.
  std::map<std::pair<std::size_t, std::uint32_t>, std::vector<std::uint32_t>> nearness_;
  bool is_probe_ = false;
};

}  // namespace

std::uint32_t middle_cell(const Column& column) {
  return is_ordered(column.cells()) ? (column.cell_count() - 1) / 2 : 0;
}

Combinations combinations_of(std::span<const Column> columns,
                             const std::vector<DomainRule>& rules) {
  Combinations made;
  Builder(columns, rules, made).build();
  return made;
}

}  // namespace mollify
