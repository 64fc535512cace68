// A question's columns in a domain: the values that it tells apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "domain/domain.h"
#include "methods/answers/noisy_estimates.h"
#include "methods/graphical/measurements.h"

namespace mollify {

/// A column's values in groups, and the public facts about each group.
struct AskedValues {
  std::string name;   ///< the column that was asked about
  AskedColumn cells;  ///< it, or the column that it follows from
  /// The least and the greatest number of a group, and one between them.
  struct Range {
    double low = 0;
    double middle = 0;
    double high = 0;
  };
  /// Values that counts do not tell apart. If all except one of them are rare, the
  /// group has that value's name. A group of numbers and nulls has the name of either.
  struct Group {
    std::string words{};  ///< for people, such as "north", "10 to 19", "a, b"
    std::string with{};   ///< the rare values that were counted with it, for people
    /// At most how many rows have these, for 97.5 of 100 releases. Infinite for nulls that were
    /// counted with numbers and never by themselves.
    double others = 0;
    bool is_null = false;  ///< whether its name is of nulls, or of codes for none
    Range range{};         ///< of the numbers, rare ones too
    /// At most how far the middle of one of its values is from the range's.
    double spread = 0;
  };
  std::vector<Group> groups{};
  bool has_numbers = false;
  bool is_run = false;  ///< whether neighbouring values are said as "10 to 19"
  /// Of each value by itself: its first and last point.
  std::vector<std::string> first{}, last{};

  /// Groups of several values, each a sentence for people.
  [[nodiscard]] std::vector<std::string> together() const;
};

/// The column with each of its values, or bins, by itself. Throws InvalidInput for a column that
/// the domain does not have.
[[nodiscard]] AskedValues asked_values(const Domain& domain, const std::string& name);

/// Values of asked_values put together as in `groups`, which are of the cells of the column. Counts
/// of each value by itself, if they were measured, say which are rare, and how the numbers of a
/// group share it.
[[nodiscard]] AskedValues put_together(const Measurements& measurements, const AskedValues& single,
                                       const CellGroups& groups);

/// The group of asked_values that a value lies in. Throws InvalidInput for a value that the column
/// does not have.
[[nodiscard]] std::uint32_t group_of(const Domain& domain, const AskedValues& single,
                                     const std::string& value);

/// The group with the name of this value of `single`. Throws InvalidInput if it was
/// counted together with others that are not rare.
[[nodiscard]] std::uint32_t group_for(const AskedValues& asked, const AskedValues& single,
                                      std::uint32_t value);

}  // namespace mollify
