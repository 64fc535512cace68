// The flags that say what to release.
#pragma once

#include <CLI/CLI.hpp>

#include "command.h"
#include "release/spec.h"

namespace mollify::cli {

/// Adds a flag for each part of a spec; --model, and those of model
/// central, only if asked for.
void add_spec_flags(CLI::App& command, bool with_models);

/// The parts given as flags, as the JSON form of a spec; nothing is checked but numbers.
Json given_parts(const CLI::App& command);

/// The first of these flags that is given; empty if none is.
std::string first_given_part(const CLI::App& command);

}  // namespace mollify::cli
