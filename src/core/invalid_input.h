// The exception for bad public input.
#pragma once

#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The one way in which mollify refuses public input.

/// A sentence that quotes an input, as people can read it: with \0 in place of every NUL, at which
/// C's interfaces would end it, and of a long sentence the beginning and the end.
[[nodiscard]] inline std::string readable(std::string_view sentence) {
  constexpr std::size_t kMostBytes = 2000, kLastBytes = 500;
  std::string shown(sentence);
  if (shown.size() > kMostBytes) {
    std::size_t first = kMostBytes - kLastBytes, last = shown.size() - kLastBytes;
    for (std::size_t* cut : {&first, &last}) {  // where a letter of UTF-8 begins
      for (int i = 0; i < 3 && (static_cast<unsigned char>(shown[*cut]) & 0xC0U) == 0x80U; ++i)
        --*cut;
    }
    shown.replace(first, last - first, "... (" + std::to_string(last - first) + " bytes) ...");
  }
  for (std::size_t at = 0; (at = shown.find('\0', at)) != shown.npos;) shown.replace(at, 1, "\\0");
  return shown;
}

/// A public input (a parameter, a domain, a file's header, a flag) cannot be used.
///
/// `what()` is one sentence in the form "epsilon must be finite and positive, but is -1": what was
/// wrong, where, and what was expected. It is made from public information only: private values
/// never cause a refusal (docs/theory/threat-model.md, "A release is total").
class InvalidInput : public std::invalid_argument {
 public:
  /// The sentence is made `readable`.
  explicit InvalidInput(std::string_view sentence) : std::invalid_argument(readable(sentence)) {}
};

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

}  // namespace mollify
