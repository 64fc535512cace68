#include "scores/records.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

#include "base/progress.h"
#include "domain/column.h"
#include "domain/domain.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Records as points of mixed scales.

RecordLayout::RecordLayout(const Domain& domain) {
  for (const Column& column : domain.columns()) {
    const Cells& cells = column.cells();
    const std::uint32_t codes_and_nulls = is_ordered(cells) ? column.codes_and_nulls() : 0;
    Place place{column.size() - codes_and_nulls, Scale::kCategory, codes_and_nulls, mixed_.size()};
    if (is_ordered(cells)) place.scale = is_continuous(cells) ? Scale::kNumber : Scale::kOrdered;
    mixed_.push_back({place.scale, place.scale == Scale::kNumber ? 0 : place.cells});
    if (codes_and_nulls > 0) mixed_.push_back({Scale::kCategory, codes_and_nulls + 1});
    places_.push_back(place);
  }
}

MixedPoints RecordLayout::points(std::span<const std::uint32_t> digits) const {
  const std::size_t count = digits.size() / places_.size();
  MixedPoints points(mixed_, count);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const bool number = place.scale == Scale::kNumber;
    const auto value_of = [&](std::uint32_t cell) {
      return number ? static_cast<float>((cell + 0.5) / place.cells) : static_cast<float>(cell);
    };
    const std::uint32_t middle_level = (place.cells - 1) / 2;
    const float middle = number ? 0.5F : static_cast<float>(middle_level);
    const std::span<float> values = points.values(place.mixed);
    for (std::size_t j = 0; j < count; ++j) {
      const std::uint32_t digit = digits[j * places_.size() + i];
      values[j] = digit < place.cells ? value_of(digit) : middle;
      if (place.codes_and_nulls > 0) {
        points.values(place.mixed + 1)[j] =
            digit < place.cells ? 0.0F : static_cast<float>(digit - place.cells + 1);
      }
    }
  }
  return points;
}

void RecordLayout::digits_of(std::span<const float> point,
                             std::span<std::uint32_t> digits) const noexcept {
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const Place& place = places_[i];
    const float value = point[place.mixed];
    const std::uint32_t codes_and_nulls =
        place.codes_and_nulls > 0
            ? level_in_range(point[place.mixed + 1], place.codes_and_nulls + 1)
            : 0;
    if (codes_and_nulls > 0) {
      digits[i] = place.cells + codes_and_nulls - 1;
    } else if (place.scale == Scale::kNumber) {
      const double cell = static_cast<double>(number_in_range(value)) * place.cells;
      digits[i] = std::min(static_cast<std::uint32_t>(cell), place.cells - 1);
    } else {
      digits[i] = level_in_range(value, place.cells);
    }
  }
}

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Candidates in small blocks of near ones.

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

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Scores from rows that represent the candidates next to them.

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

  /// A column's part of the squared distance.
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
    keep_going();
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
