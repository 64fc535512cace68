// Reads private records in a domain's outcomes or digits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel/core/secure_random.h"
#include "records/empirical.h"
#include "records/outcome_histogram.h"
#include "records/source.h"
#include "records/unit_ids.h"
#include "records/unit_records.h"
#include "records/unit_table.h"
#include "space/domain.h"

namespace mollify {

// These functions are total in the records: whatever the rows hold, they neither throw nor print,
// and each row becomes one record of the domain. They throw InvalidInput for what is visible
// without private values: a column that is missing, or there twice.

/// Throws InvalidInput unless the source has each of the domain's columns, and the unit column if
/// one is given, once, and the unit column is none of the domain's: what every function below asks
/// for.
void require_columns(const Source& source, const Domain& domain,
                     const std::optional<std::string>& unit_column = std::nullopt);

/// Throws InvalidInput where rows stand for numbers of records (Source::has_counts); `what` begins
/// the sentence. Those who read digits ask for this.
void require_single_records(const Source& source, std::string_view what);

/// The records of the whole source. Requires an enumerable domain.
[[nodiscard]] Empirical read_table(const Source& source, const Domain& domain);

/// The same, without weights for the kernel: in 12 bytes for each distinct outcome.
[[nodiscard]] OutcomeHistogram read_counts(const Source& source, const Domain& domain);

/// Calls take with the digits of a block of records, a span for each column, one block after the
/// other; for any domain.
void visit_digits(const Source& source, const Domain& domain,
                  const std::function<void(std::span<const std::span<const std::uint32_t>>)>& take);

/// The outcome of each row, in order. Requires an enumerable domain.
[[nodiscard]] std::vector<std::uint32_t> read_outcomes(const Source& source, const Domain& domain);

/// The records of each unit. Requires an enumerable domain.
///
/// A unit's id is the text that its value stands for, so that it is the same unit in whatever way
/// its records come. With a roster, the units are those of the roster in its order: records of
/// other units are left out, units without records are empty. Without one, the units are those of
/// the source, ordered by their bytes and never by their place in it; an empty id is no unit, and
/// its records are left out.
[[nodiscard]] UnitTable read_units(const Source& source, const Domain& domain,
                                   const std::string& unit_column,
                                   const std::optional<Roster>& roster = std::nullopt);

/// The digits of the source's records, a record after the other; of more than `most` records, so
/// many drawn evenly from all of them (reservoir sampling), so that memory is bounded.
[[nodiscard]] std::vector<std::uint32_t> read_table_digits(const Source& source,
                                                           const Domain& domain, std::size_t most,
                                                           SecureRandom& random);

/// The digits of each unit's records, of more than `most` so many drawn evenly from them, so that
/// the time that a unit takes is bounded; units as in `read_units`, but without a roster they come
/// in no order that anything may depend on.
[[nodiscard]] UnitRecords read_unit_digits(const Source& source, const Domain& domain,
                                           const std::string& unit_column,
                                           const std::optional<Roster>& roster, std::size_t most,
                                           SecureRandom& random);

}  // namespace mollify
