// Releases of units and of tables as integral records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "base/message.h"
#include "methods/local/sampler.h"
#include "methods/local/space.h"
#include "records/tallies.h"
#include "records/units.h"
#include "release/design.h"
#include "release/release.h"
#include "scores/points.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Releases in the local and the integral model.

/// A unit, or a whole table, that is scored at points keeps this many of its records, drawn evenly,
/// so that its time is bounded whatever the data.
inline constexpr std::size_t kMostScoredRows = std::size_t{1} << 17U;

/// Each unit, or the whole table, is one private distribution; `count` draws are made from each.
///
/// With a roster: its units' draws in its order, each with its unit. With units and no roster:
/// without ids, securely shuffled. Without units: the draws of the table.
class LocalRelease final : public PreparedRelease {
 public:
  LocalRelease(DesignedRelease made, const Domain& domain, ReleaseSpace space,
               std::optional<Roster> roster);

  [[nodiscard]] const ReleaseSpace& space() const noexcept { return space_; }
  [[nodiscard]] const std::optional<Roster>& roster() const noexcept { return roster_; }
  [[nodiscard]] const LocalSampler& sampler() const noexcept { return *sampler_; }
  /// The scorer of the space's points; empty if the records are outcomes themselves, or if each
  /// unit has other points.
  [[nodiscard]] const Scorer* scorer() const noexcept { return scorer_.get(); }

 private:
  void require_table(const Source& data) const override;
  /// Outcomes where the space's domain can be enumerated, digits otherwise.
  [[nodiscard]] RecordCounting counting_of_table() const override;
  Drawn draw_table(const Source& data, SecureRandom& random, Sink& sink,
                   std::size_t threads) const override;

  ReleaseSpace space_;
  std::optional<Roster> roster_;
  std::shared_ptr<const LocalSampler> sampler_;
  std::unique_ptr<Scorer> scorer_;
};

/// Requires a spec of method local or integral.
[[nodiscard]] std::unique_ptr<const LocalRelease> prepare_local(ReleaseSpec spec,
                                                                const PublicInputs& inputs);

// -----------------------------------------------------------------------------------------------
// What a release makes of each unit's records before the kernel bounds it. NOT PRIVATE.

/// The estimates of every unit of a local or integral release; without units the whole table is
/// one. A release draws from them, and `compare` shows them.
///
/// Nothing of this may leave the data holder's machine if the data is private.
class UnitEstimates {
 public:
  /// Reads the data, with its weights (CountedTable). `release` must outlive this. Total, if
  /// release.require(data) has passed;
  /// `random` chooses the records of a whole table that are kept.
  UnitEstimates(const LocalRelease& release, const Source& data, SecureRandom& random);

  [[nodiscard]] std::size_t size() const noexcept;

  /// Of releases that do not draw by scores: how often the unit has each outcome.
  [[nodiscard]] ScoredOutcomes outcomes(std::size_t unit) const noexcept;

  /// Of releases that do: the unit's records as digits, one after the other.
  [[nodiscard]] std::span<const std::uint32_t> digits(std::size_t unit) const noexcept {
    return std::get<UnitRecords>(units_).digits(unit);
  }

  /// The unit's records as points.
  [[nodiscard]] MixedPoints rows(std::size_t unit) const;

  /// Writes the estimate of the unit's distribution, up to a factor: of candidates against the law
  /// they were drawn from, otherwise masses. All zero without records. Requires as many places as
  /// the space has outcomes, and a list that is not fresh.
  void masses(std::size_t unit, std::span<float> masses) const;

 private:
  const LocalRelease* release_;
  std::variant<Empirical, UnitTable, UnitRecords> units_;
};

// -----------------------------------------------------------------------------------------------
// Releases of one public model under integral privacy, and rows of it.

/// Requires a spec of method integral over method integral-model. The band's outcomes are public
/// models; each one's score is the likelihood of the table under it, and one draw of the kernel's
/// table takes one. Its rows are free: post-processing of an index. Hands the model to the sink.
///
/// One pass over the data, and memory for how often each column has each cell; then a pass over all
/// models' shares.
[[nodiscard]] std::unique_ptr<const PreparedRelease> prepare_models(ReleaseSpec spec,
                                                                    const PublicInputs& inputs);

/// The result of a draw from N models of uniform weight, if the table's likelihoods distinguish
/// them (of a table without rows all are alike, and each is as likely as any other): with at least
/// `probability` the model is among the `best` likeliest. `floor` is the band's b.
struct ModelsOutlook {
  std::uint64_t best = 1;
  double probability = 0;

  [[nodiscard]] std::string words(std::uint64_t models) const;
};
[[nodiscard]] ModelsOutlook models_outlook(std::uint64_t models, double floor, double epsilon);

/// How far rows of the released model are expected to be from a table that is as the models are:
/// the mean over 48 of them, of a column alone, if the released one is among the likeliest as often
/// as the outlook says and no nearer than these are on average. `models` are judged_models of all;
/// of 48 models and fewer nothing is found. It has also the error of the records that the models
/// are drawn around, without any data.
[[nodiscard]] ReleaseError models_error(const PublicModels& models, std::uint64_t of_all,
                                        const ModelsOutlook& outlook);
/// Products that stand for a list of `count` models, trees or not: 1024 at most, and fewer of many
/// cells, whose distances differ less; memory for 2^23 shares, and a second.
[[nodiscard]] PublicModels judged_models(const Domain& domain, std::uint64_t count,
                                         std::span<const std::uint32_t> reference);
/// The share of each column's values that are expected to be null in a table's stead, if the table
/// has none: the mean over 48 tables that are as the models are, except for nulls. 0 of columns
/// that cannot be null.
[[nodiscard]] std::vector<double> models_nulls(const PublicModels& models, const Domain& domain,
                                               std::uint64_t of_all, const ModelsOutlook& outlook);
/// The sentence about one that is mostly noise.
[[nodiscard]] Message models_message(const ReleaseError& error);
/// Of a certificate whose spec shares a model.
[[nodiscard]] ModelsOutlook models_outlook(const Certificate& certificate);

}  // namespace mollify
