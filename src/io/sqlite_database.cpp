#include "io/sqlite_database.h"

#include <chrono>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "io/file_lock.h"
#include "kernel/core/invalid_input.h"

namespace mollify {

SqliteDatabase::SqliteDatabase(const std::string& path, const std::string& name) : name_(name) {
  sqlite3* opened = nullptr;
  const int result = sqlite3_open_v2(path.c_str(), &opened, SQLITE_OPEN_READWRITE, nullptr);
  database_.reset(opened);
  if (opened == nullptr) throw std::bad_alloc();
  if (result != SQLITE_OK) fail();
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, static_cast<int>(std::chrono::milliseconds(kLongestWait).count()));
}

void SqliteDatabase::fail() const {
  const std::string reason = sqlite3_errmsg(database_.get());
  switch (sqlite3_errcode(database_.get()) & 0xff) {
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      throw InvalidInput(fmt::format("the ledger {} cannot be opened: {}", name_, [&] {
        const int cause = sqlite3_system_errno(database_.get());
        return cause == 0 ? reason : std::generic_category().message(cause);
      }()));
    case SQLITE_READONLY:
      throw InvalidInput(fmt::format("the ledger {} cannot be written: {}", name_, reason));
    case SQLITE_NOTADB:
      throw InvalidInput(fmt::format("{} is not a ledger but a file of another kind", name_));
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      throw InvalidInput(fmt::format("the ledger {} is damaged: {}", name_, reason));
    case SQLITE_NOMEM:
      throw std::bad_alloc();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      refuse_locked(name_);
    default:
      throw std::runtime_error(fmt::format("the ledger {} cannot be used: {}", name_, reason));
  }
}

void SqliteDatabase::execute(const char* statements) {
  if (sqlite3_exec(database_.get(), statements, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
}

bool SqliteDatabase::is_read_only() const {
  return sqlite3_db_readonly(database_.get(), "main") != 0;
}

bool SqliteDatabase::has_moved() const {
  int moved = 1;
  sqlite3_file_control(database_.get(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return moved != 0;
}

SqliteStatement::SqliteStatement(SqliteDatabase& database, std::string_view text)
    : database_(database) {
  sqlite3_stmt* prepared = nullptr;
  const int result = sqlite3_prepare_v2(database.database_.get(), text.data(),
                                        static_cast<int>(text.size()), &prepared, nullptr);
  statement_.reset(prepared);
  if (result != SQLITE_OK) database.fail();
}

SqliteStatement& SqliteStatement::with_text(std::string_view text) {
  const int result = sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(),
                                         SQLITE_TRANSIENT, SQLITE_UTF8);
  if (result != SQLITE_OK) database_.fail();
  return *this;
}

SqliteStatement& SqliteStatement::with_text_or_null(const std::optional<std::string>& text) {
  if (text) return with_text(*text);
  if (sqlite3_bind_null(statement_.get(), ++bound_) != SQLITE_OK) database_.fail();
  return *this;
}

SqliteStatement& SqliteStatement::with_number(std::int64_t number) {
  if (sqlite3_bind_int64(statement_.get(), ++bound_, number) != SQLITE_OK) database_.fail();
  return *this;
}

bool SqliteStatement::step() {
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result != SQLITE_DONE) database_.fail();
  return false;
}

std::string SqliteStatement::text(int column) const {
  const unsigned char* letters = sqlite3_column_text(statement_.get(), column);
  if (letters == nullptr) return "";
  const auto length = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return {reinterpret_cast<const char*>(letters), length};
}

std::int64_t SqliteStatement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

SqliteTransaction::SqliteTransaction(SqliteDatabase& database) : database_(database) {
  database_.execute("BEGIN IMMEDIATE");
}

SqliteTransaction::~SqliteTransaction() {
  if (!open_) return;
  try {
    database_.execute("ROLLBACK");
  } catch (const std::exception&) {
    // Closing the database undoes what is not committed.
  }
}

void SqliteTransaction::commit() {
  database_.execute("COMMIT");
  open_ = false;
}

}  // namespace mollify
