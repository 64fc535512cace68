#include "methods/marginals/counts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace mollify {

namespace {

/// NaN and negative counts as 0.
double at_least_zero(double count) { return count > 0 ? count : 0; }

/// Numbers groups by their first cells.
CellGroups renumbered(std::vector<std::uint32_t> labels) {
  constexpr std::uint32_t kNone = ~std::uint32_t{0};
  CellGroups groups;
  std::vector<std::uint32_t> number(labels.size() + 1, kNone);
  for (const std::uint32_t label : labels) {
    if (number[label] == kNone) number[label] = groups.count++;
    groups.of.push_back(number[label]);
  }
  return groups;
}

}  // namespace

CellGroups single_cells(std::size_t size) {
  CellGroups groups{std::vector<std::uint32_t>(size), static_cast<std::uint32_t>(size)};
  std::iota(groups.of.begin(), groups.of.end(), 0U);
  return groups;
}

CellGroups merge_rare(std::span<const double> counts, bool ordered, double least) {
  std::vector<std::uint32_t> labels(counts.size());
  if (!ordered) {
    // All that is rare has one label, and takes the rarest other cell if it is rare together.
    const auto rare = static_cast<std::uint32_t>(counts.size());
    double together = 0;
    bool any = false;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const bool frequent = counts[i] >= least;
      labels[i] = frequent ? static_cast<std::uint32_t>(i) : rare;
      if (frequent) continue;
      together += at_least_zero(counts[i]);
      any = true;
    }
    std::size_t rarest = counts.size();
    for (std::size_t i = 0; i < counts.size(); ++i) {
      if (labels[i] != rare && (rarest == counts.size() || counts[i] < counts[rarest])) rarest = i;
    }
    if (any && together < least && rarest < counts.size()) labels[rarest] = rare;
    return renumbered(std::move(labels));
  }
  // Runs are closed as soon as they have enough; the rest at the end joins the last one.
  std::uint32_t run = 0;
  double together = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    // A frequent cell stays by itself where the run before it can join the one before that.
    if (i > begin && begin > 0 && counts[i] >= least) {
      for (std::size_t j = begin; j < i; ++j) labels[j] = run - 1;
      begin = i;
      together = 0;
    }
    together += at_least_zero(counts[i]);
    labels[i] = run;
    if (together >= least) {
      ++run;
      begin = i + 1;
      together = 0;
    }
  }
  if (begin < counts.size() && run > 0) {
    for (std::size_t j = begin; j < counts.size(); ++j) labels[j] = run - 1;
  }
  return renumbered(std::move(labels));
}

CellGroups coarsen(std::span<const double> counts, bool ordered, std::uint32_t most) {
  if (counts.size() <= most) return single_cells(counts.size());
  std::vector<std::uint32_t> labels(counts.size());
  if (!ordered) {
    std::vector<std::uint32_t> by_count(counts.size());
    std::iota(by_count.begin(), by_count.end(), 0U);
    std::stable_sort(by_count.begin(), by_count.end(), [&](std::uint32_t a, std::uint32_t b) {
      return at_least_zero(counts[a]) > at_least_zero(counts[b]);
    });
    for (std::uint32_t rank = 0; rank < by_count.size(); ++rank) {
      labels[by_count[rank]] = std::min(rank, most - 1);
    }
    return renumbered(std::move(labels));
  }
  double left = 0;
  for (const double count : counts) left += at_least_zero(count);
  std::uint32_t run = 0;
  double together = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double count = at_least_zero(counts[i]);
    const double wanted = left / (most - run);
    // A cell goes to the side that makes the run's count nearest to its share of the rest.
    if (together > 0 && run + 1 < most && together + count / 2 > wanted) {
      left -= together;
      ++run;
      together = 0;
    }
    labels[i] = run;
    together += count;
  }
  return renumbered(std::move(labels));
}

namespace {

/// How far apart rows are taken to be that look alike, as a sum of distances of their shares.
constexpr double kUnseenChange = 0.1;

/// The part of all that a row has, and its cells' shares.
struct RowOfCells {
  double part = 0;
  std::vector<double> shares;

  RowOfCells(std::span<const double> cells, double all) : shares(cells.begin(), cells.end()) {
    for (const double cell : cells) part += cell;
    for (double& share : shares) share = part > 0 ? share / part : 0;
    part /= all;
  }
  [[nodiscard]] double distance(const RowOfCells& other) const {
    double sum = kUnseenChange;
    for (std::size_t i = 0; i < shares.size(); ++i) sum += std::abs(shares[i] - other.shares[i]);
    return sum;
  }
};

/// Greater where rows change faster, so that runs of equal sums lose about equally much.
std::vector<double> weights_of_changes(const std::vector<RowOfCells>& rows) {
  // A jump is spread over this part of all on both sides.
  constexpr double kReach = 1.0 / 28;
  std::vector<double> ends;  // of all up to each row
  for (const RowOfCells& row : rows) ends.push_back(row.part + (ends.empty() ? 0 : ends.back()));
  std::vector<double> weights;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double change = kUnseenChange * rows[i].part;
    for (std::size_t jump = 1; jump < rows.size(); ++jump) {
      const double length = std::min(ends[jump - 1] + kReach, ends[i]) -
                            std::max(ends[jump - 1] - kReach, ends[i] - rows[i].part);
      if (length > 0) change += length / (2 * kReach) * rows[jump].distance(rows[jump - 1]);
    }
    weights.push_back(std::sqrt(rows[i].part * change));
  }
  return weights;
}

}  // namespace

