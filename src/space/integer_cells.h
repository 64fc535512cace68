// A column of integers from min to max, grouped into cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/reading.h"

namespace mollify {

/// The n = max - min + 1 integers of a range, in `bins` cells of near-equal size: cell j holds the
/// offsets from min in [floor(j n / bins), floor((j + 1) n / bins)). Or in cells that begin at
/// declared edges.
class IntegerCells {
 public:
  /// Of any column.
  static constexpr std::uint64_t kMaxBins = std::uint64_t{1} << 24U;
  /// As fine are the cells that private bins are put together from, if there are so many integers.
  static constexpr std::uint32_t kCellsOfPrivateBins = 4096;

  /// Without `bins`, each integer is a cell, or, if there are more than 2^24, there are 2^24 cells.
  /// Throws InvalidInput unless min <= max, the range spans fewer than 2^63, and
  /// 1 <= bins <= min(n, 2^24).
  [[nodiscard]] static IntegerCells make(std::int64_t min, std::int64_t max,
                                         std::optional<std::uint64_t> bins = std::nullopt);

  /// Cell j holds edges[j] to edges[j + 1] - 1, and the last one its end too, which is max. Throws
  /// InvalidInput unless there are two edges or more, ascending, and the range is as above.
  static IntegerCells with_edges(const std::vector<std::int64_t>& edges);
  /// Cell j begins at starts[j], and the last one ends at max. Throws InvalidInput for starts that
  /// do not ascend, or pass max.
  static IntegerCells with_starts(const std::vector<std::int64_t>& starts, std::int64_t max);

  /// Cells whose groups are found by the release, privately (`bins: private`); those that find none
  /// take them for cells of which no number is declared. Throws InvalidInput as `make`.
  static IntegerCells with_private_bins(std::int64_t min, std::int64_t max);

  /// As declared; empty for cells of near-equal size.
  [[nodiscard]] std::vector<std::int64_t> declared_edges() const;

  [[nodiscard]] std::int64_t min() const noexcept { return min_; }
  [[nodiscard]] std::int64_t max() const noexcept;
  [[nodiscard]] std::uint32_t size() const noexcept { return bins_; }
  /// True if every cell holds one integer.
  [[nodiscard]] bool ungrouped() const noexcept { return bins_ == count_; }
  /// False if the number of cells was left open or is that of the integers.
  [[nodiscard]] bool declares_bins() const noexcept { return declares_bins_; }
  [[nodiscard]] bool has_private_bins() const noexcept { return has_private_bins_; }
  /// n.
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// Total; O(length). `3`, `3.0` and `3e0` are the integer 3, and so is what else
  /// `read_number_of` reads. An integer beyond a bound is
  /// kOutside with the bound's cell; any other number is kUnreadable with the cell of the nearest
  /// integer; other text is kUnreadable with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  /// What is read of the text that the value stands for, without writing it.
  [[nodiscard]] Reading read(std::int64_t value) const noexcept {
    return nearest(value, Verdict::kValue);
  }
  [[nodiscard]] Reading read(double value) const noexcept;

  /// How many integers a cell holds; at least one.
  [[nodiscard]] std::uint64_t points(std::uint32_t cell) const noexcept;
  /// The `point`-th integer of the cell. Requires point < points(cell).
  [[nodiscard]] std::int64_t value(std::uint32_t cell, std::uint64_t point) const noexcept;
  /// Appends it.
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;

  /// "an integer from 0 to 100", for messages.
  [[nodiscard]] std::string expectation() const;

 private:
  IntegerCells(std::int64_t min, std::uint64_t count, std::uint32_t bins, bool declares_bins)
      : min_(min), count_(count), bins_(bins), declares_bins_(declares_bins) {}

  [[nodiscard]] std::uint64_t start(std::uint32_t cell) const noexcept;
  [[nodiscard]] Reading nearest(std::int64_t value, Verdict if_inside) const noexcept;

  std::int64_t min_;
  std::uint64_t count_;
  std::uint32_t bins_;
  bool declares_bins_;
  bool has_private_bins_ = false;
  std::vector<std::uint64_t> starts_;  // offsets of cells, one more than there are, if declared
};

}  // namespace mollify
