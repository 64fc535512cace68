// The numbers of a public column, and the cells that a draft makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "domain/column.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Where numbers are cut.

/// Some of many numbers, evenly along the file: enough to see where most of them lie.
class NumberSample {
 public:
  void see(double number) {
    if (seen_++ % stride_ != 0) return;
    kept_.push_back(number);
    if (kept_.size() < kMost) return;
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize(kept_.size() / 2);
    stride_ *= 2;
  }
  [[nodiscard]] std::vector<double> sorted() const;
  [[nodiscard]] std::uint64_t seen() const { return seen_; }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16U;

  std::vector<double> kept_{};
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

inline constexpr const char* kLabelOfCode = "far from the others";

/// Cells of a public column, and the codes outside of them that mean "no value".
struct CellsAndCodes {
  Cells cells;
  std::vector<MissingCode> codes{};
};

/// Whether a value is written like a code for "no value", as -9, 999 and 9999-12-31 are, and from how
/// many rows on it is one. `least`: of the other values.
using RowsOfCode = std::optional<std::size_t> (*)(double value, double least);

/// Places on an axis without codes: numbers, or seconds since 1970.
struct PlacesWithoutCodes {
  std::vector<double> sorted{};  // a sample, and of the others all:
  std::map<double, std::uint64_t> few{};
  double min = 0, max = 0;
  std::vector<double> codes{};  // ascending
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
  /// Different values, at most one more than 20, and how often each comes.
  [[nodiscard]] const std::map<double, std::uint64_t>& few() const { return few_; }
  /// At most 20 different ones, in 20 rows (with nulls) or of five times as many.
  [[nodiscard]] bool are_few(std::uint64_t nulls) const;
  /// Codes are the greatest or the least values, at most five, and a gap divides them from the
  /// others: a quarter as wide as all of these. `by_neighbours`: of at most ten values, and below the
  /// others, a gap four times as wide as most gaps between these.
  [[nodiscard]] PlacesWithoutCodes without_codes(RowsOfCode rows_of_code, bool by_neighbours) const;

 private:
  static constexpr double kNone = std::numeric_limits<double>::infinity();

  NumberSample sample_;
  std::map<double, std::uint64_t> few_;
  std::set<double> lows_, highs_;  // the least and the greatest different ones
};

/// The values that are a cell by themselves, ascending: a tenth of all; one in fifty that is the
/// most frequent one, or comes four times as often as the mean; and a few that come again far from
/// all others.
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
[[nodiscard]] NumberCuts cuts_of(const std::vector<double>& sorted, double min, double max,
                                 double step);

// -----------------------------------------------------------------------------------------------
// What has been seen of a column's numbers.

class NumbersSeen {
 public:
  /// Whether the text is a number, as columns of numbers read it. Numbers with leading zeros, and
  /// whole ones that neither 64 bits nor a double hold, are codes and not numbers.
  bool see(std::string_view written);
  void see_null() { ++nulls_; }

  /// Finite numbers.
  [[nodiscard]] std::uint64_t count() const { return places_.count(); }
  [[nodiscard]] std::uint64_t infinite() const { return infinite_; }
  [[nodiscard]] bool are_integers() const { return are_integers_; }
  [[nodiscard]] bool have_codes() const { return have_padded_ || have_long_; }
  [[nodiscard]] const char* reason_of_codes() const {
    return have_padded_ ? "numbers begin with a zero"
                        : "numbers have more digits than 64 bits hold";
  }
  [[nodiscard]] bool have_point() const { return has_point_; }
  [[nodiscard]] std::uint64_t percents() const { return percents_; }
  [[nodiscard]] const std::string& a_percent() const { return a_percent_; }
  [[nodiscard]] double min() const { return places_.min(); }
  [[nodiscard]] double max() const { return places_.max(); }

  /// Integers that are spread as evenly as identifiers and numbers of rows are, and no years or
  /// numbers with commas and percent signs. Prices, incomes and weights are not.
  [[nodiscard]] bool are_spread_like_identifiers() const;

  /// Whether a column can be made of them: two different numbers, or one that comes again.
  [[nodiscard]] bool make_cells() const {
    return min() < max() || are_integers_ || places_.are_few(nulls_);
  }
  [[nodiscard]] CellsAndCodes cells() const;
  /// "411 integers from 18 to 95", for people.
  [[nodiscard]] std::string words() const;

 private:
  /// The decimals of numbers.
  struct Decimals {
    std::size_t most = 0;
    std::int64_t common_parts = 0;  // divides the numbers, in parts of 10^-5

    void see(double number, std::size_t decimals);
    /// 0 if they have more decimals than a step has.
    [[nodiscard]] double step() const;
  };

  void see_decimals(double number, std::string_view text);
  [[nodiscard]] Cells integers(const PlacesWithoutCodes& rest) const;
  [[nodiscard]] Cells numbers(const PlacesWithoutCodes& rest) const;
  /// Numbers in cells of edges; with the step, unless it is 0.
  [[nodiscard]] static Cells cut(const PlacesWithoutCodes& rest, double step);

  PlacesSeen places_;
  Decimals decimals_, of_singles_;
  std::uint64_t infinite_ = 0;
  std::uint64_t nulls_ = 0;
  std::uint64_t percents_ = 0;
  std::string a_percent_;
  bool are_singles_ = true;   // those with many decimals are what 32-bit floats become
  bool has_point_ = false;    // a number's text
  bool has_mark_ = false;     // commas between thousands, a percent sign
  bool have_padded_ = false;  // numbers with leading zeros
  bool have_long_ = false;    // whole numbers that no type holds
  bool ascend_ = true;        // row by row
  std::int64_t common_divisor_ = 0;
  bool are_integers_ = true;
  double last_ = -std::numeric_limits<double>::infinity();
  std::int64_t min_integer_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_integer_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace mollify
