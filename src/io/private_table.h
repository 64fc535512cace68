// Reads the private file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "records/empirical.h"
#include "records/unit_records.h"
#include "records/unit_table.h"
#include "kernel/core/secure_random.h"
#include "space/domain.h"
#include "space/string_index.h"

namespace mollify {

// These functions are total in the records: whatever bytes stand below the header, they neither
// throw nor print, and each line becomes one record of the domain. They throw InvalidInput for
// what is visible without private values: a missing file, a header without a needed column.

/// The records of the whole file. Requires an enumerable domain.
[[nodiscard]] Empirical read_table(const std::string& path, const Domain& domain);

/// The outcome of each line below the header, in the file's order. An empty line is a record of
/// nulls here, so that the number of outcomes depends on nothing that a record holds. Requires an
/// enumerable domain.
[[nodiscard]] std::vector<std::uint32_t> read_outcomes(const std::string& path,
                                                       const Domain& domain);

/// The records of each unit. Requires an enumerable domain.
///
/// With a roster (`read_roster`), the units are those of the roster in its order: records of other
/// units are left out, units without records are empty. Without one, the units are those of the
/// file, ordered by their bytes and never by their place in it; an empty id is no unit, and its
/// records are left out.
[[nodiscard]] UnitTable read_units(const std::string& path, const Domain& domain,
                                   const std::string& unit_column,
                                   const std::optional<StringIndex>& roster = std::nullopt);

/// The digits of the file's records, a record after the other; of more than `most` records, so many
/// drawn evenly from all of them (reservoir sampling), so that memory is bounded whatever the file.
[[nodiscard]] std::vector<std::uint32_t> read_table_digits(const std::string& path,
                                                           const Domain& domain, std::size_t most,
                                                           SecureRandom& random);

/// The digits of each unit's records; units as in `read_units`, but without a roster they come in
/// no order that anything may depend on.
[[nodiscard]] UnitRecords read_unit_digits(const std::string& path, const Domain& domain,
                                           const std::string& unit_column,
                                           const std::optional<StringIndex>& roster);

}  // namespace mollify
