// Findings of attempts to break the command: one test for each.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "formats/pipe.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Arguments kInLedger = {"--ledger", "ledger"};
/// Of releases: a charge is never without its certificate.
const Arguments kCharging = kInLedger + Arguments{"--certificate", "kept.json", "--overwrite"};
const Arguments kIntegralDraw = kSample + kIntegral + kOneDraw;

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 0777U;
}

void expect_refused(const Ended& ended, const std::string& sentence) {
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "mollify: " + sentence + "\n");
  EXPECT_EQ(ended.out, "");
}

Json data_sets(const CommandLine& command) {
  return Json::parse(command.run({"ledger", "--ledger", "ledger", "--json"}).out)["data_sets"];
}

TEST(Robustness, DeclaresNoTotalForAFileThatIsNotThere) {
  const Release command;
  const Arguments declare = Arguments{"ledger", "--declare", "--epsilon", "1"} + kInLedger;
  expect_refused(command.run(declare + Arguments{"--data", "later.csv"}),
                 "--data must be a file that is there, so that releases from it find its total, "
                 "but later.csv is not");
  EXPECT_FALSE(command.names().contains("ledger"));
  EXPECT_EQ(command.run(declare + Arguments{"--data", "data.csv"}).status, 0);
  EXPECT_EQ(command.run(kIntegralDraw + kCharging).status, 0);
  EXPECT_THAT(command.run(kIntegralDraw + kCharging).err,
              HasSubstr("epsilon 1: epsilon 0 remains"));
}

TEST(Robustness, ChargesAPipeOnlyByAName) {
  const Release command;
  const Pipe pipe(kClean);
  const Arguments piped = {
      "sample",         "--data",     pipe.path(),     "--domain",  "domain.yaml", "@central",
      "--count",        "1",          "--epsilon",     "1",         "--ledger",    "ledger",
      "--accept-error", "--no-total", "--certificate", "kept.json", "--overwrite"};
  expect_refused(command.run(piped),
                 "--data-set is missing: " + pipe.path() +
                     " is a pipe or a device, and the ledger needs a name that lasts");
  const Pipe again(kClean);
  Arguments named = piped + Arguments{"--data-set", "people"};
  named[2] = again.path();
  const Ended ended = command.run(named);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(data_sets(command)[0]["data_set"], "people");
}

// By link, hard link, another name, and after it was renamed.
TEST(Robustness, KnowsAFileAgainByWhateverName) {
  const Release command;
  std::filesystem::create_hard_link(command.files.path("data.csv"), command.files.path("hard.csv"));
  const Arguments free = {"--no-total"};
  const Arguments by_name = kIntegralDraw + kCharging + Arguments{"--data-set", "people"} + free;
  ASSERT_EQ(command.run(by_name).status, 0);
  Arguments hard = kIntegralDraw + kCharging + free;
  hard[2] = "hard.csv";
  const Ended linked = command.run(hard);
  EXPECT_EQ(linked.status, 0) << linked.err;
  EXPECT_THAT(linked.err, HasSubstr("hard.csv as \"people\", so it was charged there"));
  std::filesystem::rename(command.files.path("hard.csv"), command.files.path("moved.csv"));
  hard[2] = "moved.csv";
  EXPECT_EQ(command.run(hard).status, 0);
  EXPECT_EQ(data_sets(command).size(), 1U);
  EXPECT_EQ(data_sets(command)[0]["releases"], 3);
  // Another name is refused before anything is drawn, or taken on purpose, and said.
  const Arguments others = kIntegralDraw + kCharging + Arguments{"--data-set", "others"} + free;
  expect_refused(
      command.run(others),
      "ledger knows " + std::filesystem::canonical(command.files.path("data.csv")).string() +
          " as \"people\" already, and charges there would not count for \"others\": "
          "name it \"people\", or say that another data set is meant (--another-data-set)");
  EXPECT_EQ(data_sets(command).size(), 1U);
  const Ended other = command.run(others + Arguments{"--another-data-set"});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_THAT(other.err, HasSubstr("the ledger knows the same file as \"people\" too"));
  EXPECT_EQ(command.run(others).status, 0) << "it is known by this name now";
  EXPECT_EQ(command.run({"ledger", "--ledger", "ledger", "--data", "moved.csv"}).status, 0);
}

