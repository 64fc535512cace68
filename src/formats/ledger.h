// The ledger's file.
#pragma once

#include <sqlite3.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/ledger.h"
#include "accounting/privacy.h"
#include "base/json.h"

namespace mollify {

/// Digits of the numbers that sentences name: the spent budget is rounded up to them, and the
/// remainder down. JSON has all digits of what was charged.
inline constexpr int kReadableDigits = 6;

/// The cost with numbers that people can read, rounded up.
[[nodiscard]] ExactPrivacy readable(const ExactPrivacy& cost);

// -----------------------------------------------------------------------------------------------
// The right to use a ledger's file, which one operation at a time has.

/// How long anybody waits for a ledger that is locked.
constexpr std::chrono::minutes kLongestWait{1};

[[noreturn]] void refuse_locked(const std::string& name);

/// An exclusive lock on a file, as long as it lives. It belongs to its own opening of the file
/// (flock). So it holds against other threads too, and stays when other code of the process opens
/// and closes the file, by which a process loses the POSIX locks that SQLite takes.
class FileLock {
 public:
  /// Locks the file that a path leads to, by whatever link; makes a missing one if asked to.
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

// -----------------------------------------------------------------------------------------------
// SQLite with errors as exceptions.

/// An open database. A fault of the file itself (it cannot be opened or written, it is not a
/// database, it is damaged) is InvalidInput in one sentence naming it; other failures, such as a
/// full disk or a lock that is not given up within a minute, are std::runtime_error.
class SqliteDatabase {
 public:
  /// Opens the file at an absolute path for reading and writing. Messages call it `name`.
  SqliteDatabase(const std::string& path, const std::string& name);

  void execute(const char* statements);

  [[nodiscard]] bool is_read_only() const;
  /// Whether the path leads to another file by now, or to none.
  [[nodiscard]] bool has_moved() const;
  [[noreturn]] void fail() const;

 private:
  friend class SqliteStatement;
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close(database); }
  };
  std::string name_;
  std::unique_ptr<sqlite3, Close> database_;
};

/// One statement, to be run row by row.
class SqliteStatement {
 public:
  SqliteStatement(SqliteDatabase& database, std::string_view text);

  /// The next of the statement's parameters.
  SqliteStatement& with_text(std::string_view text);
  SqliteStatement& with_text_or_null(const std::optional<std::string>& text);
  SqliteStatement& with_number(std::int64_t number);

  /// Whether there is a row, or one more.
  bool step();

  std::string text(int column) const;  ///< empty for NULL
  [[nodiscard]] std::int64_t number(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  SqliteDatabase& database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

/// A transaction that has the right to write from its beginning, so that what is read in it holds
/// until it ends; undone unless it is committed.
class SqliteTransaction {
 public:
  explicit SqliteTransaction(SqliteDatabase& database);
  ~SqliteTransaction();
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  void commit();

 private:
  SqliteDatabase& database_;
  bool open_ = true;
};

// -----------------------------------------------------------------------------------------------
// Which file a ledger is, so that another file in its place is noticed.

/// A ledger's path, and which file it led to: by device and inode, and by the last entry that was
/// seen in it, because some file systems give a file that takes another's place its inode, too.
class LedgerIdentity {
 public:
  explicit LedgerIdentity(const std::string& path);

  const std::string& path() const { return path_; }  ///< as given, for messages
  const std::string& file() const { return file_; }  ///< absolute

  /// InvalidInput unless the path leads to the file that is locked and that the database has open,
  /// which must be the first call's, and have one hard link.
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

// -----------------------------------------------------------------------------------------------
// The file in which every release is charged before it is made.

/// One line of a ledger: a release that was charged, or a total that was declared.
struct LedgerEntry {
  std::uint64_t number = 0;  ///< 1, 2, 3, ... without gaps
  std::string time;          ///< UTC, as 2026-01-31T23:59:59Z
  std::string data_set;
  ProtectionScope scope;
  ExactPrivacy cost;
  bool is_total = false;
  std::string method, mechanism, certificate_sha256;  // of a release
  std::uint64_t count = 0;                            // of a release
  std::string version;                                // of mollify
};

/// The file at a path, by whatever link, whether or not it is there; none for a pipe or a device,
/// which are not the same data twice.
[[nodiscard]] std::optional<DataFile> data_file_at(const std::string& path);

/// A ledger: a SQLite file to which entries are added and from which none is ever taken.
///
/// `charge` returns only when the entry is on disk (SQLite's rollback journal, synchronised at
/// every commit), so a release that is drawn afterwards has its charge whatever happens to the
/// program; a release that fails afterwards keeps it, which errs on the safe side. The check
/// against the total and the entry are one transaction. Whatever happens to the program, the file
/// stays in order (SQLite's own recovery).
///
/// The file is open only while an operation runs. An operation locks it, whatever other code of the
/// process does to the file, and a process runs one operation at a time. So threads may share an
/// object, a process that is forked may use its parent's, and several processes on one computer may
/// use one file at once. An operation is refused if the path leads to
/// another file than when the object was made, to one that has lost the last entry that the object
/// saw (an old copy put back, perhaps with the same inode), or to a file with several hard links.
class LedgerFile final : public Ledger {
 public:
  enum class Opening {
    kExisting,   ///< refused if it is missing
    kOrMakeNew,  ///< an empty ledger is made if the file is missing or empty
  };

  /// InvalidInput, one sentence naming the file, if it cannot be opened, is not a ledger, is
  /// damaged or is of another version of this format.
  LedgerFile(const std::string& path, Opening opening);

  /// Records a release that is about to be made. InvalidInput, and nothing is recorded, if the data
  /// set has no total and the release does not say that it needs none, or if the total protects
  /// more than the release does, or would be passed.
  ChargeReceipt charge(const ReleaseCharge& release) override;

  /// Declares what a data set's releases may cost, those recorded already included. The total that
  /// it has already changes nothing. InvalidInput if there is another one and `replace` is false,
  /// or if the releases recorded do not keep the total. With an empty name the data set is the one
  /// that a charge for `file` would go to. With `keeps_scope`, a total that is replaced leaves its
  /// scope to the new one, so that nobody is protected less by oversight. Returns the name.
  std::string declare(const std::string& data_set, LedgerTotal total, bool replace,
                      const std::optional<DataFile>& file = std::nullopt, bool keeps_scope = false);

  /// The data sets as which releases of this file were charged, the surest first: by its path, then
  /// by its device and inode, each with the latest first.
  [[nodiscard]] std::vector<std::string> names_of(const DataFile& file) const;

  /// All entries in their order.
  [[nodiscard]] std::vector<LedgerEntry> history() const;

 private:
  class Database;
  class Operation;
  mutable LedgerIdentity identity_;  // changed by one operation at a time
};

/// The entries of each data set put together, by name.
std::vector<DataSetSummary> summarise(const std::vector<LedgerEntry>& history);

// -----------------------------------------------------------------------------------------------
// Entries for programs.

/// By the names of its parameters, numbers as exact texts.
[[nodiscard]] Json cost_json(const ExactPrivacy& cost);
[[nodiscard]] Json entry_json(const LedgerEntry& entry);

}  // namespace mollify
