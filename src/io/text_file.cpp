#include "io/text_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "kernel/core/whole_text.h"

namespace mollify {

std::string read_text_file(const std::string& path) {
  require_without_nul("a path", path);
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    throw InvalidInput(fmt::format("{} must be a readable file, but cannot be read ({})", path,
                                   file ? "it is a folder" : std::strerror(errno)));
  }
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

}  // namespace mollify
