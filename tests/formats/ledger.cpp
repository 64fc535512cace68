#include "formats/ledger.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "formats/scratch.h"
#include "formats/watched_files.h"

namespace mollify {

namespace {

using test::refusal;
using test::Scratch;
using test::WatchedFiles;
using Step = WatchedFiles::Step;
using Opening = LedgerFile::Opening;

ExactPrivacy pure_cost(const std::string& epsilon) {
  return ExactPrivacy::pure(Decimal::parse(epsilon, "epsilon"));
}

ReleaseCharge release_at(const ExactPrivacy& cost,
                         const ProtectionScope& scope = ProtectionScope::table()) {
  return {.data_set = "people",
          .scope = scope,
          .cost = cost,
          .method = "integral",
          .mechanism = "minimax",
          .count = 7,
          .certificate_sha256 = "abc",
          .without_total = true};
}

/// Runs SQL on the file as another program would.
int run_sql(const std::string& path, const char* statements) {
  sqlite3* database = nullptr;
  sqlite3_open_v2(path.c_str(), &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix");
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

ExactPrivacy approximate_cost(const std::string& epsilon, const std::string& delta) {
  return ExactPrivacy::approximate(Decimal::parse(epsilon, "epsilon"),
                                   Decimal::parse(delta, "delta"));
}

/// How many of the charges that are wanted a ledger grants before its total is spent.
int granted(LedgerFile& ledger, int wanted, const std::string& epsilon) {
  int done = 0;
  for (int i = 0; i < wanted; ++i) {
    try {
      ledger.charge(release_at(pure_cost(epsilon)));
      ++done;
    } catch (const InvalidInput&) {
      // the total is spent
    }
  }
  return done;
}

std::size_t entries_of(const std::string& path) {
  return LedgerFile(path, Opening::kExisting).history().size();
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
  EXPECT_EQ(entry.method, "integral");
  EXPECT_EQ(entry.mechanism, "minimax");
  EXPECT_EQ(entry.count, 7U);
  EXPECT_EQ(entry.certificate_sha256, "abc");
  const auto summaries = summarise(history);
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].account.remaining(summaries[0].total->cost).text(), "0.75");
  EXPECT_EQ(scratch.file_count(), 1U);  // no other file is next to the ledger when nobody uses it
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
            "the total of people in ledger is epsilon 1: epsilon 0 remains, and this release "
            "costs epsilon 0.1; declare a higher total (mollify ledger --replace)");
  EXPECT_EQ(refused(release_at(ExactPrivacy::gaussian(Decimal(1.0)))),
            "the total of people in ledger is a pure epsilon, but this release promises mu");
  EXPECT_EQ(refused(release_at(pure_cost("0.1"), ProtectionScope::row())),
            "the total of people in ledger protects each unit of id, but this release protects "
            "no more than each row; add --unit id, so that it protects them");
  EXPECT_EQ(refused(release_at(pure_cost("0"))),
            "a privacy budget must be positive, but is epsilon 0");
  EXPECT_EQ(refused(release_at(approximate_cost("0.1", "1"))), "delta must be below 1, but is 1");
  EXPECT_EQ(
      refusal(
          scratch,
          [&] {
            ledger.declare("places", {ProtectionScope::row(), approximate_cost("1", "1")}, false);
          }),
      "delta must be below 1, but is 1");
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
  // A total declared for a file holds for the file under its next name.
  const LedgerTotal total{ProtectionScope::row(), pure_cost("1")};
  EXPECT_EQ(ledger.declare("", total, false, DataFile{"/e", {{1, 15}}}), "/e");
  EXPECT_EQ(charged("", {"/f", {{1, 15}}}).data_set.data_set, "/e");
}

TEST(LedgerFile, ReplacesATotalOnPurposeOnly) {
  const Scratch scratch;
  LedgerFile ledger(scratch.path("ledger"), Opening::kOrMakeNew);
  const auto declaring = [&](const ProtectionScope& scope, const ExactPrivacy& cost, bool replace) {
    return refusal(scratch, [&] { ledger.declare("people", {scope, cost}, replace); });
  };
  const ProtectionScope row = ProtectionScope::row();
  EXPECT_EQ(declaring(row, pure_cost("1"), true), "") << "a first one replaces none";
  EXPECT_EQ(declaring(row, pure_cost("1.0"), false), "") << "it is the total already";
  EXPECT_EQ(declaring(row, pure_cost("1"), true), "");
  EXPECT_EQ(ledger.history().size(), 1U);
  EXPECT_EQ(declaring(row, pure_cost("2"), false),
            "people already has a total in ledger: epsilon 1 for each row. --replace replaces it");
  EXPECT_EQ(declaring(ProtectionScope::table(), pure_cost("1"), false),
            "people already has a total in ledger: epsilon 1 for each row. --replace replaces it");
  ledger.charge(release_at(pure_cost("0.5"), row));
  EXPECT_EQ(declaring(row, pure_cost("0.4"), true),
            "people has spent more in ledger already than epsilon 0.4: epsilon 0.5, if costs are "
            "summed; declare a higher total");
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

// A higher total after a refusal must not protect rows where it protected persons.
TEST(LedgerFile, LeavesTheScopeToATotalThatReplacesAnother) {
  const Scratch scratch;
  LedgerFile ledger(scratch.path("ledger"), Opening::kOrMakeNew);
  const ProtectionScope person = *ProtectionScope::parse("unit=person");
  const auto replacing = [&](const ExactPrivacy& cost) {
    return refusal(scratch, [&] {
      ledger.declare("people", {ProtectionScope::row(), cost}, true, std::nullopt, true);
    });
  };
  ledger.declare("people", {person, approximate_cost("3", "1e-5")}, false);
  ledger.charge(release_at(approximate_cost("1", "1e-6"), person));
  EXPECT_EQ(replacing(pure_cost("2")),
            "people has spent more in ledger already than epsilon 2: epsilon 1 and delta 1e-6, if "
            "costs are summed; declare a higher total, with --delta");
  EXPECT_EQ(replacing(approximate_cost("6", "1e-5")), "");
  EXPECT_EQ(ledger.history().back().scope, person);
  EXPECT_EQ(ledger.history().back().cost, approximate_cost("6", "1e-5"));
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
            "the ledger none cannot be opened: there is no such file in ; make "
            "one with mollify ledger --declare");
  EXPECT_EQ(opening("none/ledger", Opening::kOrMakeNew),
            "the ledger none/ledger cannot be opened: make the folder none first (mkdir -p none)");
  EXPECT_EQ(opening(".", Opening::kOrMakeNew), "the ledger . cannot be opened: Is a directory");
  scratch.write("empty", "");
  EXPECT_EQ(opening("empty", Opening::kExisting), "empty is empty, not a ledger");
  EXPECT_EQ(opening("empty", Opening::kOrMakeNew), "");
  run_sql(scratch.path("empty"), "PRAGMA user_version = 3");
  EXPECT_EQ(opening("empty", Opening::kExisting),
            "the ledger empty must have format 2, but has format 3");
}

TEST(LedgerFile, RefusesNamesWithNul) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  const std::string name("a\0b", 3);
  const auto sentence = [](const std::string& what) {
    return what + " must be text without NUL, but is \"a\\0b\"";
  };
  const auto charging = [&](std::string ReleaseCharge::*part) {
    ReleaseCharge release = release_at(pure_cost("0.1"));
    release.*part = name;
    return refusal(scratch, [&] { ledger.charge(release); });
  };
  EXPECT_EQ(charging(&ReleaseCharge::data_set), sentence("a data set's name"));
  EXPECT_EQ(charging(&ReleaseCharge::mechanism), sentence("a mechanism's name"));
  const ProtectionScope units = ProtectionScope::of_unit(name);
  EXPECT_EQ(refusal(scratch, [&] { ledger.charge(release_at(pure_cost("0.1"), units)); }),
            sentence("a unit's column"));
  const auto declaring = [&](const std::string& data_set, const ProtectionScope& scope) {
    return refusal(scratch, [&] { ledger.declare(data_set, {scope, pure_cost("1")}, false); });
  };
  EXPECT_EQ(declaring(name, ProtectionScope::row()), sentence("a data set's name"));
  EXPECT_EQ(declaring("people", units), sentence("a unit's column"));
  EXPECT_TRUE(ledger.history().empty());
  const std::string cut = path + std::string("\0b", 2);
  EXPECT_EQ(refusal(scratch, [&] { LedgerFile(cut, Opening::kExisting); }),
            "a path must be text without NUL, but is \"ledger\\0b\"");
}

