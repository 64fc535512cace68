// How lists of candidates are written.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "space/candidates.h"
#include "space/domain.h"

namespace mollify {

inline constexpr std::string_view kCandidatesFormat = "mollify candidates 1";

/// Passes the file of a list to `take`, in parts. The format, in ASCII with line feeds:
///
///     mollify candidates 1
///     domain 9f2c...                      the domain's hash
///     records 65536 columns 3 densities   the last word only where there are any
///     17,1048575,2,0x1.8p-3               a line for each record: its digits, and its density
///
/// Digits say which cell of a column is meant, so that a file of them names no value of its own; a
/// density is a hexadecimal number, exact and the same from every library.
void write_candidates(const Candidates& candidates, const Domain& domain,
                      const std::function<void(std::string_view)>& take);

/// SHA-256 of that file, in 64 hexadecimal digits: what `sha256sum` says of it.
[[nodiscard]] std::string candidates_hash(const Candidates& candidates, const Domain& domain);

}  // namespace mollify
