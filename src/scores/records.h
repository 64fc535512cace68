// Records as points: layouts, blocks, the rows themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "scores/points.h"

namespace mollify {

class Domain;

// -----------------------------------------------------------------------------------------------
// Records as points of mixed scales.

/// How a domain's digits become the mixed points that scorers compute with. Public and immutable.
///
/// A number, or an integer, a day or a time in more than 32 cells, is the middle of its cell in
/// [0, 1], cells counted alike however wide; others of these, and ordinals, are ordered levels;
/// booleans and categories are categories, null included. Missing codes and the null category of
/// ordered cells add a column of levels behind it, 0 for a value, and put the value itself in the
/// middle of its range.
class RecordLayout {
 public:
  explicit RecordLayout(const Domain& domain);

  /// The columns of the points.
  [[nodiscard]] const std::vector<MixedColumn>& columns() const noexcept { return mixed_; }
  /// The number of digits of a record.
  [[nodiscard]] std::size_t digits() const noexcept { return places_.size(); }

  /// The records whose digits lie end to end, as points. O(records columns).
  [[nodiscard]] MixedPoints points(std::span<const std::uint32_t> digits) const;

  /// The digits of a point: the cell that holds it, the level, the null category. Total: anything
  /// else is brought into range. Requires columns().size() values and digits() digits.
  void digits_of(std::span<const float> point, std::span<std::uint32_t> digits) const noexcept;

 private:
  struct Place {
    std::uint32_t cells;
    Scale scale;
    std::uint32_t codes_and_nulls;  // nulls and missing codes, levels of the column behind this one
    std::size_t mixed;              // the column of the points
  };

  std::vector<Place> places_;
  std::vector<MixedColumn> mixed_;
};

}  // namespace mollify

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Candidates in small blocks of near ones.

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

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Scores from rows that represent the candidates next to them.

/// Gives each row to the nearest candidate: the rows' empirical distribution, moved to the
/// candidates.
///
/// Distance. The sum over columns of squared differences: numbers on [0, 1], ordered values in
/// units of (levels - 1), and 1 for another category [Gower 1971, with squares]. Rows equidistant
/// from several candidates go to the first of them, except that candidates equal to each other
/// share evenly.
///
/// Scores are ratios: a candidate's share of the rows times the number of candidates. Their mean
/// is 1. Most are zero when candidates are many more than rows, so the release leans on the band;
/// useful when records can be equal to candidates or rows are many.
///
/// Rows are looked up in a k-d tree's leaves: O(candidates / 32) box tests a row at least.
class EmpiricalScorer final : public Scorer {
 public:
  explicit EmpiricalScorer(const MixedPoints& candidates);
  ~EmpiricalScorer() override;

  [[nodiscard]] bool scores_are_ratios() const noexcept override { return true; }

 private:
  class Nearest;

  void score_rows(const MixedPoints& rows, std::span<float> scores) const override;

  std::unique_ptr<const Nearest> nearest_;
  std::vector<std::uint32_t> first_equal_;   // for each candidate, the first one equal to it
  std::vector<std::uint32_t> equal_counts_;  // for each first one, how many there are
};

}  // namespace mollify
