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
#include "formats/draft_cuts.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// What has been seen of a column's numbers.

class NumbersSeen {
 public:
  /// Whether the text is a number, as columns of numbers read it. Numbers with leading zeros, and
  /// whole ones that neither 64 bits nor a double hold, are codes and not numbers.
  bool see(std::string_view written);
  void see_null() { ++nulls_; }

  /// More different numbers than an ordinal should list.
  [[nodiscard]] bool are_many() const { return places_.different().size() > kMostUngrouped; }
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

  /// Integers that follow each other as numbers of rows do, perhaps in steps; those that ascend with
  /// room between them, and those that fill what eight digits or more can write, if they are even. No
  /// years or numbers with commas and percent signs.
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
  [[nodiscard]] CellsAndCodes integers(const PlacesWithoutCodes& rest) const;
  [[nodiscard]] CellsAndCodes numbers(const PlacesWithoutCodes& rest) const;

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
  std::int64_t common_distance_ = 0;  // of integers from the first one
  std::optional<std::int64_t> first_{};
  bool are_integers_ = true;
  double last_ = -std::numeric_limits<double>::infinity();
  std::int64_t min_integer_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t max_integer_ = std::numeric_limits<std::int64_t>::min();
};

}  // namespace mollify
