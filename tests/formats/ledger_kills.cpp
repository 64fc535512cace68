// Charges that are killed, forked away from, or robbed of their disk, at each of their system
// calls.
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "core/invalid_input.h"
#include "formats/ledger.h"
#include "formats/scratch.h"
#include "formats/traced.h"

namespace mollify {

namespace {

namespace fs = std::filesystem;
using test::kMark;
using test::mark;
using test::Scratch;
using test::Stop;
using test::traced;

#define REQUIRE_TRACING()                                                                \
  if (traced([] {}, [](const Stop&) { return true; }) == test::kNotTraced) {             \
    GTEST_SKIP() << "NOT TESTED: this system does not let a program trace another one."; \
  }

ReleaseCharge a_tenth() {
  return {.data_set = "people",
          .scope = ProtectionScope::table(),
          .cost = ExactPrivacy::pure(Decimal::parse("0.1", "epsilon")),
          .method = "integral",
          .mechanism = "minimax",
          .count = 7,
          .certificate_sha256 = std::string(64, 'c'),
          .without_total = true};
}

void charge_to(const std::string& path) {
  LedgerFile(path, LedgerFile::Opening::kExisting).charge(a_tenth());
}

std::size_t count_in(const std::string& path) {
  return LedgerFile(path, LedgerFile::Opening::kExisting).history().size();
}

/// Opens and charges between two marks. After the second one, a release may have been drawn.
std::function<void()> marked_charge(const std::string& path) {
  return [path] {
    mark();
    charge_to(path);
    mark();
  };
}

/// Counts the system calls of a marked charge.
class Steps {
 public:
  /// Whether the charge is about to make a call, or has returned; counted from 0. Between two calls
  /// a program changes nothing outside of itself.
  bool has(const Stop& stop) {
    if (stop.is_over) return false;
    if (stop.call == kMark) ++marks_;
    if (marks_ == 0 || has_ended_) return false;
    has_ended_ = marks_ == 2;
    ++count_;
    return true;
  }
  /// Whether it is in the charge.
  [[nodiscard]] bool is_on() const { return marks_ == 1; }
  [[nodiscard]] int last() const { return count_ - 1; }
  [[nodiscard]] bool has_returned() const { return marks_ == 2; }

 private:
  int marks_ = 0;
  int count_ = 0;
  bool has_ended_ = false;
};

/// Kills a charge before its call of this number, and finds whether it had returned. Empty if there
/// are fewer calls.
std::optional<bool> killed_at(int step, const std::function<void()>& charge) {
  Steps steps;
  const int status =
      traced(charge, [&](const Stop& stop) { return !steps.has(stop) || steps.last() < step; });
  if (status != -1) return std::nullopt;
  return steps.has_returned();
}

// -----------------------------------------------------------------------------------------------
// Kills, by whatever name the next program comes.

/// A way to the ledger's file.
struct WayTo {
  const char* what;
  std::string path;
  bool is_renamed = false;  ///< while it is used
};

class NamedLedger {
 public:
  NamedLedger() {
    fs::create_directory(scratch_.path("folder"));
    LedgerFile(path_, LedgerFile::Opening::kOrMakeNew);
    fs::create_symlink(path_, scratch_.path("symbolic"));
    fs::create_hard_link(path_, scratch_.path("folder/hard"));
  }
  ~NamedLedger() {
    if (is_mounted_) ::umount2(scratch_.path("bound").c_str(), MNT_DETACH);
  }
  NamedLedger(const NamedLedger&) = delete;
  NamedLedger& operator=(const NamedLedger&) = delete;

  static constexpr std::size_t kWays = 5;
  [[nodiscard]] std::array<WayTo, kWays> ways() const {
    return {{{"its path", path_},
             {"another spelling", scratch_.path("folder/.././ledger")},
             {"a symbolic link", scratch_.path("symbolic")},
             {"a hard link", scratch_.path("folder/hard")},
             {"renamed and back", scratch_.path("folder/renamed"), true}}};
  }

