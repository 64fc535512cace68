// A small public file, whole.
#pragma once

#include <string>

namespace mollify {

/// The file's bytes. Throws InvalidInput, naming the file, if it cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

}  // namespace mollify
