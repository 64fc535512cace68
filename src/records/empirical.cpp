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

}  // namespace mollify
