#include "domain/clauses.h"

#include <cmath>
#include <iterator>
#include <set>
#include <utility>
#include <variant>

#include "base/refusal.h"
#include "domain/column.h"
#include "domain/possible.h"

namespace mollify {

namespace {

bool has_axis(const Column& column) { return !is_of_words(column); }

double clause_count(const RuleParts& parts) {
  if (parts.kind == RuleParts::Kind::kLiteral) return 1;
  const bool is_all = parts.kind == RuleParts::Kind::kAll;
  double count = is_all ? 0 : 1;
  for (const RuleParts& part : parts.parts) {
    count = is_all ? count + clause_count(part) : count * clause_count(part);
  }
  return count;
}

/// Makes parts of formulas.
class PartsMaker {
 public:
  PartsMaker(const DomainRule& rule, std::span<const Column> columns,
             const std::vector<std::optional<FollowingDigits>>& follows, LiteralList& literals)
      : columns_(columns), follows_(follows), rule_(rule), literals_(literals) {}

  RuleParts parts(const Formula& formula, bool negated) {
    switch (formula.kind) {
      case Formula::Kind::kNot:
        return parts(formula.parts.front(), !negated);
      case Formula::Kind::kAnd:
      case Formula::Kind::kOr: {
        const bool is_and = (formula.kind == Formula::Kind::kAnd) != negated;
        RuleParts made{.kind = is_and ? RuleParts::Kind::kAll : RuleParts::Kind::kAny};
        for (const Formula& part : formula.parts) made.parts.push_back(parts(part, negated));
        return made;
      }
      case Formula::Kind::kNull: {
        const Column& column = columns_[formula.column];
        const bool has_null = column.mapping().null_is_category;
        Literal literal{.column = formula.column};
        literal.cells.add(0, !negated ? CellAnswer::kNo : CellAnswer::kYes);
        if (has_null) {
          literal.cells.add(column.size() - 1, negated ? CellAnswer::kNo : CellAnswer::kYes);
        }
        return added(of_source(std::move(literal)));
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

 private:
  RuleParts added(Literal literal) { return {.literal = literals_.add(std::move(literal))}; }
  static RuleParts any(RuleParts one, RuleParts other) {
    RuleParts made{.kind = RuleParts::Kind::kAny};
    made.parts.push_back(std::move(one));
    made.parts.push_back(std::move(other));
    return made;
  }

  RuleParts one_of(const Formula& formula, bool negated) {
    const Column& column = columns_[formula.column];
    const bool has_several =
        has_axis(column) &&
        std::any_of(formula.values.begin(), formula.values.end(), [&](const std::string& value) {
          const std::uint32_t cell = column.encode(Value(std::string_view(value)));
          return column.points(cell) > 1;
        });
    if (!has_several) {
      Literal literal{.column = formula.column};
      const ValueTest test(formula, column, Relation::kEqual);
      for (const std::uint32_t cell : starts_of(column, test)) {
        const Truth truth = test.of(at_first(column, cell));
        const bool allows = negated ? truth != Truth::kTrue : truth != Truth::kFalse;
        literal.cells.add(cell, allows ? CellAnswer::kYes : CellAnswer::kNo);
      }
      return added(of_source(std::move(literal)));
    }
    RuleParts all{.kind = negated ? RuleParts::Kind::kAll : RuleParts::Kind::kAny};
    for (const std::string& value : formula.values) {
      const Formula one{.kind = Formula::Kind::kCompare,
                        .column = formula.column,
                        .values = {value},
                        .relation = Relation::kEqual};
      all.parts.push_back(parts(one, negated));
    }
    return all;
  }

  /// Cells from which on answers about the values may differ: the first ones of runs.
  static std::vector<std::uint32_t> starts_of(const Column& column, const ValueTest& test) {
    std::set<std::uint32_t> starts{0};
    const std::uint32_t from = has_axis(column) ? column.cell_count() : 0;
    for (std::uint32_t cell = from; cell < column.size(); ++cell) starts.insert(cell);
    for (const ValueTest::Declared& value : test.values()) {
      if (!has_axis(column)) break;
      const auto first_not = [&](const auto& is_before) {
        std::uint32_t low = 0, high = column.cell_count();
        while (low < high) {
          const std::uint32_t middle = low + (high - low) / 2;
          if (is_before(middle)) {
            low = middle + 1;
          } else {
            high = middle;
          }
        }
        return low;
      };
      const auto first = [&](std::uint32_t cell) { return axis_number(column, cell, 0); };
      const auto last = [&](std::uint32_t cell) {
        return axis_number(column, cell, column.points(cell) - 1);
      };
      starts.insert(first_not([&](std::uint32_t cell) { return last(cell) < value.number; }));
      starts.insert(first_not([&](std::uint32_t cell) { return last(cell) <= value.number; }));
      starts.insert(first_not([&](std::uint32_t cell) { return first(cell) < value.number; }));
      starts.insert(first_not([&](std::uint32_t cell) { return first(cell) <= value.number; }));
      starts.insert({value.cell, value.cell + 1});
    }
    starts.erase(starts.lower_bound(column.size()), starts.end());
    return {starts.begin(), starts.end()};
  }

  static FieldValue at_first(const Column& column, std::uint32_t cell) {
    if (cell >= column.cell_count() || !has_axis(column)) return {cell, {}};
    return {cell, axis_number(column, cell, 0)};
  }
  static FieldValue at_last(const Column& column, std::uint32_t cell) {
    if (cell >= column.cell_count() || !has_axis(column)) return {cell, {}};
    return {cell, axis_number(column, cell, column.points(cell) - 1)};
  }

  /// `column relation value`. A value between the ends of a cell is maybe, and is compared.
  RuleParts with_value(const Formula& formula, Relation relation) {
    if (relation == Relation::kNotEqual && is_inside_a_cell(formula)) {
      return any(added(part_of(formula, Relation::kLess)),
                 added(part_of(formula, Relation::kGreater)));
    }
    return added(part_of(formula, relation));
  }

  bool is_inside_a_cell(const Formula& formula) const {
    const Column& column = columns_[formula.column];
    const std::uint32_t cell = column.encode(Value(std::string_view(formula.values.front())));
    return has_axis(column) && cell < column.cell_count() && column.points(cell) > 1;
  }

  Literal part_of(const Formula& formula, Relation relation) {
    const Column& column = columns_[formula.column];
    const ValueTest test(formula, column, relation);
    Literal literal{.column = formula.column};
    bool any_maybe = false;
    for (const std::uint32_t cell : starts_of(column, test)) {
      const Truth first = test.of(at_first(column, cell));
      const Truth last = test.of(at_last(column, cell));
      CellAnswer answer = first != Truth::kFalse ? CellAnswer::kYes : CellAnswer::kNo;
      // Of a value inside a cell neither end may be it.
      const bool is_inside = relation == Relation::kEqual && column.points(cell) > 1 &&
                             test.values().front().cell == cell;
      if (first != last || is_inside) answer = CellAnswer::kMaybe;
      any_maybe = any_maybe || answer == CellAnswer::kMaybe;
      literal.cells.add(cell, answer);
    }
    if (any_maybe) {
      require_exact(column);
      RuleSum number;
      number.number = declared_number(column, formula.values.front(), relation);
      literal.comparison = comparison_of({.terms = {{formula.column}}}, relation, number, 1);
      literal.comparison->in_seconds = has_seconds(column);
    }
    return of_source(std::move(literal));
  }

  static SumComparison comparison_of(const RuleSum& left, Relation relation, const RuleSum& right,
                                     double unit_of_days) {
    const bool swapped = relation == Relation::kGreater || relation == Relation::kAtLeast;
    SumComparison made;
    made.kind = relation == Relation::kEqual ? SumComparison::Kind::kIs
                : relation == Relation::kLess || relation == Relation::kGreater
                    ? SumComparison::Kind::kBelow
                    : SumComparison::Kind::kAtMost;
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
  RuleParts of_sums(const Formula& formula, Relation relation) {
    if (relation == Relation::kNotEqual) {
      return any(added(sums(formula, Relation::kLess)), added(sums(formula, Relation::kGreater)));
    }
    return added(sums(formula, relation));
  }

  void require_exact(const Column& column) const {
    constexpr double kMostExact = 0x1p53;
    const auto* const cells = std::get_if<IntegerCells>(&column.cells());
    refuse_if(cells != nullptr && (std::abs(static_cast<double>(cells->min())) > kMostExact ||
                                   std::abs(static_cast<double>(cells->max())) > kMostExact),
              "out-of-range", Concern::of_column(column.name()),
              "rule \"{}\" compares integers up to 2^53, but column \"{}\" has greater ones",
              rule_.name, column.name());
  }

  Literal sums(const Formula& formula, Relation relation) {
    bool in_seconds = false;
    for (const RuleSum* const sum : {&formula.left, &formula.right}) {
      for (const RuleSum::Term& term : sum->terms) {
        const Column& column = columns_[term.column];
        in_seconds = in_seconds || has_seconds(column);
        refuse_if(
            follows_[term.column].has_value(), "malformed-text", Concern::of_column(column.name()),
            "rule \"{}\" compares column \"{}\", which follows from another by a map: compare "
            "the other one",
            rule_.name, column.name());
        require_exact(column);
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
      CellAnswers cells;
      for (std::uint32_t cell = 0; cell < following->map.size(); ++cell) {
        cells.add(cell, literal.cells.at(following->map[cell]));
      }
      literal.cells = std::move(cells);
      literal.column = following->from;
    }
    return literal;
  }

  std::span<const Column> columns_;
  const std::vector<std::optional<FollowingDigits>>& follows_;
  const DomainRule& rule_;
  LiteralList& literals_;
};

std::vector<std::vector<std::uint32_t>> expanded(const RuleParts& parts) {
  if (parts.kind == RuleParts::Kind::kLiteral) return {{parts.literal}};
  std::vector<std::vector<std::uint32_t>> all;
  if (parts.kind == RuleParts::Kind::kAny) all.emplace_back();
  for (const RuleParts& part : parts.parts) {
    std::vector<std::vector<std::uint32_t>> inner = expanded(part);
    if (parts.kind == RuleParts::Kind::kAll) {
      for (auto& one : inner) all.push_back(std::move(one));
      continue;
    }
    std::vector<std::vector<std::uint32_t>> product;
    for (const auto& one : all) {
      for (const auto& other : inner) {
        std::vector<std::uint32_t>& both = product.emplace_back();
        std::set_union(one.begin(), one.end(), other.begin(), other.end(),
                       std::back_inserter(both));
      }
    }
    all = std::move(product);
  }
  return all;
}

void add_mentioned(const Formula& formula, std::vector<std::size_t>& order) {
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

}  // namespace

std::vector<std::size_t> by_aim(const DomainRule& rule,
                                const std::vector<std::optional<FollowingDigits>>& follows) {
  std::vector<std::size_t> order;
  add_mentioned(rule.formula, order);
  std::reverse(order.begin(), order.end());
  std::vector<std::size_t> once;
  for (std::size_t column : order) {
    while (const auto& following = follows[column]) column = following->from;
    if (std::find(once.begin(), once.end(), column) == once.end()) once.push_back(column);
  }
  return once;
}

bool is_sum(const SumComparison& comparison) {
  const auto& terms = comparison.terms;
  return terms.size() > 2 || (terms.size() == 2 && terms[0].negative == terms[1].negative);
}

void to_seconds(SumComparison& comparison, std::span<const Column> columns,
                const DomainRule& rule) {
  const auto is_number = [&](const SumComparison::Term& term) {
    return moments_of(columns[term.column]) == nullptr;
  };
  const auto& terms = comparison.terms;
  if (std::all_of(terms.begin(), terms.end(), is_number)) return;
  for (const SumComparison::Term& term : terms) {
    refuse_if(is_number(term), "wrong-type", Concern("rules"),
              "rule \"{}\" adds numbers to days, and others compare these days with times: let "
              "the numbers be seconds, or leave one of the rules out",
              rule.name);
  }
  comparison.constant *= 86'400;
  comparison.in_seconds = true;
}

void to_grid(SumComparison& comparison, double grid, const DomainRule& rule) {
  const double steps = comparison.constant / grid;
  const double whole = std::round(steps);
  if (std::abs(steps - whole) < 1e-6) {
    comparison.constant = whole;
    return;
  }
  refuse_if(comparison.kind == SumComparison::Kind::kIs, "contradictory-rules", Concern("rules"),
            "rule \"{}\" can never hold: all its columns are multiples of {}", rule.name, grid);
  // m + steps <= 0 for integers m is m + ceil(steps) <= 0, and so is m + steps < 0.
  comparison.constant = std::ceil(steps);
  comparison.kind = SumComparison::Kind::kAtMost;
}

double step_of(const Column& column, bool in_seconds) {
  if (const auto* const cells = std::get_if<DateCells>(&column.cells())) {
    const bool plain =
        cells->declared().values.empty() && !cells->declared().format && !cells->declared().step;
    return plain && has_seconds(column) == in_seconds ? 1 : 0;
  }
  if (const auto* const integers = std::get_if<IntegerCells>(&column.cells())) {
    const auto& declared = integers->declared();
    return declared.values.empty() ? static_cast<double>(declared.step.value_or(1)) : 0;
  }
  const auto& declared = std::get<NumberCells>(column.cells()).declared();
  return declared.values.empty() && declared.step ? *declared.step : 0;
}

RuleParts parts_of(const DomainRule& rule, std::span<const Column> columns,
                   const std::vector<std::optional<FollowingDigits>>& follows,
                   LiteralList& literals) {
  RuleParts made = PartsMaker(rule, columns, follows, literals).parts(rule.formula, false);
  refuse_if(clause_count(made) > static_cast<double>(PossibleRecords::kMostClauses),
            "too-much-work", Concern("rules"),
            "rule \"{}\" must come to at most {} clauses, but has more: split it", rule.name,
            PossibleRecords::kMostClauses);
  return made;
}

std::vector<Clause> clauses_of(const RuleParts& parts, std::size_t number) {
  std::set<std::vector<std::uint32_t>> known;
  std::vector<Clause> made;
  for (std::vector<std::uint32_t>& literals : expanded(parts)) {
    if (known.insert(literals).second) made.push_back({number, std::move(literals)});
  }
  return made;
}

}  // namespace mollify
