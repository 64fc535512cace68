// `mollify estimate`: the population, from what was released.
#include "analysis/estimate.h"

#include <cmath>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

constexpr int kUnits = 4000;

/// Units that are mostly young; a fifth smokes.
std::string many_units() {
  std::string text = "id,age,smoker\n";
  for (int unit = 0; unit < kUnits; ++unit) {
    text += std::to_string(unit) + "," + std::to_string(unit % 4 == 3 ? 70 : unit % 40) + "," +
            (unit % 5 == 0 ? "true" : "false") + "\n";
  }
  return text;
}

class Population : public CommandLine {
 public:
  Population() {
    files.write("domain.yaml",
                "columns:\n"
                "  age: {type: integer, min: 0, max: 79, bins: 2, null: 0}\n"
                "  smoker: {type: boolean, null: false}\n");
    files.write("data.csv", many_units());
    files.write("reference.csv", "age,smoker\n3,true\n50,false\n51,false\n");
  }

  void release(const Arguments& options) const {
    const Ended ended =
        run(kSample + options +
            Arguments{"--out", "released.csv", "--certificate", "c.json", "--overwrite"});
    ASSERT_EQ(ended.status, 0) << ended.err;
  }

  [[nodiscard]] Ended estimate(const Arguments& more = {}) const {
    return run(Arguments{"estimate", "--released", "released.csv", "--certificate", "c.json"} +
               more);
  }

