// Releases that are charged to a ledger, and the ledger's answers.
#include "formats/ledger.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/decimals.h"
#include "base/sha256.h"
#include "command_line.h"

namespace mollify::test {
namespace {

/// A charge is never without its certificate.
const Arguments kKept = {"--certificate", "kept.json", "--overwrite"};
const Arguments kCharged = Arguments{"--ledger", "ledger", "--no-total"} + kKept;
const Arguments kNamed = {"--ledger", "ledger", "--data-set", "people"};
/// Of releases: total or not, and small tables.
const Arguments kFree = kNamed + Arguments{"--no-total"} + kKept;
const Arguments kAccepted = {"--accept-error"};

Arguments declaring(const Arguments& total) {
  return Arguments{"ledger", "--declare"} + kNamed + total;
}

Json ledger_of(const CommandLine& command) {
  return Json::parse(command.run({"ledger", "--ledger", "ledger", "--json"}).out);
}

TEST(Ledger, IsNotMadeOfAFileThatHoldsAnything) {
  const Release command;
  for (const std::string& bytes : {std::string("x"), std::string("\n"), std::string(300, 'x')}) {
    command.files.write("ledger", bytes);
    const Ended ended =
        command.run(kSample + kIntegral + kOneDraw + Arguments{"--ledger", "ledger"} + kKept);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err, "mollify: ledger is not a ledger but a file of another kind\n");
    EXPECT_EQ(command.files.read("ledger"), bytes);
  }
}

TEST(Ledger, KeepsTheScopeOfATotalAndTheWarningOfNoise) {
  const Release command;
  const Arguments people = {"--ledger", "ledger", "--data-set", "all people of the year 2025"};
  ASSERT_EQ(command
                .run(Arguments{"ledger", "--declare", "--epsilon", "1", "--delta", "1e-5"} +
                     people + Arguments{"--scope", "unit=id"})
                .status,
            0);
  const Ended replaced =
      command.run(Arguments{"ledger", "--replace", "--epsilon", "3", "--delta", "1e-5"} + people);
  EXPECT_EQ(replaced.status, 0) << replaced.err;
  EXPECT_THAT(replaced.out, ::testing::HasSubstr("unit"));
  EXPECT_EQ(ledger_of(command)["data_sets"][0]["scope"], "unit=id");
  // The names take the room of all other notes.
  const Ended noisy =
      command.run(Arguments{"sample", "local", "--data", "data.csv", "--domain", "domain.yaml",
                            "--unit", "id", "--epsilon", "0.5", "--accept-error", "--out",
                            "a_long_name_of_a_release_of_people.csv"} +
                  people);
  EXPECT_EQ(noisy.status, 0) << noisy.err;
  EXPECT_THAT(noisy.err, ::testing::HasSubstr(" noise; "));
}

TEST(Ledger, ChargesWhatWasTypedAndRefusesWhatWouldPassTheTotal) {
  const Release command;
  const Arguments tenth = kSample + kIntegral + kFree + Arguments{"--epsilon", "0.1"} +
                          Arguments{"--count", "3", "--out", "out.csv"};
  EXPECT_EQ(command.run(declaring({"--epsilon", "1"})).status, 0);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(command.run(tenth).status, 0) << i;
  const std::string tenth_release = command.files.read("out.csv");
  const Ended refused = command.run(tenth);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: the total of \"people\" in ledger is epsilon 1: epsilon 0 remains, and this "
            "release costs epsilon 0.1; declare a higher total (mollify ledger --replace)\n");
  EXPECT_EQ(command.files.read("out.csv"), tenth_release);

  const Json ledger = ledger_of(command);
  EXPECT_EQ(ledger["data_sets"].size(), 1U);
  const Json& people = ledger["data_sets"][0];
  EXPECT_EQ(people["data_set"], "people");
  EXPECT_EQ(people["scope"], "row");
  EXPECT_EQ(people["total"]["epsilon"], "1");
  EXPECT_EQ(people["spent"]["epsilon"], "1");
  EXPECT_EQ(people["rule"], "basic composition");
  EXPECT_EQ(people["remaining"]["epsilon"], "0");
  EXPECT_EQ(people["releases"], 10);
  ASSERT_EQ(ledger["history"].size(), 11U);
  const Json& entry = ledger["history"][10];
  EXPECT_EQ(entry["kind"], "release");
  EXPECT_EQ(entry["method"], "integral");
  EXPECT_EQ(entry["mechanism"], "minimax");
  EXPECT_EQ(entry["scope"], "table");
  EXPECT_EQ(entry["count"], 3);
  EXPECT_EQ(entry["cost"]["epsilon"], "0.1");

