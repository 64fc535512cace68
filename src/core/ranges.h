// The numbers that a parameter may have, and the refusal of others.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/invalid_input.h"

namespace mollify {

namespace detail {

/// A number as a sentence writes it: 0.1, 1e-6, nan.
[[nodiscard]] inline std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  std::string digits = text;
  // C writes two digits of a power of ten at least.
  const std::size_t power = digits.find("e-0");
  if (power != std::string::npos) digits.erase(power + 2, 1);
  return digits;
}

/// The fewest digits that mean the number alone: 0.1, 1e-6, 16777216, nan.
[[nodiscard]] inline std::string exact(double value) {
  char text[32];
  std::string digits(text, std::to_chars(text, text + sizeof text, value).ptr);
  // "1e+06" and "1e-06" have two digits of a power of ten at least.
  for (const char* noise : {"e+0", "e-0", "e+"}) {
    const std::size_t power = digits.find(noise);
    if (power != std::string::npos)
      digits.replace(power, std::strlen(noise), noise[1] == '-' ? "e-" : "e");
  }
  return digits;
}
[[nodiscard]] inline std::string exact(std::integral auto value) { return std::to_string(value); }

}  // namespace detail

namespace detail {
/// Not constexpr, and defined nowhere: a constant that calls it does not compile.
void several_words_name_the_parameter_as_well();
}  // namespace detail

/// A value's words in a sentence, its parameter by the flag without dashes, and the unit in which it
/// counts. Parameter and unit may be empty.
struct Called {
  /// A parameter that the sentence calls by its name: "epsilon".
  consteval Called(const char* flag) : words(flag), parameter(flag) {  // NOLINT
    for (; *flag != '\0'; ++flag) {
      if (*flag == ' ') detail::several_words_name_the_parameter_as_well();
    }
  }
  Called(std::string_view called, std::string_view flag, std::string_view counted = {}) noexcept
      : words(called), parameter(flag), unit(counted) {}
  std::string_view words, parameter, unit{};
};

/// The numbers that a parameter may have; an open end is not one of them. Infinity and NaN never
/// are.
struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool is_open = false;        ///< at `least`
  bool is_open_above = false;  ///< at `most`

  [[nodiscard]] bool has(double value) const noexcept {
    return std::isfinite(value) && (is_open ? value > least : value >= least) &&
           (is_open_above ? value < most : value <= most);
  }
  /// "above 0 and at most 100", "finite and positive", "from 1 to 9"; whole numbers are finite.
  [[nodiscard]] std::string words(bool is_whole = false) const {
    const auto text_of = [&](double end) {
      return is_whole && std::fabs(end) < 0x1p63 ? std::to_string(static_cast<std::int64_t>(end))
                                                 : detail::exact(end);
    };
    const bool has_least = std::isfinite(least), has_most = std::isfinite(most);
    if (has_least && has_most && !is_open && !is_open_above)
      return "from " + text_of(least) + " to " + text_of(most);
    std::string text = has_most || is_whole ? "" : "finite";
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : " and ") + more; };
    if (has_least && is_open && least == 0 && !has_most) {
      add("positive");
    } else if (has_least) {
      add((is_open ? "above " : "at least ") + text_of(least));
    }
    if (has_most) add((is_open_above ? "below " : "at most ") + text_of(most));
    return text;
  }
};

inline constexpr Range kPositive{.least = 0, .is_open = true};
inline constexpr Range kNotNegative{.least = 0};
inline constexpr Range kBelowOne{.least = 0, .most = 1, .is_open_above = true};
inline constexpr Range kInsideOne{.least = 0, .most = 1, .is_open = true, .is_open_above = true};
/// Above 0.
[[nodiscard]] constexpr Range positive_up_to(double most) {
  return {.least = 0, .most = most, .is_open = true};
}

/// "WHAT must be ALLOWED, but is GIVEN", with these numbers as quantities.
[[nodiscard]] inline InvalidInput out_of_range(const Called& what, const std::string& given,
                                               double value, const std::string& allowed,
                                               const Range& range) {
  std::vector<Quantity> quantities = {{"given", value, std::string(what.unit)}};
  if (std::isfinite(range.least))
    quantities.push_back({range.is_open ? "above" : "least", range.least, quantities[0].unit});
  if (std::isfinite(range.most))
    quantities.push_back({range.is_open_above ? "below" : "most", range.most, quantities[0].unit});
  return {"out-of-range",
          std::string(what.words) + " must be " + allowed + ", but is " + given,
          what.parameter,
          {},
          std::move(quantities)};
}

/// Throws out_of_range unless the number is in the range.
template <class Number>
void require_in(const Range& range, const Called& what, Number value) {
  const auto number = static_cast<double>(value);
  if (range.has(number)) return;
  MOLLIFY_REFUSE(out_of_range(what, detail::exact(value), number,
                              range.words(std::is_integral_v<Number>), range));
}

/// Throws InvalidInput, "WHAT must be from `least` to `most`, but is `value`", unless it is: for
/// whole numbers, and for doubles. NaN is in no range.
template <class Number>
void require_between(const Called& what, Number value, std::type_identity_t<Number> least,
                     std::type_identity_t<Number> most) {
  if (value >= least && value <= most) return;
  MOLLIFY_REFUSE(out_of_range(what, detail::exact(value), static_cast<double>(value),
                              "from " + detail::exact(least) + " to " + detail::exact(most),
                              {static_cast<double>(least), static_cast<double>(most)}));
}

}  // namespace mollify
