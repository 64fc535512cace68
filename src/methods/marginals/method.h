// Rows of one model of a table, which is learned from noisy counts.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/random.h"
#include "methods/marginals/counts.h"
#include "methods/marginals/design.h"
#include "methods/marginals/learner.h"
#include "methods/marginals/noisy_answers.h"
#include "records/pair_counts.h"
#include "records/sink.h"
#include "records/source.h"
#include "records/units.h"
#include "release/advice.h"
#include "release/certificate.h"
#include "release/design.h"
#include "release/release.h"
#include "release/released_model.h"
#include "release/spec.h"

namespace mollify {

class Domain;

/// What only method marginals has.
struct MarginalsSpec {
  Neighbours neighbours = Neighbours::kReplace;
  std::optional<PublicFile> reference{};  ///< public records that the model begins at
  /// Columns are joined by their rank correlations alone, instead of by measured pairs.
  bool copula = false;

  friend bool operator==(const MarginalsSpec&, const MarginalsSpec&) = default;
};

/// The question of its plan.
struct MarginalsQuestion {
  Neighbours neighbours = Neighbours::kReplace;
  bool copula = false;
  UnitColumns unit{};                     ///< columns of units: then these are counted, not rows
  std::optional<WeightColumn> weights{};  ///< its column may have no name
  std::vector<MarginalColumn> columns{};  ///< of the domain, where one is given

  friend bool operator==(const MarginalsQuestion&, const MarginalsQuestion&) = default;
};

/// Of what was designed. Records are rows, or units: all of a unit's rows, which weigh as much
/// together as any other unit's; a unit of the roster without rows is one uniform record.
/// `reference` is public records as digits that lie end to end, or nothing. Hands the model to the
/// sink.
///
/// One pass over the data, two where bins are private. Memory depends on the cells of all pairs of
/// columns; with units 4 bytes a value and 8 a unit more.
[[nodiscard]] std::unique_ptr<const PreparedRelease> make_marginals_release(
    DesignedRelease made, Domain domain, std::optional<Roster> roster,
    std::vector<std::uint32_t> reference);

/// The weights of such a release: rows of weight 1, or units of weight kUnitWeight, the roster's if
/// there is one; or of a source with weights what these are, of a unit its greatest weight at most.
/// NOT PRIVATE.
[[nodiscard]] PairCounts exact_pair_counts(const Source& data, const Domain& domain,
                                           const UnitColumns& unit,
                                           const std::optional<Roster>& roster,
                                           SecureRandom& random);

/// A domain's columns for a release by marginals.
[[nodiscard]] std::vector<MarginalColumn> marginal_columns(const Domain& domain);

/// What all records of a unit weigh together in such a release, if units are protected: shared out
/// among a few of them it leaves little over.
inline constexpr std::uint64_t kUnitWeight = 1024;

/// The most that one row weighs, or all rows of a unit: the greatest weight in steps, if weights
/// are declared.
[[nodiscard]] UnitWeight unit_weight(bool by_unit, Neighbours neighbours,
                                     const std::optional<WeightColumn>& weights);

/// {"usual": .05, "at_worst": .1}: how far two columns are off, on average over pairs.
[[nodiscard]] nlohmann::ordered_json two_way_json(const MarginalError& error);

/// Their meaning, the tables on which they held, and their limits.
[[nodiscard]] std::string marginals_error_words(const MarginalError& error);

// -----------------------------------------------------------------------------------------------
// Which pairs of columns a release by marginals measured, and which it dropped.

/// What the learner measured, for the member "measured" of a certificate: the measurements of pairs
/// in their order, each with its columns (by name and by place in the domain), the cells and the
/// parts of the budget that it took; what their noise is on average, and that in words; the pairs
/// that were not measured, and how many these are. It states noise and counts, and not how near
/// rows are to the table, which no public fact shows for a pair that was not measured. The choice
/// of pairs was paid for by the release, so the list is an output like the records. Empty for a
/// release that chooses no pairs: a copula's, and one column's.
///
/// The noise of a measured pair is half of the mean sum of its counts' noise (counts_noise), in
/// records: its noisy counts are so far from the counts. A model that is fitted to them is mostly
/// nearer. Of a pair that was measured several times the finest measurement counts, with all that
/// are as fine.
[[nodiscard]] nlohmann::ordered_json measured_pairs_json(const std::vector<Measurement>& measured,
                                                         const Certificate& certificate,
                                                         const Domain& domain);

/// What measured_pairs_json makes of the measurements that a certificate states, which must be the
/// whole member. Throws InvalidInput, one sentence naming `name`, for measurements that the
/// certificate's release cannot have made or paid. Which pairs were chosen cannot be checked.
[[nodiscard]] nlohmann::json implied_measured_pairs(const nlohmann::json& stated,
                                                    const Certificate& certificate,
                                                    const Domain& domain, const std::string& name);

// For who asks which method to take: advice.cpp.
[[nodiscard]] const MethodAdvice& marginals_advice();

}  // namespace mollify