  // The hash is the certificate's, and its promise is not above the charge, exactly.
  const std::string certificate = command.files.read("kept.json");
  Sha256 hash;
  hash.add(certificate);
  EXPECT_EQ(entry["certificate_sha256"], hash.hex());
  const double promised = Json::parse(certificate)["privacy"]["epsilon"];
  EXPECT_LE(Decimal(promised), Decimal::parse("0.1", "epsilon"));
  EXPECT_EQ(promised, std::nextafter(0.1, 0.0));
}

// A budget that a program has added up has digits that nobody wants to read.
TEST(Ledger, TellsSixDigits) {
  const Release command;
  EXPECT_EQ(command.run(declaring({"--epsilon", "3.5"})).status, 0);
  const Arguments sample = kSample + kIntegral + kFree + Arguments{"--count", "1"};
  ASSERT_EQ(command.run(sample + Arguments{"--epsilon", "0.30000000000000004"}).status, 0);
  const auto lines = lines_of(command.run({"ledger", "--ledger", "ledger"}).out);
  EXPECT_EQ(lines[2], "  spent      epsilon 0.300001 (basic composition)");
  EXPECT_EQ(lines[3], "  remaining  epsilon 3.19999");
  EXPECT_EQ(ledger_of(command)["data_sets"][0]["remaining"]["epsilon"], "3.19999");
  EXPECT_EQ(
      command.run(sample + Arguments{"--epsilon", "5"}).err,
      "mollify: the total of \"people\" in ledger is epsilon 3.5: epsilon 3.19999 remains, and "
      "this "
      "release costs epsilon 5; release with what remains, or declare a higher total (mollify "
      "ledger --replace)\n");
}

TEST(Ledger, ShowsSpentRemainingAndHistory) {
  const Release command;
  ASSERT_EQ(command.run(kSample + kIntegral + kFree + kOneDraw).status, 0);
  const Ended shown = command.run({"ledger", "--ledger", "ledger"});
  EXPECT_EQ(shown.status, 0);
  const auto lines = lines_of(shown.out);
  ASSERT_EQ(lines.size(), 5U) << shown.out;
  EXPECT_EQ(lines[0], "people");
  EXPECT_EQ(lines[1], "  total      none declared");
  EXPECT_EQ(lines[2], "  spent      epsilon 1 (basic composition)");
  EXPECT_NE(
      lines[4].find("people: epsilon 1 by minimax (integral), --count 1, for the whole table"),
      std::string::npos);
  const Ended declared = command.run(declaring({"--rho", "0.75", "--scope", "table"}));
  EXPECT_EQ(lines_of(declared.out)[1], "  total      rho 0.75, for the whole table");
  EXPECT_EQ(lines_of(declared.out)[2], "  spent      rho 0.5 (basic composition)");
  EXPECT_EQ(lines_of(declared.out)[3], "  remaining  rho 0.25");
}

// A draw counts as 30 at most, and that is then what is charged; mu is charged as it was typed.
TEST(Ledger, ChargesWhatIsPromised) {
  const Release command;
  const auto last_cost = [&] { return ledger_of(command)["history"].back()["cost"]; };
  ASSERT_EQ(command
                .run(kSample + kIntegral + kFree + Arguments{"--epsilon", "100.1"} +
                     Arguments{"--count", "2"})
                .status,
            0);
  EXPECT_EQ(last_cost(), Json({{"epsilon", "60"}}));
  ASSERT_EQ(command.run(kSample + kLocal + kFree + Arguments{"--mu", "0.3", "--count", "2"}).status,
            0);
  EXPECT_EQ(last_cost(), Json({{"mu", "0.3"}}));
  EXPECT_EQ(ledger_of(command)["history"].back()["scope"], "unit=id");
}

