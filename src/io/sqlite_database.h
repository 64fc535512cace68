// SQLite with errors as exceptions.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace mollify {

/// An open database. What is wrong with the file itself (it cannot be opened or written, it is no
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

}  // namespace mollify
