// The command among other processes: interrupted, without room to write, without its streams.
#include <chrono>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>

#include "command_line.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

const Arguments kOutputs = {"--out", "out.csv", "--overwrite"};

// A release that is ended after its ledger was charged says so.
TEST(Process, TellsWhatStaysChargedWhenItIsEnded) {
  const Release command;
  const Arguments release =
      kSample + kIntegral + Arguments{"--epsilon",  "4",     "--count",    "3000000",
                                      "--ledger",   "l.db",  "--data-set", "data",
                                      "--no-total", "--out", "out.csv",    "--overwrite"};
  for (int trial = 0; trial < 200; ++trial) {
    const pid_t process = command.start(release);
    std::this_thread::sleep_for(std::chrono::milliseconds(20 + 10 * trial));
    ::kill(process, SIGINT);
    const Ended ended = command.finish(process);
    if (!std::filesystem::exists(command.files.path("l.db"))) continue;  // not charged yet
    if (ended.err.empty()) continue;  // ended between the charge and the words
    EXPECT_EQ(ended.err,
              "mollify: ended by a signal; l.db stays charged for this release of data: epsilon "
              "4\n");
    EXPECT_FALSE(std::filesystem::exists(command.files.path("out.csv")));
    return;
  }
  FAIL() << "no trial was ended while it drew";
}

