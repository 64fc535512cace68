// Releases in the central model from one private model of a whole table.
#pragma once

#include <memory>
#include <optional>

#include "release/release.h"

namespace mollify {

/// Requires a spec of model central, family marginals. Records are rows, or units: all of a unit's
/// rows, which weigh as much together as any other unit's; a unit of the roster without rows is one
/// uniform record. Hands the model to the sink.
///
/// One pass over the data. Memory is that of the cells of all pairs of columns; with units 4 bytes
/// a value and 8 a unit more.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_marginals(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

}  // namespace mollify
