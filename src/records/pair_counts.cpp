#include "records/pair_counts.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "core/random.h"
#include "records/weights.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Integer counts of all columns, all pairs of columns and some triples.

std::uint64_t PairCounts::cells(std::span<const std::uint32_t> sizes) {
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  uint128 cells = 0;
  uint128 before = 0;
  for (const std::uint32_t size : sizes) {
    cells += before * size;
    before += size;
    if (cells > kAll) return kAll;
  }
  return static_cast<std::uint64_t>(cells);
}

PairCounts::PairCounts(std::vector<std::uint32_t> sizes, std::vector<Triple> triples)
    : sizes_(std::move(sizes)), triples_(std::move(triples)) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    columns_.emplace_back(sizes_[i]);
    for (std::size_t j = i + 1; j < sizes_.size(); ++j) {
      pairs_.emplace_back(std::size_t{sizes_[i]} * sizes_[j]);
    }
  }
  for (const auto& [i, j, k] : triples_) {
    counted_triples_.emplace_back(std::size_t{sizes_[i]} * sizes_[j] * sizes_[k]);
  }
}

PairCounts::PairCounts(std::vector<std::uint32_t> sizes, std::vector<Triple> triples,
                       std::span<const std::int64_t> all)
    : PairCounts(std::move(sizes), std::move(triples)) {
  for (auto* const tables : {&columns_, &pairs_, &counted_triples_}) {
    for (std::vector<std::uint64_t>& table : *tables) {
      const std::size_t taken = std::min(table.size(), all.size());
      std::copy_n(all.begin(), taken, table.begin());
      all = all.subspan(taken);
    }
  }
}

std::vector<std::int64_t> PairCounts::all() const {
  std::vector<std::int64_t> all;
  for (const auto* const tables : {&columns_, &pairs_, &counted_triples_}) {
    for (const std::vector<std::uint64_t>& table : *tables) {
      all.insert(all.end(), table.begin(), table.end());
    }
  }
  return all;
}

std::span<const std::uint64_t> PairCounts::triple(const Triple& columns) const {
  const auto found = std::lower_bound(triples_.begin(), triples_.end(), columns);
  const auto at = static_cast<std::size_t>(found - triples_.begin());
  if (found == triples_.end() || *found != columns) return counted_triples_.at(triples_.size());
  return counted_triples_[at];
}

void PairCounts::add(std::span<const std::uint32_t> record, std::uint64_t weight) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    columns_[i][record[i]] += weight;
    for (std::size_t j = i + 1; j < sizes_.size(); ++j) {
      pairs_[place(i, j)][std::size_t{record[i]} * sizes_[j] + record[j]] += weight;
    }
  }
  for (std::size_t at = 0; at < triples_.size(); ++at) {
    const auto& [i, j, k] = triples_[at];
    const std::size_t pair = std::size_t{record[i]} * sizes_[j] + record[j];
    counted_triples_[at][pair * sizes_[k] + record[k]] += weight;
  }
}

void PairCounts::add_unit(std::span<const std::uint32_t> records, std::uint64_t weight) {
  const std::size_t count = records.size() / sizes_.size();
  for (std::size_t row = 0; row < count; ++row) {
    const std::uint64_t share = weight / count + (row < weight % count ? 1 : 0);
    if (share == 0) return;  // of more records than weight the first ones have it
    add(records.subspan(row * sizes_.size(), sizes_.size()), share);
  }
}

void PairCounts::add_unit(std::span<const std::uint32_t> records,
                          std::span<const std::uint64_t> weights, std::uint64_t most) {
  const std::vector<std::uint64_t> bounded = bounded_weights(weights, most);
  for (std::size_t row = 0; row < bounded.size(); ++row) {
    if (bounded[row] > 0) add(records.subspan(row * sizes_.size(), sizes_.size()), bounded[row]);
  }
}

// -----------------------------------------------------------------------------------------------
// Counts many rows in all pairs of columns, several columns at a time.

