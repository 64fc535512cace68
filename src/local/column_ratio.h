// What a public matrix lets anyone learn from one outcome, at most.
#pragma once

#include <algorithm>
#include <limits>

#include "accounting/directed_rounding.h"

namespace mollify::detail {

/// ln of the greatest ratio of two entries of one column, rounded up; infinite for a zero entry.
template <class Channel>
double greatest_column_ratio_up(const Channel& channel) {
  double greatest = 0;
  for (std::size_t j = 0; j < channel.outcome_count(); ++j) {
    const auto entries = channel.column(j);
    if (entries.least == 0) return std::numeric_limits<double>::infinity();
    greatest = std::max(greatest, ln_ratio_up(entries.greatest, entries.least));
  }
  return greatest;
}

}  // namespace mollify::detail
