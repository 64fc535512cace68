#include "marginals/pair_counts.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernel/core/wide.h"

namespace mollify {
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
