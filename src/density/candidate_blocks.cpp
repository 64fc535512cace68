#include "density/candidate_blocks.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace mollify::detail {
namespace {

/// How much a range of values wants to be split: 0 if it is one value, above 1 for categories.
float spread(const MixedColumn& column, float low, float high) {
  if (low == high) return 0;
  switch (column.scale) {
    case Scale::kNumber:
      return high - low;
    case Scale::kCategory:
      return 1 + 1 / static_cast<float>(column.levels);
    case Scale::kOrdered:
      return (high - low) / static_cast<float>(column.levels - 1);
  }
  return 0;
}

}  // namespace

MixedPoints in_range(const MixedPoints& points) {
  MixedPoints result({points.columns().begin(), points.columns().end()}, points.size());
  for (std::size_t c = 0; c < points.columns().size(); ++c) {
    const MixedColumn& column = points.columns()[c];
    const auto read = [&](float value) {
      return column.scale == Scale::kNumber
                 ? number_in_range(value)
                 : static_cast<float>(level_in_range(value, column.levels));
    };
    std::ranges::transform(points.values(c), result.values(c).begin(), read);
  }
  return result;
}

CandidateBlocks::CandidateBlocks(const MixedPoints& candidates)
    : column_count_(candidates.columns().size()), order_(candidates.size()) {
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  split(in_range(candidates), 0, order_.size());
}

void CandidateBlocks::split(const MixedPoints& points, std::size_t begin, std::size_t end) {
  if (begin == end) return;
  if (end - begin <= kMost) {
    add_block(points, begin, end);
    return;
  }
  // A look at some candidates tells well enough which column is widest.
  std::size_t widest = 0;
  float most = 0;
  for (std::size_t c = 0; c < column_count_; ++c) {
    const std::span<const float> values = points.values(c);
    float low = values[order_[begin]];
    float high = low;
    for (std::size_t i = begin; i < end; i += (end - begin) / kMost) {
      low = std::min(low, values[order_[i]]);
      high = std::max(high, values[order_[i]]);
    }
    const float column_spread = spread(points.columns()[c], low, high);
    if (column_spread > most) {
      most = column_spread;
      widest = c;
    }
  }
  // So that all blocks but the last of a range are full.
  std::size_t middle = begin + ((end - begin) / 2 + kMost - 1) / kMost * kMost;
  if (most > 0) {
    const std::span<const float> values = points.values(widest);
    const auto at = [&](std::size_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end),
                     [&](std::uint32_t i, std::uint32_t j) { return values[i] < values[j]; });
    if (points.columns()[widest].scale != Scale::kNumber) {
      // Between levels, on the side where more balance is kept.
      const float level = values[order_[middle]];
      const auto below =
          std::partition(at(begin), at(end), [&](std::uint32_t i) { return values[i] < level; });
      const auto equal =
          std::partition(below, at(end), [&](std::uint32_t i) { return values[i] == level; });
      const bool take_level = below == at(begin) || equal - at(begin) < at(end) - below;
      middle = static_cast<std::size_t>((take_level && equal != at(end) ? equal : below) -
                                        order_.begin());
    }
  }
  split(points, begin, middle);
  split(points, middle, end);
}

void CandidateBlocks::add_block(const MixedPoints& points, std::size_t begin, std::size_t end) {
  const std::size_t count = end - begin;
  const std::size_t padded = (count + kLanes - 1) / kLanes * kLanes;
  blocks_.push_back({begin, count, padded, values_.size()});
  for (std::size_t c = 0; c < column_count_; ++c) {
    const std::span<const float> values = points.values(c);
    const std::size_t first = values_.size();
    for (std::size_t i = 0; i < padded; ++i) {
      values_.push_back(values[order_[begin + std::min(i, count - 1)]]);
    }
    const auto [low, high] =
        std::minmax_element(values_.begin() + static_cast<std::ptrdiff_t>(first), values_.end());
    lows_.push_back(*low);
    highs_.push_back(*high);
  }
}

}  // namespace mollify::detail
