// The right to use a ledger's file, which one operation at a time has.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <string>

namespace mollify {

/// How long anybody waits for a ledger that is locked.
constexpr std::chrono::minutes kLongestWait{1};

[[noreturn]] void refuse_locked(const std::string& name);

/// An exclusive lock on a file, as long as it lives. It belongs to its own opening of the file
/// (flock). So it holds against other threads too, and stays when other code of the process opens
/// and closes the file, by which a process loses the POSIX locks that SQLite takes.
class FileLock {
 public:
  /// Locks the file that a path leads to, by whatever link; makes it if asked to and there is none.
  /// Messages call it `name`. InvalidInput if it cannot be opened or locked; std::runtime_error if
  /// others hold the lock too long.
  FileLock(const std::string& path, const std::string& name, bool make);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// The status of the file that is locked, wherever it is by now.
  [[nodiscard]] struct stat status() const;

 private:
  int descriptor_;
};

}  // namespace mollify
