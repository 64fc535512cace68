#include "formats/ledger.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
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
#include "formats/traced.h"

namespace mollify {

namespace {

using test::in_child;
using test::refusal;
using test::Scratch;
using test::status_of;
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
            "the total of \"people\" in ledger is epsilon 1: epsilon 0 remains, and this release "
            "costs epsilon 0.1; declare a higher total (mollify ledger --replace)");
  EXPECT_EQ(refused(release_at(ExactPrivacy::gaussian(Decimal(1.0)))),
            "the total of \"people\" in ledger is a pure epsilon, but this release promises mu");
  EXPECT_EQ(refused(release_at(pure_cost("0.1"), ProtectionScope::row())),
            "the total of \"people\" in ledger protects each unit of id, but this release protects "
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
            "\"places\" has no total in ledger, which has totals for \"people\" (--data-set names "
            "one), so "
            "nothing would ever be refused: declare one (mollify ledger --ledger ledger --declare "
            "--data-set places --epsilon E), or say that none is meant (--no-total)");
  other.cost = ExactPrivacy::gaussian(Decimal(1.0));
  EXPECT_THAT(refused(other), testing::HasSubstr("--data-set places --epsilon E --delta D)"));
  other.cost = pure_cost("100");
  other.data_set = "/data/places.csv";  // a file's
  EXPECT_EQ(
      refused(other),
      "\"/data/places.csv\" has no total in ledger, which has totals for \"people\" (--data-set "
      "names "
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
  const ChargeReceipt link = charged("", {"/b", {{1, 10}}});
  EXPECT_EQ(link.data_set.data_set, "/a") << "a hard link";
  EXPECT_TRUE(link.other_names.empty()) << "the name that is charged is no other one";
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
  const ChargeReceipt back = charged("/a", first);
  EXPECT_EQ(back.data_set.data_set, "/a");
  EXPECT_EQ(back.other_names, std::vector<std::string>{"others"});
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
  EXPECT_EQ(
      declaring(row, pure_cost("2"), false),
      "\"people\" already has a total in ledger: epsilon 1 for each row. --replace replaces it");
  EXPECT_EQ(
      declaring(ProtectionScope::table(), pure_cost("1"), false),
      "\"people\" already has a total in ledger: epsilon 1 for each row. --replace replaces it");
  ledger.charge(release_at(pure_cost("0.5"), row));
  EXPECT_EQ(
      declaring(row, pure_cost("0.4"), true),
      "\"people\" has spent more in ledger already than epsilon 0.4: epsilon 0.5, if costs are "
      "summed; declare a higher total");
  EXPECT_EQ(
      declaring(ProtectionScope::table(), pure_cost("2"), true),
      "a total for the whole table cannot be kept: release 2 of \"people\" in ledger protects "
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
  EXPECT_EQ(
      replacing(pure_cost("2")),
      "\"people\" has spent more in ledger already than epsilon 2: epsilon 1 and delta 1e-6, if "
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
  const std::string database = std::string("SQLite format 3\0", 16) + std::string(1000, '\0');
  for (const std::string& other : {database, database.substr(0, 20), std::string("\n"),
                                   std::string("mollify ledger, but not the first line\n")}) {
    scratch.write("other", other);
    EXPECT_EQ(opening("other", Opening::kOrMakeNew),
              "other is not a ledger but a file of another kind");
    EXPECT_EQ(scratch.read("other"), other);
  }
  std::string former = database;
  former.replace(68, 4, "moll");
  scratch.write("former", former);
  EXPECT_EQ(opening("former", Opening::kOrMakeNew),
            "the ledger former was made by an earlier version of mollify, as a database: keep it, "
            "make a new ledger with mollify ledger --declare, and declare there what each total "
            "has left");
  EXPECT_EQ(scratch.read("former"), former);
  EXPECT_EQ(opening("/dev/null", Opening::kOrMakeNew),
            "/dev/null is not a ledger but a file of another kind");
  EXPECT_EQ(opening("none", Opening::kExisting),
            "the ledger none cannot be opened: there is no such file in ; make "
            "one with mollify ledger --declare");
  EXPECT_EQ(opening("none/ledger", Opening::kOrMakeNew),
            "the ledger none/ledger cannot be opened: make the folder none first (mkdir -p none)");
  EXPECT_EQ(opening(".", Opening::kOrMakeNew), "the ledger . cannot be opened: Is a directory");
  scratch.write("empty", "");
  EXPECT_EQ(opening("empty", Opening::kExisting), "empty is empty, not a ledger");
  EXPECT_EQ(opening("empty", Opening::kOrMakeNew), "");
  scratch.write("later", "mollify ledger 4\nsomething else\n");
  EXPECT_EQ(opening("later", Opening::kExisting),
            "the ledger later must have format 3, but has format 4");
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

std::string damaged_at(int entry) {
  return "the ledger damaged is damaged: entry " + std::to_string(entry) +
         " is not as it was written. Put back a copy that has all entries, or make a new ledger "
         "and declare what each total has left";
}

// Whatever byte is another one: the ledger is refused, or has all of its entries.
TEST(LedgerFile, RefusesADamagedFile) {
  const Scratch scratch;
  const std::string path = scratch.path("damaged");
  LedgerFile(path, Opening::kOrMakeNew).declare("p", {{}, pure_cost("1")}, false);
  for (int i = 0; i < 3; ++i)
    LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.1")));
  const std::string whole = scratch.read("damaged");
  const auto entries_in = [&](const std::string& content) {
    scratch.write("damaged", content);
    try {
      return LedgerFile(path, Opening::kExisting).history().size();
    } catch (const InvalidInput&) {
      return std::size_t{4};
    }
  };
  int tried = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char letter : {'\0', '\n', static_cast<char>(whole[at] ^ 1)}) {
      std::string content = whole;
      content[at] = letter;
      EXPECT_EQ(entries_in(content), 4U) << "byte " << at << " as " << static_cast<int>(letter);
      ++tried;
    }
  }
  std::printf("%d files with another byte\n", tried);
  const auto reading = [&](const std::string& content) {
    scratch.write("damaged", content);
    return refusal(scratch, [&] { LedgerFile(path, Opening::kExisting); });
  };
  const std::size_t first = whole.find('\n', whole.find('\n') + 1) + 1;
  const std::size_t second = whole.find('\n', first) + 1;
  EXPECT_EQ(reading(whole.substr(0, first) + whole.substr(second)), damaged_at(1)) << "one is gone";
  EXPECT_EQ(reading(whole.substr(0, second) + whole.substr(first)), damaged_at(2)) << "repeated";
  std::string zeros = whole;
  zeros.replace(second, 10, 10, '\0');
  EXPECT_EQ(reading(zeros), damaged_at(2));
  std::string changed = whole;
  changed.replace(changed.rfind("0.1"), 3, "0.0");
  EXPECT_EQ(reading(changed), damaged_at(4)) << "the last one";
  EXPECT_EQ(scratch.read("damaged"), changed) << "nothing is repaired";
}

// A charge that was told is whole on the disk. Of one that was not, a crash or a power failure
// leaves a beginning, zeros, or some sectors: it counts if it is whole, and otherwise it is
// replaced.
TEST(LedgerFile, ReplacesATornEntry) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  ReleaseCharge release = release_at(pure_cost("0.1"));
  LedgerFile(path, Opening::kOrMakeNew).charge(release);
  const std::string before = scratch.read("ledger");
  release.data_set = std::string(1500, 'n');  // more than three sectors
  LedgerFile(path, Opening::kExisting).charge(release);
  const std::string after = scratch.read("ledger");
  int tried = 0;
  const auto check = [&](const std::string& content) {
    scratch.write("ledger", content);
    const bool is_whole =
        content.find(after.substr(before.size(), after.size() - 1 - before.size()),
                     before.size()) == before.size();
    const std::size_t entries = is_whole ? 2 : 1;
    ASSERT_EQ(entries_of(path), entries) << content.size();
    ASSERT_EQ(scratch.read("ledger"), content) << "reading repairs nothing";
    LedgerFile(path, Opening::kExisting).charge(release_at(pure_cost("0.2")));
    const auto history = LedgerFile(path, Opening::kExisting).history();
    ASSERT_EQ(history.size(), entries + 1);
    ASSERT_EQ(history.back().cost, pure_cost("0.2"));
    ++tried;
  };
  for (std::size_t size = before.size(); size <= after.size();
       size += size + 3 < after.size() && size > before.size() + 3 ? 17U : 1U) {
    check(after.substr(0, size));
    for (const std::size_t zeros : {std::size_t{1}, after.size() - size, std::size_t{4096}}) {
      check(after.substr(0, size) + std::string(zeros, '\0'));
    }
  }
  constexpr std::size_t kSector = 512;
  const std::size_t first = before.size() / kSector;
  const std::size_t sectors = after.size() / kSector - first + 1;
  for (std::size_t lacking = 1; lacking < std::size_t{1} << sectors; ++lacking) {
    std::string content = after;
    for (std::size_t at = before.size(); at < content.size(); ++at) {
      if ((lacking >> (at / kSector - first) & 1U) != 0) content[at] = '\0';
    }
    check(content);
    check(content.substr(0, content.size() - 70));
  }
  // The header.
  const std::size_t header = before.find('\n', before.find('\n') + 1) + 1;
  for (std::size_t size = 0; size < header; ++size) {
    for (const std::size_t zeros : {std::size_t{0}, header - size}) {
      scratch.write("ledger", before.substr(0, size) + std::string(zeros, '\0'));
      ASSERT_EQ(refusal(scratch, [&] { LedgerFile(path, Opening::kExisting); }),
                "ledger is empty, not a ledger");
      LedgerFile(path, Opening::kOrMakeNew).charge(release_at(pure_cost("0.1")));
      ASSERT_EQ(entries_of(path), 1U);
      ++tried;
    }
  }
  std::printf("%d torn files\n", tried);
}

// A name may hold any bytes but NUL.
TEST(LedgerFile, KeepsNamesOfAnyBytes) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  for (const std::string name : {"a\tb", "a\nb", "a\\x09b", "\xff\xfe", "\\", "a\x7f", "Zürich"}) {
    ReleaseCharge release = release_at(pure_cost("0.1"), ProtectionScope::of_unit(name));
    release.data_set = name;
    release.file = DataFile{"/" + name, {{1, 2}}};
    release.another_data_set = true;
    LedgerFile(path, Opening::kOrMakeNew).charge(release);
    const LedgerEntry entry = LedgerFile(path, Opening::kExisting).history().back();
    EXPECT_EQ(entry.data_set, name);
    EXPECT_EQ(entry.scope, ProtectionScope::of_unit(name));
    ASSERT_TRUE(entry.file);
    EXPECT_EQ(entry.file->path, "/" + name);
    EXPECT_EQ(entry.file->identity, release.file->identity);
  }
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

// When any code of a process closes the file, the process loses its POSIX locks. Four processes
// with two threads each want 160 releases at 0.01 of a total of 1.
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
  // Neither has an entry.
  const LedgerFile first(scratch.path("first"), Opening::kOrMakeNew);
  LedgerFile(scratch.path("second"), Opening::kOrMakeNew);
  std::filesystem::rename(scratch.path("second"), scratch.path("first"));
  EXPECT_THROW((void)first.history(), InvalidInput);
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

}  // namespace

}  // namespace mollify
