// Which file a ledger is, so that another file in its place is noticed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "io/file_lock.h"
#include "io/sqlite_database.h"

namespace mollify {

/// A ledger's path, and which file it led to: by device and inode, and by the last entry that was
/// seen in it, because some file systems give a file that takes another's place its inode, too.
class LedgerIdentity {
 public:
  explicit LedgerIdentity(const std::string& path);

  const std::string& path() const { return path_; }  ///< as given, for messages
  const std::string& file() const { return file_; }  ///< absolute

  /// InvalidInput unless the path leads to the file that is locked and that the database has open,
  /// which must be that of the first call, and have one hard link.
  void require_in_place(const FileLock& lock, const SqliteDatabase& database);

  /// InvalidInput if the last entry that was seen is not there; sees the last one that is.
  void require_last_entry(SqliteDatabase& database);

  /// Commits to the file if it is in place, and sees its last entry.
  void commit(const FileLock& lock, SqliteDatabase& database, SqliteTransaction& transaction);

 private:
  [[noreturn]] void refuse_replaced() const;

  std::string path_;
  std::string file_;  // the program may change its folder
  std::optional<std::pair<std::uint64_t, std::uint64_t>> device_and_inode_;
  std::string last_entry_;  // all that was recorded of it; empty if none was seen
};

}  // namespace mollify
