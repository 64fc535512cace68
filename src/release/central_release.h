// Releases in the central model: from finite domains, and Gaussian samples.
#pragma once

#include <memory>
#include <optional>

#include "release/release.h"

namespace mollify {

/// Requires a spec of model central, for a finite domain. Records are rows, or units that each give
/// one of their rows, drawn evenly; a unit of the roster without rows gives a uniform outcome.
/// 4 bytes of memory a row; 12 with units.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_finite(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

/// Requires a spec of model central, family gaussian. Rows are streamed: memory is 4 bytes a row,
/// whatever its columns; with units it is theirs, one row each.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_gaussian(
    ReleaseSpec spec, const PublicInputs& inputs, std::optional<std::uint64_t> records);

}  // namespace mollify
