#include "domain/clauses.h"

#include <cmath>
#include <utility>
#include <variant>

#include "base/refusal.h"
#include "domain/column.h"
#include "domain/possible.h"

namespace mollify {

namespace {

bool has_axis(const Column& column) { return !is_of_words(column); }

/// Makes clauses of formulas.
class ClauseMaker {
 public:
  ClauseMaker(std::span<const Column> columns,
              const std::vector<std::optional<FollowingDigits>>& follows)
      : columns_(columns), follows_(follows) {}

  std::vector<Clause> clauses(const DomainRule& rule, std::size_t number) {
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
          literal.table.push_back(is != negated ? CellAnswer::kYes : CellAnswer::kNo);
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
      literal.table.push_back(allows ? CellAnswer::kYes : CellAnswer::kNo);
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

  /// `column relation value`. A value between the ends of a cell is maybe, and is compared.
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
      CellAnswer answer = first != Truth::kFalse ? CellAnswer::kYes : CellAnswer::kNo;
      if (first != last) answer = CellAnswer::kMaybe;
      // Of a value inside a cell neither end may be it.
      if (relation == Relation::kEqual && column.points(cell) > 1 && is_in(formula, cell)) {
        answer = CellAnswer::kMaybe;
      }
      any_maybe = any_maybe || answer == CellAnswer::kMaybe;
      literal.table.push_back(answer);
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

  bool is_in(const Formula& formula, std::uint32_t cell) const {
    const Column& column = columns_[formula.column];
    return column.encode(Value(std::string_view(formula.values.front()))) == cell;
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
  Disjunctions of_sums(const Formula& formula, Relation relation) {
    if (relation == Relation::kNotEqual) {
      return {{sums(formula, Relation::kLess), sums(formula, Relation::kGreater)}};
    }
    return {{sums(formula, relation)}};
  }

  void require_exact(const Column& column) const {
    constexpr double kMostExact = 0x1p53;
    const auto* const cells = std::get_if<IntegerCells>(&column.cells());
    refuse_if(cells != nullptr && (std::abs(static_cast<double>(cells->min())) > kMostExact ||
                                   std::abs(static_cast<double>(cells->max())) > kMostExact),
              "out-of-range", Concern::of_column(column.name()),
              "rule \"{}\" compares integers up to 2^53, but column \"{}\" has greater ones",
              rule_->name, column.name());
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
            rule_->name, column.name());
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
      std::vector<CellAnswer> table;
      for (const std::uint32_t digit : following->map) table.push_back(literal.table[digit]);
      literal.table = std::move(table);
      literal.column = following->from;
    }
    return literal;
  }

  std::span<const Column> columns_;
  const std::vector<std::optional<FollowingDigits>>& follows_;
  const DomainRule* rule_ = nullptr;
};

}  // namespace

std::vector<Clause> clauses_of(const DomainRule& rule, std::size_t number,
                               std::span<const Column> columns,
                               const std::vector<std::optional<FollowingDigits>>& follows) {
  return ClauseMaker(columns, follows).clauses(rule, number);
}

}  // namespace mollify