// Local, integral and central releases from the same data add up for each row; a central one over
// rows says nothing about people.
TEST(Ledger, ComposesAcrossModels) {
  const Release command;
  const Arguments central = kSample + Arguments{"@central"} + kAccepted;
  const Arguments quarter = {"--epsilon", "0.25", "--count", "1"};
  const Arguments by_mu = {"--mu", "0.1", "--count", "1"};
  ASSERT_EQ(command.run(declaring({"--epsilon", "1", "--delta", "1e-6"})).status, 0);
  const auto people = [&] { return ledger_of(command)["data_sets"][0]; };
  ASSERT_EQ(command.run(kSample + kIntegral + kFree + quarter).status, 0);
  ASSERT_EQ(command.run(kSample + kLocal + kFree + quarter).status, 0);
  ASSERT_EQ(command.run(central + kFree + quarter).status, 0);
  ASSERT_EQ(command.run(central + kFree + Arguments{"--unit", "id"} + quarter).status, 0);
  EXPECT_EQ(people()["releases"], 4);
  const auto history = ledger_of(command)["history"];
  EXPECT_EQ(history[3]["scope"], "row");
  EXPECT_EQ(history[3]["method"], "central");
  EXPECT_EQ(history[3]["cost"], Json({{"epsilon", "0.25"}}));
  EXPECT_EQ(history[4]["scope"], "unit=id");
  EXPECT_EQ(command.run(kSample + kLocal + kFree + by_mu).status, 2);
  ASSERT_EQ(
      command.run(Arguments{"ledger", "--replace", "--epsilon", "2", "--delta", "1e-6"} + kNamed)
          .status,
      0);
  EXPECT_EQ(command.run(kSample + kLocal + kFree + by_mu).status, 0);
  EXPECT_EQ(people()["rule"], "Gaussian-DP composition");
  // The delta spent is all of the total's, though no release took any of it: both are stated.
  EXPECT_EQ(people()["spent"]["delta"], "0.000001");
  EXPECT_EQ(people()["remaining"]["delta"], "0.000001");
  EXPECT_THAT(
      command.run({"ledger", "--ledger", "ledger"}).out,
      ::testing::HasSubstr(" and delta 1e-6: at all of the total's delta; releases took 0 of "
                           "it (Gaussian-DP composition)\n"));

  const Arguments other = {"--ledger", "ledger", "--data-set", "others"};
  const Arguments another = other + Arguments{"--another-data-set"} + kKept;
  ASSERT_EQ(
      command.run(Arguments{"ledger", "--declare", "--epsilon", "1", "--scope", "unit=id"} + other)
          .status,
      0);
  const Ended refused = command.run(central + another + quarter);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: the total of \"others\" in ledger protects each unit of id, but this release "
            "protects no more than each row; add --unit id, so that it protects them\n");
  EXPECT_EQ(refused.out, "");
}

// One name for one file, however it is reached.
TEST(Ledger, NamesADataSetByItsFile) {
  const Release command;
  std::filesystem::create_symlink("data.csv", command.files.path("link.csv"));
  std::filesystem::create_directory(command.files.path("folder"));
  for (const char* data : {"data.csv", "./data.csv", "link.csv", "folder/../data.csv"}) {
    ASSERT_EQ(command
                  .run(Arguments{"sample", "--data", data, "--domain", "domain.yaml"} + kIntegral +
                       kCharged + kOneDraw + kAccepted)
                  .status,
              0);
  }
  const Json ledger = ledger_of(command);
  ASSERT_EQ(ledger["data_sets"].size(), 1U);
  EXPECT_EQ(ledger["data_sets"][0]["data_set"],
            std::filesystem::canonical(command.files.path("data.csv")).string());
  EXPECT_EQ(ledger["data_sets"][0]["releases"], 4);
  EXPECT_EQ(command.run({"ledger", "--ledger", "ledger", "--data", "link.csv"}).status, 0);
}

