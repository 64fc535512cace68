#include "io/ledger_file.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/scratch.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

using test::refusal;
using test::Scratch;
using Opening = LedgerFile::Opening;

ExactPrivacy pure_cost(const std::string& epsilon) {
  return ExactPrivacy::pure(Decimal::parse(epsilon, "epsilon"));
}

ReleaseCharge release_at(const ExactPrivacy& cost,
                         const ProtectionScope& scope = ProtectionScope::table()) {
  return {.data_set = "people",
          .scope = scope,
          .cost = cost,
          .model = "integral",
          .mechanism = "minimax",
          .count = 7,
          .certificate_sha256 = "abc",
          .without_total = true};
}

/// Runs SQL on the file as another program would.
int run_sql(const std::string& path, const char* statements) {
  sqlite3* database = nullptr;
  sqlite3_open(path.c_str(), &database);
  const int result = sqlite3_exec(database, statements, nullptr, nullptr, nullptr);
  sqlite3_close(database);
  return result;
}

/// Runs an action in a process of its own; its exit status is 1 if the action throws.
pid_t in_child(const std::function<void()>& action) {
  const pid_t process = ::fork();
  if (process != 0) return process;
  int status = 0;
  try {
    action();
  } catch (...) {
    status = 1;
  }
  ::_exit(status);
}

int status_of(pid_t process) {
  int state = -1;
  ::waitpid(process, &state, 0);
  return WIFEXITED(state) ? WEXITSTATUS(state) : -1;
}

TEST(LedgerFile, RemembersWhatItIsTold) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  const LedgerTotal total{ProtectionScope::row(), pure_cost("1")};
  LedgerFile(path, Opening::kOrMakeNew).declare("people", total, false);
  LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.25")));
  const auto history = LedgerFile(path, Opening::kExisting).history();
  ASSERT_EQ(history.size(), 2U);
  EXPECT_TRUE(history[0].is_total);
  EXPECT_EQ(history[0].cost, total.cost);
  EXPECT_EQ(history[0].scope, total.scope);
  const LedgerEntry& entry = history[1];
  EXPECT_EQ(entry.number, 2U);
  EXPECT_EQ(entry.time.size(), 20U);
  EXPECT_EQ(entry.data_set, "people");
  EXPECT_EQ(entry.scope, ProtectionScope::table());
  EXPECT_EQ(entry.cost, pure_cost("0.25"));
  EXPECT_EQ(entry.model, "integral");
  EXPECT_EQ(entry.mechanism, "minimax");
  EXPECT_EQ(entry.count, 7U);
  EXPECT_EQ(entry.certificate_sha256, "abc");
  const auto summaries = summarise(history);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].account.remaining(summaries[0].total->cost).text(), "0.75");
  EXPECT_EQ(scratch.file_count(), 1U);  // the log is gone when nobody has the ledger open
}

TEST(LedgerFile, RefusesWhatWouldPassATotal) {
  const Scratch scratch;
  LedgerFile ledger(scratch.path("ledger"), Opening::kOrMakeNew);
  ledger.declare("people", {ProtectionScope::of_unit("id"), pure_cost("1")}, false);
  for (int i = 0; i < 10; ++i) ledger.charge(release_at(pure_cost("0.1")));
  const auto refused = [&](const ReleaseCharge& release) {
    return refusal(scratch, [&] { ledger.charge(release); });
  };
  EXPECT_EQ(refused(release_at(pure_cost("0.1"))),
            "the total of people in ledger is epsilon 1, of which epsilon 0 remains, but this "
            "release costs epsilon 0.1");
  EXPECT_EQ(refused(release_at(ExactPrivacy::gaussian(Decimal(1.0)))),
            "the total of people in ledger is a pure epsilon, but this release promises mu");
  EXPECT_EQ(refused(release_at(pure_cost("0.1"), ProtectionScope::row())),
            "the total of people in ledger protects each unit of id, but this release protects "
            "no more than each row");
  EXPECT_EQ(refused(release_at(pure_cost("0"))),
            "a privacy budget must be positive, but is epsilon 0");
  EXPECT_EQ(ledger.history().size(), 11U);
  ReleaseCharge other = release_at(pure_cost("100"));
  other.data_set = "places";  // has no total
  other.without_total = false;
  EXPECT_EQ(refused(other),
            "places has no total in ledger, which has totals for people (--data-set names one), so "
            "nothing would ever be refused: declare one (mollify ledger --ledger ledger --declare "
            "--data-set places --epsilon E), or say that none is meant (--no-total)");
  other.cost = ExactPrivacy::gaussian(Decimal(1.0));
  EXPECT_THAT(refused(other), testing::HasSubstr("--data-set places --epsilon E --delta D)"));
  other.cost = pure_cost("100");
  other.data_set = "/data/places.csv";  // a file's
  EXPECT_EQ(
      refused(other),
      "/data/places.csv has no total in ledger, which has totals for people (--data-set names "
      "one), so nothing would ever be refused: declare one (mollify ledger --ledger ledger "
      "--declare --data /data/places.csv --epsilon E), or say that none is meant (--no-total)");
  other.data_set = "places";
  other.without_total = true;
  ledger.charge(other);
  EXPECT_EQ(ledger.history().back().data_set, "places");
}

