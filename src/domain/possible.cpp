#include "domain/possible.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/refusal.h"
#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Comparisons of numbers, and sets of values that they narrow.

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The sum of places, moved by months, and a constant, which must be at most 0, below 0, or 0.
struct Comparison {
  enum class Kind : std::uint8_t { kAtMost, kBelow, kIs };
  struct Term {
    std::size_t column;
    bool negative;
    std::int64_t months;

    friend auto operator<=>(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  double constant = 0;
  Kind kind = Kind::kAtMost;
  bool in_seconds = false;  ///< the constant

  friend auto operator<=>(const Comparison&, const Comparison&) = default;
};

/// The places of a column's values on an axis that all columns of a comparison share.
struct Axis {
  const Column* column = nullptr;
  double factor = 1;  ///< seconds of a day, where others are times
  double grid = 0;    ///< places are integers, multiples of it; 0: they are not

  double place(std::uint32_t cell, std::uint64_t point) const {
    const double number = axis_number(*column, cell, point) * factor;
    return grid > 0 ? std::round(number / grid) : number;
  }
  double first(std::uint32_t cell) const { return place(cell, 0); }
  double last(std::uint32_t cell) const { return place(cell, column->points(cell) - 1); }
  /// The first point of the cell whose place is at least the bound; points(cell) if none is.
  std::uint64_t point_from(std::uint32_t cell, double bound) const {
    std::uint64_t low = 0, high = column->points(cell);
    while (low < high) {
      const std::uint64_t middle = low + (high - low) / 2;
      if (place(cell, middle) >= bound) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
};

/// The values of some cells between two ends, both of them values.
struct Reach {
  const Axis* axis = nullptr;
  std::span<const std::uint32_t> cells;
  double low = 0;
  double high = 0;

  /// Of cells without numbers nothing that is compared.
  static Reach all(const Axis& axis, std::span<const std::uint32_t> cells) {
    if (cells.front() >= axis.column->cell_count()) return {&axis, cells};
    return {&axis, cells, axis.first(cells.front()), axis.last(cells.back())};
  }
  /// Moves the lower end up to the first value at or above the bound; false if there is none.
  bool raise(double bound) {
    if (low >= bound) return true;
    const auto cell = std::partition_point(
        cells.begin(), cells.end(), [&](std::uint32_t one) { return axis->last(one) < bound; });
    if (cell == cells.end()) return false;
    low = axis->place(*cell, axis->point_from(*cell, bound));
    return low <= high;
  }
  bool lower(double bound) {
    if (high <= bound) return true;
    const auto after = std::partition_point(
        cells.begin(), cells.end(), [&](std::uint32_t one) { return axis->first(one) <= bound; });
    if (after == cells.begin()) return false;
    const std::uint32_t cell = *(after - 1);
    const double above = std::nextafter(bound, kInfinity);
    high = axis->place(cell, axis->point_from(cell, above) - 1);
    return low <= high;
  }
};

/// Days or seconds that months move.
struct Calendar {
  bool in_days = true;

  double unit() const { return in_days ? 1 : 86'400; }
  double moved(double place, std::int64_t months) const {
    return moved_by_months(place, months, in_days);
  }
  /// Beyond, the calendar ends.
  static constexpr double kMostDays = 4e6;

  /// The greatest place that is moved to at most the bound.
  double greatest_to(double bound, std::int64_t months) const {
    if (months == 0) return bound;
    const double day = std::floor(bound / unit());
    if (!(std::abs(day) < kMostDays)) return bound > 0 ? kInfinity : -kInfinity;
    double from = moved_by_months(day, -months, true) + 4;
    while (moved_by_months(from, months, true) > day) --from;
    const bool same = moved_by_months(from, months, true) == day;
    return from * unit() + (same ? bound - day * unit() : unit() - 1);
  }
  /// The least place that is moved to at least the bound.
  double least_to(double bound, std::int64_t months) const {
    if (months == 0) return bound;
    const double day = std::floor(bound / unit());
    if (!(std::abs(day) < kMostDays)) return bound > 0 ? kInfinity : -kInfinity;
    double from = moved_by_months(day, -months, true) - 4;
    while (moved_by_months(from, months, true) < day) ++from;
    const bool same = moved_by_months(from, months, true) == day;
    return from * unit() + (same ? bound - day * unit() : 0);
  }
};

/// Comparisons between some columns, numbered from 0.
struct System {
  std::vector<Comparison> comparisons;
  std::vector<Axis> axes;  // of the columns
  Calendar calendar;

  /// Narrows the reaches of the comparison's columns; false if nothing is left. `moves` is set if an
  /// end moved.
  bool narrow(const Comparison& comparison, std::vector<Reach>& reaches, bool& moves) const {
    const auto value = [&](const Comparison::Term& term, bool least) {
      const Reach& reach = reaches[term.column];
      const double place = term.negative == least ? reach.high : reach.low;
      const double moved = calendar.moved(place, term.months);
      return term.negative ? -moved : moved;
    };
    for (const bool upper : {true, false}) {
      if (!upper && comparison.kind != Comparison::Kind::kIs) break;
      for (const Comparison::Term& term : comparison.terms) {
        // upper: the term is at most minus the least of the rest; else at least minus the greatest.
        double rest = comparison.constant;
        for (const Comparison::Term& other : comparison.terms) {
          if (&other != &term) rest += value(other, upper);
        }
        double bound = -rest;
        if (comparison.kind == Comparison::Kind::kBelow) bound = std::nextafter(bound, -kInfinity);
        Reach& reach = reaches[term.column];
        const double low = reach.low, high = reach.high;
        const bool fits =
            upper != term.negative
                ? reach.lower(calendar.greatest_to(term.negative ? -bound : bound, term.months))
                : reach.raise(calendar.least_to(term.negative ? -bound : bound, term.months));
        if (!fits) return false;
        moves = moves || reach.low != low || reach.high != high;
      }
    }
    return true;
  }

  /// Narrows until nothing moves. Ends that creep for long are taken for a contradiction.
  bool settle(std::span<const std::uint32_t> chosen, std::vector<Reach>& reaches) const {
    constexpr int kMostRounds = 1000;
    bool moves = true;
    for (int round = 0; moves; ++round) {
      if (round == kMostRounds) return false;
      moves = false;
      for (const std::uint32_t one : chosen) {
        if (!narrow(comparisons[one], reaches, moves)) return false;
      }
    }
    return true;
  }
};

// -----------------------------------------------------------------------------------------------
// Clauses.

enum class Answer : std::uint8_t { kNo, kYes, kMaybe };

/// About one column's cells, or a comparison, or both: where the table says maybe, the comparison
/// decides.
struct Literal {
  std::size_t column = 0;
  std::vector<Answer> table{};
  std::optional<Comparison> comparison{};
};

struct Clause {
  std::size_t rule;
  std::vector<Literal> literals;

  bool is_compared() const {
    return std::any_of(literals.begin(), literals.end(),
                       [](const Literal& one) { return one.comparison.has_value(); });
  }
};

bool is_moment(const Column& column) { return std::holds_alternative<DateCells>(column.cells()); }

bool is_second(const Column& column) {
  const auto* const cells = std::get_if<DateCells>(&column.cells());
  return cells != nullptr && cells->declared().grain == Grain::kSecond;
}

bool has_axis(const Column& column) { return is_numeric(column.cells()) || is_moment(column); }

/// A column's digit of a value of another column that it follows from.
struct Following {
  std::size_t from;
  std::vector<std::uint32_t> map;
};

/// Makes clauses of formulas.
class ClauseMaker {
 public:
  ClauseMaker(std::span<const Column> columns, const std::vector<std::optional<Following>>& follows)
      : columns_(columns), follows_(follows) {}

  std::vector<Clause> clauses(const Rule& rule, std::size_t number) {
    rule_ = &rule;
    std::vector<Clause> made;
    for (std::vector<Literal>& literals : conjunction(rule.formula, false)) {
      made.push_back({number, std::move(literals)});
    }
    return made;
  }

 private:
  using Disjunctions = std::vector<std::vector<Literal>>;

  [[noreturn]] void refuse_many() const {
    refuse_input("too-much-work", Concern("rules"),
                 "rule \"{}\" must come to at most {} clauses, but has more: split it", rule_->name,
                 PossibleRecords::kMostClauses);
  }

  Disjunctions conjunction(const Formula& formula, bool negated) {
    switch (formula.kind) {
      case Formula::Kind::kNot:
        return conjunction(formula.parts.front(), !negated);
      case Formula::Kind::kAnd:
      case Formula::Kind::kOr: {
        const bool is_and = (formula.kind == Formula::Kind::kAnd) != negated;
        Disjunctions all;
        if (!is_and) all.emplace_back();
        for (const Formula& part : formula.parts) {
          Disjunctions inner = conjunction(part, negated);
          if (is_and) {
            for (auto& one : inner) all.push_back(std::move(one));
          } else {
            if (all.size() * inner.size() > PossibleRecords::kMostClauses) refuse_many();
            Disjunctions product;
            for (const auto& one : all) {
              for (const auto& other : inner) {
                product.push_back(one);
                product.back().insert(product.back().end(), other.begin(), other.end());
              }
            }
            all = std::move(product);
          }
          if (all.size() > PossibleRecords::kMostClauses) refuse_many();
        }
        return all;
      }
      case Formula::Kind::kNull: {
        Literal literal{.column = formula.column};
        const Column& column = columns_[formula.column];
        for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
          const bool is = truth_of_value(formula, column, {cell, {}}) == Truth::kTrue;
          literal.table.push_back(is != negated ? Answer::kYes : Answer::kNo);
        }
        return {{of_source(std::move(literal))}};
      }
      case Formula::Kind::kOneOf:
        return one_of(formula, negated);
      case Formula::Kind::kCompare:
        return with_value(formula, negated ? opposite(formula.relation) : formula.relation);
      case Formula::Kind::kSums:
        return of_sums(formula, negated ? opposite(formula.relation) : formula.relation);
    }
    return {};
  }

  Disjunctions one_of(const Formula& formula, bool negated) {
    const Column& column = columns_[formula.column];
    bool has_single = !has_axis(column);
    for (const std::string& value : formula.values) {
      const std::uint32_t cell = column.encode(Value(std::string_view(value)));
      has_single = has_single || column.points(cell) > 1;
    }
    Literal literal{.column = formula.column};
    for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
      const Truth truth = truth_of_value(formula, column, at_first(column, cell));
      const bool allows = negated ? truth != Truth::kTrue : truth != Truth::kFalse;
      literal.table.push_back(allows ? Answer::kYes : Answer::kNo);
    }
    if (!has_axis(column) || !has_single) return {{of_source(std::move(literal))}};
    Disjunctions all;
    if (!negated) all.emplace_back();
    for (const std::string& value : formula.values) {
      Formula one{.kind = Formula::Kind::kCompare,
                  .column = formula.column,
                  .values = {value},
                  .relation = Relation::kEqual};
      Disjunctions inner = conjunction(one, negated);
      if (negated) {
        for (auto& part : inner) all.push_back(std::move(part));
      } else {
        for (auto& part : inner.front()) all.front().push_back(std::move(part));
      }
    }
    return all;
  }

  static FieldValue at_first(const Column& column, std::uint32_t cell) {
    if (cell >= column.cell_count() || !has_axis(column)) return {cell, {}};
    return {cell, axis_number(column, cell, 0)};
  }
  static FieldValue at_last(const Column& column, std::uint32_t cell) {
    if (cell >= column.cell_count() || !has_axis(column)) return {cell, {}};
    return {cell, axis_number(column, cell, column.points(cell) - 1)};
  }

  /// `column relation value`. What lies between the ends of a cell is maybe, and compared.
  Disjunctions with_value(const Formula& formula, Relation relation) {
    if (relation == Relation::kNotEqual && is_inside_a_cell(formula)) {
      return {{part_of(formula, Relation::kLess), part_of(formula, Relation::kGreater)}};
    }
    return {{part_of(formula, relation)}};
  }

  bool is_inside_a_cell(const Formula& formula) const {
    const Column& column = columns_[formula.column];
    const std::uint32_t cell = column.encode(Value(std::string_view(formula.values.front())));
    return has_axis(column) && cell < column.cell_count() && column.points(cell) > 1;
  }

  Literal part_of(const Formula& formula, Relation relation) {
    const Column& column = columns_[formula.column];
    Formula one = formula;
    one.relation = relation;
    Literal literal{.column = formula.column};
    bool any_maybe = false;
    for (std::uint32_t cell = 0; cell < column.size(); ++cell) {
      const Truth first = truth_of_value(one, column, at_first(column, cell));
      const Truth last = truth_of_value(one, column, at_last(column, cell));
      Answer answer = first != Truth::kFalse ? Answer::kYes : Answer::kNo;
      if (first != last) answer = Answer::kMaybe;
      // Of a value inside a cell neither end may be it.
      if (relation == Relation::kEqual && column.points(cell) > 1 && is_in(formula, cell)) {
        answer = Answer::kMaybe;
      }
      any_maybe = any_maybe || answer == Answer::kMaybe;
      literal.table.push_back(answer);
    }
    if (any_maybe) {
      RuleSum number;
      number.number = declared_number(column, formula.values.front(), relation);
      literal.comparison = comparison_of({.terms = {{formula.column}}}, relation, number, 1);
      literal.comparison->in_seconds = is_second(column);
    }
    return of_source(std::move(literal));
  }

  bool is_in(const Formula& formula, std::uint32_t cell) const {
    const Column& column = columns_[formula.column];
    return column.encode(Value(std::string_view(formula.values.front()))) == cell;
  }

  static Comparison comparison_of(const RuleSum& left, Relation relation, const RuleSum& right,
                                  double unit_of_days) {
    const bool swapped = relation == Relation::kGreater || relation == Relation::kAtLeast;
    Comparison made;
    made.kind = relation == Relation::kEqual ? Comparison::Kind::kIs
                : relation == Relation::kLess || relation == Relation::kGreater
                    ? Comparison::Kind::kBelow
                    : Comparison::Kind::kAtMost;
    for (const bool is_left : {true, false}) {
      const RuleSum& sum = is_left ? left : right;
      const bool minus = is_left == swapped;
      for (const RuleSum::Term& term : sum.terms) {
        made.terms.push_back({term.column, term.negative != minus, sum.months});
      }
      const double constant = sum.number + unit_of_days * sum.days + sum.seconds;
      made.constant += minus ? -constant : constant;
    }
    return made;
  }
  Disjunctions of_sums(const Formula& formula, Relation relation) {
    if (relation == Relation::kNotEqual) {
      return {{sums(formula, Relation::kLess), sums(formula, Relation::kGreater)}};
    }
    return {{sums(formula, relation)}};
  }

  Literal sums(const Formula& formula, Relation relation) {
    bool in_seconds = false;
    for (const RuleSum* const sum : {&formula.left, &formula.right}) {
      for (const RuleSum::Term& term : sum->terms) {
        const Column& column = columns_[term.column];
        in_seconds = in_seconds || is_second(column);
        refuse_if(
            follows_[term.column].has_value(), "malformed-text", Concern::of_column(column.name()),
            "rule \"{}\" compares column \"{}\", which follows from another by a map: compare "
            "the other one",
            rule_->name, column.name());
        constexpr double kMostExact = 0x1p53;
        if (const auto* const cells = std::get_if<IntegerCells>(&column.cells())) {
          refuse_if(std::abs(static_cast<double>(cells->min())) > kMostExact ||
                        std::abs(static_cast<double>(cells->max())) > kMostExact,
                    "out-of-range", Concern::of_column(column.name()),
                    "rule \"{}\" compares integers up to 2^53, but column \"{}\" has greater ones",
                    rule_->name, column.name());
        }
      }
    }
    Literal literal;
    literal.comparison =
        comparison_of(formula.left, relation, formula.right, in_seconds ? 86'400 : 1);
    literal.comparison->in_seconds = in_seconds;
    return literal;
  }

  /// A literal about a column that follows is one about the column that it follows from.
  Literal of_source(Literal literal) const {
    while (const auto& following = follows_[literal.column]) {
      std::vector<Answer> table;
      for (const std::uint32_t digit : following->map) table.push_back(literal.table[digit]);
      literal.table = std::move(table);
      literal.column = following->from;
    }
    return literal;
  }

  std::span<const Column> columns_;
  const std::vector<std::optional<Following>>& follows_;
  const Rule* rule_ = nullptr;
};

// -----------------------------------------------------------------------------------------------
// Combinations of classes.

/// The columns that some clauses join, and what can occur of them.
struct Block {
  std::vector<std::size_t> columns;   ///< ascending
  std::vector<std::size_t> compared;  ///< of these, the ones with a comparison, ascending
  std::vector<Clause> clauses;
  System system;  ///< its columns are places in `compared`
  /// Of each combination of classes the choices of comparisons under which it can occur; none:
  /// it cannot.
  std::vector<std::vector<std::vector<std::uint32_t>>> choices;
  std::vector<std::size_t> aims;  ///< compared columns, those that rules are about first
  std::size_t component = 0;
};

/// Columns that blocks join.
struct Component {
  std::vector<std::size_t> columns;  ///< ascending
  std::vector<std::size_t> blocks;
  std::vector<std::uint32_t> target;  ///< of each combination of classes the one that it becomes
};

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

}  // namespace

struct PossibleRecords::Inside {
  std::span<const Column> columns;
  std::vector<std::optional<Following>> follows;
  std::vector<std::size_t> following_order;  ///< sources first
  std::vector<std::vector<std::uint32_t>> classes;
  CellLists lists;                            ///< of classes
  std::vector<std::vector<bool>> has_number;  ///< of classes
  std::vector<bool> is_compared;
  std::vector<Block> blocks;
  std::vector<Component> components;

