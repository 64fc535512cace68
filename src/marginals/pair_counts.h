// Integer counts of all columns and all pairs of columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mollify {

/// How much weight the records have in each cell of each column, and of each pair of columns;
/// modulo 2^64, so that sums of noise and counts never overflow. Private.
///
/// All that a release reads of its records: memory is that of the cells, however many records there
/// are, and one pass fills it.
class PairCounts {
 public:
  /// How many cells all pairs of columns may have: 256 MB.
  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 25U;

  /// The cells of all pairs of columns of these sizes; up to 2^64 - 1.
  [[nodiscard]] static std::uint64_t cells(std::span<const std::uint32_t> sizes);

  /// Sizes of at least 1; cells(sizes) is at most kMostCells.
  explicit PairCounts(std::vector<std::uint32_t> sizes);
  /// Of what `all` gave, or of several of these added modulo 2^64. What lacks counts as 0.
  PairCounts(std::vector<std::uint32_t> sizes, std::span<const std::int64_t> all);

  [[nodiscard]] const std::vector<std::uint32_t>& sizes() const noexcept { return sizes_; }

  /// Adds one record.
  void add(std::span<const std::uint32_t> record, std::uint64_t weight);
  /// Adds one unit's records, which lie end to end: its weight is split among them in integers,
  /// each getting floor(weight / records) and the first of them one more until it is used up. So
  /// the unit adds `weight` in all, whatever it holds, and nothing if it has no records.
  void add_unit(std::span<const std::uint32_t> records, std::uint64_t weight);

  [[nodiscard]] std::span<const std::uint64_t> column(std::size_t column) const noexcept {
    return columns_[column];
  }
  /// Row-major, the second column fastest. Requires first < second.
  [[nodiscard]] std::span<const std::uint64_t> pair(std::size_t first,
                                                    std::size_t second) const noexcept {
    return pairs_[place(first, second)];
  }
  /// The same, to be added to.
  [[nodiscard]] std::span<std::uint64_t> column(std::size_t column) noexcept {
    return columns_[column];
  }
  [[nodiscard]] std::span<std::uint64_t> pair(std::size_t first, std::size_t second) noexcept {
    return pairs_[place(first, second)];
  }

  /// Of all columns, then of all pairs, end to end.
  [[nodiscard]] std::vector<std::int64_t> all() const;

 private:
  [[nodiscard]] std::size_t place(std::size_t first, std::size_t second) const noexcept {
    return first * (2 * sizes_.size() - first - 1) / 2 + (second - first - 1);
  }

  std::vector<std::uint32_t> sizes_;
  std::vector<std::vector<std::uint64_t>> columns_;
  std::vector<std::vector<std::uint64_t>> pairs_;
};

}  // namespace mollify
