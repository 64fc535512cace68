// Releases in the central model from one private model of a whole table.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernel/core/secure_random.h"
#include "marginals/pair_counts.h"
#include "records/source.h"
#include "records/unit_ids.h"
#include "release/release.h"
#include "space/domain.h"

namespace mollify {

/// Requires a spec of model central, family marginals. Records are rows, or units: all of a unit's
/// rows, which weigh as much together as any other unit's; a unit of the roster without rows is one
/// uniform record. Hands the model to the sink.
///
/// One pass over the data, two where bins are private. Memory is that of the cells of all pairs of
/// columns; with units 4 bytes a value and 8 a unit more.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_marginals(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

/// What such a release counts: rows of weight 1, or units of weight kUnitWeight, those of the
/// roster where there is one. NOT PRIVATE.
[[nodiscard]] PairCounts exact_pair_counts(const Source& data, const Domain& domain,
                                           const std::optional<std::string>& unit,
                                           const std::optional<Roster>& roster,
                                           SecureRandom& random);

}  // namespace mollify
