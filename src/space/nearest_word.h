// What somebody may have meant who typed a word that a column does not declare.
#pragma once

#include <string>
#include <string_view>

#include "space/column.h"
#include "space/domain.h"

namespace mollify {

/// " (did you mean \"female\"?)" of a column of declared words that are at most a thousand; nothing
/// for other columns, or where none is near. What is typed is public, or its owner asks.
[[nodiscard]] std::string did_you_mean(const Column& column, std::string_view typed);
/// The same of the domain's column of that name.
[[nodiscard]] std::string did_you_mean(const Domain& domain, std::string_view column,
                                       std::string_view typed);

}  // namespace mollify
