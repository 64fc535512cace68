// Independent records of a finite domain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "methods/central/design.h"
#include "methods/central/samplers.h"
#include "methods/central/support.h"
#include "release/advice.h"
#include "release/design.h"
#include "release/plan.h"

namespace mollify {

class Domain;

/// The sampler of a design of method central.
struct FiniteDrawing {
  std::shared_ptr<const CentralSampler> sampler;  ///< over the whole domain
  std::optional<SupportFinder> finder{};          ///< with a hint
};
/// Requires the design of method central.
[[nodiscard]] const FiniteDrawing& finite_drawing(const DesignedRelease& made);

/// What only method central has.
struct CentralSpec {
  std::optional<CentralMechanism> mechanism{};  ///< none: the most accurate
  std::optional<double> rate{};                 ///< of poisson-rr, instead of a count
  /// For a domain of one integer column: half of the budget finds the interval that the records lie
  /// in, and the rest samples from it; records outside count as its nearest end.
  std::optional<SupportHint> support{};

  friend bool operator==(const CentralSpec&, const CentralSpec&) = default;
};

/// The sampler of a central release from a finite domain. With a hint the design is made for the
/// interval that is found; this one is for the whole domain, which is the worst.
struct FiniteDesign {
  CentralDesign design{};
  std::optional<Privacy> hint{};  ///< what finding the interval costs
  /// SupportFinder::least_records and least_size, with a hint.
  std::uint64_t least_records = 0;
  std::uint64_t least_outcomes = 0;
};

/// The budget of the search for a support; the other half is for the draw.
[[nodiscard]] Privacy half_of(const Privacy& budget);
/// Throws InvalidInput unless it is above 0.
void require_delta_of_hint(double delta);
/// Whether a hint says how many outcomes the support has.
[[nodiscard]] bool has_size(const SupportHint& hint);

/// Whether rows can be taken for points.
[[nodiscard]] bool are_numbers(const Domain& domain);

/// Refuses (InvalidInput) a domain of too many outcomes for independent records, and names the
/// methods that have no such limit.
void require_countable(const Domain& domain);

// Plans: plan.cpp.

/// A question's parts of method central alone.
struct CentralQuestion {
  /// In cells of the domain. The question's outcomes are then the support's, unless the hint says
  /// how many it has.
  std::optional<SupportHint> support{};
  std::uint64_t domain_size = SupportFinder::kMostIntegers;
  std::optional<WeightColumn> weights{};        ///< its column may have no name
  std::optional<CentralMechanism> mechanism{};  ///< none: every one

  friend bool operator==(const CentralQuestion&, const CentralQuestion&) = default;
};
/// Of the question's mechanism, or of every one; with weights of those that take them alone.
[[nodiscard]] std::unique_ptr<const PlanModel> finite_plan(const CentralQuestion& question);

/// For samples of finite domains [Raskhodnikova et al. 2021; Cheu, Nayak 2024, Theorems 22 and 23]:
/// records that any mechanism needs, up to a constant factor that the sources do not give:
/// k/(alpha epsilon) for independent outputs; for a joint law within alpha, k/(a epsilon) with the
/// greatest a that an output may be off by (single_total_variation_most), about
/// 1.25 alpha/sqrt(m), which is taken beyond 10^4 outputs.
[[nodiscard]] double records_lower_bound_order(const PlanQuestion& question);

/// Records that the papers ask for [Cheu, Nayak 2024]. For m subsampled outputs (Theorem 11, Lemma
/// 8; pure): m runs of (k - 1)/(alpha epsilon) records, rounded up, each on records of its own. For
/// m shuffled ones (Theorem 2): the least n from m on whose closed form (Lemma 12), with all
/// reports released, allows alpha within its regime, because an output is the report of one record;
/// none without delta or up to 2^39.
[[nodiscard]] double papers_subsampled_records(const PlanQuestion& question);
[[nodiscard]] std::optional<std::uint64_t> papers_shuffled_records(const PlanQuestion& question);

// For who asks which method to take: advice.cpp.
[[nodiscard]] const MethodAdvice& central_advice();

}  // namespace mollify
