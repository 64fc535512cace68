// How many values of private data a release takes for others. NOT PRIVATE.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/check.h"
#include "release/json_syntax.h"
#include "space/domain.h"

namespace mollify::cli {

/// By what a value becomes another one: nothing is declared; it is, for values to mend; or for what
/// needs no mending.
enum class HowMapped { kDefault, kAsFound, kDeclared };

/// Values of one column that all become the same.
struct MappedValues {
  std::string column, becomes;
  bool are_nulls = false;  ///< with a value that is declared for them
  HowMapped how = HowMapped::kDefault;

  friend auto operator<=>(const MappedValues&, const MappedValues&) = default;
};

/// Collects them while a table is checked.
class MappedCounts {
 public:
  void see(const Finding& finding);
  /// Adds the nulls that a check has counted.
  void add_nulls(const CheckCounts& counts, const Domain& domain);

  /// A line for each: "age: 62 nulls become 40 (declared)".
  [[nodiscard]] std::string lines() const;
  [[nodiscard]] Json json() const;

 private:
  std::map<MappedValues, std::uint64_t> counts_;
};

/// Those of a CSV file; none of what can be read only once. Throws InvalidInput like `read_table`.
[[nodiscard]] MappedCounts mapped_counts(const std::string& data, const Domain& domain);

}  // namespace mollify::cli
