#include "io/ledger_identity.h"

#include <sys/stat.h>

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "kernel/core/invalid_input.h"
#include "kernel/core/whole_text.h"

namespace mollify {

namespace {

std::pair<std::uint64_t, std::uint64_t> device_and_inode_of(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_dev), static_cast<std::uint64_t>(status.st_ino)};
}

/// All that was recorded of the last entry that fulfils a condition: no entries, no text.
std::string last_entry_in(SqliteDatabase& database, std::string_view condition = "1") {
  SqliteStatement row(
      database, fmt::format("SELECT number || ' ' || time || ' ' || data_set || ' ' || parameter "
                            "|| ' ' || coalesce(certificate_sha256, '') FROM entries WHERE {} "
                            "ORDER BY number DESC LIMIT 1",
                            condition));
  return row.step() ? row.text(0) : "";
}

}  // namespace

LedgerIdentity::LedgerIdentity(const std::string& path) : path_(path) {
  require_without_nul("a path", path);
  std::error_code failed;
  file_ = std::filesystem::absolute(path, failed).string();
  if (failed) {
    throw InvalidInput(fmt::format("the ledger {} cannot be opened: {}", path, failed.message()));
  }
}

void LedgerIdentity::require_in_place(const FileLock& lock, const SqliteDatabase& database) {
  const struct stat locked = lock.status();
  if (!device_and_inode_) device_and_inode_ = device_and_inode_of(locked);
  struct stat found {};
  if (::stat(file_.c_str(), &found) != 0 || device_and_inode_of(found) != device_and_inode_ ||
      device_and_inode_of(locked) != device_and_inode_ || database.has_moved()) {
    refuse_replaced();
  }
  if (locked.st_nlink > 1) {
    throw InvalidInput(fmt::format(
        "the ledger {0} has {1} hard links, but must have one, because what is charged by one "
        "name could be lost by another: delete the others (find DIRECTORY -samefile {0} lists "
        "them)",
        path_, locked.st_nlink));
  }
}

void LedgerIdentity::require_last_entry(SqliteDatabase& database) {
  if (!last_entry_.empty()) {
    const std::string number = last_entry_.substr(0, last_entry_.find(' '));
    if (last_entry_in(database, "number = " + number) != last_entry_) refuse_replaced();
  }
  last_entry_ = last_entry_in(database);
}

void LedgerIdentity::commit(const FileLock& lock, SqliteDatabase& database,
                            SqliteTransaction& transaction) {
  require_in_place(lock, database);
  std::string last = last_entry_in(database);
  transaction.commit();
  last_entry_ = std::move(last);
}

void LedgerIdentity::refuse_replaced() const {
  throw InvalidInput(
      fmt::format("the ledger {} was moved, replaced or deleted after it was opened, so nothing is "
                  "recorded: put the file back, or open the ledger again if the new file is meant",
                  path_));
}

}  // namespace mollify
