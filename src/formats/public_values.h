// A public column's values, as a draft keeps them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/speech.h"
#include "base/words.h"
#include "formats/draft_words.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Values of other types.

/// A range with one end, as "90+" and "<0.01".
[[nodiscard]] inline bool is_bound(std::string_view text) {
  const auto range = range_in(text);
  return range && std::isinf(range->first) != std::isinf(range->second);
}

/// Values that keep a column from being of a type, where nearly all are of it, or all but one word
/// that is written again and again, as "n/a" is.
struct Strangers {
  std::uint64_t of_type = 0, others = 0;
  std::uint64_t line = 0;  // of the first other
  bool is_in_memory = false;
  std::string value{};
  bool are_alike = true;
  bool are_digits = true;  // numbers with leading zeros, as of postal codes

  void see(bool is_of_type, std::string_view text, std::uint64_t at) {
    ++(is_of_type ? of_type : others);
    if (is_of_type) return;
    if (others == 1) {
      line = at;
      value = text;
    }
    are_alike = are_alike && text == value;
    are_digits = are_digits && text.find_first_not_of("0123456789") == std::string_view::npos;
  }
  [[nodiscard]] bool are_few() const {
    constexpr std::uint64_t kOneIn = 10;
    const bool is_one_word = are_alike && others > 1 && of_type > others;
    return others > 0 && (of_type >= kOneIn * others || is_one_word);
  }
  [[nodiscard]] std::uint64_t seen() const { return of_type + others; }
  /// `are_kept`: in an order, so that bounds need no advice.
  [[nodiscard]] std::string words(const char* things, bool are_kept = false) const {
    const std::string place = line_words(line, is_in_memory);
    const bool has_one_end = is_bound(value);
    const char* advice = has_one_end && are_kept ? ""
                         : has_one_end
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

}  // namespace mollify
