#include "records/empirical.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace mollify {

Empirical::Empirical(Tally<std::uint32_t>::Counts counts)
    : outcomes_(std::move(counts.keys)),
      counts_(std::move(counts.counts)),
      weights_(counts_.size()),
      total_(std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0})) {
  std::transform(counts_.begin(), counts_.end(), weights_.begin(),
                 [](std::uint64_t count) { return static_cast<double>(count); });
}

std::uint64_t Empirical::count(std::uint32_t outcome) const noexcept {
  const auto found = std::lower_bound(outcomes_.begin(), outcomes_.end(), outcome);
  if (found == outcomes_.end() || *found != outcome) return 0;
  return counts_[static_cast<std::size_t>(found - outcomes_.begin())];
}

}  // namespace mollify
