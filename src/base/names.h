// Names of enumerations, and the nearest name to one that somebody typed.
#pragma once

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

/// What to do about a typed name: set the parameter to the nearest one, or to one of the caller's
/// choice. Nothing if there is no parameter.
[[nodiscard]] std::vector<WayOut> ways_to_mean(std::string_view parameter, std::string_view typed,
                                               std::span<const std::string> known);

/// Throws InvalidInput: "fruit must be apple or plum, but is \"plm\" (did you mean \"plum\"?)";
/// `what` is "fruit", `expected` "apple or plum". The name ends before a "=".
[[noreturn]] void refuse_name(const Called& what, std::string_view expected, std::string_view typed,
                              std::span<const std::string> known);

/// Refuses a name if only the known names are expected.
[[noreturn]] void refuse_name(const Called& what, std::string_view typed,
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
[[nodiscard]] Enumeration known_value(const Called& what, std::string_view typed) {
  if (const auto value = named<Enumeration>(typed)) return *value;
  refuse_name(what, typed, name_list<Enumeration>());
}

}  // namespace mollify