TEST(Robustness, VerifiesAHistogramWithMoreOutputsThanRecords) {
  const Release command;
  ASSERT_EQ(command
                .run(kSample + Arguments{"@central", "--mechanism", "histogram", "--count", "50",
                                         "--epsilon", "1", "--accept-error", "--out", "o.csv"})
                .status,
            0);
  const Ended verified =
      command.run({"verify", "--certificate", "o.csv.certificate.json", "--domain", "domain.yaml"});
  EXPECT_EQ(verified.status, 0) << verified.out;
  EXPECT_EQ(lines_of(verified.out).back(), "holds");
}

// The data holder is told what public files share with the data; a release says nothing of it.
TEST(Robustness, CountsWhatPublicFilesShareWithTheData) {
  const Release command;
  const std::string clean = kClean;
  command.files.write("near.csv", clean.substr(0, clean.rfind("bob")));  // less its last row
  const Arguments check = {"check", "--data", "data.csv", "--domain", "domain.yaml"};
  const Ended missing = command.run(check + Arguments{"--reference", "nowhere.csv"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.out, "");  // before the data is read
  const Ended near = command.run(check + Arguments{"--reference", "near.csv"});
  EXPECT_EQ(near.status, 0);
  EXPECT_THAT(near.out, HasSubstr("near.csv: 4 of its 4 records are in the data too"));
  EXPECT_THAT(near.out, HasSubstr("WARNING: unless records have few possible values"));
  const Ended far = command.run(check + Arguments{"--reference", "reference.csv"});
  EXPECT_THAT(far.out, HasSubstr("reference.csv: 0 of its 3 records"));
  EXPECT_THAT(far.out, Not(HasSubstr("WARNING")));
  command.files.write("who.csv", "id\nann\nbob\ncid\n");
  const Ended roster =
      command.run(check + Arguments{"--unit", "id", "--units", "who.csv", "--json"});
  const Json shared = Json::parse(roster.out)["public_files"][0];
  EXPECT_EQ(shared["shared"], 3);
  EXPECT_EQ(shared["records"], 3);
  EXPECT_EQ(shared["roster"], true);

  // Equal private rows or not: the release is the same one.
  for (const char* reference : {"near.csv", "reference.csv"}) {
    EXPECT_EQ(command.run(kIntegralDraw + Arguments{"--reference", reference}).status, 0);
  }
}

// The copy of a private file by another program writes the same values in other ways.
TEST(Robustness, FindsACopyWhoseValuesAreWrittenOtherwise) {
  const Release command;
  command.files.write("secret.csv", "id,sex,age,smoker,weight\n1,f,3,true,50\n2,m,,false,61.5\n");
  command.files.write("copy.csv", "id,sex,age,smoker,weight\n1.0,f,3.0,T,50.0\n2.0,m,NA,F,61.50\n");
  const Ended ended = command.run(
      {"check", "--data", "secret.csv", "--domain", "domain.yaml", "--reference", "copy.csv"});
  EXPECT_THAT(ended.out, HasSubstr("copy.csv: 2 of its 2 records are in the data too"));
  // Words that only look alike are two.
  command.files.write("other.csv", "id,sex,age,smoker,weight\n1x,f,3,true,50\n2,F,,false,61.5\n");
  const Ended other = command.run(
      {"check", "--data", "secret.csv", "--domain", "domain.yaml", "--reference", "other.csv"});
  EXPECT_THAT(other.out, HasSubstr("other.csv: 0 of its 2 records are in the data too"));
}

TEST(Robustness, RefusesIdenticalContentThroughAPipe) {
  const Release command;
  const Pipe pipe(kClean);
  expect_refused(
      command.run(kIntegralDraw + Arguments{"--reference", pipe.path()}),
      "the reference must be public, but " + pipe.path() + " is the private file itself");
  // And the other way round: the private data in the pipe.
  command.files.write("copy.csv", "id,age\nann,1\nbob,2\n");
  command.files.write("id.yaml", "columns:\n  age: {type: integer, min: 0, max: 9, null: \"0\"}\n");
  const Pipe secret("id,age\nann,1\nbob,2\n");
  expect_refused(
      command.run({"sample", "central", "--unit", "id", "--units", "copy.csv", "--data",
                   secret.path(), "--domain", "id.yaml", "--epsilon", "1", "--count", "1"}),
      "the roster must be public, but copy.csv is the private file itself");
}

TEST(Robustness, SaysWhatTuneCouldNotCompare) {
  const Release command;
  const Ended tuned = command.run({"tune", "--public-units", "data.csv", "--unit", "id", "--domain",
                                   "domain.yaml", "--epsilon", "1"});
  EXPECT_THAT(tuned.err, HasSubstr("not compared with private data, because no --data is given"));
}

TEST(Robustness, KeepsTheModeOfAFile) {
  const Release command;
  const Arguments to_file = kIntegralDraw + Arguments{"--out", "out.csv", "--overwrite"};
  command.files.write("out.csv", "");
  std::filesystem::permissions(command.files.path("out.csv"), std::filesystem::perms(0600));
  ASSERT_EQ(command.run(to_file).status, 0);
  EXPECT_EQ(mode_of(command.files.path("out.csv")), 0600U);
}

/// Of a processor, by all child processes that have ended.
double seconds_of_children() {
  rusage used{};
  EXPECT_EQ(::getrusage(RUSAGE_CHILDREN, &used), 0);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// It took 11 s.
TEST(Robustness, AmplifiesInAMoment) {
  const CommandLine command;
  const double begin = seconds_of_children();
  const Ended ended = command.run({"amplify", "--n", "29", "--k", "2485", "--chosen", "2",
                                   "--epsilon", "15.9614", "--delta", "2.19081e-09"});
  const double seconds = seconds_of_children() - begin;
  EXPECT_EQ(ended.status, 0) << ended.err;
  std::printf("amplify took %.3f s of a processor\n", seconds);
  EXPECT_LT(seconds, whole_or_sanitized(0.3, 6.0));
}

// The number of rows is public, so it must not reveal whether the last value is null.
TEST(Robustness, CountsRowsOfOneColumnWhateverTheLastValue) {
  const CommandLine command;
  command.files.write("age.yaml",
                      "columns:\n  age: {type: integer, min: 0, max: 9, null: \"0\"}\n");
  const auto rows = [&](const std::string& csv) {
    command.files.write("age.csv", csv);
    const Ended ended =
        command.run({"sample", "central", "--accept-error", "--data", "age.csv", "--domain",
                     "age.yaml", "--epsilon", "1", "--count", "1", "--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out)["certificate"]["facts"]["records"].get<int>();
  };
  EXPECT_EQ(rows("age\n5\n7\n3\n"), 3);
  EXPECT_EQ(rows("age\n5\n7\n\n"), 3) << "every record is ended";
  EXPECT_EQ(rows("age\n5\n7\n3"), rows("age\n5\n7\n")) << "the last one is not";
  command.files.write("age.csv", "age\n5\n7\n3");
  const Ended checked = command.run({"check", "--data", "age.csv", "--domain", "age.yaml"});
  EXPECT_EQ(checked.status, 1);
  EXPECT_THAT(checked.out, HasSubstr("age.csv:4: must end in a line feed"));
}

TEST(Robustness, LosesNoUnitOfARosterWithoutAHeader) {
  const Release command;
  command.files.write("headless.csv", "ann\nbob\ncid\n");
  const Arguments rostered = kSample + kLocal + kOneDraw + Arguments{"--units", "headless.csv"};
  expect_refused(command.run(rostered),
                 "headless.csv has no column \"id\", which names the units (its first line must be "
                 "a header; --units-column names another column); it has \"ann\"");
  command.files.write("headless.csv", "who,since\nann,1\nbob,2\n");
  const Ended named = command.run(rostered + Arguments{"--units-column", "who"});
  EXPECT_EQ(named.status, 0) << named.err;
  EXPECT_EQ(lines_of(named.out).size(), 3U);
  expect_refused(command.run(kSample + kLocal + kOneDraw + Arguments{"--units-column", "who"}),
                 "--units is missing: --units-column needs it");
}

TEST(Robustness, SaysThirtyOnlyWhereADrawCountsThirty) {
  const Release command;
  const Arguments in_ledger = kInLedger + Arguments{"--no-total", "--certificate", "c.json"};
  const Ended small =
      command.run(kSample + kIntegral + in_ledger + Arguments{"--epsilon", "0.1", "--count", "1"});
  EXPECT_EQ(small.status, 0);
  EXPECT_THAT(small.err, Not(HasSubstr("30 at most")));
  const Ended large =
      command.run(kSample + kIntegral + Arguments{"--epsilon", "100.1", "--count", "2"});
  EXPECT_THAT(large.err, HasSubstr("WARNING: a draw counts epsilon 30 at most, so epsilon 60 is "
                                   "released and not the epsilon 100.1 asked for"));
}

TEST(Robustness, HoldsNoCertificateWithAnEditedDelta) {
  const CommandLine command;
  std::string rows = "x\n";
  for (int i = 0; i < 400; ++i) rows += i % 2 == 0 ? "a\n" : "b\n";
  command.files.write("x.csv", rows);
  command.files.write("x.yaml", "columns:\n  x: {type: categorical, values: [a, b]}\n");
  ASSERT_EQ(
      command
          .run({"sample", "central", "--data", "x.csv", "--domain", "x.yaml", "--epsilon", "1",
                "--delta", "1e-6", "--count", "2", "--mechanism", "subset-rr", "--out", "o.csv"})
          .status,
      0);
  const Json honest = Json::parse(command.files.read("o.csv.certificate.json"));
  ASSERT_EQ(command.run({"verify", "--certificate", "o.csv.certificate.json", "--domain", "x.yaml"})
                .status,
            0);
  for (const char* place : {"/privacy/delta", "/draw/delta", "/spec/privacy/delta"}) {
    Json edited = honest;
    const Json::json_pointer where(place);
    ASSERT_TRUE(edited.contains(where)) << place;
    edited[where] = edited[where].is_string() ? Json("-1") : Json(-1);
    command.files.write("edited.json", edited.dump());
    EXPECT_NE(command.run({"verify", "--certificate", "edited.json", "--domain", "x.yaml"}).status,
              0)
        << place;
  }
}

TEST(Robustness, SaysWhenADeltaIsBelowEveryDouble) {
  const CommandLine command;
  const Ended ended = command.run(
      {"amplify", "--n", "1000000000", "--k", "3", "--epsilon0", "1", "--epsilon", "0.9"});
  EXPECT_THAT(ended.out, HasSubstr("certified    delta < 1e-308"));
  const Ended none =
      command.run({"amplify", "--n", "1000", "--k", "3", "--epsilon0", "1", "--epsilon", "1"});
  EXPECT_THAT(none.out, HasSubstr("certified    delta = 0\n"));
}

TEST(Robustness, ListsUnknownFlagsInTheOrderTyped) {
  const Release command;
  const Ended ended = command.run(kIntegralDraw + Arguments{"--first", "1", "--second", "2"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_LT(ended.err.find("--first"), ended.err.find("--second")) << ended.err;
}

TEST(Robustness, VerifiesWithoutTryingInputs) {
  const CommandLine command;
  EXPECT_EQ(command.run({"verify", "--k", "5", "--epsilon", "1", "--inputs", "0"}).status, 0);
}

}  // namespace
}  // namespace mollify::test
