// The command's own texts: help, manual pages and completion.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

#include "cli/main.h"

namespace mollify::cli {

/// Writes the help of the command, and of each of its commands: at most 40 lines of 80 columns,
/// with the first line of each flag's help. The session must outlive it.
[[nodiscard]] std::shared_ptr<CLI::FormatterBase> help_formatter(const Session& session);

/// A script that completes commands and flags in bash, zsh or fish: to be sourced. Throws
/// InvalidInput for another shell.
[[nodiscard]] std::string completion_script(const CLI::App& app, const std::string& shell);

/// A manual page (roff) of a command, or, for "mollify", of all of them: the whole help of every
/// flag. Throws InvalidInput if there is no such command.
[[nodiscard]] std::string manual_page(const CLI::App& app, const std::string& command);

}  // namespace mollify::cli
