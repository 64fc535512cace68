// Public inputs, the space and the band.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "accounting/privacy.h"
#include "base/names.h"
#include "core/random.h"
#include "domain/candidates.h"
#include "domain/domain.h"
#include "methods/marginals/learner.h"
#include "records/sink.h"
#include "records/tallies.h"
#include "records/units.h"
#include "release/spec.h"
#include "scores/points.h"
#include "scores/public_models.h"
#include "scores/records.h"
#include "scores/references.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A band as a public file.

/// Lower bounds of all outcomes, as shares of one; upper bounds are e^epsilon times these.
struct PublicBand {
  double epsilon = 0;  ///< of one draw
  std::vector<double> lower{};
};

/// Pretty JSON that ends in a line feed: "format", "epsilon", "outcomes" and "lower".
[[nodiscard]] std::string public_band_text(const PublicBand& band);

/// The reverse. Throws InvalidInput, naming `name`, for anything else, and for bounds that are not
/// above 0 or that no law fits. At most 2^24.
[[nodiscard]] PublicBand parse_public_band(const std::string& text, const std::string& name);

/// Throws InvalidInput unless the band is for draws of `epsilon` over so many outcomes.
void require_band_fits(const PublicBand& band, const std::string& name, double epsilon,
                       std::uint64_t outcomes);

// -----------------------------------------------------------------------------------------------
// What stands behind the names of a spec.

/// The public inputs of releases, by the names that specs give them: files
/// (formats/public_files.h), or whatever a program holds. Strict: each function throws
/// InvalidInput, in one sentence, for the first thing that is not as it must be.
class PublicInputs {
 public:
  PublicInputs() = default;
  PublicInputs(const PublicInputs&) = delete;
  PublicInputs& operator=(const PublicInputs&) = delete;
  virtual ~PublicInputs() = default;

  [[nodiscard]] virtual Domain domain(const SpecDomain& domain) const = 0;
  /// The units, each once, in their order.
  [[nodiscard]] virtual Roster roster(const std::string& name,
                                      const std::string& unit_column) const = 0;
  /// Public records as digits of the domain, a record after the other.
  [[nodiscard]] virtual std::vector<std::uint32_t> records(const std::string& name,
                                                           const Domain& domain) const = 0;
  [[nodiscard]] virtual Candidates candidates(const std::string& name,
                                              const Domain& domain) const = 0;
  [[nodiscard]] virtual PublicBand band(const std::string& name) const = 0;
  /// The covariance matrix of the columns, row by row in their order.
  [[nodiscard]] virtual std::vector<double> covariance(const std::string& name,
                                                       const RealColumns& columns) const = 0;
  /// Of the input's bytes; empty if it has none.
  [[nodiscard]] virtual std::string sha256(const std::string& name) const = 0;
};

/// Values in memory: what each name stands for, whatever the name.
class GivenInputs final : public PublicInputs {
 public:
  explicit GivenInputs(Domain domain) : domain_(std::move(domain)) {}

  std::optional<Roster> units{};
  std::vector<std::uint32_t> reference{};  ///< digits of the space's domain
  std::optional<Candidates> list{};
  std::optional<PublicBand> lower_bounds{};
  std::vector<double> matrix{};  ///< the covariance

  [[nodiscard]] Domain domain(const SpecDomain&) const override { return domain_; }
  [[nodiscard]] Roster roster(const std::string& name, const std::string&) const override;
  [[nodiscard]] std::vector<std::uint32_t> records(const std::string& name,
                                                   const Domain& domain) const override;
  [[nodiscard]] Candidates candidates(const std::string& name, const Domain&) const override;
  [[nodiscard]] PublicBand band(const std::string& name) const override;
  [[nodiscard]] std::vector<double> covariance(const std::string& name,
                                               const RealColumns& columns) const override;
  [[nodiscard]] std::string sha256(const std::string&) const override { return {}; }

 private:
  Domain domain_;
};

/// Reads the domain and fills in the hashes of all that the spec names. Throws InvalidInput where
/// the spec states another hash than what is found.
[[nodiscard]] Domain complete_spec(ReleaseSpec& spec, const PublicInputs& inputs);

/// The roster that the spec names, if it names one.
[[nodiscard]] std::optional<Roster> roster_of(const ReleaseSpec& spec, const PublicInputs& inputs);

// -----------------------------------------------------------------------------------------------
// What a local or integral release chooses from, made of public information.