TEST(LedgerFile, RefusesADamagedFile) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  {
    LedgerFile ledger(path, Opening::kOrMakeNew);
    for (int i = 0; i < 40; ++i) ledger.charge(release_at(pure_cost("0.1")));
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
  // Damage to what an operation doesn't read, the names of files.
  ReleaseCharge from_file = release_at(pure_cost("0.1"));
  from_file.file = DataFile{"/data/people.csv", {{1, 10}}};
  LedgerFile(path, Opening::kExisting).charge(from_file);
  std::string names = scratch.read("ledger");
  const std::size_t in_names = names.rfind("/data/people.csv");
  names.replace(in_names / 4096 * 4096, 8, "XXXXXXXX");
  EXPECT_THAT(reading(names), testing::StartsWith("the ledger damaged is damaged: "));
  EXPECT_EQ(run_sql(path,
                    "INSERT INTO entries (time, kind, data_set, scope, notion, parameter, delta, "
                    "count, version) VALUES ('', 'total', 'a', 'row', 'pure', '0;1', '0', 0, '')"),
            SQLITE_OK);
  EXPECT_EQ(
      refusal(scratch, [&] { static_cast<void>(LedgerFile(path, Opening::kExisting).history()); }),
      "entry 42 of the ledger must be a decimal number of at least 0, but is \"0;1\"");
}

