// Draws from a band for the records of one person: for releases, and for devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/band.h"
#include "core/random.h"
#include "core/table.h"
#include "kernel/channels.h"
#include "kernel/search.h"

namespace mollify {

/// Domains of at most this many outcomes use a Table, larger ones a SparseTable, so that a person
/// costs time in the own distinct outcomes. The choice depends on k alone, which is public.
inline constexpr std::size_t kMostDenseOutcomes = 4096;

/// The weights as k scores; outcomes out of range are passed over, repeated ones added.
[[nodiscard]] std::vector<double> dense_scores(std::span<const std::uint32_t> outcomes,
                                               std::span<const double> weights,
                                               std::size_t outcome_count);

/// The integers of a table's law. Valid as long as the table is.
[[nodiscard]] inline LawIntegers integers_of(const Table& table) {
  return {.numerators = table.numerators(), .band = &table.band()};
}

/// Fills `released` with independent draws from a table.
void draw_all(const Table& table, SecureRandom& random, std::span<std::uint32_t> released);

/// Fills `released` with independent draws from the projection on a band of these outcomes' weights,
/// of which there is one for each. `words` is called once, with the integers of the law.
template <class Words>
void draw_from_band(const Band& band, std::span<const std::uint32_t> outcomes,
                    std::span<const double> weights, const Words& words,
                    std::span<std::uint32_t> released) {
  if (band.outcome_count() <= kMostDenseOutcomes) {
    const Table table = projected(band, dense_scores(outcomes, weights, band.outcome_count()));
    draw_all(table, words(integers_of(table)), released);
    return;
  }
  SparseTable table(band);
  project(table, outcomes, weights);
  SecureRandom& random =
      words(LawIntegers{.outcomes = table.outcomes(), .numerators = table.numerators()});
  for (std::uint32_t& outcome : released) outcome = static_cast<std::uint32_t>(table.draw(random));
}

}  // namespace mollify