// Of a total in two parts, the part that is missing is named; a total nobody touched is all there.
TEST(Ledger, SaysWhatIsMissing) {
  const Release command;
  const Ended declared = command.run(declaring({"--epsilon", "2", "--delta", "1e-7"}));
  EXPECT_EQ(lines_of(declared.out)[3], "  remaining  epsilon 2 and delta 1e-7");
  const Arguments central =
      kSample + Arguments{"@central", "--count", "1"} + kAccepted + kNamed + kKept;
  const auto refused = [&](const Arguments& budget) {
    const Ended ended = command.run(central + budget);
    EXPECT_EQ(ended.status, 2) << ended.err;
    return ended.err;
  };
  EXPECT_EQ(refused({"--epsilon", "1", "--delta", "1e-6"}),
            "mollify: the total of \"people\" in ledger is epsilon 2 and delta 1e-7: epsilon 2 and "
            "delta 1e-7 remain (delta is too small), and this release costs epsilon 1 and delta "
            "1e-6; release with what remains, or declare a higher total (mollify ledger "
            "--replace)\n");
  EXPECT_THAT(refused({"--epsilon", "3", "--delta", "1e-6"}),
              ::testing::HasSubstr("remain (both are too small)"));
  EXPECT_THAT(refused({"--epsilon", "3", "--delta", "1e-8"}),
              ::testing::HasSubstr("remain, and this release costs epsilon 3"));
}

// The remainder of a total with a delta is stated to four digits, with its delta.
TEST(Ledger, SaysWhatIsLeftOfBothParts) {
  const Release command;
  EXPECT_EQ(command.run(declaring({"--epsilon", "2", "--delta", "1e-6"})).status, 0);
  const Ended charged = command.run(
      kSample + Arguments{"@central", "--count", "1", "--epsilon", "1", "--delta", "1e-7"} +
      kAccepted + kNamed + kKept);
  EXPECT_EQ(charged.status, 0) << charged.err;
  EXPECT_THAT(charged.err, ::testing::HasSubstr(
                               "charged: epsilon 1 and delta 1e-7 to people in ledger\n"
                               "left: epsilon 1 and delta 9e-7; the total is epsilon 2 and delta "
                               "1e-6\n"));
}

// A charge stays, even if the records could not be written.
TEST(Ledger, KeepsTheChargeOfAReleaseThatFailed) {
  const Release command;
  EXPECT_EQ(
      command.run(kSample + kIntegral + kFree + kOneDraw + Arguments{"--out", "/dev/full"}).status,
      1);
  EXPECT_EQ(ledger_of(command)["data_sets"][0]["spent"]["epsilon"], "1");
  // An earlier refusal charges nothing.
  EXPECT_EQ(command.run(kSample + kIntegral + kFree + kOneDraw + Arguments{"--out", "/none/a.csv"})
                .status,
            2);
  EXPECT_EQ(ledger_of(command)["data_sets"][0]["releases"], 1);
}

TEST(Ledger, RefusesInOneSentence) {
  const Release command;
  ASSERT_EQ(command.run(declaring({"--epsilon", "1", "--scope", "table"})).status, 0);
  const Arguments show = {"ledger", "--ledger", "ledger"};
  const Arguments one = kSample + kIntegral + kOneDraw;
  for (const auto& [words, sentence] : std::vector<std::pair<Arguments, std::string>>{
           {{"ledger"}, "--ledger is missing: file of the ledger"},
           {{"ledger", "--ledger", "none"},
            "the ledger none cannot be opened: there is no such file in ; make "
            "one with mollify ledger --declare"},
           {{"ledger", "--ledger", "data.csv"},
            "data.csv is not a ledger but a file of another kind"},
           {show + Arguments{"--data-set", "x"},
            "the ledger ledger has no data set named \"x\"; it has \"people\""},
           {show + Arguments{"--data-set", "x", "--data", "y"},
            "give --data-set or --data, not both"},
           {show + Arguments{"--epsilon", "1"},
            "--declare or --replace is missing: only they change a total"},
           {declaring({"--epsilon", "1", "--rho", "1"}),
            "give --rho, or --epsilon and --delta, not both"},
           {declaring({}),
            "the total is missing: give --epsilon, with --delta or without, or --rho"},
           {declaring({"--epsilon", "one"}),
            "epsilon must be a decimal number of at least 0, but is \"one\""},
           {declaring({"--epsilon", "1", "--scope", "unit"}),
            "scope must be row, unit=COLUMN or table, but is \"unit\""},
           {declaring({"--epsilon", "2"}),
            "\"people\" already has a total in ledger: epsilon 1 for the whole table. --replace "
            "replaces "
            "it"},
           {show + Arguments{"--declare", "--epsilon", "1"},
            "--data-set is missing: one data set, by its name in the ledger"},
           {one + Arguments{"--data-set", "people"}, "--ledger is missing: --data-set needs it"},
           {one + kKept + Arguments{"--ledger", "domain.yaml"},
            "domain.yaml is not a ledger but a file of another kind"},
           {one + Arguments{"--ledger", "ledger"},
            "give --out, --certificate or --json with --ledger: without one of them, the "
            "certificate of the release that is charged would be lost"},
           {one + Arguments{"--another-data-set"},
            "--ledger is missing: --another-data-set needs it"},
           {one + kKept + Arguments{"--ledger", "ledger", "--another-data-set"},
            "--data-set is missing: --another-data-set needs the name of that data set"},
           {one + Arguments{"--ledger", "here", "--out", "here"},
            "--out must not overwrite the file of --ledger, here"},
           {kSample + kLocal + kOneDraw + kFree,
            "the total of \"people\" in ledger protects the whole table, but this release protects "
            "no more than each unit of id"},
           {kSample + kIntegral + kFree + Arguments{"--mu", "1", "--count", "1"},
            "the total of \"people\" in ledger is a pure epsilon, but this release promises mu"}}) {
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(command.files.without_folder(ended.err), "mollify: " + sentence + "\n");
    EXPECT_EQ(ended.out, "");
  }
  EXPECT_EQ(ledger_of(command)["history"].size(), 1U);
}

