// mollify check, and what became other values.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "domain/domain.h"
#include "formats/check.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// How many values of private data a release takes for others. NOT PRIVATE.

/// By what a value becomes another one: nothing is declared; it is, for values to mend; or for what
/// needs no mending.
enum class HowMapped { kDefault, kAsFound, kDeclared };

/// Values of one column that all become the same.
struct MappedValues {
  std::string column, becomes;
  bool are_nulls = false;
  HowMapped how = HowMapped::kDefault;

  friend auto operator<=>(const MappedValues&, const MappedValues&) = default;
};

/// Collects them while a table is checked.
class MappedCounts {
 public:
  void see(const Finding& finding);
  /// Adds the nulls that a check has counted; `see` leaves them out.
  void add_nulls(const CheckCounts& counts, const Domain& domain);

  /// A line for each: "age: 62 nulls become 40 (declared)".
  [[nodiscard]] std::string lines() const;
  [[nodiscard]] Json json() const;

 private:
  std::map<MappedValues, std::uint64_t> counts_;
};

/// Those of a CSV file; none of what can be read only once. Throws InvalidInput like `read_table`.
[[nodiscard]] MappedCounts mapped_counts(const std::string& data, const Domain& domain);

// -----------------------------------------------------------------------------------------------
// Columns that look as if their logarithms were Gaussian. NOT PRIVATE.

/// For each column that is not taken in logarithms, whose values are all positive and whose mean is
/// far above its median (skewness above 2), a sentence: "meals looks log-normal (mean 276, median
/// 31): try --log meals". `rows` are whole rows of the columns' coordinates.
[[nodiscard]] std::vector<std::string> log_normal_notes(const RealColumns& columns,
                                                        std::span<const double> rows);

}  // namespace mollify::cli