namespace {

/// Of more counters than a processor's nearest caches hold, a table takes no less time than its
/// pairs.
constexpr std::size_t kMostTableCells = std::size_t{1} << 14U;
/// Any two groups of this many make a table.
constexpr std::size_t kMostGroupCells = 128;
static_assert(kMostGroupCells * kMostGroupCells <= kMostTableCells);
static_assert(kMostTableCells <= std::size_t{1} << 16U);

/// Calls visit(row, cell) for the cells first[row] * width + second[row] of `count` rows, which are
/// less than 2^16. Cells of some rows are found before any of them is counted, for otherwise a
/// processor that has just written a counter waits before it reads the next cell.
template <class First, class Second, class Visit>
void visit_cells(const First* first, const Second* second, std::size_t width, std::size_t count,
                 const Visit& visit) {
  constexpr std::size_t kBlock = 512;
  constexpr std::size_t kAtOnce = 8;
  std::array<std::uint16_t, kBlock> cells;
  const auto step = static_cast<std::uint32_t>(width);
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t block = std::min(kBlock, count - begin);
    for (std::size_t i = 0; i < block; ++i) {
      cells[i] = static_cast<std::uint16_t>(first[begin + i] * step + second[begin + i]);
    }
    std::size_t i = 0;
    for (; i + kAtOnce <= block; i += kAtOnce) {
      std::array<std::size_t, kAtOnce> next;
      for (std::size_t k = 0; k < kAtOnce; ++k) next[k] = cells[i + k];
      for (std::size_t k = 0; k < kAtOnce; ++k) visit(begin + i + k, next[k]);
    }
    for (; i < block; ++i) visit(begin + i, cells[i]);
  }
}

/// Of each column of a group, the digit of each of the group's cells.
std::vector<std::vector<std::uint32_t>> digits_of_cells(const std::vector<std::size_t>& columns,
                                                        const std::vector<std::uint32_t>& sizes,
                                                        std::size_t cells) {
  std::vector<std::vector<std::uint32_t>> digits(columns.size());
  std::size_t below = 1;
  for (std::size_t i = columns.size(); i-- > 0;) {
    const std::uint32_t size = sizes[columns[i]];
    for (std::size_t cell = 0; cell < cells; ++cell) {
      digits[i].push_back(static_cast<std::uint32_t>(cell / below % size));
    }
    below *= size;
  }
  return digits;
}

}  // namespace

PairCounter::PairCounter(std::vector<std::uint32_t> sizes, std::vector<Triple> triples)
    : counts_(std::move(sizes), std::move(triples)) {
  make_groups();
}

void PairCounter::make_groups() {
  const std::vector<std::uint32_t>& sizes = counts_.sizes();
  std::vector<std::size_t> order(sizes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return sizes[a] > sizes[b]; });
  for (const std::size_t column : order) {
    auto group = std::find_if(groups_.begin(), groups_.end(), [&](const Group& one) {
      return one.size * sizes[column] <= kMostGroupCells;
    });
    if (group == groups_.end()) group = groups_.insert(groups_.end(), Group{});
    group->columns.push_back(column);
    group->size *= sizes[column];
  }
  for (Group& group : groups_) {
    group.digits = digits_of_cells(group.columns, sizes, group.size);
    if (group.size > 256) group.cells.emplace<std::vector<std::uint32_t>>();
  }
}

void PairCounter::add(std::span<const std::span<const std::uint32_t>> digits,
                      std::span<const std::uint64_t> weights) {
  if (digits.empty()) return;
  const std::size_t rows = digits.front().size();
  for (std::size_t begin = 0; begin < rows;) {
    const std::size_t taken = std::min(rows - begin, kRows - waiting_);
    for (std::size_t row = begin; row < begin + taken && !weights.empty(); ++row) {
      weights_.push_back(static_cast<std::uint32_t>(std::min(weights[row], kMostWeight)));
    }
    wait(digits, begin, taken);
    begin += taken;
    if (waiting_ == kRows) count_waiting();
  }
}

