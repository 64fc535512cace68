// Lists of epsilon and `--mechanism all`: one table, one row a mechanism.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "name_lists.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;

Json json_of(const CommandLine& command, const Arguments& arguments) {
  const Ended ended = command.run(arguments + Arguments{"--json"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out);
}

const Json& row_of(const Json& rows, std::string_view mechanism) {
  for (const Json& row : rows) {
    if (row["mechanism"] == mechanism) return row;
  }
  ADD_FAILURE() << mechanism << " is missing in " << rows;
  return rows.front();
}

TEST(SeveralAtOnce, PlansEveryMechanismLinearOnesIncluded) {
  const CommandLine command;
  const Json all =
      json_of(command, {"plan", "local", "--k", "10", "--epsilon", "1", "--mechanism", "all"});
  const double least = 9 / (std::exp(1.0) + 9);
  EXPECT_EQ(all["best"], "minimax");
  ASSERT_EQ(all["mechanisms"].size(), mechanisms_in_a_table());
  for (const char* name : {"minimax", "randomized-response", "mixture"}) {
    EXPECT_NEAR(row_of(all["mechanisms"], name)["alpha"], least, 1e-12) << name;
  }
  EXPECT_EQ(row_of(all["mechanisms"], "randomized-response")["linear"], true);
  EXPECT_EQ(row_of(all["mechanisms"], "minimax")["linear"], false);
  EXPECT_EQ(row_of(all["mechanisms"], "class")["refusal"],
            "--c1 is missing: mechanism class needs it");
  const Ended words =
      command.run({"plan", "local", "--k", "10", "--epsilon", "1", "--mechanism", "all"});
  EXPECT_THAT(words.out, HasSubstr("* the best of those whose outputs are independent"));
  EXPECT_THAT(unwrapped(words.out), HasSubstr("(linear: mollify estimate finds the population"));
}

TEST(SeveralAtOnce, PlansForACollector) {
  const CommandLine command;
  const Arguments response = {"plan", "local", "--mechanism", "randomized-response"};
  const Json alpha = json_of(command, response + Arguments{"--k", "10", "--epsilon", "2"});
  EXPECT_NEAR(alpha["alpha"], 9 / (std::exp(2.0) + 9), 1e-12);
  EXPECT_EQ(alpha["linear"], true);
  const Json epsilon = json_of(command, response + Arguments{"--k", "10", "--alpha", "0.5"});
  EXPECT_NEAR(epsilon["epsilon"], std::log(9.0), 1e-5);
  const Json outcomes = json_of(command, response + Arguments{"--epsilon", "3", "--alpha", "0.5"});
  EXPECT_EQ(outcomes["k"], 1 + static_cast<int>(std::exp(3.0)));
  const Json in_mu = json_of(command, {"plan", "local", "--k", "5", "--mu", "1"});
  EXPECT_EQ(in_mu["mechanism"], "gaussian-curve");
  const Json risk = json_of(command, {"risk", "--k", "5", "--mu", "1"});
  EXPECT_EQ(in_mu["alpha"], risk["risk"]["tv"]);
}

TEST(SeveralAtOnce, WarnOnceOfEveryEpsilon) {
  const Release command;
  const Ended plans =
      command.run({"plan", "local", "--k", "18", "--epsilon", "0.25,0.5,1,2", "--count", "1"});
  ASSERT_EQ(plans.status, 0) << plans.err;
  const std::string said = unwrapped(plans.out);
  EXPECT_THAT(said, HasSubstr("WARNING: at epsilon 0.5, 1, 2 (numbers for 0.5): the release is "
                              "mostly noise: "));
  const auto first = said.find("is mostly noise");
  EXPECT_EQ(said.find("is mostly noise", first + 1), std::string::npos) << said;
}

TEST(SeveralAtOnce, PlansForEachEpsilonOfAList) {
  const Release command;
  const Json local = json_of(command, {"plan", "local", "--k", "10", "--epsilon", "0.5,1,2"});
  ASSERT_EQ(local["plans"].size(), 3U);
  EXPECT_EQ(local["plans"][1]["budget"]["epsilon"], 1);
  EXPECT_NEAR(local["plans"][2]["alpha"], 9 / (std::exp(2.0) + 9), 1e-12);
  const Arguments central = {"plan", "central", "--n",  "1000",     "--k",
                             "10",   "--delta", "1e-6", "--epsilon"};
  const Json several = json_of(command, central + Arguments{"0.5,4"});
  const Json one = json_of(command, central + Arguments{"4"});
  EXPECT_EQ(several["plans"][1]["alpha"], one["alpha"]);
  const Ended words = command.run(central + Arguments{"0.5,4"});
  ASSERT_EQ(words.status, 0) << words.err;
  const auto lines = lines_of(words.out);
  EXPECT_EQ(lines[0], "the worst-case total variation alpha");
  EXPECT_THAT(lines[2], HasSubstr("0.5"));
  EXPECT_THAT(words.out, HasSubstr("* the best of those whose outputs are independent"));
  EXPECT_EQ(command.run({"plan", "local", "--k", "10", "--epsilon", "0.5,,2"}).err,
            "mollify: epsilon must be a number, or several between commas, but is \"0.5,,2\"\n");
  EXPECT_EQ(command.run({"plan", "local", "--k", "10", "--epsilon", "0.5,-1"}).status, 2);
}

std::set<std::string> codes_of(const Json& warnings) {
  std::set<std::string> codes;
  for (const Json& one : warnings) codes.insert(one["code"]);
  return codes;
}

TEST(SeveralAtOnce, WarnsOfEachLikeARelease) {
  const Release command;
  const Arguments in = {"--data", "data.csv", "--domain", "domain.yaml", "--count", "1"};
  for (const Arguments& method :
       {Arguments{"@local", "--unit", "id"}, Arguments{"@integral"}, Arguments{"@integral-model"},
        Arguments{"@central", "--delta", "0.01"}}) {
    std::set<std::string> released, compared;
    for (const char* epsilon : {"2", "40"}) {
      const Arguments asked = in + method + Arguments{"--epsilon", epsilon};
      released.merge(
          codes_of(json_of(command, Arguments{"sample", "--accept-error"} + asked)["warnings"]));
      compared.merge(codes_of(json_of(command, Arguments{"compare"} + asked)["warnings"]));
    }
    EXPECT_TRUE(released.contains("large-epsilon")) << method.front();
    EXPECT_EQ(codes_of(json_of(command, Arguments{"compare"} + in + method +
                                            Arguments{"--epsilon", "2,40"})["warnings"]),
              compared)
        << method.front();
    EXPECT_TRUE(std::includes(released.begin(), released.end(), compared.begin(), compared.end()))
        << method.front();
    EXPECT_TRUE(compared.contains("large-epsilon")) << method.front();
  }
}

TEST(SeveralAtOnce, HasOneCodeForADeltaThatAReleaseRefuses) {
  const Release command;
  const Arguments asked = {"@central",    "--data",         "data.csv", "--domain",
                           "domain.yaml", "--count",        "1",        "--delta",
                           "0.5",         "--accept-error", "--epsilon"};
  EXPECT_EQ(command.run(Arguments{"sample"} + asked + Arguments{"1"}).code, "delta-too-large");
  for (const char* epsilon : {"1", "1,2"}) {
    const auto codes =
        codes_of(json_of(command, Arguments{"compare"} + asked + Arguments{epsilon})["warnings"]);
    EXPECT_TRUE(codes.contains("delta-too-large"));
    EXPECT_FALSE(codes.contains("delta-large"));
  }
}

TEST(SeveralAtOnce, SaysWhyABetterRowHasNoStar) {
  const CommandLine command;
  const Ended words = command.run(
      {"plan", "central", "--n", "400", "--k", "10", "--epsilon", "0.2", "--count", "20"});
  ASSERT_EQ(words.status, 0) << words.err;
  EXPECT_THAT(unwrapped(words.out),
              HasSubstr("(better, but its outputs are not independent, so it has no star)"));
}

TEST(SeveralAtOnce, TellsRisks) {
  const CommandLine command;
  const Json risks =
      json_of(command, {"risk", "--k", "10", "--epsilon", "1,2", "--mechanism", "all"})["risks"];
  ASSERT_EQ(risks.size(), 2 * mechanisms_in_a_table());
  const Json& minimax = row_of(risks, "minimax");
  EXPECT_EQ(minimax, json_of(command, {"risk", "--k", "10", "--epsilon", "1"}));
  EXPECT_EQ(row_of(risks, "neighbourhood")["refusal"],
            "--gamma is missing: mechanism neighbourhood needs it");
  const Ended words = command.run({"risk", "--k", "10", "--epsilon", "1", "--mechanism", "all"});
  EXPECT_EQ(lines_of(words.out).size(), 3 + mechanisms_in_a_table()) << words.out;
  EXPECT_THAT(words.out, HasSubstr("randomized-response"));
  const Ended refused = command.run({"risk", "--k", "10", "--epsilon", "-1", "--mechanism", "all"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "mollify: epsilon must be finite and positive, but is -1\n");
}

TEST(SeveralAtOnce, PlansGaussianSamplesOfADomain) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  a: {type: number, min: -3, max: 3, null: -3}\n"
                      "  b: {type: number, min: -3, max: 3, null: -3}\n");
  command.files.write("covariance.csv", "a,b\n1,0\n0,1\n");
  const Arguments plan = {"plan", "gaussian", "--n", "500", "--rho", "0.5"};
  const Json by_domain = json_of(command, plan + Arguments{"--domain", "d.yaml"});
  const Json by_size = json_of(command, plan + Arguments{"--dimension", "2", "--mean-range", "6"});
  EXPECT_EQ(by_domain["answers"][0]["alpha"], by_size["answers"][0]["alpha"]);
  EXPECT_EQ(json_of(command, plan + Arguments{"--domain", "d.yaml", "--covariance",
                                              "covariance.csv"})["answers"],
            by_domain["answers"]);
  EXPECT_EQ(command.run(plan + Arguments{"--domain", "d.yaml", "--dimension", "2"}).err,
            "mollify: give --dimension or --domain, not both: the domain declares what "
            "--dimension says\n");
  EXPECT_EQ(command.run(plan + Arguments{"--dimension", "2", "--log", "a"}).err,
            "mollify: --domain is missing: --log needs it\n");
}

