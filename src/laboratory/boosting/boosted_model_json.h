// Boosted densities in files.
#pragma once

#include <string>
#include <string_view>

#include "boosting/boosted_density.h"

namespace mollify {

/// The text of a model, JSON, format "mollify boosted density", version 1; docs/guide/boosting.md
/// describes it. A model is learned from private data and is private data, and the text says so.
/// Numbers are written so that they are read back as the same numbers; NaN and infinities as texts.
/// Throws InvalidInput for a classifier of another kind than networks, trees and logistic models.
[[nodiscard]] std::string boosted_model_json(const BoostedDensity& density);

/// The reverse; `name` is the file's, for messages. Throws InvalidInput, in one sentence, for
/// anything that is not such a model, unknown versions included.
[[nodiscard]] BoostedDensity boosted_model_from_json(std::string_view text,
                                                     const std::string& name);

}  // namespace mollify
