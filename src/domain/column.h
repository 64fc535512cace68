// A column: its kind, its cells, its words.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/numbers.h"
#include "domain/same_value.h"
#include "domain/times.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A column of declared words.

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
/// included. What is too large for a double is an infinity of its sign; what is too small is zero.
/// Total, and independent of the locale; O(length).
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

/// The usual words for a truth, in any case: false, f, no, n, 0 and true, t, yes, y, 1. Nothing for
/// any other text. Outer spaces are ignored.
[[nodiscard]] std::optional<bool> read_truth(std::string_view text) noexcept;

/// The texts that typed values stand for, as `Value` says; valid as long as the buffer.
using TextBuffer = std::array<char, 32>;
[[nodiscard]] std::string_view text_of(std::int64_t integer, TextBuffer& buffer) noexcept;
[[nodiscard]] std::string_view text_of(double number, TextBuffer& buffer) noexcept;

/// True if the two words agree when ASCII letters are compared without their case.
[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

/// Throws InvalidInput, calling the text `what`, unless it is UTF-8 without control characters.
///
/// A line break could not be read back from a CSV file in which one line is one record, and text
/// that is not UTF-8 could not be written to a domain file.
void require_declarable(std::string_view text, std::string_view what);

// -----------------------------------------------------------------------------------------------
// One declared column of the public domain.

/// What the values of a column may be: a finite number of cells.
using Cells = std::variant<Categories, BooleanWords, IntegerCells, NumberCells, DateCells>;

/// The type's name in a domain file: categorical, ordinal, boolean, integer, number, date or
/// datetime.
[[nodiscard]] std::string_view type_name(const Cells& cells) noexcept;

/// True for integers and numbers.
[[nodiscard]] bool is_numeric(const Cells& cells) noexcept;

/// True where cells lie in an order: for integers and numbers, days and times, and ordinals.
[[nodiscard]] bool is_ordered(const Cells& cells) noexcept;

/// True where a value is a place on an axis rather than one of a few levels: for numbers, and for
/// other ordered cells but words, if there are more than 32.
[[nodiscard]] bool is_continuous(const Cells& cells) noexcept;

/// True for numbers whose bins a release finds privately.
[[nodiscard]] bool has_private_bins(const Cells& cells) noexcept;

/// How a column maps what is not one of its values. Declared, hence public.
struct Mapping {
  /// Null is an outcome of its own, written as an empty field.
  bool null_is_category = false;
  /// The value nulls become, as a field would write it. Without it and without the category,
  /// nulls are mapped like what is unreadable.
  std::optional<std::string> null_value{};
  /// The value which all outside or unreadable becomes; a null beside a null category. Without it
  /// (`outside: clip`), numbers go to the domain's nearest value, and all else to the first one.
  std::optional<std::string> outside_value{};
  /// The default of `outside`, spelled out: `outside: clip`.
  bool clips = false;

  /// True if the domain says what becomes of a value that is not one of the column's.
  [[nodiscard]] bool declares_outside() const noexcept { return clips || outside_value; }
  /// The same of nulls, which become the `outside` value where nothing else is declared.
  [[nodiscard]] bool declares_null() const noexcept {
    return null_is_category || null_value || outside_value;
  }

  friend bool operator==(const Mapping&, const Mapping&) = default;
};

/// A named, finite column: texts of fields to outcomes 0 … size() - 1 and back. Immutable.
///
/// `encode` is total: it is defined for every value and every byte string, throws for none, and its
/// time depends on the text's length alone. A value of another type is what its text is. Cells come
/// first, the null category, if declared, last.
class Column {
 public:
  /// Throws InvalidInput, naming the column, unless the name is a line of 1 to 500 bytes of UTF-8
  /// text, the mapping's values are values of the domain, at most one null policy is declared, and,
  /// with a null category, the empty text is not itself a declared value.
  [[nodiscard]] static Column make(std::string name, Cells cells, Mapping mapping = {});

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const Cells& cells() const noexcept { return cells_; }
  [[nodiscard]] const Mapping& mapping() const noexcept { return mapping_; }
  [[nodiscard]] std::uint32_t size() const noexcept { return size_; }

  /// How the value stands to the declaration, before any mapping.
  [[nodiscard]] Reading read(const Value& value) const noexcept;

  /// True if nulls are declared, as a category or with a value.
  [[nodiscard]] bool declares_nulls() const noexcept;

  /// The outcome of a value, mapped as declared.
  [[nodiscard]] std::uint32_t encode(const Value& value) const noexcept;
  /// Those of many values, none of them null; truths are bytes, of which 0 is false. Requires
  /// outcomes.size() == values.size().
  void encode(std::span<const std::int64_t> values,
              std::span<std::uint32_t> outcomes) const noexcept;
  void encode(std::span<const double> values, std::span<std::uint32_t> outcomes) const noexcept;
  void encode(std::span<const std::uint8_t> truths,
              std::span<std::uint32_t> outcomes) const noexcept;
  void encode(std::span<const std::string_view> values,
              std::span<std::uint32_t> outcomes) const noexcept;

  /// How many texts an outcome can be written as; at least one. Requires outcome < size().
  [[nodiscard]] std::uint64_t points(std::uint32_t outcome) const noexcept;

  /// True of days and times: what stands for the outcome has to be written.
  [[nodiscard]] bool must_be_written(std::uint32_t outcome) const noexcept;
  /// The `point`-th value of the outcome: an integer, a number, a truth if the words are false and
  /// true, else a word, or a null; `encode` maps it back to the outcome. Valid as long as the
  /// column. Requires outcome < size(), point < points(outcome), and !must_be_written(outcome).
  [[nodiscard]] Value value(std::uint32_t outcome, std::uint64_t point) const noexcept;
  /// Appends it as text.
  void write(std::uint32_t outcome, std::uint64_t point, std::string& text) const;

  /// What a value must be, for messages: "an integer from 0 to 100".
  [[nodiscard]] std::string expectation() const;

  /// Two columns with the same canonical text have the same name and encode and decode alike. The
  /// text is the same on every machine.
  [[nodiscard]] std::string canonical_text() const;

 private:
  Column(std::string name, Cells cells, Mapping mapping);

  [[nodiscard]] std::uint32_t mapped(Reading reading) const noexcept;
  template <class T>
  void encode_all(std::span<const T> values, std::span<std::uint32_t> outcomes) const noexcept;

  std::string name_;
  Cells cells_;
  Mapping mapping_;
  std::uint32_t cell_count_;
  std::uint32_t size_;
  std::uint32_t null_outcome_ = 0;
  std::optional<std::uint32_t> outside_outcome_;
};

}  // namespace mollify