  std::size_t class_count(std::size_t column) const { return lists[column].size(); }

  std::size_t combination(const std::vector<std::size_t>& of,
                          std::span<const std::uint32_t> digits) const {
    std::size_t place = 0;
    for (const std::size_t column : of) {
      place = place * class_count(column) + classes[column][digits[column]];
    }
    return place;
  }
  std::size_t combinations(const std::vector<std::size_t>& of) const {
    std::size_t all = 1;
    for (const std::size_t column : of) all *= class_count(column);
    return all;
  }
  /// The classes of a combination, in the order of the columns.
  std::vector<std::uint32_t> classes_at(const std::vector<std::size_t>& of,
                                        std::size_t place) const {
    std::vector<std::uint32_t> each(of.size());
    for (std::size_t i = of.size(); i-- > 0;) {
      each[i] = static_cast<std::uint32_t>(place % class_count(of[i]));
      place /= class_count(of[i]);
    }
    return each;
  }

  /// The reaches of a block's compared columns.
  template <class Cells>
  static std::vector<Reach> reaches(const Block& block, const Cells& cells_of) {
    std::vector<Reach> made;
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      made.push_back(Reach::all(block.system.axes[i], cells_of(block.compared[i])));
    }
    return made;
  }
};

// -----------------------------------------------------------------------------------------------
// From rules to combinations.

namespace {

class Builder {
 public:
  Builder(std::span<const Column> columns, const std::vector<Rule>& rules,
          PossibleRecords::Inside& inside)
      : columns_(columns), rules_(rules), inside_(inside) {
    inside_.columns = columns;
  }

