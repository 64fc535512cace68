// The consequences of a spec of one exact draw: mechanism, parameters, masses.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/message.h"
#include "domain/domain.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/local/mechanism.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "release/advice.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/plan.h"
#include "release/release_error.h"
#include "release/spec.h"

namespace mollify {

/// The sampler of a local or integral release.
struct LocalDesign {
  Mechanism mechanism = Mechanism::kMinimax;
  SpaceKind space = SpaceKind::kCategories;
  std::optional<CandidateList> list{};  ///< of candidates
  ScorerKind scorer = ScorerKind::kEmpirical;
  std::optional<double> c1{};     ///< as chosen, where it was not given
  std::optional<double> floor{};  ///< b, where the mechanism has a band
  bool is_of_band = true;         ///< whether the integers are a band's; a matrix's otherwise
  /// Ebar, at most e^epsilon of a draw: of all but gaussian-curve.
  std::optional<ExpBound> bound{};
  /// SHA-256 of the integers that decide privacy: every lower and upper bound of a band, or a
  /// matrix's defining integers.
  std::string integers_sha256{};
};

/// The question of a draw's plan; the spec's mechanism is not read where every one is asked for.
struct LocalQuestion {
  LocalSpec spec{};
  /// Of the reference, as a domain's public records have them; empty if it is uniform.
  std::vector<double> masses{};
  /// "COLUMN=VALUE[,VALUE]", which narrow each other; without a domain one reference mass.
  std::vector<std::string> region{};
  /// Whether rows have weights, which change nothing that a plan finds.
  bool has_weights = false;

  friend bool operator==(const LocalQuestion&, const LocalQuestion&) = default;
};

/// A draw's design, by DesignedRelease::sampler.
using HeldLocalSampler = std::shared_ptr<const LocalSampler>;
/// Null of other methods.
[[nodiscard]] HeldLocalSampler local_sampler(const DesignedRelease& made);

/// The parts of its own that a draw method has.
[[nodiscard]] LocalSpec local_spec(const PartReader& reader, Method method);

/// Of data whose records are counted. On many more outcomes than that, 64 records of such data have
/// about 45 different values.
inline constexpr double kConcentration = 64;

/// A band [b h, b e^epsilon h] about a reference h, b its floor. Up to a second for references of
/// millions of different masses.
[[nodiscard]] ReleaseError band_error(const ReferenceMasses& reference, ScorerKind scorer,
                                      double floor, double epsilon);

/// One draw of such a mechanism, as its release would be judged.
[[nodiscard]] ReleaseError draw_error(const MechanismParameters& parameters);

/// The dangers of one draw of such a mechanism, a sentence each, as of a release: the epsilon, and
/// a draw that is mostly noise, or that cannot be told apart from noise if `mollify estimate` is
/// what its records are for. Up to some seconds where it says what would do.
[[nodiscard]] std::vector<Message> draw_warnings(const MechanismParameters& parameters);

/// The draws' promise together about the data of `whom`: sentences for people.
[[nodiscard]] std::vector<std::string> draws_promise(const Privacy& total, const std::string& whom);
/// "whatever the data, an outcome is released with ...".
[[nodiscard]] std::string lift_words(double lower_factor, double largest_lift);

/// The worst case's assumption about the data, to end a sentence: with c1, c2 or gamma it is taken
/// over data that are so near the reference; empty without.
[[nodiscard]] const char* data_supposed(const LocalSpec& spec);
/// That of a release, and that its scorer smooths: ends one of few lines.
[[nodiscard]] std::string draw_supposition(const Certificate& certificate);

/// Throws InvalidInput for a band from a file or for a prior where there can be none.
void require_placeable(const LocalSpec& spec, SpaceKind kind, bool in_mu);

/// "categories (120 outcomes), scored by empirical", for people; of a local release.
[[nodiscard]] std::string space_text(const Certificate& certificate);

/// Adds the total of `count` draws by a local spec.
void design_draws(const Domain& domain, std::uint64_t draws, DesignedRelease& made);
/// Of a draw from a band, for such a scorer.
[[nodiscard]] ReleaseError error_of_band(const Certificate& certificate, const Domain& domain,
                                         ScorerKind scorer);

/// SHA-256 of all integers of a sampler that decide privacy. O(outcomes).
[[nodiscard]] std::string integers_sha256(const LocalSampler& sampler);

/// The worst case of one draw of a local or integral release whose certificate this is: how far its
/// law may be from the private distribution. O(outcomes); up to a fraction of a second for a
/// reference on at most 16 outcomes.
[[nodiscard]] WorstCaseRisk draw_risk(const Certificate& certificate, const Domain& domain);

/// The masses of the reference of a local or integral release; empty if it is uniform. O(outcomes).
[[nodiscard]] std::vector<double> reference_masses(const Certificate& certificate,
                                                   const Domain& domain);

/// Whether every unit's estimate is a score for each point. The records of an enumerable space are
/// outcomes themselves, and their counts a sparse estimate, which a sampler takes as they are.
[[nodiscard]] bool draws_by_scores(const LocalDesign& design) noexcept;

/// Throws InvalidInput: a band and a mechanism are given.
[[noreturn]] void refuse_band_and_mechanism();
/// "mechanism minimax takes no --mu: ..."
[[nodiscard]] std::string no_mu_words(Mechanism mechanism);

/// The mechanism for parameters that name none: a band choice the mechanism of that band, a budget
/// in mu gaussian-curve, gamma neighbourhood, c1 or c2 class, a reference relative; otherwise
/// minimax for categories and relative for other spaces, where no sampler over all distributions
/// beats the trivial one [Park et al. 2024, Proposition III.2].
///
/// Throws InvalidInput for a band with a mechanism, and for a mechanism that the space does not
/// have: all but categories need a band, and one that is not minimax over all distributions.
[[nodiscard]] Mechanism chosen_mechanism(const LocalSpec& spec, bool in_mu,
                                         SpaceKind space = SpaceKind::kCategories);

/// The parameters of that mechanism over the space's outcomes, except one draw's budget.
[[nodiscard]] MechanismParameters mechanism_parameters(const LocalSpec& spec, bool in_mu,
                                                       SpaceKind space, std::uint64_t outcome_count,
                                                       std::span<const double> reference);

/// Reads the domain and the reference that the question names; `inputs` may be null if it names
/// none.
[[nodiscard]] std::unique_ptr<const PlanModel> local_plan_model(PlanQuestion& question,
                                                                const PublicInputs* inputs);

// For who asks which method to take: advice.cpp.
[[nodiscard]] const MethodAdvice& local_advice();
[[nodiscard]] const MethodAdvice& integral_advice();
[[nodiscard]] const MethodAdvice& integral_model_advice();

}  // namespace mollify
