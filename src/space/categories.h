// A column of declared words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "space/boolean_words.h"
#include "space/reading.h"
#include "space/string_index.h"

namespace mollify {

/// Declared categories; cell i is the i-th declared value. Words are compared byte for byte. A
/// declared number, day or time is every text that writes the same one (`1`, `1.0`, `01`, `100%`;
/// `9:30`, `09:30:00`), because a program that writes a column again may write it otherwise; `true`
/// and `false` are read in any case. Two usual words for truths, as [N, Y] or [0, 1], are read as
/// BooleanWords reads them. In the order of their list where that is said to mean something, which
/// scorers use.
class Categories {
 public:
  /// Throws InvalidInput unless there are 1 to 2^24 distinct values, each of them one line of
  /// UTF-8 text without control characters, and no two of them write the same value.
  [[nodiscard]] static Categories make(const std::vector<std::string>& values,
                                       bool ordered = false);

  [[nodiscard]] bool ordered() const noexcept { return ordered_; }

  [[nodiscard]] std::uint32_t size() const noexcept;
  [[nodiscard]] std::string_view value(std::uint32_t cell) const noexcept { return values_[cell]; }

  /// Total; O(length). A word that is not declared is kOutside with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;

  /// How many texts a cell can be written as: one.
  [[nodiscard]] std::uint64_t points(std::uint32_t) const noexcept { return 1; }
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;

  /// "one of 3 declared values", for messages.
  [[nodiscard]] std::string expectation() const;

 private:
  StringIndex values_;
  StringIndex typed_;  // what stands for the values that are more than words
  std::vector<std::uint32_t> typed_cells_;
  std::optional<BooleanWords> truths_;  // if these are all
  std::uint32_t cell_of_false_ = 0;
  bool ordered_ = false;
};

}  // namespace mollify
