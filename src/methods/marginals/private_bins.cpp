#include "methods/marginals/private_bins.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "domain/tails.h"

namespace mollify {

namespace {

/// A count is no noise above this many standard deviations of it: by chance alone one part in ten
/// thousand is.
constexpr double kNoNoiseIfLaplace = 6;
constexpr double kNoNoiseIfGaussian = 4;
/// A part with a smaller share of the rows than one in this many is not cut.
constexpr double kSharesToCut = 32;
/// Inside a part that is not cut the density changes by a factor of e^kSteepest at most.
constexpr double kSteepest = 8;

struct CountedRun {
  CellRun run;
  double count = 0;
};

/// Cells that are not cut any further.
struct Leaf {
  CellRun run;
  double count = 0;
  CellRun inhabited;      ///< the cells in which its rows are taken to lie
  bool is_guess = false;  ///< because noise hides them
  std::size_t parts = 1;  ///< that are counted
  bool is_tail = false;   ///< and has its weights
};

std::vector<CellRun> parts_of(const CellRun& run) {
  const std::uint64_t width = run.second - run.first;
  const std::uint64_t number = std::min<std::uint64_t>(width, kPartsOfRun);
  std::vector<CellRun> parts;
  for (std::uint64_t i = 0; i < number; ++i) {
    parts.emplace_back(run.first + static_cast<std::uint32_t>(i * width / number),
                       run.first + static_cast<std::uint32_t>((i + 1) * width / number));
  }
  return parts;
}

/// The runs, each a group, and all other cells together.
CellGroups groups_of(std::uint32_t size, const std::vector<CellRun>& runs) {
  std::uint32_t covered = 0;
  for (const auto& [first, end] : runs) covered += end - first;
  const std::uint32_t rest = covered < size ? 1 : 0;
  CellGroups groups{std::vector<std::uint32_t>(size), rest};
  for (const auto& [first, end] : runs) {
    std::fill(groups.of.begin() + first, groups.of.begin() + end, groups.count++);
  }
  return groups;
}

Leaf leaf_of(std::span<const CountedRun> parts) {
  const CellRun run{parts.front().run.first, parts.back().run.second};
  Leaf leaf{run, 0, run, false, parts.size()};
  for (const CountedRun& part : parts) leaf.count += part.count;
  return leaf;
}

/// Parts of the whole column whose counts are noise. Unless their sum is more than noise, their few
/// rows are taken to lie next to the seen parts. Rows far away would move every mean.
void add_unseen(std::span<const CountedRun> parts, bool has_left, bool has_right, double least,
                std::vector<Leaf>& leaves) {
  Leaf all = leaf_of(parts);
  const bool is_seen = all.count >= least * std::sqrt(static_cast<double>(parts.size()));
  if (is_seen || !(has_left || has_right)) {
    leaves.push_back(std::move(all));
    return;
  }
  const std::size_t middle = !has_right ? parts.size() : !has_left ? 0 : (parts.size() + 1) / 2;
  if (middle > 0) {
    leaves.push_back(leaf_of(parts.first(middle)));
    leaves.back().inhabited = parts.front().run;
    leaves.back().is_guess = true;
  }
  if (middle < parts.size()) {
    leaves.push_back(leaf_of(parts.subspan(middle)));
    leaves.back().inhabited = parts.back().run;
    leaves.back().is_guess = true;
  }
}

/// Divides the parts of one run into those to be cut again, with counts from `to_cut`, and leaves:
/// a count from `least` is no noise.
void divide(std::span<const CountedRun> parts, bool is_whole, double least, double to_cut,
            std::vector<CellRun>& looked_at, std::vector<Leaf>& leaves) {
  const auto is_seen = [&](const CountedRun& part) { return part.count >= least; };
  // A run in which no part is seen stays whole.
  if (!is_whole && std::none_of(parts.begin(), parts.end(), is_seen)) {
    leaves.push_back(leaf_of(parts));
    return;
  }
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    while (end < parts.size() && !is_seen(parts[end])) ++end;
    if (end > i) {
      const auto unseen = parts.subspan(i, end - i);
      if (is_whole) {
        add_unseen(unseen, i > 0, end < parts.size(), least, leaves);
      } else {
        leaves.push_back(leaf_of(unseen));  // no farther away than the seen run is wide
      }
      i = end;
      continue;
    }
    const CellRun& run = parts[i].run;
    if (run.second - run.first > 1 && parts[i].count >= to_cut) {
      looked_at.push_back(run);
    } else {
      leaves.push_back(leaf_of(parts.subspan(i, 1)));
    }
    ++i;
  }
}

double cells_in(const CellRun& run) { return run.second - run.first; }
double middle_of(const CellRun& run) {
  return (static_cast<double>(run.first) + run.second - 1) / 2;
}

/// How fast the logarithm of a leaf's density changes from cell to cell, by its neighbours whose
/// rows are seen.
double steepness_of(const std::vector<Leaf>& leaves, std::size_t at) {
  const Leaf& leaf = leaves[at];
  const auto tells = [&](std::size_t other) {
    return other < leaves.size() && leaves[other].count > 0 && !leaves[other].is_guess &&
           cells_in(leaves[other].inhabited) > 1;  // a single cell says nothing of others
  };
  if (!(leaf.count > 0) || cells_in(leaf.inhabited) < 2) return 0;
  const bool left = at > 0 && tells(at - 1);
  const bool right = tells(at + 1);
  if (!left && !right) return 0;
  const Leaf& from = left ? leaves[at - 1] : leaf;
  const Leaf& to = right ? leaves[at + 1] : leaf;
  const double change =
      std::log(to.count / cells_in(to.inhabited)) - std::log(from.count / cells_in(from.inhabited));
  const double most = kSteepest / cells_in(leaf.inhabited);
  return std::clamp(change / (middle_of(to.inhabited) - middle_of(from.inhabited)), -most, most);
}

/// Spreads a leaf's count over its inhabited cells.
void spread(const Leaf& leaf, double steepness, std::vector<double>& weights) {
  const double middle = middle_of(leaf.inhabited);
  const auto density = [&](std::uint32_t cell) { return std::exp(steepness * (cell - middle)); };
  const auto [first, end] = leaf.inhabited;
  double sum = 0;
  for (std::uint32_t cell = first; cell < end; ++cell) sum += density(cell);
  for (std::uint32_t cell = first; cell < end; ++cell) {
    weights[cell] = leaf.count * density(cell) / sum;
  }
}

/// Places and counts the rows of the last leaves as the tail that all of them show.
void follow_tail(const ColumnAxis& axis, double deviation, std::vector<Leaf>& leaves,
                 std::vector<double>& weights) {
  std::vector<CountedCells> cells;
  for (const Leaf& leaf : leaves) {
    cells.push_back(
        {axis[leaf.run.first].low, axis[leaf.run.second - 1].high, leaf.count, leaf.parts});
  }
  const std::optional<Tail> tail = upper_tail(cells, deviation);
  for (std::size_t i = leaves.size(); tail && i-- > 0 && cells[i].low >= tail->from();) {
    const CellRun run = leaves[i].run;
    const double rows = tail->between(cells[i].low, cells[i].high);
    const double noise = deviation * std::sqrt(static_cast<double>(cells[i].cells));
    leaves[i] = {run, with_density(cells[i].count, rows, noise), run, false, 1, true};
    for (std::uint32_t cell = run.first; cell < run.second; ++cell) {
      const double of_cell = tail->between(axis[cell].low, axis[cell].high);
      weights[cell] = rows > 0 ? leaves[i].count * (of_cell / rows) : 1;
    }
  }
}

/// Neighbouring leaves that are counted together.
struct Bin {
  std::vector<Leaf> leaves;
  double count = 0;
  void add(const Bin& next) {
    leaves.insert(leaves.end(), next.leaves.begin(), next.leaves.end());
    count += next.count;
  }
};

/// The rows of two bins times their distance in cells. Once joined, only the search's noisy counts
/// tell the bins apart.
double cost_of_joining(const Bin& a, const Bin& b) {
  return (a.count + b.count) *
         (middle_of(b.leaves.back().inhabited) - middle_of(a.leaves.front().inhabited));
}

/// Puts neighbours together: those that cost least, until at most kBinsOfRun are left, and a tail's
/// last ones, until they have `enough` rows.
std::vector<Bin> put_together(const std::vector<Leaf>& leaves, double enough) {
  std::vector<Bin> bins;
  for (const Leaf& leaf : leaves) bins.push_back({{leaf}, std::max(leaf.count, 0.0)});
  while (bins.size() > kBinsOfRun) {
    std::size_t least = 0;
    for (std::size_t i = 1; i + 1 < bins.size(); ++i) {
      if (cost_of_joining(bins[i], bins[i + 1]) < cost_of_joining(bins[least], bins[least + 1])) {
        least = i;
      }
    }
    bins[least].add(bins[least + 1]);
    bins.erase(bins.begin() + static_cast<std::ptrdiff_t>(least) + 1);
  }
  while (bins.size() > 1 && bins.back().leaves.back().is_tail && bins.back().count < enough) {
    bins[bins.size() - 2].add(bins.back());
    bins.pop_back();
  }
  return bins;
}

/// The weights of a bin's cells. Guesses give way to leaves whose rows are seen.
void weigh(const std::vector<Leaf>& all, std::size_t first, const Bin& bin,
           std::vector<double>& weights) {
  const bool any_seen = std::any_of(bin.leaves.begin(), bin.leaves.end(), [](const Leaf& leaf) {
    return !leaf.is_guess && leaf.count > 0;
  });
  if (any_seen) {
    for (std::size_t i = 0; i < bin.leaves.size(); ++i) {
      if (bin.leaves[i].is_guess || bin.leaves[i].is_tail || !(bin.leaves[i].count > 0)) continue;
      spread(bin.leaves[i], steepness_of(all, first + i), weights);
    }
    return;
  }
  // Of guesses the narrowest.
  std::size_t narrowest = 0;
  for (std::size_t i = 1; i < bin.leaves.size(); ++i) {
    if (cells_in(bin.leaves[i].inhabited) < cells_in(bin.leaves[narrowest].inhabited))
      narrowest = i;
  }
  Leaf leaf = bin.leaves[narrowest];
  const double steepness = steepness_of(all, first + narrowest);
  leaf.count = 1;
  spread(leaf, steepness, weights);
}

}  // namespace

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

