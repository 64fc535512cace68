// How close a release, to come or made already, is to the private data. NOT PRIVATE.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "analysis/compare_answers.h"
#include "base/answer.h"
#include "records/source.h"
#include "release/public_inputs.h"
#include "release/release.h"
#include "release/spec.h"

namespace mollify {

/// The law that a release to come draws from, next to the truth and to its reference. A question is
/// a spec as JSON, whose count is 1 if none is given and whose mechanism may be "all"; with several
/// mechanisms, or several questions that differ in their budget, a table of distances. Nothing is
/// released or charged. Requires a question. Throws InvalidInput like a release, except for what
/// that would ask to be accepted.
[[nodiscard]] Answer compare(std::span<const Json> questions, const PublicInputs& inputs,
                             const Source& data);

/// Rows that are released already, by any method, next to their table: columns, pairs of columns
/// and means of both, and the distance by chance alone between a table and this many rows drawn
/// from it; if all columns are numbers without declared bins, their deviations, quantiles and
/// correlations too. Numbers without declared bins are cut where the data lie. The question has
/// the parts of a spec that `is_of_released` names, and `asked` what the holder asks of both tables.
/// Throws InvalidInput for a wrong public input.
[[nodiscard]] Answer compare_released(const Json& question, const PublicInputs& inputs,
                                      const Source& data, const Source& released,
                                      const std::string& released_name,
                                      const HolderQuestions& asked = {});

/// Whether rows that are released already have the part.
[[nodiscard]] bool is_of_released(const Part& part);

// -----------------------------------------------------------------------------------------------
// The law of a central release next to the truth.

/// The law is exact where each record is a randomized response of one of the table's, else
/// simulated by a stated number of releases. Throws InvalidInput like a release, except for what
/// that would ask to be accepted.
[[nodiscard]] Answer compare_central(const ReleaseSpec& spec, const PublicInputs& inputs,
                                     const Source& data);

/// A total variation, and the release to come that has it.
struct ReleaseDistance {
  double value = 0;
  std::shared_ptr<const PreparedRelease> release{};
};

/// How far the law of a finite release's record is from the table's, in total variation; of a
/// Gaussian one as promised, from the Gaussian that the data are taken for.
[[nodiscard]] ReleaseDistance central_distance(const ReleaseSpec& spec, const PublicInputs& inputs,
                                               const Source& data);

// -----------------------------------------------------------------------------------------------
// The rows of simulated releases, next to the truth. NOT PRIVATE.

/// Of methods marginals and integral-model, and of any other that has no comparison of its own:
/// columns and pairs of columns next to the table's and to independent columns. Draws releases,
/// which are neither kept nor charged: of a method whose rows share one model one release, with a
/// row for each row or unit, or with the spec's count if that is more; of another as many as fit
/// into two seconds. Throws InvalidInput like a release.
[[nodiscard]] Answer compare_rows(const ReleaseSpec& spec, const PublicInputs& inputs,
                                  const Source& data);

/// The mean total variation of two columns together between such rows and the table.
[[nodiscard]] ReleaseDistance rows_distance(const ReleaseSpec& spec, const PublicInputs& inputs,
                                            const Source& data);

/// For the data holder, the only person who may learn what private data lack: throws InvalidInput.
[[noreturn]] void refuse_nothing_to_compare(const Source& data);

}  // namespace mollify
