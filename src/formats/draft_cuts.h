// The cuts of the numbers, days and times of a public column into cells.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/column.h"
#include "formats/draft_grids.h"

namespace mollify {

/// Fewer numbers say too little of where most of them lie.
inline constexpr std::size_t kLeastForQuantiles = 100;
/// Of fewer rows nothing comes again, and they may all be multiples of anything.
inline constexpr std::size_t kLeastForCuts = 20;
/// Doubles beyond do not tell integers apart.
inline constexpr double kMostExact = 0x1p53;
/// Numbers of this many decimals or more are measured, not written in steps.
inline constexpr std::size_t kMostDecimals = 6;
/// Parts of one in which the others are whole.
inline constexpr double kPartsOfOne = 1e5;
inline constexpr std::uint32_t kFirstCells = 10;
/// Up to that number, integers are a cell each.
inline constexpr std::uint64_t kMostUngrouped = 64;

/// The nearest number with five decimals or fewer. Requires a number below kMostExact / kPartsOfOne.
[[nodiscard]] double of_few_decimals(double number);

/// Digits of 7, 8 or 9 alone, two or more of them, as 99 and 888 are; and, `with_last_digits`, 96 to
/// 99 and 996 to 999.
[[nodiscard]] bool is_written_like_a_code(double value, bool with_last_digits);

/// Some of many numbers, evenly along the file: enough to see where most of them lie; and the least
/// and the greatest ones, which decide the mean of a long tail.
class NumberSample {
 public:
  void see(double number) {
    keep_end(lows_, number, [](double one, double other) { return one < other; });
    keep_end(highs_, number, [](double one, double other) { return one > other; });
    if (seen_++ % stride_ != 0) return;
    kept_.push_back(number);
    if (kept_.size() < kMost) return;
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize(kept_.size() / 2);
    stride_ *= 2;
  }
  [[nodiscard]] std::vector<double> sorted() const;
  [[nodiscard]] std::uint64_t seen() const { return seen_; }
  /// How many numbers one of the sample represents.
  [[nodiscard]] std::uint64_t stride() const { return stride_; }
  /// At most 512 of all numbers: the least ones, or the greatest ones, ascending.
  [[nodiscard]] std::vector<double> lows() const { return ascending(lows_); }
  [[nodiscard]] std::vector<double> highs() const { return ascending(highs_); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16U;
  static constexpr std::size_t kMostEnds = 512;

  /// A heap of those that come first: the last one of them is at its top.
  template <class Before>
  static void keep_end(std::vector<double>& heap, double number, const Before& before) {
    if (heap.size() == kMostEnds) {
      if (!before(number, heap.front())) return;
      std::pop_heap(heap.begin(), heap.end(), before);
      heap.pop_back();
    }
    heap.push_back(number);
    std::push_heap(heap.begin(), heap.end(), before);
  }
  static std::vector<double> ascending(std::vector<double> heap) {
    std::sort(heap.begin(), heap.end());
    return heap;
  }

  std::vector<double> lows_{}, highs_{};
  std::vector<double> kept_{};
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

inline constexpr const char* kLabelOfCode = "far from the others";

/// Cells of a public column, and the codes outside of them that mean "no value".
struct CellsAndCodes {
  Cells cells;
  std::vector<MissingCode> codes{};
  /// Facts about the values that the cells do not show, for people; empty if nothing was.
  std::string remark{};
};

/// Whether a value is written like a code for "no value", as -9, 999 and 9999-12-31 are, and from how
/// many rows on it is one. `least`: of the other values.
using RowsOfCode = std::optional<std::size_t> (*)(double value, double least);

/// Places on an axis without codes: numbers, or seconds since 1970.
struct PlacesWithoutCodes {
  std::vector<double> sorted{};                 // a sample
  std::uint64_t stride = 1;                     // how many places one of the sample represents
  std::vector<double> lows{}, highs{};          // the least and the greatest of all, ascending
  std::map<double, std::uint64_t> different{};  // all, with their rows; empty if they are too many
  double min = 0, max = 0;                      // of all
  std::vector<double> codes{};                  // ascending
  std::vector<double> frequent{};               // ascending; others that get a cell each
};

/// The values of a column on an axis: a sample, a few of them, and the ends.
class PlacesSeen {
 public:
  static constexpr std::size_t kMostListed = 20;

  void see(double place);

  [[nodiscard]] std::uint64_t count() const { return sample_.seen(); }
  [[nodiscard]] double min() const { return lows_.empty() ? kNone : *lows_.begin(); }
  [[nodiscard]] double max() const { return highs_.empty() ? -kNone : *highs_.rbegin(); }
  [[nodiscard]] std::vector<double> sorted() const { return sample_.sorted(); }
  /// Different values, and how often each comes. If they are more than 600, some of them.
  [[nodiscard]] const std::map<double, std::uint64_t>& different() const { return different_; }
  /// At most 20 different ones, in 20 rows (with nulls) or of five times as many.
  [[nodiscard]] bool are_few(std::uint64_t nulls) const;
  /// Codes are the greatest or the least values, at most five, and a gap divides them from the
  /// others: a quarter as wide as all of these. `by_neighbours`: of at most ten values, and below the
  /// others, a gap four times as wide as most gaps between these.
  [[nodiscard]] PlacesWithoutCodes without_codes(RowsOfCode rows_of_code, bool by_neighbours) const;

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  NumberSample sample_;
  std::map<double, std::uint64_t> different_;
  std::set<double> lows_, highs_;  // the least and the greatest different ones
};

/// The values that are a cell by themselves, ascending: a tenth of all; one in fifty that is the
/// most frequent one, or comes four times as often as the mean; a few that come again far from all
/// others; and those written like a code, as 98 and 777, that come so often or are the greatest.
[[nodiscard]] std::vector<double> spikes_of(const std::vector<double>& sorted);

/// Cells by their edges, and spikes; both ascend.
struct NumberCuts {
  std::vector<double> edges;
  std::vector<double> spikes;
};

/// Cuts of a range so that a value drawn evenly from the cells has the mean of the sorted numbers,
/// to a hundredth of their deviation. Cells hold equally many numbers, or have equal widths if these
/// are fewer than 100. Then the cell that moves the mean most is cut again and again.
///
/// `step`: all numbers are multiples of it; 0 if they have none.
[[nodiscard]] NumberCuts cuts_of(const PlacesWithoutCodes& places, double step);

}  // namespace mollify
