// How guarantees and divergences are written, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "accounting/privacy.h"
#include "command.h"
#include "divergence/f_divergence.h"
#include "release/certificate.h"

namespace mollify::cli {

/// {"kl": ..., "tv": ..., "hellinger2": ..., "chi2": ...}
Json divergence_json(const DivergenceReport& divergence);
/// "KL 0.1, total variation 0.2, squared Hellinger 0.03, chi-squared 0.4"
std::string divergence_text(const DivergenceReport& divergence);

/// {"notion": "pure", "epsilon": 1} or {"notion": "gaussian", "mu": 1}
Json guarantee_json(const Privacy& guarantee);

/// A line for each sentence of what a release promises, and of what it does not.
std::string promise_lines(const std::vector<std::string>& promises,
                          const std::vector<std::string>& limits);

/// "categories (120 outcomes), scored by empirical", for people; of a local release.
std::string space_text(const Certificate& certificate);

}  // namespace mollify::cli
