#include "formats/ledger.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/decimals.h"
#include "base/names.h"
#include "base/progress.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/invalid_input.h"
#include "formats/text_files.h"
#include "mollify/version.h"

namespace mollify {

ExactPrivacy readable(const ExactPrivacy& cost) {
  return ExactPrivacy::of(cost.notion, cost.parameter().with_digits_up(kReadableDigits),
                          cost.delta.with_digits_up(kReadableDigits));
}

// -----------------------------------------------------------------------------------------------
// The right to use a ledger's file, which one operation at a time has.

void refuse_locked(const std::string& name) {
  throw std::runtime_error(
      fmt::format("the ledger {} is locked by another program for a minute now", name));
}

namespace {

using Clock = std::chrono::steady_clock;

/// When this process had a lock last. A free lock goes to whoever asks first, and who waits asks
/// once a millisecond, or less often on a busy machine. So who had one lets others ask.
std::atomic<Clock::time_point> last_released{Clock::time_point::min()};
constexpr std::chrono::milliseconds kTurnOfOthers{2};

}  // namespace

FileLock::FileLock(const std::string& path, const std::string& name, bool make) {
  constexpr mode_t kMode = 0644;  // less what the process's mask takes away, as SQLite's
  // A pipe is opened without waiting for its other end.
  const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (make ? O_CREAT : 0);
  const auto refuse = [&](const char* what) {
    const int error = errno;
    const bool is_absent = error == ENOENT && !make;
    throw InvalidInput(
        make ? Code("unwritable-file") : Code("unreadable-file"),
        fmt::format("the ledger {} cannot be {}: {}{}{}", name, what,
                    make ? why_not_written(name, error) : why_not_opened(name, error),
                    is_absent ? "; make one with " : "",
                    is_absent ? words_of_speech("mollify ledger --declare", "Ledger.declare") : ""),
        "ledger");
  };
  descriptor_ = ::open(path.c_str(), flags, kMode);
  if (descriptor_ < 0) refuse("opened");
  try {
    if (last_released.load() > Clock::now() - kTurnOfOthers) {
      std::this_thread::sleep_for(kTurnOfOthers);
    }
    const auto end = Clock::now() + kLongestWait;
    while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK) refuse("locked");
      if (Clock::now() > end) refuse_locked(name);
      keep_going();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

FileLock::~FileLock() {
  ::close(descriptor_);
  last_released = Clock::now();
}

struct stat FileLock::status() const {
  struct stat status {};
  ::fstat(descriptor_, &status);
  return status;
}

// -----------------------------------------------------------------------------------------------
// SQLite with errors as exceptions.

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
      throw InvalidInput("unreadable-file",
                         fmt::format("the ledger {} cannot be opened: {}", name_,
                                     [&] {
                                       const int cause = sqlite3_system_errno(database_.get());
                                       return cause == 0 ? reason
                                                         : std::generic_category().message(cause);
                                     }()),
                         "ledger");
    case SQLITE_READONLY:
      throw InvalidInput("unwritable-file",
                         fmt::format("the ledger {} cannot be written: {}", name_, reason),
                         "ledger");
    case SQLITE_NOTADB:
      throw InvalidInput("wrong-kind-of-file",
                         fmt::format("{} is not a ledger but a file of another kind", name_),
                         "ledger");
    case SQLITE_CORRUPT:
    case SQLITE_FORMAT:
      throw InvalidInput("ledger-damaged",
                         fmt::format("the ledger {} is damaged: {}", name_, reason), "ledger");
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

// -----------------------------------------------------------------------------------------------
// Which file a ledger is, so that another file in its place is noticed.

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
    throw InvalidInput("unreadable-file",
                       fmt::format("the ledger {} cannot be opened: {}", path, failed.message()),
                       "ledger");
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
    throw InvalidInput(
        "ledger-linked",
        fmt::format(
            "the ledger {0} has {1} hard links, but must have one, because what is charged by one "
            "name could be lost by another: delete the others (find DIRECTORY -samefile {0} lists "
            "them)",
            path_, locked.st_nlink),
        "ledger");
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
      "ledger-moved",
      fmt::format("the ledger {} was moved, replaced or deleted after it was opened, so nothing is "
                  "recorded: put the file back, or open the ledger again if the new file is meant",
                  path_),
      "ledger");
}

