// The numbers of a public column, and the cells that a draft makes of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
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

/// The values that are a cell by themselves, ascending: a tenth of all; one in fifty that is the
/// most frequent one, or comes four times as often as the mean; and sentinels such as -9 and 99999.
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
  /// Whether the text is a number, as columns of numbers read it. Numbers with leading zeros are
  /// codes and not numbers.
  bool see(std::string_view written);
  void see_null() { ++nulls_; }

  /// Finite numbers.
  [[nodiscard]] std::uint64_t count() const { return sample_.seen(); }
  [[nodiscard]] std::uint64_t infinite() const { return infinite_; }
  [[nodiscard]] bool are_integers() const { return are_integers_; }
  [[nodiscard]] bool have_codes() const { return have_codes_; }
  [[nodiscard]] bool have_point() const { return has_point_; }
  [[nodiscard]] std::uint64_t percents() const { return percents_; }
  [[nodiscard]] const std::string& a_percent() const { return a_percent_; }
  [[nodiscard]] double min() const { return min_; }
  [[nodiscard]] double max() const { return max_; }
  /// At most 20 different ones, in 20 rows or of five times as many.
  [[nodiscard]] bool are_few() const;

  /// Integers that are spread as evenly as identifiers and numbers of rows are, and no years or
  /// numbers with commas and percent signs. Prices, incomes and weights are not.
  [[nodiscard]] bool are_spread_like_identifiers() const;

  /// Whether a column can be made of them: two different numbers, or one that comes again.
  [[nodiscard]] bool make_cells() const { return min_ < max_ || are_integers_ || are_few(); }
  [[nodiscard]] Cells cells() const { return are_integers_ ? integers() : numbers(); }
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
  [[nodiscard]] Cells integers() const;
  [[nodiscard]] Cells numbers() const;
  /// Numbers in cells of edges; with the step, unless it is 0.
  [[nodiscard]] Cells cut(const std::vector<double>& sorted, double step) const;

  NumberSample sample_;
  std::set<double> few_;  // different ones, no more than 21
  Decimals decimals_, of_singles_;
  std::uint64_t infinite_ = 0;
  std::uint64_t nulls_ = 0;
  std::uint64_t percents_ = 0;
  std::string a_percent_;
  bool are_singles_ = true;  // those with many decimals are what 32-bit floats become
  bool has_point_ = false;   // a number's text
  bool has_mark_ = false;    // commas between thousands, a percent sign
  bool have_codes_ = false;  // numbers with leading zeros
  bool ascend_ = true;       // row by row
  std::int64_t common_divisor_ = 0;
  bool are_integers_ = true;
  double last_ = -std::numeric_limits<double>::infinity();
  double min_ = std::numeric_limits<double>::infinity();
  double max_ = -std::numeric_limits<double>::infinity();
  std::int64_t min_integer_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_integer_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace mollify
