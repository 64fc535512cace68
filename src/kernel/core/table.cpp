#include "kernel/core/table.h"

#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {

Table::Table(const Band& band) : Table(&band) { fit_reference(bounds_of(band), written()); }

void Table::require_count(std::size_t count) const {
  if (count == band_->outcome_count()) return;
  throw InvalidInput("a table over " + std::to_string(band_->outcome_count()) +
                     " outcomes needs as many scores, but has " + std::to_string(count));
}

std::size_t detail::run_at(std::span<const std::uint64_t> numerators,
                           std::span<const std::uint64_t> block_sums, std::uint64_t position) {
  std::size_t block = 0;
  while (position >= block_sums[block]) position -= block_sums[block++];
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
  while (position >= *n) position -= *n++;
  return static_cast<std::size_t>(n - first);
}

}  // namespace mollify
