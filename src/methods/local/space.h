// The space of a draw: its scorer, its parts of a spec, its outcomes or candidates.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/named.h"
#include "core/random.h"
#include "domain/candidates.h"
#include "domain/domain.h"
#include "methods/local/bands.h"
#include "methods/local/mechanism.h"
#include "records/tallies.h"
#include "release/public_inputs.h"
#include "release/spec.h"
#include "scores/points.h"
#include "scores/public_models.h"
#include "scores/records.h"
#include "scores/references.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The scorers that a user can choose, by name.

/// How private rows become scores of candidates (docs/reference/mechanisms.md).
enum class ScorerKind {
  kKernel,
  kEmpirical,
  kHistogram,
  kGaussianMixture,
  kRatio,
  kBoosted,
  kLikelihood,  ///< of models, and of these alone
};

constexpr auto names_of(ScorerKind) {
  return std::array{Named{ScorerKind::kKernel, "kernel"},
                    Named{ScorerKind::kEmpirical, "empirical"},
                    Named{ScorerKind::kHistogram, "histogram"},
                    Named{ScorerKind::kGaussianMixture, "gaussian-mixture"},
                    Named{ScorerKind::kRatio, "ratio"},
                    Named{ScorerKind::kBoosted, "mbde"},
                    Named{ScorerKind::kLikelihood, "likelihood"}};
}

/// Facts about a scorer; names, the schema and the guide's table follow from the row.
struct ScorerRow {
  ScorerKind kind;
  const char* estimates;  ///< in the guide's words
  const char* suits;
  /// Whether it learns to tell rows from points of the reference, and so needs candidates, which
  /// are such points.
  bool needs_candidates = false;
  /// Whether a row counts for one outcome or candidate alone, so that an estimate is as sparse as
  /// its rows are few. The others spread rows over what is near them.
  bool counts_records = false;
  std::unique_ptr<Scorer> (*make)(const MixedPoints& candidates, double epsilon) = nullptr;
};

[[nodiscard]] const ScorerRow& row_of(ScorerKind kind) noexcept;

/// Requires another kind than kLikelihood. A scorer of these candidates with its default settings,
/// for draws at `epsilon` each (which only kBoosted heeds).
[[nodiscard]] std::unique_ptr<Scorer> make_scorer(ScorerKind kind, const MixedPoints& candidates,
                                                  double epsilon);

// -----------------------------------------------------------------------------------------------
// The parts of a spec.

/// The space of a draw. Empty: the domain's suggestion.
struct SpaceSpec {
  std::optional<SpaceKind> kind{};
  std::optional<std::uint64_t> cells{};       ///< of a grid, in all
  std::optional<std::uint64_t> candidates{};  ///< how many; of models too
  bool fresh = false;                         ///< new candidates for each unit
  bool trees = false;                         ///< every second model is a tree of columns
  std::optional<PublicFile> list{};           ///< of candidates, made before
  std::optional<ScorerKind> scorer{};         ///< none: usual_scorer

  friend bool operator==(const SpaceSpec&, const SpaceSpec&) = default;
};

/// What only the draw methods have.
struct LocalSpec {
  /// Empty: the other parameters decide (chosen_mechanism).
  std::optional<Mechanism> mechanism{};
  std::optional<PlacedBand> band{};  ///< instead of a mechanism
  MechanismNumbers numbers{};
  std::optional<PublicFile> reference{};  ///< public records; none: uniform
  std::optional<PublicFile> channel{};    ///< of naive and convex; none: Laplace noise
  SpaceSpec space{};

  friend bool operator==(const LocalSpec&, const LocalSpec&) = default;
};

// -----------------------------------------------------------------------------------------------
// What a local or integral release chooses from, made of public information.

/// The scorer of a space for which none is asked: empirical for categories and for mechanisms that
/// are no bands, which draw a record; likelihood for models; kernel otherwise.
[[nodiscard]] ScorerKind usual_scorer(SpaceKind kind,
                                      Mechanism mechanism = Mechanism::kRelative) noexcept;

/// ", plus what scorer kernel smooths", to end a sentence about the distance from the data:
/// a worst case is over what the scorer makes of the rows. Empty for scorers that smooth nothing.
[[nodiscard]] std::string smoothing_words(ScorerKind scorer);

/// The source of a release's candidates.
enum class CandidateList {
  kSeeded,  ///< from the domain's seed: everybody can make the same
  kFresh,   ///< drawn anew for each unit, and known to nobody
  kFile,    ///< a list made before
};