// Interrupted at many moments: either all of the release is there or nothing.
TEST(Process, InterruptedReleasesAllOrNothing) {
  const Release command;
  const auto before = command.names();
  auto after = before;
  after.insert({"out.csv", "out.csv.certificate.json"});
  std::size_t done = 0;
  constexpr int kTrials = whole_or_sanitized(60, 20);
  for (int trial = 0; trial < kTrials; ++trial) {
    const pid_t process = command.start(kSample + kIntegral + kOutputs +
                                        Arguments{"--epsilon", "100", "--count", "20000"});
    std::this_thread::sleep_for(std::chrono::microseconds(500 * trial));
    ::kill(process, trial % 2 == 0 ? SIGINT : SIGTERM);
    const Ended ended = command.finish(process);
    const auto names = command.names();
    if (names == after) {
      ++done;
      EXPECT_EQ(lines_of(command.files.read("out.csv")).size(), 20'001U);
      EXPECT_EQ(Json::parse(command.files.read("out.csv.certificate.json"))["spec"]["method"],
                "integral");
      std::filesystem::remove(command.files.path("out.csv"));
      std::filesystem::remove(command.files.path("out.csv.certificate.json"));
    } else {
      EXPECT_EQ(names, before);
      EXPECT_NE(ended.status, 0);
    }
  }
  std::printf("%zu of %d releases were done before they were interrupted\n", done, kTrials);
}

/// A terminal that a command can write to.
class Terminal {
 public:
  Terminal() : descriptor_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_GE(descriptor_, 0);
    EXPECT_EQ(::grantpt(descriptor_) | ::unlockpt(descriptor_), 0);
    path_ = ::ptsname(descriptor_);
    ::fcntl(descriptor_, F_SETFL, O_NONBLOCK);
    held_ = ::open(path_.c_str(), O_RDWR | O_NOCTTY);  // so that it outlives the command
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal() {
    ::close(held_);
    ::close(descriptor_);
  }

  [[nodiscard]] const std::string& path() const { return path_; }

  /// The text written to it.
  [[nodiscard]] std::string shown() const {
    std::string text;
    char some[4096];
    for (ssize_t count = 0; (count = ::read(descriptor_, some, sizeof some)) > 0;) {
      text.append(some, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int descriptor_;
  int held_ = -1;
  std::string path_;
};

// A command's progress. It is given little of each fifth of a second, so that on any machine its
// work takes longer than the second after which progress is shown.
std::string shown_slowly(const Release& command, pid_t process, const Terminal& terminal,
                         const std::string& awaited) {
  std::string shown;
  for (int turn = 0; turn < 400 && shown.find(awaited) == std::string::npos; ++turn) {
    ::kill(process, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(190));
    ::kill(process, SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    shown += terminal.shown();
  }
  ::kill(process, SIGKILL);
  static_cast<void>(command.finish(process));
  return shown;
}

// Units that take 10 microseconds and more. Progress is shown there and nowhere else.
TEST(Process, ShowsProgressOnATerminalOnly) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  std::string rows = "id,weight,age\n";
  for (int unit = 0; unit < 40000; ++unit) {
    rows += std::to_string(unit) + ",70," + std::to_string(unit % 100) + "\n";
  }
  command.files.write("data.csv", rows);
  const Arguments release =
      Arguments{"sample",   "local",       "--unit",       "id",    "--data",    "data.csv",
                "--domain", "domain.yaml", "--candidates", "20000", "--threads", "1"} +
      kOneDraw;
  const Terminal terminal;
  const pid_t process = command.start_into(release, command.files.path("out"), terminal.path());
  const std::string shown = shown_slowly(command, process, terminal, "s left");
  EXPECT_NE(shown.find(" of 40000 units, "), std::string::npos) << shown;
  EXPECT_NE(shown.find(" a second, "), std::string::npos) << shown;
}

// A plan's steps nobody can count beforehand.
TEST(Process, ShowsHowLongAPlanTakesOnATerminalOnly) {
  const Release command;
  command.files.write("domain.yaml",
                      "columns:\n  weight: {type: number, min: 40, max: 120, null: 40}\n"
                      "  age: {type: number, min: 0, max: 100, null: 0}\n");
  const Terminal terminal;
  const pid_t process = command.start_into(
      {"plan", "gaussian", "--domain", "domain.yaml", "--covariance-bound", "100", "--mean-bound",
       "100", "--alpha", "0.01", "--count", "50", "--delta", "1e-6", "--epsilon", "0.5,1,2,4"},
      command.files.path("out"), terminal.path());
  const std::string shown = shown_slowly(command, process, terminal, "s so far");
  EXPECT_NE(shown.find("planning, 2 s so far"), std::string::npos) << shown;
}

// So is every file that takes long to read.
TEST(Process, ShowsHowFarAFileIsReadOnATerminalOnly) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  std::string rows = "id,weight,age\n";
  for (int row = 0; row < 2'000'000; ++row) rows += std::to_string(row) + ",70,30\n";
  command.files.write("data.csv", rows);
  const Terminal terminal;
  const pid_t process = command.start_into(
      {"check", "--data", "data.csv", "--domain", "domain.yaml", "--reference", "data.csv"},
      command.files.path("out"), terminal.path());
  const std::string shown = shown_slowly(command, process, terminal, "s left");
  EXPECT_NE(shown.find(" MB of data.csv read, "), std::string::npos) << shown;
  EXPECT_EQ(command.files.read("out").find(" MB of "), std::string::npos);
}

TEST(Process, FailsWithOneSentenceWhereThereIsNoRoom) {
  const Release command;
  const auto before = command.names();
  const Ended to_device = command.run(kSample + kIntegral + kOneDraw +
                                      Arguments{"--out", "/dev/full", "--certificate", "out.json"});
  EXPECT_EQ(to_device.status, 1);
  EXPECT_EQ(to_device.err, "mollify: /dev/full cannot be written: No space left on device\n");
  EXPECT_EQ(to_device.out, "");
  EXPECT_EQ(command.names(), before);

  const std::string err = command.files.path("err.txt");
  const Ended to_stream = command.run_into(
      kSample + kIntegral + kOneDraw + Arguments{"--certificate", "out.json"}, "/dev/full", err);
  EXPECT_EQ(to_stream.status, 1);
  EXPECT_EQ(command.files.read("err.txt"), "mollify: standard output cannot be written\n");
  EXPECT_FALSE(command.names().contains("out.json"));
}

// Every command, for the short outputs stay in a buffer until the end.
TEST(Process, FailsWhereStandardOutputIsFullOrClosed) {
  const Release command;
  const std::string err = command.files.path("err.txt");
  const Arguments domain = {"--domain", "domain.yaml"};
  for (const Arguments& words : std::vector<Arguments>{
           kSample + kIntegral + kOneDraw,
           kSample + kIntegral + kOneDraw + Arguments{"--json"},
           Arguments{"check", "--data", "data.csv"} + domain,
           Arguments{"compare", "integral", "--data", "data.csv", "--epsilon", "8"} + domain,
           Arguments{"plan", "local", "--epsilon", "1"} + domain,
           {"risk", "--k", "3", "--epsilon", "1"},
           {"verify", "--k", "3", "--epsilon", "1"},
           {"domain", "--public", "data.csv"}}) {
    for (const char* out : {"/dev/full", ""}) {
      const Ended ended = command.run_into(words, out, err);
      EXPECT_EQ(ended.status, 1) << words[0] << " into \"" << out << "\"";
      EXPECT_EQ(command.files.read("err.txt"), "mollify: standard output cannot be written\n");
    }
  }
}

// With a stream closed, its number must not go to a file that is then printed into.
TEST(Process, KeepsMessagesOutOfItsFilesWhenStreamsAreClosed) {
  const Release command;
  const Ended ended = command.run_into(kSample + kIntegral + kOneDraw + kOutputs, "", "");
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(lines_of(command.files.read("out.csv")).size(), 2U);
  EXPECT_EQ(Json::parse(command.files.read("out.csv.certificate.json"))["mechanism"], "minimax");
}

TEST(Process, RefusesAlsoWhenNobodyListens) {
  const Release command;
  for (const char* err : {"/dev/full", ""}) {
    const Ended ended = command.run_into(
        kSample + kIntegral + Arguments{"--epsilon", "-1", "--count", "1"}, "/dev/null", err);
    EXPECT_EQ(ended.status, 2) << err;
    const Ended released =
        command.run_into(kSample + kIntegral + kOneDraw, command.files.path("out.txt"), err);
    EXPECT_EQ(released.status, 0) << err;
    EXPECT_EQ(lines_of(command.files.read("out.txt")).size(), 2U);
  }
}

TEST(Process, ReplacesAnEarlierReleaseWhole) {
  const Release command;
  const Arguments words = kSample + kIntegral + kOutputs + Arguments{"--epsilon", "1"};
  ASSERT_EQ(command.run(words + Arguments{"--count", "9"}).status, 0);
  const std::string nine = command.files.read("out.csv");
  ASSERT_EQ(command.run(words + Arguments{"--count", "0"}).status, 2);
  EXPECT_EQ(command.files.read("out.csv"), nine);
  ASSERT_EQ(command.run(words + Arguments{"--count", "3"}).status, 0);
  EXPECT_EQ(lines_of(command.files.read("out.csv")).size(), 4U);
}

TEST(Process, TakesTheEntropyOfTheOperatingSystemAnewEachTime) {
  const Release command;
  const Arguments words = kSample + kIntegral + Arguments{"--epsilon", "1", "--count", "100"};
  EXPECT_NE(command.run(words).out, command.run(words).out);
}

}  // namespace
}  // namespace mollify::test
