// Files that live as long as a test.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>

#include "core/invalid_input.h"

namespace mollify::test {

/// A new empty folder, removed at the end.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mollify-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  [[nodiscard]] std::string path(const std::string& name) const { return (path_ / name).string(); }

  std::string write(const std::string& name, std::string_view content) const {
    std::ofstream file(path(name), std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
    return path(name);
  }

  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  /// The sentence with names of files in the folder alone.
  [[nodiscard]] std::string without_folder(std::string sentence) const {
    const std::string folder = path("");
    for (auto at = sentence.find(folder); at != std::string::npos; at = sentence.find(folder)) {
      sentence.erase(at, folder.size());
    }
    return sentence;
  }

  [[nodiscard]] std::size_t file_count() const {
    using Files = std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(Files(path_), Files()));
  }

 private:
  std::filesystem::path path_;
};

/// What an action refuses with, without the folder of the test's files; empty if it does not.
inline std::string refusal(const Scratch& scratch, const std::function<void()>& action) {
  try {
    action();
  } catch (const InvalidInput& error) {
    return scratch.without_folder(error.what());
  }
  return "";
}

}  // namespace mollify::test