  void build() {
    find_followers();
    ClauseMaker maker(columns_, inside_.follows);
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].following) continue;
      std::vector<Clause> made = maker.clauses(rules_[i], i);
      const bool is_idle =
          std::none_of(made.begin(), made.end(), [&](const Clause& one) { return can_fail(one); });
      refuse_if(is_idle, "idle-rule", Concern("rules"),
                "rule \"{}\" says nothing: every record of the domain keeps it; leave it out, or "
                "check its values",
                rules_[i].name);
      for (Clause& clause : made) clauses_.push_back(std::move(clause));
    }
    make_classes();
    make_blocks();
    for (Block& block : inside_.blocks) make_choices(block);
    make_components();
  }

 private:
  void find_followers() {
    inside_.follows.resize(columns_.size());
    for (const Rule& rule : rules_) {
      if (!rule.following) continue;
      const FollowingColumn& one = *rule.following;
      const Column& column = columns_[one.column];
      const Column& from = columns_[one.from];
      refuse_if(inside_.follows[one.column].has_value(), "malformed-text",
                Concern::of_column(column.name()),
                "rule \"{}\" lets column \"{}\" follow from a second column, but it must follow "
                "from one",
                rule.name, column.name());
      Following made{one.from, std::vector<std::uint32_t>(from.size(), column.size() - 1)};
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
    for (const Rule& rule : rules_) {
      if (!rule.following || known[rule.following->column]) continue;
      refuse_input("contradictory-rules", Concern("rules"),
                   "rule \"{}\" lets a column follow from itself, in a circle: leave one of the "
                   "maps out",
                   rule.name);
    }
  }

  std::vector<std::size_t> columns_of(const Clause& clause) const {
    std::set<std::size_t> all;
    for (const Literal& literal : clause.literals) {
      if (!literal.table.empty()) all.insert(literal.column);
      if (!literal.comparison) continue;
      for (const Comparison::Term& term : literal.comparison->terms) all.insert(term.column);
    }
    return {all.begin(), all.end()};
  }

  /// Whether some values make all literals false; where several comparisons meet it may be told
  /// wrongly.
  bool can_fail(const Clause& clause) const {
    std::map<std::size_t, std::vector<std::uint32_t>> cells;
    for (const std::size_t column : columns_of(clause)) {
      for (std::uint32_t cell = 0; cell < columns_[column].size(); ++cell) {
        const bool fails = std::all_of(
            clause.literals.begin(), clause.literals.end(), [&](const Literal& literal) {
              if (literal.table.empty()) {
                const auto& terms = literal.comparison->terms;
                return cell < columns_[column].cell_count() ||
                       std::none_of(terms.begin(), terms.end(),
                                    [&](const auto& term) { return term.column == column; });
              }
              return literal.column != column || literal.table[cell] != Answer::kYes;
            });
        if (fails) cells[column].push_back(cell);
      }
      if (cells[column].empty()) return false;
    }
    return std::all_of(clause.literals.begin(), clause.literals.end(), [&](const Literal& literal) {
      return !literal.table.empty() || can_fail(*literal.comparison, cells);
    });
  }

  /// The least and the greatest of the sum tell; they are of ends, and so of values.
  bool can_fail(const Comparison& comparison,
                const std::map<std::size_t, std::vector<std::uint32_t>>& cells) const {
    bool any_seconds = false;
    for (const auto& term : comparison.terms) {
      any_seconds = any_seconds || is_second(columns_[term.column]);
    }
    double least = comparison.constant, most = comparison.constant;
    for (const auto& term : comparison.terms) {
      const Column& column = columns_[term.column];
      const bool is_day = is_moment(column) && !is_second(column);
      const Axis axis{&column, any_seconds && is_day ? 86'400.0 : 1.0, 0};
      const auto& list = cells.at(term.column);
      double low = moved_by_months(axis.first(list.front()), term.months, !any_seconds);
      double high = moved_by_months(axis.last(list.back()), term.months, !any_seconds);
      if (term.negative) std::tie(low, high) = std::pair(-high, -low);
      least += low;
      most += high;
    }
    switch (comparison.kind) {
      case Comparison::Kind::kAtMost:
        return most > 0;
      case Comparison::Kind::kBelow:
        return most >= 0;
      case Comparison::Kind::kIs:
        return least != 0 || most != 0;
    }
    return true;
  }

  void make_classes() {
    inside_.classes.resize(columns_.size());
    inside_.lists.resize(columns_.size());
    inside_.has_number.resize(columns_.size());
    inside_.is_compared.resize(columns_.size());
    std::vector<std::vector<const std::vector<Answer>*>> tables(columns_.size());
    std::vector<bool> is_named(columns_.size());
    for (const Clause& clause : clauses_) {
      for (const std::size_t column : columns_of(clause)) is_named[column] = true;
      for (const Literal& literal : clause.literals) {
        if (!literal.table.empty()) tables[literal.column].push_back(&literal.table);
        if (!literal.comparison) continue;
        for (const Comparison::Term& term : literal.comparison->terms) {
          inside_.is_compared[term.column] = true;
        }
      }
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!is_named[i]) continue;
      std::map<std::vector<std::uint8_t>, std::uint32_t> known;
      for (std::uint32_t cell = 0; cell < columns_[i].size(); ++cell) {
        std::vector<std::uint8_t> answers;
        for (const auto* const table : tables[i]) {
          answers.push_back(static_cast<std::uint8_t>((*table)[cell]));
        }
        const bool is_number = cell < columns_[i].cell_count();
        answers.push_back(inside_.is_compared[i] && is_number ? 1 : 0);
        const auto found = known.emplace(answers, known.size()).first->second;
        inside_.classes[i].push_back(found);
        if (found == inside_.lists[i].size()) {
          inside_.lists[i].emplace_back();
          inside_.has_number[i].push_back(is_number);
        }
        inside_.lists[i][found].push_back(cell);
      }
    }
  }

  void make_blocks() {
    Joined joined(clauses_.size());
    std::map<std::size_t, std::size_t> first;  // clause of a compared column
    for (std::size_t i = 0; i < clauses_.size(); ++i) {
      for (const Literal& literal : clauses_[i].literals) {
        if (!literal.comparison) continue;
        for (const Comparison::Term& term : literal.comparison->terms) {
          joined.join(i, first.emplace(term.column, i).first->second);
        }
      }
    }
    std::map<std::size_t, std::vector<std::size_t>> sets;
    for (std::size_t i = 0; i < clauses_.size(); ++i) sets[joined.find(i)].push_back(i);
    for (const auto& [root, members] : sets) {
      Block block;
      std::set<std::size_t> all, compared;
      for (const std::size_t member : members) {
        for (const std::size_t column : columns_of(clauses_[member])) all.insert(column);
        for (const Literal& literal : clauses_[member].literals) {
          if (!literal.comparison) continue;
          for (const Comparison::Term& term : literal.comparison->terms) {
            compared.insert(term.column);
          }
        }
        block.clauses.push_back(clauses_[member]);
      }
      block.columns.assign(all.begin(), all.end());
      block.compared.assign(compared.begin(), compared.end());
      if (!block.compared.empty()) make_system(block);
      inside_.blocks.push_back(std::move(block));
    }
  }

  /// The comparisons with places in `compared` for columns, on one axis.
  void make_system(Block& block) {
    bool any_seconds = false;
    for (const std::size_t column : block.compared) {
      any_seconds = any_seconds || is_second(columns_[column]);
    }
    block.system.calendar.in_days = !any_seconds;
    bool any_sum = false, any_equal = false;
    for (Clause& clause : block.clauses) {
      for (Literal& literal : clause.literals) {
        if (!literal.comparison) continue;
        Comparison& comparison = *literal.comparison;
        any_equal = any_equal || comparison.kind == Comparison::Kind::kIs;
        any_sum = any_sum || is_sum(comparison);
        if (any_seconds && !comparison.in_seconds) to_seconds(comparison, rules_[clause.rule]);
        for (Comparison::Term& term : comparison.terms) {
          term.column = static_cast<std::size_t>(
              std::lower_bound(block.compared.begin(), block.compared.end(), term.column) -
              block.compared.begin());
        }
      }
    }
    const double grid = grid_of(block, any_seconds);
    for (const std::size_t column : block.compared) {
      const bool is_day = is_moment(columns_[column]) && !is_second(columns_[column]);
      block.system.axes.push_back(
          {&columns_[column], any_seconds && is_day ? 86'400.0 : 1.0, grid});
    }
    for (Clause& clause : block.clauses) {
      for (Literal& literal : clause.literals) {
        if (literal.comparison && grid > 0) to_grid(*literal.comparison, grid, rules_[clause.rule]);
      }
    }
    if (any_sum) require_tree(block, any_equal, grid);
  }

  void to_seconds(Comparison& comparison, const Rule& rule) const {
    for (const Comparison::Term& term : comparison.terms) {
      refuse_if(!is_moment(columns_[term.column]), "wrong-type", Concern("rules"),
                "rule \"{}\" adds numbers to days, and others compare these days with times: let "
                "the numbers be seconds, or leave one of the rules out",
                rule.name);
    }
    comparison.constant *= 86'400;
    comparison.in_seconds = true;
  }

  /// A comparison that is not x + c <= y.
  static bool is_sum(const Comparison& comparison) {
    const auto& terms = comparison.terms;
    return terms.size() > 2 || (terms.size() == 2 && terms[0].negative == terms[1].negative);
  }

  void to_grid(Comparison& comparison, double grid, const Rule& rule) const {
    const double steps = comparison.constant / grid;
    const double whole = std::round(steps);
    if (std::abs(steps - whole) < 1e-6) {
      comparison.constant = whole;
      return;
    }
    refuse_if(comparison.kind == Comparison::Kind::kIs, "contradictory-rules", Concern("rules"),
              "rule \"{}\" can never hold: all its columns are multiples of {}", rule.name, grid);
    // m + steps <= 0 for integers m is m + ceil(steps) <= 0, and so is m + steps < 0.
    comparison.constant = std::ceil(steps);
    comparison.kind = Comparison::Kind::kAtMost;
  }

  /// The distance of neighbouring values, if it is the same in all of the block's columns and no
  /// value between is missing; otherwise 0.
  double grid_of(const Block& block, bool any_seconds) const {
    double grid = 0;
    for (const std::size_t index : block.compared) {
      const Column& column = columns_[index];
      double one = 0;
      if (const auto* const cells = std::get_if<DateCells>(&column.cells())) {
        const bool plain = cells->declared().values.empty() && !cells->declared().format &&
                           !cells->declared().step;
        one = plain && is_second(column) == any_seconds ? 1 : 0;
      } else if (const auto* const integers = std::get_if<IntegerCells>(&column.cells())) {
        if (integers->declared().values.empty()) {
          one = static_cast<double>(integers->declared().step.value_or(1));
        }
      } else {
        const auto& numbers = std::get<NumberCells>(column.cells());
        const auto& declared = numbers.declared();
        if (declared.values.empty() && declared.step) one = *declared.step;
      }
      if (one == 0 || (grid != 0 && one != grid)) return 0;
      grid = one;
    }
    return grid;
  }

  void require_tree(const Block& block, bool any_equal, double grid) const {
    // Comparisons and columns as a graph of two kinds of points: a tree has one edge less than
    // points for each of its parts.
    std::map<Comparison, std::size_t> distinct;
    std::size_t rule = 0;
    for (const Clause& clause : block.clauses) {
      for (const Literal& literal : clause.literals) {
        if (!literal.comparison || literal.comparison->terms.size() < 2) continue;
        distinct.emplace(*literal.comparison, distinct.size());
        rule = clause.rule;
      }
    }
    Joined joined(distinct.size() + block.compared.size());
    for (const auto& [comparison, number] : distinct) {
      for (const Comparison::Term& term : comparison.terms) {
        const std::size_t column = distinct.size() + term.column;
        refuse_if(joined.find(number) == joined.find(column), "too-much-work", Concern("rules"),
                  "rule \"{}\" and others bind the same columns in a circle of sums, which mollify "
                  "does not solve: leave one of the rules out, or compare columns in pairs",
                  rules_[rule].name);
        joined.join(number, column);
      }
    }
    refuse_if(any_equal && grid == 0, "wrong-type", Concern("rules"),
              "rule \"{}\" says that sums are equal, and its columns must have the same step: "
              "declare it in each (`step: 0.01`), or make them integers, without a list of values",
              rules_[rule].name);
  }

  void make_choices(Block& block) {
    const std::size_t all = required_combinations(block.columns, block.clauses.front().rule);
    for (Clause& clause : block.clauses) {
      for (Literal& literal : clause.literals) {
        if (literal.comparison) block.system.comparisons.push_back(*literal.comparison);
      }
    }
    for (std::size_t place = 0; place < all; ++place) {
      const std::vector<std::uint32_t> each = inside_.classes_at(block.columns, place);
      block.choices.push_back(choices_of(block, each));
    }
  }

  std::size_t required_combinations(const std::vector<std::size_t>& of, std::size_t rule) const {
    double all = 1;
    for (const std::size_t column : of) all *= static_cast<double>(inside_.class_count(column));
    if (all <= static_cast<double>(PossibleRecords::kMostCombinations)) {
      return inside_.combinations(of);
    }
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
  std::vector<std::vector<std::uint32_t>> choices_of(const Block& block,
                                                     const std::vector<std::uint32_t>& each) const {
    const auto class_of = [&](std::size_t column) {
      return each[static_cast<std::size_t>(
          std::lower_bound(block.columns.begin(), block.columns.end(), column) -
          block.columns.begin())];
    };
    std::set<std::vector<std::uint32_t>> ways{{}};
    std::uint32_t comparison = 0;
    for (const Clause& clause : block.clauses) {
      bool holds = false;
      std::vector<std::uint32_t> maybe;
      for (const Literal& literal : clause.literals) {
        Answer answer = Answer::kMaybe;
        if (!literal.table.empty()) {
          const std::uint32_t one = class_of(literal.column);
          answer = literal.table[inside_.lists[literal.column][one].front()];
        } else {
          for (const Comparison::Term& term : literal.comparison->terms) {
            const std::size_t column = block.compared[term.column];
            if (!inside_.has_number[column][class_of(column)]) answer = Answer::kYes;
          }
        }
        holds = holds || answer == Answer::kYes;
        if (answer == Answer::kMaybe) maybe.push_back(comparison);
        if (literal.comparison) ++comparison;
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
      if (way.empty()) {
        possible.push_back(way);
        continue;
      }
      // Columns without a number here are in no comparison of the way.
      std::vector<Reach> reaches = PossibleRecords::Inside::reaches(
          block, [&](std::size_t column) -> std::span<const std::uint32_t> {
            return inside_.lists[column][class_of(column)];
          });
      if (block.system.settle(way, reaches)) possible.push_back(way);
    }
    return possible;
  }

  void make_components() {
    Joined joined(columns_.size());
    for (const Block& block : inside_.blocks) {
      for (const std::size_t column : block.columns) joined.join(column, block.columns.front());
    }
    std::map<std::size_t, Component> made;
    for (std::size_t b = 0; b < inside_.blocks.size(); ++b) {
      made[joined.find(inside_.blocks[b].columns.front())].blocks.push_back(b);
    }
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (!inside_.lists[i].empty()) made[joined.find(i)].columns.push_back(i);
    }
    for (auto& [root, component] : made) {
      find_targets(component);
      for (const std::size_t b : component.blocks) {
        Block& block = inside_.blocks[b];
        block.component = inside_.components.size();
        for (const Clause& clause : block.clauses) {
          for (const std::size_t column : by_aim(rules_[clause.rule])) {
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

  bool is_possible(const Component& component, const std::vector<std::uint32_t>& each,
                   std::vector<std::size_t>* broken = nullptr) const {
    bool all = true;
    for (const std::size_t b : component.blocks) {
      const Block& block = inside_.blocks[b];
      std::size_t place = 0;
      for (const std::size_t column : block.columns) {
        const auto at =
            std::lower_bound(component.columns.begin(), component.columns.end(), column);
        place = place * inside_.class_count(column) +
                each[static_cast<std::size_t>(at - component.columns.begin())];
      }
      if (!block.choices[place].empty()) continue;
      all = false;
      if (broken != nullptr) broken->push_back(b);
    }
    return all;
  }

  /// A rule's columns, the one that it is about first: what follows `then`, or stands left of a
  /// comparison.
  std::vector<std::size_t> by_aim(const Rule& rule) const {
    std::vector<std::size_t> order;
    add_mentioned(rule.formula, order);
    std::reverse(order.begin(), order.end());
    std::vector<std::size_t> once;
    for (std::size_t column : order) {
      while (const auto& following = inside_.follows[column]) column = following->from;
      if (std::find(once.begin(), once.end(), column) == once.end()) once.push_back(column);
    }
    return once;
  }
  static void add_mentioned(const Formula& formula, std::vector<std::size_t>& order) {
    for (const Formula& part : formula.parts) add_mentioned(part, order);
    if (formula.kind == Formula::Kind::kSums) {
      for (const RuleSum* const sum : {&formula.right, &formula.left}) {
        for (auto term = sum->terms.rbegin(); term != sum->terms.rend(); ++term) {
          order.push_back(term->column);
        }
      }
    } else if (formula.parts.empty()) {
      order.push_back(formula.column);
    }
  }

  /// The classes of a column in the order in which another one is changed to them: null, then the
  /// nearest.
  std::vector<std::uint32_t> by_nearness(std::size_t column, std::uint32_t from) const {
    const std::size_t count = inside_.class_count(column);
    const auto is_null = [&](std::uint32_t one) {
      const auto& list = inside_.lists[column][one];
      return columns_[column].mapping().null_is_category && list.size() == 1 &&
             list.front() + 1 == columns_[column].size();
    };
    std::vector<std::uint32_t> order;
    for (std::uint32_t one = 0; one < count; ++one) {
      if (one != from) order.push_back(one);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      if (is_null(a) != is_null(b)) return is_null(a);
      const auto distance = [&](std::uint32_t one) {
        return std::abs(static_cast<std::int64_t>(one) - static_cast<std::int64_t>(from));
      };
      return distance(a) < distance(b);
    });
    return order;
  }

  void find_targets(Component& component) {
    const std::size_t first_rule = inside_.blocks[component.blocks.front()].clauses.front().rule;
    const std::size_t all = required_combinations(component.columns, first_rule);
    constexpr std::uint32_t kNone = ~std::uint32_t{0};
    component.target.assign(all, kNone);
    std::vector<std::vector<std::uint32_t>> each(all);
    std::vector<std::vector<std::size_t>> broken(all);
    bool any = false;
    for (std::size_t place = 0; place < all; ++place) {
      each[place] = inside_.classes_at(component.columns, place);
      if (is_possible(component, each[place], &broken[place])) {
        component.target[place] = static_cast<std::uint32_t>(place);
        any = true;
      }
    }
    if (!any) refuse_contradiction(component);
    require_values(component, each);
    std::vector<std::size_t> strides(component.columns.size(), 1);
    for (std::size_t i = strides.size(); i-- > 1;) {
      strides[i - 1] = strides[i] * inside_.class_count(component.columns[i]);
    }
    const auto changed = [&](std::size_t place, std::size_t i, std::uint32_t to) {
      return place - each[place][i] * strides[i] + to * strides[i];
    };
    std::vector<std::uint32_t> found = component.target;
    for (std::size_t place = 0; place < all; ++place) {
      if (found[place] != kNone) continue;
      std::vector<std::size_t> order;  // places of columns in the component
      for (const std::size_t b : broken[place]) {
        for (const Clause& clause : inside_.blocks[b].clauses) {
          for (const std::size_t column : by_aim(rules_[clause.rule])) {
            const auto at =
                std::lower_bound(component.columns.begin(), component.columns.end(), column);
            if (at == component.columns.end() || *at != column) continue;
            const auto i = static_cast<std::size_t>(at - component.columns.begin());
            if (std::find(order.begin(), order.end(), i) == order.end()) order.push_back(i);
          }
        }
      }
      found[place] = one_or_two_changes(component, each[place], place, order, changed);
    }
    // What needs more changes goes to the nearest combination, by changes of single columns.
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
  std::uint32_t one_or_two_changes(const Component& component,
                                   const std::vector<std::uint32_t>& from, std::size_t place,
                                   const std::vector<std::size_t>& order,
                                   const Changed& changed) const {
    const auto to_classes = [&](std::size_t i) {
      return by_nearness(component.columns[i], from[i]);
    };
    for (const std::size_t i : order) {
      for (const std::uint32_t to : to_classes(i)) {
        const std::size_t next = changed(place, i, to);
        if (component.target[next] == next) return static_cast<std::uint32_t>(next);
      }
    }
    for (std::size_t a = 0; a < order.size(); ++a) {
      for (std::size_t b = a + 1; b < order.size(); ++b) {
        for (const std::uint32_t one : to_classes(order[a])) {
          for (const std::uint32_t other : to_classes(order[b])) {
            const std::size_t half = changed(place, order[a], one);
            const std::size_t next = changed(half, order[b], other);
            if (component.target[next] == next) return static_cast<std::uint32_t>(next);
          }
        }
      }
    }
    return ~std::uint32_t{0};
  }

  struct Contradiction {};

  bool leave_records(std::span<const std::size_t> numbers) const {
    std::vector<Rule> some;
    for (const Rule& rule : rules_) {
      if (rule.following) some.push_back(rule);
    }
    for (const std::size_t number : numbers) some.push_back(rules_[number]);
    PossibleRecords::Inside inside;
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
  [[noreturn]] void refuse_contradiction(const Component& component) const {
    if (is_probe_) throw Contradiction();
    std::set<std::size_t> all;
    for (const std::size_t b : component.blocks) {
      for (const Clause& clause : inside_.blocks[b].clauses) all.insert(clause.rule);
    }
    const std::vector<std::size_t> numbers(all.begin(), all.end());
    std::size_t count = 1;
    while (count < numbers.size() && leave_records(std::span(numbers).first(count))) ++count;
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

  /// Every column must keep a value that is no null.
  void require_values(const Component& component,
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
                   "rule \"{}\" and those that share its columns leave column \"{}\" no value but "
                   "null",
                   rules_[rule].name, columns_[column].name());
    }
  }

  std::span<const Column> columns_;
  const std::vector<Rule>& rules_;
  PossibleRecords::Inside& inside_;
  std::vector<Clause> clauses_;
  bool is_probe_ = false;
};

}  // namespace

PossibleRecords::PossibleRecords(std::span<const Column> columns,
                                 std::span<const RuleDeclaration> declared) {
  for (const RuleDeclaration& one : declared) {
    try {
      rules_.push_back(read_rule(one, columns));
    } catch (const InvalidInput& error) {
      if (one.line == 0) throw;
      Concern place;
      place.line = one.line;
      throw InvalidInput(error, error.what(), place);
    }
  }
  for (std::size_t i = 0; i < rules_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      refuse_if(rules_[i].name == rules_[j].name, "duplicate-value", Concern("rules"),
                "rules must have distinct names, but two are called \"{}\"", rules_[i].name);
    }
  }
  auto inside = std::make_unique<Inside>();
  Builder(columns, rules_, *inside).build();
  inside_ = std::move(inside);
}

PossibleRecords::~PossibleRecords() = default;

// -----------------------------------------------------------------------------------------------
// Records of cells.

namespace {

using Inside = PossibleRecords::Inside;

/// Whether a choice of a block's comparisons can hold for these cells.
bool can_hold(const Inside& inside, const Block& block, std::span<const std::uint32_t> digits) {
  const auto& choices = block.choices[inside.combination(block.columns, digits)];
  bool any = false;
  for (const auto& way : choices) {
    std::vector<Reach> reaches =
        Inside::reaches(block, [&](std::size_t column) { return digits.subspan(column, 1); });
    any = block.system.settle(way, reaches) || any;
  }
  return any;
}

/// The nearest of ascending cells.
std::uint32_t nearest(const std::vector<std::uint32_t>& cells, std::uint32_t to) {
  const auto after = std::lower_bound(cells.begin(), cells.end(), to);
  if (after == cells.begin()) return *after;
  if (after == cells.end()) return *(after - 1);
  return *after - to < to - *(after - 1) ? *after : *(after - 1);
}

/// Where the place lies.
std::uint32_t cell_at(const Reach& reach, double place) {
  return *std::partition_point(reach.cells.begin(), reach.cells.end(),
                               [&](std::uint32_t one) { return reach.axis->last(one) < place; });
}

/// Moves the compared columns' cells to the nearest ones that are possible together, column by
/// column, those that rules are about last.
void move_to_possible(const Inside& inside, const Block& block, std::span<std::uint32_t> digits) {
  const auto& way = block.choices[inside.combination(block.columns, digits)].front();
  std::vector<Reach> reaches =
      Inside::reaches(block, [&](std::size_t column) -> std::span<const std::uint32_t> {
        return inside.lists[column][inside.classes[column][digits[column]]];
      });
  block.system.settle(way, reaches);  // as was found when the choices were
  for (auto aim = block.aims.rbegin(); aim != block.aims.rend(); ++aim) {
    const std::uint32_t cell = digits[*aim];
    if (cell >= inside.columns[*aim].cell_count()) continue;
    const auto i = static_cast<std::size_t>(
        std::lower_bound(block.compared.begin(), block.compared.end(), *aim) -
        block.compared.begin());
    const std::vector<Reach> before = reaches;
    const auto take = [&](std::uint32_t one) {
      reaches = before;
      digits[*aim] = one;
      return reaches[i].raise(reaches[i].axis->first(one)) &&
             reaches[i].lower(reaches[i].axis->last(one)) && block.system.settle(way, reaches);
    };
    if (take(cell)) continue;
    const Axis& axis = *before[i].axis;
    const bool is_below = axis.last(cell) < before[i].low;
    if (take(cell_at(before[i], is_below ? before[i].low : before[i].high))) continue;
    if (take(cell_at(before[i], before[i].low))) continue;
    // The lower ends are a solution.
    reaches = before;
    for (Reach& reach : reaches) reach.high = reach.low;
    digits[*aim] = cell_at(before[i], before[i].low);
  }
}

/// The cells of nulls of these columns.
void set_null(const Inside& inside, std::size_t column, std::span<std::uint32_t> digits) {
  digits[column] = inside.columns[column].size() - 1;
}

bool can_be_null(const Inside& inside, std::size_t column) {
  return inside.columns[column].mapping().null_is_category;
}

/// Whether the classes of a component's columns can occur together.
bool is_possible(const Inside& inside, const Component& component,
                 std::span<const std::uint32_t> digits) {
  const std::size_t place = inside.combination(component.columns, digits);
  return component.target[place] == place;
}

/// A possible record for one whose classes are possible: with nulls where these help, otherwise
/// with moved cells. All of them are tried for every record, so that time tells none apart.
void settle_block(const Inside& inside, const Block& block, std::span<std::uint32_t> digits) {
  bool done = can_hold(inside, block, digits);
  std::vector<std::uint32_t> tried(digits.begin(), digits.end());
  std::vector<std::uint32_t> all(digits.begin(), digits.end());
  std::vector<std::uint32_t> best(digits.begin(), digits.end());
  const Component& component = inside.components[block.component];
  const auto offer = [&](const std::vector<std::uint32_t>& made) {
    const bool holds = is_possible(inside, component, made) && can_hold(inside, block, made);
    if (!done && holds) best = made;
    done = done || holds;
  };
  for (const std::size_t aim : block.aims) {
    if (!can_be_null(inside, aim)) continue;
    tried.assign(digits.begin(), digits.end());
    set_null(inside, aim, tried);
    offer(tried);
  }
  for (const std::size_t aim : block.aims) {
    if (!can_be_null(inside, aim)) continue;
    set_null(inside, aim, all);
    offer(all);
  }
  tried.assign(digits.begin(), digits.end());
  move_to_possible(inside, block, tried);
  if (!done) best = tried;
  std::copy(best.begin(), best.end(), digits.begin());
}

void set_followers(const Inside& inside, std::span<std::uint32_t> digits) {
  for (const std::size_t column : inside.following_order) {
    const Following& following = *inside.follows[column];
    digits[column] = following.map[digits[following.from]];
  }
}

}  // namespace

bool PossibleRecords::has(std::span<const std::uint32_t> digits) const noexcept {
  for (const std::size_t column : inside_->following_order) {
    const Following& following = *inside_->follows[column];
    if (digits[column] != following.map[digits[following.from]]) return false;
  }
  for (const Component& component : inside_->components) {
    if (!is_possible(*inside_, component, digits)) return false;
  }
  return std::all_of(inside_->blocks.begin(), inside_->blocks.end(), [&](const Block& block) {
    return block.compared.empty() || can_hold(*inside_, block, digits);
  });
}

void PossibleRecords::map(std::span<std::uint32_t> digits) const noexcept {
  for (const Component& component : inside_->components) {
    std::size_t target = component.target[inside_->combination(component.columns, digits)];
    for (std::size_t i = component.columns.size(); i-- > 0;) {
      const std::size_t column = component.columns[i];
      const std::size_t count = inside_->class_count(column);
      digits[column] = nearest(inside_->lists[column][target % count], digits[column]);
      target /= count;
    }
  }
  for (const Block& block : inside_->blocks) {
    if (!block.compared.empty()) settle_block(*inside_, block, digits);
  }
  set_followers(*inside_, digits);
}

std::span<const std::uint32_t> PossibleRecords::classes(std::size_t column) const noexcept {
  return inside_->classes[column];
}
bool PossibleRecords::follows(std::size_t column) const noexcept {
  return inside_->follows[column].has_value();
}
std::size_t PossibleRecords::source_of(std::size_t column) const noexcept {
  return inside_->follows[column]->from;
}
std::uint32_t PossibleRecords::following_cell(std::size_t column,
                                              std::uint32_t cell) const noexcept {
  return inside_->follows[column]->map[cell];
}
bool PossibleRecords::is_compared(std::size_t column) const noexcept {
  return inside_->is_compared[column];
}

// -----------------------------------------------------------------------------------------------
// Groups of cells, and records made of them.

std::vector<std::vector<std::size_t>> PossibleRecords::table_columns() const {
  std::vector<std::vector<std::size_t>> all;
  for (const Block& block : inside_->blocks) all.push_back(block.columns);
  return all;
}

std::vector<PossibleRecords::Table> PossibleRecords::tables(const CellLists& groups) const {
  std::vector<Table> made;
  std::vector<std::uint32_t> digits(inside_->columns.size());
  for (const Block& block : inside_->blocks) {
    Table& table = made.emplace_back(Table{block.columns, {}});
    std::size_t all = 1;
    for (const std::size_t column : block.columns) all *= groups[column].size();
    std::vector<std::size_t> group(inside_->columns.size());
    for (std::size_t place = 0; place < all; ++place) {
      std::size_t left = place;
      bool is_empty = false;
      for (std::size_t i = block.columns.size(); i-- > 0;) {
        const std::size_t column = block.columns[i];
        group[column] = left % groups[column].size();
        left /= groups[column].size();
        const auto& cells = groups[column][group[column]];
        is_empty = is_empty || cells.empty();
        if (!cells.empty()) digits[column] = cells.front();
      }
      if (is_empty) {
        table.possible.push_back(0);
        continue;
      }
      bool any = false;
      for (const auto& way : block.choices[inside_->combination(block.columns, digits)]) {
        if (any) break;
        std::vector<Reach> reaches =
            Inside::reaches(block, [&](std::size_t column) -> std::span<const std::uint32_t> {
              return groups[column][group[column]];
            });
        any = block.system.settle(way, reaches);
      }
      table.possible.push_back(any ? 1 : 0);
    }
  }
  return made;
}

namespace {

/// A uniform number of [0, 1).
double uniform_of(const UniformIntegers& random) {
  return static_cast<double>(random.below(std::uint64_t{1} << 53U)) * 0x1p-53;
}

struct Chosen {
  std::uint32_t cell;
  std::uint64_t point;
};

/// A value between the ends: a cell by the weights of its values there, and one of these evenly.
Chosen choose_value(const Reach& reach, std::span<const double> sums,
                    const UniformIntegers& random) {
  const Axis& axis = *reach.axis;
  const auto index = [&](const auto& found) {
    return static_cast<std::size_t>(found - reach.cells.begin());
  };
  const std::size_t first =
      index(std::partition_point(reach.cells.begin(), reach.cells.end(),
                                 [&](std::uint32_t one) { return axis.last(one) < reach.low; }));
  const std::size_t last = index(std::partition_point(
                               reach.cells.begin(), reach.cells.end(),
                               [&](std::uint32_t one) { return axis.first(one) <= reach.high; })) -
                           1;
  const auto points = [&](std::size_t i) {
    const std::uint32_t cell = reach.cells[i];
    const std::uint64_t begin = i == first ? axis.point_from(cell, reach.low) : 0;
    const std::uint64_t end = i == last
                                  ? axis.point_from(cell, std::nextafter(reach.high, kInfinity))
                                  : axis.column->points(cell);
    return std::pair(begin, end);
  };
  const auto weight = [&](std::size_t i) {
    const auto [begin, end] = points(i);
    const double whole = sums[i] - (i == 0 ? 0 : sums[i - 1]);
    return whole * static_cast<double>(end - begin) /
           static_cast<double>(axis.column->points(reach.cells[i]));
  };
  std::size_t at = first;
  if (first < last) {
    const double of_first = weight(first), of_last = weight(last);
    const double between = sums[last - 1] - sums[first];
    const double place = uniform_of(random) * (of_first + between + of_last);
    if (place < of_first) {
      at = first;
    } else if (place >= of_first + between) {
      at = last;
    } else {
      const auto found = std::upper_bound(sums.begin() + static_cast<std::ptrdiff_t>(first),
                                          sums.begin() + static_cast<std::ptrdiff_t>(last) - 1,
                                          sums[first] + (place - of_first));
      at = static_cast<std::size_t>(found - sums.begin());
    }
  }
  const auto [begin, end] = points(at);
  // Between the ends there may be cells without a value, at an end there is one.
  const std::uint64_t count = end - begin;
  return {reach.cells[at], count <= 1 ? begin : begin + random.below(count)};
}

}  // namespace

void PossibleRecords::draw_points(std::span<const std::uint32_t> digits, UniformIntegers random,
                                  std::span<std::uint64_t> points) const {
  static constexpr double kWhole = 1;
  std::vector<Candidates> candidates;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    candidates.push_back({digits.subspan(i, 1), {&kWhole, 1}});
  }
  std::vector<std::uint32_t> same(digits.begin(), digits.end());
  fill(candidates, random, same, points);
}

void PossibleRecords::fill(std::span<const Candidates> candidates, UniformIntegers random,
                           std::span<std::uint32_t> digits, std::span<std::uint64_t> points) const {
  for (std::size_t column = 0; column < digits.size(); ++column) {
    if (is_compared(column)) digits[column] = candidates[column].cells.front();
  }
  for (const Block& block : inside_->blocks) {
    if (block.compared.empty()) continue;
    const auto all = [&] {
      return Inside::reaches(block, [&](std::size_t column) { return candidates[column].cells; });
    };
    std::vector<std::vector<Reach>> possible;
    std::vector<const std::vector<std::uint32_t>*> ways;
    for (const auto& way : block.choices[inside_->combination(block.columns, digits)]) {
      std::vector<Reach> reaches = all();
      if (!block.system.settle(way, reaches)) continue;
      possible.push_back(std::move(reaches));
      ways.push_back(&way);
    }
    const std::size_t which = ways.size() == 1 ? 0 : random.below(ways.size());
    std::vector<Reach>& reaches = possible[which];
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      const std::size_t column = block.compared[i];
      points[column] = 0;
      if (digits[column] >= inside_->columns[column].cell_count()) continue;
      const std::vector<Reach> before = reaches;
      const Chosen chosen = choose_value(reaches[i], candidates[column].sums, random);
      digits[column] = chosen.cell;
      points[column] = chosen.point;
      reaches[i].low = reaches[i].high = reaches[i].axis->place(chosen.cell, chosen.point);
      if (block.system.settle(*ways[which], reaches)) continue;
      // The lower ends are a solution.
      reaches = before;
      for (Reach& reach : reaches) reach.high = reach.low;
      digits[column] = cell_at(reaches[i], reaches[i].low);
      points[column] = reaches[i].axis->point_from(digits[column], reaches[i].low);
    }
  }
  set_followers(*inside_, digits);
}

}  // namespace mollify
