// How guarantees and divergences are written, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "command.h"
#include "release/certificate.h"
#include "release/json_syntax.h"

namespace mollify::cli {

/// {"notion": "pure", "epsilon": 1} or {"notion": "gaussian", "mu": 1}
Json guarantee_json(const Privacy& guarantee);

/// A line for each sentence of what a release promises, and of what it does not.
std::string promise_lines(const std::vector<std::string>& promises,
                          const std::vector<std::string>& limits);

/// "categories (120 outcomes), scored by empirical", for people; of a local release.
std::string space_text(const Certificate& certificate);

}  // namespace mollify::cli