void PairCounter::wait(std::span<const std::span<const std::uint32_t>> digits, std::size_t begin,
                       std::size_t rows) {
  const std::vector<std::uint32_t>& sizes = counts_.sizes();
  for (Group& group : groups_) {
    std::visit(
        [&]<class Cell>(std::vector<Cell>& all) {
          all.resize(waiting_ + rows);
          Cell* const cells = all.data() + waiting_;
          for (const std::size_t column : group.columns) {
            const std::uint32_t* const of_column = digits[column].data() + begin;
            for (std::size_t row = 0; row < rows; ++row) {
              cells[row] = static_cast<Cell>(cells[row] * sizes[column] + of_column[row]);
            }
          }
        },
        group.cells);
  }
  waiting_ += rows;
}

void PairCounter::count_waiting() {
  if (weights_.empty()) {
    count_waiting<std::uint16_t>([](std::size_t) { return std::uint16_t{1}; });
  } else {
    count_waiting<std::uint64_t>([this](std::size_t row) { return weights_[row]; });
    weights_.clear();
  }
  waiting_ = 0;
}

template <class Counter, class Weigh>
void PairCounter::count_waiting(const Weigh& weigh) {
  static_assert(kRows <= std::numeric_limits<Counter>::max());
  std::vector<Counter> counted;
  const auto count = [&](std::size_t row, std::size_t cell) {
    counted[cell] = static_cast<Counter>(counted[cell] + weigh(row));
  };
  for (std::size_t a = 0; a < groups_.size(); ++a) {
    const Group& one = groups_[a];
    counted.assign(one.size, 0);
    std::visit(
        [&](const auto& rows) {
          for (std::size_t row = 0; row < waiting_; ++row) count(row, rows[row]);
        },
        one.cells);
    add_up(one, counted);
    for (std::size_t b = a + 1; b < groups_.size(); ++b) {
      const Group& other = groups_[b];
      // No overflow: a pair of columns has at most PairCounts::kMostCells.
      const std::size_t cells = one.size * other.size;
      const bool is_table =
          one.columns.size() * other.columns.size() > 1 && cells <= kMostTableCells;
      if (is_table) counted.assign(cells, 0);
      std::visit(
          [&](const auto& rows, const auto& columns) {
            if (is_table) {
              visit_cells(rows.data(), columns.data(), other.size, waiting_, count);
            } else {
              count_pairs(one, rows, other, columns, weigh);
            }
          },
          one.cells, other.cells);
      if (is_table) add_up(one, other, counted);
    }
  }
  count_triples(weigh);
  for (Group& group : groups_) {
    std::visit([](auto& cells) { cells.clear(); }, group.cells);
  }
}

template <class Weigh>
void PairCounter::count_triples(const Weigh& weigh) {
  const std::vector<Triple>& triples = counts_.triples();
  if (triples.empty()) return;
  // A column with more cells than a triple may have is in none.
  std::vector<std::vector<std::uint16_t>> digits(counts_.sizes().size());
  for (const Group& group : groups_) {
    for (std::size_t a = 0; a < group.columns.size(); ++a) {
      std::vector<std::uint16_t>& of_column = digits[group.columns[a]];
      of_column.resize(waiting_);
      std::visit(
          [&](const auto& cells) {
            for (std::size_t row = 0; row < waiting_; ++row) {
              of_column[row] = static_cast<std::uint16_t>(group.digits[a][cells[row]]);
            }
          },
          group.cells);
    }
  }
  std::vector<std::uint16_t> pairs(waiting_);  // of the triples' first two columns
  for (std::size_t at = 0; at < triples.size(); ++at) {
    const auto& [i, j, k] = triples[at];
    if (at == 0 || i != triples[at - 1][0] || j != triples[at - 1][1]) {
      for (std::size_t row = 0; row < waiting_; ++row) {
        pairs[row] =
            static_cast<std::uint16_t>(digits[i][row] * counts_.sizes()[j] + digits[j][row]);
      }
    }
    const auto counts = counts_.triple_at(at);
    visit_cells(pairs.data(), digits[k].data(), counts_.sizes()[k], waiting_,
                [&](std::size_t row, std::size_t cell) { counts[cell] += weigh(row); });
  }
}

