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
#include "release/plan.h"
#include "release/release.h"
#include "release/release_error.h"
#include "release/released_model.h"
#include "release/spec.h"

namespace mollify {

class Domain;

/// The columns that questions need together, ascending, none twice, and the weights of their
/// tables; no weights if all are 1.
struct AskedTables {
  std::vector<std::vector<std::size_t>> columns{};
  std::vector<double> weights{};

  friend bool operator==(const AskedTables&, const AskedTables&) = default;
};

/// What only method marginals has.
struct MarginalsSpec {
  Neighbours neighbours = Neighbours::kReplace;
  std::optional<PublicFile> reference{};  ///< public records that the model begins at
  /// Columns are joined by their rank correlations alone, instead of by measured pairs.
  bool copula = false;
  std::vector<std::string> questions{};  ///< whose pairs of columns are measured first

  friend bool operator==(const MarginalsSpec&, const MarginalsSpec&) = default;
};

/// The question of its plan.
struct MarginalsQuestion {
  Neighbours neighbours = Neighbours::kReplace;
  bool copula = false;
  UnitColumns unit{};                     ///< columns of units: then these are counted, not rows
  std::optional<WeightColumn> weights{};  ///< its column may have no name
  std::vector<MarginalColumn> columns{};  ///< of the domain, where one is given
  std::vector<std::string> questions{};
  AskedTables tables{};  ///< of the questions

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

/// {"least": .05, "most": .1}: how far two columns are off, on average over pairs.
[[nodiscard]] nlohmann::ordered_json two_way_json(const MarginalError& error);

/// Their meaning, and their limits.
[[nodiscard]] std::string marginals_error_words(const MarginalError& error);

// -----------------------------------------------------------------------------------------------
// What a release by marginals measured.

/// All noisy answers of a release, about the domain's cells: `found` of its private bins, and those
/// about `bins` of each column's cells that were asked for after them. Without the rows' error.
[[nodiscard]] Measurements published_measurements(const Certificate& certificate,
                                                  std::vector<MeasuredTable> found,
                                                  const RecordedAnswers& asked,
                                                  const std::vector<CellGroups>& bins);

/// The table's weight in steps: n W if n is public, else the mean of the sums of all measured
/// tables, each weighted by the inverse variance of its sum. At least 1.
[[nodiscard]] std::uint64_t table_weight(const MarginalDesign& design,
                                         const std::vector<MeasuredTable>& tables);

/// The columns that something is asked about.
[[nodiscard]] std::vector<std::size_t> asked_columns(const MarginalDesign& design);

/// Whether a release of this certificate can have made these measurements of its domain: first of
/// private bins and of each column, as designed; then of pairs, as can_be_measured says, or of a
/// copula's products; and the error of the rows. Their noise is what their parts of the budget give,
/// and all parts are no more than there are. The choice of pairs, and the counts, cannot be checked.
[[nodiscard]] bool can_have_measured(const Certificate& certificate, const Measurements& made);

// Plans: plan.cpp.

/// Of two columns together; `records` of greatest weight, where they have weights.
///
/// At best it is the noise of single columns, compared with how far the uniform distribution is
/// from a column whose k shares have the flat Dirichlet distribution: (1 - 1/k)^k on average.
[[nodiscard]] ReleaseError table_error(const MarginalDesign& design, std::uint64_t records);

/// Each question with the greatest standard error of its answers, if all values were equally
/// frequent. Throws InvalidInput for a question that no release of the design answers.
[[nodiscard]] nlohmann::ordered_json question_errors(const MarginalDesign& design,
                                                     const Domain& domain,
                                                     const std::vector<std::string>& questions,
                                                     std::uint64_t records);

/// `domain`: where one is given, for the errors of answers.
[[nodiscard]] std::unique_ptr<const PlanModel> marginals_plan(std::optional<Domain> domain);

// For who asks which method to take: advice.cpp.
[[nodiscard]] const MethodAdvice& marginals_advice();

}  // namespace mollify
