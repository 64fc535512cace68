// A public column's values, as a draft keeps them.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/speech.h"
#include "base/words.h"
#include "domain/time_text.h"
#include "domain/times.h"
#include "formats/draft_words.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Values of other types.

/// Values that keep a column from being of a type, where nearly all are of it, or all but one word
/// that is written again and again, as "n/a" is.
struct Strangers {
  std::uint64_t of_type = 0, others = 0;
  std::uint64_t line = 0;  // of the first other
  bool is_in_memory = false;
  std::string value{};
  bool are_alike = true;

  void see(bool is_of_type, std::string_view text, std::uint64_t at) {
    ++(is_of_type ? of_type : others);
    if (is_of_type) return;
    if (others == 1) {
      line = at;
      value = text;
    }
    are_alike = are_alike && text == value;
  }
  [[nodiscard]] bool are_few() const {
    constexpr std::uint64_t kOneIn = 10;
    const bool is_one_word = are_alike && others > 1 && of_type > others;
    return others > 0 && (of_type >= kOneIn * others || is_one_word);
  }
  [[nodiscard]] std::uint64_t seen() const { return of_type + others; }
  [[nodiscard]] std::string words(const char* things) const {
    const std::string place = line_words(line, is_in_memory);
    const auto range = range_in(value);
    const bool has_one_end =
        range && (std::isinf(range->first) || std::isinf(range->second));  // "90+"
    const char* advice = has_one_end
                             ? "; to keep it, write its bound as a number, which is then a value"
                             : "; if nothing is known there, leave such fields empty";
    return are_alike && others > 1
               ? fmt::format("all but {} values are {}, and these are \"{}\", as {} is{}", others,
                             things, value, place, advice)
               : fmt::format("all but {} are {}; {} is \"{}\"{}", counted(others, "value"), things,
                             place, value, has_one_end ? advice : "");
  }
};

// -----------------------------------------------------------------------------------------------
// Texts that no domain can declare.

/// Names the part that no domain can declare, such as "a tab"; empty if a domain can declare the text. A table in memory
/// has a vertical tab for each line break (CsvSink).
[[nodiscard]] std::string undeclarable_part(std::string_view text, bool is_in_memory);

/// The values of one column that are such texts.
struct Undeclarable {
  std::uint64_t count = 0;
  std::uint64_t line = 0;  // of the first one
  std::string part{};

  void see(std::string_view what, std::uint64_t at) {
    if (count++ > 0) return;
    line = at;
    part = what;
  }
  [[nodiscard]] std::string words(bool is_in_memory) const {
    return fmt::format("{} holds {}, which no domain can declare", line_words(line, is_in_memory),
                       part);
  }
};

// -----------------------------------------------------------------------------------------------
// Days and times in other formats than ISO 8601's.

/// The formats that all values of a column have, if they are days or times from 1800 to 2200: those
/// that people and programs write most. Numbers of days and of seconds are some only in a column
/// whose name reads like it, for any number may be one.
class DayFormats {
 public:
  explicit DayFormats(std::string_view column);

  void see(std::string_view text);
  /// The format that is left; nullptr if no format is, or if the day or the month may come first.
  [[nodiscard]] const TimeFormat* found() const;
  /// How to declare the column in the format that is left.
  [[nodiscard]] DateCells::Declaration declaration() const { return declared(left_.front()); }
  /// "its values are days like ..., with the day or the month first"; empty for others.
  [[nodiscard]] std::string words_if_ambiguous() const;

 private:
  struct Candidate {
    const TimeFormat* format;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();  // seconds
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    bool has_clocks = false;
  };

  [[nodiscard]] static DateCells::Declaration declared(const Candidate& candidate);

  std::vector<Candidate> left_{};
  std::string value_{};  // the first one
};

}  // namespace mollify
