// Counts many rows in all pairs of columns, several columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "marginals/pair_counts.h"

namespace mollify {

/// Counts rows of weight one in all columns and pairs of columns, in fewer steps a row than there
/// are pairs. Private.
///
/// Columns of few cells are put in groups, by their sizes alone: a row is counted once in a table
/// of each two groups, which holds all pairs of columns of both, and in the end each table is added
/// up to its pairs. So 30 columns of ten cells take 120 steps a row, not 465, and 30 columns of two
/// cells take 15. Pairs of columns that lie in no table are counted by themselves.
///
/// Memory, besides that of the counts: at most kMostCells counters of 4 bytes for tables, one of
/// each cell of groups, and 4 bytes for each column and group of kRows rows; whatever the rows.
class PairCounter {
 public:
  /// Of all tables together: 64 MB.
  static constexpr std::size_t kMostCells = std::size_t{1} << 24U;
  /// Rows that are counted at once, one table after the other.
  static constexpr std::size_t kRows = 8192;

  /// Sizes as of PairCounts.
  explicit PairCounter(std::vector<std::uint32_t> sizes);

  /// Adds records: for each column the digits of all of them, below its size.
  void add(std::span<const std::span<const std::uint32_t>> digits);

  /// The counts of all records.
  [[nodiscard]] PairCounts take() &&;

 private:
  /// Columns that are counted as one: its cells are those of all of them, the last one fastest.
  struct Group {
    std::vector<std::size_t> columns{};
    std::size_t size = 1;
    std::vector<std::uint32_t> cells{};   ///< of each waiting row
    std::vector<std::uint32_t> counts{};  ///< of each cell
  };

  /// Two groups whose pairs of columns are counted together.
  struct Table {
    std::size_t first;
    std::size_t second;
    std::vector<std::uint32_t> counts;  ///< row-major, the second group fastest
  };

  void make_groups();
  void make_tables();
  void wait(std::span<const std::span<const std::uint32_t>> digits, std::size_t begin,
            std::size_t rows);
  void count_waiting();
  void add_up();
  void add_up(const Group& group);
  void add_up(const Table& table);

  PairCounts counts_;
  std::vector<Group> groups_;
  std::vector<Table> tables_;
  std::vector<std::pair<std::size_t, std::size_t>> alone_;  // pairs of columns in no table
  std::vector<std::vector<std::uint32_t>> digits_;          // of each column in one of these
  std::size_t waiting_ = 0;                                 // rows
  std::uint64_t counted_ = 0;                               // rows, in groups and tables
};

}  // namespace mollify
