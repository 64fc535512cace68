#include "domain/rules.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <variant>

#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Formulas in three-valued logic.

Relation opposite(Relation relation) noexcept {
  switch (relation) {
    case Relation::kEqual:
      return Relation::kNotEqual;
    case Relation::kNotEqual:
      return Relation::kEqual;
    case Relation::kLess:
      return Relation::kAtLeast;
    case Relation::kAtMost:
      return Relation::kGreater;
    case Relation::kGreater:
      return Relation::kAtMost;
    case Relation::kAtLeast:
      return Relation::kLess;
  }
  return relation;
}

Relation mirrored(Relation relation) noexcept {
  switch (relation) {
    case Relation::kLess:
      return Relation::kGreater;
    case Relation::kAtMost:
      return Relation::kAtLeast;
    case Relation::kGreater:
      return Relation::kLess;
    case Relation::kAtLeast:
      return Relation::kAtMost;
    case Relation::kEqual:
    case Relation::kNotEqual:
      break;
  }
  return relation;
}

namespace {

void add_columns(const Formula& formula, std::set<std::size_t>& columns) {
  for (const Formula& part : formula.parts) add_columns(part, columns);
  if (formula.kind == Formula::Kind::kSums) {
    for (const RuleSum* const sum : {&formula.left, &formula.right}) {
      for (const RuleSum::Term& term : sum->terms) columns.insert(term.column);
    }
  } else if (formula.parts.empty()) {
    columns.insert(formula.column);
  }
}

}  // namespace

std::vector<std::size_t> DomainRule::columns() const {
  std::set<std::size_t> columns;
  if (following)
    return {std::min(following->column, following->from),
            std::max(following->column, following->from)};
  add_columns(formula, columns);
  return {columns.begin(), columns.end()};
}

// -----------------------------------------------------------------------------------------------
// Values as numbers, and records under rules.

bool is_of_words(const Column& column) {
  return !is_numeric(column.cells()) && moments_of(column) == nullptr;
}

const DateCells* moments_of(const Column& column) {
  return std::get_if<DateCells>(&column.cells());
}

bool has_seconds(const Column& column) {
  const DateCells* const cells = moments_of(column);
  return cells != nullptr && cells->declared().grain == Grain::kSecond;
}

double axis_number(const Column& column, std::uint32_t cell, std::uint64_t point) {
  if (const DateCells* const cells = moments_of(column)) {
    return static_cast<double>(cells->place_of(cells->value(cell, point)).value_or(0));
  }
  if (const auto* const integers = std::get_if<IntegerCells>(&column.cells())) {
    return static_cast<double>(integers->value(cell, point));
  }
  return std::get<NumberCells>(column.cells()).value(cell, point);
}

double moved_by_months(double place, std::int64_t months, bool in_days) {
  if (months == 0) return place;
  using namespace std::chrono;
  const double day = in_days ? place : std::floor(place / kSecondsOfDay);
  const year_month_day date(sys_days(std::chrono::days(static_cast<int>(day))));
  const year_month moved =
      date.year() / date.month() + std::chrono::months(static_cast<int>(months));
  const auto last = (moved / std::chrono::last).day();
  const double moved_day =
      static_cast<double>(sys_days(moved / std::min(date.day(), last)).time_since_epoch().count());
  return in_days ? moved_day : place + (moved_day - day) * kSecondsOfDay;
}

namespace {

/// A number, day or time of the column that a value is, whatever its bounds are.
std::optional<double> number_in(const Column& column, const Value& value) {
  if (const DateCells* const cells = moments_of(column)) {
    std::optional<std::int64_t> place;
    if (const auto* const text = std::get_if<std::string_view>(&value))
      place = cells->place_of(*text);
    if (const auto* const moment = std::get_if<Moment>(&value)) place = cells->place_of(*moment);
    return place ? std::optional<double>(static_cast<double>(*place)) : std::nullopt;
  }
  if (const auto* const number = std::get_if<double>(&value)) return *number;
  if (const auto* const integer = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*integer);
  }
  if (const auto* const truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    const auto* const numbers = std::get_if<NumberCells>(&column.cells());
    const auto* const integers = std::get_if<IntegerCells>(&column.cells());
    const double min = numbers != nullptr ? numbers->min() : static_cast<double>(integers->min());
    const double max = numbers != nullptr ? numbers->max() : static_cast<double>(integers->max());
    return read_number_of(*text, min, max);
  }
  return std::nullopt;
}

