// The files a command leaves.
#pragma once

#include <string>
#include <vector>

namespace mollify::cli {

struct OutputFile {
  std::string path;
  std::string text;
};

/// Whether a device or a pipe has this name: it is written to directly, and nothing beside it.
bool is_stream(const std::string& path);

/// Refuses (InvalidInput) a path at which no file can be made, and leaves nothing there.
void require_writable(const std::string& path);

/// Makes all of the files appear, or none: an interrupting signal waits until they are complete,
/// and if one cannot be written those made before it are taken away. Throws InvalidInput or
/// std::system_error.
void write_files(const std::vector<OutputFile>& files);

}  // namespace mollify::cli