/// The scorer of a space for which none is asked: empirical for categories and for mechanisms that
/// are no bands, which draw a record; likelihood for models; kernel otherwise.
[[nodiscard]] ScorerKind usual_scorer(SpaceKind kind,
                                      Mechanism mechanism = Mechanism::kRelative) noexcept;

/// Where a release's candidates come from.
enum class CandidateList {
  kSeeded,  ///< from the domain's seed: everybody can make the same
  kFresh,   ///< drawn anew for each unit, and known to nobody
  kFile,    ///< a list made before
};

constexpr auto names_of(CandidateList) {
  return std::array{Named{CandidateList::kSeeded, "seeded"}, Named{CandidateList::kFresh, "fresh"},
                    Named{CandidateList::kFile, "file"}};
}

/// What the models of method integral-model are like.
[[nodiscard]] inline ModelShapes model_shapes(const SpaceSpec& spec) {
  return spec.trees ? ModelShapes::kProductsAndTrees : ModelShapes::kProducts;
}

/// None for other spaces than candidates.
[[nodiscard]] std::optional<CandidateList> candidate_list(SpaceKind kind, const SpaceSpec& spec);

/// The kind of space: the one asked for, implied by the other parts, or chosen_space.
[[nodiscard]] SpaceKind space_kind(const Domain& domain, const SpaceSpec& spec);

/// The domain whose digits records are read and written in: that of the release, or, on a grid, the
/// one cut anew. Throws InvalidInput, in one sentence, for what contradicts itself or the domain.
[[nodiscard]] Domain space_domain(const Domain& domain, const SpaceSpec& spec);

/// Public records, given as digits of an enumerable domain one after the other, counted.
[[nodiscard]] Empirical counted_outcomes(std::span<const std::uint32_t> digits,
                                         const Domain& domain);

/// The masses that the outcomes of a space have after public records: `smoothed_histogram` for
/// categories, `multiscale_histogram` for a grid. `space` is its enumerable domain.
[[nodiscard]] std::vector<double> reference_masses(const Empirical& public_records, SpaceKind kind,
                                                   const Domain& space);

/// The finite space of a release: outcomes 0 ... size() - 1, each of them a way to write a record.
class ReleaseSpace {
 public:
  /// `reference` are public records that candidates are drawn after; other spaces have their
  /// reference in the band. Throws InvalidInput like space_domain.
  ReleaseSpace(const Domain& domain, const SpaceSpec& spec,
               const std::optional<PublicFile>& reference, const PublicInputs& inputs);

  [[nodiscard]] SpaceKind kind() const noexcept { return kind_; }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }
  [[nodiscard]] bool is_fresh() const noexcept { return list_ == CandidateList::kFresh; }

  /// space_domain: its outcomes are the space's, but for candidates.
  [[nodiscard]] const Domain& domain() const noexcept { return domain_; }
  [[nodiscard]] const RecordLayout& layout() const noexcept { return layout_; }

  /// The candidates, if there is one list for all units.
  [[nodiscard]] const std::optional<Candidates>& candidates() const noexcept { return candidates_; }
  /// SHA-256 of that list; empty if there is none.
  [[nodiscard]] std::string list_sha256() const;

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

// -----------------------------------------------------------------------------------------------
// The model of a release by marginals, as a file that rows are drawn from at no cost.

/// What was released: all of it is public.
struct ReleasedModel {
  std::string domain_sha256;
  MarginalModel model;
};

/// {"format": "mollify model 1", "version", "domain_sha256", "released_with", "columns", "graph"}:
/// JSON, ending in a line feed.
[[nodiscard]] std::string released_model_text(const MarginalModel& model, const Domain& domain,
                                              const Privacy& guarantee);

/// Throws InvalidInput, one sentence naming `name`, for anything else than released_model_text
/// writes; other members are ignored.
[[nodiscard]] ReleasedModel parse_released_model(const std::string& text, const std::string& name);

/// Writes rows drawn from the model under what is given of them, in no order that tells anything.
/// The writer is one of the domain that the model is of; it is not finished.
void write_rows(const MarginalModel& model, std::uint64_t count, const std::vector<Evidence>& given,
                SecureRandom& random, RecordWriter& writer);

/// So many rows are drawn at once from a model that was released.
inline constexpr std::uint64_t kMostGenerated = 100'000'000;

/// That a column of the domain has a value, which is given as a file would hold it: the cell that
/// it lies in. Throws InvalidInput for other columns and values.
[[nodiscard]] Evidence evidence_of(const Domain& domain, std::string_view column,
                                   std::string_view value);

}  // namespace mollify
