// Candidates in small blocks of near ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "density/mixed_points.h"

namespace mollify::detail {

/// Candidates in the order of a k-d tree's leaves, with the box around each leaf.
///
/// Categories are split first, so that most blocks hold one level of each, then the widest column.
/// Values are read into range. O(size log(size) columns) to make.
class CandidateBlocks {
 public:
  static constexpr std::size_t kLanes = 8;  ///< blocks are padded to multiples of it
  static constexpr std::size_t kMost = 64;  ///< candidates in a block

  struct Block {
    std::size_t first;   ///< of its candidates in `order`
    std::size_t count;   ///< of candidates, at least 1
    std::size_t padded;  ///< count with the last candidate repeated
    std::size_t begin;   ///< of its values
  };

  explicit CandidateBlocks(const MixedPoints& candidates);

  [[nodiscard]] std::span<const Block> blocks() const noexcept { return blocks_; }
  /// The candidates' indices, block by block.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return order_; }
  /// The `padded` values of a column in a block.
  [[nodiscard]] const float* values(const Block& block, std::size_t column) const noexcept {
    return values_.data() + block.begin + column * block.padded;
  }
  /// The least and greatest value of each column in block `b`.
  [[nodiscard]] std::span<const float> lows(std::size_t b) const noexcept {
    return std::span(lows_).subspan(b * column_count_, column_count_);
  }
  [[nodiscard]] std::span<const float> highs(std::size_t b) const noexcept {
    return std::span(highs_).subspan(b * column_count_, column_count_);
  }

 private:
  void split(const MixedPoints& points, std::size_t begin, std::size_t end);
  void add_block(const MixedPoints& points, std::size_t begin, std::size_t end);

  std::size_t column_count_;
  std::vector<std::uint32_t> order_;
  std::vector<Block> blocks_;
  std::vector<float> values_;
  std::vector<float> lows_;
  std::vector<float> highs_;
};

/// A copy of points with every value read into its range.
[[nodiscard]] MixedPoints in_range(const MixedPoints& points);

}  // namespace mollify::detail
