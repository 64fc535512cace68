// Combinations of classes of cells: the possible ones, and the substitutes of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "domain/clauses.h"
#include "domain/comparisons.h"
#include "domain/possible.h"

namespace mollify {

/// The columns that some clauses join, and what can occur of them.
struct RuleBlock {
  std::vector<std::size_t> columns;   ///< ascending
  std::vector<std::size_t> compared;  ///< of these, the ones with a comparison, ascending
  std::vector<Clause> clauses;
  System system;                                         ///< its columns are places in `compared`
  std::map<std::uint32_t, std::uint32_t> comparison_at;  ///< of a literal, in the system
  /// Choices of comparisons under which something can occur, and of each combination of classes
  /// the place of its choices among these; none: it cannot occur.
  std::vector<std::vector<std::vector<std::uint32_t>>> all_choices;
  std::vector<std::uint32_t> choice_of;
  std::vector<std::size_t> aims;  ///< compared columns, those that rules are about first
  std::size_t component = 0;
  /// A block of many columns whose tables are those of its clauses, one for each set of columns;
  /// empty: the block has one table.
  std::vector<RuleBlock> parts;

  const std::vector<std::vector<std::uint32_t>>& choices(std::size_t combination) const {
    return all_choices[choice_of[combination]];
  }
};

/// Columns that blocks join.
struct RuleComponent {
  std::vector<std::size_t> columns;  ///< ascending
  std::vector<std::size_t> blocks;
  std::vector<std::uint32_t> target;  ///< of each combination of classes the one that it becomes
};

/// What can occur of a domain's records, for PossibleRecords.
struct Combinations {
  std::span<const Column> columns;
  std::vector<std::optional<FollowingDigits>> follows;
  std::vector<std::size_t> following_order;  ///< sources first
  std::vector<std::vector<std::uint32_t>> classes;
  CellLists lists;                            ///< of classes
  std::vector<std::vector<bool>> has_number;  ///< of classes
  std::vector<bool> is_compared;
  std::vector<RuleBlock> blocks;
  std::vector<RuleComponent> components;

  /// The blocks that have a table each.
  std::vector<const RuleBlock*> tabled() const {
    std::vector<const RuleBlock*> all;
    for (const RuleBlock& block : blocks) {
      if (block.parts.empty()) all.push_back(&block);
      for (const RuleBlock& part : block.parts) all.push_back(&part);
    }
    return all;
  }

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
  static std::vector<Reach> reaches(const RuleBlock& block, const Cells& cells_of) {
    std::vector<Reach> made;
    for (std::size_t i = 0; i < block.compared.size(); ++i) {
      made.push_back(Reach::all(block.system.axes[i], cells_of(block.compared[i])));
    }
    return made;
  }
};

/// What a null becomes that must become a value, if rules allow: the middle one of an order, and
/// the first of words without one.
[[nodiscard]] std::uint32_t middle_cell(const Column& column);

/// Throws InvalidInput as PossibleRecords says.
[[nodiscard]] Combinations combinations_of(std::span<const Column> columns,
                                           const std::vector<DomainRule>& rules);

}  // namespace mollify