// A Gaussian release's promise needs no simulation, so that budgets are side by side.
TEST(SeveralAtOnce, ComparesGaussianReleases) {
  const CommandLine command;
  std::string rows = "x,y\n";
  for (int i = 0; i < 300; ++i) rows += std::to_string(i % 7) + "," + std::to_string(i % 5) + "\n";
  command.files.write("g.csv", rows);
  command.files.write("g.yaml",
                      "columns:\n  x: {type: number, min: -10, max: 10, null: -10}\n"
                      "  y: {type: number, min: -10, max: 10, null: -10}\n");
  const Arguments compare = {"compare",  "gaussian", "--data", "g.csv",
                             "--domain", "g.yaml",   "--json"};
  const Arguments independent = {"--covariance-bound", "1", "--count", "1", "--epsilon", "1,2,4"};
  for (const Arguments& more :
       {independent, Arguments{"@gaussian-model", "--count", "10", "--epsilon", "8,16,32"}}) {
    const Ended ended = command.run(compare + more);
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Json compared = Json::parse(ended.out)["compared"];
    ASSERT_EQ(compared.size(), 3U);
    EXPECT_GT(compared[0]["tv"], compared[1]["tv"]);
    EXPECT_GT(compared[1]["tv"], compared[2]["tv"]);
  }
}

}  // namespace
}  // namespace mollify::test
