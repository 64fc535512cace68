// Counts of columns, pairs and triples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Integer counts of all columns, all pairs of columns and some triples.

/// Three columns, ascending.
using Triple = std::array<std::size_t, 3>;

/// How much weight the records have in each cell of each column, of each pair of columns, and of
/// the triples that are asked for; modulo 2^64, so that sums of noise and counts never overflow.
/// Private.
///
/// All that a release reads of its records: memory depends on the cells alone, not on the records,
/// and one pass fills it.
class PairCounts {
 public:
  /// How many cells all pairs of columns may have: 256 MB.
  static constexpr std::uint64_t kMostCells = std::uint64_t{1} << 25U;

  /// The cells of all pairs of columns of these sizes; up to 2^64 - 1.
  [[nodiscard]] static std::uint64_t cells(std::span<const std::uint32_t> sizes);

  [[nodiscard]] static bool are_few(std::span<const std::uint32_t> sizes) {
    return cells(sizes) <= kMostCells;
  }

  /// Sizes of at least 1; are_few(sizes). Triples ascend, none twice.
  explicit PairCounts(std::vector<std::uint32_t> sizes, std::vector<Triple> triples = {});
  /// Of what `all` gave, or of several of these added modulo 2^64. Missing cells count as 0.
  PairCounts(std::vector<std::uint32_t> sizes, std::vector<Triple> triples,
             std::span<const std::int64_t> all);

  [[nodiscard]] const std::vector<std::uint32_t>& sizes() const noexcept { return sizes_; }
  [[nodiscard]] const std::vector<Triple>& triples() const noexcept { return triples_; }

  /// Adds one record.
  void add(std::span<const std::uint32_t> record, std::uint64_t weight);
  /// Adds one unit's records, which lie end to end: its weight is split among them in integers,
  /// each getting floor(weight / records) and the first of them one more until it is used up. So
  /// the unit adds `weight` in all, whatever it holds, and nothing if it has no records.
  void add_unit(std::span<const std::uint32_t> records, std::uint64_t weight);
  /// Adds one unit's records, each with its weight, or with less if they weigh more than `most`
  /// together (bounded_weights). So the unit adds `most` at most, whatever it holds. Requires a
  /// weight for each record.
  void add_unit(std::span<const std::uint32_t> records, std::span<const std::uint64_t> weights,
                std::uint64_t most);

  [[nodiscard]] std::span<const std::uint64_t> column(std::size_t column) const noexcept {
    return columns_[column];
  }
  /// Row-major, the second column fastest. Requires first < second.
  [[nodiscard]] std::span<const std::uint64_t> pair(std::size_t first,
                                                    std::size_t second) const noexcept {
    return pairs_[place(first, second)];
  }
  /// Row-major, the last column fastest. Throws std::out_of_range for a triple that is not counted.
  [[nodiscard]] std::span<const std::uint64_t> triple(const Triple& columns) const;
  /// The counts, to add to.
  [[nodiscard]] std::span<std::uint64_t> column(std::size_t column) noexcept {
    return columns_[column];
  }
  [[nodiscard]] std::span<std::uint64_t> pair(std::size_t first, std::size_t second) noexcept {
    return pairs_[place(first, second)];
  }

  /// Those of the triple at this place of triples().
  [[nodiscard]] std::span<std::uint64_t> triple_at(std::size_t at) noexcept {
    return counted_triples_[at];
  }

  /// Of all columns, then of all pairs, then of the triples, end to end.
  [[nodiscard]] std::vector<std::int64_t> all() const;

 private:
  [[nodiscard]] std::size_t place(std::size_t first, std::size_t second) const noexcept {
    return first * (2 * sizes_.size() - first - 1) / 2 + (second - first - 1);
  }

  std::vector<std::uint32_t> sizes_;
  std::vector<Triple> triples_;
  std::vector<std::vector<std::uint64_t>> columns_;
  std::vector<std::vector<std::uint64_t>> pairs_;
  std::vector<std::vector<std::uint64_t>> counted_triples_;
};

// -----------------------------------------------------------------------------------------------
// Counts many rows in all pairs of columns, several columns at a time.

/// Counts rows in all columns and pairs of columns, in fewer steps a row than there are pairs, each
/// by its weight or as one. Private.
///
/// Columns of few cells are put in groups, by their sizes alone: a row is counted once in a table
/// of each two groups, which holds all pairs of columns of both, and each table is added up to its
/// pairs. So 30 columns of ten cells take 120 steps a row, not 465, and 30 columns of two cells
/// take 15. Pairs of columns that lie in no table are counted by themselves, and so are triples.
///
/// Rows wait until there are kRows of them. Then one table after the other counts them, in a
/// processor's nearest cache: rows of weight 1 by counters of two bytes.
///
/// Memory, in addition to the counts: a byte for each group and waiting row, or 4 for a column of
/// more than 256 cells, and one table; with triples, two bytes for each column and waiting row.
class PairCounter {
 public:
  /// Rows that are counted at once, one table after the other.
  static constexpr std::size_t kRows = 65535;
  static constexpr std::uint64_t kMostTripleCells = std::uint64_t{1} << 16U;
  /// A row of a greater weight counts as this.
  static constexpr std::uint64_t kMostWeight = (std::uint64_t{1} << 19U) - 1;

  /// Sizes and triples as of PairCounts; each triple has at most kMostTripleCells.
  explicit PairCounter(std::vector<std::uint32_t> sizes, std::vector<Triple> triples = {});

  /// Adds records: for each column the digits of all of them, below its size, and the weight of
  /// each. No weights are 1 each; all calls have some, or none has.
  void add(std::span<const std::span<const std::uint32_t>> digits,
           std::span<const std::uint64_t> weights = {});

  /// The counts of all records.
  [[nodiscard]] PairCounts take() &&;

 private:
  /// Columns that are counted as one: its cells are all their cells, the last one fastest.
  struct Group {
    std::vector<std::size_t> columns{};
    std::size_t size = 1;
    std::variant<std::vector<std::uint8_t>, std::vector<std::uint32_t>>
        cells{};                                       ///< of each waiting row
    std::vector<std::vector<std::uint32_t>> digits{};  ///< of each column, of each cell
  };

  void make_groups();
  void wait(std::span<const std::span<const std::uint32_t>> digits, std::size_t begin,
            std::size_t rows);
  void count_waiting();
  /// `weigh(row)` is the weight of a waiting row, and all of them together fit into a Counter.
  template <class Counter, class Weigh>
  void count_waiting(const Weigh& weigh);
  /// Each pair of columns of both groups by itself; `rows` and `columns` are their waiting cells.
  template <class Rows, class Columns, class Weigh>
  void count_pairs(const Group& one, const Rows& rows, const Group& other, const Columns& columns,
                   const Weigh& weigh);
  template <class Weigh>
  void count_triples(const Weigh& weigh);
  template <class Counter>
  void add_up(const Group& group, const std::vector<Counter>& counted);
  template <class Counter>
  void add_up(const Group& one, const Group& other, const std::vector<Counter>& counted);

  PairCounts counts_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> weights_;  // of waiting rows, or none
  std::size_t waiting_ = 0;             // rows
};

}  // namespace mollify
