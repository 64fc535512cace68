// What somebody may have meant who typed a name that there is not.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace mollify {

/// The one of `known` that the fewest insertions, deletions, replacements and swaps of neighbours
/// make of `typed`, ignoring case; empty if all are further than a third of its letters, or none is
/// known. The first of equals. Both public: nothing private may be compared.
[[nodiscard]] std::string nearest_name(std::string_view typed, std::span<const std::string> known);

/// " (did you mean \"epsilon\"?)", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view typed, std::span<const std::string> known);

}  // namespace mollify
