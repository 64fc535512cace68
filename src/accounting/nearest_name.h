// What somebody may have meant who typed a name that there is not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/names.h"

namespace mollify {

/// The one of `known` that the fewest insertions, deletions, replacements and swaps of neighbours
/// make of `typed`, ignoring case; empty if all are further than a third of its letters, it has but
/// one, or none is known. The first of equals. Both public: nothing private may be compared.
[[nodiscard]] std::string nearest_name(std::string_view typed, std::span<const std::string> known);

/// " (did you mean \"epsilon\"?)", or nothing; nothing for a name itself, too.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

/// Throws InvalidInput: "fruit must be apple or plum, but is \"plm\" (did you mean \"plum\"?)";
/// `what` is "fruit", `expected` "apple or plum". What is typed after "=" is no part of the name.
[[noreturn]] void refuse_name(std::string_view what, std::string_view expected,
                              std::string_view typed, std::span<const std::string> known);

/// The same where the names known are all that is expected.
[[noreturn]] void refuse_name(std::string_view what, std::string_view typed,
                              std::span<const std::string> known);

/// The value of an enumeration that a user names; refuse_name if there is none.
template <class Enumeration>
[[nodiscard]] Enumeration known_value(std::string_view what, std::string_view typed) {
  if (const auto value = named<Enumeration>(typed)) return *value;
  std::vector<std::string> known;
  for (const auto& one : names<Enumeration>()) known.emplace_back(one.name);
  refuse_name(what, typed, known);
}

}  // namespace mollify
