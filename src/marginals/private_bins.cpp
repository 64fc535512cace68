#include "marginals/private_bins.h"

#include <algorithm>
#include <numeric>

#include "kernel/core/wide.h"
#include "kernel/noise/exponential_choice.h"

namespace mollify {

std::vector<CellRun> runs_of(const MarginalColumn& column) {
  std::vector<CellRun> runs;
  std::uint32_t first = 0;
  const auto close = [&](std::uint32_t end) {
    if (end > first) runs.emplace_back(first, end);
    first = end + 1;
  };
  for (const std::uint32_t cell : column.apart) close(cell);
  close(column.size);
  return runs;
}

std::uint32_t counted_cells(const MarginalColumn& column) {
  if (!column.private_bins) return column.size;
  auto cells = static_cast<std::uint32_t>(column.apart.size());
  for (const auto& [first, end] : runs_of(column)) cells += std::min(end - first, kBinsOfRun);
  return cells;
}

std::vector<std::uint64_t> cut_distances(std::span<const std::uint64_t> run, CutBy by) {
  constexpr std::uint64_t kGreatest = std::uint64_t{1} << 61U;
  const std::uint64_t all = std::accumulate(run.begin(), run.end(), std::uint64_t{0});
  std::vector<std::uint64_t> distances;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i + 1 < run.size(); ++i) {
    before += run[i];
    const std::uint64_t after = all - before;
    if (by == CutBy::kMedian) {
      distances.push_back(std::min(kGreatest, before > after ? before - after : after - before));
      continue;
    }
    const uint128 one = static_cast<uint128>(before) * (run.size() - i - 1);
    const uint128 other = static_cast<uint128>(after) * (i + 1);
    const uint128 uneven = (one > other ? one - other : other - one) / run.size();
    distances.push_back(kGreatest -
                        static_cast<std::uint64_t>(std::min<uint128>(uneven, kGreatest)));
  }
  return distances;
}

std::vector<CellRun> cut_once(std::span<const std::uint64_t> counts,
                              const std::vector<CellRun>& runs, CutBy by, Ratio rate,
                              SecureRandom& random) {
  const ExponentialChoice choice(rate);
  std::vector<CellRun> halves;
  std::vector<ChoiceTerm> terms;
  for (const auto& [first, end] : runs) {
    if (end - first < 2) {
      halves.emplace_back(first, end);
      continue;
    }
    terms.clear();
    for (const std::uint64_t distance : cut_distances(counts.subspan(first, end - first), by)) {
      terms.push_back({1, distance});
    }
    const auto cut = first + static_cast<std::uint32_t>(choice.draw(terms, random).term) + 1;
    halves.emplace_back(first, cut);
    halves.emplace_back(cut, end);
  }
  return halves;
}

CellGroups private_bins(const MarginalColumn& column, std::span<const std::uint64_t> counts,
                        const MarginalBudget& budget, std::uint32_t parts_each, PartsLeft& parts,
                        SecureRandom& random) {
  std::vector<CellRun> runs = runs_of(column);
  for (std::size_t level = 0; level < kBinLevels; ++level) {
    const CutBy by = level + 1 < kBinLevels ? CutBy::kMedian : CutBy::kUnevenness;
    runs = cut_once(counts, runs, by, budget.choice_rate(parts.take(parts_each)), random);
  }
  for (const std::uint32_t cell : column.apart) runs.emplace_back(cell, cell + 1);
  std::sort(runs.begin(), runs.end());
  CellGroups bins{std::vector<std::uint32_t>(column.size), 0};
  for (const auto& [first, end] : runs) {
    std::fill(bins.of.begin() + first, bins.of.begin() + end, bins.count++);
  }
  return bins;
}

}  // namespace mollify