TEST(LedgerFile, KeepsEntriesFromBeingChanged) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile(path, Opening::kOrMakeNew).charge(release_at(pure_cost("0.1")));
  EXPECT_NE(run_sql(path, "DELETE FROM entries"), SQLITE_OK);
  EXPECT_NE(run_sql(path, "UPDATE entries SET parameter = '0'"), SQLITE_OK);
  // Taking the guard away as well leaves a gap.
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
    throw InvalidInput("unreadable-file", sentence);  // as expected
  });
  EXPECT_EQ(status_of(process), 1);
}

// Eight processes want 8 releases each at 0.02 of a total of 1: exactly 50 get one, although the
// first to come makes the file.
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
        LedgerFile ledger(path, Opening::kOrMakeNew);
        done += granted(ledger, 1, "0.02");
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

TEST(LedgerFile, StaysThatOfItsParentInAForkedProcess) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  std::optional<LedgerFile> ledger(std::in_place, path, Opening::kOrMakeNew);
  ledger->declare("people", {ProtectionScope::row(), pure_cost("1")}, false);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t process = in_child([&] {
    char letter = 0;
    if (::read(pipe[0], &letter, 1) != 1) return;
    for (int i = 0; i < 10; ++i) ledger->charge(release_at(pure_cost("0.1")));
  });
  ledger.reset();  // before the child uses it
  ASSERT_EQ(::write(pipe[1], "x", 1), 1);
  EXPECT_EQ(status_of(process), 0);
  EXPECT_EQ(entries_of(path), 11U);
  EXPECT_THROW(LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.1"))),
               InvalidInput);
}

// Four forked processes and four threads want 10 releases each at 0.02 of a total of 1, by one
// object.
TEST(LedgerFile, ThreadsAndForkedProcessesShareOneObject) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  ledger.declare("people", {ProtectionScope::row(), pure_cost("1")}, false);
  constexpr int kWanted = 10;
  const auto charges = [&] { return granted(ledger, kWanted, "0.02"); };
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) processes.push_back(in_child([&] { ::_exit(charges()); }));
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { done += charges(); });
  for (std::thread& thread : threads) thread.join();
  for (const pid_t process : processes) done += status_of(process);
  EXPECT_EQ(done, 50);
  EXPECT_EQ(ledger.history().size(), 51U);
}

// When any code of a process closes the file, the process loses its POSIX locks, on which SQLite
// relies. Four processes with two threads each want 160 releases at 0.01 of a total of 1.
TEST(LedgerFile, KeepsItsLockWhenOtherCodeReadsTheFile) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  ledger.declare("people", {ProtectionScope::row(), pure_cost("1")}, false);
  constexpr int kWanted = 20;
  std::vector<pid_t> processes;
  for (int i = 0; i < 4; ++i) {
    processes.push_back(in_child([&] {
      std::atomic<bool> is_over{false};
      std::thread reader([&] {
        while (!is_over) {
          static_cast<void>(scratch.read("ledger"));
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
      });
      std::atomic<int> done{0};
      std::vector<std::thread> threads;
      for (int k = 0; k < 2; ++k) {
        threads.emplace_back([&] { done += granted(ledger, kWanted, "0.01"); });
      }
      for (std::thread& thread : threads) thread.join();
      is_over = true;
      reader.join();
      ::_exit(done);
    }));
  }
  int done = 0;
  for (const pid_t process : processes) done += status_of(process);
  EXPECT_EQ(done, 100);
  EXPECT_EQ(ledger.history().size(), 101U);
}

