// What shells and manuals want to know of the command, made from its help.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace mollify::cli {

/// A script that completes commands and flags in bash, zsh or fish: to be sourced. Throws
/// InvalidInput for another shell.
[[nodiscard]] std::string completion_script(const CLI::App& app, const std::string& shell);

/// A manual page (roff) of a command, or, for "mollify", of all of them. Throws InvalidInput if
/// there is no such command.
[[nodiscard]] std::string manual_page(const CLI::App& app, const std::string& command);

}  // namespace mollify::cli
