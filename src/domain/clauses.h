// From the formulas of rules to clauses about cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "domain/comparisons.h"
#include "domain/rules.h"

namespace mollify {

enum class CellAnswer : std::uint8_t { kNo, kYes, kMaybe };

/// Answers of a column's cells, in runs: a column may have millions of cells, and a rule tells few
/// of them apart.
struct CellAnswers {
  std::vector<std::uint32_t> starts{};  ///< ascending, the first 0; empty: no answers
  std::vector<CellAnswer> answers{};    ///< of each run

  CellAnswer at(std::uint32_t cell) const {
    const auto after = std::upper_bound(starts.begin(), starts.end(), cell);
    return answers[static_cast<std::size_t>(after - starts.begin()) - 1];
  }
  /// The answer of cells from `start` on. Requires ascending starts.
  void add(std::uint32_t start, CellAnswer answer) {
    if (!answers.empty() && answers.back() == answer) return;
    starts.push_back(start);
    answers.push_back(answer);
  }

  friend auto operator<=>(const CellAnswers&, const CellAnswers&) = default;
};

/// About one column's cells, or a comparison, or both: where the cells say maybe, the comparison
/// decides.
struct Literal {
  std::size_t column = 0;
  CellAnswers cells{};
  std::optional<SumComparison> comparison{};

  bool has_cells() const { return !cells.starts.empty(); }

  friend auto operator<=>(const Literal&, const Literal&) = default;
};

/// Distinct literals, named by their places.
struct LiteralList {
  std::vector<Literal> all;

  std::uint32_t add(Literal literal) {
    const auto place = static_cast<std::uint32_t>(all.size());
    const auto [found, is_new] = known.emplace(std::move(literal), place);
    if (is_new) all.push_back(found->first);
    return found->second;
  }

 private:
  std::map<Literal, std::uint32_t> known;
};

/// A rule's formula without `not`: a literal, or all or any of some parts.
struct RuleParts {
  enum class Kind : std::uint8_t { kLiteral, kAll, kAny };
  Kind kind = Kind::kLiteral;
  std::uint32_t literal = 0;  ///< of a list
  std::vector<RuleParts> parts{};
};

/// A rule holds if of each of its clauses a literal does.
struct Clause {
  std::size_t rule;
  std::vector<std::uint32_t> literals;  ///< of a list, ascending
};

/// A column's digit of a value of another column that it follows from.
struct FollowingDigits {
  std::size_t from;
  std::vector<std::uint32_t> map;
};

/// The parts of a rule that is a formula; their literals are added to the list. A
/// literal about a column that follows is one about the column that it follows from. Throws
/// InvalidInput, naming the rule, if it has more than PossibleRecords::kMostClauses clauses.
[[nodiscard]] RuleParts parts_of(const DomainRule& rule, std::span<const Column> columns,
                                 const std::vector<std::optional<FollowingDigits>>& follows,
                                 LiteralList& literals);

/// A rule's columns, its subject first: the columns after `then`, or left of a comparison.
[[nodiscard]] std::vector<std::size_t> by_aim(
    const DomainRule& rule, const std::vector<std::optional<FollowingDigits>>& follows);

/// A comparison that is not x + c <= y.
[[nodiscard]] bool is_sum(const SumComparison& comparison);
/// Throws InvalidInput, naming the rule, if numbers are added to days.
void to_seconds(SumComparison& comparison, std::span<const Column> columns, const DomainRule& rule);
/// Throws InvalidInput, naming the rule, if multiples of the grid never keep it.
void to_grid(SumComparison& comparison, double grid, const DomainRule& rule);
/// The distance of a column's neighbouring values, if no value between is missing; otherwise 0.
[[nodiscard]] double step_of(const Column& column, bool in_seconds);

/// Distinct clauses of these parts, each with the rule's number. Takes memory for all of them.
[[nodiscard]] std::vector<Clause> clauses_of(const RuleParts& parts, std::size_t number);

}  // namespace mollify
