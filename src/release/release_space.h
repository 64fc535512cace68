// What a release chooses from, made of public information.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/empirical.h"
#include "density/mixed_points.h"
#include "density/record_layout.h"
#include "kernel/core/secure_random.h"
#include "reference/reference_candidates.h"
#include "release/scorer_kind.h"
#include "space/candidates.h"
#include "space/domain.h"
#include "space/space_kind.h"

namespace mollify {

/// What a user asks for; all of it public. Nothing: what the domain suggests.
struct SpaceRequest {
  std::optional<SpaceKind> kind;               ///< none: implied by the others, or chosen_space
  std::optional<std::uint64_t> cells;          ///< of a grid, in all
  std::optional<std::uint64_t> candidates;     ///< how many
  bool fresh = false;                          ///< new candidates for each unit
  std::optional<std::string> candidates_file;  ///< a list made before, by `mollify candidates`
  std::optional<ScorerKind> scorer;            ///< none: usual_scorer
};

/// The scorer of a space for which none is asked: empirical for categories, kernel otherwise.
ScorerKind usual_scorer(SpaceKind kind) noexcept;

/// Where a release's candidates come from.
enum class CandidateList {
  kSeeded,  ///< from the domain's seed: everybody can make the same
  kFresh,   ///< drawn anew for each unit, and known to nobody
  kFile,    ///< a file
};

/// "seeded", "fresh", "file".
std::string_view name_of(CandidateList list) noexcept;
std::optional<CandidateList> candidate_list_named(std::string_view name) noexcept;

/// What a certificate says of the space; enough to build it again, but for the file.
struct CertifiedSpace {
  SpaceKind kind = SpaceKind::kCategories;
  std::optional<std::uint64_t> cells;  ///< of a grid, as asked for in all
  std::optional<CandidateList> list;   ///< of candidates
  std::optional<std::string> origin;   ///< the list's file, as it was given
  std::optional<std::string> sha256;   ///< of the list; none if it is fresh
};

/// The masses that the outcomes of a space have after public records: `smoothed_histogram` for
/// categories, `multiscale_histogram` for a grid. `space` is its enumerable domain.
std::vector<double> reference_masses(const Empirical& public_records, SpaceKind kind,
                                     const Domain& space);

/// The finite space of a release: outcomes 0 ... size() - 1, each of them a way to write a record.
class ReleaseSpace {
 public:
  /// `reference` is a public CSV file of records that candidates are drawn after; other spaces have
  /// their reference in the band. Throws InvalidInput, in one sentence, for what contradicts itself
  /// or the domain.
  ReleaseSpace(const Domain& domain, const SpaceRequest& request,
               const std::optional<std::string>& reference = std::nullopt);

  [[nodiscard]] SpaceKind kind() const noexcept { return certified_.kind; }
  [[nodiscard]] const CertifiedSpace& certified() const noexcept { return certified_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_fresh() const noexcept { return certified_.list == CandidateList::kFresh; }

  /// The domain whose digits records are read and written in: that of the release, or, on a grid,
  /// the one cut anew. Its outcomes are the space's, but for candidates.
  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] const RecordLayout& layout() const noexcept { return layout_; }

  /// The candidates, if there is one list for all units.
  [[nodiscard]] const std::optional<Candidates>& candidates() const noexcept { return candidates_; }

  /// Their reference's density at each; empty if it is the same at all, as it is in other spaces.
  [[nodiscard]] std::span<const float> densities() const noexcept {
    return candidates_ ? candidates_->densities() : std::span<const float>();
  }

  /// New candidates. Requires is_fresh().
  [[nodiscard]] Candidates fresh_candidates(SecureRandom& random) const;

  /// The place of each outcome, for scorers. Requires that the list is not fresh.
  [[nodiscard]] MixedPoints points() const;

 private:
  Domain domain_;
  RecordLayout layout_;
  std::optional<ReferenceCandidates> reference_;
  std::optional<Candidates> candidates_;
  std::uint64_t size_ = 0;
  CertifiedSpace certified_;
};

}  // namespace mollify
