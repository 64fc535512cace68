// A column of true and false.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "space/reading.h"

namespace mollify {

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

  /// True if they are usual words for false and for true: then all usual words are read.
  [[nodiscard]] static bool are_usual(std::string_view false_word, std::string_view true_word);

  [[nodiscard]] std::uint32_t size() const noexcept { return 2; }
  [[nodiscard]] const std::string& word(std::uint32_t cell) const noexcept { return words_[cell]; }

  /// Total; O(length). A word that is neither is kUnreadable with cell 0.
  [[nodiscard]] Reading read(std::string_view text) const noexcept;

  /// True if the words are false and true, in any letters: then cells are given as truths.
  [[nodiscard]] bool are_false_and_true() const noexcept;

  /// How many texts a cell is written as: one.
  [[nodiscard]] std::uint64_t points(std::uint32_t) const noexcept { return 1; }
  void write(std::uint32_t cell, std::uint64_t point, std::string& text) const;

  /// "false or true", for messages.
  [[nodiscard]] std::string expectation() const;

 private:
  BooleanWords(std::string false_word, std::string true_word, bool usual);

  std::array<std::string, 2> words_;
  std::array<std::string, 2> numbers_;  // what stands for the numbers that they write
  bool reads_usual_words_;
};

}  // namespace mollify
