// `mollify plan gaussian`.
#include <regex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;

const Arguments kGaussianPlan = {
    "plan",
    "gaussian",
};

Json gaussian_answers(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(kGaussianPlan + Arguments{"--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out)["answers"];
}

TEST(PlanGaussian, GivesTheLeastNOfTheIssue) {
  const CommandLine command;
  const std::pair<const char*, int> expected[] = {{"1", 21}, {"10", 25}, {"100", 39}};
  for (const auto& [dimension, papers] : expected) {
    const Json answers = gaussian_answers(command, {"--dimension", dimension, "--mean-bound", "5",
                                                    "--rho", "0.5", "--alpha", "0.01"});
    ASSERT_EQ(answers.size(), 1U);
    EXPECT_EQ(answers[0]["unknown"], "n");
    EXPECT_EQ(answers[0]["papers_records"], papers);
    EXPECT_LE(answers[0]["n"], papers);
    EXPECT_LE(answers[0]["design"]["alpha"], 0.01);
    EXPECT_LE(answers[0]["records_lower_bound"], answers[0]["n"]);
  }
}

TEST(PlanGaussian, FindsEveryOtherNumber) {
  const CommandLine command;
  const Arguments few = {"--dimension", "3", "--mean-bound", "5"};
  const Json alpha =
      gaussian_answers(command, few + Arguments{"--n", "500", "--epsilon", "1", "--curve"});
  EXPECT_EQ(alpha[0]["unknown"], "alpha");
  EXPECT_LT(alpha[0]["alpha"], 0.1);
  EXPECT_EQ(alpha[0]["curve"].size(), 11U);
  EXPECT_EQ(alpha[0]["curve"][5]["alpha"], alpha[0]["alpha"]);
  const Json budget = gaussian_answers(command, few + Arguments{"--n", "500", "--alpha", "0.05"});
  ASSERT_EQ(budget.size(), 2U);
  EXPECT_LT(budget[0]["epsilon"], 1);
  EXPECT_LT(budget[1]["rho"], 0.1);
  const Json count = gaussian_answers(
      command, few + Arguments{"--n", "500", "--alpha", "0.05", "--rho", "0.5", "--strong"});
  EXPECT_EQ(count[0]["unknown"], "count");
  EXPECT_GT(count[0]["count"], 5);
  const Json delta = gaussian_answers(
      command, few + Arguments{"--n", "60", "--alpha", "0.01", "--epsilon", "1", "--count", "1"});
  EXPECT_EQ(delta[0]["unknown"], "delta");
  EXPECT_LT(delta[0]["delta"], 0.01);
  const Json dimension = gaussian_answers(
      command, {"--mean-bound", "5", "--n", "60", "--alpha", "0.01", "--rho", "0.5"});
  EXPECT_EQ(dimension[0]["unknown"], "dimension");
  EXPECT_GT(dimension[0]["dimension"], 100);
}

TEST(PlanGaussian, SaysWhatAccuracyAndPrivacyRestOn) {
  const CommandLine command;
  const Ended words =
      command.run(kGaussianPlan + Arguments{"--dimension", "10", "--mean-bound", "5", "--rho",
                                            "0.5", "--alpha", "0.01"});
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_NE(words.out.find("the papers' parameters need 25 records"), std::string::npos)
      << words.out;
  EXPECT_NE(unwrapped(words.out).find("privacy depends on no assumption"), std::string::npos)
      << words.out;
  const Ended help = command.run({"plan", "gaussian", "--help"});
  EXPECT_NE(help.out.find("privacy holds"), std::string::npos) << help.out;
}

// A release asks for the covariance that a plan may do without.
TEST(PlanGaussian, SaysWhatCovarianceItSupposes) {
  const CommandLine command;
  command.files.write("d.yaml", "columns:\n  x: {type: number, min: 0, max: 100, null: 0}\n");
  command.files.write("c.csv", ",x\nx,4\n");
  const Arguments plan = {"plan", "gaussian", "--domain", "d.yaml", "--n", "9000", "--rho", "1"};
  const char* said = "as declared, with a covariance of 1 in each column, because none is given";
  const auto told = [&](const Arguments& more) {
    return unwrapped(command.run(plan + more).out).find(said) != std::string::npos;
  };
  EXPECT_TRUE(told({}));
  EXPECT_FALSE(told({"--covariance-bound", "9"}));
  EXPECT_FALSE(told({"--covariance", "c.csv"}));
  EXPECT_EQ(command.run(plan + Arguments{"--covariance", "c.csv"}).status, 0);
}

TEST(PlanGaussian, RefusesInOneSentence) {
  const CommandLine command;
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(options);
    EXPECT_EQ(ended.status, 2) << ended.out;
    return ended.err;
  };
  EXPECT_NE(
      refused(kGaussianPlan + Arguments{"--dimension", "3"}).find(": give all but one of --n"),
      std::string::npos);
  EXPECT_THAT(refused({"plan", "poisson", "--n", "3"}), HasSubstr("the method must be local,"));
  EXPECT_THAT(refused({"plan", "central", "--mean-bound", "5"}),
              HasSubstr("is for method gaussian, but the method is central"));
  EXPECT_THAT(refused(kGaussianPlan + Arguments{"--k", "4"}),
              HasSubstr("is for methods local, integral and central, but the method is gaussian"));
  EXPECT_NE(refused(kGaussianPlan + Arguments{"--dimension", "3", "--mean-bound", "5", "--n", "100",
                                              "--rho", "1", "--epsilon", "1"})
                .find("give --rho, or --epsilon and --delta, not both"),
            std::string::npos);
}

// The ranges alone decide the words. A holder of other data sees that the error is not for these.
TEST(PlanGaussian, SaysOfASharedOneWhichDataItsErrorIsFor) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  income: {type: number, min: 0, max: 1000000, null: 0}\n");
  const Ended ended = command.run({"plan", "gaussian-model", "--domain", "d.yaml", "--n", "1000",
                                   "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  const std::string printed = std::regex_replace(ended.out, std::regex("\\s+"), " ");
  for (const char* said :
       {"the declared ranges say which Gaussian data that error is for: \"income\" with a mean "
        "from "
        "375000 to 625000 and a standard deviation from 100000 to 167000",
        "a row farther than 3.41 standard deviations from the others is moved nearer: a few large "
        "values, and the spread that they make, are lost"}) {
    EXPECT_NE(printed.find(said), std::string::npos) << printed;
  }
}

TEST(PlanGaussian, RefusesASharedOneOfNobody) {
  const CommandLine command;
  const Ended ended = command.run(kGaussianPlan + Arguments{"@gaussian-model", "--dimension", "3",
                                                            "--n", "0", "--epsilon", "1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.err, "mollify: --n must be at least 1, but is 0\n");
}

}  // namespace
}  // namespace mollify::test
