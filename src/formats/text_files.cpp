#include "formats/text_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/names.h"
#include "core/invalid_input.h"
#include "core/lanes.h"
#include "formats/csv.h"
#include "formats/csv_lanes.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A small public file, whole.

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

// -----------------------------------------------------------------------------------------------
// Writes a file whole or not at all.

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 16U;

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string own_link(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

[[noreturn]] void refuse(const std::string& path) {
  throw InvalidInput(
      fmt::format("{} cannot be written: {}", path, std::generic_category().message(errno)));
}

}  // namespace

AtomicFile::AtomicFile(std::string path, Readers readers) : path_(std::move(path)) {
  if (path_.empty()) throw InvalidInput("a file to write must have a name, but its name is empty");
  require_without_nul("a path", path_);
  std::error_code ignored;
  // A link stays a link: what it points to is replaced.
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
  const unsigned mode = readers == Readers::kOwner ? 0600U : 0666U;
  open_nameless(mode);
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    name_beside(attempt);
    descriptor_ = ::open(beside_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor_ < 0 && errno != EEXIST) refuse(path_);
  }
  // Before a byte is in it. Some file systems have no modes, and then there are none to keep.
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
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
}

// -----------------------------------------------------------------------------------------------
// Streams a file line by line in bounded memory.

namespace {

constexpr std::size_t kFirstBufferBytes = std::size_t{1} << 18U;
constexpr std::size_t kBytesOfLines = std::size_t{1} << 17U;  // given at once
static_assert(kBytesOfLines < LineReader::kMaxLineBytes);

ReadingWatch& watching() {
  static ReadingWatch watch;
  return watch;
}

/// Tells how far the file is read, or that it is done with. Asked of the operating system, so that
/// readers that nobody watches hold nothing for it.
void tell_watch(int descriptor, const std::string& path, bool is_done) {
  if (!watching()) return;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto read = static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_CUR));
  watching()(path, is_done ? bytes : std::min(read, bytes), bytes);
}

}  // namespace

void watch_reading(ReadingWatch watch) { watching() = std::move(watch); }

LineReader::LineReader(std::string path, std::optional<std::string_view> bytes)
    : path_(std::move(path)) {
  if (bytes) {
    buffer_.assign(bytes->begin(), bytes->end());
    end_ = bytes->size();
    if (end_ == 0) buffer_.resize(1);
    return;
  }
  require_without_nul("a path", path_);
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    throw InvalidInput(
        fmt::format("{} cannot be opened: {}", path_, std::generic_category().message(errno)));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    throw InvalidInput(fmt::format("{} must be a file, but is a directory", path_));
  }
  buffer_.resize(kFirstBufferBytes);
}

LineReader::~LineReader() {
  if (descriptor_ < 0) return;
  tell_watch(descriptor_, path_, true);
  ::close(descriptor_);
}

// Reads more bytes behind those in the buffer, making room first; false at the end of the file.
bool LineReader::fill() {
  if (descriptor_ < 0) return false;
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw std::system_error(errno, std::generic_category(), path_);
  end_ += static_cast<std::size_t>(count);
  tell_watch(descriptor_, path_, count == 0);
  return count > 0;
}

std::string LineReader::bytes() {
  while (fill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

bool LineReader::skip_rest_of_line() {
  while (true) {
    const void* feed = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (feed != nullptr) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(feed) - buffer_.data()) + 1;
      return true;
    }
    begin_ = end_;
    if (!fill()) return false;
  }
}

void LineReader::start() {
  if (has_started_) return;
  has_started_ = true;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  while (end_ < kByteOrderMark.size() && fill()) {
  }
  if (std::string_view(buffer_.data(), end_).substr(0, 3) == kByteOrderMark) begin_ = 3;
}

std::string_view LineReader::next_lines(std::size_t most) {
  start();
  if (end_ - begin_ < kBytesOfLines) fill();
  std::size_t lines = most;
  const char* const start = buffer_.data() + begin_;
  const std::size_t length = detail::fastest<detail::CsvLanes>().end_of_lines(
      start, std::min(end_ - begin_, kBytesOfLines), &lines);
  if (lines > 0) {
    begin_ += length;
    number_ += lines;
    terminated_ = true;
    overlong_ = false;
    return {start, length};
  }
  if (!next()) return {};
  if (!overlong_) {
    const char* const end = buffer_.data() + begin_;
    return {line_.data(), static_cast<std::size_t>(end - line_.data())};
  }
  if (terminated_) beginning_ += "\r\n";  // whatever its last letter is, it stays
  return beginning_;
}

bool LineReader::next() {
  start();
  std::size_t searched = 0;
  while (true) {
    const char* const start = buffer_.data() + begin_;
    const std::size_t available = end_ - begin_;
    const void* feed = std::memchr(start + searched, '\n', available - searched);
    const std::size_t length =
        feed == nullptr ? available
                        : static_cast<std::size_t>(static_cast<const char*>(feed) - start);
    // A carriage return may follow kMaxLineBytes bytes of content, so one byte more is awaited.
    if (feed == nullptr && length <= kMaxLineBytes + 1) {
      searched = available;
      if (fill()) continue;
      if (available == 0) return false;
    }
    line_ = {buffer_.data() + begin_, length};
    if (feed != nullptr && line_.ends_with('\r')) line_.remove_suffix(1);
    terminated_ = feed != nullptr;
    overlong_ = line_.size() > kMaxLineBytes;
    begin_ += std::min(length + 1, available);
    ++number_;
    if (!overlong_) return true;
    beginning_ = line_.substr(0, kMaxLineBytes);
    line_ = beginning_;
    // Beyond the buffer's content nothing is known yet: an overlong line may go on.
    if (!terminated_) terminated_ = skip_rest_of_line();
    return true;
  }
}

bool is_stream(const std::string& path) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

void require_rereadable(const std::string& path) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown) && std::filesystem::exists(path, unknown)) {
    throw InvalidInput(
        fmt::format("{} is read more than once, so it must be a regular file, but is not", path));
  }
}

}  // namespace mollify
