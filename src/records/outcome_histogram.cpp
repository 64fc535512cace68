#include "records/outcome_histogram.h"

#include <cstddef>
#include <numeric>

namespace mollify {

OutcomeHistogram counts_of(std::span<const std::uint32_t> records) {
  Tally<std::uint32_t> tally;
  for (const std::uint32_t record : records) tally.add(record);
  return tally.take();
}

OutcomeHistogram merged(const OutcomeHistogram& left, const OutcomeHistogram& right) {
  OutcomeHistogram both;
  both.keys.reserve(left.keys.size() + right.keys.size());
  both.counts.reserve(left.keys.size() + right.keys.size());
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < left.keys.size() || j < right.keys.size()) {
    const bool from_left =
        j == right.keys.size() || (i < left.keys.size() && left.keys[i] <= right.keys[j]);
    const bool from_right =
        i == left.keys.size() || (j < right.keys.size() && right.keys[j] <= left.keys[i]);
    both.keys.push_back(from_left ? left.keys[i] : right.keys[j]);
    both.counts.push_back(
        sum_of_counts(from_left ? left.counts[i] : 0, from_right ? right.counts[j] : 0));
    i += from_left ? 1 : 0;
    j += from_right ? 1 : 0;
  }
  return both;
}

uint128 record_count(const OutcomeHistogram& histogram) {
  return std::accumulate(histogram.counts.begin(), histogram.counts.end(), uint128{0});
}

}  // namespace mollify
