#include "marginals/pair_counts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernel/core/wide.h"

namespace mollify {
namespace {

/// So many counters of 32 bits stay in a processor's second cache.
constexpr std::size_t kMostCoupleCells = std::size_t{1} << 15U;

}  // namespace

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

PairCounts::PairCounts(std::vector<std::uint32_t> sizes) : sizes_(std::move(sizes)) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    columns_.emplace_back(sizes_[i]);
    for (std::size_t j = i + 1; j < sizes_.size(); ++j) {
      pairs_.emplace_back(std::size_t{sizes_[i]} * sizes_[j]);
    }
  }
}

PairCounts::PairCounts(std::vector<std::uint32_t> sizes, std::span<const std::int64_t> all)
    : PairCounts(std::move(sizes)) {
  for (auto* const tables : {&columns_, &pairs_}) {
    for (std::vector<std::uint64_t>& table : *tables) {
      const std::size_t taken = std::min(table.size(), all.size());
      std::copy_n(all.begin(), taken, table.begin());
      all = all.subspan(taken);
    }
  }
}

std::vector<std::int64_t> PairCounts::all() const {
  std::vector<std::int64_t> all;
  for (const auto* const tables : {&columns_, &pairs_}) {
    for (const std::vector<std::uint64_t>& table : *tables) {
      all.insert(all.end(), table.begin(), table.end());
    }
  }
  return all;
}

void PairCounts::add(std::span<const std::span<const std::uint32_t>> digits) {
  std::vector<Couple> couples;
  for (std::size_t i = 0; i < sizes_.size(); i += 2) couples.push_back(couple_of(digits, i));
  for (std::size_t p = 0; p < couples.size(); ++p) {
    const Couple& one = couples[p];
    for (std::size_t q = p + 1; q < couples.size(); ++q) {
      const Couple& other = couples[q];
      // Adding up the cells of four columns must take less than counting rows four times.
      const std::size_t cells = one.size() * other.size();
      if (cells <= kMostCoupleCells && 2 * cells <= one.cells.size()) {
        add_couples(one, other);
        continue;
      }
      for (std::size_t i = one.first; i < one.first + (one.alone ? 1 : 2); ++i) {
        for (std::size_t j = other.first; j < other.first + (other.alone ? 1 : 2); ++j) {
          add_pair(i, j, digits);
        }
      }
    }
  }
}

PairCounts::Couple PairCounts::couple_of(std::span<const std::span<const std::uint32_t>> digits,
                                         std::size_t first) {
  Couple couple{first, sizes_[first], 1, first + 1 == sizes_.size(), {}};
  for (const std::uint32_t digit : digits[first]) ++columns_[first][digit];
  couple.cells.assign(digits[first].begin(), digits[first].end());
  if (couple.alone) return couple;
  couple.second_size = sizes_[first + 1];
  for (const std::uint32_t digit : digits[first + 1]) ++columns_[first + 1][digit];
  // No overflow: a pair has at most kMostCells.
  std::vector<std::uint64_t>& counts = pairs_[place(first, first + 1)];
  for (std::size_t row = 0; row < couple.cells.size(); ++row) {
    std::uint32_t& cell = couple.cells[row];
    cell = cell * couple.second_size + digits[first + 1][row];
    ++counts[cell];
  }
  return couple;
}

void PairCounts::add_couples(const Couple& one, const Couple& other) {
  const std::size_t width = other.size();
  std::vector<std::uint32_t> four(one.size() * width);
  for (std::size_t row = 0; row < one.cells.size(); ++row) {
    ++four[one.cells[row] * width + other.cells[row]];
  }
  // Summed over the second, and over the first, of the other couple.
  std::vector<std::uint32_t> with_first(one.size() * other.first_size);
  std::vector<std::uint32_t> with_second(one.size() * other.second_size);
  std::size_t cell = 0;
  for (std::size_t a = 0; a < one.size(); ++a) {
    std::uint32_t* const seconds = with_second.data() + a * other.second_size;
    for (std::size_t b = 0; b < other.first_size; ++b) {
      std::uint32_t sum = 0;
      for (std::size_t c = 0; c < other.second_size; ++c) {
        sum += four[cell];
        seconds[c] += four[cell++];
      }
      with_first[a * other.first_size + b] = sum;
    }
  }
  // Of each column of the one couple, the sums over the other.
  const auto add_to = [&](const std::vector<std::uint32_t>& sums, std::size_t column) {
    const std::size_t size = sizes_[column];
    std::uint64_t* const of_first = pairs_[place(one.first, column)].data();
    std::uint64_t* const of_second =
        one.alone ? nullptr : pairs_[place(one.first + 1, column)].data();
    for (std::size_t a = 0; a < one.size(); ++a) {
      std::uint64_t* const firsts = of_first + a / one.second_size * size;
      std::uint64_t* const seconds = one.alone ? nullptr : of_second + a % one.second_size * size;
      for (std::size_t c = 0; c < size; ++c) {
        firsts[c] += sums[a * size + c];
        if (seconds != nullptr) seconds[c] += sums[a * size + c];
      }
    }
  };
  add_to(with_first, other.first);
  if (!other.alone) add_to(with_second, other.first + 1);
}

void PairCounts::add_pair(std::size_t i, std::size_t j,
                          std::span<const std::span<const std::uint32_t>> digits) {
  const auto first = digits[i];
  const auto second = digits[j];
  std::vector<std::uint64_t>& counts = pairs_[place(i, j)];
  const std::size_t stride = sizes_[j];
  for (std::size_t row = 0; row < first.size(); ++row) {
    ++counts[first[row] * stride + second[row]];
  }
}

void PairCounts::add(std::span<const std::uint32_t> record, std::uint64_t weight) {
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    columns_[i][record[i]] += weight;
    for (std::size_t j = i + 1; j < sizes_.size(); ++j) {
      pairs_[place(i, j)][std::size_t{record[i]} * sizes_[j] + record[j]] += weight;
    }
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

}  // namespace mollify