FoundBins without_search(std::size_t size) {
  return {single_cells(size), std::vector<double>(size, 1.0)};
}

FoundBins one_bin(std::size_t size) {
  return {{std::vector<std::uint32_t>(size), 1}, std::vector<double>(size, 1.0)};
}

FoundBins cut_by_class(FoundBins bins, std::span<const std::uint32_t> classes) {
  if (classes.empty()) return bins;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number;
  std::vector<double> sums;
  for (std::size_t cell = 0; cell < classes.size(); ++cell) {
    std::uint32_t& bin = bins.groups.of[cell];
    const auto next = static_cast<std::uint32_t>(number.size());
    bin = number.emplace(std::pair(bin, classes[cell]), next).first->second;
    sums.resize(number.size());
    sums[bin] += bins.weights[cell];
  }
  bins.groups.count = static_cast<std::uint32_t>(number.size());
  // Of a part whose rows noise hid, all cells are alike.
  for (std::size_t cell = 0; cell < classes.size(); ++cell) {
    if (!(sums[bins.groups.of[cell]] > 0)) bins.weights[cell] = 1;
  }
  return bins;
}

FoundBins find_bins(const MarginalColumn& column, MarginalAnswers& answers,
                    const MarginalBudget& budget, std::uint32_t parts_each,
                    const ColumnAxis& axis) {
  const std::vector<CellRun> runs = runs_of(column);
  const double no_noise =
      budget.notion() == PrivacyNotion::kPure ? kNoNoiseIfLaplace : kNoNoiseIfGaussian;
  const double least = no_noise * budget.deviation(parts_each);
  double to_cut = least;
  std::vector<CellRun> looked_at = runs;
  std::vector<Leaf> leaves;
  for (std::size_t level = 0; level < kBinLevels; ++level) {
    std::vector<std::vector<CountedRun>> parts;
    std::vector<CellRun> counted;
    for (const CellRun& run : looked_at) {
      std::vector<CountedRun>& of_run = parts.emplace_back();
      for (const CellRun& part : parts_of(run)) {
        of_run.push_back({part});
        counted.push_back(part);
      }
    }
    const CellGroups groups = groups_of(column.size, counted);
    const std::vector<double> counts = answers.measure({{0}, {groups}}, parts_each);
    double total = 0;
    for (std::vector<CountedRun>& of_run : parts) {
      for (CountedRun& part : of_run) total += part.count = counts[groups.of[part.run.first]];
    }
    if (level == 0) to_cut = std::max(least, total / kSharesToCut);
    looked_at.clear();
    for (const std::vector<CountedRun>& of_run : parts) {
      divide(of_run, level == 0, least, to_cut, looked_at, leaves);
    }
  }
  // Runs of more than kPartsOfRun^kBinLevels cells are not cut to the end.
  for (const CellRun& run : looked_at) leaves.push_back({run, least, run, false});
  std::sort(leaves.begin(), leaves.end(),
            [](const Leaf& a, const Leaf& b) { return a.run.first < b.run.first; });
  FoundBins found{{std::vector<std::uint32_t>(column.size), 0}, std::vector<double>(column.size)};
  std::vector<CellRun> counted;
  auto next = leaves.begin();
  for (const CellRun& run : runs) {
    std::vector<Leaf> of_run;
    for (; next != leaves.end() && next->run.first < run.second; ++next) of_run.push_back(*next);
    if (!axis.empty() && next == leaves.end()) {
      follow_tail(axis, budget.deviation(parts_each), of_run, found.weights);
    }
    std::size_t first = 0;
    for (const Bin& bin : put_together(of_run, least)) {
      weigh(of_run, first, bin, found.weights);
      first += bin.leaves.size();
      counted.emplace_back(bin.leaves.front().run.first, bin.leaves.back().run.second);
    }
  }
  for (const std::uint32_t cell : column.apart) {
    counted.emplace_back(cell, cell + 1);
    found.weights[cell] = 1;
  }
  std::sort(counted.begin(), counted.end());
  for (const auto& [first, end] : counted) {
    std::fill(found.groups.of.begin() + first, found.groups.of.begin() + end, found.groups.count++);
  }
  return found;
}

std::vector<double> shares_inside(const FoundBins& bins, const std::vector<double>& reference) {
  const std::vector<double> weights = grouped(bins.weights, bins.groups);
  const std::vector<double> records = grouped(reference, bins.groups);
  std::vector<double> shares;
  for (std::size_t cell = 0; cell < reference.size(); ++cell) {
    const std::uint32_t group = bins.groups.of[cell];
    shares.push_back((reference[cell] + bins.weights[cell] / weights[group]) /
                     (records[group] + 1));
  }
  return shares;
}

}  // namespace mollify
