// compare, where outcomes are points: too many to list, so they are summarised.
#pragma once

#include <string>
#include <string_view>

#include "release/local_release.h"

namespace mollify::cli {

/// Prints means, correlations and two-way marginals of the units' records, of the records they
/// release (the mean of their exact laws, so without any noise of drawing), of the reference, and
/// of uniform records. `file` is where the data are
/// from. NOT PRIVATE. Returns the exit status.
int compare_points(const LocalRelease& release, const Source& data, const std::string& file,
                   bool json);

/// For the data holder, who alone may be told what a private file lacks: throws InvalidInput.
[[noreturn]] void refuse_nothing_to_compare(std::string_view data);

}  // namespace mollify::cli
