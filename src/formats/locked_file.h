// A file that one operation at a time uses, whatever happens to its program.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace mollify {

/// A ledger's file, open and locked as long as this lives. The lock is on the file itself and
/// belongs to this opening of it (flock). So it holds by whatever name others come, against other
/// threads too, and stays when other code of the process opens and closes the file. A child that is
/// forked in between has neither file nor lock.
class LockedFile {
 public:
  /// Opens the file that a path leads to, by whatever link; makes a missing one if asked to. Waits
  /// for others, a minute at most, and until the watch of this thread wants to stop. Messages call
  /// the file `name`. InvalidInput if it cannot be opened or locked; std::runtime_error if others
  /// hold the lock too long.
  LockedFile(const std::string& path, std::string name, bool make);
  ~LockedFile();
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;

  /// Why it cannot be written; 0 if it can.
  [[nodiscard]] int not_writable() const { return not_writable_; }

  /// Which file is locked, wherever it is by now.
  [[nodiscard]] std::pair<std::uint64_t, std::uint64_t> device_and_inode() const {
    return device_and_inode_;
  }
  /// Whether the path leads to it.
  [[nodiscard]] bool is_at(const std::string& path) const;
  /// Its size in bytes; empty if it is a pipe or a device.
  [[nodiscard]] std::optional<std::size_t> size() const;

  /// The first bytes, `most` of them or all that there are.
  [[nodiscard]] std::string read(std::size_t most) const;

  /// Puts bytes on the disk, after the first `end` of the file and in place of what comes then.
  /// std::runtime_error if the disk does not take them; then the file ends there, if it can.
  void append(std::size_t end, std::string_view bytes) const;

 private:
  [[noreturn]] void fail(int error) const;
  [[noreturn]] void refuse(const char* what, bool make, int error) const;
  [[nodiscard]] struct stat status() const;
  void open(const std::string& path, bool make);
  [[nodiscard]] bool try_lock(const std::string& path, bool make);
  void close() const;
  void write(std::size_t begin, std::string_view bytes) const;
  void synchronise() const;

  std::string name_;
  int descriptor_ = -1;
  int not_writable_ = 0;
  std::pair<std::uint64_t, std::uint64_t> device_and_inode_;
};

}  // namespace mollify