// -----------------------------------------------------------------------------------------------
// The file in which every release is charged before it is made.

namespace {

using Notion = ExactPrivacy::Notion;

constexpr std::int64_t kApplication = 0x6d6f6c6c;  // "moll"
constexpr std::int64_t kFormatVersion = 2;

// Numbers are kept as the decimal text that was typed. Entries are numbered without gaps, and the
// triggers keep everybody who comes through SQL from changing what was recorded.
constexpr const char* kSchema = R"(
  PRAGMA application_id = 0x6d6f6c6c;
  PRAGMA user_version = 2;
  CREATE TABLE entries (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    time TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('release', 'total')),
    data_set TEXT NOT NULL,
    scope TEXT NOT NULL,
    notion TEXT NOT NULL CHECK (notion IN ('pure', 'approximate', 'zcdp', 'gaussian')),
    parameter TEXT NOT NULL,
    delta TEXT NOT NULL,
    method TEXT,
    mechanism TEXT,
    count INTEGER NOT NULL,
    certificate_sha256 TEXT,
    version TEXT NOT NULL
  ) STRICT;
  CREATE TRIGGER entries_stay BEFORE UPDATE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never changed'); END;
  CREATE TRIGGER entries_remain BEFORE DELETE ON entries
    BEGIN SELECT RAISE(ABORT, 'entries of a ledger are never deleted'); END;
)";

// Which files were charged as which data set: by path, and by device and inode. Older ledgers lack
// it, so it is made when it is first needed.
constexpr const char* kFilesSchema = R"(
  CREATE TABLE IF NOT EXISTS files (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    data_set TEXT NOT NULL,
    path TEXT NOT NULL,
    identity TEXT NOT NULL,
    UNIQUE (data_set, path, identity)
  ) STRICT;
)";

constexpr std::array kNotions = {
    std::pair{Notion::kPure, std::string_view("pure")},
    std::pair{Notion::kApproximate, std::string_view("approximate")},
    std::pair{Notion::kConcentrated, std::string_view("zcdp")},
    std::pair{Notion::kGaussian, std::string_view("gaussian")},
};

std::string_view word_of(Notion notion) {
  return std::find_if(kNotions.begin(), kNotions.end(),
                      [&](const auto& known) { return known.first == notion; })
      ->second;
}

std::optional<Notion> notion_named(std::string_view word) {
  for (const auto& [notion, name] : kNotions) {
    if (name == word) return notion;
  }
  return std::nullopt;
}

const char* parameters_of(const ExactPrivacy& cost) {
  switch (cost.notion) {
    case Notion::kPure:
      return "a pure epsilon";
    case Notion::kApproximate:
      return "epsilon and delta";
    case Notion::kConcentrated:
      return "rho";
    case Notion::kGaussian:
      break;
  }
  return "mu";
}

DataSetSummary& summary_of(const std::string& data_set, std::vector<DataSetSummary>& all) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const DataSetSummary& summary) {
    return summary.data_set == data_set;
  });
  if (found != all.end()) return *found;
  return all.emplace_back(DataSetSummary{data_set, std::nullopt, {}});
}

/// Device and inode as one text; empty if the system has no such numbers.
std::string identity_text(const DataFile& file) {
  return file.identity ? fmt::format("{}:{}", file.identity->first, file.identity->second) : "";
}

void require_positive(const ExactPrivacy& cost) {
  if (cost.parameter().is_zero()) {
    throw InvalidInput("out-of-range",
                       fmt::format("a privacy budget must be positive, but is {}", cost.text()));
  }
  if (cost.delta >= Decimal(1.0)) {
    throw InvalidInput("out-of-range",
                       fmt::format("delta must be below 1, but is {}", words_of(cost.delta)),
                       "delta");
  }
}

