// Lists of candidates in files.
#pragma once

#include <string>

#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

/// The list that `write_candidates` wrote. Throws InvalidInput, one sentence with file and line,
/// for anything else, and for a list of another domain.
[[nodiscard]] Candidates read_candidates(const std::string& path, const Domain& domain);

}  // namespace mollify
