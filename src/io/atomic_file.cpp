#include "mollify/io/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "mollify/kernel/invalid_input.h"

namespace mollify {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

[[noreturn]] void refuse(const std::string& path) {
  throw InvalidInput(
      fmt::format("{} cannot be written: {}", path, std::generic_category().message(errno)));
}

}  // namespace

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  // A link stays a link: what it points to is replaced.
  const auto target = std::filesystem::canonical(path_, ignored);
  if (!ignored) path_ = target.string();
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) refuse(path_);
    return;
  }
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    beside_ = fmt::format("{}.{}-{}.partial", path_, ::getpid(), attempt);
    descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) refuse(path_);
  }
}

AtomicFile::~AtomicFile() { discard(); }

void AtomicFile::discard() noexcept {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
    if (!beside_.empty()) ::unlink(beside_.c_str());
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

void AtomicFile::commit() {
  flush();
  if (beside_.empty()) {
    ::close(std::exchange(descriptor_, -1));
    return;
  }
  if (::fsync(descriptor_) != 0 || std::rename(beside_.c_str(), path_.c_str()) != 0) fail();
  ::close(std::exchange(descriptor_, -1));
  // The new name is durable once its folder is; that it is not yet is no reason to fail.
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int folder_descriptor =
      ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_descriptor >= 0) {
    ::fsync(folder_descriptor);
    ::close(folder_descriptor);
  }
}

}  // namespace mollify
