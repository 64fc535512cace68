#include "io/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"

namespace mollify {

void refuse_locked(const std::string& name) {
  throw std::runtime_error(
      fmt::format("the ledger {} is locked by another program for a minute now", name));
}

FileLock::FileLock(const std::string& path, const std::string& name, bool make) {
  using Clock = std::chrono::steady_clock;
  constexpr mode_t kMode = 0644;  // less what the process's mask takes away, as SQLite's
  // Nobody waits for the other end of a pipe.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (make ? O_CREAT : 0);
  const auto refuse = [&](const char* what) {
    throw InvalidInput(fmt::format("the ledger {} cannot be {}: {}", name, what,
                                   std::generic_category().message(errno)));
  };
  descriptor_ = ::open(path.c_str(), flags, kMode);
  if (descriptor_ < 0) refuse("opened");
  try {
    const auto end = Clock::now() + kLongestWait;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) refuse("locked");
      if (Clock::now() > end) refuse_locked(name);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

FileLock::~FileLock() { ::close(descriptor_); }

struct stat FileLock::status() const {
  struct stat status {};
  ::fstat(descriptor_, &status);
  return status;
}

}  // namespace mollify