// A child that begins while a thread of its parent charges would otherwise inherit the thread's
// locks, and wait for them in vain.
TEST(LedgerFile, AProcessIsForkedBetweenCharges) {
  const Scratch scratch;
  LedgerFile ledger(scratch.path("ledger"), Opening::kOrMakeNew);
  ledger.charge(release_at(pure_cost("0.1")));
  std::atomic<bool> is_charging{false};
  const WatchedFiles files([&](Step step, const std::string& name) {
    if (step != Step::kWrite || name != "ledger-journal" || is_charging.exchange(true)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // time to fork in
  });
  std::atomic<bool> is_forked{false};
  std::thread thread([&] {
    ledger.charge(release_at(pure_cost("0.1")));
    // Nothing but the ledger can hold a lock while the process forks.
    while (!is_forked) std::this_thread::yield();
  });
  while (!is_charging) std::this_thread::yield();
  const pid_t process = in_child([&] {
    ::alarm(10);
    ledger.charge(release_at(pure_cost("0.1")));
  });
  is_forked = true;
  thread.join();
  EXPECT_EQ(status_of(process), 0);
  EXPECT_EQ(ledger.history().size(), 3U);
}

TEST(LedgerFile, StaysTheSameFileWhenTheFolderChanges) {
  const Scratch scratch;
  const pid_t process = in_child([&] {
    if (::chdir(scratch.path("").c_str()) != 0) throw InvalidInput("unreadable-file", "no folder");
    LedgerFile ledger("ledger", Opening::kOrMakeNew);
    if (::chdir("/") != 0) throw InvalidInput("unreadable-file", "no folder");
    ledger.charge(release_at(pure_cost("0.1")));
  });
  EXPECT_EQ(status_of(process), 0);
  EXPECT_EQ(entries_of(scratch.path("ledger")), 1U);
}

constexpr const char* kMoved =
    "the ledger ledger was moved, replaced or deleted after it was opened, so nothing is recorded: "
    "put the file back, or open the ledger again if the new file is meant";

TEST(LedgerFile, RefusesAFileThatIsNotTheOneThatWasOpened) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  const auto charging = [&] {
    return refusal(scratch, [&] { ledger.charge(release_at(pure_cost("0.1"))); });
  };
  EXPECT_EQ(charging(), "");
  std::filesystem::rename(path, scratch.path("kept"));
  EXPECT_EQ(charging(),
            "the ledger ledger cannot be opened: there is no such file in ; make "
            "one with mollify ledger --declare");
  EXPECT_FALSE(std::filesystem::exists(path)) << "made anew";
  LedgerFile(path, Opening::kOrMakeNew).charge(release_at(pure_cost("0.1")));
  EXPECT_EQ(charging(), kMoved);
  EXPECT_EQ(refusal(scratch, [&] { static_cast<void>(ledger.history()); }), kMoved);
  EXPECT_EQ(entries_of(path), 1U);
  EXPECT_EQ(entries_of(scratch.path("kept")), 1U);
  std::filesystem::rename(scratch.path("kept"), path);
  EXPECT_EQ(charging(), "");
  EXPECT_EQ(ledger.history().size(), 2U);
}

// Written over the ledger, a copy has its inode, as a new file has on some file systems.
TEST(LedgerFile, RefusesAnOldCopyOfItselfOrAnotherLedger) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  ledger.charge(release_at(pure_cost("0.1")));
  const auto put = [&](const std::string& file) {
    std::filesystem::copy_file(scratch.path(file), path,
                               std::filesystem::copy_options::overwrite_existing);
  };
  std::filesystem::copy_file(path, scratch.path("old"));
  LedgerFile(scratch.path("other"), Opening::kOrMakeNew).charge(release_at(pure_cost("0.2")));
  ledger.charge(release_at(pure_cost("0.3")));
  std::filesystem::copy_file(path, scratch.path("latest"));
  for (const std::string file : {"old", "other"}) {
    put(file);
    EXPECT_EQ(refusal(scratch, [&] { ledger.charge(release_at(pure_cost("0.1"))); }), kMoved);
    EXPECT_EQ(refusal(scratch, [&] { static_cast<void>(ledger.history()); }), kMoved);
  }
  put("latest");
  LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.1")));
  EXPECT_EQ(refusal(scratch, [&] { ledger.charge(release_at(pure_cost("0.1"))); }), "");
  EXPECT_EQ(ledger.history().size(), 4U);
}