  [[nodiscard]] Json estimated(const Arguments& more = {}) const {
    const Ended ended = estimate(more + Arguments{"--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out);
  }
};

const Json& cell(const Json& cells, std::string_view name) {
  for (const Json& found : cells) {
    if (found["outcome"] == name) return found;
  }
  throw std::out_of_range(std::string(name));
}

// A collector that counts its reports keeps no rows.
TEST(Estimate, TakesCountedRecords) {
  const Population command;
  command.release({"@central", "--mechanism", "shuffled-rr", "--epsilon", "1", "--delta", "1e-6",
                   "--accept-error", "--count", std::to_string(kUnits)});
  std::istringstream rows(command.files.read("released.csv"));
  std::string row;
  std::getline(rows, row);
  ASSERT_EQ(row, "age,smoker");
  std::map<std::string, int> counts;
  while (std::getline(rows, row)) ++counts[row];
  std::string counted = "age,smoker,reports\n";
  for (const auto& [record, count] : counts) {
    counted += record + "," + std::to_string(count) + "\n";
  }
  const Json found = command.estimated({"--pairs"});
  command.files.write("released.csv", counted);
  EXPECT_EQ(command.estimated({"--pairs", "--counts-column", "reports"}), found);
  EXPECT_EQ(command.estimate().status, 2) << "a column that no release has";
  EXPECT_EQ(command.estimate({"--counts-column", "age"}).status, 2);
  EXPECT_EQ(command.estimate({"--counts-column", "wealth"}).status, 2);
}

// A certificate is made before the records are drawn, so nothing in it can name them.
TEST(Estimate, SaysThatRecordsAndCertificateAreNotBound) {
  const Population command;
  command.release(kLocal + Arguments{"--mechanism", "randomized-response"} + kOneDraw);
  constexpr const char* kSaid = "are of this certificate is not checked";
  EXPECT_NE(command.estimate().out.find(kSaid), std::string::npos);
  const Ended verified =
      command.run({"verify", "--certificate", "c.json", "--domain", "domain.yaml"});
  EXPECT_NE(verified.out.find(kSaid), std::string::npos) << verified.out;
  // Public contradictions are refused.
  command.files.write("released.csv", "age,smoker,wealth\n3,true,1\n");
  const Ended other = command.estimate();
  EXPECT_EQ(other.status, 2);
  EXPECT_EQ(other.err,
            "mollify: released.csv is not the release of c.json: that release has no column "
            "\"wealth\"\n");
}

// At a confidence of 1 - 1e-6 an interval that misses is a fault, not chance.
TEST(Estimate, FindsThePopulationOfEveryLinearRelease) {
  const std::vector<std::pair<Arguments, int>> releases = {
      {{"@local", "--unit", "id", "--mechanism", "randomized-response", "--epsilon", "3", "--count",
        "1"},
       1},
      {{"@local", "--unit", "id", "--mechanism", "randomized-response", "--epsilon", "6", "--count",
        "2"},
       2},
      {{"@local", "--unit", "id", "--mechanism", "mixture", "--reference", "reference.csv",
        "--epsilon", "3", "--count", "1"},
       1},
      {{"@local", "--unit", "id", "--mechanism", "public-kernel", "--reference", "reference.csv",
        "--epsilon", "3", "--count", "1"},
       1},
      {{"@local", "--unit", "id", "--mechanism", "gaussian-curve", "--mu", "2", "--count", "1"}, 1},
      {{"@central", "--mechanism", "shuffled-rr", "--epsilon", "1", "--delta", "1e-6",
        "--accept-error", "--count", std::to_string(kUnits)},
       1},
      {{"@central", "--mechanism", "poisson-rr", "--rate", "0.5", "--epsilon", "1", "--delta",
        "1e-6", "--accept-error"},
       0}};
  const Population population;
  for (const auto& [options, draws] : releases) {
    population.release(options);
    const Json found = population.estimated({"--confidence", "0.999999", "--pairs"});
    if (draws > 0) {
      EXPECT_EQ(found["records"], kUnits * draws);
    }
    EXPECT_EQ(found["linear"], true);
    ASSERT_EQ(found["estimates"].size(), 4U);
    // Unit u is old if u mod 4 is 3, and smokes if u mod 5 is 0: independent.
    const Json& old_smokers = cell(found["estimates"], "40..79, true");
    EXPECT_LE(old_smokers["lower"], 0.05);
    EXPECT_GE(old_smokers["upper"], 0.05);
    const Json& smokers = cell(found["marginals"][1]["estimates"], "true");
    EXPECT_LE(smokers["lower"], 0.2);
    EXPECT_GE(smokers["upper"], 0.2);
    EXPECT_NEAR(smokers["probability"], 0.2, 6 * static_cast<double>(smokers["standard_error"]));
    EXPECT_LT(smokers["standard_error"], 0.1);
    const Json& age = found["means"][0];
    EXPECT_EQ(age["half_cell"], 19.5);
    EXPECT_LE(age["lower"], 0.75 * 19.5 + 0.25 * 59.5);
    EXPECT_GE(age["upper"], 0.75 * 19.5 + 0.25 * 59.5);
    EXPECT_EQ(found["pairs"][0]["columns"], Json::array({"age", "smoker"}));
  }
}

TEST(Estimate, TakesACutGrid) {
  const Population population;
  population.files.write("domain.yaml",
                         "columns:\n  age: {type: number, min: 0, max: 80, null: 0}\n");
  population.release({"@local", "--unit", "id", "--mechanism", "randomized-response", "--cells",
                      "8", "--epsilon", "3", "--count", "1"});
  const Json found = population.estimated({"--confidence", "0.999999"});
  ASSERT_EQ(found["estimates"].size(), 8U);
  EXPECT_LE(found["estimates"][7]["lower"], 0.25);
  EXPECT_GE(found["estimates"][7]["upper"], 0.25);
  EXPECT_EQ(found["means"][0]["column"], "age");
}

TEST(Estimate, TellsBoundsOfABandAndWhatToUseInstead) {
  const Population population;
  population.release({"@local", "--unit", "id", "--epsilon", "4", "--count", "1"});
  const Json found = population.estimated();
  EXPECT_EQ(found["linear"], false);
  EXPECT_TRUE(found["estimates"][0]["probability"].is_null());
  const Json& young = cell(found["marginals"][0]["estimates"], "0..39");
  EXPECT_LE(young["lower"], 0.75);
  EXPECT_GE(young["upper"], 0.75);
  const Ended told = population.estimate();
  EXPECT_NE(told.out.find("--mechanism randomized-response"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("its records do not determine the population"), std::string::npos)
      << told.out;
}

TEST(Estimate, ReadsForPeopleAndSaysWhatAnOracleWouldReach) {
  const Population population;
  population.release({"@local", "--unit", "id", "--mechanism", "randomized-response", "--epsilon",
                      "1", "--count", "1"});
  const Ended told = population.estimate({"--method", "maximum-likelihood"});
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_EQ(lines_of(told.out).front(),
            "4000 records by randomized-response; all 9 intervals hold together with probability "
            "0.95");
  EXPECT_NE(told.out.find("subset"), std::string::npos) << told.out;
}

TEST(Estimate, CountsOneInWordsAndKnowsAHeaderAgain) {
  const Population command;
  command.files.write("data.csv", "age,smoker\n3,true\n");
  command.release(
      Arguments{"@local", "--mechanism", "randomized-response", "--epsilon", "2", "--count", "1"});
  EXPECT_THAT(command.estimate().out, testing::StartsWith("1 record by randomized-response; all "));
  const std::string released = command.files.read("released.csv");
  command.files.write("released.csv", released + released);
  const Ended joined = command.estimate();
  EXPECT_EQ(joined.status, 2);
  EXPECT_EQ(joined.err,
            "mollify: released.csv line 3 is the header again: keep only the first one, as of "
            "files that were joined\n");
}

/// The schools' share of a column's value: each school counts once.
double share_of_schools(const std::string& text, std::string_view value) {
  std::istringstream rows(text);
  std::string row;
  std::getline(rows, row);
  std::map<std::string, std::pair<double, double>> schools;
  while (std::getline(rows, row)) {
    auto& [all, with] = schools[row.substr(0, row.find(','))];
    ++all;
    if (row.find("," + std::string(value) + ",") != row.npos) ++with;
  }
  double sum = 0;
  for (const auto& [school, counts] : schools) sum += counts.second / counts.first;
  return sum / static_cast<double>(schools.size());
}

/// Releases of the real schools, of one column.
class Schools : public CommandLine {
 public:
  Schools() {
    const auto data = std::filesystem::path(MOLLIFY_TEST_DATA) / "../../data";
    for (const char* name : {"schools.csv", "schools_roster.csv"}) {
      std::filesystem::copy_file(data / name, files.path(name));
    }
    files.write("sex.yaml",
                "columns:\n  sex: {type: categorical, values: [female, male], null: female}\n");
    female = share_of_schools(files.read("schools.csv"), "female");
  }

  void release(const std::string& name, const std::string& epsilon) const {
    const Ended ended = run({"sample", "local", "--data", "schools.csv", "--domain", "sex.yaml",
                             "--unit", "school", "--units", "schools_roster.csv", "--mechanism",
                             "randomized-response", "--epsilon", epsilon, "--out", name});
    ASSERT_EQ(ended.status, 0) << ended.err;
  }

  static Arguments given(const std::string& name) {
    return {"--released", name, "--certificate", name + ".certificate.json"};
  }

  [[nodiscard]] Json estimated(const Arguments& more) const {
    const Ended ended = run(Arguments{"estimate", "--json"} + more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out);
  }

  double female = 0;
};

// An interval misses with probability 1e-6.
TEST(Estimate, TakesReleasesOfSeveralBudgetsTogether) {
  const Schools schools;
  schools.release("low.csv", "1");
  schools.release("high.csv", "3");
  const Arguments both = Schools::given("low.csv") + Schools::given("high.csv");
  const Json found = schools.estimated(both + Arguments{"--confidence", "0.999999"});
  EXPECT_EQ(found["records"], 320);
  EXPECT_EQ(found["releases"][0]["epsilon"], 1);
  EXPECT_EQ(found["releases"][1]["epsilon"], 3);
  EXPECT_LT(found["releases"][0]["weight"], found["releases"][1]["weight"]);
  const Json& women = cell(found["estimates"], "female");
  EXPECT_LE(women["lower"], schools.female);
  EXPECT_GE(women["upper"], schools.female);
  for (const char* one : {"low.csv", "high.csv"}) {
    const Json alone = schools.estimated(Schools::given(one));
    EXPECT_LT(women["standard_error"], cell(alone["estimates"], "female")["standard_error"]);
  }
  const Json counted = schools.estimated(both + Arguments{"--weighting", "reports"});
  EXPECT_EQ(counted["releases"][0]["weight"], 0.5);
  const Ended told = schools.run(Arguments{"estimate"} + both);
  EXPECT_NE(told.out.find("\nhigh.csv          160        3   "), std::string::npos) << told.out;
  const Ended odd = schools.run(Arguments{"estimate", "--released", "low.csv"} + both);
  EXPECT_EQ(odd.status, 2);
  EXPECT_EQ(
      odd.err,
      "mollify: each --released needs its own --certificate, in the same order, but there are "
      "3 and 2\n");
}

// Twenty devices answer what they like, against real schools: the estimate goes where they want,
// and no further than is stated; the interval misses with probability 1e-6.
TEST(Estimate, HoldsWithBadReports) {
  const Schools schools;
  schools.release("r.csv", "2");
  const Arguments asked =
      Schools::given("r.csv") + Arguments{"--confidence", "0.999999", "--bad-reports", "20"};
  const Json honest = schools.estimated(asked);
  std::istringstream rows(schools.files.read("r.csv"));
  std::string poisoned;
  std::string row;
  int bad = 0;
  while (std::getline(rows, row)) {
    const std::size_t place = row.find("female");
    if (place != row.npos && bad < 20) {
      row.replace(place, 6, "male");
      ++bad;
    }
    poisoned += row + "\n";
  }
  ASSERT_EQ(bad, 20);
  schools.files.write("r.csv", poisoned);
  const Json found = schools.estimated(asked);
  // 1 / (n (p - q)) for each, and p - q is (e^2 - 1) / (e^2 + 1).
  const double moved = 20 / (160 * std::tanh(1.0));
  EXPECT_NEAR(found["share_moved_up"], moved, 1e-9);
  const Json& women = cell(found["estimates"], "female");
  EXPECT_NEAR(static_cast<double>(cell(honest["estimates"], "female")["probability"]) -
                  static_cast<double>(women["probability"]),
              moved, 1e-9);
  EXPECT_LE(women["lower"], schools.female);
  EXPECT_GE(women["upper"], schools.female);
  const Ended told = schools.run(Arguments{"estimate"} + asked);
  EXPECT_NE(told.out.find("intervals hold if at most 20 records are anything, which moves an"),
            std::string::npos)
      << told.out;
}

TEST(Estimate, RefusesInOneSentence) {
  const Population population;
  population.release({"@local", "--unit", "id", "--mechanism", "randomized-response", "--epsilon",
                      "1", "--count", "3"});
  const auto refused = [&](const Arguments& more) {
    const Ended ended = population.estimate(more);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(refused({"--confidence", "1"}),
            "mollify: confidence must be above 0.5 and below 1, but is 1\n");
  EXPECT_EQ(refused({"--method", "best"}),
            "mollify: method must be " + all_names<EstimateMethod>(" or ") + ", but is \"best\"\n");
  population.files.write("other.yaml",
                         "columns:\n  age: {type: integer, min: 0, max: 79, null: 0}\n");
  EXPECT_EQ(refused({"--domain", "other.yaml"}),
            "mollify: c.json must be of the domain that is given, but is of another one\n");
  const std::string released = population.files.read("released.csv");
  population.files.write("released.csv", released + "3,true\n");
  EXPECT_EQ(refused({}),
            "mollify: released.csv must hold 3 records of each unit, as the certificate says, but "
            "holds 12001 in all\n");
  population.files.write("released.csv", released + "300,true\n");
  EXPECT_EQ(refused({}),
            "mollify: released.csv line 12002 column \"age\" must be an integer from 0 to 79 or "
            "null, but "
            "is \"300\" (outside: clip is for private values)\n");
  std::string forged = population.files.read("c.json");
  forged.replace(forged.find("\"count\": 3"), 10, "\"count\": 4");
  population.files.write("c.json", forged);
  EXPECT_EQ(refused({}), "mollify: c.json must hold, but mollify verify finds that it does not\n");
  std::filesystem::remove(population.files.path("domain.yaml"));
  EXPECT_EQ(
      refused({}),
      "mollify: c.json names the domain \"domain.yaml\", which is not here: say where it is with "
      "--domain\n");
}

}  // namespace
}  // namespace mollify::test