Truth compared(double a, Relation relation, double b) {
  bool is = false;
  switch (relation) {
    case Relation::kEqual:
      is = a == b;
      break;
    case Relation::kNotEqual:
      is = a != b;
      break;
    case Relation::kLess:
      is = a < b;
      break;
    case Relation::kAtMost:
      is = a <= b;
      break;
    case Relation::kGreater:
      is = a > b;
      break;
    case Relation::kAtLeast:
      is = a >= b;
      break;
  }
  return is ? Truth::kTrue : Truth::kFalse;
}

Truth negated(Truth truth) {
  return static_cast<Truth>(static_cast<int>(Truth::kTrue) - static_cast<int>(truth));
}

bool is_null(const Column& column, std::uint32_t outcome) {
  return column.mapping().null_is_category && outcome + 1 == column.size();
}

/// A sum's value on the axis of days, seconds or numbers.
std::optional<double> value_of(const RuleSum& sum, std::span<const Column> columns,
                               std::span<const FieldValue> record, bool in_seconds) {
  double all = sum.number + (in_seconds ? kSecondsOfDay : 1.0) * sum.days + sum.seconds;
  for (const RuleSum::Term& term : sum.terms) {
    const std::optional<double>& number = record[term.column].number;
    if (!number) return std::nullopt;
    const Column& column = columns[term.column];
    double place = *number;
    if (sum.months != 0) place = moved_by_months(place, sum.months, !has_seconds(column));
    if (in_seconds && moments_of(column) != nullptr && !has_seconds(column)) place *= kSecondsOfDay;
    all += term.negative ? -place : place;
  }
  return all;
}

bool is_in_seconds(const Formula& formula, std::span<const Column> columns) {
  for (const RuleSum* const sum : {&formula.left, &formula.right}) {
    for (const RuleSum::Term& term : sum->terms) {
      if (has_seconds(columns[term.column])) return true;
    }
  }
  return false;
}

Truth truth_of_sums(const Formula& formula, std::span<const Column> columns,
                    std::span<const FieldValue> record) {
  const bool in_seconds = is_in_seconds(formula, columns);
  const auto left = value_of(formula.left, columns, record, in_seconds);
  const auto right = value_of(formula.right, columns, record, in_seconds);
  if (!left || !right) return Truth::kUnknown;
  // Decimals such as .1 + .2 and .3 are equal, as in R's validate; whole numbers are exact.
  constexpr double kNearlyEqual = 1e-9;
  const bool whole = *left == std::floor(*left) && *right == std::floor(*right);
  const double most = std::max({1.0, std::abs(*left), std::abs(*right)});
  const bool is_strict = formula.relation == Relation::kLess ||
                         formula.relation == Relation::kGreater ||
                         formula.relation == Relation::kNotEqual;
  const bool equal = !is_strict && !whole && std::abs(*left - *right) <= kNearlyEqual * most;
  return compared(equal ? *right : *left, formula.relation, *right);
}

Truth truth_of(const Formula& formula, std::span<const Column> columns,
               std::span<const FieldValue> record) {
  switch (formula.kind) {
    case Formula::Kind::kNot:
      return negated(truth_of(formula.parts.front(), columns, record));
    case Formula::Kind::kAnd:
    case Formula::Kind::kOr: {
      const bool is_and = formula.kind == Formula::Kind::kAnd;
      Truth all = is_and ? Truth::kTrue : Truth::kFalse;
      for (const Formula& part : formula.parts) {
        const Truth one = truth_of(part, columns, record);
        all = is_and ? std::min(all, one) : std::max(all, one);
      }
      return all;
    }
    case Formula::Kind::kSums:
      return truth_of_sums(formula, columns, record);
    case Formula::Kind::kNull:
    case Formula::Kind::kOneOf:
    case Formula::Kind::kCompare:
      break;
  }
  const Relation relation =
      formula.kind == Formula::Kind::kOneOf ? Relation::kEqual : formula.relation;
  return ValueTest(formula, columns[formula.column], relation).of(record[formula.column]);
}

}  // namespace

