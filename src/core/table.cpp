#include "core/table.h"

#include <algorithm>
#include <string>

#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The table.

Table::Table(const Band& band) : Table(&band) { fit_reference(Bounds(band), written()); }

void Table::require_count(std::size_t count) const {
  if (count == band_->outcome_count()) return;
  throw InvalidInput("a table over " + std::to_string(band_->outcome_count()) +
                     " outcomes needs as many scores, but has " + std::to_string(count));
}

std::size_t detail::run_at(std::span<const std::uint64_t> numerators,
                           std::span<const std::uint64_t> block_sums, std::uint64_t position) {
  std::size_t block = 0;
  for (; block + 1 < block_sums.size() && position >= block_sums[block]; ++block)
    position -= block_sums[block];
  // Eight at a time while eight are left. In the right eight all runs that end at or before the
  // position are counted, for a processor cannot foresee where a loop would stop. No sum overflows:
  // all numerators together are N.
  constexpr std::size_t kGroup = 8;
  const std::uint64_t* const first = numerators.data();
  const std::uint64_t* const end = first + numerators.size();
  const std::uint64_t* n = first + block * kBlock;
  for (; end - n >= static_cast<std::ptrdiff_t>(kGroup); n += kGroup) {
    const std::uint64_t sum = ((n[0] + n[1]) + (n[2] + n[3])) + ((n[4] + n[5]) + (n[6] + n[7]));
    if (position < sum) {
      std::size_t ended = 0;
      std::uint64_t run_end = 0;
      for (std::size_t i = 0; i + 1 < kGroup; ++i) {
        run_end += n[i];
        ended += position >= run_end ? 1U : 0U;
      }
      return static_cast<std::size_t>(n - first) + ended;
    }
    position -= sum;
  }
  while (n < end && position >= *n) position -= *n++;
  return static_cast<std::size_t>(std::min(n, end - 1) - first);
}

// -----------------------------------------------------------------------------------------------
// A table whose cost is that of the outcomes with a score, not that of all outcomes.

SparseTable::SparseTable(const Band& band) : band_(&band) {
  const Bounds bounds = take({}, {});
  fit_reference(bounds, next_.written());
  std::swap(law_, next_);
}

Bounds SparseTable::take(std::span<const std::uint32_t> outcomes, std::span<const double> scores) {
  Law& law = next_;
  law.outcomes.clear();
  law.scores.clear();
  std::size_t least = 0;
  for (std::size_t j = 0; j < std::min(outcomes.size(), scores.size()); ++j) {
    if (outcomes[j] < least || outcomes[j] >= band_->outcome_count()) continue;
    law.outcomes.push_back(outcomes[j]);
    law.scores.push_back(scores[j]);
    least = outcomes[j] + std::size_t{1};
  }
  const std::size_t scored = law.outcomes.size();
  law.scores.push_back(0);
  law.lowers.resize(scored + 1);
  law.numerators.resize(scored + 1);
  law.block_sums.resize((scored + kBlock) / kBlock);
  law.scored_before.resize(scored + 1);
  law.scored_before[0] = 0;
  for (std::size_t j = 0; j < scored; ++j) {
    law.lowers[j] = band_->lower(law.outcomes[j]);
    law.scored_before[j + 1] = law.scored_before[j] + law.lowers[j];
  }
  Bounds bounds(*band_);
  law.lowers[scored] = bounds.lower_sum - law.scored_before[scored];
  bounds.lowers = law.lowers.data();
  bounds.size = law.lowers.size();
  return bounds;
}

std::size_t SparseTable::locate_unscored(std::uint64_t position) const {
  // Walk from unscored positions to positions among all lower bounds: step over every scored
  // outcome that comes before. Those are the ones whose unscored prefix is at most the position.
  const std::vector<std::uint64_t>& scored_before = law_.scored_before;
  const auto after = std::partition_point(
      scored_before.begin(), scored_before.end() - 1, [&](const std::uint64_t& before) {
        const auto j = static_cast<std::size_t>(&before - scored_before.data());
        return band_->lower_before(law_.outcomes[j]) - before <= position;
      });
  return band_->outcome_at(position + *after);
}

}  // namespace mollify
