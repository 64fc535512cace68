#include "density/empirical_points.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>

#include "density/candidate_blocks.h"

namespace mollify {

/// Finds the candidate nearest to a row.
class EmpiricalScorer::Nearest {
 public:
  explicit Nearest(const MixedPoints& candidates)
      : columns_(candidates.columns().begin(), candidates.columns().end()),
        candidates_(candidates) {}

  /// The first of the nearest candidates. `least_distances` is scratch, one for each block.
  std::uint32_t find(std::span<const float> row, std::span<float> least_distances) const {
    const std::span<const Block> blocks = candidates_.blocks();
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      float sum = 0;
      for (std::size_t c = 0; c < row.size(); ++c) {
        const float low = candidates_.lows(b)[c];
        const float high = candidates_.highs(b)[c];
        sum += squared(c, std::max({low - row[c], row[c] - high, 0.0F}));
      }
      least_distances[b] = sum;
    }
    const auto closest = std::ranges::min_element(least_distances) - least_distances.begin();
    Found best{std::numeric_limits<float>::infinity(), std::numeric_limits<std::uint32_t>::max()};
    look_into(blocks[static_cast<std::size_t>(closest)], row, best);
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (least_distances[b] <= best.distance) look_into(blocks[b], row, best);
    }
    return best.candidate;
  }

  [[nodiscard]] std::size_t block_count() const { return candidates_.blocks().size(); }

 private:
  using Block = detail::CandidateBlocks::Block;

  struct Found {
    float distance;
    std::uint32_t candidate;
  };

  /// What a column adds to the squared distance.
  [[nodiscard]] float squared(std::size_t column, float difference) const {
    const auto [scale, levels] = columns_[column];
    if (scale == Scale::kCategory) return difference != 0 ? 1.0F : 0.0F;
    if (scale == Scale::kOrdered) difference /= static_cast<float>(std::max(levels, 2U) - 1);
    return difference * difference;
  }

  void look_into(const Block& block, std::span<const float> row, Found& best) const {
    std::array<float, detail::CandidateBlocks::kMost> distances{};
    for (std::size_t c = 0; c < row.size(); ++c) {
      const float* const values = candidates_.values(block, c);
      for (std::size_t j = 0; j < block.count; ++j) distances[j] += squared(c, values[j] - row[c]);
    }
    for (std::size_t j = 0; j < block.count; ++j) {
      const std::uint32_t candidate = candidates_.order()[block.first + j];
      if (distances[j] < best.distance ||
          (distances[j] == best.distance && candidate < best.candidate)) {
        best = {distances[j], candidate};
      }
    }
  }

  std::vector<MixedColumn> columns_;
  detail::CandidateBlocks candidates_;
};

EmpiricalScorer::EmpiricalScorer(const MixedPoints& candidates)
    : Scorer(candidates),
      nearest_(std::make_unique<const Nearest>(candidates)),
      first_equal_(candidates.size()),
      equal_counts_(candidates.size()) {
  const MixedPoints read = detail::in_range(candidates);
  std::vector<std::uint32_t> order(candidates.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  const auto compare = [&](std::uint32_t i, std::uint32_t j) {
    for (std::size_t c = 0; c < columns().size(); ++c) {
      const float x = read.values(c)[i];
      const float y = read.values(c)[j];
      if (x != y) return x < y ? -1 : 1;
    }
    return 0;
  };
  std::ranges::sort(order, [&](std::uint32_t i, std::uint32_t j) {
    const int compared = compare(i, j);
    return compared < 0 || (compared == 0 && i < j);
  });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_new = k == 0 || compare(order[k - 1], order[k]) != 0;
    first_equal_[order[k]] = is_new ? order[k] : first_equal_[order[k - 1]];
    ++equal_counts_[first_equal_[order[k]]];
  }
}

EmpiricalScorer::~EmpiricalScorer() = default;

void EmpiricalScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  if (scores.empty()) return;
  const MixedPoints read = detail::in_range(rows);
  std::vector<float> row(columns().size());
  std::vector<float> scratch(nearest_->block_count());
  std::vector<double> counts(scores.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t c = 0; c < row.size(); ++c) row[c] = read.values(c)[i];
    ++counts[first_equal_[nearest_->find(row, scratch)]];
  }
  const double scale = static_cast<double>(scores.size()) / static_cast<double>(rows.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const std::uint32_t first = first_equal_[j];
    scores[j] =
        static_cast<float>(counts[first] * scale / static_cast<double>(equal_counts_[first]));
  }
}

}  // namespace mollify