TEST(LedgerFile, KnowsAFileByPathAndByDeviceAndInode) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  const auto charged = [&](const std::string& name, const DataFile& file) {
    ReleaseCharge release = release_at(pure_cost("0.1"));
    release.data_set = name;
    release.file = file;
    return ledger.charge(release);
  };
  const DataFile first{"/a", {{1, 10}}};
  EXPECT_EQ(charged("", first).data_set.data_set, "/a");
  EXPECT_EQ(charged("", {"/b", {{1, 10}}}).data_set.data_set, "/a") << "a hard link";
  EXPECT_EQ(charged("", {"/a", {{1, 11}}}).data_set.data_set, "/a") << "written anew";
  EXPECT_EQ(charged("", {"/c", {{2, 10}}}).data_set.data_set, "/c") << "another device";
  EXPECT_THROW((void)charged("others", first), InvalidInput) << "without saying that it is meant";
  ReleaseCharge meant = release_at(pure_cost("0.1"));
  meant.data_set = "others";
  meant.file = first;
  meant.another_data_set = true;
  const ChargeReceipt other = ledger.charge(meant);
  EXPECT_EQ(other.other_names, std::vector<std::string>{"/a"});
  EXPECT_EQ(other.data_set.account.releases(), 1U);
  EXPECT_EQ(ledger.names_of(first).front(), "others") << "the latest of its path";
  EXPECT_TRUE(ledger.names_of({"/d", std::nullopt}).empty());
  // An older ledger has no such table, and gets one when it is needed.
  EXPECT_EQ(run_sql(path, "DROP TABLE files"), SQLITE_OK);
  EXPECT_TRUE(ledger.names_of(first).empty());
  EXPECT_EQ(charged("", first).data_set.data_set, "/a");
  EXPECT_EQ(ledger.names_of(first).front(), "/a");
  EXPECT_EQ(ledger.declare("", {ProtectionScope::row(), pure_cost("1")}, false, first), "/a");
}

TEST(LedgerFile, ReplacesATotalOnPurposeOnly) {
  const Scratch scratch;
  LedgerFile ledger(scratch.path("ledger"), Opening::kOrMakeNew);
  const auto declaring = [&](const ProtectionScope& scope, const ExactPrivacy& cost, bool replace) {
    return refusal(scratch, [&] { ledger.declare("people", {scope, cost}, replace); });
  };
  const ProtectionScope row = ProtectionScope::row();
  EXPECT_EQ(declaring(row, pure_cost("1"), true),
            "people has no total in ledger that could be replaced");
  EXPECT_EQ(declaring(row, pure_cost("1"), false), "");
  EXPECT_EQ(declaring(row, pure_cost("2"), false),
            "people has a total in ledger already, epsilon 1 for each row, and it is only replaced "
            "on purpose (--replace)");
  ledger.charge(release_at(pure_cost("0.5"), row));
  EXPECT_EQ(declaring(row, pure_cost("0.4"), true),
            "people has spent more than epsilon 0.4 in ledger already");
  EXPECT_EQ(declaring(ProtectionScope::table(), pure_cost("2"), true),
            "a total for the whole table cannot be kept: release 2 of people in ledger protects "
            "no more than each row");
  EXPECT_EQ(declaring(row, ExactPrivacy::gaussian(Decimal(1.0)), true),
            "a total must be in epsilon, in epsilon and delta, or in rho, but is in mu");
  EXPECT_EQ(declaring(row, pure_cost("2"), true), "");
  ledger.charge(release_at(pure_cost("1.5")));
  const auto history = ledger.history();
  ASSERT_EQ(history.size(), 4U);
  EXPECT_TRUE(history[0].is_total);
  EXPECT_TRUE(history[2].is_total);
}

TEST(LedgerFile, RefusesWhatIsNotALedger) {
  const Scratch scratch;
  const auto opening = [&](const std::string& name, Opening how) {
    return refusal(scratch, [&] { LedgerFile(scratch.path(name), how); });
  };
  scratch.write("table.csv", "id,sex\nann,f\n" + std::string(5000, 'x'));
  EXPECT_EQ(opening("table.csv", Opening::kOrMakeNew),
            "table.csv is not a ledger but a file of another kind");
  run_sql(scratch.path("other"), "CREATE TABLE things (name TEXT)");
  const std::string before = scratch.read("other");
  EXPECT_EQ(opening("other", Opening::kOrMakeNew),
            "other is not a ledger but another program's database");
  EXPECT_EQ(scratch.read("other"), before);
  EXPECT_EQ(opening("none", Opening::kExisting),
            "the ledger none cannot be opened: No such file or directory");
  EXPECT_EQ(opening("none/ledger", Opening::kOrMakeNew),
            "the ledger none/ledger cannot be opened: No such file or directory");
  EXPECT_EQ(opening(".", Opening::kOrMakeNew), "the ledger . cannot be opened: Is a directory");
  scratch.write("empty", "");
  EXPECT_EQ(opening("empty", Opening::kExisting), "empty is empty, not a ledger");
  EXPECT_EQ(opening("empty", Opening::kOrMakeNew), "");
  run_sql(scratch.path("empty"), "PRAGMA user_version = 2");
  EXPECT_EQ(opening("empty", Opening::kExisting),
            "the ledger empty must have format 1, but has format 2");
}

