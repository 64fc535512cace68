// From the formulas of rules to clauses about cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "domain/comparisons.h"
#include "domain/rules.h"

namespace mollify {

enum class CellAnswer : std::uint8_t { kNo, kYes, kMaybe };

/// About one column's cells, or a comparison, or both: where the table says maybe, the comparison
/// decides.
struct Literal {
  std::size_t column = 0;
  std::vector<CellAnswer> table{};
  std::optional<SumComparison> comparison{};
};

struct Clause {
  std::size_t rule;
  std::vector<Literal> literals;

  bool is_compared() const {
    return std::any_of(literals.begin(), literals.end(),
                       [](const Literal& one) { return one.comparison.has_value(); });
  }
};

/// A column's digit of a value of another column that it follows from.
struct FollowingDigits {
  std::size_t from;
  std::vector<std::uint32_t> map;
};

/// The clauses of a rule that is a formula, each with the rule's number. A literal about a column that
/// follows is one about the column that it follows from. Throws InvalidInput, naming the rule, for
/// more than PossibleRecords::kMostClauses.
[[nodiscard]] std::vector<Clause> clauses_of(
    const DomainRule& rule, std::size_t number, std::span<const Column> columns,
    const std::vector<std::optional<FollowingDigits>>& follows);

}  // namespace mollify