// Killed at random moments: the ledger opens and holds its entries, and every release there is
// was charged. MOLLIFY_KILLS is how many times; releases differ in epsilon, so that each is
// known.
TEST(Ledger, SurvivesBeingKilledAtAnyMoment) {
  const Release command;
  const char* asked = std::getenv("MOLLIFY_KILLS");
  const int kills = asked != nullptr ? std::atoi(asked) : 40;
  constexpr unsigned kSeed = 20260131;
  std::mt19937 random(kSeed);
  constexpr std::size_t kRecords = 20'000;  // so that drawing and writing them takes a while
  const auto release = [&](const std::string& epsilon, const std::string& out) {
    return kSample + kIntegral + kFree + Arguments{"--epsilon", epsilon} +
           Arguments{"--count", std::to_string(kRecords), "--out", out};
  };
  ASSERT_EQ(command.run(release("1", "first.csv")).status, 0);
  // The moments follow how long a release takes, whatever else this computer does.
  double longest = 20'000;

  std::vector<LedgerEntry> before;
  int charged_only = 0;
  int released = 0;
  for (int trial = 0; trial < kills; ++trial) {
    const std::string epsilon = std::to_string(1001 + trial) + "e-3";
    const std::string out = "out" + std::to_string(trial) + ".csv";
    const pid_t process = command.start(release(epsilon, out));
    std::uniform_real_distribution<double> moment(0, longest);
    std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(moment(random)));
    ::kill(process, SIGKILL);
    static_cast<void>(command.finish(process));
    const std::vector<LedgerEntry> after =
        LedgerFile(command.files.path("ledger"), LedgerFile::Opening::kExisting).history();
    ASSERT_GE(after.size(), std::max<std::size_t>(before.size(), 1)) << "a charge was lost";
    for (std::size_t i = 0; i < before.size(); ++i) {
      ASSERT_EQ(after[i].cost, before[i].cost);
      ASSERT_EQ(after[i].certificate_sha256, before[i].certificate_sha256);
    }
    const bool charged = after.back().cost.parameter() == Decimal::parse(epsilon, "epsilon");
    ASSERT_EQ(after.size(), std::max<std::size_t>(before.size(), 1) + (charged ? 1 : 0));
    const bool out_there = std::filesystem::exists(command.files.path(out));
    if (out_there) {
      ASSERT_TRUE(charged) << "release " << trial << " has no charge";
      EXPECT_EQ(lines_of(command.files.read(out)).size(), kRecords + 1);
      ++released;
      longest *= 0.9;
    } else if (charged) {
      ++charged_only;
    } else {
      longest *= 1.1;
    }
    before = after;
  }
  std::printf(
      "seed %u: of %d releases killed, %d were released, %d charged only, the rest neither\n",
      kSeed, kills, released, charged_only);
}

}  // namespace
}  // namespace mollify::test
