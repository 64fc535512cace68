// Reads the private file.
#pragma once

#include <optional>
#include <string>

#include "mollify/density/empirical.h"
#include "mollify/density/unit_table.h"
#include "mollify/space/domain.h"
#include "mollify/space/string_index.h"

namespace mollify {

// Both functions are total in the records: whatever bytes stand below the header, they neither
// throw nor print, and each line becomes one record of the domain. They throw InvalidInput for
// what is visible without private values: a missing file, a header without a needed column.

/// The records of the whole file.
[[nodiscard]] Empirical read_table(const std::string& path, const Domain& domain);

/// The records of each unit.
///
/// With a roster (`read_roster`), the units are those of the roster in its order: records of other
/// units are left out, units without records are empty. Without one, the units are those of the
/// file, ordered by their bytes and never by their place in it; an empty id is no unit, and its
/// records are left out.
[[nodiscard]] UnitTable read_units(const std::string& path, const Domain& domain,
                                   const std::string& unit_column,
                                   const std::optional<StringIndex>& roster = std::nullopt);

}  // namespace mollify
