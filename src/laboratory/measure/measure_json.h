// Measures written as JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "laboratory/measure/gaussian_mixture.h"
#include "laboratory/measure/measure.h"

namespace mollify {

/// Reads a measure, public or the P of an analysis, from JSON text; `name` is the file's, for
/// messages. Lengths are those of the space, variances squares of them.
///
///   {"type": "gaussian_mixture", "means": [[..], ..], "weights": [..], "variance": v, "box": B}
///   {"type": "gaussian", "mean": [..], "variance": v, "box": B}
///   {"type": "gaussian_mixture_envelope", "radius": r, "variance": v, "dimension": d, "box": B}
///   {"type": "uniform", "box": B}
///   {"type": "histogram", "edges": [[..], ..], "masses": [..]}
///   {"type": "product", "factors": [measure, ..]}
///
/// v is one number for all components and axes, or a list with an entry for each component: a
/// number, or a list with one for each axis (for a gaussian: a list with one for each axis). B is
/// [[low, high], ..], one pair for each axis: what is described is restricted to the box and
/// renormalised on it. Without "box" the space is R^d. "edges" are ascending, one list for each
/// axis; "masses" has one number for each bin, the last axis fastest. Throws InvalidInput, in one
/// sentence, for anything else, unknown keys included.
[[nodiscard]] std::shared_ptr<const Measure> measure_from_json(std::string_view text,
                                                               const std::string& name);

/// The text from which the same mixture is read, a line for each component.
[[nodiscard]] std::string measure_json(const GaussianMixtureSpec& mixture);

}  // namespace mollify
