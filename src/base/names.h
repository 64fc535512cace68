// What somebody may have meant who typed a name that there is not.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/named.h"
#include "core/ranges.h"

namespace mollify {

/// The one of `known` that other programs call `typed`; otherwise the one that the fewest
/// insertions, deletions, replacements and swaps of neighbours make of `typed`, ignoring case, if
/// these are at most a third of its letters; otherwise the shortest one that begins with `typed`,
/// from three letters on; otherwise nothing. Among names that are equally near, one that begins with
/// `typed` wins, else the first.
/// Both public: nothing private may be compared.
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

/// The value of an enumeration that a user names; otherwise refuse_name.
template <class Enumeration>
[[nodiscard]] Enumeration known_value(const Called& what, std::string_view typed) {
  if (const auto value = named<Enumeration>(typed)) return *value;
  refuse_name(what, typed, name_list<Enumeration>());
}

}  // namespace mollify