  /// A bind mount of the file alone, as containers have it. False if the system refuses it.
  [[nodiscard]] bool bind(WayTo& way) {
    scratch_.write("bound", "");
    way = {"a bind mount", scratch_.path("bound")};
    is_mounted_ = ::unshare(CLONE_NEWNS) == 0 &&
                  ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                  ::mount(path_.c_str(), way.path.c_str(), nullptr, MS_BIND, nullptr) == 0;
    return is_mounted_;
  }

  template <class Use>
  auto by(const WayTo& way, const Use& use) const {
    if (way.is_renamed) fs::rename(path_, way.path);
    const auto result = use(way.path);
    if (way.is_renamed) fs::rename(way.path, path_);
    return result;
  }

  /// Kills a charge that comes by one way before each of its calls; then another comes by the other
  /// way. Returns the number of kills.
  [[nodiscard]] int kill_everywhere(const WayTo& killed, const WayTo& next) const {
    SCOPED_TRACE(testing::Message() << "killed by " << killed.what << ", next by " << next.what);
    std::size_t entries = by(next, count_in);
    for (int step = 0;; ++step) {
      const auto returned =
          by(killed, [&](const std::string& path) { return killed_at(step, marked_charge(path)); });
      if (!returned) return step;
      by(next, [](const std::string& path) { return charge_to(path), 0; });
      const std::size_t found = by(killed, count_in);
      EXPECT_EQ(by(next, count_in), found) << "step " << step;
      EXPECT_EQ(count_in(path_), found) << "step " << step;
      EXPECT_GE(found, entries + (*returned ? 2 : 1)) << "step " << step << " lost a charge";
      EXPECT_LE(found, entries + 2) << "step " << step;
      entries = found;
    }
  }

