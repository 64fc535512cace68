// The progress of a command's reading, and the files that it leaves.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// A signal that ends the program.

/// From now on a signal that ends the program first writes these words to standard error, at most
/// 1000 bytes of them; empty ones take that back. A signal that is ignored stays so.
void say_when_ended(std::string_view words);

// -----------------------------------------------------------------------------------------------
// How far a file has been read, on the terminal.

/// From now on shows how far each file that takes long has been read, unless standard error is no
/// terminal: of a private one too, because its user can see how large it is.
void show_reading();

// -----------------------------------------------------------------------------------------------
// The files a command leaves.

struct OutputFile {
  std::string path;
  std::string text;
};

/// Refuses (InvalidInput) a path at which no file can be made, and leaves nothing there.
void require_writable(const std::string& path);

/// Adds --overwrite to a command that has --out.
void add_overwrite(CLI::App& command, bool& overwrite,
                   const std::string& group = CLI::OptionDefaults().get_group());

/// Adds --out and --overwrite to a command.
void add_out(CLI::App& command, std::optional<std::string>& out, bool& overwrite,
             const std::string& help, const std::string& group = CLI::OptionDefaults().get_group());

/// Refuses (InvalidInput) an output at which no file can be made, and, unless it may be replaced,
/// one that is a file already. Before anything long is computed, or charged.
void require_new(const std::string& flag, const std::optional<std::string>& output, bool overwrite);

/// Refuses (InvalidInput) an output that would overwrite the file of another option.
void refuse_overwriting(const std::string& flag, const std::optional<std::string>& output,
                        const std::string& other, const std::optional<std::string>& input);

/// Makes all of the files appear, or none: an interrupting signal waits until they are complete,
/// and if one cannot be written those made before it are taken away. Throws InvalidInput or
/// std::system_error.
void write_files(const std::vector<OutputFile>& files);

}  // namespace mollify::cli