std::vector<CellGroups> alike_cells(std::span<const double> table, std::size_t cells, bool ordered,
                                    std::span<const std::uint32_t> most) {
  const std::size_t width = table.size() / cells;
  const double all = std::accumulate(table.begin(), table.end(), 0.0);
  std::vector<RowOfCells> rows;
  for (std::size_t i = 0; i < cells; ++i) rows.emplace_back(table.subspan(i * width, width), all);
  std::vector<CellGroups> found(most.size());
  if (ordered) {
    const std::vector<double> weights = weights_of_changes(rows);
    for (std::size_t k = 0; k < most.size(); ++k) found[k] = coarsen(weights, true, most[k]);
    return found;
  }
  // The two groups are put together that lose least, time after time.
  std::vector<std::uint32_t> labels = single_cells(cells).of;
  std::vector<std::size_t> left(labels.begin(), labels.end());
  std::vector<std::vector<double>> losses(cells, std::vector<double>(cells));
  const auto find_losses = [&](std::size_t a) {
    for (const std::size_t b : left) {
      const double mean =
          rows[a].part * rows[b].part / std::max(rows[a].part + rows[b].part, 1e-300);
      losses[std::max(a, b)][std::min(a, b)] = mean * rows[a].distance(rows[b]);
    }
  };
  for (const std::size_t a : left) find_losses(a);
  for (std::size_t k = most.size();;) {
    for (; k > 0 && left.size() <= most[k - 1]; --k) found[k - 1] = renumbered(labels);
    if (k == 0) return found;
    std::size_t a = left[1], b = left[0];
    for (std::size_t x = 1; x < left.size(); ++x) {
      for (std::size_t y = 0; y < x; ++y) {
        if (losses[left[x]][left[y]] < losses[a][b]) a = left[x], b = left[y];
      }
    }
    std::vector<double> both(width);
    for (std::size_t i = 0; i < width; ++i) {
      both[i] = rows[a].part * rows[a].shares[i] + rows[b].part * rows[b].shares[i];
    }
    rows[b] = RowOfCells(both, 1);
    for (std::uint32_t& label : labels) label = label == a ? static_cast<std::uint32_t>(b) : label;
    std::erase(left, a);
    find_losses(b);
  }
}

CellGroups by_class(std::span<const double> counts, bool ordered,
                    std::span<const std::uint32_t> classes,
                    const std::function<CellGroups(std::span<const double>, double)>& make) {
  if (classes.empty()) return make(counts, 1);
  std::vector<std::vector<std::uint32_t>> parts;
  std::map<std::uint32_t, std::size_t> part_of;
  for (std::uint32_t cell = 0; cell < counts.size(); ++cell) {
    const bool goes_on = ordered && cell > 0 && classes[cell] == classes[cell - 1];
    const std::size_t part = goes_on   ? parts.size() - 1
                             : ordered ? parts.size()
                                       : part_of.emplace(classes[cell], parts.size()).first->second;
    if (part == parts.size()) parts.emplace_back();
    parts[part].push_back(cell);
  }
  std::vector<std::uint32_t> labels(counts.size());
  std::uint32_t first = 0;
  for (const std::vector<std::uint32_t>& part : parts) {
    std::vector<double> of_part;
    for (const std::uint32_t cell : part) of_part.push_back(counts[cell]);
    const CellGroups groups =
        make(of_part, static_cast<double>(part.size()) / static_cast<double>(counts.size()));
    for (std::size_t i = 0; i < part.size(); ++i) labels[part[i]] = first + groups.of[i];
    first += groups.count;
  }
  return renumbered(std::move(labels));
}

std::vector<double> without_noise(std::span<const double> counts, double deviation) {
  constexpr std::size_t kSizes = 32;
  constexpr double kMostDeviations = 8;  // beyond, noise hardly matters
  // Counts that are assumed before: without them few great ones among many empty cells shrink.
  const double assumed_counts = 2 + static_cast<double>(counts.size()) / 10;
  constexpr int kRounds = 30;
  std::vector<double> seen, sizes, weights;
  for (const double count : counts) {
    seen.push_back(std::isfinite(count) ? std::min(count / deviation, kMostDeviations) : 0);
  }
  double sum = 0;
  for (std::size_t j = 0; j < kSizes; ++j) {
    const double part = (static_cast<double>(j) + 0.5) / static_cast<double>(kSizes);
    sizes.push_back(part * part * kMostDeviations);
    weights.push_back(part / (1 + sizes.back()));  // about 1 / size
    sum += weights.back();
  }
  for (double& weight : weights) weight /= sum;
  const std::vector<double> assumed = weights;
  std::vector<double> likely(seen.size());
  for (int round = 0; round <= kRounds; ++round) {
    std::vector<double> found = assumed;
    for (double& one : found) one *= assumed_counts;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      std::array<double, kSizes> of{};
      double all = 0, mean = 0;
      for (std::size_t j = 0; j < kSizes; ++j) {
        // Of the least size it is 1, so that no sum vanishes.
        const double away = (sizes[j] - sizes[0]) * (seen[i] - (sizes[j] + sizes[0]) / 2);
        all += of[j] = weights[j] * std::exp(std::max(away, -700.0));
        mean += of[j] * sizes[j];
      }
      for (std::size_t j = 0; j < kSizes; ++j) found[j] += of[j] / all;
      likely[i] = mean / all;
    }
    const double total = static_cast<double>(seen.size()) + assumed_counts;
    for (std::size_t j = 0; j < kSizes; ++j) weights[j] = found[j] / total;
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool is_great = seen[i] >= kMostDeviations;
    likely[i] = is_great ? counts[i] : likely[i] * deviation;
  }
  return likely;
}

std::vector<double> grouped(std::span<const double> counts, const CellGroups& groups) {
  std::vector<double> sums(groups.count);
  for (std::size_t i = 0; i < counts.size(); ++i) sums[groups.of[i]] += counts[i];
  return sums;
}

}  // namespace mollify
