// Texts as values: which text is which value of a column, and which texts mean the same one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mollify {

struct Called;
class TimeFormat;
class Zone;

// -----------------------------------------------------------------------------------------------
// One value of any type.

/// The unit of counts of time.
struct MomentForm {
  enum class Kind : std::uint8_t { kDay, kInstant };

  Kind kind = Kind::kDay;
  std::int64_t per_second = 1;  ///< of instants: 1, 10^3, 10^6 or 10^9
  /// Of the clock that shows instants, from UTC, in seconds to the east. A clock without an offset
  /// and without a zone is what is counted.
  std::optional<std::int32_t> offset{};
  const Zone* zone = nullptr;          ///< of that clock, instead of one offset
  const TimeFormat* format = nullptr;  ///< that texts have; otherwise ISO 8601's

  [[nodiscard]] bool states_offset() const noexcept { return offset || zone != nullptr; }

  friend bool operator==(const MomentForm&, const MomentForm&) = default;
};

/// Days, or parts of seconds of UTC, since the beginning of 1970.
struct Moment {
  std::int64_t count = 0;
  MomentForm form{};

  friend bool operator==(const Moment&, const Moment&) = default;
};

/// Many of one form; borrowed.
struct Moments {
  std::span<const std::int64_t> counts;
  MomentForm form{};

  [[nodiscard]] std::size_t size() const noexcept { return counts.size(); }
  [[nodiscard]] Moment operator[](std::size_t row) const noexcept { return {counts[row], form}; }
  [[nodiscard]] Moments subspan(std::size_t begin, std::size_t count) const noexcept {
    return {counts.subspan(begin, count), form};
  }
};

/// A null, an integer, a number, a truth, a text, or a day or instant, as a program hands it over.
/// It represents the text that a CSV file would hold in its place, and to every column it is what
/// that text is:
///
/// - null is the empty field;
/// - an integer is its decimal digits;
/// - a number is the shortest decimal text that reads back as it, `3` for 3.0 and `0` for both
///   zeros; NaN is `nan`, a word for null; the infinities are `inf` and `-inf`;
/// - a truth is `true` or `false`. Columns of the usual words read those (yes and no, for example);
///   to a column of other words, as [female, male], they are as unreadable as in a file, for
///   nobody declared which of the two is true;
/// - a text is itself. An empty one is a null;
/// - a day is written as ISO 8601 writes it, `2024-02-29`. Years beyond 9999 have more digits,
/// those
///   before 0 a minus sign. An instant is `2024-02-29T12:34:56`, and the part of a second follows
///   in six digits, in nine if six do not do, and not at all if it is zero, so that the
///   text does not depend on the unit; then the offset of its clock, `Z` or `+01:00`. Released days
///   and instants of a declared format are written in it.
using Value = std::variant<std::monostate, std::int64_t, double, bool, std::string_view, Moment>;

/// The type of a released column.
enum class ValueType : std::uint8_t { kInteger, kNumber, kBoolean, kText, kMoment };

/// The type of a released column before its first value; public.
struct ColumnSchema {
  std::string name;
  ValueType type = ValueType::kText;
  /// Of numbers that are points of the DecimalLattice of this exponent, and are written so; nothing
  /// where they are written with as few digits as tell doubles apart.
  std::optional<int> exponent{};
  /// The words of a column of few, or a boolean one's two; empty if any text may
  /// come.
  std::vector<std::string> words{};
  /// The type of the words: texts, integers or numbers (`type_of_words`).
  ValueType word_type = ValueType::kText;
  bool ordered = false;  ///< the order of the words means something
  bool nullable = true;  ///< false if no value can be null
  MomentForm moments{};  ///< of days and instants

  friend bool operator==(const ColumnSchema&, const ColumnSchema&) = default;
};

// -----------------------------------------------------------------------------------------------
// How the text of a field becomes a null, a number or an integer: the rules all columns share, and
// which texts a domain may declare.

/// True for the words that mean "no value": the empty field, NA, N/A, NaN, nan, null, NULL, None.
/// A column's declared values win over them.
[[nodiscard]] bool is_null_word(std::string_view text) noexcept;

/// The text without spaces and tabs at its ends. Only numbers and booleans ignore them.
[[nodiscard]] std::string_view without_outer_spaces(std::string_view text) noexcept;

/// True if the bytes are well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view bytes) noexcept;

/// The number which the whole text denotes in decimal notation (`-12`, `3.5`, `1e3`, `inf`), with
/// an optional leading + and outer spaces; nothing for any other text, hexadecimal and nan
/// included. A number too large for a double is an infinity of its sign; a number too small is
/// zero. Total, and independent of the locale; O(length).
[[nodiscard]] std::optional<double> read_number(std::string_view text) noexcept;

