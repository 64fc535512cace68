// Lists of candidates in files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

/// The list that `write_candidates` wrote. Throws InvalidInput, one sentence with file and line,
/// for anything else, and for a list of another domain.
/// Bytes are as LineReader's.
[[nodiscard]] Candidates read_candidates(const std::string& path, const Domain& domain,
                                         std::optional<std::string_view> bytes = std::nullopt);

}  // namespace mollify
