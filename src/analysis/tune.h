// The best place for a local release's band, from PUBLIC example units.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "base/answer.h"
#include "formats/public_files.h"
#include "methods/local/sampler.h"
#include "release/spec.h"

namespace mollify {

struct TuneQuestion {
  /// The release: its domain, unit, budget, count (none: 1), c1, c2, reference and space.
  ReleaseSpec spec{};
  std::string public_units{};               ///< a CSV file, or the name of a text
  std::optional<std::string> data{};        ///< the private file, which the units must not be from
  std::optional<std::string> divergence{};  ///< divergence to compare bands by; none: "kl"
  bool best = false;                        ///< finds the best band there is for these units
  std::optional<std::string> out{};         ///< the file that the best band goes to
};

/// The parts of such a question, without those of the spec, which is handed over beside it; and the
/// question that a JSON object of these parts asks. Its refusals are worded as PartReader's.
[[nodiscard]] std::span<const Part> tune_parts();
[[nodiscard]] TuneQuestion tune_question_of(const Json& json, const std::string& name,
                                            ReleaseSpec spec);

/// An answer, and with `best` the text of a band's file (release/public_inputs.h).
struct Tuning {
  Answer answer;
  std::string band{};
};

/// For each band: how far the units' estimates are from the laws that they would be released from,
/// on average and at worst. With `best` the best band, and the limit that no sampler of any kind
/// beats on these units. Throws InvalidInput for a wrong input, and for units that are the private
/// data.
[[nodiscard]] Tuning tune(const TuneQuestion& question, const PublicFiles& files);

}  // namespace mollify