/// The integer which the whole text denotes, as digits or as digits followed by `.000…` (so write
/// other programs a column of integers that has nulls). Nothing for every other text, and nothing
/// for integers outside 64 bits: `read_number` still reads those.
[[nodiscard]] std::optional<std::int64_t> read_integer(std::string_view text) noexcept;

/// Room for the text that `without_marks` makes.
using UnmarkedBuffer = std::array<char, 64>;
/// A number that people write with marks, as programs write it: `1234567.8` for `1,234,567.8`, with
/// commas between thousands, and for `50%` either `50` or, if percents are hundredths, `50e-2`.
/// Empty for every other text, and for texts of more than 60 bytes.
[[nodiscard]] std::string_view without_marks(std::string_view text, bool in_hundredths,
                                             UnmarkedBuffer& buffer) noexcept;
/// True for a column from min to max that writes 50% as 0.5, not as 50: its bounds lie from -1
/// to 1.
[[nodiscard]] constexpr bool percents_are_hundredths(double min, double max) noexcept {
  return min >= -1 && max <= 1;
}
/// The number in a field of such a column: as `read_number` reads it, or written with marks. From
/// 0 to 1 it may be a truth: programs write their columns of 0 and 1 so, too.
[[nodiscard]] std::optional<double> read_number_of(std::string_view text, double min,
                                                   double max) noexcept;

/// What all of the words write: integers, numbers if some have a point or an exponent, or texts. A
/// word with a padding zero, a plus or another mark is a code and not a number, and so is a whole
/// number beyond 64 bits. Words that mean an order are numbers only if they ascend, because a column
/// of numbers has the order of numbers.
[[nodiscard]] ValueType type_of_words(std::span<const std::string> words, bool ordered);

/// The usual words for a truth, in any case: false, f, no, n, 0 and true, t, yes, y, 1. Nothing for
/// any other text. Outer spaces are ignored.
[[nodiscard]] std::optional<bool> read_truth(std::string_view text) noexcept;

/// The texts that typed values represent, as `Value` says; valid as long as the buffer.
using TextBuffer = std::array<char, 64>;
[[nodiscard]] std::string_view text_of(std::int64_t integer, TextBuffer& buffer) noexcept;
[[nodiscard]] std::string_view text_of(double number, TextBuffer& buffer) noexcept;
[[nodiscard]] std::string_view text_of(const Moment& moment, TextBuffer& buffer) noexcept;

/// True if the two words agree when ASCII letters are compared without their case.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

/// Throws InvalidInput, calling the text `what`, unless it is UTF-8 without control characters.
///
/// A line break could not be read back from a CSV file in which one line is one record, and text
/// that is not UTF-8 could not be written to a domain file.
void require_declarable(std::string_view text, const Called& what);

// -----------------------------------------------------------------------------------------------
// One text for all texts that write the same number, truth, day or time.

/// Room for the text that `same_value_text` makes.
struct SameValueBuffer {
  /// More digits than any type of a table has. A text of more significant digits is only a text.
  static constexpr std::size_t kMostDigits = 100;
  std::array<char, kMostDigits + 24> letters;
};

/// The text that represents the number, equal for `1`, `1.0`, `01`, `+1`, `1e0` and `100%`. It is
/// made of the decimal digits and rounds nothing, so that two integers above 2^53 stay two. Marks
/// are read as `without_marks` does, percents as hundredths. Nothing for a text that is not a
/// finite decimal number. Outer spaces are ignored. Total; O(length). The view is valid as long as
/// the buffer.
[[nodiscard]] std::optional<std::string_view> same_number_text(std::string_view text,
                                                               SameValueBuffer& buffer) noexcept;

/// Also for truths, days and times: `true` represents the word in any case, and so does `false`; a
/// day is its first second, and a time with an offset is what UTC's clock shows, with all parts of a
/// second.
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
  kNotWhole,    ///< a fraction among integers
  kUnreadable,  ///< not of the column's type
};

/// A verdict, and the cell of the domain that lies nearest: the value's own cell, the cell of the
/// nearest bound or integer, or cell 0 where nothing is near.
struct Reading {
  Verdict verdict;
  std::uint32_t cell;
};

// -----------------------------------------------------------------------------------------------
// Numbers strings 0, 1, 2, … in the order in which they were first seen.

/// A set of distinct byte strings, each with the index of its insertion.
///
/// Lookup takes O(length) expected time whatever the strings are (their hash has a secret key), and
/// allocates nothing, which is what reading a million private rows needs; the strings lie end to
/// end in one buffer (with about 16 bytes for each). Strings are compared byte for byte.
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
  // Part of the hash is kept with the index so that nearly every mismatch is seen without following
  // it into the text.
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

}  // namespace mollify
