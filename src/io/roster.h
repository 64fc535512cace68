// The public list of units.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "records/unit_ids.h"

namespace mollify {

/// The units of a public CSV file, in its order, from the column of this name. With a roster, who
/// is in the private data is protected too.
///
/// Strict: throws InvalidInput, with the line, for an empty id, an id listed twice (1 and 1.0 are
/// one), or a line that is not well-formed; and for a roster without units.
/// Bytes are as LineReader's.
[[nodiscard]] Roster read_roster(const std::string& path, const std::string& unit_column,
                                 std::optional<std::string_view> bytes = std::nullopt);

}  // namespace mollify
