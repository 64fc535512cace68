// Columns of words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/same_value.h"
#include "domain/settings.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A column of true and false.

/// Two words; cell 0 is false, cell 1 is true.
///
/// A declared word is read with or without the case of its letters, and a number in every way to
/// write it. The usual words (false, f, no, n, 0 and true, t, yes, y, 1) are read as well, unless
/// the declared words are not of them or contradict them, as in [yes, no] or [female, male].
class BooleanWords {
 public:
  /// The words written for false and for true. Throws InvalidInput unless they are two words that
  /// differ by more than case or the way to write a number, each of them one line of UTF-8 text
  /// without control characters.
  [[nodiscard]] static BooleanWords make(std::string false_word = "false",
                                         std::string true_word = "true");

  static const ColumnKind kKind;
  [[nodiscard]] static BooleanWords declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept { return kKind; }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  /// True if they are usual words for false and for true: then all usual words are read.
  [[nodiscard]] static bool are_usual(std::string_view false_word, std::string_view true_word);

  [[nodiscard]] std::uint32_t size() const noexcept { return 2; }
  [[nodiscard]] const std::string& word(std::uint32_t cell) const noexcept { return words_[cell]; }

  /// Total; O(length). A word that is neither is kUnreadable with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;

  /// True if the words are false and true, in any letters: then cells are given as truths.
  [[nodiscard]] bool are_false_and_true() const noexcept;

  [[nodiscard]] std::uint64_t points(std::uint32_t) const noexcept { return 1; }
  /// A truth if the words are false and true, else the word.
  [[nodiscard]] Value value(std::uint32_t cell, std::uint64_t point) const noexcept;
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  BooleanWords(std::string false_word, std::string true_word, bool usual);

  std::array<std::string, 2> words_;
  std::array<std::string, 2> numbers_;  // texts of the numbers that they write
  bool reads_usual_words_;
};

// -----------------------------------------------------------------------------------------------
// A column of declared words.

/// Declared categories; cell i is the i-th declared value. Words are compared byte for byte. A
/// declared number, day or time is every text that writes the same one (`1`, `1.0`, `01`, `100%`;
/// `9:30`, `09:30:00`), because a program that writes a column again may write it otherwise; `true`
/// and `false` are read in any case. Two usual words for truths, as [N, Y] or [0, 1], are read as
/// BooleanWords reads them. Verbatim codes are only what they are letter for letter: `0412` and
/// `412` are two. In the order of their list where that is said to mean something, which scorers
/// use.
class Categories {
 public:
  /// Throws InvalidInput unless there are 1 to 2^24 distinct values, each of them one line of
  /// UTF-8 text without control characters, and no two of them write the same value, unless they
  /// are verbatim.
  [[nodiscard]] static Categories make(const std::vector<std::string>& values, bool ordered = false,
                                       bool verbatim = false);

  static const ColumnKind kCategorical, kOrdinal;
  [[nodiscard]] static Categories declare(const ColumnKind& kind, const Settings& settings);
  [[nodiscard]] const ColumnKind& kind() const noexcept {
    return ordered_ ? kOrdinal : kCategorical;
  }
  [[nodiscard]] DeclaredSettings settings() const;
  void add_canonical(std::string& text) const;
  void describe(ColumnSchema& schema) const;

  [[nodiscard]] std::uint32_t size() const noexcept {
    return static_cast<std::uint32_t>(values_.size());
  }
  [[nodiscard]] std::string_view value(std::uint32_t cell,
                                       std::uint64_t /*point*/ = 0) const noexcept {
    return values_[cell];
  }

  /// Total; O(length). A word that is not declared is kOutside with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;
  [[nodiscard]] std::uint64_t points(std::uint32_t) const noexcept { return 1; }
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;
  [[nodiscard]] std::string expectation() const;

 private:
  StringIndex values_;
  StringIndex typed_;  // texts of the values that are more than words
  std::vector<std::uint32_t> typed_cells_;
  std::optional<BooleanWords> truths_;  // if these are all
  std::uint32_t cell_of_false_ = 0;
  bool ordered_ = false;
  bool verbatim_ = false;
};

}  // namespace mollify