template <class Rows, class Columns, class Weigh>
void PairCounter::count_pairs(const Group& one, const Rows& rows, const Group& other,
                              const Columns& columns, const Weigh& weigh) {
  for (std::size_t x = 0; x < one.columns.size(); ++x) {
    for (std::size_t y = 0; y < other.columns.size(); ++y) {
      const std::size_t i = one.columns[x];
      const std::size_t j = other.columns[y];
      const std::size_t step_i = i < j ? counts_.sizes()[j] : 1;
      const std::size_t step_j = i < j ? 1 : counts_.sizes()[i];
      std::uint64_t* const counts = counts_.pair(std::min(i, j), std::max(i, j)).data();
      const std::uint32_t* const of_one = one.digits[x].data();
      const std::uint32_t* const of_other = other.digits[y].data();
      for (std::size_t row = 0; row < waiting_; ++row) {
        counts[of_one[rows[row]] * step_i + of_other[columns[row]] * step_j] += weigh(row);
      }
    }
  }
}

template <class Counter>
void PairCounter::add_up(const Group& group, const std::vector<Counter>& counted) {
  for (std::size_t a = 0; a < group.columns.size(); ++a) {
    const auto column = counts_.column(group.columns[a]);
    for (std::size_t cell = 0; cell < group.size; ++cell) {
      column[group.digits[a][cell]] += counted[cell];
    }
    for (std::size_t b = 0; b < group.columns.size(); ++b) {
      const std::size_t i = group.columns[a];
      const std::size_t j = group.columns[b];
      if (i >= j) continue;
      const auto pair = counts_.pair(i, j);
      const std::size_t width = counts_.sizes()[j];
      for (std::size_t cell = 0; cell < group.size; ++cell) {
        pair[group.digits[a][cell] * width + group.digits[b][cell]] += counted[cell];
      }
    }
  }
}

template <class Counter>
void PairCounter::add_up(const Group& one, const Group& other,
                         const std::vector<Counter>& counted) {
  const std::vector<std::uint32_t>& sizes = counts_.sizes();
  std::vector<Counter> sums;  // of a column and the other group
  for (std::size_t a = 0; a < one.columns.size(); ++a) {
    const std::size_t i = one.columns[a];
    sums.assign(sizes[i] * other.size, 0);
    for (std::size_t row = 0; row < one.size; ++row) {
      Counter* const to = sums.data() + one.digits[a][row] * other.size;
      const Counter* const from = counted.data() + row * other.size;
      for (std::size_t cell = 0; cell < other.size; ++cell) {
        to[cell] = static_cast<Counter>(to[cell] + from[cell]);
      }
    }
    for (std::size_t b = 0; b < other.columns.size(); ++b) {
      const std::size_t j = other.columns[b];
      const auto pair = counts_.pair(std::min(i, j), std::max(i, j));
      const std::size_t step_i = i < j ? sizes[j] : 1;
      const std::size_t step_j = i < j ? 1 : sizes[i];
      const std::uint32_t* const digits = other.digits[b].data();
      for (std::size_t digit = 0; digit < sizes[i]; ++digit) {
        const Counter* const from = sums.data() + digit * other.size;
        for (std::size_t cell = 0; cell < other.size; ++cell) {
          pair[digit * step_i + digits[cell] * step_j] += from[cell];
        }
      }
    }
  }
}

PairCounts PairCounter::take() && {
  count_waiting();
  return std::move(counts_);
}

}  // namespace mollify