void require_whole_names(const std::string& data_set, const ProtectionScope& scope) {
  require_without_nul("a data set's name", data_set);
  require_without_nul("a unit's column", scope.unit);
}

/// Refuses a charge to a new name of a file that is known by others, unless that is meant.
void require_same_name(const std::string& name, const std::vector<std::string>& known,
                       const ReleaseCharge& release, const std::string& ledger) {
  if (known.empty() || release.another_data_set) return;
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  const std::string& former = known.front();
  throw InvalidInput(
      "another-data-set",
      fmt::format(
          "{0} knows {1}{2} already, and charges there would not count for {3}: name it {4}, "
          "or say that another data set is meant ({5})",
          ledger, release.file->path, former == release.file->path ? "" : " as " + former, name,
          former, added_words("another-data-set")),
      "data-set", {WayOut::set("data-set", former), WayOut::add("another-data-set")});
}

/// "epsilon 2 and delta 1e-7 remain", and which of the two is missing.
std::string remaining_words(const LedgerAccount& account, const ExactPrivacy& total,
                            const ExactPrivacy& asked) {
  if (total.notion != Notion::kApproximate) {
    return fmt::format("{} {} remains", total.notion == Notion::kConcentrated ? "rho" : "epsilon",
                       words_of(account.remaining(total).with_digits_down(kReadableDigits)));
  }
  const Decimal epsilon = account.remaining(total);
  const Decimal delta = account.remaining_delta(total);
  const bool lacks_delta = asked.delta > delta;
  return fmt::format("epsilon {} and delta {} remain{}",
                     words_of(epsilon.with_digits_down(kReadableDigits)),
                     words_of(delta.with_digits_down(kReadableDigits)),
                     !lacks_delta                   ? ""
                     : asked.parameter() <= epsilon ? " (delta is too small)"
                                                    : " (both are too small)");
}

/// Refuses a charge to a data set without a total, unless that is meant: `totals` are those that
/// have one.
void require_total(const DataSetSummary& known, const ReleaseCharge& release,
                   const std::vector<std::string>& totals, const std::string& ledger) {
  if (known.total || release.without_total) return;
  const char* const budget = release.cost.notion == Notion::kPure ? "--epsilon E"
                             : release.cost.notion == Notion::kConcentrated
                                 ? "--rho R"
                                 : "--epsilon E --delta D";
  const std::string declare = fmt::format(
      "mollify ledger --ledger {} --declare {} {} {}), or say that none is meant (--no-total)",
      shell_word(ledger), known.data_set.starts_with('/') ? "--data" : "--data-set",
      shell_word(known.data_set), budget);
  throw InvalidInput(
      "no-total",
      fmt::format("{} has no total in {}{}, so nothing would ever be refused: declare one ({}",
                  known.data_set, ledger,
                  totals.empty() ? ""
                                 : fmt::format(", which has totals for {} ({} names one)",
                                               fmt::join(totals, ", "), flag_words("data-set")),
                  words_of_speech(declare, "Ledger.declare)")),
      "data-set", {WayOut::run("ledger")});
}

