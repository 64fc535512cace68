// The exception for bad public input.
#pragma once

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
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
    kSet,      ///< set the part to the value
    kAdd,      ///< add the part, which has no value
    kLeave,    ///< leave the part out
    kHave,     ///< have this many of the part: "records", "outcomes"
    kDeclare,  ///< declare the key in the domain, with this value
    kUse,      ///< use the method of this word
    kRun,      ///< run this command
  };
  Action action;
  std::string part;  ///< a part by its flag without dashes, a thing, a key, a method or a command
  std::string value = {};  ///< to set, have or declare; empty: a value of the caller's choice

  static WayOut set(std::string_view part, std::string value = {}) {
    return {Action::kSet, std::string(part), std::move(value)};
  }
  static WayOut add(std::string_view part) { return {Action::kAdd, std::string(part)}; }
  static WayOut leave(std::string_view part) { return {Action::kLeave, std::string(part)}; }
  static WayOut have(std::string_view part, std::string value) {
    return {Action::kHave, std::string(part), std::move(value)};
  }
  static WayOut declare(std::string_view key, std::string value = {}) {
    return {Action::kDeclare, std::string(key), std::move(value)};
  }
  static WayOut use(std::string_view method) { return {Action::kUse, std::string(method)}; }
  static WayOut run(std::string_view command) { return {Action::kRun, std::string(command)}; }
  friend bool operator==(const WayOut&, const WayOut&) = default;
};

/// The thing that a refusal concerns: a parameter, a column of a table, a place in a public file.
struct Concern {
  Concern() = default;
  /// A parameter by its flag without dashes, or by its key.
  template <class Text>
  requires std::is_convertible_v<const Text&, std::string_view> Concern(const Text& flag)
      : parameter(std::string_view(flag)) {}  // NOLINT
  static Concern of_column(std::string_view name) {
    Concern made;
    made.column = name;
    return made;
  }
  /// A line of a file, from 1; 0 for the file itself. Without a file there is no line.
  static Concern in_file(std::string_view path, std::uint64_t line = 0,
                         std::string_view column = {}) {
    Concern made = of_column(column);
    made.file = path;
    if (!path.empty()) made.line = line;
    return made;
  }
  std::string parameter{}, column{}, file{};  ///< empty: none
  std::uint64_t line = 0;                     ///< of the file; 0: none
};

/// A number of a message, for programs: the one "given", and the "least", "most", "above" or
/// "below" that decides.
struct Quantity {
  std::string name;
  double value;
  std::string unit = {};  ///< "records", "outcomes"; empty: a bare number
  friend bool operator==(const Quantity&, const Quantity&) = default;
};

/// A public input (a parameter, a domain, a file's header, a flag) cannot be used.
///
/// `what()` is one sentence in the form "epsilon must be finite and positive, but is -1". It names
/// the fault, the place and the allowed values. It is made from public information only: private values
/// never cause a refusal (docs/theory/threat-model.md, "A release is total").
class InvalidInput : public std::invalid_argument {
 public:
  /// The sentence is made `readable`.
  InvalidInput(Code code, std::string_view sentence, Concern concern = {},
               std::vector<WayOut> ways_out = {}, std::vector<Quantity> quantities = {})
      : std::invalid_argument(readable(sentence)),
        facts_(
            Facts{code, std::move(concern), std::move(ways_out), std::move(quantities)}.shared()) {}
  /// A refusal inside a longer sentence.
  InvalidInput(const InvalidInput& inner, std::string_view sentence)
      : std::invalid_argument(readable(sentence)), facts_(inner.facts_) {}
  /// A refusal inside a longer sentence, which knows also these parts of its concern.
  InvalidInput(const InvalidInput& inner, std::string_view sentence, const Concern& known)
      : std::invalid_argument(readable(sentence)), facts_(inner.about(known)) {}

  /// A text could be a parameter or a column: say which.
  InvalidInput(const InvalidInput& inner, std::string_view sentence, std::string_view) = delete;

