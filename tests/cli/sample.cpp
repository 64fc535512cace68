// The form of a release.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "formats/domain_yaml.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

/// The records of CSV text, without the header.
std::vector<std::vector<std::string>> records_of(const std::string& csv) {
  std::vector<std::vector<std::string>> records;
  for (const std::string& line : lines_of(csv)) records.push_back(fields_of(line));
  records.erase(records.begin());
  return records;
}

void expect_inside_the_domain(const std::vector<std::vector<std::string>>& records,
                              std::size_t first) {
  const Domain domain = parse_domain(kDomain, "domain");
  for (const auto& record : records) {
    ASSERT_EQ(record.size(), first + domain.columns().size());
    for (std::size_t i = 0; i < domain.columns().size(); ++i) {
      const Column& column = domain.columns()[i];
      const std::string& text = record[first + i];
      const bool null = text.empty() && column.name() == "sex";
      EXPECT_TRUE(null || column.read(text).verdict == Verdict::kValue)
          << column.name() << " \"" << text << "\"";
    }
  }
}

// The mollifiers that sources put in a band's place: naive and convex by a public channel or
// Laplace noise, scale-and-shift in the relative band. Each release says what it is, and is checked
// from its certificate alone.
TEST(Sample, ReleasesBySourcesMollifiersAndVerifiesThem) {
  const CommandLine command;
  command.files.write("domain.yaml",
                      "columns:\n  - {name: level, type: integer, min: 0, max: 2, null: 0}\n");
  command.files.write("data.csv", "id,level\na,0\na,0\nb,2\nb,x\nc,1\n");
  command.files.write("channel.json", "[[2, 1, 1], [1, 2, 1], [1, 1, 2]]");
  const Arguments channel = {"--channel", "channel.json"};
  for (const auto& [mechanism, more, integers, said] :
       {std::tuple{"naive", channel, "matrix", "one of the unit's records goes through"},
        std::tuple{"naive", Arguments{}, "matrix", "one of the unit's records goes through"},
        std::tuple{"convex", channel, "matrix", "mixture of the channel's rows that is nearest"},
        std::tuple{"convex", Arguments{}, "matrix", "mixture of the channel's rows"},
        std::tuple{"scale-and-shift", Arguments{}, "band", "squeezed towards the reference"}}) {
    SCOPED_TRACE(std::string(mechanism) + (more.empty() ? "" : " of a file"));
    const Ended ended = command.run(
        kSample +
        Arguments{"@local", "--unit", "id", "--epsilon", "2", "--mechanism", mechanism, "--out",
                  "r.csv", "--certificate", "c.json", "--overwrite", "--explain"} +
        more);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.err.find(said), std::string::npos) << ended.err;
    EXPECT_EQ(lines_of(command.files.read("r.csv")).size(), 4U);
    const Json certificate = Json::parse(command.files.read("c.json"));
    EXPECT_EQ(certificate["mechanism"], mechanism) << certificate.dump(1);
    EXPECT_NE(certificate["design"]["law"].get<std::string>().find(said), std::string::npos);
    EXPECT_EQ(ended.err.find("finds the population"), std::string::npos) << "estimate refuses it";
    EXPECT_EQ(certificate["design"]["integers_of"], integers);
    EXPECT_EQ(certificate["facts"].contains("channel"), !more.empty());
    const Arguments verify = {"verify", "--certificate", "c.json", "--domain", "domain.yaml"};
    const Ended checked = command.run(verify);
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(lines_of(checked.out).back(), "holds");
    if (more.empty()) continue;
    for (const double mass : {100.0, 2.5, -1.0}) {  // beyond e^2, another channel, none
      Json forged = certificate;
      forged["facts"]["channel"][0] = mass;
      command.files.write("c.json", forged.dump());
      EXPECT_EQ(command.run(verify).status, 1) << mass;
    }
  }
  const Ended wide = command.run(
      kSample + Arguments{"@local", "--unit", "id", "--epsilon", "0.5", "--mechanism", "convex"} +
      channel);
  EXPECT_EQ(wide.status, 2);
  EXPECT_EQ(wide.out, "");
  const Ended estimated = command.run(
      {"estimate", "--records", "r.csv", "--certificate", "c.json", "--domain", "domain.yaml"});
  EXPECT_EQ(estimated.status, 2);
  command.files.write("domain.yaml",
                      "columns:\n  - {name: level, type: categorical, values: [x, y], null: x}\n");
  const Ended unordered = command.run(
      kSample + Arguments{"@local", "--unit", "id", "--epsilon", "2", "--mechanism", "naive"});
  EXPECT_EQ(unordered.status, 2);
  EXPECT_EQ(unordered.err,
            "mollify: --channel is missing: mechanism naive needs it: without, its channel is "
            "Laplace noise, which is for a domain of one column of numbers or times\n");
}

