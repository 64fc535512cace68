#include "methods/marginals/private_bins.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace mollify {

namespace {

/// A count is no noise above this many standard deviations of it: by chance alone one part in ten
/// thousand is.
constexpr double kNoNoiseIfLaplace = 6;
constexpr double kNoNoiseIfGaussian = 4;
/// A part with a smaller share of the rows than one in this many is not cut.
constexpr double kSharesToCut = 32;
/// Inside a group the density changes by a factor of e^kSteepest at most.
constexpr double kSteepest = 8;

struct Part {
  CellRun run;
  double count = 0;
};

struct Bin {
  CellRun run;
  double count = 0;
  std::vector<CellRun> inhabited{};
  bool is_guess = false;  ///< where it is inhabited
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

Bin bin_of(std::span<const Part> parts) {
  const CellRun run{parts.front().run.first, parts.back().run.second};
  Bin bin{run, 0, {run}, false};
  for (const Part& part : parts) bin.count += part.count;
  return bin;
}

/// Parts whose counts are noise, between others. Unless they have more together than noise, their
/// few rows are taken to lie beside those: nobody knows where they are, and far away they would
/// move every mean.
void add_unseen(std::span<const Part> parts, bool has_left, bool has_right, double least,
                std::vector<Bin>& bins) {
  Bin all = bin_of(parts);
  const bool is_seen = all.count >= least * std::sqrt(static_cast<double>(parts.size()));
  if (is_seen || !(has_left || has_right)) {
    bins.push_back(std::move(all));
    return;
  }
  const std::size_t middle = !has_right ? parts.size() : !has_left ? 0 : (parts.size() + 1) / 2;
  if (middle > 0) {
    bins.push_back(bin_of(parts.first(middle)));
    bins.back().inhabited = {parts.front().run};
    bins.back().is_guess = true;
  }
  if (middle < parts.size()) {
    bins.push_back(bin_of(parts.subspan(middle)));
    bins.back().inhabited = {parts.back().run};
    bins.back().is_guess = true;
  }
}

/// Divides the parts of one run into those to be cut again, with counts from `to_cut`, and bins: a
/// count from `least` is no noise.
void divide(std::span<const Part> parts, bool is_whole, double least, double to_cut,
            std::vector<CellRun>& looked_at, std::vector<Bin>& bins) {
  const auto is_seen = [&](const Part& part) { return part.count >= least; };
  // Cut no further than where something stands out.
  if (!is_whole && std::none_of(parts.begin(), parts.end(), is_seen)) {
    bins.push_back(bin_of(parts));
    return;
  }
  for (std::size_t i = 0; i < parts.size();) {
    std::size_t end = i;
    while (end < parts.size() && !is_seen(parts[end])) ++end;
    if (end > i) {
      add_unseen(parts.subspan(i, end - i), i > 0, end < parts.size(), least, bins);
      i = end;
      continue;
    }
    const CellRun& run = parts[i].run;
    if (run.second - run.first > 1 && parts[i].count >= to_cut) {
      looked_at.push_back(run);
    } else {
      bins.push_back(bin_of(parts.subspan(i, 1)));
    }
    ++i;
  }
}

/// The cells of a group in which its values are drawn.
class Inhabited {
 public:
  void add(std::size_t cell, double mass) {
    if (count_ == 0) first_ = cell;
    last_ = cell;
    ++count_;
    mass_ = mass;
  }

  [[nodiscard]] double middle() const { return static_cast<double>(first_ + last_) / 2; }

  /// How fast the logarithm of the density changes from cell to cell, by the groups before and after.
  [[nodiscard]] double steepness(const Inhabited* before, const Inhabited* after) const {
    if (!is_a_run() || count_ < 2) return 0;
    if (before != nullptr && !before->is_a_run()) before = nullptr;
    if (after != nullptr && !after->is_a_run()) after = nullptr;
    if (before == nullptr && after == nullptr) return 0;
    const Inhabited& from = before != nullptr ? *before : *this;
    const Inhabited& to = after != nullptr ? *after : *this;
    const double most = kSteepest / static_cast<double>(count_);
    const double slope = std::log(to.density() / from.density()) / (to.middle() - from.middle());
    return std::clamp(slope, -most, most);
  }

 private:
  [[nodiscard]] double density() const { return mass_ / static_cast<double>(count_); }
  /// A cell that stays by itself says nothing of those beside it.
  [[nodiscard]] bool is_a_run() const {
    return count_ > 1 && last_ - first_ + 1 == count_ && mass_ > 0;
  }