  [[nodiscard]] Code code() const noexcept { return facts_->code; }
  /// The parameter that it concerns, by its flag without dashes, or by its key; empty if it is no
  /// single one.
  [[nodiscard]] const std::string& parameter() const noexcept { return facts_->concern.parameter; }
  /// The column that it concerns; may be empty.
  [[nodiscard]] const std::string& column() const noexcept { return facts_->concern.column; }
  /// The public file that it concerns; may be empty.
  [[nodiscard]] const std::string& file() const noexcept { return facts_->concern.file; }
  /// The file's line, from 1; 0 if it is no single one.
  [[nodiscard]] std::uint64_t line() const noexcept { return facts_->concern.line; }
  [[nodiscard]] const std::vector<WayOut>& ways_out() const noexcept { return facts_->ways_out; }
  /// The number given and its range, if these decide; otherwise none.
  [[nodiscard]] const std::vector<Quantity>& quantities() const noexcept {
    return facts_->quantities;
  }

 private:
  struct Facts {
    Code code;
    Concern concern;
    std::vector<WayOut> ways_out;
    std::vector<Quantity> quantities;

    /// Another value mends a wrong value, if nothing better is known.
    [[nodiscard]] std::shared_ptr<const Facts> shared() {
      if (ways_out.empty() && !concern.parameter.empty() && is_of_a_value(code))
        ways_out.push_back(WayOut::set(concern.parameter));
      return std::make_shared<const Facts>(std::move(*this));
    }
  };
  [[nodiscard]] static bool is_of_a_value(Code code) {
    for (const Code one :
         {Code("out-of-range"), Code("wrong-type"), Code("malformed-text"), Code("unknown-name"),
          Code("unknown-value"), Code("unknown-column"), Code("missing-column"),
          Code("not-ascending"), Code("wrong-shape"), Code("duplicate-value"), Code("empty-input"),
          Code("not-a-distribution"), Code("not-a-covariance"), Code("public-is-private")}) {
      if (code == one) return true;
    }
    return false;
  }
  [[nodiscard]] std::shared_ptr<const Facts> about(const Concern& known) const {
    Facts facts = *facts_;
    for (const auto part : {&Concern::parameter, &Concern::column, &Concern::file}) {
      if (!(known.*part).empty()) facts.concern.*part = known.*part;
    }
    if (known.line != 0) facts.concern.line = known.line;
    return facts.shared();
  }
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

/// A value's words in a sentence, its parameter by the flag without dashes, and the unit in which it
/// counts. Parameter and unit may be empty.
struct Called {
  /// A parameter that the sentence calls by its name: "epsilon".
  consteval Called(const char* flag) : words(flag), parameter(flag) {  // NOLINT
    for (; *flag != '\0'; ++flag) {
      if (*flag == ' ') throw "several words: name the parameter as well";
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

/// Throws InvalidInput, "WHAT must be ALLOWED, but is GIVEN", with these numbers as quantities.
[[noreturn]] inline void refuse_number(const Called& what, const std::string& given, double value,
                                       const std::string& allowed, const Range& range) {
  std::vector<Quantity> quantities = {{"given", value, std::string(what.unit)}};
  if (std::isfinite(range.least))
    quantities.push_back({range.is_open ? "above" : "least", range.least, quantities[0].unit});
  if (std::isfinite(range.most))
    quantities.push_back({range.is_open_above ? "below" : "most", range.most, quantities[0].unit});
  throw InvalidInput("out-of-range",
                     std::string(what.words) + " must be " + allowed + ", but is " + given,
                     what.parameter, {}, std::move(quantities));
}

/// Throws it unless the number is in the range.
template <class Number>
void require_in(const Range& range, const Called& what, Number value) {
  const auto number = static_cast<double>(value);
  if (range.has(number)) return;
  refuse_number(what, detail::exact(value), number, range.words(std::is_integral_v<Number>), range);
}

/// Throws InvalidInput, "WHAT must be from `least` to `most`, but is `value`", unless it is: for
/// whole numbers, and for doubles. NaN is in no range.
template <class Number>
void require_between(const Called& what, Number value, std::type_identity_t<Number> least,
                     std::type_identity_t<Number> most) {
  if (value >= least && value <= most) return;
  refuse_number(what, detail::exact(value), static_cast<double>(value),
                "from " + detail::exact(least) + " to " + detail::exact(most),
                {static_cast<double>(least), static_cast<double>(most)});
}

}  // namespace mollify
