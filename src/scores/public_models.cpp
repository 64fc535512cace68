#include "scores/public_models.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "core/ranges.h"
#include "domain/candidates.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/numbers.h"

namespace mollify {

namespace {

/// The number for the largest share of a run.
constexpr double kParts = 0x1p24;
/// Of the factors of shares around public records, in turn.
constexpr std::array<int, 3> kFactorShapes = {1, 8, 64};
/// Number of uniforms of at least 2^-54 with a product that is a normal double.
constexpr int kMostFactors = 16;

/// Gamma of a whole shape, divided by it.
double gamma_factor(SeededRandom& random, int shape) {
  double sum = 0;
  for (int left = shape; left > 0; left -= kMostFactors) {
    double product = 1;
    for (int i = std::min(left, kMostFactors); i > 0; --i) {
      product *= (static_cast<double>(random.word() >> 11) + 0.5) * 0x1p-53;
    }
    sum -= same_log(product);
  }
  return sum / shape;
}

/// How often records have each cell of the first column with each of the second, row-major.
std::vector<double> pair_records(std::span<const std::uint32_t> records,
                                 const std::vector<std::uint32_t>& sizes, std::size_t first,
                                 std::size_t second) {
  std::vector<double> counts(std::size_t{sizes[first]} * sizes[second]);
  for (std::size_t row = 0; row < records.size(); row += sizes.size()) {
    counts[std::size_t{records[row + first]} * sizes[second] + records[row + second]] += 1;
  }
  return counts;
}

/// Times the number of records, up to a constant: sum of n log(n / (row column)).
double mutual_information(const std::vector<double>& counts, std::size_t columns) {
  std::vector<double> row_sums(counts.size() / columns);
  std::vector<double> column_sums(columns);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    row_sums[i / columns] += counts[i];
    column_sums[i % columns] += counts[i];
  }
  const double all = std::accumulate(row_sums.begin(), row_sums.end(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!(counts[i] > 0)) continue;
    sum +=
        counts[i] * same_log(counts[i] * all / (row_sums[i / columns] * column_sums[i % columns]));
  }
  return sum;
}

/// Columns in random order, each with one of those before it.
std::vector<std::size_t> random_parents(SeededRandom& random, std::size_t columns) {
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::size_t> parents(columns, PublicModels::kNoParent);
  for (std::size_t i = 1; i < columns; ++i) {
    std::swap(order[i], order[random.below(i + 1)]);
  }
  for (std::size_t i = 1; i < columns; ++i) parents[order[i]] = order[random.below(i)];
  return parents;
}

}  // namespace

PublicModels::PublicModels(const Domain& domain, std::uint64_t count, ModelShapes shapes,
                           std::span<const std::uint32_t> reference)
    : shapes_(shapes), has_reference_(!reference.empty()), seed_(domain.seed()), count_(count) {
  require_between({"the number of models", "candidates", "candidates"}, count, 1, kMost);
  for (const Column& column : domain.columns()) sizes_.push_back(column.size());
  const auto are_few = [](std::span<const std::uint32_t> sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0}) <= kMostCells;
  };
  if (!are_few(sizes_)) {
    refuse_input("too-many-outcomes", {},
                 "models take at most {} cells of all columns together, but there are {}; {}",
                 kMostCells, std::accumulate(sizes_.begin(), sizes_.end(), std::uint64_t{0}),
                 domain.fewer_bins(are_few));
  }
  const auto shares_of = [&](std::span<const std::uint32_t> sizes) {
    double cells = 0;
    for (const std::uint32_t size : sizes) cells += size;
    const double widest = *std::max_element(sizes.begin(), sizes.end());
    // Of each second model a column may have a run for each cell of the widest one.
    return shapes == ModelShapes::kProducts ? cells : cells * (1 + widest) / 2;
  };
  const auto fits = [&](std::span<const std::uint32_t> sizes) {
    return shares_of(sizes) * static_cast<double>(count) <= static_cast<double>(kMostShares);
  };
  if (!fits(sizes_)) {
    refuse_input("too-much-work", "candidates",
                 "models may have at most {} shares in all, but {} models of {} cells have more; "
                 "{}, or ask for fewer models ({} {:.0f})",
                 kMostShares, count, shares_of(sizes_), domain.fewer_bins(fits),
                 flag_words("candidates"),
                 std::max(1.0, std::floor(static_cast<double>(kMostShares) / shares_of(sizes_))));
  }
  product_.parents.assign(sizes_.size(), kNoParent);
  product_.weights.assign(std::accumulate(sizes_.begin(), sizes_.end(), std::size_t{0}), 1);
  for (std::size_t i = 0; i < reference.size();) {
    std::size_t first = 0;
    for (const std::uint32_t size : sizes_) {
      product_.weights[first + reference[i++]] += 1;
      first += size;
    }
  }
  if (has_reference_ && shapes_ == ModelShapes::kProductsAndTrees)
    tree_ = reference_tree(reference);
}

std::size_t PublicModels::runs(const std::vector<std::size_t>& parents, std::size_t column) const {
  return parents[column] == kNoParent ? 1 : sizes_[parents[column]];
}

