// Rules between the columns of a record: their text, and their truth for the values of a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/same_value.h"

namespace mollify {

class Column;
class DateCells;

// -----------------------------------------------------------------------------------------------
// Formulas in three-valued logic.

/// A comparison with a null is unknown [Kleene 1952], and a rule is broken only if it is false.
enum class Truth : std::uint8_t { kFalse, kUnknown, kTrue };

enum class Relation : std::uint8_t { kEqual, kNotEqual, kLess, kAtMost, kGreater, kAtLeast };

/// True exactly where the relation is false.
[[nodiscard]] Relation opposite(Relation relation) noexcept;
/// The relation of `b` with `a` for one of `a` with `b`.
[[nodiscard]] Relation mirrored(Relation relation) noexcept;
/// "<=", as mollify and R write it.
[[nodiscard]] std::string_view sign_of(Relation relation);

/// A sum of columns of numbers, or one day or time that is moved.
struct RuleSum {
  struct Term {
    std::size_t column;
    bool negative = false;

    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  double number = 0;        ///< of days in a sum with a day, of seconds in one with a time
  std::int64_t months = 0;  ///< of the calendar, before the number
  double days = 0;
  double seconds = 0;

  friend bool operator==(const RuleSum&, const RuleSum&) = default;
};

/// A rule, or a part of one.
struct Formula {
  enum class Kind : std::uint8_t {
    kNull,     ///< the column is null
    kOneOf,    ///< the column has one of the values
    kCompare,  ///< the column is so related to the value
    kSums,     ///< the sums are so related
    kNot,
    kAnd,
    kOr,
  };
  Kind kind = Kind::kAnd;
  std::size_t column = 0;
  std::vector<std::string> values{};
  Relation relation = Relation::kEqual;
  RuleSum left{}, right{};
  std::vector<Formula> parts{};

  friend bool operator==(const Formula&, const Formula&) = default;
};

/// A column whose value follows from another's.
struct FollowingColumn {
  std::size_t column;  ///< follows
  std::size_t from;
  /// The value of `column` for each value of `from`; empty: null.
  std::vector<std::pair<std::string, std::string>> map;

  friend bool operator==(const FollowingColumn&, const FollowingColumn&) = default;
};

/// How a rule is declared: as a text, or as a map. Public.
struct RuleDeclaration {
  std::string name{};  ///< empty: its text names it
  std::string text{};  ///< "if age < 15 then income is null"; empty for a map
  std::string column{}, from{};
  std::vector<std::pair<std::string, std::string>> map{};
  std::uint32_t line = 0;  ///< of the domain's file; 0: none

  friend bool operator==(const RuleDeclaration&, const RuleDeclaration&) = default;
};

/// A rule of a domain, read.
struct DomainRule {
  RuleDeclaration declared;
  std::string name;                            ///< as messages call it
  Formula formula{};                           ///< of a text
  std::optional<FollowingColumn> following{};  ///< of a map

  /// The columns that it names, ascending.
  [[nodiscard]] std::vector<std::size_t> columns() const;
};

/// Throws InvalidInput, naming the rule, for a malformed text, unknown columns and values, and comparisons without a meaning.
///
/// A formula is made of
///   `age is null`, `age is not null`, `sex == "f"`, `state in [a, b]`, `not in`,
///   `age < 15`, with `==`, `!=`, `<`, `<=`, `>`, `>=`, between a column or a sum (`rent + fees`,
///   `birth + 16 years`) and another or a value, and the name of a boolean column,
/// joined by `not`, `and`, `or` and parentheses; `if a then b else c`, `a unless b` and
/// `a exactly when b` join two. The spelling of R is read as well: `!`, `&`, `|`, `is.na(age)`,
/// `%in% c("a", "b")`, `if (a) b`. Backticks enclose column names with other signs than letters, digits, dots and lines; quotes enclose values of more than a word. A word that names no column is a value. `months` and `years` move a day along the calendar, the last day of a month to the last
/// day of a shorter one.
[[nodiscard]] DomainRule read_rule(const RuleDeclaration& declared,
                                   std::span<const Column> columns);

/// The rule's formula in one spelling; two formulas of the same text are equal.
[[nodiscard]] std::string formula_text(const Formula& formula, std::span<const Column> columns);

/// A line with all that the rule says, the same for rules that say the same in the same words: for a
/// domain's hash.
[[nodiscard]] std::string rule_text(const DomainRule& rule, std::span<const Column> columns);

/// The rule in the language R, for its package validate: expressions that must all hold. Nothing for
/// months of the calendar, and for times, because R's clocks differ. `read_rule` reads the expressions
/// as rules that the same records break.
[[nodiscard]] std::vector<std::string> rule_in_r(const DomainRule& rule,
                                                 std::span<const Column> columns);

// -----------------------------------------------------------------------------------------------
// Values as numbers, and records under rules.

/// True for categories, ordinals and booleans.
[[nodiscard]] bool is_of_words(const Column& column);
/// The cells of days or times; nullptr for other columns.
[[nodiscard]] const DateCells* moments_of(const Column& column);
/// True for times.
[[nodiscard]] bool has_seconds(const Column& column);

/// The place of the point-th value of a cell on its column's axis: a number, a day, a second of the
/// column's clock. Requires a cell of an ordered column that is not of words.
[[nodiscard]] double axis_number(const Column& column, std::uint32_t cell, std::uint64_t point);

/// The place of a day or second, moved by months of the calendar.
[[nodiscard]] double moved_by_months(double place, std::int64_t months, bool in_days);

/// The value of a record's field: the cell that it is mapped to, and its place on the axis; none for
/// nulls, missing codes and words.
struct FieldValue {
  std::uint32_t outcome = 0;
  std::optional<double> number{};
};
[[nodiscard]] FieldValue field_value(const Column& column, const Value& value);

/// Whether the value is one that a release writes: a word, a missing code, a null where the column
/// has a cell for nulls, or a point of a cell. O(log(points)).
[[nodiscard]] bool is_written(const Column& column, const Value& value);

/// The truth of the rule for a record. Requires a value for each column.
[[nodiscard]] Truth truth_of(const DomainRule& rule, std::span<const Column> columns,
                             std::span<const FieldValue> record);

/// The number that a rule's value is on the column's axis. A day among times is its last second
/// where the relation means all of the day.
[[nodiscard]] double declared_number(const Column& column, const std::string& text,
                                     Relation relation);

/// A formula about one column and values alone, read once for many of the column's values.
class ValueTest {
 public:
  struct Declared {
    std::uint32_t cell;
    bool is_code;  ///< a missing code
    double number;
  };

  /// Requires kNull, kOneOf or kCompare.
  ValueTest(const Formula& formula, const Column& column, Relation relation);

  [[nodiscard]] const std::vector<Declared>& values() const noexcept { return values_; }
  [[nodiscard]] Truth of(const FieldValue& value) const;

 private:
  const Column& column_;
  Relation relation_;
  bool asks_for_null_;
  std::vector<Declared> values_;
};

}  // namespace mollify
