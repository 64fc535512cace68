// The design of a release.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "domain/domain.h"
#include "methods/central/samplers.h"
#include "methods/central/support.h"
#include "methods/divergence/worst_case_risk.h"
#include "methods/gaussian/design.h"
#include "methods/local/mechanism.h"
#include "methods/local/sampler.h"
#include "release/certificate.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The design of a Gaussian release as its certificate states it.

/// Which of many designs a Gaussian release draws by was searched for in doubles, and a search on
/// another processor may end elsewhere. So it is not searched for again: the integers of lattice,
/// noise, weights and centre are read from the certificate, and what follows from them is found
/// here (settled). Stated bounds of its accuracy that are nearly the ones found here are taken as
/// they stand. Whether the integers keep the guarantee is for check_gaussian_design.
///
/// `request` is what the certificate's spec and facts ask for. Throws InvalidInput for numbers that
/// no such design has.
[[nodiscard]] GaussianDesign stated_gaussian_design(GaussianRequest request,
                                                    const StatedCertificate& stated);

// -----------------------------------------------------------------------------------------------
// From what is public about a release to what it draws by.

/// A certificate, and the samplers that it speaks of.
struct DesignedRelease {
  Certificate certificate;
  std::unique_ptr<LocalSampler> local{};      ///< of local and integral releases
  std::unique_ptr<CentralSampler> central{};  ///< of finite central ones, over the whole domain
  std::optional<SupportFinder> finder{};      ///< of these, with a hint
};

/// Everything that follows from the spec, the facts and the domain, and keeps what it promises.
/// Throws InvalidInput, in one sentence, for what contradicts itself and for what no mechanism can
/// serve.
[[nodiscard]] DesignedRelease design_release(const ReleaseSpec& spec, const PublicFacts& facts,
                                             const Domain& domain);

/// The same for a certificate's spec and facts, to be compared with the rest of it: equal on every
/// machine. What a search in doubles found is taken as the certificate states it, and whether it
/// keeps what is promised is not looked at.
[[nodiscard]] DesignedRelease stated_release(const StatedCertificate& stated, const Domain& domain);

/// Throws InvalidInput unless the integers of a Gaussian or of marginals keep what is promised.
void require_guarantee(const Certificate& certificate);

/// SHA-256 of all integers of a sampler that decide privacy. O(outcomes).
[[nodiscard]] std::string integers_sha256(const LocalSampler& sampler);

/// What a release by marginals knows of a domain's columns.
[[nodiscard]] std::vector<MarginalColumn> marginal_columns(const Domain& domain);

/// What all records of a unit weigh together in such a release, if units are protected: shared out
/// among a few of them it leaves little over.
inline constexpr std::uint64_t kUnitWeight = 1024;

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

/// The mechanism for parameters that name none: a band choice the mechanism of that band, a budget
/// in mu gaussian-curve, gamma neighbourhood, c1 or c2 class, a reference relative; otherwise
/// minimax for categories and relative for other spaces, where no sampler over all distributions
/// beats the trivial one [Park et al. 2024, Proposition III.2].
///
/// Throws InvalidInput for a band beside a mechanism, and for a mechanism that the space has not:
/// all but categories need a band, and one that is not minimax over all distributions.
[[nodiscard]] Mechanism chosen_mechanism(const LocalSpec& spec, bool in_mu,
                                         SpaceKind space = SpaceKind::kCategories);

/// The parameters of that mechanism over the space's outcomes, but for what one draw may spend.
[[nodiscard]] MechanismParameters mechanism_parameters(const LocalSpec& spec, bool in_mu,
                                                       SpaceKind space, std::uint64_t outcome_count,
                                                       std::span<const double> reference);

}  // namespace mollify
