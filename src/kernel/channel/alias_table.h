// Many exact draws from one table, each in constant time.
#pragma once

#include <cstdint>
#include <vector>

#include "kernel/core/secure_random.h"
#include "kernel/core/table.h"

namespace mollify {

/// Walker's alias method over a table's integers.
///
/// Definition. k columns of height N hold k N unit parts; outcome i owns k n_i of them, in column i
/// below its threshold and in the columns whose alias it is above theirs.
///
/// Theorem. `draw` returns i with probability exactly n_i / N: a uniform column and a uniform
/// height below N hit each of the k N parts equally often. No rounding takes place: all of it is
/// integers (Walker 1977; Vose 1991, without the floating point).
///
/// O(k) to make, 12 bytes an outcome, O(1) a draw. Independent of the table once made.
class AliasTable {
 public:
  explicit AliasTable(const Table& table);

  /// The outcome that owns the part at `height`, below the total, of column `column`. NOT PRIVATE.
  [[nodiscard]] std::size_t outcome_at(std::size_t column, std::uint64_t height) const {
    return height < thresholds_[column] ? column : aliases_[column];
  }

  [[nodiscard]] std::size_t draw(SecureRandom& random) const {
    const auto column = static_cast<std::size_t>(below_columns_(random));
    return outcome_at(column, below_total_(random));
  }

 private:
  UniformBelow below_total_;
  UniformBelow below_columns_;
  std::vector<std::uint64_t> thresholds_;
  std::vector<std::uint32_t> aliases_;
};

}  // namespace mollify
