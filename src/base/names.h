// Names of enumerations, the nearest name, numbers of things, shell words, texts without NUL.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The names that users give to the values of an enumeration.

/// An enumeration with one table of values and names next to it, which everything below reads:
///
///     constexpr std::array names_of(Fruit) { return std::array{Named{Fruit::kApple, "apple"}}; }
template <class Enumeration>
struct Named {
  Enumeration value;
  std::string_view name;
};
template <class Enumeration>
Named(Enumeration, const char*) -> Named<Enumeration>;

template <class Enumeration>
[[nodiscard]] constexpr auto names() {
  return names_of(Enumeration{});
}

template <class Enumeration>
requires requires { names_of(Enumeration{}); }
[[nodiscard]] constexpr std::string_view name_of(Enumeration value) noexcept {
  for (const auto& known : names<Enumeration>()) {
    if (known.value == value) return known.name;
  }
  return {};
}

/// The value of that name, if there is one.
template <class Enumeration>
[[nodiscard]] constexpr std::optional<Enumeration> named(std::string_view name) noexcept {
  for (const auto& known : names<Enumeration>()) {
    if (known.name == name) return known.value;
  }
  return std::nullopt;
}

/// "one, two, three", in the order of the table, or "one, two or three".
template <class Enumeration>
[[nodiscard]] std::string all_names(std::string_view before_last = ", ") {
  std::string text;
  const auto known = names<Enumeration>();
  for (const auto& one : known) {
    if (!text.empty()) text += &one == &known.back() ? before_last : ", ";
    text += one.name;
  }
  return text;
}

// -----------------------------------------------------------------------------------------------
// What somebody may have meant who typed a name that there is not.

/// The one of `known` that other programs call `typed`; otherwise the one that the fewest
/// insertions, deletions, replacements and swaps of neighbours make of `typed`, ignoring case, if
/// these are at most a third of its letters; otherwise the shortest one that begins with `typed`,
/// from three letters on; otherwise nothing. The first of equals. Both public: nothing private may
/// be compared.
[[nodiscard]] std::string nearest_name(std::string_view typed, std::span<const std::string> known);

/// " (did you mean \"epsilon\"?)", or nothing; nothing for a name itself, too.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

/// Throws InvalidInput: "fruit must be apple or plum, but is \"plm\" (did you mean \"plum\"?)";
/// `what` is "fruit", `expected` "apple or plum". The name ends before a "=".
[[noreturn]] void refuse_name(std::string_view what, std::string_view expected,
                              std::string_view typed, std::span<const std::string> known);

/// Refuses a name if only the known names are expected.
[[noreturn]] void refuse_name(std::string_view what, std::string_view typed,
                              std::span<const std::string> known);

/// The names of an enumeration's values, in the order of its table.
template <class Enumeration>
[[nodiscard]] std::vector<std::string> name_list() {
  std::vector<std::string> known;
  for (const auto& one : names<Enumeration>()) known.emplace_back(one.name);
  return known;
}

/// The value of an enumeration that a user names; otherwise refuse_name.
template <class Enumeration>
[[nodiscard]] Enumeration known_value(std::string_view what, std::string_view typed) {
  if (const auto value = named<Enumeration>(typed)) return *value;
  refuse_name(what, typed, name_list<Enumeration>());
}

// -----------------------------------------------------------------------------------------------
// Values and names in a list.

/// A value as it stands among others: in quotes, as in CSV, if it is empty, holds a comma or a
/// quote or has a space at an end, so that nobody reads it as several values or as none.
[[nodiscard]] std::string list_item(std::string_view value);

/// "basic, \"gold, family\", plus".
[[nodiscard]] std::string list_words(std::span<const std::string> values);

// -----------------------------------------------------------------------------------------------
// How many of a thing, in words.

/// "1 record", "2 records": the thing's plural has an s.
[[nodiscard]] inline std::string counted(std::uint64_t number, std::string_view thing) {
  std::string words = std::to_string(number);
  words += ' ';
  words += thing;
  if (number != 1) words += 's';
  return words;
}

// -----------------------------------------------------------------------------------------------
// How sentences call parameters and commands: as anyone who reads them types these.

/// Whose words sentences have.
enum class Speech {
  kCommand,  ///< the command's: "--candidates-file", "mollify check"
  kPython,   ///< the Python package's: "candidates_file", "method.check"
};

/// Chooses them for the whole program, before any sentence is made; otherwise they are the
/// command's.
void speak(Speech speech) noexcept;

/// A parameter, by the name of the command's flag without its dashes: "candidates-file".
[[nodiscard]] std::string flag_words(std::string_view flag);

/// Throws InvalidInput: "--count is missing: records to release, for each unit". `what` is named as
/// its reader types it; `meaning` may be empty, and ends with its first line.
[[noreturn]] void refuse_missing(std::string_view what, std::string_view meaning);

/// A command by its name: "check".
[[nodiscard]] std::string command_words(std::string_view command);

/// One of two texts, where a sentence differs in more than names.
[[nodiscard]] std::string_view words_of_speech(std::string_view of_command,
                                               std::string_view of_python);

// -----------------------------------------------------------------------------------------------
// Commands that are printed to be run.

/// The text as one word of a POSIX shell: in single quotes where it holds anything but letters,
/// digits and marks that mean nothing there.
[[nodiscard]] std::string shell_word(const std::string& text);

// -----------------------------------------------------------------------------------------------
// Texts that C's interfaces take whole: they end a path or a name at a NUL.

/// Throws InvalidInput, "`what` must be text without NUL, but is ...", for a text that holds one.
void require_without_nul(std::string_view what, std::string_view text);

/// "; write 1.5, or one number" for "1,5", which may be a fraction or a list, "; write 2" for
/// "two"; otherwise nothing.
[[nodiscard]] std::string number_hint(std::string_view typed);

/// "1 time in 12", "35 times in 100": a probability for people.
[[nodiscard]] std::string times_words(double probability);

}  // namespace mollify