PublicModels::Shape PublicModels::reference_tree(std::span<const std::uint32_t> reference) const {
  const std::size_t columns = sizes_.size();
  Shape tree{std::vector<std::size_t>(columns, kNoParent), {}};
  // Prim's: each column's best edge to those that are in.
  std::vector<double> best(columns, -1);
  std::vector<bool> is_in(columns);
  std::size_t last = 0;
  for (std::size_t joined = 1; joined < columns; ++joined) {
    is_in[last] = true;
    for (std::size_t i = 0; i < columns; ++i) {
      if (is_in[i]) continue;
      const double weight = mutual_information(pair_records(reference, sizes_, last, i), sizes_[i]);
      if (weight <= best[i]) continue;
      best[i] = weight;
      tree.parents[i] = last;
    }
    std::size_t next = columns;
    for (std::size_t i = 0; i < columns; ++i) {
      if (!is_in[i] && (next == columns || best[i] > best[next])) next = i;
    }
    last = next;
  }
  std::size_t first = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    const std::span<const double> own(product_.weights.data() + first, sizes_[i]);
    const double all = std::accumulate(own.begin(), own.end(), 0.0);
    first += sizes_[i];
    if (tree.parents[i] == kNoParent) {
      tree.weights.insert(tree.weights.end(), own.begin(), own.end());
      continue;
    }
    const std::vector<double> counts = pair_records(reference, sizes_, tree.parents[i], i);
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      tree.weights.push_back(counts[cell] + own[cell % sizes_[i]] / all);
    }
  }
  return tree;
}

void PublicModels::visit_whole(
    const std::function<bool(std::uint64_t, const std::vector<std::size_t>&,
                             std::span<const std::uint32_t>)>& visit) const {
  SeededRandom random(seed_);
  const bool trees = shapes_ == ModelShapes::kProductsAndTrees;
  Shape random_tree;
  std::vector<double> drawn;
  std::vector<std::uint32_t> parts;
  for (std::uint64_t index = 0; index < count_; ++index) {
    keep_going();
    const bool is_tree = trees && index % 2 == 1;
    if (is_tree && !has_reference_) {
      random_tree.parents = random_parents(random, sizes_.size());
      std::size_t cells = 0;
      for (std::size_t i = 0; i < sizes_.size(); ++i) {
        cells += runs(random_tree.parents, i) * sizes_[i];
      }
      random_tree.weights.assign(cells, 1);
    }
    const Shape& shape = !is_tree ? product_ : has_reference_ ? tree_ : random_tree;
    const std::uint64_t turn = trees ? index / 2 : index;
    const int factor_shape = has_reference_ ? kFactorShapes[turn % kFactorShapes.size()] : 1;
    drawn.resize(shape.weights.size());
    parts.resize(shape.weights.size());
    std::size_t first = 0;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      for (std::size_t run = runs(shape.parents, i); run > 0; --run, first += sizes_[i]) {
        double largest = 0;
        for (std::size_t at = first; at < first + sizes_[i]; ++at) {
          drawn[at] = gamma_factor(random, factor_shape) * shape.weights[at];
          largest = std::max(largest, drawn[at]);
        }
        for (std::size_t at = first; at < first + sizes_[i]; ++at) {
          parts[at] = std::max(1U, static_cast<std::uint32_t>(drawn[at] / largest * kParts));
        }
      }
    }
    if (!visit(index, shape.parents, parts)) return;
  }
}

PublicModels::Model PublicModels::model_of(const std::vector<std::size_t>& parents,
                                           std::span<const std::uint32_t> parts) const {
  Model model{parents, std::vector<double>(parts.begin(), parts.end())};
  std::size_t first = 0;
  for (std::size_t i = 0; i < sizes_.size(); ++i) {
    for (std::size_t run = runs(parents, i); run > 0; --run, first += sizes_[i]) {
      double all = 0;
      for (std::size_t at = first; at < first + sizes_[i]; ++at) all += model.shares[at];
      for (std::size_t at = first; at < first + sizes_[i]; ++at) model.shares[at] /= all;
    }
  }
  return model;
}

void PublicModels::visit(const std::function<void(std::uint64_t, const Model&)>& visit) const {
  visit_whole([&](std::uint64_t index, const std::vector<std::size_t>& parents,
                  std::span<const std::uint32_t> parts) {
    visit(index, model_of(parents, parts));
    return true;
  });
}

PublicModels::Model PublicModels::model(std::uint64_t index) const {
  Model found;
  visit_whole([&](std::uint64_t at, const std::vector<std::size_t>& parents,
                  std::span<const std::uint32_t> parts) {
    if (at == index) found = model_of(parents, parts);
    return at < index;
  });
  return found;
}

std::string PublicModels::sha256() const {
  Sha256 hash;
  Progress progress("models", count_);
  visit_whole([&](std::uint64_t index, const std::vector<std::size_t>& parents,
                  std::span<const std::uint32_t> parts) {
    std::vector<unsigned char> bytes;
    bytes.reserve(4 * (parents.size() + parts.size()));
    const auto add = [&](std::uint32_t word) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<unsigned char>(word >> shift));
      }
    };
    for (const std::size_t parent : parents) {
      add(parent == kNoParent ? 0 : static_cast<std::uint32_t>(parent) + 1);
    }
    for (const std::uint32_t part : parts) add(part);
    hash.add(bytes);
    progress.reached(index + 1);
    return true;
  });
  return hash.hex();
}

}  // namespace mollify