/// Refuses a charge that the total does not allow, if there is one.
void require_room(const DataSetSummary& known, const ReleaseCharge& release,
                  const std::string& ledger) {
  if (!known.total) return;
  const auto& [scope, total] = *known.total;
  if (!protects(release.scope, scope)) {
    const std::string of_command =
        fmt::format("; add --unit {}, so that it protects them", scope.unit);
    const std::string of_python =
        fmt::format(R"(. Give the method unit="{0}", or a charge scope="unit={0}".)", scope.unit);
    const std::string_view way = words_of_speech(of_command, of_python);
    throw InvalidInput(
        "total-protects-more",
        fmt::format(
            "the total of {} in {} protects {}, but this release protects no more than {}{}",
            known.data_set, ledger, scope.words(), release.scope.words(),
            scope.unit.empty() ? "" : way),
        "unit", {WayOut::set("unit", scope.unit)});
  }
  if (!LedgerAccount().with(release.cost).spent(total)) {
    const bool lacks_delta =
        total.notion == Notion::kPure && release.cost.notion == Notion::kApproximate;
    throw InvalidInput(
        "total-of-another-kind",
        fmt::format("the total of {} in {} is {}, but this release promises {}{}", known.data_set,
                    ledger, parameters_of(total), parameters_of(release.cost),
                    lacks_delta
                        ? fmt::format("; a total that has {} takes both", flag_words("delta"))
                        : ""),
        "data-set");
  }
  if (!known.account.with(release.cost).fits(total)) {
    throw InvalidInput(
        "budget-exceeded",
        fmt::format(
            "the total of {} in {} is {}: {}, and this release costs {}; {}declare a higher total "
            "({})",
            known.data_set, ledger, total.text(),
            remaining_words(known.account, total, release.cost), release.cost.text(),
            known.account.remaining(total).is_zero() ? "" : "release with what remains, or ",
            words_of_speech("mollify ledger --replace", "Ledger.declare with replace=True")),
        "data-set");
  }
}

}  // namespace

/// Held while the process uses a ledger, and while it forks: a child that begins in the middle of
/// an operation would inherit locks that nobody gives up.
class LedgerFile::Operation {
 public:
  Operation() {
    static const int failure = ::pthread_atfork(begin, end, end);
    if (failure != 0) throw std::bad_alloc();
    begin();
  }
  ~Operation() { end(); }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  static std::mutex& only_one() {
    static std::mutex mutex;
    return mutex;
  }
  static void begin() { only_one().lock(); }
  static void end() { only_one().unlock(); }
};

/// A ledger's file while an operation runs.
class LedgerFile::Database {
 public:
  Database(LedgerIdentity& identity, Opening opening)
      : identity_(identity),
        lock_(identity.file(), identity.path(), opening == Opening::kOrMakeNew),
        sqlite_(identity.file(), identity.path()) {
    // Before anything is read, because SQLite looks for a crash's journal next to this name.
    identity_.require_in_place(lock_, sqlite_);
    // Before anything is written, so that another program's file is left as it is.
    if (is_empty()) {
      if (opening == Opening::kExisting)
        throw InvalidInput("wrong-kind-of-file", path() + " is empty, not a ledger", "ledger");
      SqliteTransaction transaction(sqlite_);
      sqlite_.execute(kSchema);
      transaction.commit();
    }
    require_format();
    // The journal that a commit ends by deleting: afterwards the file alone holds everything. Its
    // folder is synchronised too, or a power failure could bring the journal back, which undoes the
    // commit.
    if (!sqlite_.is_read_only()) sqlite_.execute("PRAGMA journal_mode = DELETE");
    sqlite_.execute("PRAGMA synchronous = EXTRA; PRAGMA fullfsync = 1");
    SqliteStatement check(sqlite_, "PRAGMA quick_check(1)");
    if (check.step(); check.text(0) != "ok") refuse_damaged(check.text(0));
    identity_.require_last_entry(sqlite_);
  }

  SqliteDatabase& sqlite() { return sqlite_; }
  const std::string& path() const { return identity_.path(); }

  void commit(SqliteTransaction& transaction) { identity_.commit(lock_, sqlite_, transaction); }

  /// All entries, or one data set's.
  std::vector<LedgerEntry> entries(const std::optional<std::string>& data_set) {
    // In one statement, because others may add an entry between two.
    if (number_of("SELECT count(*) <> coalesce(max(number), 0) FROM entries") != 0) {
      refuse_damaged("entries are missing");
    }
    SqliteStatement rows(
        sqlite_,
        "SELECT number, time, kind, data_set, scope, notion, parameter, delta, method, mechanism, "
        "count, certificate_sha256, version FROM entries WHERE ?1 IS NULL OR data_set = ?1 "
        "ORDER BY number");
    rows.with_text_or_null(data_set);
    std::vector<LedgerEntry> found;
    while (rows.step()) found.push_back(entry_in(rows));
    return found;
  }