 private:
  Scratch scratch_;
  std::string path_ = scratch_.path("ledger");
  bool is_mounted_ = false;
};

TEST(LedgerKills, LoseNothingByAnyName) {
  REQUIRE_TRACING();
  int kills = 0;
  int pairs = 0;
  for (std::size_t killed = 0; killed < NamedLedger::kWays; ++killed) {
    for (std::size_t next = 0; next < NamedLedger::kWays; ++next) {
      const NamedLedger ledger;
      kills += ledger.kill_everywhere(ledger.ways()[killed], ledger.ways()[next]);
      ++pairs;
    }
  }
  std::printf("%d kills by %d pairs of names\n", kills, pairs);
  EXPECT_GE(kills, pairs * 15);
}

TEST(LedgerKills, LoseNothingByABindMount) {
  REQUIRE_TRACING();
  NamedLedger ledger;
  WayTo bound;
  if (!ledger.bind(bound)) {
    GTEST_SKIP() << "NOT TESTED: bind mounts of a ledger. Only root may make them.";
  }
  int kills = ledger.kill_everywhere(bound, bound);
  int pairs = 1;
  for (const WayTo& other : ledger.ways()) {
    if (other.is_renamed) continue;  // the mount keeps the file, and its name may go
    kills += ledger.kill_everywhere(bound, other) + ledger.kill_everywhere(other, bound);
    pairs += 2;
  }
  std::printf("%d kills by %d pairs of names\n", kills, pairs);
  EXPECT_GE(kills, pairs * 15);
}

// The first program makes the file, declares and charges.
TEST(LedgerKills, LoseNothingOfANewLedger) {
  REQUIRE_TRACING();
  int kills = 0;
  for (;; ++kills) {
    const Scratch scratch;
    const std::string path = scratch.path("ledger");
    const auto returned = killed_at(kills, [&] {
      mark();
      LedgerFile ledger(path, LedgerFile::Opening::kOrMakeNew);
      ledger.declare("people", {ProtectionScope::row(), a_tenth().cost}, false);
      ledger.charge(a_tenth());
      mark();
    });
    if (!returned) break;
    LedgerFile next(path, LedgerFile::Opening::kOrMakeNew);
    const std::size_t found = next.history().size();
    EXPECT_LE(found, 2U);
    EXPECT_TRUE(!*returned || found == 2) << kills;
    if (found == 2) {
      EXPECT_THROW(next.charge(a_tenth()), InvalidInput) << "above the total";
    } else {
      next.charge(a_tenth());
      EXPECT_EQ(next.history().size(), found + 1);
    }
    EXPECT_EQ(scratch.file_count(), 1U);
  }
  std::printf("%d kills\n", kills);
  EXPECT_GE(kills, 50);
}

// -----------------------------------------------------------------------------------------------
// Power failures.

// The disk has all synchronised bytes, and any sectors of later ones. After each failure, every
// charge that returned is there.
TEST(LedgerKills, LoseNothingWhenThePowerFails) {
  REQUIRE_TRACING();
  int failures = 0;
  int charges = 0;
  // A charge to an empty ledger, to one with an entry, and to one with a torn entry at its end.
  for (const std::string& torn : {std::string(), std::string(), std::string(700, 't')}) {
    const Scratch scratch;
    const std::string path = scratch.path("ledger");
    LedgerFile(path, LedgerFile::Opening::kOrMakeNew);
    if (charges > 0) charge_to(path);
    const std::size_t before = count_in(path);
    scratch.write("ledger", scratch.read("ledger") + torn);
    std::string on_disk = scratch.read("ledger");
    std::set<std::string> left;
    Steps steps;
    bool is_durable = false;
    bool has_looked = false;
    const auto look = [&](const Stop& stop) {
      steps.has(stop);
      if (steps.has_returned() && !std::exchange(has_looked, true)) {
        is_durable = on_disk == scratch.read("ledger");
      }
      if (!steps.is_on() || !stop.is_over || stop.result < 0) return true;
      const std::string now = scratch.read("ledger");
      if (stop.call == SYS_fsync || stop.call == SYS_fdatasync) on_disk = now;
      if (stop.call != SYS_pwrite64 && stop.call != SYS_ftruncate && stop.call != SYS_fsync)
        return true;
      constexpr std::size_t kSector = 512;
      const std::size_t most = std::max(now.size(), on_disk.size());
      for (std::size_t sectors = 0; sectors < std::size_t{1} << (most / kSector + 1); ++sectors) {
        for (const std::size_t size :
             {on_disk.size(), now.size(), (now.size() + on_disk.size()) / 2}) {
          for (const char* const unwritten : {"as it was", "zeros"}) {
            std::string mixed;
            for (std::size_t at = 0; at < size; ++at) {
              const bool is_written = (sectors >> (at / kSector) & 1U) != 0;
              const std::string& from = is_written ? now : on_disk;
              const bool is_kept = at < from.size() && (is_written || *unwritten == 'a' ||
                                                        at < std::min(now.size(), on_disk.size()));
              mixed += is_kept ? from[at] : '\0';
            }
            left.insert(mixed);
          }
        }
      }
      return true;
    };
    EXPECT_EQ(traced(marked_charge(path), look), 0);
    EXPECT_TRUE(is_durable) << "a release may be drawn before its charge is on the disk";
    EXPECT_EQ(count_in(path), before + 1);
    for (const std::string& content : left) {
      scratch.write("ledger", content);
      const std::size_t found = count_in(path);
      EXPECT_TRUE(found == before || found == before + 1);
      charge_to(path);
      EXPECT_EQ(count_in(path), found + 1);
    }
    failures += static_cast<int>(left.size());
    ++charges;
  }
  std::printf("%d power failures in %d charges\n", failures, charges);
  EXPECT_GE(failures, 20);
}

// -----------------------------------------------------------------------------------------------
// Disks that take nothing more.

/// Lets every later call of this number fail in this process.
void refuse_calls(unsigned number, unsigned error) {
  std::array<sock_filter, 4> program{
      {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
       BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
       BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)}};
  const sock_fprog filter{program.size(), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    ::_exit(70);
  }
}

/// 3 if a charge fails with this sentence.
std::function<void()> failing_charge(const std::string& path, const std::string& why,
                                     const std::function<void()>& first) {
  return [=] {
    LedgerFile ledger(path, LedgerFile::Opening::kExisting);
    first();
    try {
      ledger.charge(a_tenth());
    } catch (const std::runtime_error& error) {
      ::_exit(error.what() == "the ledger " + path + " cannot be used: " + why ? 3 : 1);
    }
  };
}

TEST(LedgerKills, AFullDiskTakesNoCharge) {
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  LedgerFile(path, LedgerFile::Opening::kOrMakeNew).charge(a_tenth());
  const std::string before = scratch.read("ledger");
  charge_to(path);
  const std::size_t entry = scratch.read("ledger").size() - before.size();
  for (std::size_t room = 0; room < entry; ++room) {
    scratch.write("ledger", before);
    const auto fill = [&] {
      std::signal(SIGXFSZ, SIG_IGN);
      const rlimit limit{before.size() + room, RLIM_INFINITY};
      if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(70);
    };
    ASSERT_EQ(test::status_of(test::in_child(failing_charge(path, "File too large", fill))), 3);
    ASSERT_EQ(scratch.read("ledger"), before);
  }
  for (const unsigned call : {unsigned{SYS_pwrite64}, unsigned{SYS_fsync}}) {
    const auto refuse = [&] { refuse_calls(call, EIO); };
    ASSERT_EQ(test::status_of(test::in_child(failing_charge(path, "Input/output error", refuse))),
              3);
    ASSERT_EQ(scratch.read("ledger"), before);
  }
  charge_to(path);
  EXPECT_EQ(count_in(path), 2U);
  std::printf("%zu full disks\n", entry);
}

// -----------------------------------------------------------------------------------------------
// Forks.

std::pair<int, int> new_pipe() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  return {ends[0], ends[1]};
}

