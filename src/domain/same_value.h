// Words that mean the same value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// One text for all texts that write the same number, truth, day or time.

/// Room for the text that `same_value_text` makes.
struct SameValueBuffer {
  /// More digits than any type of a table has. A text of more significant digits is only a text.
  static constexpr std::size_t kMostDigits = 100;
  std::array<char, kMostDigits + 24> letters;
};

/// The text that stands for the number, equal for `1`, `1.0`, `01`, `+1`, `1e0` and `100%`. It is
/// made of the decimal digits and rounds nothing, so that two integers above 2^53 stay two. Marks
/// are read as `without_marks` does, percents as hundredths. Nothing for a text that is not a
/// finite decimal number. Outer spaces are ignored. Total; O(length). The view is valid as long as
/// the buffer.
[[nodiscard]] std::optional<std::string_view> same_number_text(std::string_view text,
                                                               SameValueBuffer& buffer) noexcept;

/// The same for truths, days and times too: `true` stands for the word in any case, and so does
/// `false`; a day is its first second, and a time with an offset is what UTC's clock shows, as
/// DateCells reads them, but with all parts of a second.
[[nodiscard]] std::optional<std::string_view> same_value_text(std::string_view text,
                                                              SameValueBuffer& buffer) noexcept;

// -----------------------------------------------------------------------------------------------
// What a column makes of a field's text.

/// How far a field's text is from what its column declares.
enum class Verdict : std::uint8_t {
  kValue,       ///< a value of the domain
  kNull,        ///< a word for "no value"
  kOutside,     ///< of the column's type, but not in its domain: a number beyond a bound, an
                ///< undeclared category
  kUnreadable,  ///< not of the column's type
};

/// A verdict, and the cell of the domain that lies nearest: the value's own cell, the cell of the
/// nearest bound, or cell 0 (the first declared value) where nothing is near.
struct Reading {
  Verdict verdict;
  std::uint32_t cell;
};

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

// -----------------------------------------------------------------------------------------------
// Numbers strings 0, 1, 2, … in the order in which they were first seen.

/// A set of distinct byte strings, each with the index of its insertion.
///
/// Lookup takes O(length) expected time whatever the strings are (their hash has a secret key), and
/// allocates nothing, which is what reading a million private rows needs; the strings lie end to
/// end in one buffer (about 16 bytes beside each). Strings are compared byte for byte.
class StringIndex {
 public:
  /// What `find` returns for a string that is not in the set.
  static constexpr std::uint32_t kAbsent = 0xffffffffU;

  /// The index of `text`, or kAbsent.
  [[nodiscard]] std::uint32_t find(std::string_view text) const noexcept;

  /// The index of `text`, which is added first if it is new.
  /// Throws std::length_error beyond 2^32 - 1 strings.
  std::uint32_t insert(std::string_view text);

  /// The string with this index; valid until the next insertion. Requires index < size().
  [[nodiscard]] std::string_view operator[](std::size_t index) const noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return ends_.size(); }

 private:
  // Part of the hash is kept beside the index so that nearly every mismatch is seen without
  // following it into the text.
  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t index = kAbsent;
  };

  [[nodiscard]] std::size_t slot_of(std::string_view text, std::uint64_t hash) const noexcept;
  void grow();

  std::string bytes_;
  std::vector<std::uint64_t> ends_;
  std::vector<Slot> slots_;  // open addressing, a power of two, at most half full
};

// -----------------------------------------------------------------------------------------------
// One value of any type.

/// A null, an integer, a number, a truth or a text, as a program hands it over. It stands for the
/// text that a CSV file would hold in its place, and to every column it is what that text is:
///
/// - null is the empty field;
/// - an integer is its decimal digits;
/// - a number is the shortest decimal text that reads back as it, `3` for 3.0 and `0` for both
///   zeros; NaN is `nan`, a word for null; the infinities are `inf` and `-inf`;
/// - a truth is `true` or `false`. Columns of the usual words read those (yes and no, for example);
///   to a column of other words, as [female, male], they are as unreadable as in a file, for
///   nobody declared which of the two is true;
/// - a text is itself. An empty one is a null.
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string_view>;

}  // namespace mollify