  std::vector<std::string> names_with_totals() {
    std::vector<std::string> names;
    SqliteStatement rows(
        sqlite_, "SELECT DISTINCT data_set FROM entries WHERE kind = 'total' ORDER BY data_set");
    while (rows.step()) names.push_back(rows.text(0));
    return names;
  }

  std::vector<std::string> names_of(const DataFile& file) {
    std::vector<std::string> names;
    if (number_of("SELECT count(*) FROM sqlite_master WHERE name = 'files'") == 0) return names;
    SqliteStatement rows(sqlite_,
                         "SELECT data_set FROM files WHERE path = ?1 OR (?2 <> '' AND identity = "
                         "?2) ORDER BY path <> ?1, number DESC");
    rows.with_text(file.path).with_text(identity_text(file));
    while (rows.step()) {
      std::string name = rows.text(0);
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
    return names;
  }

  /// The name given, or the one that the file goes by.
  std::string resolve(const std::string& data_set, const std::optional<DataFile>& file) {
    if (!data_set.empty()) return data_set;
    if (!file)
      throw InvalidInput("malformed-text", "a data set in a ledger must have a name, but has none",
                         "data-set");
    const std::vector<std::string> known = names_of(*file);
    return known.empty() ? file->path : known.front();
  }

  void remember(const std::string& data_set, const std::optional<DataFile>& file) {
    if (!file) return;
    sqlite_.execute(kFilesSchema);
    SqliteStatement insertion(
        sqlite_, "INSERT OR IGNORE INTO files (data_set, path, identity) VALUES (?, ?, ?)");
    insertion.with_text(data_set).with_text(file->path).with_text(identity_text(*file));
    insertion.step();
  }

  void add(const LedgerEntry& entry) {
    SqliteStatement insertion(
        sqlite_,
        "INSERT INTO entries (time, kind, data_set, scope, notion, parameter, delta, method, "
        "mechanism, count, certificate_sha256, version) "
        "VALUES (strftime('%Y-%m-%dT%H:%M:%SZ', 'now'), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    const auto of_release = [&](const std::string& text) {
      return entry.is_total ? std::nullopt : std::optional(text);
    };
    insertion.with_text(entry.is_total ? "total" : "release")
        .with_text(entry.data_set)
        .with_text(entry.scope.text())
        .with_text(word_of(entry.cost.notion))
        .with_text(entry.cost.parameter().text())
        .with_text(entry.cost.delta.text())
        .with_text_or_null(of_release(entry.method))
        .with_text_or_null(of_release(entry.mechanism))
        .with_number(static_cast<std::int64_t>(entry.count))
        .with_text_or_null(of_release(entry.certificate_sha256))
        .with_text(kVersion);
    insertion.step();
  }

 private:
  std::int64_t number_of(const char* query) {
    SqliteStatement statement(sqlite_, query);
    return statement.step() ? statement.number(0) : 0;
  }

  bool is_empty() {
    SqliteStatement tables(sqlite_, "SELECT count(*) FROM sqlite_master");
    if (tables.step() && tables.number(0) != 0) return false;
    // To SQLite a file of a few bytes is as good as none. Until the statement ends nobody writes,
    // and a crash's remains of a new ledger have been rolled back.
    std::error_code unknown;
    if (std::filesystem::file_size(identity_.file(), unknown) > 0 && !unknown) {
      throw InvalidInput("wrong-kind-of-file",
                         fmt::format("{} is not a ledger but a file of another kind", path()),
                         "ledger");
    }
    return true;
  }

  [[noreturn]] void refuse_damaged(const std::string& reason) const {
    throw InvalidInput("ledger-damaged",
                       fmt::format("the ledger {} is damaged: {}", path(), reason), "ledger");
  }

  void require_format() {
    if (number_of("PRAGMA application_id") != kApplication) {
      throw InvalidInput("wrong-kind-of-file",
                         fmt::format("{} is not a ledger but another program's database", path()),
                         "ledger");
    }
    const std::int64_t version = number_of("PRAGMA user_version");
    if (version != kFormatVersion) {
      throw InvalidInput("unsupported-version",
                         fmt::format("the ledger {} must have format {}, but has format {}", path(),
                                     kFormatVersion, version),
                         "ledger");
    }
  }

  LedgerEntry entry_in(const SqliteStatement& row) const {
    LedgerEntry entry;
    entry.number = static_cast<std::uint64_t>(row.number(0));
    const std::string where = fmt::format("entry {}", entry.number);
    entry.time = row.text(1);
    entry.is_total = row.text(2) == "total";
    entry.data_set = row.text(3);
    const auto scope = ProtectionScope::parse(row.text(4));
    const auto notion = notion_named(row.text(5));
    if (!scope || !notion) refuse_damaged(where + " has an unknown scope or notion");
    entry.scope = *scope;
    entry.cost = ExactPrivacy::of(*notion, Decimal::parse(row.text(6), where + " of the ledger"),
                                  Decimal::parse(row.text(7), where + " of the ledger"));
    entry.method = row.text(8);
    entry.mechanism = row.text(9);
    entry.count = static_cast<std::uint64_t>(row.number(10));
    entry.certificate_sha256 = row.text(11);
    entry.version = row.text(12);
    return entry;
  }

  Operation operation_;
  LedgerIdentity& identity_;
  FileLock lock_;  // given up when SQLite has closed the file
  SqliteDatabase sqlite_;
};

LedgerFile::LedgerFile(const std::string& path, Opening opening) : identity_(path) {
  const Database made(identity_, opening);
}

std::vector<LedgerEntry> LedgerFile::history() const {
  return Database(identity_, Opening::kExisting).entries(std::nullopt);
}

ChargeReceipt LedgerFile::charge(const ReleaseCharge& release) {
  require_positive(release.cost);
  require_whole_names(release.data_set, release.scope);
  require_without_nul("a mechanism's name", release.mechanism);
  Database database(identity_, Opening::kExisting);
  SqliteTransaction transaction(database.sqlite());
  const std::string name = database.resolve(release.data_set, release.file);
  std::vector<std::string> names;
  if (release.file) names = database.names_of(*release.file);
  require_same_name(name, names, release, database.path());
  auto known = summarise(database.entries(name));
  if (known.empty()) known.push_back({name, std::nullopt, {}});
  require_total(known.front(), release, database.names_with_totals(), database.path());
  require_room(known.front(), release, database.path());
  ChargeReceipt receipt{std::move(known.front())};
  receipt.data_set.account.add(release.cost);
  receipt.other_names = std::move(names);
  std::erase(receipt.other_names, name);
  database.remember(name, release.file);
  LedgerEntry entry;
  entry.data_set = name;
  entry.scope = release.scope;
  entry.cost = release.cost;
  entry.method = release.method;
  entry.mechanism = release.mechanism;
  entry.count = release.count;
  entry.certificate_sha256 = release.certificate_sha256;
  database.add(entry);
  database.commit(transaction);
  return receipt;
}

std::vector<std::string> LedgerFile::names_of(const DataFile& file) const {
  return Database(identity_, Opening::kExisting).names_of(file);
}

std::string LedgerFile::declare(const std::string& name, LedgerTotal total, bool replace,
                                const std::optional<DataFile>& file, bool keeps_scope) {
  require_positive(total.cost);
  require_whole_names(name, total.scope);
  if (total.cost.notion == Notion::kGaussian) {
    throw InvalidInput("not-for-this-budget",
                       "a total must be in epsilon, in epsilon and delta, or in rho, but is in mu",
                       "mu");
  }
  Database database(identity_, Opening::kExisting);
  SqliteTransaction transaction(database.sqlite());
  const std::string data_set = database.resolve(name, file);
  const auto entries = database.entries(data_set);
  const auto known = summarise(entries);
  if (!known.empty() && known.front().total) {
    const LedgerTotal& declared = *known.front().total;
    if (keeps_scope) total.scope = declared.scope;
    if (declared.cost == total.cost && declared.scope == total.scope) return data_set;
    if (!replace) {
      throw InvalidInput(
          "total-exists",
          fmt::format("{} already has a total in {}: {} for {}. {} replaces it", data_set,
                      database.path(), declared.cost.text(), declared.scope.words(),
                      words_of_speech("--replace", "replace=True")),
          "data-set", {WayOut::add("replace")});
    }
  }
  for (const LedgerEntry& entry : entries) {
    if (!entry.is_total && !protects(entry.scope, total.scope)) {
      throw InvalidInput(
          "total-protects-more",
          fmt::format(
              "a total for {} cannot be kept: release {} of {} in {} protects no more than {}",
              total.scope.words(), entry.number, data_set, database.path(), entry.scope.words()),
          "unit");
    }
  }
  if (!known.empty() && !known.front().account.fits(total.cost)) {
    const auto sum = known.front().account.plain_sum();
    const bool lacks_delta = sum && sum->delta > total.cost.delta;
    throw InvalidInput(
        "budget-exceeded",
        fmt::format("{} has spent more in {} already than {}{}; declare a higher total{}", data_set,
                    database.path(), total.cost.text(),
                    sum ? fmt::format(": {}, if costs are summed", readable(*sum).text()) : "",
                    lacks_delta ? fmt::format(", with {}", flag_words("delta")) : ""),
        "data-set");
  }
  LedgerEntry entry;
  entry.is_total = true;
  entry.data_set = data_set;
  entry.scope = total.scope;
  entry.cost = total.cost;
  database.add(entry);
  database.remember(data_set, file);
  database.commit(transaction);
  return data_set;
}

std::optional<DataFile> data_file_at(const std::string& path) {
  namespace fs = std::filesystem;
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) return std::nullopt;
  std::error_code failed;
  DataFile file{fs::weakly_canonical(fs::absolute(path, failed), failed).string()};
  if (failed) file.path = path;
  if (exists) {
    file.identity = {static_cast<std::uint64_t>(status.st_dev),
                     static_cast<std::uint64_t>(status.st_ino)};
  }
  return file;
}

