#include "core/table.h"

#include <algorithm>

#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The table.

Table::Table(const Band& band) : Table(&band) { fit_reference(Bounds(band), written(band)); }

void Table::require_count(const Band& band, std::size_t count) {
  if (count == band.outcome_count()) return;
  MOLLIFY_REFUSE(InvalidInput(
      "wrong-shape", "a table over " + std::to_string(band.outcome_count()) +
                         " outcomes needs as many scores, but has " + std::to_string(count)));
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
// A table that costs time in the outcomes with a score, not in all outcomes.

SparseTable::SparseTable(const Band& band) : band_(&band) {
  const Bounds bounds = take({}, {});
  fit_reference(bounds, next_.written());
  std::swap(law_, next_);
}

void SparseTable::Law::resize(std::size_t scored) {
  outcomes.resize(scored);
  scores.resize(scored + 1);
  for (auto* const words : {&lowers, &scored_before, &numerators}) words->resize(scored + 1);
  block_sums.resize(scored / kBlock + 1);
}

Bounds SparseTable::take(std::span<const std::uint32_t> outcomes, std::span<const double> scores) {
  const std::size_t count = std::min(outcomes.size(), scores.size());
  next_.resize(count);
  Bounds bounds(*band_);
  std::size_t scored = 0, least = 0;
  std::uint64_t before = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const std::uint32_t outcome = outcomes[j];
    if (outcome < least || outcome >= bounds.size) continue;
    next_.outcomes[scored] = outcome;
    next_.scores[scored] = scores[j];
    next_.scored_before[scored] = before;
    before += next_.lowers[scored++] = band_->lower(outcome);
    least = outcome + std::size_t{1};
  }
  next_.resize(scored);
  next_.scores[scored] = 0;
  next_.scored_before[scored] = before;
  next_.lowers[scored] = bounds.lower_sum - before;
  bounds.lowers = next_.lowers.data();
  bounds.size = scored + 1;
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
