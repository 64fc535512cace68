#include "formats/text_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/names.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Why a file is not there.

namespace {

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

}  // namespace

std::string why_not_opened(const std::string& path, int error) {
  std::error_code failed;
  const auto folder = std::filesystem::canonical(folder_of(path), failed);
  if (error != ENOENT) return std::generic_category().message(error);
  if (failed) return fmt::format("there is no folder {}", folder_of(path));
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    names.push_back(at->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return fmt::format("there is no such file in {}{}", (folder / "").string(),
                     did_you_mean(std::filesystem::path(path).filename().string(), names));
}

std::string why_not_written(const std::string& path, int error) {
  std::error_code failed;
  const std::string folder = folder_of(path);
  if (error != ENOENT || std::filesystem::exists(folder, failed)) {
    return std::generic_category().message(error);
  }
  const std::string by_shell = fmt::format(" (mkdir -p {})", shell_word(folder));
  return fmt::format("make the folder {} first{}", folder, words_of_speech(by_shell, "", ""));
}

bool same_place(const std::string& left, const std::string& right) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
  };
  const fs::path first = place(left);  // empty if there can be no such place
  return (!first.empty() && first == place(right)) || fs::equivalent(left, right, ignored);
}

// -----------------------------------------------------------------------------------------------
// A small public file, whole.

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

}  // namespace

std::string read_text_file(const std::string& path, std::size_t most) {
  require_without_nul("a path", path);
  std::ifstream file(path, std::ios::binary);
  if (!file || std::filesystem::is_directory(path)) {
    refuse_input("unreadable-file", Concern::in_file(path), "{} cannot be read: {}", path,
                 file ? "it is a folder" : why_not_opened(path, errno));
  }
  std::string text;
  for (char part[kBufferBytes]; file;) {
    file.read(part, sizeof part);
    text.append(part, static_cast<std::size_t>(file.gcount()));
    refuse_if(text.size() > most, "file-too-large", Concern::in_file(path),
              "{} must have at most {} bytes, but is larger", path, most);
  }
  return text;
}

// -----------------------------------------------------------------------------------------------
// Writes a file whole or not at all.

namespace {

std::string own_link(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

[[noreturn]] void refuse(const std::string& path) {
  refuse_input("unwritable-file", Concern::in_file(path), "{} cannot be written: {}", path,
               why_not_written(path, errno));
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  refuse_if(path_.empty(), "unwritable-file", {},
            "a file to write must have a name, but its name is empty");
  require_without_nul("a path", path_);
  std::error_code ignored;
  // A link stays a link: its target is replaced.
  const auto target = std::filesystem::canonical(path_, ignored);
  if (!ignored) path_ = target.string();
  struct stat status {};
  const bool exists = ::stat(path_.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) refuse(path_);  // too long a name, say, which only the end needs
  if (exists && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse(path_);
    return;
  }
  constexpr unsigned kMode = 0666;
  open_nameless(kMode);
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    name_beside(attempt);
    descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (descriptor_ < 0 && errno != EEXIST) refuse(path_);
  }
  // Before a byte is in it. Some file systems have no modes to keep.
  if (exists) static_cast<void>(::fchmod(descriptor_, status.st_mode & 07777U));
}

void AtomicFile::name_beside(int attempt) {
  // Not the file's own name and more, which might be too long.
  beside_ = fmt::format("{}/.mollify-{}-{}.partial", folder_of(path_), ::getpid(), attempt);
}

// A file without a name vanishes with the program, however that ends. Not every file system has
// them, and giving it a name takes /proc.
void AtomicFile::open_nameless(unsigned mode) {
  const std::string folder = folder_of(path_);
  const int descriptor = ::open(folder.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (descriptor < 0) return;
  if (::access(own_link(descriptor).c_str(), F_OK) != 0) {
    ::close(descriptor);
    return;
  }
  descriptor_ = descriptor;
  nameless_ = true;
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
    if (!nameless_ && !beside_.empty()) ::unlink(beside_.c_str());
  }
}

void AtomicFile::fail() {
  const int error = errno;
  discard();
  throw std::system_error(error, std::generic_category(), path_ + " cannot be written");
}

void AtomicFile::write(std::string_view data) {
  buffer_ += data;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = ::write(descriptor_, rest.data(), rest.size());
    if (count < 0 && errno != EINTR) fail();
    if (count > 0) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
}

void synchronise_folder(const std::string& path) {
  std::error_code ignored;
  const std::string folder = folder_of(std::filesystem::weakly_canonical(path, ignored).string());
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

void AtomicFile::commit() {
  flush();
  if (!nameless_ && beside_.empty()) {
    ::close(std::exchange(descriptor_, -1));
    return;
  }
  if (::fsync(descriptor_) != 0) fail();
  for (int attempt = 0; nameless_; ++attempt) {
    name_beside(attempt);
    nameless_ = ::linkat(AT_FDCWD, own_link(descriptor_).c_str(), AT_FDCWD, beside_.c_str(),
                         AT_SYMLINK_FOLLOW) != 0;
    if (nameless_ && errno != EEXIST) fail();
  }
  if (std::rename(beside_.c_str(), path_.c_str()) != 0) fail();
  ::close(std::exchange(descriptor_, -1));
  // The new name is durable once its folder is; that it is not yet is no reason to fail.
  synchronise_folder(path_);
}

void commit_all(std::span<AtomicFile* const> files) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    try {
      files[i]->commit();
    } catch (...) {
      std::error_code ignored;
      for (std::size_t j = 0; j < i; ++j) {
        if (!is_stream(files[j]->path())) std::filesystem::remove(files[j]->path(), ignored);
      }
      throw;
    }
  }
}

bool is_stream(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

}  // namespace mollify