constexpr auto names_of(CandidateList) {
  return std::array{Named{CandidateList::kSeeded, "seeded"}, Named{CandidateList::kFresh, "fresh"},
                    Named{CandidateList::kFile, "file"}};
}

/// The kind of method integral-model's models.
[[nodiscard]] inline ModelShapes model_shapes(const SpaceSpec& spec) {
  return spec.trees ? ModelShapes::kProductsAndTrees : ModelShapes::kProducts;
}

/// None for other spaces than candidates.
[[nodiscard]] std::optional<CandidateList> candidate_list(SpaceKind kind, const SpaceSpec& spec);

/// The kind of space: the one asked for, implied by the other parts, or chosen_space.
[[nodiscard]] SpaceKind space_kind(const Domain& domain, const SpaceSpec& spec);

/// The domain whose digits records are read and written in: the release's, or, on a grid, the one
/// cut anew. Throws InvalidInput, in one sentence, for contradictions, also with the domain.
[[nodiscard]] Domain space_domain(const Domain& domain, const SpaceSpec& spec);

/// Public records, given as digits of an enumerable domain one after the other, counted.
[[nodiscard]] Empirical counted_outcomes(std::span<const std::uint32_t> digits,
                                         const Domain& domain);

/// Whether a reference is a density and not records: then its name ends in .json.
[[nodiscard]] bool is_density(const std::optional<PublicFile>& reference) noexcept;

/// What a certificate states of a reference, from which `reference_masses` follow alike on every
/// machine: how often its records have each outcome of `space`, which is enumerable; or the masses
/// of its density (measures/measure.h) in parts of 2^52, rounded up, one at least.
[[nodiscard]] Empirical reference_counts(const PublicFile& reference, const Domain& space,
                                         const PublicInputs& inputs);

/// The masses that the outcomes of a space have by a reference's counts: after records,
/// `smoothed_histogram` for categories and `multiscale_histogram` for a grid; the shares of a
/// density's parts. `space` is its enumerable domain.
[[nodiscard]] std::vector<double> reference_masses(const PublicFile& reference,
                                                   const Empirical& counts, SpaceKind kind,
                                                   const Domain& space);

/// Declares the class that an envelope is made for [Park et al. 2024, Theorem III.3], if the
/// reference is one and the spec asks for no other band: c2 becomes `Measure::class_bound`, and
/// 2^-27 of it more, which is above what rounding and cubature of masses may leave out.
void declare_class(LocalSpec& spec, const PublicInputs& inputs);

/// The finite space of a release: outcomes 0 ... size() - 1, each of them a way to write a record.
class ReleaseSpace {
 public:
  /// `reference` are public records that candidates are drawn after; other spaces have their
  /// reference in the band. Throws InvalidInput like space_domain, and for a density without a
  /// grid.
  ReleaseSpace(const Domain& domain, const SpaceSpec& spec,
               const std::optional<PublicFile>& reference, const PublicInputs& inputs);

  [[nodiscard]] SpaceKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_fresh() const noexcept { return list_ == CandidateList::kFresh; }

  /// space_domain: its outcomes are the space's, except for candidates.
  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] const RecordLayout& layout() const noexcept { return layout_; }

  /// The candidates, if there is one list for all units.
  [[nodiscard]] const std::optional<Candidates>& candidates() const noexcept { return candidates_; }
  /// SHA-256 of that list; empty if there is none.
  [[nodiscard]] std::string list_sha256() const {
    return candidates_ ? candidates_hash(*candidates_, domain_) : std::string();
  }

  /// Their reference's density at each; empty if it is the same at all, as it is in other spaces.
  [[nodiscard]] std::span<const float> densities() const noexcept {
    return candidates_ ? candidates_->densities() : std::span<const float>();
  }

  /// New candidates. Requires is_fresh().
  [[nodiscard]] Candidates fresh_candidates(SecureRandom& random) const;

  /// The place of each outcome, for scorers. Requires that the list is not fresh.
  [[nodiscard]] MixedPoints points() const;

 private:
  SpaceKind kind_;
  std::optional<CandidateList> list_;
  Domain domain_;
  RecordLayout layout_;
  std::optional<ReferenceCandidates> reference_;
  std::optional<Candidates> candidates_;
  std::uint64_t size_ = 0;
};

}  // namespace mollify
