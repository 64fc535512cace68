// `mollify advise`: from a question to a release.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json advised(const CommandLine& command, const Arguments& question) {
  const Ended ended = command.run(Arguments{"advise", "--json"} + question);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return ended.status == 0 ? Json::parse(ended.out) : Json();
}

const Arguments kEach = {"--purpose", "records", "--protect", "person", "--columns", "3,4"};

TEST(Advise, GivesEachPersonsRecordFromABand) {
  const CommandLine command;
  const Json found = advised(command, kEach);
  EXPECT_EQ(found["model"], "local");
  EXPECT_EQ(found["mechanism"], "minimax");
  EXPECT_EQ(found["outcomes"], 12);
  EXPECT_EQ(found["count"], 1);
  EXPECT_EQ(found["delta"], 0);
  const std::vector<double> epsilons = {0.5, 1, 2, 4, 8};
  ASSERT_EQ(found["budgets"].size(), epsilons.size());
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    EXPECT_EQ(found["budgets"][i]["epsilon"], epsilons[i]);
    EXPECT_NEAR(found["budgets"][i]["error"], 11 / (std::exp(epsilons[i]) + 11), 1e-12);
  }
  // 11/(e^4 + 11) = .168 is too much, 11/(e^8 + 11) = .0037 is not.
  EXPECT_EQ(found["epsilon"], 8);
  EXPECT_EQ(advised(command, kEach + Arguments{"--alpha", "0.2"})["epsilon"], 4);
  for (const char* part : {"model", "mechanism", "epsilon", "delta", "count"}) {
    EXPECT_FALSE(found["reasons"][part].get<std::string>().empty()) << part;
  }
  EXPECT_THAT(found["error"]["words"].get<std::string>(), HasSubstr("but for 1 time in 272"));
}

// The advised commands are run as they stand, and the release is as good as was said.
TEST(Advise, GivesCommandsThatRun) {
  const Release command;
  const auto run_all = [&](const Json& advice) {
    for (std::string line : advice["commands"]) {
      for (const auto& [word, name] :
           {std::pair{"DATA.csv", "data.csv"}, std::pair{"ROSTER.csv", "units.csv"},
            std::pair{"RELEASED.csv", "released.csv"}, std::pair{"CERTIFICATE.json", "c.json"}}) {
        if (const auto place = line.find(word); place != std::string::npos) {
          line.replace(place, std::string(word).size(), name);
        }
      }
      Arguments words;
      std::istringstream stream(line);
      for (std::string one; stream >> one;) words.push_back(one);
      words.erase(words.begin());
      if (words.front() == "sample") words.emplace_back("--overwrite");
      const Ended ended = command.run(words);
      EXPECT_EQ(ended.status, 0) << line << "\n" << ended.err << ended.out;
    }
  };
  run_all(advised(command, {"--purpose", "records", "--protect", "person", "--domain",
                            "domain.yaml", "--unit", "id"}));
  run_all(advised(command, {"--purpose", "estimates", "--protect", "person", "--domain",
                            "domain.yaml", "--unit", "id", "--n", "4"}));
  run_all(advised(command, {"--purpose", "records", "--protect", "table", "--domain", "domain.yaml",
                            "--epsilon", "3"}));
}

TEST(Advise, ComparesEstimationWithAFrequencyOracle) {
  const CommandLine command;
  const Json found = advised(command, {"--purpose", "estimates", "--protect", "person", "--columns",
                                       "30", "--n", "5000", "--epsilon", "1"});
  EXPECT_EQ(found["mechanism"], "randomized-response");
  EXPECT_EQ(found["error"]["kind"], "standard_error");
  const double e = std::exp(1.0);
  const double p = e / (e + 29);
  const double q = 1 / (e + 29);
  const Json& one = found["budgets"][1];
  EXPECT_NEAR(one["error"], std::sqrt(q * (1 - q) / 5000) / (p - q), 1e-12);
  // d = 8 of 30 (30/(e + 1) = 8.07).
  const double inside = 8 * e / (8 * e + 22);
  const double s = (inside * 7 + (1 - inside) * 8) / 29;
  EXPECT_NEAR(one["oracle_error"], std::sqrt(s * (1 - s) / 5000) / (inside - s), 1e-12);
  EXPECT_THAT(found["notes"][0].get<std::string>(), HasSubstr("subset selection has variance"));
  EXPECT_THAT(found["commands"].dump(), HasSubstr("mollify estimate"));
  EXPECT_THAT(command.run({"advise", "--help"}).out, HasSubstr("subset selection has variance"));
}

