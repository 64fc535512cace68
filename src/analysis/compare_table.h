// What compare computes of releases of a table by a central method, of models, and of rows that are
// released already.
#pragma once

#include "analysis/compare.h"
#include "release/spec.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// The law of a central release beside the truth. NOT PRIVATE.

/// The law is exact where each record is a randomized response of one of the table's, else
/// simulated by releases whose number is told. Throws InvalidInput like a release, but for what
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