TEST(Sample, GivesEachUnitOfTheRosterItsRecordsInTheRostersOrder) {
  const Release command;
  for (const Arguments& mechanism : kMechanisms) {
    const Ended ended = command.run(kSample + kRostered + mechanism + Arguments{"--count", "3"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(lines_of(ended.out).front(), "id,sex,age,smoker,weight");
    const auto records = records_of(ended.out);
    ASSERT_EQ(records.size(), 12U);
    const std::vector<std::string> units = {"cid", "ann", "dot", "bob"};
    for (std::size_t i = 0; i < records.size(); ++i) EXPECT_EQ(records[i][0], units[i / 3]);
    expect_inside_the_domain(records, 1);
  }
}

TEST(Sample, LeavesOutTheIdsWithoutARoster) {
  const Release command;
  for (const Arguments& mechanism : kMechanisms) {
    const Ended ended = command.run(kSample + kLocal + mechanism + Arguments{"--count", "2"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(lines_of(ended.out).front(), "sex,age,smoker,weight");
    const auto records = records_of(ended.out);
    EXPECT_EQ(records.size(), 6U);
    expect_inside_the_domain(records, 0);
  }
}

TEST(Sample, ReleasesCountRecordsOfAWholeTable) {
  const Release command;
  for (const char* method : {"integral", "local"}) {
    const Ended ended =
        command.run(kSample + Arguments{"@" + std::string(method), "--epsilon", "2"} +
                    Arguments{"--count", "500"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto records = records_of(ended.out);
    EXPECT_EQ(records.size(), 500U);
    expect_inside_the_domain(records, 0);
  }
}

TEST(Sample, CallsAFileOfOneUnitAllItsRows) {
  const Release command;
  for (const char* method : {"integral", "local"}) {
    const Ended ended =
        command.run(kSample + Arguments{"@" + std::string(method), "--epsilon", "2"} +
                    Arguments{"--count", "1", "--out", "out.csv", "--overwrite"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_THAT(ended.err, testing::HasSubstr("released 1 record for all rows of this file to "));
    EXPECT_THAT(
        ended.err,
        testing::HasSubstr("promised: Changing any or all rows of the data in any way changes "));
  }
}

TEST(Sample, ReleasesFromGridsAndCandidates) {
  const Release command;
  for (const auto& [text, options] :
       {std::pair{kTwoNumbers, Arguments{}}, std::pair{kTwoNumbers, Arguments{"--cells", "100"}},
        std::pair{kManyNumbers, Arguments{"--candidates", "500"}},
        std::pair{kManyNumbers, Arguments{"--candidates", "500", "--fresh"}}}) {
    command.files.write("domain.yaml", text);
    const Domain domain = parse_domain(text, "domain");
    for (const Arguments& model : {kIntegral, kLocal, kRostered}) {
      const Ended ended =
          command.run(kSample + model + options + Arguments{"--epsilon", "40", "--count", "20"});
      ASSERT_EQ(ended.status, 0) << ended.err;
      EXPECT_NE(ended.err.find(text == kTwoNumbers ? "space: grid (" : "space: candidates (500 "),
                std::string::npos)
          << ended.err;
      const auto records = records_of(ended.out);
      EXPECT_EQ(records.size(), model == kIntegral ? 20U : model == kLocal ? 60U : 80U);
      for (const auto& record : records) {
        const std::size_t first = model == kRostered ? 1 : 0;
        ASSERT_EQ(record.size(), first + domain.columns().size());
        for (std::size_t i = 0; i < domain.columns().size(); ++i) {
          const Column& column = domain.columns()[i];
          const std::string& field = record[first + i];
          EXPECT_TRUE((field.empty() && column.mapping().null_is_category) ||
                      column.read(field).verdict == Verdict::kValue)
              << column.name() << " \"" << field << "\"";
        }
      }
    }
  }
}

TEST(Sample, KeepsTheDomainsOrderOfColumnsWhateverTheFiles) {
  const Release command;
  command.files.write("data.csv", "weight,smoker,age,sex,id\n50,true,3,f,ann\n");
  const Ended ended =
      command.run(kSample + kIntegral + Arguments{"--epsilon", "1", "--count", "1"});
  EXPECT_EQ(lines_of(ended.out).front(), "sex,age,smoker,weight");
}

// At epsilon 25 over 2 outcomes an attentive release keeps a unit's only value but with probability
// below 2e-11: 1000 rows are shuffled unless they come out in the units' order, whose chance is
// that of one arrangement of 500 values among C(1000, 500).
TEST(Sample, ShufflesRecordsWithoutARoster) {
  const Release command;
  command.files.write("domain.yaml",
                      "columns: {a: {type: categorical, values: [x, y], null: x}}\n");
  std::string data = "id,a\n";
  for (int i = 0; i < 1000; ++i) {
    data += std::to_string(1000 + i) + (i < 500 ? ",x\n" : ",y\n");
  }
  command.files.write("data.csv", data);
  const Ended ended = command.run(kSample + kLocal + Arguments{"--epsilon", "25", "--count", "1"});
  const auto records = records_of(ended.out);
  ASSERT_EQ(records.size(), 1000U);
  EXPECT_EQ(std::count(records.begin(), records.end(), std::vector<std::string>{"x"}), 500);
  EXPECT_FALSE(std::is_sorted(records.begin(), records.end()));
}

TEST(Sample, WritesTheCertificateBesideTheRecords) {
  const Release command;
  const Arguments words = kSample + kIntegral + Arguments{"--epsilon", "1", "--count", "2"};
  ASSERT_EQ(command.run(words + Arguments{"--out", "out.csv"}).status, 0);
  const auto beside = Json::parse(command.files.read("out.csv.certificate.json"));
  ASSERT_EQ(
      command
          .run(words + Arguments{"--out", "out.csv", "--certificate", "named.json", "--overwrite"})
          .status,
      0);
  EXPECT_EQ(Json::parse(command.files.read("named.json")), beside);
  EXPECT_EQ(command.names(),
            (std::set<std::string>{"data.csv", "domain.yaml", "reference.csv", "units.csv",
                                   "out.csv", "out.csv.certificate.json", "named.json"}));
  EXPECT_EQ(beside["spec"]["method"], "integral");
  EXPECT_EQ(beside["mechanism"], "minimax");
  EXPECT_EQ(beside["version"],
            Json::parse("\"" + lines_of(command.run({"--version"}).out)[0] + "\""));
  EXPECT_EQ(beside["design"]["N"], "4611686018427387904");
  EXPECT_FALSE(beside["spec"].contains("unit"));
}

TEST(Sample, LeavesNothingBesideADevice) {
  const Release command;
  const auto names = command.names();
  const Ended ended = command.run(
      kSample + kIntegral + Arguments{"--epsilon", "1", "--count", "2", "--out", "/dev/null"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(command.names(), names);
  EXPECT_FALSE(std::filesystem::exists("/dev/null.certificate.json"));
}

TEST(Sample, PrintsJson) {
  const Release command;
  const Arguments words =
      kSample + kRostered + Arguments{"--epsilon", "1", "--count", "1", "--json"};
  const Json printed = Json::parse(command.run(words).out);
  EXPECT_TRUE(printed["out"].is_null());
  EXPECT_EQ(records_of(printed["csv"]).size(), 4U);
  EXPECT_EQ(printed["certificate"]["facts"]["units"], 4);
  const Json written =
      Json::parse(command.run(words + Arguments{"--out", "out.csv", "--overwrite"}).out);
  EXPECT_EQ(written["out"], "out.csv");
  EXPECT_FALSE(written.contains("csv"));
  EXPECT_EQ(written["certificate"], printed["certificate"]);
  EXPECT_EQ(records_of(command.files.read("out.csv")).size(), 4U);
}

// count * (epsilon of a draw), exactly: the fused multiply-add rounds once, so its sign is right.
TEST(Sample, NeverSpendsMoreThanTheTotal) {
  const Release command;
  for (const char* epsilon : {"1", "0.1", "0.7", "3.3"}) {
    for (const char* count : {"1", "2", "3", "7", "10", "49", "1000"}) {
      const Ended ended = command.run(kSample + kIntegral +
                                      Arguments{"--epsilon", epsilon, "--count", count, "--json"});
      ASSERT_EQ(ended.status, 0) << ended.err;
      const Json certificate = Json::parse(ended.out)["certificate"];
      const double total = certificate["privacy"]["epsilon"];
      const double one = certificate["draw"]["epsilon"];
      EXPECT_EQ(certificate["spec"]["privacy"]["epsilon"], epsilon);
      EXPECT_LE(total, std::stod(epsilon));
      EXPECT_GE(total, std::nextafter(std::stod(epsilon), 0));
      EXPECT_LE(std::fma(one, std::stod(count), -total), 0) << epsilon << " by " << count;
      EXPECT_GE(one, total / std::stod(count) * (1 - 1e-15));
    }
  }
}

TEST(Sample, CountsADrawAboveThirtyAsThirtyAndSaysSo) {
  const Release command;
  const Arguments words =
      kSample + kIntegral + Arguments{"--epsilon", "100", "--count", "2", "--out", "out.csv"};
  const Ended ended = command.run(words);
  EXPECT_EQ(ended.status, 0);
  const Json certificate = Json::parse(command.files.read("out.csv.certificate.json"));
  EXPECT_EQ(certificate["draw"]["epsilon"], 30);
  EXPECT_EQ(certificate["privacy"]["epsilon"], 60);
  EXPECT_NE(ended.err.find("WARNING: a draw counts epsilon 30 at most, so epsilon 60 is released "
                           "and not the epsilon 100 asked for [epsilon-capped]\n"),
            std::string::npos)
      << ended.err;
  EXPECT_EQ(command.run(kSample + kIntegral + Arguments{"--epsilon", "1", "--count", "7"})
                .err.find("at most, so"),
            std::string::npos);
}

TEST(Sample, ChoosesTheMechanismThatTheOptionsStandFor) {
  const Release command;
  const auto chosen = [&](const Arguments& options) {
    const Ended ended =
        command.run(kSample + kIntegral + options + Arguments{"--count", "1", "--json"});
    return ended.status == 0 ? Json::parse(ended.out)["certificate"]["mechanism"].get<std::string>()
                             : ended.err;
  };
  EXPECT_EQ(chosen({"--epsilon", "1"}), "minimax");
  EXPECT_EQ(chosen({"--epsilon", "1", "--reference", "reference.csv"}), "relative");
  EXPECT_EQ(chosen({"--epsilon", "1", "--c1", "0", "--c2", "2"}), "class");
  EXPECT_EQ(chosen({"--epsilon", "1", "--gamma", "2"}), "neighbourhood");
  EXPECT_EQ(chosen({"--mu", "1"}), "gaussian-curve");
}

TEST(Sample, SaysWhatIsAndIsNotPromised) {
  const Release command;
  const Arguments fixed = {"--epsilon", "1", "--count", "1"};
  const std::string membership =
      "not promised: Who is in the data, and how many units there are, is not protected: no roster "
      "was given.\n";
  const std::string with = command.run(kSample + kRostered + fixed).err;
  const std::string without = command.run(kSample + kLocal + fixed).err;
  EXPECT_EQ(with.find(membership), std::string::npos);
  EXPECT_NE(without.find(membership), std::string::npos);
  EXPECT_NE(
      with.find("promised: Changing all records of one id in any way changes the probability of "
                "any output, and of any later decision, by at most a factor e^1 = 2.718.\n"),
      std::string::npos)
      << with;
  EXPECT_EQ(lines_of(with).front(),
            "released 1 record for each of 4 units by minimax with epsilon 1 in all");
}

// Names may hold any bytes; the certificate is text nevertheless.
TEST(Sample, NamesFilesOfAnyBytes) {
  const Release command;
  command.files.write("\xff.csv", kRoster);
  const Ended ended =
      command.run(kSample + kLocal +
                  Arguments{"--units", "\xff.csv", "--epsilon", "1", "--count", "1", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["certificate"]["spec"]["roster"]["file"], "\xef\xbf\xbd.csv");
}

// One release by flags and by the spec that they mean: the certificate is all of it.
TEST(Sample, ReleasesTheSpecThatItsFlagsMean) {
  const Release command;
  command.files.write("numbers.yaml", kTwoNumbers);
  command.files.write(
      "points.yaml",
      "columns:\n  weight: {type: number, min: 40, max: 130, outside: 80, null: 80}\n");
  const Arguments central = {"@central", "--epsilon", "1", "--count", "2", "--accept-error"};
  std::vector<Arguments> releases = {
      kRostered +
          Arguments{"--epsilon", "0.7", "--count", "3", "--band", "location=0.8", "--accept-error"},
      kIntegral + Arguments{"--epsilon", "2", "--count", "2", "--candidates", "50", "--fresh"},
      central, central + Arguments{"--unit", "id", "--delta", "1e-3", "--mechanism", "subset-rr"},
      central + Arguments{"--units", "units.csv", "--unit", "id"}};
  for (const Arguments& mechanism : kMechanisms) {
    releases.push_back(kLocal + mechanism + Arguments{"--count", "2", "--accept-error"});
  }
  for (Arguments& release : releases) release = release + Arguments{"--domain", "domain.yaml"};
  releases.push_back(kIntegral + Arguments{"--epsilon", "2", "--count", "2", "--cells", "100",
                                           "--domain", "numbers.yaml"});
  releases.push_back({"@gaussian", "--covariance-bound", "1", "--mean-bound", "90", "--rho", "900",
                      "--count", "1", "--log", "weight", "--accept-error", "--domain",
                      "points.yaml"});
  for (const Arguments& release : releases) {
    const Ended printed = command.run(Arguments{"sample", "--print-spec"} + release);
    ASSERT_EQ(printed.status, 0) << printed.err;
    command.files.write("spec.json", printed.out);
    const Arguments data = {"sample", "--data", "data.csv", "--json"};
    const Ended flags = command.run(data + release);
    const Ended spec = command.run(data + Arguments{"--spec", "spec.json"});
    ASSERT_EQ(flags.status, 0) << flags.err << printed.out;
    ASSERT_EQ(spec.status, 0) << spec.err;
    EXPECT_EQ(Json::parse(flags.out)["certificate"], Json::parse(spec.out)["certificate"]);
    const Ended again = command.run({"sample", "--print-spec", "--spec", "spec.json"});
    EXPECT_EQ(again.out, printed.out);
  }
}

TEST(Sample, RefusesFlagsBesideASpec) {
  const Release command;
  command.files.write("spec.json", "{\"method\": \"integral\", \"colour\": 1}");
  const Arguments words = {"sample", "--data", "data.csv", "--spec", "spec.json"};
  const Ended beside = command.run(words + Arguments{"--count", "1"});
  EXPECT_EQ(beside.status, 2);
  EXPECT_EQ(beside.err,
            "mollify: --spec holds the whole release, so --count must not be given with it\n");
  const Ended method = command.run(words + Arguments{"@local"});
  EXPECT_EQ(method.status, 2);
  EXPECT_EQ(method.err,
            "mollify: --spec holds the whole release, so method local must not be given with it\n");
  const Ended unknown = command.run(words);
  EXPECT_EQ(unknown.status, 2);
  EXPECT_EQ(unknown.err, "mollify: colour in spec.json is no part of a release's spec\n");
}

/// A named pipe that holds a text once: anyone who reads it twice gets nothing, or waits for ever.
class TextPipe {
 public:
  TextPipe(const Scratch& files, const char* name, const std::string& text)
      : path_(files.path(name)) {
    std::filesystem::remove(path_);
    EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
    writer_ = std::thread([this, text] { std::ofstream(path_) << text; });
  }
  ~TextPipe() {
    // Lets the writer go if nobody came to read.
    const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
    writer_.join();
    ::close(reader);
  }

 private:
  std::string path_;
  std::thread writer_;
};

TEST(Sample, ReadsEachPublicFileOnceAndHashesWhatItRead) {
  const Release command;
  const Arguments options =
      kRostered + kOneDraw +
      Arguments{"--reference", "reference.csv", "--out", "out.csv", "--overwrite"};
  const auto released = [&] {
    const Ended ended = command.run(kSample + options);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(command.files.read("out.csv.certificate.json"));
  };
  const Json of_files = released();
  EXPECT_EQ(of_files["spec"]["roster"]["sha256"].get<std::string>().size(), 64U);
  const TextPipe domain(command.files, "domain.yaml", kDomain);
  const TextPipe reference(command.files, "reference.csv", kReference);
  const TextPipe roster(command.files, "units.csv", kRoster);
  EXPECT_EQ(released(), of_files);
}

TEST(LearnedScores, ReleaseAndVerify) {
  Release command;
  command.files.write("domain.yaml", kManyNumbers);
  for (const char* score : {"ratio", "mbde"}) {
    const Ended released = command.run(kSample + kIntegral +
                                       Arguments{"--epsilon", "1", "--count", "2", "--candidates",
                                                 whole_or_sanitized("500", "100"), "--score", score,
                                                 "--out", "o.csv", "--overwrite"});
    ASSERT_EQ(released.status, 0) << released.err;
    EXPECT_EQ(lines_of(command.files.read("o.csv")).size(), 3U);
    const Json certificate = Json::parse(command.files.read("o.csv.certificate.json"));
    EXPECT_EQ(certificate["design"]["scorer"], score);
    const Ended verified = command.run(
        {"verify", "--certificate", "o.csv.certificate.json", "--domain", "domain.yaml"});
    EXPECT_EQ(verified.status, 0) << verified.err << verified.out;
  }
  const Ended refused =
      command.run(kSample + kIntegral + kOneDraw + Arguments{"--score", "ratio", "--cells", "400"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "mollify: cells belongs to space grid, but the space is candidates\n");
}

// Learning takes a part of a second, so one table of everything that is wrong has to do; the
// scorers themselves see more (tests/scores/learned_scorers.cpp).
TEST(LearnedScores, ReleaseAlikeFromAnyTable) {
  Release command;
  command.files.write("domain.yaml", kManyNumbers);
  command.files.write("odd.csv",
                      "id,sex,age,note,smoker,weight\nann,\xff,nan,1e999,,\nbob\ncid,,,,,,,\n");
  for (const char* score : {"ratio", "mbde"}) {
    const Arguments options =
        Arguments{"sample", "--domain", "domain.yaml"} + kIntegral + kOneDraw +
        Arguments{"--candidates", whole_or_sanitized("200", "50"), "--score", score};
    const Ended clean = command.run(options + Arguments{"--data", "data.csv"});
    const Ended odd = command.run(options + Arguments{"--data", "odd.csv"});
    EXPECT_EQ(clean.status, 0) << clean.err;
    EXPECT_EQ(odd.status, clean.status);
    EXPECT_EQ(odd.err, clean.err);
    EXPECT_EQ(lines_of(odd.out).at(0), lines_of(clean.out).at(0));
    EXPECT_EQ(lines_of(odd.out).size(), lines_of(clean.out).size());
  }
}

}  // namespace
}  // namespace mollify::test
