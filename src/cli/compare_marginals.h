// A simulated release of one model, all of whose rows are drawn from it, beside the truth. NOT
// PRIVATE.
#pragma once

#include <string>

#include "release/spec.h"

namespace mollify::cli {

/// Of family marginals and of space models. Draws one release, which is neither kept nor charged,
/// of as many rows as there are rows or units, or of the spec's count where that is more, and
/// prints columns and pairs of columns beside the table's, and beside independent columns; the exit
/// status. Throws InvalidInput like a release.
int compare_marginals(const ReleaseSpec& spec, const std::string& data, bool json);

/// The mean total variation of two columns together between such a release and the table.
double marginals_distance(const ReleaseSpec& spec, const std::string& data);

}  // namespace mollify::cli
