#include "records/empirical.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "records/outcome_histogram.h"

namespace mollify {

Empirical::Empirical(Tally<std::uint32_t>::Counts counts)
    : weights_(counts.counts.size()),
      total_(static_cast<std::uint64_t>(
          std::min<uint128>(record_count(counts), std::numeric_limits<std::uint64_t>::max()))) {
  outcomes_ = std::move(counts.keys);
  counts_ = std::move(counts.counts);
  std::transform(counts_.begin(), counts_.end(), weights_.begin(),
                 [](std::uint64_t count) { return static_cast<double>(count); });
}

}  // namespace mollify