double declared_number(const Column& column, const std::string& text, Relation relation) {
  const DateCells* const cells = moments_of(column);
  if (cells == nullptr) return number_in(column, Value(std::string_view(text))).value_or(0);
  const auto place = static_cast<double>(cells->place_of(text).value_or(0));
  const auto time = read_time(text);
  const bool all_day = has_seconds(column) && time && time->is_day &&
                       (relation == Relation::kAtMost || relation == Relation::kGreater);
  return all_day ? place + (kSecondsOfDay - 1) : place;
}

FieldValue field_value(const Column& column, const Value& value) {
  FieldValue made{.outcome = column.encode(value)};
  if (made.outcome >= column.cell_count() || is_of_words(column)) return made;
  const double first = axis_number(column, made.outcome, 0);
  const std::uint64_t points = column.points(made.outcome);
  if (points == 1) {
    made.number = first;
    return made;
  }
  const double last = axis_number(column, made.outcome, points - 1);
  made.number = std::clamp(number_in(column, value).value_or(first), first, last);
  return made;
}

bool is_written(const Column& column, const Value& value) {
  const Reading reading = column.read(value);
  if (reading.verdict == Verdict::kNull) {
    // A missing code that means null is written as a null.
    const auto* const text = std::get_if<std::string_view>(&value);
    const auto* const number = std::get_if<double>(&value);
    const bool is_code = text != nullptr     ? !is_null_word(*text)
                         : number != nullptr ? !std::isnan(*number)
                                             : !std::holds_alternative<std::monostate>(value);
    return column.mapping().null_is_category && !is_code;
  }
  if (reading.verdict != Verdict::kValue) return false;
  if (is_of_words(column) || reading.cell >= column.cell_count()) return true;
  const std::optional<double> number = number_in(column, value);
  if (!number) return false;
  // Points of a cell ascend.
  std::uint64_t low = 0;
  std::uint64_t high = column.points(reading.cell) - 1;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (axis_number(column, reading.cell, middle) <= *number) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return axis_number(column, reading.cell, low) == *number;
}

ValueTest::ValueTest(const Formula& formula, const Column& column, Relation relation)
    : column_(column), relation_(relation), asks_for_null_(formula.kind == Formula::Kind::kNull) {
  for (const std::string& text : formula.values) {
    const std::uint32_t cell = column.encode(Value(std::string_view(text)));
    const bool is_code = column.is_missing_code(cell);
    const bool has_number = !is_code && !is_of_words(column);
    values_.push_back({cell, is_code, has_number ? declared_number(column, text, relation) : 0});
  }
}

Truth ValueTest::of(const FieldValue& value) const {
  const bool null = is_null(column_, value.outcome);
  if (asks_for_null_) return null ? Truth::kTrue : Truth::kFalse;
  if (null) return Truth::kUnknown;
  const bool is_code = column_.is_missing_code(value.outcome);
  Truth any = Truth::kFalse;
  for (const Declared& declared : values_) {
    Truth one = Truth::kUnknown;
    if (is_code || declared.is_code) {
      // A code equals itself; every other comparison with it is unknown.
      const bool same = declared.cell == value.outcome;
      const bool is_equality = relation_ == Relation::kEqual || relation_ == Relation::kNotEqual;
      if (is_equality && (same || declared.is_code)) one = compared(same ? 0 : 1, relation_, 0);
    } else if (value.number) {
      one = compared(*value.number, relation_, declared.number);
    } else {
      one = compared(value.outcome, relation_, declared.cell);
    }
    any = std::max(any, one);
  }
  return any;
}

Truth truth_of(const DomainRule& rule, std::span<const Column> columns,
               std::span<const FieldValue> record) {
  if (!rule.following) return truth_of(rule.formula, columns, record);
  const Column& column = columns[rule.following->column];
  const Column& from = columns[rule.following->from];
  for (const auto& [key, text] : rule.following->map) {
    if (from.encode(Value(std::string_view(key))) != record[rule.following->from].outcome) continue;
    const Value value = text.empty() ? Value() : Value(std::string_view(text));
    return column.encode(value) == record[rule.following->column].outcome ? Truth::kTrue
                                                                          : Truth::kFalse;
  }
  return is_null(column, record[rule.following->column].outcome) ? Truth::kTrue : Truth::kFalse;
}

}  // namespace mollify
