#include "formats/locked_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/json.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "formats/text_files.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Descriptors that a forked child closes.

namespace {

/// The descriptors of locked files that threads of this process have open. A lock lasts until every
/// copy of its descriptor is closed. A forked child has copies, but not the threads that would
/// close them, so it closes them at once. The mutex is held for some instructions, never while
/// anybody waits, so a fork never waits either.
class OpenDescriptors {
 public:
  constexpr OpenDescriptors() { descriptors_.fill(kNone); }

  /// How often the process has forked.
  std::uint64_t forks() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return forks_;
  }
  /// False if there are too many, or if the process has forked since: the child may have a copy
  /// that it would not close.
  bool add(int descriptor, std::uint64_t forks) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto* const free = std::find(descriptors_.begin(), descriptors_.end(), kNone);
    if (forks != forks_ || free == descriptors_.end()) return false;
    *free = descriptor;
    return true;
  }
  void remove(int descriptor) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::replace(descriptors_.begin(), descriptors_.end(), descriptor, kNone);
  }

  void before_fork() {
    mutex_.lock();
    ++forks_;
  }
  void after_fork() { mutex_.unlock(); }
  void in_child() {
    for (int& descriptor : descriptors_) {
      if (descriptor != kNone) ::close(std::exchange(descriptor, kNone));
    }
    mutex_.unlock();
  }

 private:
  static constexpr int kNone = -1;

  std::mutex mutex_;
  std::uint64_t forks_ = 0;
  std::array<int, 64> descriptors_{};
};

// Ready before every other global object and never destroyed. A local static that is made while
// another thread forks would never be ready in the child.
constinit OpenDescriptors open_descriptors;
constinit int no_watch_of_forks = 0;

[[gnu::constructor(101)]] void watch_forks() {
  no_watch_of_forks =
      ::pthread_atfork([] { open_descriptors.before_fork(); },
                       [] { open_descriptors.after_fork(); }, [] { open_descriptors.in_child(); });
}

std::pair<std::uint64_t, std::uint64_t> device_and_inode_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Open and locked.

namespace {

using Clock = std::chrono::steady_clock;

/// How long anybody waits for a ledger that is locked.
constexpr std::chrono::minutes kLongestWait{1};

/// When this process had a lock last. A free lock goes to the first who asks, and who waits asks
/// now and then, or less often on a busy machine. So who had one lets others ask.
std::atomic<Clock::time_point> last_released{Clock::time_point::min()};
constexpr std::chrono::microseconds kBetweenQuestions{250};
constexpr std::chrono::microseconds kTurnOfOthers{500};

}  // namespace

LockedFile::LockedFile(const std::string& path, std::string name, bool make)
    : name_(std::move(name)) {
  if (no_watch_of_forks != 0) fail(no_watch_of_forks);
  if (last_released.load() > Clock::now() - kTurnOfOthers) {
    std::this_thread::sleep_for(kTurnOfOthers);
  }
  const auto end = Clock::now() + kLongestWait;
  // Nothing is open while this waits, because a signal's handler may run then, and may fork.
  while (!try_lock(path, make)) {
    if (Clock::now() > end) {
      throw std::runtime_error(
          fmt::format("the ledger {} is locked by another program for a minute now", name_));
    }
    keep_going();
    std::this_thread::sleep_for(kBetweenQuestions);
  }
}

LockedFile::~LockedFile() {
  close();
  last_released = Clock::now();
}

void LockedFile::open(const std::string& path, bool make) {
  constexpr mode_t kMode = 0644;  // less what the process's mask takes away
  // A pipe is opened without waiting for its other end.
  constexpr int kFlags = O_CLOEXEC | O_NONBLOCK;
  not_writable_ = 0;
  descriptor_ = ::open(path.c_str(), O_RDWR | kFlags);
  if (descriptor_ < 0 && errno == ENOENT && make) {
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | kFlags, kMode);
  } else if (descriptor_ < 0 && (errno == EACCES || errno == EROFS || errno == EPERM)) {
    not_writable_ = errno;
    descriptor_ = ::open(path.c_str(), O_RDONLY | kFlags);
  }
  if (descriptor_ < 0) refuse("opened", make, errno);
  device_and_inode_ = device_and_inode_of(status());
}

/// Whether it is open and locked now. If not, nothing is open.
bool LockedFile::try_lock(const std::string& path, bool make) {
  const std::uint64_t forks = open_descriptors.forks();
  open(path, make);
  if (!open_descriptors.add(descriptor_, forks)) {
    ::close(descriptor_);
    return false;
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return true;
  const int error = errno;
  close();
  if (error != EWOULDBLOCK) refuse("locked", make, error);
  return false;
}

void LockedFile::close() const {
  ::flock(descriptor_, LOCK_UN);  // for copies, too, that another process may have
  open_descriptors.remove(descriptor_);
  ::close(descriptor_);
}

void LockedFile::fail(int error) const {
  throw std::runtime_error(fmt::format("the ledger {} cannot be used: {}", name_,
                                       std::generic_category().message(error)));
}

void LockedFile::refuse(const char* what, bool make, int error) const {
  const bool is_absent = error == ENOENT && !make;
  refuse_input(
      make ? Code("unwritable-file") : Code("unreadable-file"), concern_of("ledger", name_),
      is_absent ? std::vector{WayOut::run("ledger --declare")} : std::vector{WayOut::set("ledger")},
      "the ledger {} cannot be {}: {}{}{}", name_, what,
      make ? why_not_written(name_, error) : why_not_opened(name_, error),
      is_absent ? "; make one with " : "", is_absent ? command_words("ledger --declare") : "");
}

// -----------------------------------------------------------------------------------------------
// Which file it is, and what it holds.

struct stat LockedFile::status() const {
  struct stat status {};
  ::fstat(descriptor_, &status);
  return status;
}

bool LockedFile::is_at(const std::string& path) const {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && device_and_inode_of(found) == device_and_inode_;
}

std::optional<std::size_t> LockedFile::size() const {
  const struct stat found = status();
  if (!S_ISREG(found.st_mode)) return std::nullopt;
  return static_cast<std::size_t>(found.st_size);
}

std::string LockedFile::read(std::size_t most) const {
  std::string bytes(most, '\0');
  std::size_t size = 0;
  while (size < most) {
    const ssize_t count =
        ::pread(descriptor_, bytes.data() + size, most - size, static_cast<off_t>(size));
    if (count < 0 && errno != EINTR) fail(errno);
    if (count == 0) break;
    if (count > 0) size += static_cast<std::size_t>(count);
  }
  bytes.resize(size);
  return bytes;
}

void LockedFile::append(std::size_t end, std::string_view bytes) const {
  // What a torn write left is gone before anything takes its place.
  if (size() > end) {
    if (::ftruncate(descriptor_, static_cast<off_t>(end)) != 0) fail(errno);
    synchronise();
  }
  try {
    write(end, bytes);
    synchronise();
  } catch (const std::runtime_error&) {
    static_cast<void>(::ftruncate(descriptor_, static_cast<off_t>(end)));
    throw;
  }
}

void LockedFile::write(std::size_t begin, std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(begin));
    if (count < 0 && errno != EINTR) fail(errno);
    if (count <= 0) continue;
    bytes.remove_prefix(static_cast<std::size_t>(count));
    begin += static_cast<std::size_t>(count);
  }
}

void LockedFile::synchronise() const {
  while (::fsync(descriptor_) != 0) {
    if (errno != EINTR) fail(errno);
  }
}

}  // namespace mollify