  std::size_t first_ = 0;
  std::size_t last_ = 0;
  std::size_t count_ = 0;
  double mass_ = 0;
};

double inhabited_cells(const Bin& bin) {
  double cells = 0;
  for (const auto& [first, end] : bin.inhabited) cells += end - first;
  return cells;
}

/// How many rows are moved how far, in cells, if both bins have one density.
double cost_of_joining(const Bin& a, const Bin& b) {
  const double width = inhabited_cells(a) + inhabited_cells(b);
  const double one = std::max(a.count, 0.0), other = std::max(b.count, 0.0);
  return std::abs(one - (one + other) * inhabited_cells(a) / width) * width;
}

/// Puts a bin together with the next one. A guess gives way.
void join(Bin& into, const Bin& from) {
  const bool takes_over =
      into.is_guess && (!from.is_guess || inhabited_cells(from) < inhabited_cells(into));
  if (takes_over) {
    into.inhabited = from.inhabited;
    into.is_guess = from.is_guess;
  } else if (!into.is_guess && !from.is_guess) {
    into.inhabited.insert(into.inhabited.end(), from.inhabited.begin(), from.inhabited.end());
  }
  into.run.second = from.run.second;
  into.count += from.count;
}

/// Puts those neighbours together that are most alike, until at most kBinsOfRun are left.
void put_together(std::vector<Bin>& bins) {
  std::vector<double> costs;
  for (std::size_t i = 0; i + 1 < bins.size(); ++i) {
    costs.push_back(cost_of_joining(bins[i], bins[i + 1]));
  }
  while (bins.size() > kBinsOfRun) {
    const auto place = std::min_element(costs.begin(), costs.end()) - costs.begin();
    const auto at = static_cast<std::size_t>(place);
    join(bins[at], bins[at + 1]);
    bins.erase(bins.begin() + place + 1);
    costs.erase(costs.begin() + place);
    if (at > 0) costs[at - 1] = cost_of_joining(bins[at - 1], bins[at]);
    if (at < costs.size()) costs[at] = cost_of_joining(bins[at], bins[at + 1]);
  }
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
  return {single_cells(size), std::vector<bool>(size, true)};
}

FoundBins find_bins(const MarginalColumn& column, MarginalAnswers& answers,
                    const MarginalBudget& budget, std::uint32_t parts_each) {
  const std::vector<CellRun> runs = runs_of(column);
  const double no_noise =
      budget.notion() == PrivacyNotion::kPure ? kNoNoiseIfLaplace : kNoNoiseIfGaussian;
  const double least = no_noise * budget.deviation(parts_each);
  double to_cut = least;
  std::vector<CellRun> looked_at = runs;
  std::vector<Bin> bins;
  for (std::size_t level = 0; level < kBinLevels; ++level) {
    std::vector<std::vector<Part>> parts;
    std::vector<CellRun> counted;
    for (const CellRun& run : looked_at) {
      std::vector<Part>& of_run = parts.emplace_back();
      for (const CellRun& part : parts_of(run)) {
        of_run.push_back({part});
        counted.push_back(part);
      }
    }
    const CellGroups groups = groups_of(column.size, counted);
    const std::vector<double> counts = answers.measure({{0}, {groups}}, parts_each);
    double total = 0;
    for (std::vector<Part>& of_run : parts) {
      for (Part& part : of_run) total += part.count = counts[groups.of[part.run.first]];
    }
    if (level == 0) to_cut = std::max(least, total / kSharesToCut);
    looked_at.clear();
    for (const std::vector<Part>& of_run : parts) {
      divide(of_run, level == 0, least, to_cut, looked_at, bins);
    }
  }
  // Runs of more than kPartsOfRun^kBinLevels cells are not cut to the end.
  for (const CellRun& run : looked_at) bins.push_back({run, least, {run}, false});
  std::sort(bins.begin(), bins.end(),
            [](const Bin& a, const Bin& b) { return a.run.first < b.run.first; });
  FoundBins found{{std::vector<std::uint32_t>(column.size), 0},
                  std::vector<bool>(column.size, false)};
  std::vector<Bin> all;
  auto next = bins.begin();
  for (const CellRun& run : runs) {
    std::vector<Bin> of_run;
    for (; next != bins.end() && next->run.first < run.second; ++next) of_run.push_back(*next);
    put_together(of_run);
    all.insert(all.end(), of_run.begin(), of_run.end());
  }
  for (const std::uint32_t cell : column.apart) {
    all.push_back({{cell, cell + 1}, 0, {{cell, cell + 1}}, false});
  }
  std::sort(all.begin(), all.end(),
            [](const Bin& a, const Bin& b) { return a.run.first < b.run.first; });
  for (const Bin& bin : all) {
    std::fill(found.groups.of.begin() + bin.run.first, found.groups.of.begin() + bin.run.second,
              found.groups.count++);
    for (const auto& [first, end] : bin.inhabited) {
      std::fill(found.inhabited.begin() + first, found.inhabited.begin() + end, true);
    }
  }
  return found;
}

std::vector<double> shares_inside(const FoundBins& bins, const std::vector<double>& masses,
                                  const std::vector<double>& reference) {
  const CellGroups& groups = bins.groups;
  const std::size_t cells = groups.of.size();
  std::vector<Inhabited> of_groups(groups.count);
  std::vector<double> records(groups.count);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::uint32_t group = groups.of[cell];
    records[group] += reference[cell];
    if (bins.inhabited[cell]) of_groups[group].add(cell, masses[group]);
  }
  std::vector<double> weights(cells);
  std::vector<double> sums(groups.count);
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::uint32_t group = groups.of[cell];
    if (!bins.inhabited[cell]) continue;
    const Inhabited& one = of_groups[group];
    weights[cell] =
        std::exp(one.steepness(group > 0 ? &of_groups[group - 1] : nullptr,
                               group + 1 < groups.count ? &of_groups[group + 1] : nullptr) *
                 (static_cast<double>(cell) - one.middle()));
    sums[group] += weights[cell];
  }
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::uint32_t group = groups.of[cell];
    weights[cell] = (reference[cell] + weights[cell] / sums[group]) / (records[group] + 1);
  }
  return weights;
}

}  // namespace mollify
