// What a domain may use as a name or as a value.
#pragma once

#include <string_view>

namespace mollify {

/// Throws InvalidInput, calling the text `what`, unless it is UTF-8 without control characters.
///
/// A line break could not be read back from a CSV file in which one line is one record, and text
/// that is not UTF-8 could not be written to a domain file.
void require_declarable(std::string_view text, std::string_view what);

}  // namespace mollify
