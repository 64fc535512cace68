// A table whose rows each stand for many records.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "records/source.h"

namespace mollify {

/// The number of records that a value states, 2^63 at most: `2`, `2.0`, `2e0`, `02` and `1,000`, as
/// tables are written. Nothing for a null, a negative number and what is no whole number.
[[nodiscard]] std::optional<std::uint64_t> read_count(const Value& value) noexcept;

/// A table of which one column says how many records each row stands for: a histogram, as engines
/// make it who count by themselves.
///
/// Total: a count that `read_count` does not read is 0, a greater one than 2^40 is that. A row of
/// no records still names its unit.
class CountedSource final : public Source {
 public:
  static constexpr std::uint64_t kMostOfARow = std::uint64_t{1} << 40U;

  /// `table` must outlive it. Throws InvalidInput unless it has the column, once.
  CountedSource(const Source& table, const std::string& counts_column);

  [[nodiscard]] std::string_view name() const noexcept override { return table_.name(); }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return table_.columns();
  }
  [[nodiscard]] bool has_counts() const noexcept override { return true; }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;
  /// The sum of all counts, or 2^62 if it is greater.
  [[nodiscard]] std::uint64_t record_count() const override;
  /// Its place, which is that in the table too.
  [[nodiscard]] std::size_t counts_column() const noexcept { return counts_column_; }
  void require_repeatable() const override { table_.require_repeatable(); }
  void require_readable(std::size_t column) const override { table_.require_readable(column); }
  [[nodiscard]] std::optional<Provenance> provenance() const override {
    return table_.provenance();
  }

 private:
  const Source& table_;
  std::size_t counts_column_;
};

}  // namespace mollify