TEST(Advise, GivesATableInTheCentralModel) {
  const CommandLine command;
  const Arguments table = {"--purpose", "sample", "--protect", "row",     "--columns",
                           "16",        "--n",    "20190",     "--count", "100"};
  const Json found = advised(command, table);
  EXPECT_EQ(found["model"], "central");
  EXPECT_EQ(found["mechanism"], "subset-rr");
  EXPECT_EQ(found["delta"], 1e-7);  // a hundredth of 1/20190 is 4.95e-7
  EXPECT_EQ(found["epsilon"], 0.5);
  const Ended plan =
      command.run({"plan", "--model", "central", "--n", "20190", "--k", "16", "--epsilon", "0.5",
                   "--delta", "1e-7", "--count", "100", "--json"});
  EXPECT_EQ(found["error"]["value"], Json::parse(plan.out)["alpha"]);
  const Json persons = advised(command, {"--purpose", "table", "--protect", "person", "--columns",
                                         "16", "--n", "5000", "--count", "100"});
  EXPECT_EQ(persons["model"], "central");
  EXPECT_THAT(persons["commands"].dump(), HasSubstr("--unit PERSON --units ROSTER.csv"));
  EXPECT_THAT(persons["notes"].dump(), HasSubstr("--family marginals"));
  EXPECT_THAT(found["notes"].dump(), Not(HasSubstr("--family marginals")));
}

TEST(Advise, GivesGaussianSamplesThatRun) {
  const CommandLine command;
  command.files.write("d.yaml", "columns:\n  a: {type: number, min: -5, max: 5}\n");
  command.files.write("COVARIANCE.csv", "a\n1\n");
  std::string rows = "a\n";
  for (int i = 0; i < 500; ++i) rows += std::to_string(i % 7 - 3) + "\n";
  command.files.write("DATA.csv", rows);
  const Json found =
      advised(command, {"--purpose", "sample", "--protect", "row", "--family", "gaussian", "--n",
                        "500", "--domain", "d.yaml", "--count", "5"});
  EXPECT_EQ(found["mechanism"], "gaussian");
  Arguments words;
  std::istringstream stream(found["commands"][1].get<std::string>());
  for (std::string one; stream >> one;) words.push_back(one);
  words.erase(words.begin());
  const Ended ended = command.run(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines_of(command.files.read("RELEASED.csv")).size(), 6U);
}

TEST(Advise, SaysWhatWouldDoWhereNothingServes) {
  const CommandLine command;
  const Json few = advised(command, {"--purpose", "estimates", "--protect", "person", "--columns",
                                     "1000", "--n", "20", "--alpha", "0.0001"});
  EXPECT_EQ(few["epsilon"], 8);
  EXPECT_THAT(few["reasons"]["epsilon"].get<std::string>(), HasSubstr("persons would"));
  const Json wide = advised(command, {"--purpose", "records", "--protect", "person", "--columns",
                                      "1000000", "--epsilon", "1"});
  EXPECT_THAT(wide["notes"].dump(), HasSubstr("fewer outcomes"));
}

TEST(Advise, ReadsAloud) {
  const CommandLine command;
  const Ended words = command.run(Arguments{"advise"} + kEach);
  ASSERT_EQ(words.status, 0) << words.err;
  const auto lines = lines_of(words.out);
  EXPECT_EQ(lines[0], "for realistic records, protecting each person, 12 outcomes");
  for (const char* part : {"\nmodel ", "\nmechanism ", "\nepsilon ", "\ndelta ", "\ncount ",
                           "\nerror ", "\nrun\n  mollify domain", "\nthe same at epsilon ",
                           "\na guess right 1 in 1000 becomes ", "\n* advised\n"}) {
    EXPECT_THAT(words.out, HasSubstr(part));
  }
}

TEST(Advise, RefusesInOneSentence) {
  const Release command;
  const auto refused = [&](const Arguments& question) {
    const Ended ended = command.run(Arguments{"advise"} + question);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(refused({"--protect", "row"}), "mollify: --purpose is needed, but is not given\n");
  EXPECT_EQ(refused({"--purpose", "fun", "--protect", "row"}),
            "mollify: purpose must be records, estimates, sample or table, but is \"fun\"\n");
  EXPECT_EQ(refused({"--purpose", "records"}),
            "mollify: --protect (person, row or table) or --model is needed, but neither is "
            "given\n");
  EXPECT_EQ(refused({"--purpose", "sample", "--protect", "row", "--columns", "4", "--n", "9"}),
            "mollify: --count, how many records are to be released, is needed, but is not given\n");
  EXPECT_EQ(refused({"--purpose", "estimates", "--protect", "person", "--columns", "4"}),
            "mollify: --n, how many persons there are, is needed, but is not given\n");
  EXPECT_EQ(refused({"--purpose", "records", "--protect", "person"}),
            "mollify: --domain, or --columns with how many values each column has, is needed, but "
            "neither is given\n");
  EXPECT_EQ(
      refused({"--purpose", "records", "--protect", "table", "--model", "local", "--columns", "4"}),
      "mollify: model local does not protect each table; leave one of them out\n");
  EXPECT_EQ(refused(kEach + Arguments{"--delta", "1e-6"}),
            "mollify: --delta is for model central, but the model is local\n");
  EXPECT_EQ(refused(kEach + Arguments{"--epsilon", "-1"}),
            "mollify: epsilon must be finite and positive, but is -1\n");
  EXPECT_EQ(refused({"--purpose", "sample", "--protect", "row", "--columns", "4", "--n", "100",
                     "--count", "5", "--delta", "0.5"}),
            "mollify: delta must be below 1/n = 0.01 for 100 rows, but is 0.5: with so large a one "
            "whole records may be released as they are; to do so all the same, accept it "
            "(--accept-large-delta, accept_large_delta in a spec)\n");
}

}  // namespace
}  // namespace mollify::test
