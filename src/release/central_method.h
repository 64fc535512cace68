// Independent records of a finite domain.
#pragma once

#include <cstdint>
#include <optional>

#include "domain/domain.h"
#include "release/plan.h"

namespace mollify {

/// Refuses (InvalidInput) a domain of too many outcomes for independent records, and names the
/// methods that have no such limit.
void require_countable(const Domain& domain);

/// For samples of finite domains [Raskhodnikova et al. 2021; Cheu, Nayak 2024, Theorems 22 and 23]:
/// records that any mechanism needs, up to a constant factor that the sources do not give:
/// k/(alpha epsilon) for independent outputs, k sqrt(m)/(alpha epsilon) for a joint law within
/// alpha.
[[nodiscard]] double records_lower_bound_order(const PlanQuestion& question);

/// Records that the papers ask for [Cheu, Nayak 2024]: m(k - 1)/(alpha epsilon) for m subsampled
/// outputs (Theorem 11, Lemma 8; pure), and the least n whose closed form (Lemma 12), with all
/// reports released, allows alpha within its regime; none without delta or up to 2^39.
[[nodiscard]] double papers_subsampled_records(const PlanQuestion& question);
[[nodiscard]] std::optional<std::uint64_t> papers_shuffled_records(const PlanQuestion& question);

}  // namespace mollify
