// How close a release, to come or made already, is to the private data. NOT PRIVATE.
#pragma once

#include <span>
#include <string>

#include "base/answer.h"
#include "records/source.h"
#include "release/public_inputs.h"
#include "release/spec.h"

namespace mollify {

/// The law that a release to come draws from, beside the truth and beside its reference. A question
/// is a spec as JSON, whose count is 1 if none is given and whose mechanism may be "all"; with
/// several mechanisms, or several questions that differ in their budget, a table of distances.
/// Nothing is released or charged. Requires a question. Throws InvalidInput like a release, except
/// for what that would ask to be accepted.
[[nodiscard]] Answer compare(std::span<const Json> questions, const PublicInputs& inputs,
                             const Source& data);

/// Rows that are released already, by whatever method, beside the table that they are of: columns,
/// pairs of columns and means of both, and what chance alone leaves between a table and so many
/// rows drawn from it; where all columns are numbers of which no bins are declared, their
/// deviations, quantiles and correlations too. Numbers without declared bins are cut where the data
/// lie. The question has the parts of a spec that `is_of_released` names. Throws InvalidInput for
/// what is wrong in public.
[[nodiscard]] Answer compare_released(const Json& question, const PublicInputs& inputs,
                                      const Source& data, const Source& released,
                                      const std::string& released_name);

/// Whether rows that are released already have the part.
[[nodiscard]] bool is_of_released(const Part& part);

// -----------------------------------------------------------------------------------------------
// The law of a central release beside the truth.

/// The law is exact where each record is a randomized response of one of the table's, else
/// simulated by releases whose number is told. Throws InvalidInput like a release, except for what
/// that would ask to be accepted.
[[nodiscard]] Answer compare_central(const ReleaseSpec& spec, const PublicInputs& inputs,
                                     const Source& data);

/// How far the law of a finite release's record is from the table's, in total variation; of a
/// Gaussian one as promised, from the Gaussian that the data are taken for.
[[nodiscard]] double central_distance(const ReleaseSpec& spec, const PublicInputs& inputs,
                                      const Source& data);

// -----------------------------------------------------------------------------------------------
// A simulated release of one model, all of whose rows are drawn from it, beside the truth. NOT
// PRIVATE.

/// Of method marginals and of method integral-model. Draws one release, which is neither kept nor
/// charged, of as many rows as there are rows or units, or of the spec's count where that is more:
/// columns and pairs of columns beside the table's, and beside independent columns. Throws
/// InvalidInput like a release.
[[nodiscard]] Answer compare_models(const ReleaseSpec& spec, const PublicInputs& inputs,
                                    const Source& data);

/// The mean total variation of two columns together between such a release and the table.
[[nodiscard]] double models_distance(const ReleaseSpec& spec, const PublicInputs& inputs,
                                     const Source& data);

/// For the data holder, who alone may be told what private data lack: throws InvalidInput.
[[noreturn]] void refuse_nothing_to_compare(const Source& data);

}  // namespace mollify
