// A question's columns in a domain: the values that it tells apart.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "domain/domain.h"
#include "methods/answers/noisy_estimates.h"

namespace mollify {

/// A column whose values are told apart, and what is known of them in public.
struct AskedValues {
  std::string name;   ///< the column that was asked about
  AskedColumn cells;  ///< it, or the column that it follows from
  /// Of each group of `cells`: words for people, such as "north", "10 to 19", "a, b".
  std::vector<std::string> words{};
  /// Of each group: whether all of its values are null, or codes for none.
  std::vector<bool> is_null{};

  /// The least and the greatest number of a group, and one between them.
  struct Range {
    double low = 0;
    double middle = 0;
    double high = 0;
  };
  /// Of each group; empty for a column without numbers.
  std::vector<Range> ranges{};
};

/// The column with each of its values, or bins, by itself, or put together as in `groups`; of
/// numbers, `weights` say how the cells of a group share it. Throws InvalidInput for a column that
/// the domain does not have.
[[nodiscard]] AskedValues asked_values(const Domain& domain, const std::string& name);
[[nodiscard]] AskedValues put_together(const Domain& domain, const AskedValues& asked,
                                       const CellGroups& groups, std::span<const double> weights);

/// The group that a value lies in. Throws InvalidInput for a value that the column does not have.
[[nodiscard]] std::uint32_t group_of(const Domain& domain, const AskedValues& asked,
                                     const std::string& value);

}  // namespace mollify
