// The exception for bad public input.
#pragma once

#include <cstdint>
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
  std::string shown(sentence), escaped;
  if (shown.size() > kMostBytes) {
    std::size_t first = kMostBytes - kLastBytes, last = shown.size() - kLastBytes;
    for (std::size_t* cut : {&first, &last}) {  // where a letter of UTF-8 begins
      for (int i = 0; i < 3 && (static_cast<unsigned char>(shown[*cut]) & 0xC0U) == 0x80U; ++i)
        --*cut;
    }
    shown = std::string(shown, 0, first) + "... (" + std::to_string(last - first) + " bytes) ..." +
            std::string(shown, last);
  }
  for (const char letter : shown) letter == '\0' ? escaped += "\\0" : escaped += letter;
  return escaped;
}

namespace detail {
/// Not constexpr, and defined nowhere: a constant that calls it does not compile.
void must_have_small_letters_and_dashes_only();
}  // namespace detail

/// The stable name of a kind of message: "unknown-column". Programs may rely on it, and nobody has
/// to read a sentence. docs/reference/messages.md lists all of them.
struct Code {
  consteval Code(const char* text) : name(text) {  // NOLINT(google-explicit-constructor)
    for (const char letter : name) {
      if ((letter < 'a' || letter > 'z') && letter != '-')
        detail::must_have_small_letters_and_dashes_only();
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

}  // namespace mollify

/// Throws an InvalidInput. A build without exceptions (src/device/) checks its parameters before it
/// calls, and stops here if it did not. A macro, because a function costs the callers' inlining.
#if defined(__cpp_exceptions)
#define MOLLIFY_REFUSE(...) throw __VA_ARGS__
#else
namespace mollify::detail {
int refused(const InvalidInput& refusal);  ///< defined nowhere: it uses a refusal's parameters
}
#define MOLLIFY_REFUSE(...)                                           \
  do {                                                                \
    static_cast<void>(sizeof(mollify::detail::refused(__VA_ARGS__))); \
    __builtin_trap();                                                 \
  } while (false)
#endif