// The file that is locked, the one that SQLite opens and the one that is there afterwards are one.
TEST(LedgerFile, RefusesAFileThatIsReplacedWhileItIsOpened) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  const std::string other = scratch.path("other");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  LedgerFile(other, Opening::kOrMakeNew);
  const auto exchange = [&](Step step, const std::string& name) {
    if (step != Step::kOpen || name != "ledger") return;
    std::filesystem::rename(path, scratch.path("kept"));
    std::filesystem::rename(other, path);
    std::filesystem::rename(scratch.path("kept"), other);
  };
  using Watch = WatchedFiles::Watch;
  for (const auto& [before, after] :
       {std::pair<Watch, Watch>{{}, exchange}, {exchange, exchange}, {exchange, {}}}) {
    const WatchedFiles files(before, after);
    EXPECT_EQ(refusal(scratch, [&] { LedgerFile(path, Opening::kExisting); }), kMoved);
  }
  exchange(Step::kOpen, "ledger");  // another is locked
  const WatchedFiles files(exchange);
  EXPECT_EQ(refusal(scratch, [&] { static_cast<void>(ledger.history()); }), kMoved);
}

// The file is moved, replaced or deleted in the middle of a charge, after SQLite has looked.
TEST(LedgerFile, RefusesToCommitToAFileThatHasMoved) {
  const auto after = [](const std::function<void(const std::string&, const std::string&)>& change) {
    const Scratch scratch;
    const std::string path = scratch.path("ledger");
    const std::string other = scratch.path("other");
    LedgerFile(other, Opening::kOrMakeNew);
    LedgerFile ledger(path, Opening::kOrMakeNew);
    ledger.charge(release_at(pure_cost("0.1")));
    {
      bool is_done = false;
      const WatchedFiles files([&](Step step, const std::string& name) {
        if (step != Step::kWrite || name != "ledger-journal" || is_done) return;
        is_done = true;
        change(path, other);
      });
      EXPECT_EQ(refusal(scratch, [&] { ledger.charge(release_at(pure_cost("0.1"))); }), kMoved);
      EXPECT_TRUE(is_done);
    }
    std::size_t entries = 0;
    std::size_t files = 0;
    for (const auto& file : std::filesystem::directory_iterator(scratch.path(""))) {
      entries += entries_of(file.path().string());
      ++files;
    }
    return std::pair(entries, files);
  };
  const auto moved = after([](const std::string& path, const std::string& other) {
    std::filesystem::rename(path, other);
  });
  EXPECT_EQ(moved, std::pair(std::size_t{1}, std::size_t{1}));
  const auto replaced = after([](const std::string& path, const std::string& other) {
    std::filesystem::rename(other, path);
  });
  EXPECT_EQ(replaced, std::pair(std::size_t{0}, std::size_t{1}));
  const auto deleted =
      after([](const std::string& path, const std::string&) { std::filesystem::remove(path); });
  EXPECT_EQ(deleted, std::pair(std::size_t{0}, std::size_t{1}));
}

TEST(LedgerFile, RefusesASecondHardLink) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile ledger(path, Opening::kOrMakeNew);
  ledger.charge(release_at(pure_cost("0.1")));
  std::filesystem::create_hard_link(path, scratch.path("second"));
  const auto sentence = [](const std::string& name) {
    return "the ledger " + name +
           " has 2 hard links, but must have one, because what is charged by one name could be "
           "lost by another: delete the others (find DIRECTORY -samefile " +
           name + " lists them)";
  };
  EXPECT_EQ(refusal(scratch, [&] { ledger.charge(release_at(pure_cost("0.1"))); }),
            sentence("ledger"));
  EXPECT_EQ(refusal(scratch, [&] { LedgerFile(scratch.path("second"), Opening::kOrMakeNew); }),
            sentence("second"));
  std::filesystem::remove(scratch.path("second"));
  ledger.charge(release_at(pure_cost("0.1")));
  EXPECT_EQ(ledger.history().size(), 2U);
  // A symbolic link leads to the one file.
  std::filesystem::create_symlink(path, scratch.path("symbolic"));
  LedgerFile(scratch.path("symbolic"), Opening::kExisting).charge(release_at(pure_cost("0.1")));
  EXPECT_EQ(ledger.history().size(), 3U);
}

