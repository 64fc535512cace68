// Compares sparse tables with their proved model (proof/sparse) on equal bands, outcomes, scores
// and words.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "core/band.h"
#include "core/invalid_input.h"
#include "core/table.h"
#include "proof/cases.h"
#include "replay.h"

namespace mollify {
namespace {

using test::bits_of;
using test::Edges;
using test::Models;
using test::Words;

/// One scale, whatever is missing.
struct OneScale {
  double t;

  [[nodiscard]] ScoreScale first(const Bounds&, std::span<const double>) const { return {t, 0}; }
  [[nodiscard]] bool again(ScoreScale&, int128) const noexcept { return false; }
};

/// A band and its bounds as a case begins with them.
void begin_case(Models& models, const char* kind, const Band& band) {
  models << kind << band.bound() << uint128{band.total()} << uint128{band.is_uniform()}
         << uint128{band.outcome_count()};
  for (std::size_t i = 0; i < band.outcome_count(); ++i) models << uint128{band.lower(i)};
}

void send_sparse(Models& models, const Band& band, const std::vector<std::uint32_t>& outcomes,
                 const std::vector<double>& scores, double t, Edges& edges) {
  SparseTable table(band);
  table.assign(outcomes, scores, OneScale{t});
  // The scores of the outcomes that were taken: the first of each.
  Words xs;
  std::size_t j = 0;
  for (const std::uint32_t taken : table.outcomes()) {
    while (outcomes[j] != taken) ++j;
    xs.push_back(bits_of(scores[j++] * t));
  }
  xs.push_back(bits_of(0 * t));
  for (const bool at_the_end : {false, true}) {
    Words words(4);
    for (std::uint64_t& word : words) word = edges.edge();
    if (at_the_end) words[0] = ~std::uint64_t{0};  // the last place: the unscored outcomes
    words.resize(6, ~std::uint64_t{0});
    test::FrozenRandom random(1, words);
    const std::size_t drawn = table.draw(random);
    begin_case(models, "sparse", band);
    models << uint128{outcomes.size()} << Words(outcomes.begin(), outcomes.end())
           << uint128{xs.size()} << xs << words << "="
           << Words(table.outcomes().begin(), table.outcomes().end())
           << uint128{table.unscored_lower()} << table.numerators() << uint128{drawn}
           << uint128{random.used()};
    models.send();
  }
  for (int look = 0; look < 4; ++look) {
    if (table.unscored_lower() == 0) break;
    const std::uint64_t position =
        look == 0 ? table.unscored_lower() - 1 : edges.between(0, table.unscored_lower() - 1);
    begin_case(models, "unscored", band);
    models << uint128{outcomes.size()} << Words(outcomes.begin(), outcomes.end())
           << uint128{position} << "=" << uint128{table.outcome_at(band.total() - 1, position)};
    models.send();
  }
}

/// Bands of up to `most` outcomes. Some outcomes have scores, and some are out of order.
void try_sparse(std::uint64_t seed, std::size_t most, std::size_t tables) {
  Models models;
  Edges edges(seed);
  for (std::size_t made = 0; made < test::times(tables);) {
    const std::size_t k = 1 + edges.below(most);
    const std::uint64_t total = std::clamp<std::uint64_t>(edges.edge(), 1, Band::kGreatestTotal);
    const ExpBound bound(edges.epsilon());
    const bool uniform = edges.below(3) == 0;
    Words lowers(k);
    std::uint64_t left = total;
    for (std::uint64_t& lower : lowers) {
      lower = edges.below(3) == 0 ? left / k : std::min(left, edges.between(0, total / k + 1));
      left -= lower;
    }
    std::vector<Band> band;
    try {
      band.push_back(uniform ? Band::make(k, total / k, bound, total)
                             : Band::make(lowers, bound, total));
    } catch (const InvalidInput&) {
      continue;
    }
    ++made;
    std::vector<std::uint32_t> outcomes;
    for (std::uint32_t i = 0; i < k + 2; ++i) {
      if (edges.below(3) == 0) outcomes.push_back(i);
      if (edges.below(12) == 0) outcomes.push_back(static_cast<std::uint32_t>(edges.below(k + 1)));
    }
    std::vector<double> scores(outcomes.size());
    for (double& score : scores) score = edges.score(total);
    send_sparse(models, band[0], outcomes, scores, edges.below(2) == 0 ? 1 : 0x1p-40, edges);
  }
  EXPECT_TRUE(models.agree());
}

TEST(ProvedSparseTables, FewOutcomes) { try_sparse(21, 10, 400); }
TEST(ProvedSparseTables, RunsOfMoreThan64) { try_sparse(22, 300, 12); }

}  // namespace
}  // namespace mollify
