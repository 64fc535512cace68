// The exception for bad public input.
#pragma once

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

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

/// The stable name of a kind of message: "unknown-column". Programs may rely on it, and nobody has
/// to read a sentence. docs/reference/messages.md lists all of them.
struct Code {
  consteval Code(const char* text) : name(text) {  // NOLINT(google-explicit-constructor)
    for (const char letter : name) {
      if ((letter < 'a' || letter > 'z') && letter != '-') throw "small letters and dashes";
    }
  }
  std::string_view name;
  friend constexpr bool operator==(Code, Code) = default;
};

/// What to do about a message, for programs.
struct WayOut {
  enum class Action {
    kSet,    ///< set the part to the value
    kAdd,    ///< add the part, which has no value
    kLeave,  ///< leave the part out
    kHave,   ///< have this many of the part: "records", "outcomes"
    kUse,    ///< use the method of this word
    kRun,    ///< run this command
  };
  Action action;
  std::string_view part;   ///< a part by its flag without dashes, a thing, a method or a command
  std::string value = {};  ///< in kSet and kHave
  friend bool operator==(const WayOut&, const WayOut&) = default;
};

/// A public input (a parameter, a domain, a file's header, a flag) cannot be used.
///
/// `what()` is one sentence in the form "epsilon must be finite and positive, but is -1": what was
/// wrong, where, and what was expected. It is made from public information only: private values
/// never cause a refusal (docs/theory/threat-model.md, "A release is total").
class InvalidInput : public std::invalid_argument {
 public:
  /// The sentence is made `readable`. `parameter` is the part that it concerns, by its flag without
  /// dashes; empty if it is no single one.
  InvalidInput(Code code, std::string_view sentence, std::string_view parameter = {},
               std::vector<WayOut> ways_out = {})
      : std::invalid_argument(readable(sentence)),
        facts_(std::make_shared<const Facts>(
            Facts{code, std::string(parameter), std::move(ways_out)})) {}
  explicit InvalidInput(std::string_view sentence) : InvalidInput("invalid-input", sentence) {}
  /// A refusal inside a longer sentence.
  InvalidInput(const InvalidInput& inner, std::string_view sentence)
      : std::invalid_argument(readable(sentence)), facts_(inner.facts_) {}

  [[nodiscard]] Code code() const noexcept { return facts_->code; }
  [[nodiscard]] const std::string& parameter() const noexcept { return facts_->parameter; }
  [[nodiscard]] const std::vector<WayOut>& ways_out() const noexcept { return facts_->ways_out; }

 private:
  struct Facts {
    Code code;
    std::string parameter;
    std::vector<WayOut> ways_out;
  };
  std::shared_ptr<const Facts> facts_;  ///< shared, so that an exception is copied without throwing
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
  throw InvalidInput("out-of-range",
                     std::string(what) + " must be from " + text(least) + " to " + text(most) +
                         ", but is " + text(value),
                     what);
}

}  // namespace mollify