// Whatever is read in two steps may have changed between them.
TEST(LedgerFile, IsReadWholeWhileOthersCharge) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  const LedgerFile ledger(path, Opening::kOrMakeNew);
  int added = 0;
  const WatchedFiles files([&](Step step, const std::string&) {
    if (step != Step::kLock) return;
    added += SQLITE_OK ==
             run_sql(path,
                     "INSERT INTO entries (time, kind, data_set, scope, notion, parameter, delta, "
                     "count, version) VALUES ('', 'release', 'a', 'row', 'pure', '1', '0', 1, '')");
  });
  const std::size_t entries = ledger.history().size();
  EXPECT_GE(added, 5);
  EXPECT_GE(entries, 5U);
}

// A program that is killed before any of its steps: a confirmed charge is charged, and everybody
// else goes on.
TEST(LedgerFile, LosesNothingWhenAProgramIsKilled) {
  int steps = 0;
  for (bool is_killed = true; is_killed; ++steps) {
    SCOPED_TRACE(testing::Message() << "killed before step " << steps);
    const Scratch scratch;
    const std::string path = scratch.path("ledger");
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const pid_t process = in_child([&] {
      int left = steps;
      const WatchedFiles files([&](Step, const std::string&) {
        if (left-- == 0) ::raise(SIGKILL);
      });
      LedgerFile ledger(path, Opening::kOrMakeNew);
      ledger.charge(release_at(pure_cost("0.1")));
      if (::write(pipe[1], "x", 1) != 1)
        throw InvalidInput("unwritable-file", "the test has no pipe");
    });
    ::close(pipe[1]);
    char letter = 0;
    const auto told = static_cast<std::size_t>(::read(pipe[0], &letter, 1));
    ::close(pipe[0]);
    is_killed = status_of(process) == -1;
    LedgerFile ledger(path, Opening::kOrMakeNew);
    const std::size_t found = ledger.history().size();
    EXPECT_GE(found, told);
    EXPECT_LE(found, 1U);
    ledger.charge(release_at(pure_cost("0.1")));
    EXPECT_EQ(ledger.history().size(), found + 1);
    EXPECT_EQ(scratch.file_count(), 1U);
  }
  std::printf("killed before each of %d steps\n", steps - 1);
  EXPECT_GE(steps, 30);
}

// The disk at any time: a file as it was when it was last synchronised, and a deleted one until its
// folder was. A power failure leaves that, and everything charged before is in it.
TEST(LedgerFile, LosesNothingWhenThePowerFails) {
  const Scratch scratch;
  const Scratch disk;
  const std::string path = scratch.path("ledger");
  int failures = 0;
  LedgerFile(path, Opening::kOrMakeNew);
  std::filesystem::copy(path, disk.path("ledger"));
  for (std::size_t charged = 0; charged < 2; ++charged) {
    std::deque<Scratch> after_failure;
    {
      const WatchedFiles files({}, [&](Step step, const std::string& name) {
        if (step == Step::kSync) {
          std::filesystem::copy_file(scratch.path(name), disk.path(name),
                                     std::filesystem::copy_options::overwrite_existing);
        } else if (step == Step::kDeleteForever) {
          std::filesystem::remove(disk.path(name));
        } else {
          return;
        }
        after_failure.emplace_back();
        std::filesystem::copy(disk.path(""), after_failure.back().path(""));
      });
      LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.1")));
    }
    ASSERT_FALSE(after_failure.empty());
    for (const Scratch& failed : after_failure) {
      const std::size_t entries = entries_of(failed.path("ledger"));
      EXPECT_TRUE(entries == charged || entries == charged + 1) << entries;
      ++failures;
    }
    EXPECT_EQ(entries_of(after_failure.back().path("ledger")), charged + 1);
  }
  std::printf("%d power failures\n", failures);
}

}  // namespace

}  // namespace mollify
