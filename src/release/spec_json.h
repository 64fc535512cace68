// A spec as JSON and as the command's flags.
#pragma once

#include <span>
#include <string>

#include "release/parts.h"

namespace mollify {

/// All parts of a spec, with the flags of `mollify sample`; the only list of what may be given, and
/// for which releases.
[[nodiscard]] std::span<const Part> spec_parts() noexcept;

/// The spec of a JSON object in which every part has its place. Sentences name parts by their
/// place in the file `name`, or by their flags if `name` is empty.
[[nodiscard]] ReleaseSpec spec_of(const Json& json, const std::string& name);

/// The reverse.
[[nodiscard]] Json spec_json(const ReleaseSpec& spec);

/// Throws InvalidInput for a spec whose parts contradict each other.
void validate_spec(const ReleaseSpec& spec);

/// "auto, subsampled-rr, ..." and "minimax, relative, ...": the mechanisms that can be named.
/// Throws InvalidInput: the name is none of a mechanism that the model has.
[[noreturn]] void refuse_mechanism(const std::string& name, Model model);
[[nodiscard]] std::string central_mechanisms_text();
[[nodiscard]] std::string local_mechanisms_text();

}  // namespace mollify