TEST(LedgerFile, RefusesADamagedFile) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  {
    LedgerFile ledger(path, Opening::kOrMakeNew);
    for (int i = 0; i < 100; ++i) ledger.charge(release_at(pure_cost("0.1")));
  }
  const std::string whole = scratch.read("ledger");
  const auto reading = [&](const std::string& content) {
    scratch.write("damaged", content);
    return refusal(scratch, [&] {
      static_cast<void>(LedgerFile(scratch.path("damaged"), Opening::kExisting).history());
    });
  };
  EXPECT_EQ(reading(whole), "");
  EXPECT_NE(reading(whole.substr(0, whole.size() / 2)), "");
  EXPECT_NE(reading(whole.substr(0, 100)), "");
  std::string pages = whole;
  for (std::size_t at = 4096; at < pages.size(); at += 4096) pages.replace(at, 8, "XXXXXXXX");
  EXPECT_NE(reading(pages), "");
  EXPECT_EQ(run_sql(path,
                    "INSERT INTO entries (time, kind, data_set, scope, notion, parameter, delta, "
                    "count, version) VALUES ('', 'total', 'a', 'row', 'pure', '0;1', '0', 0, '')"),
            SQLITE_OK);
  EXPECT_EQ(
      refusal(scratch, [&] { static_cast<void>(LedgerFile(path, Opening::kExisting).history()); }),
      "entry 101 of the ledger must be a decimal number of at least 0, but is \"0;1\"");
}

TEST(LedgerFile, KeepsEntriesFromBeingChanged) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile(path, Opening::kOrMakeNew).charge(release_at(pure_cost("0.1")));
  EXPECT_NE(run_sql(path, "DELETE FROM entries"), SQLITE_OK);
  EXPECT_NE(run_sql(path, "UPDATE entries SET parameter = '0'"), SQLITE_OK);
  // Who takes the guard away as well leaves a gap.
  LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.2")));
  EXPECT_EQ(run_sql(path, "DROP TRIGGER entries_remain; DELETE FROM entries WHERE number = 1"),
            SQLITE_OK);
  EXPECT_EQ(
      refusal(scratch, [&] { static_cast<void>(LedgerFile(path, Opening::kExisting).history()); }),
      "the ledger ledger is damaged: entries are missing");
}

// As somebody who may read the file but not write it; the superuser may do anything.
TEST(LedgerFile, RefusesToChargeWhatItCannotWrite) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile(path, Opening::kOrMakeNew).charge(release_at(pure_cost("0.1")));
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(scratch.path("").c_str(), 0755), 0);
  const pid_t process = in_child([&] {
    constexpr uid_t kNobody = 65534;
    if (::geteuid() == 0 && ::setuid(kNobody) != 0) return;
    const std::string sentence = refusal(scratch, [&] {
      LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.1")));
    });
    if (!sentence.starts_with("the ledger ledger cannot be ")) return;
    throw InvalidInput(sentence);  // as expected
  });
  EXPECT_EQ(status_of(process), 1);
}

// Eight processes want 8 releases each at 0.02 of a total of 1: exactly 50 get one, although the
// file is made by whoever comes first.
TEST(LedgerFile, SeveralProcessesNeverPassATotal) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  constexpr int kProcesses = 8;
  constexpr int kWanted = 8;
  std::vector<pid_t> processes;
  for (int i = 0; i < kProcesses; ++i) {
    processes.push_back(in_child([&] {
      try {
        LedgerFile(path, Opening::kOrMakeNew)
            .declare("people", {ProtectionScope::row(), pure_cost("1")}, false);
      } catch (const InvalidInput&) {
        // another one was first
      }
      int done = 0;
      for (int k = 0; k < kWanted; ++k) {
        try {
          LedgerFile(path, Opening::kOrMakeNew).charge(release_at(pure_cost("0.02")));
          ++done;
        } catch (const InvalidInput&) {
          // the total is spent
        }
      }
      ::_exit(done);
    }));
  }
  int done = 0;
  for (const pid_t process : processes) done += status_of(process);
  EXPECT_EQ(done, 50);
  const auto history = LedgerFile(path, Opening::kExisting).history();
  EXPECT_EQ(std::count_if(history.begin(), history.end(),
                          [](const LedgerEntry& entry) { return entry.is_total; }),
            1);
  EXPECT_EQ(history.size(), 51U);
}

}  // namespace
}  // namespace mollify