template <class Value>
void send(const std::pair<int, int>& pipe, const Value& value) {
  EXPECT_EQ(::write(pipe.second, &value, sizeof value), static_cast<ssize_t>(sizeof value));
}

template <class Value>
Value received(const std::pair<int, int>& pipe) {
  Value value{};
  EXPECT_EQ(::read(pipe.first, &value, sizeof value), static_cast<ssize_t>(sizeof value));
  return value;
}

// A process forks while a thread of its charges. The child charges by the same object, whether the
// thread goes on or its process is killed, and so does everybody else.
TEST(LedgerKills, AProcessForksAtEverySystemCallOfACharge) {
  REQUIRE_TRACING();
  constexpr unsigned kSeconds = 20;
  int forks = 0;
  for (const bool is_killed : {false, true}) {
    bool has_step = true;
    for (int step = 0; has_step; ++step) {
      SCOPED_TRACE(testing::Message() << "step " << step << (is_killed ? ", killed" : ""));
      const Scratch scratch;
      const std::string path = scratch.path("ledger");
      LedgerFile ledger(path, LedgerFile::Opening::kOrMakeNew);
      const auto thread_id = new_pipe();
      const auto go = new_pipe();
      const auto fork_now = new_pipe();
      const auto forked = new_pipe();
      const auto child_go = new_pipe();
      const auto child_done = new_pipe();
      const pid_t process = test::in_child([&] {
        std::thread thread([&] {
          send(thread_id, ::gettid());
          received<char>(go);
          mark();
          ledger.charge(a_tenth());
          mark();
        });
        received<char>(fork_now);
        const pid_t child = test::in_child([&] {
          ::alarm(kSeconds);
          send(forked, ::getpid());
          received<char>(child_go);
          ledger.charge(a_tenth());
          send(child_done, 'd');
        });
        thread.join();
        if (test::status_of(child) != 0) ::_exit(1);
      });
      const auto thread = received<pid_t>(thread_id);
      ASSERT_TRUE(test::trace(thread));
      send(go, 'g');
      Steps steps;
      has_step = false;
      test::follow(thread, [&](const Stop& stop) {
        if (!steps.has(stop) || steps.last() != step) return true;
        has_step = true;
        ++forks;
        send(fork_now, 'f');
        received<pid_t>(forked);
        if (is_killed) {
          ::kill(process, SIGKILL);
        } else {
          send(child_go, 'g');
          ::usleep(5000);  // the child asks for the lock
        }
        return true;
      });
      if (!has_step) {
        send(fork_now, 'f');
        received<pid_t>(forked);
        send(child_go, 'g');
      } else if (is_killed) {
        const pid_t other = test::in_child([&] {
          ::alarm(kSeconds);
          charge_to(path);
        });
        EXPECT_EQ(test::status_of(other), 0) << "waits for a lock of a process that is dead";
        send(child_go, 'g');
      }
      EXPECT_EQ(received<char>(child_done), 'd');
      const int status = test::status_of(process);
      EXPECT_EQ(status, is_killed && has_step ? -1 : 0);
      const std::size_t lost = is_killed && has_step && !steps.has_returned() ? 1 : 0;
      const std::size_t entries = ledger.history().size();
      EXPECT_LE(entries, is_killed && has_step ? 3U : 2U);
      EXPECT_GE(entries + lost, is_killed && has_step ? 3U : 2U);
      for (const auto& pipe : {thread_id, go, fork_now, forked, child_go, child_done}) {
        ::close(pipe.first);
        ::close(pipe.second);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  std::printf("%d forks\n", forks);
  EXPECT_GE(forks, 40);
}

// -----------------------------------------------------------------------------------------------
// Files that change places.

// Another ledger takes the place of the file at each system call of a charge. The charge is refused
// if a later call looks whether the file with the charge is in place, and never goes to the other
// one. That is recorded in each run, as runs differ by a call (for memory, for example).
TEST(LedgerKills, AFileIsReplacedAtEverySystemCallOfACharge) {
  REQUIRE_TRACING();
  const Scratch scratch;
  const std::string path = scratch.path("ledger");
  const std::string other = scratch.path("other");
  LedgerFile(other, LedgerFile::Opening::kOrMakeNew);
  LedgerFile(path, LedgerFile::Opening::kOrMakeNew).charge(a_tenth());
  const std::string empty = scratch.read("other");
  const auto charge_replaced_at = [&](int exchanged_at) -> std::optional<bool> {
    LedgerFile ledger(path, LedgerFile::Opening::kExisting);
    Steps steps;
    bool looks = false;
    const auto charge = [&] {
      try {
        mark();
        ledger.charge(a_tenth());
      } catch (const InvalidInput& error) {
        ::_exit(std::string(error.what()).find(" was moved, replaced or deleted ") !=
                        std::string::npos
                    ? 3
                    : 4);
      }
      mark();
    };
    const int status = traced(charge, [&](const Stop& stop) {
      if (!steps.has(stop)) return true;
      looks = looks || (steps.last() >= exchanged_at && stop.call == SYS_newfstatat &&
                        static_cast<int>(stop.first_argument) == AT_FDCWD);
      if (steps.last() == exchanged_at) {
        fs::rename(path, scratch.path("kept"));
        fs::rename(other, path);
      }
      return true;
    });
    if (steps.last() < exchanged_at) {
      EXPECT_EQ(status, 0);
      return std::nullopt;
    }
    EXPECT_EQ(status, looks ? 3 : 0) << exchanged_at;
    EXPECT_EQ(scratch.read("ledger"), empty) << exchanged_at;
    fs::rename(path, other);
    fs::rename(scratch.path("kept"), path);
    return looks;
  };
  int step = 0, refused = 0;
  for (;; ++step) {
    const std::optional<bool> is_refused = charge_replaced_at(step);
    if (!is_refused) break;
    refused += *is_refused ? 1 : 0;
  }
  std::printf("replaced before %d calls, refused %d times\n", step, refused);
  EXPECT_GE(step, 15);
  EXPECT_GE(refused, 14);
}

}  // namespace

}  // namespace mollify
