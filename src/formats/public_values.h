// A public column's values, as a draft keeps them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/speech.h"
#include "base/words.h"
#include "domain/time_text.h"
#include "domain/times.h"

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
    return are_alike && others > 1 ? fmt::format(
                                         "all but {} values are {}, and these are \"{}\", as {} "
                                         "is; if nothing is known there, leave such fields empty",
                                         others, things, value, place)
                                   : fmt::format("all but {} are {}; {} is \"{}\"",
                                                 counted(others, "value"), things, place, value);
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

// -----------------------------------------------------------------------------------------------
// Where numbers are cut.

/// Some of many numbers, evenly along the file: enough to see where most of them lie.
class NumberSample {
 public:
  void see(double number) {
    if (seen_++ % stride_ != 0) return;
    kept_.push_back(number);
    if (kept_.size() < kMost) return;
    for (std::size_t i = 0; 2 * i < kept_.size(); ++i) kept_[i] = kept_[2 * i];
    kept_.resize(kept_.size() / 2);
    stride_ *= 2;
  }
  [[nodiscard]] std::vector<double> sorted() const {
    std::vector<double> numbers = kept_;
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }
  /// Fewer records say too little of where most values lie.
  [[nodiscard]] bool is_enough() const { return seen_ >= kLeastForQuantiles; }

 private:
  static constexpr std::size_t kLeastForQuantiles = 100;
  static constexpr std::size_t kMost = std::size_t{1} << 16U;

  std::vector<double> kept_{};
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

/// The values that are a cell by themselves, ascending: a tenth of all, and sentinels.
[[nodiscard]] std::vector<double> spikes_of(const std::vector<double>& sorted);

/// Where the other values begin and, one step on, end, if spikes far from
/// them are the least and the greatest of all: no cell then reaches from a spike to them. Ascending.
[[nodiscard]] std::vector<double> ends_beside_spikes(const std::vector<double>& sorted,
                                                     std::span<const double> spikes, double min,
                                                     double max, double step);

/// The beginnings of cells that hold equally many values, and smaller ones in a long tail;
/// ascending, and all between `min` and `max`, which are not among them. `bins` in all without a long
/// tail.
[[nodiscard]] std::vector<double> quantiles_of(const std::vector<double>& sorted, double min,
                                               double max, std::uint32_t bins);

}  // namespace mollify
