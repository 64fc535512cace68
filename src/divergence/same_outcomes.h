// The one check every divergence makes of its two arguments.
#pragma once

#include <span>

namespace mollify {

/// InvalidInput unless P and Q have the same number of outcomes.
void require_same_outcomes(std::span<const double> p, std::span<const double> q);

}  // namespace mollify
