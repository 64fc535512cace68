#include "domain/column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <system_error>
#include <type_traits>
#include <utility>

#include <boost/locale/utf.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/names.h"
#include "core/invalid_input.h"
#include "domain/same_value.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A column of declared words.

Categories Categories::make(const std::vector<std::string>& values, bool ordered) {
  constexpr std::size_t kMaxValues = std::size_t{1} << 24U;
  if (values.empty()) throw InvalidInput("values must list at least one value, but is empty");
  if (values.size() > kMaxValues) {
    throw InvalidInput(
        fmt::format("values must list at most {} values, but lists {}", kMaxValues, values.size()));
  }
  Categories categories;
  categories.ordered_ = ordered;
  for (const std::string& value : values) {
    require_declarable(value, "a value");
    if (categories.values_.find(value) != StringIndex::kAbsent) {
      throw InvalidInput(fmt::format("values must be distinct, but \"{}\" is listed twice", value));
    }
    const std::uint32_t cell = categories.values_.insert(value);
    SameValueBuffer buffer;
    const auto same = same_value_text(value, buffer);
    if (!same) continue;
    const std::uint32_t place = categories.typed_.find(*same);
    if (place != StringIndex::kAbsent) {
      throw InvalidInput(fmt::format(
          "values must be distinct, but \"{}\" and \"{}\" are one value, written in two ways: "
          "keep one of them",
          categories.value(categories.typed_cells_[place]), value));
    }
    categories.typed_.insert(*same);
    categories.typed_cells_.push_back(cell);
  }
  for (const std::size_t no : {0U, 1U}) {
    if (values.size() != 2 || !BooleanWords::are_usual(values[no], values[1 - no])) continue;
    categories.truths_ = BooleanWords::make(values[no], values[1 - no]);
    categories.cell_of_false_ = static_cast<std::uint32_t>(no);
  }
  return categories;
}

std::uint32_t Categories::size() const noexcept {
  return static_cast<std::uint32_t>(values_.size());
}

Reading Categories::read(std::string_view text) const noexcept {
  const std::uint32_t cell = values_.find(text);
  if (cell != StringIndex::kAbsent) return {Verdict::kValue, cell};
  if (typed_.size() > 0) {
    SameValueBuffer buffer;
    const auto same = same_value_text(text, buffer);
    const std::uint32_t place = same ? typed_.find(*same) : StringIndex::kAbsent;
    if (place != StringIndex::kAbsent) return {Verdict::kValue, typed_cells_[place]};
  }
  if (truths_) {
    const Reading truth = truths_->read(text);
    if (truth.verdict == Verdict::kValue) return {Verdict::kValue, truth.cell ^ cell_of_false_};
  }
  return {is_null_word(text) ? Verdict::kNull : Verdict::kOutside, 0};
}

void Categories::write(std::uint32_t cell, std::uint64_t /*point*/, std::string& text) const {
  text += value(cell);
}

std::string Categories::expectation() const {
  if (size() == 1) return fmt::format("the declared value \"{}\"", value(0));
  return fmt::format("one of {} declared values", size());
}

// -----------------------------------------------------------------------------------------------
// How the text of a field becomes a null, a number or an integer.

