// What is thrown for bad public input.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The one way in which mollify refuses public input.

/// A public input (a parameter, a domain, a file's header, a flag) cannot be used.
///
/// `what()` is one sentence in the form "epsilon must be finite and positive, but is -1": what was
/// wrong, where, and what was expected. It is made from public information only: private values
/// never cause a refusal (docs/theory/privacy-kernel.md, "A release is total").
class InvalidInput : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

namespace detail {

/// A number as a refusal writes it: 0.1, 1e-06, nan.
[[nodiscard]] inline std::string shortest(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

}  // namespace detail

/// Throws InvalidInput, "`what` must be from `least` to `most`, but is `value`", unless it is: for
/// whole numbers, and for doubles, of which NaN is in no range.
template <class Number>
void require_between(std::string_view what, Number value, std::type_identity_t<Number> least,
                     std::type_identity_t<Number> most) {
  if (value >= least && value <= most) return;
  const auto text = [](Number number) {
    if constexpr (std::is_floating_point_v<Number>) return detail::shortest(number);
    return std::to_string(number);
  };
  throw InvalidInput(std::string(what) + " must be from " + text(least) + " to " + text(most) +
                     ", but is " + text(value));
}

// -----------------------------------------------------------------------------------------------
// Texts that C's interfaces take whole: they end a path, a name or a sentence at a NUL.

/// The text with \0 in place of every NUL.
[[nodiscard]] inline std::string with_visible_nul(std::string_view text) {
  std::string shown;
  for (const char letter : text) {
    if (letter == '\0') {
      shown += "\\0";
    } else {
      shown += letter;
    }
  }
  return shown;
}

/// Throws InvalidInput, "`what` must be text without NUL, but is ...", for a text that holds one.
inline void require_without_nul(std::string_view what, std::string_view text) {
  if (text.find('\0') == text.npos) return;
  throw InvalidInput(std::string(what) + " must be text without NUL, but is \"" +
                     with_visible_nul(text) + '"');
}

}  // namespace mollify
