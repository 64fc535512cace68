// Which records can occur under a domain's rules, cell by cell, and values under rules inside cells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "domain/domain.h"
#include "domain/rules.h"
#include "domain/shapes.h"

namespace mollify {

struct Combinations;

/// Of each column the cells of its groups, ascending; of columns that no rule names nothing need be
/// said.
using CellLists = std::vector<std::vector<std::vector<std::uint32_t>>>;

/// A record of cells under rules: which can occur, to which record others are mapped, and which
/// values the cells are written as.
///
/// A rule's formula is a conjunction of clauses, each a disjunction of literals. A literal about one
/// column says of each cell yes, no or maybe; a comparison of columns says yes where one of them has
/// no number, and maybe otherwise. A class of a column's cells has the same answers everywhere. So
/// all combinations of classes can be listed, and each is left with comparisons that must hold
/// between numbers. Whether these can hold for the numbers of some cells is found by narrowing
/// intervals.
///
/// Theorem. Let each comparison say x + c <= y or x + c < y, up to months of the calendar. Narrow the
/// lower ends, each to the least value of its set that the others' lower ends allow, until none
/// moves. Then there is a solution if and only if every set still has its lower end, and the lower
/// ends are one. Proof. No solution lies below the lower ends at any time, by induction; at the end
/// they satisfy each comparison. QED So a drawn value that leaves no room is replaced by its lower
/// end. Sums of three and more columns are found so, too, if no two comparisons share two columns
/// and they form no circle, and equal sums if their columns also lie on one grid without gaps
/// (intervals of integers, whose sums are intervals); others are refused.
///
/// Public and immutable. Every public function is total where it says so and takes time in the
/// number of rules alone.
class PossibleRecords {
 public:
  /// Combinations of classes of the columns that rules join, at most.
  static constexpr std::size_t kMostCombinations = std::size_t{1} << 16;
  static constexpr std::size_t kMostClauses = 4096;
  /// Ways in which the alternatives of a combination's clauses can be chosen, at most.
  static constexpr std::size_t kMostChoices = 256;
  static constexpr int kMostProposals = 64;

  /// Throws InvalidInput, naming the rule, for rules that contradict one another, that every record
  /// keeps anyway, that leave a column nothing but null, and that pass a limit above.
  PossibleRecords(std::span<const Column> columns, std::span<const RuleDeclaration> declared);
  ~PossibleRecords();
  PossibleRecords(const PossibleRecords&) = delete;
  PossibleRecords& operator=(const PossibleRecords&) = delete;

  [[nodiscard]] const std::vector<DomainRule>& rules() const noexcept { return rules_; }

  /// Whether values of these cells keep all rules.
  [[nodiscard]] bool has(std::span<const std::uint32_t> digits) const noexcept;

  /// The possible record in place of a record: itself, if it is one. Otherwise the columns of the
  /// broken rules change, and few of them: to null where that helps, otherwise to the nearest
  /// cell. Where a null must become a value, another column of the rule changes instead, if a null
  /// or another word of it helps; otherwise the null becomes a cell in the middle, or the first
  /// word, because an end would move a mean far. Total. All changes are tried for every record, so that time hardly depends on whether it
  /// breaks a rule; only the number of rounds of narrowing does.
  void map(std::span<std::uint32_t> digits) const noexcept;

  /// The class of each cell; empty for a column that no rule names.
  [[nodiscard]] std::span<const std::uint32_t> classes(std::size_t column) const noexcept;
  /// True for a column whose value follows from another's by a map.
  [[nodiscard]] bool follows(std::size_t column) const noexcept;
  /// The column that it follows from, and its cell for one of that column's.
  [[nodiscard]] std::size_t source_of(std::size_t column) const noexcept;
  [[nodiscard]] std::uint32_t following_cell(std::size_t column, std::uint32_t cell) const noexcept;
  /// True for a column whose values inside a cell are drawn under rules.
  [[nodiscard]] bool is_compared(std::size_t column) const noexcept;

  /// Which groups of some columns can occur together: 1, or 0, row-major.
  struct Table {
    std::vector<std::size_t> columns;  ///< ascending, and none that follows
    std::vector<std::uint8_t> possible;
  };
  /// One for each clause, or each set of clauses that share compared columns, if these are few. Of
  /// an order of many columns, as born <= admitted <= died, one for each set of columns that a
  /// clause names: then a few records whose groups are possible in all tables may still be
  /// impossible, and `fill` finds them. Groups of the columns named must lie in classes.
  [[nodiscard]] std::vector<Table> tables(const CellLists& groups) const;
  /// Only the columns of these tables.
  [[nodiscard]] std::vector<std::vector<std::size_t>> table_columns() const;

  /// The cells that a column may have in a record, ascending, and the sums of their weights up to
  /// each of them. Weights are positive. Values inside the column's cells follow the shapes.
  struct Candidates {
    std::span<const std::uint32_t> cells;
    std::span<const double> sums;
    std::span<const CellShape> shapes{};
  };
  /// Chooses cells and values of the compared columns of a record, which are possible together, and
  /// the cells of columns that follow from others. `candidates` has an item for each column; other
  /// columns' digits must be set before; `points` is set for compared columns and left for others.
  /// False without a choice, if no values of the candidates keep the rules. Values have the
  /// candidates' weights, each apart from the others, on condition that they keep the rules: whole
  /// proposals are taken or refused, at most kMostProposals, so that no column is pushed by the
  /// order in which they are drawn. O(proposals comparisons log(cells)).
  [[nodiscard]] bool fill(std::span<const Candidates> candidates, UniformIntegers random,
                          std::span<std::uint32_t> digits, std::span<std::uint64_t> points) const;

  /// Values of the compared columns of a record of cells, drawn under the rules. Requires a record
  /// that `has` all rules' cells; other columns' points are left.
  void draw_points(std::span<const std::uint32_t> digits, UniformIntegers random,
                   std::span<std::uint64_t> points) const;

 private:
  std::vector<DomainRule> rules_;
  std::unique_ptr<const Combinations> inside_;
};

}  // namespace mollify