namespace {

std::string_view without_plus(std::string_view text) {
  const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
  return has_plus ? text.substr(1) : text;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// digits / 10^decimals, or its negative.
struct ShortDecimal {
  std::uint64_t digits;
  unsigned decimals;
  bool has_point;
  bool negative;
};

template <class Word>
std::uint64_t load(const char* bytes) {
  Word word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

constexpr std::uint64_t every_byte(std::uint64_t byte) { return 0x0101010101010101U * byte; }

/// Eight letters of a text, from its beginning and its end, so that nothing beside it is read: the
/// last letter in the highest byte, and zeros below the first if they are fewer.
std::uint64_t load_few(std::string_view text) {
  const std::size_t size = text.size();
  const std::size_t shift = 8 * (8 - size);
  const char* const end = text.data() + size;
  if (size >= 4) {
    return load<std::uint32_t>(end - 4) << 32U | load<std::uint32_t>(text.data()) << shift;
  }
  return load<std::uint8_t>(end - 1) << 56U | load<std::uint8_t>(text.data()) << shift |
         load<std::uint8_t>(text.data() + size / 2) << (shift + 8 * (size / 2));
}

/// The number of eight digits, the first in the lowest byte: pairs, fours, and all of them.
std::uint64_t number_of(std::uint64_t digits) {
  digits = (digits * 10 + (digits >> 8U)) & 0x00ff00ff00ff00ffU;
  digits = (digits * 100 + (digits >> 16U)) & 0x0000ffff0000ffffU;
  return (digits * 10'000 + (digits >> 32U)) & 0xffffffffU;
}

/// A marker in the high bit of each byte that is no digit.
std::uint64_t others_than_digits(std::uint64_t bytes) {
  return ((((bytes & every_byte(0x7f)) + every_byte(0x76)) | bytes)) & every_byte(0x80);
}

/// Closes the gap that the byte at this place leaves, from below.
std::uint64_t without_byte(std::uint64_t bytes, unsigned place) {
  const std::uint64_t below = (std::uint64_t{1} << 8U * place) - 1;
  return (bytes & ~(below << 8U | 0xffU)) | (bytes & below) << 8U;
}

// What most fields of a table of numbers are: at most 16 letters, digits and perhaps a point, after
// perhaps a sign. Eight letters are read at a time, for loops and branches on each would take most
// of the time of reading a table. Nothing for any other text.
std::optional<ShortDecimal> read_short_decimal(std::string_view text) noexcept {
  if constexpr (std::endian::native != std::endian::little) return std::nullopt;
  const bool negative = !text.empty() && text.front() == '-';
  text.remove_prefix(negative ? 1 : 0);
  const std::size_t size = text.size();
  if (size - 1 >= 16) return std::nullopt;
  constexpr std::uint64_t kZeros = every_byte('0');
  std::uint64_t high = 0;  // the letters before the last eight
  std::uint64_t low = 0;
  if (size < 8) {
    low = load_few(text) ^ kZeros << 8 * (8 - size);
  } else {
    low = load<std::uint64_t>(text.data() + size - 8) ^ kZeros;
    if (size > 8) high = (load<std::uint64_t>(text.data()) ^ kZeros) << 8 * (16 - size);
  }
  const std::uint64_t low_others = others_than_digits(low);
  const std::uint64_t high_others = others_than_digits(high);
  const bool has_point = (low_others | high_others) != 0;
  unsigned decimals = 0;
  if (has_point) {
    // Of all letters that are no digits there may be one, and it must be the point.
    const bool is_low = low_others != 0;
    const std::uint64_t others = is_low ? low_others : high_others;
    if ((is_low && high_others != 0) || (others & (others - 1)) != 0 || size == 1) {
      return std::nullopt;
    }
    const auto place = static_cast<unsigned>(std::countr_zero(others)) / 8;
    if (((is_low ? low : high) >> 8U * place & 0xffU) != ('.' ^ '0')) return std::nullopt;
    decimals = (is_low ? 7 : 15) - place;
    if (is_low) {
      low = without_byte(low, place) | high >> 56U;
      high <<= 8U;
    } else {
      high = without_byte(high, place);
    }
  }
  return ShortDecimal{number_of(high) * 100'000'000 + number_of(low), decimals, has_point,
                      negative};
}

/// The nearest double, which is what std::from_chars returns, in a part of its time: of 15 digits
/// at most, which those with decimals have, the integer and the power of ten are doubles exactly,
/// so that their quotient is the nearest one; without decimals the conversion is.
/// The powers are static: a table of the function's own would be copied for each field.
double value_of(const ShortDecimal& decimal) noexcept {
  static constexpr std::array<double, 16> kPowers = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const double value = static_cast<double>(decimal.digits) / kPowers[decimal.decimals];
  return decimal.negative ? -value : value;
}

// std::from_chars says "out of range" both for 1e999 and for 1e-999. Given such a decimal number,
// this tells them apart: the number is large if its first digit other than zero stands before the
// point once the exponent is applied.
bool is_large(std::string_view number) noexcept {
  constexpr std::int64_t kFar = std::int64_t{1} << 40U;  // beyond any digit count of a line
  const std::size_t exponent_mark = std::min(number.find_first_of("eE"), number.size());
  std::int64_t exponent = 0;
  if (exponent_mark < number.size()) {
    std::string_view digits = number.substr(exponent_mark + 1);
    const bool negative = digits.front() == '-';
    if (negative || digits.front() == '+') digits.remove_prefix(1);
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (result.ec != std::errc{}) exponent = kFar;
    exponent = std::min(exponent, kFar);
    if (negative) exponent = -exponent;
  }
  const std::string_view mantissa = number.substr(0, exponent_mark);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  return static_cast<std::int64_t>(point) - static_cast<std::int64_t>(first) + exponent > 0;
}

}  // namespace

bool is_null_word(std::string_view text) noexcept {
  if (text.empty()) return true;
  if (text.size() > 4 || is_digit(text.front())) return false;
  static constexpr std::array<std::string_view, 7> kWords = {"NA",   "N/A",  "NaN", "nan",
                                                             "null", "NULL", "None"};
  return std::find(kWords.begin(), kWords.end(), text) != kWords.end();
}

std::string_view without_outer_spaces(std::string_view text) noexcept {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_utf8(std::string_view bytes) noexcept {
  namespace utf = boost::locale::utf;
  const char* position = bytes.data();
  const char* const end = position + bytes.size();
  while (position != end) {
    if (static_cast<unsigned char>(*position) < 0x80) {
      ++position;
      continue;
    }
    const utf::code_point point = utf::utf_traits<char>::decode(position, end);
    if (point == utf::illegal || point == utf::incomplete) return false;
  }
  return true;
}

std::optional<double> read_number(std::string_view text) noexcept {
  text = without_plus(without_outer_spaces(text));
  if (const auto decimal = read_short_decimal(text)) return value_of(*decimal);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return std::nullopt;
  if (result.ec == std::errc::result_out_of_range) {
    if (!is_large(text)) return 0.0;
    constexpr double kBeyondAll = std::numeric_limits<double>::infinity();
    return text.front() == '-' ? -kBeyondAll : kBeyondAll;
  }
  if (std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> read_integer(std::string_view text) noexcept {
  // Codes of one digit are what most fields of a table of many columns are.
  if (text.size() == 1 && is_digit(text.front())) return text.front() - '0';
  text = without_plus(without_outer_spaces(text));
  if (const auto decimal = read_short_decimal(text); decimal && !decimal->has_point) {
    const auto digits = static_cast<std::int64_t>(decimal->digits);
    return decimal->negative ? -digits : digits;
  }
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{}) return std::nullopt;
  if (result.ptr == end) return value;
  if (*result.ptr != '.') return std::nullopt;
  const bool only_zeros = std::all_of(result.ptr + 1, end, [](char c) { return c == '0'; });
  return only_zeros ? std::optional(value) : std::nullopt;
}

std::string_view without_marks(std::string_view text, bool in_hundredths,
                               UnmarkedBuffer& buffer) noexcept {
  constexpr std::string_view kHundredths = "e-2";
  text = without_outer_spaces(text);
  if (text.size() > buffer.size() - kHundredths.size()) return {};
  const bool has_percent = text.ends_with('%');
  if (has_percent) text = without_outer_spaces(text.substr(0, text.size() - 1));
  char* end = buffer.data();
  if (text.starts_with('-') || text.starts_with('+')) {
    *end++ = text.front();
    text.remove_prefix(1);
  }
  const std::string_view whole = text.substr(0, text.find('.'));
  std::size_t digits = 0;  // since the last comma
  bool has_comma = false;
  for (const char letter : whole) {
    if (letter == ',') {
      if (digits == 0 || digits > 3 || (has_comma && digits != 3)) return {};
      has_comma = true;
      digits = 0;
    } else if (is_digit(letter)) {
      *end++ = letter;
      ++digits;
    } else {
      return {};
    }
  }
  if (has_comma ? digits != 3 || whole.starts_with('0') : !has_percent) return {};
  for (const char letter : text.substr(whole.size())) {
    if (letter != '.' && !is_digit(letter)) return {};  // two points are no number either way
    *end++ = letter;
  }
  if (has_percent && in_hundredths) {
    end = std::copy(kHundredths.begin(), kHundredths.end(), end);
  }
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

std::optional<double> read_number_of(std::string_view text, double min, double max) noexcept {
  if (const auto number = read_number(text)) return number;
  UnmarkedBuffer buffer;
  const auto number = read_number(without_marks(text, percents_are_hundredths(min, max), buffer));
  if (number || min != 0 || max != 1) return number;
  return read_truth(text);
}

std::optional<bool> read_truth(std::string_view text) noexcept {
  static constexpr std::array<std::string_view, 10> kWords = {"false", "true", "f", "t", "no",
                                                              "yes",   "n",    "y", "0", "1"};
  text = without_outer_spaces(text);
  const auto* const found = std::find_if(
      kWords.begin(), kWords.end(), [text](auto word) { return equal_ignoring_case(text, word); });
  if (found == kWords.end()) return std::nullopt;
  return (found - kWords.begin()) % 2 == 1;
}

std::string_view text_of(std::int64_t integer, TextBuffer& buffer) noexcept {
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), integer);
  return {buffer.data(), static_cast<std::size_t>(result.ptr - buffer.data())};
}

std::string_view text_of(double number, TextBuffer& buffer) noexcept {
  if (std::isnan(number)) return "nan";  // which has a sign, too
  const char* const end = fmt::format_to(buffer.data(), "{}", number + 0.0);
  return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                    [&](char a, char b) { return lower(a) == lower(b); });
}

void require_declarable(std::string_view text, std::string_view what) {
  if (!is_utf8(text)) throw InvalidInput(fmt::format("{} must be UTF-8 text, but is not", what));
  const auto control = std::find_if(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
  if (control != text.end()) {
    throw InvalidInput(
        fmt::format("{} must be one line of text without control characters, but holds byte {}",
                    what, static_cast<unsigned>(*control)));
  }
}

// -----------------------------------------------------------------------------------------------
// One declared column of the public domain.

namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

// What a column makes of a value: of its text, unless it knows the same without writing one.
template <class AnyCells>
Reading read_as(const AnyCells& cells, std::string_view text) noexcept {
  return cells.read(text);
}
template <class AnyCells>
Reading read_as(const AnyCells& cells, std::monostate /*null*/) noexcept {
  return cells.read(std::string_view());
}
template <class AnyCells>
Reading read_as(const AnyCells& cells, bool truth) noexcept {
  return cells.read(std::string_view(truth ? "true" : "false"));
}
template <class AnyCells, class Number>
Reading read_as(const AnyCells& cells, Number number) noexcept {
  if constexpr (std::is_same_v<AnyCells, IntegerCells> || std::is_same_v<AnyCells, NumberCells>) {
    return cells.read(number);
  } else {
    TextBuffer buffer;
    return cells.read(text_of(number, buffer));
  }
}

// Length first, so that no text can imitate the end of another.
std::string counted(std::string_view text) { return fmt::format("{}:{}", text.size(), text); }

}  // namespace

std::string_view type_name(const Cells& cells) noexcept {
  return std::visit(Overloaded{[](const Categories& categories) -> std::string_view {
                                 return categories.ordered() ? "ordinal" : "categorical";
                               },
                               [](const DateCells& dates) -> std::string_view {
                                 return dates.declared().grain == Grain::kDay ? "date" : "datetime";
                               },
                               [](const BooleanWords&) -> std::string_view { return "boolean"; },
                               [](const IntegerCells&) -> std::string_view { return "integer"; },
                               [](const NumberCells&) -> std::string_view { return "number"; }},
                    cells);
}

bool is_numeric(const Cells& cells) noexcept {
  return std::holds_alternative<NumberCells>(cells) || std::holds_alternative<IntegerCells>(cells);
}

bool has_private_bins(const Cells& cells) noexcept {
  const auto* const integers = std::get_if<IntegerCells>(&cells);
  const auto* const numbers = std::get_if<NumberCells>(&cells);
  return (integers != nullptr && integers->has_private_bins()) ||
         (numbers != nullptr && numbers->has_private_bins());
}

bool is_ordered(const Cells& cells) noexcept {
  const auto* categories = std::get_if<Categories>(&cells);
  return is_numeric(cells) || std::holds_alternative<DateCells>(cells) ||
         (categories != nullptr && categories->ordered());
}

bool is_continuous(const Cells& cells) noexcept {
  constexpr std::uint32_t kMostLevels = 32;
  if (const auto* dates = std::get_if<DateCells>(&cells)) return dates->size() > kMostLevels;
  if (const auto* integers = std::get_if<IntegerCells>(&cells)) {
    return integers->size() > kMostLevels;
  }
  return std::holds_alternative<NumberCells>(cells);
}

Column::Column(std::string name, Cells cells, Mapping mapping)
    : name_(std::move(name)),
      cells_(std::move(cells)),
      mapping_(std::move(mapping)),
      cell_count_(std::visit([](const auto& type) { return type.size(); }, cells_)),
      size_(cell_count_ + (mapping_.null_is_category ? 1 : 0)) {}

Column Column::make(std::string name, Cells cells, Mapping mapping) {
  if (name.empty()) throw InvalidInput("a column must have a name, but one has none");
  require_declarable(name, "a column's name");
  // YAML parsers accept keys of up to 1024 characters, quoted.
  constexpr std::size_t kMaxNameBytes = 500;
  if (name.size() > kMaxNameBytes) {
    throw InvalidInput(fmt::format("a column's name must have at most {} bytes, but one has {}",
                                   kMaxNameBytes, name.size()));
  }
  Column column(std::move(name), std::move(cells), std::move(mapping));

  const auto declared_cell = [&column](const std::string& value, std::string_view key) {
    const Reading reading = column.read(value);
    if (reading.verdict == Verdict::kNull && key == "outside") {
      throw InvalidInput(fmt::format(
          "column \"{}\": outside can be null only beside null: category, which makes null a value",
          column.name_));
    }
    if (reading.verdict != Verdict::kValue) {
      const std::string word = key == "null" ? "category" : "clip";
      refuse_name(fmt::format("column \"{}\": {}", column.name_, key),
                  fmt::format("{} (or the word {})", column.expectation(), word), value,
                  std::vector<std::string>{word});
    }
    return reading.cell;
  };
  const Mapping& declared = column.mapping_;
  if (declared.outside_value) {
    const bool becomes_null =
        declared.null_is_category && column.read(*declared.outside_value).verdict == Verdict::kNull;
    column.outside_outcome_ = becomes_null ? column.cell_count_  // the null category
                                           : declared_cell(*declared.outside_value, "outside");
  }
  if (declared.null_is_category && declared.null_value) {
    throw InvalidInput(
        fmt::format("column \"{}\": null must be either a category or a value, but is declared as "
                    "both",
                    column.name_));
  }
  if (declared.null_is_category) {
    if (column.read("").verdict != Verdict::kNull) {
      throw InvalidInput(
          fmt::format("column \"{}\": a null category is written as an empty field, but the empty "
                      "text is a declared value",
                      column.name_));
    }
    column.null_outcome_ = column.cell_count_;
  } else if (declared.null_value) {
    column.null_outcome_ = declared_cell(*declared.null_value, "null");
  } else {
    column.null_outcome_ = column.outside_outcome_.value_or(0);
  }
  return column;
}

Reading Column::read(const Value& value) const noexcept {
  return std::visit([](const auto& cells, auto typed) { return read_as(cells, typed); }, cells_,
                    value);
}

bool Column::declares_nulls() const noexcept {
  return mapping_.null_is_category || mapping_.null_value.has_value();
}

std::uint32_t Column::mapped(Reading reading) const noexcept {
  switch (reading.verdict) {
    case Verdict::kValue:
      return reading.cell;
    case Verdict::kNull:
      return null_outcome_;
    case Verdict::kOutside:
    case Verdict::kUnreadable:
      break;
  }
  return outside_outcome_.value_or(reading.cell);
}

std::uint32_t Column::encode(const Value& value) const noexcept { return mapped(read(value)); }

template <class T>
void Column::encode_all(std::span<const T> values,
                        std::span<std::uint32_t> outcomes) const noexcept {
  std::visit(
      [&](const auto& cells) {
        for (std::size_t i = 0; i < values.size(); ++i) {
          outcomes[i] = mapped(read_as(cells, values[i]));
        }
      },
      cells_);
}

void Column::encode(std::span<const std::int64_t> values,
                    std::span<std::uint32_t> outcomes) const noexcept {
  encode_all(values, outcomes);
}

void Column::encode(std::span<const double> values,
                    std::span<std::uint32_t> outcomes) const noexcept {
  encode_all(values, outcomes);
}

void Column::encode(std::span<const std::uint8_t> truths,
                    std::span<std::uint32_t> outcomes) const noexcept {
  const std::uint32_t of_false = encode(false);
  const std::uint32_t of_true = encode(true);
  for (std::size_t i = 0; i < truths.size(); ++i) outcomes[i] = truths[i] == 0 ? of_false : of_true;
}

void Column::encode(std::span<const std::string_view> values,
                    std::span<std::uint32_t> outcomes) const noexcept {
  encode_all(values, outcomes);
}

std::uint64_t Column::points(std::uint32_t outcome) const noexcept {
  if (outcome >= cell_count_) return 1;
  return std::visit([outcome](const auto& cells) { return cells.points(outcome); }, cells_);
}

bool Column::must_be_written(std::uint32_t outcome) const noexcept {
  return outcome < cell_count_ && std::holds_alternative<DateCells>(cells_);
}

Value Column::value(std::uint32_t outcome, std::uint64_t point) const noexcept {
  if (outcome >= cell_count_) return {};
  return std::visit(
      Overloaded{[&](const Categories& categories) -> Value { return categories.value(outcome); },
                 [&](const BooleanWords& words) -> Value {
                   if (words.are_false_and_true()) return outcome == 1;
                   return std::string_view(words.word(outcome));
                 },
                 [](const DateCells&) -> Value { return {}; },
                 [&](const auto& cells) -> Value { return cells.value(outcome, point); }},
      cells_);
}

void Column::write(std::uint32_t outcome, std::uint64_t point, std::string& text) const {
  if (outcome >= cell_count_) return;  // the null category is an empty field
  std::visit([&](const auto& cells) { cells.write(outcome, point, text); }, cells_);
}

std::string Column::expectation() const {
  return std::visit([](const auto& cells) { return cells.expectation(); }, cells_);
}

std::string Column::canonical_text() const {
  std::string text = fmt::format("{} {}", type_name(cells_), counted(name_));
  const auto out = std::back_inserter(text);
  std::visit(
      Overloaded{[&](const Categories& categories) {
                   for (std::uint32_t cell = 0; cell < categories.size(); ++cell) {
                     fmt::format_to(out, " {}", counted(categories.value(cell)));
                   }
                 },
                 [&](const BooleanWords& words) {
                   fmt::format_to(out, " {} {}", counted(words.word(0)), counted(words.word(1)));
                 },
                 [&](const IntegerCells& cells) {
                   fmt::format_to(out, " {} {} {}", cells.min(), cells.max(), cells.size());
                   if (!cells.declares_bins() && !cells.ungrouped()) text += " unbinned";
                   if (cells.has_private_bins()) text += " private";
                   if (!cells.declared_edges().empty()) {
                     fmt::format_to(out, " edges {}", fmt::join(cells.declared_edges(), " "));
                   }
                 },
                 [&](const DateCells& dates) {
                   // Where its cells begin, whatever words declare them.
                   const IntegerCells& cells = dates.cells();
                   fmt::format_to(out, " {} {} {} {}", cells.min(), cells.max(), cells.size(),
                                  dates.declared().zone.value_or("clock"));
                   if (dates.declared().period) {
                     fmt::format_to(out, " {}", name_of(*dates.declared().period));
                   }
                 },
                 [&](const NumberCells& cells) {
                   // Hexadecimal: exact, and the same from every library.
                   fmt::format_to(out, " {:a} {:a} {}", cells.min(), cells.max(), cells.size());
                   if (!cells.declares_bins()) text += " unbinned";
                   if (cells.has_private_bins()) text += " private";
                   for (const double edge : cells.declared_edges()) {
                     fmt::format_to(out, " edge {:a}", edge);
                   }
                   if (cells.spike()) fmt::format_to(out, " spike {:a}", *cells.spike());
                 }},
      cells_);
  if (mapping_.null_is_category || mapping_.null_value) {
    fmt::format_to(out, " null {}", null_outcome_);
  }
  if (outside_outcome_) fmt::format_to(out, " outside {}", *outside_outcome_);
  return text;
}

}  // namespace mollify
