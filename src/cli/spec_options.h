// The flags that say what to release, or what to plan.
#pragma once

#include <CLI/CLI.hpp>

#include "command.h"
#include "release/spec_json.h"

namespace mollify::cli {

/// Adds the flag of each part that has one.
void add_part_flags(CLI::App& command, std::span<const Part> parts);

/// Gives an option the help, the name of its value and the group that its flag has in all commands.
CLI::Option* describe(CLI::Option* option);

/// The parts given as flags, as a JSON form; nothing is checked but numbers.
Json given_parts(const CLI::App& command, std::span<const Part> parts);

/// The first of these flags that is given; empty if none is.
std::string first_given_part(const CLI::App& command, std::span<const Part> parts);

}  // namespace mollify::cli
