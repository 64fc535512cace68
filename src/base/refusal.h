// Refusals whose sentence is made of values.
#pragma once

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/words.h"
#include "core/invalid_input.h"
#include "core/ranges.h"

namespace mollify {

/// Throws InvalidInput, with the values at the places of the sentence.
template <class... Values>
[[noreturn]] void refuse_input(Code code, Concern concern, std::vector<WayOut> ways_out,
                               fmt::format_string<Values...> sentence, Values&&... values) {
  throw InvalidInput(code, sentence_of(sentence, fmt::make_format_args(values...)),
                     std::move(concern), std::move(ways_out));
}

/// Throws it with the numbers that decide.
template <class... Values>
[[noreturn]] void refuse_input(Code code, Concern concern, std::vector<WayOut> ways_out,
                               std::vector<Quantity> quantities,
                               fmt::format_string<Values...> sentence, Values&&... values) {
  throw InvalidInput(code, sentence_of(sentence, fmt::make_format_args(values...)),
                     std::move(concern), std::move(ways_out), std::move(quantities));
}

/// Throws it without ways out.
template <class... Values>
[[noreturn]] void refuse_input(Code code, Concern concern, fmt::format_string<Values...> sentence,
                               Values&&... values) {
  throw InvalidInput(code, sentence_of(sentence, fmt::make_format_args(values...)),
                     std::move(concern));
}

/// Every finite number.
inline constexpr Range kDoubles{.least = std::numeric_limits<double>::lowest(),
                                .most = std::numeric_limits<double>::max()};

/// A number that is given, and the ends of its range, as quantities of a refusal or a warning.
[[nodiscard]] inline std::vector<Quantity> quantities_of(double given, const Range& range,
                                                         const std::string& unit = {}) {
  std::vector<Quantity> all = {{"given", given, unit}};
  if (std::isfinite(range.least))
    all.push_back({range.is_open ? "above" : "least", range.least, unit});
  if (std::isfinite(range.most))
    all.push_back({range.is_open_above ? "below" : "most", range.most, unit});
  return all;
}

/// Throws it, with these numbers, unless the range has the number: for sentences of their own.
template <class About = Concern, class... Values>
void refuse_outside(const Range& range, double given, const About& concern,
                    fmt::format_string<Values...> sentence, Values&&... values) {
  if (range.has(given)) return;
  refuse_input("out-of-range", concern, std::vector<WayOut>(), quantities_of(given, range),
               sentence, std::forward<Values>(values)...);
}

/// Throws it where `fault` is true. The values are made in either case: for those that cost
/// something, or that only a fault has, write `if` and refuse_input.
template <class About = Concern, class... Values>
void refuse_if(bool fault, Code code, const About& concern, fmt::format_string<Values...> sentence,
               Values&&... values) {
  if (fault) refuse_input(code, concern, sentence, std::forward<Values>(values)...);
}

}  // namespace mollify