std::vector<DataSetSummary> summarise(const std::vector<LedgerEntry>& history) {
  std::vector<DataSetSummary> all;
  for (const LedgerEntry& entry : history) {
    DataSetSummary& summary = summary_of(entry.data_set, all);
    if (entry.is_total) {
      summary.total = LedgerTotal{entry.scope, entry.cost};
    } else {
      summary.account.add(entry.cost);
    }
  }
  return all;
}

// -----------------------------------------------------------------------------------------------
// Entries for programs.

Json cost_json(const ExactPrivacy& cost) {
  Json json{{parameter_name(cost.notion), cost.parameter().text()}};
  if (cost.notion == ExactPrivacy::Notion::kApproximate) json["delta"] = cost.delta.text();
  return json;
}

Json entry_json(const LedgerEntry& entry) {
  Json json{{"number", entry.number},
            {"time", entry.time},
            {"kind", entry.is_total ? "total" : "release"},
            {"data_set", entry.data_set},
            {"scope", entry.scope.text()}};
  json["cost"] = cost_json(entry.cost);
  if (!entry.is_total) {
    json["method"] = entry.method;
    json["mechanism"] = entry.mechanism;
    json["count"] = entry.count;
    json["certificate_sha256"] = entry.certificate_sha256;
  }
  json["version"] = entry.version;
  return json;
}

}  // namespace mollify
