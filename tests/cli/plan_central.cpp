// `mollify plan central`: the sixth of six public numbers.
#include <cstdio>

#include <gtest/gtest.h>

#include "command_line.h"
#include "methods/central/method.h"

namespace mollify::test {
namespace {

const Arguments kPlan = {"plan", "central"};
const Arguments kNarrow = {"--k", "4", "--delta", "1e-6", "--count", "50"};

Json planned(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(kPlan + Arguments{"--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out);
}

TEST(PlanCentral, FindsWhatIsMissing) {
  const CommandLine command;
  const Json records = planned(command, kNarrow + Arguments{"--epsilon", "1", "--alpha", "0.05"});
  EXPECT_EQ(records["unknown"], "n");
  EXPECT_EQ(records["best"], "subset-rr");
  const int n = records["n"];
  EXPECT_GT(n, 50);
  EXPECT_LT(n, 1000);
  EXPECT_GT(records["papers_records"]["subsampled-rr"], n);
  EXPECT_EQ(records["records_lower_bound_order"], 80);
  const Json alpha =
      planned(command, kNarrow + Arguments{"--epsilon", "1", "--n", std::to_string(n)});
  EXPECT_EQ(alpha["unknown"], "alpha");
  EXPECT_LE(alpha["alpha"], 0.05);
  EXPECT_GT(alpha["alpha"], 0.04);
  const Json epsilon =
      planned(command, kNarrow + Arguments{"--alpha", "0.05", "--n", std::to_string(n)});
  EXPECT_LE(epsilon["epsilon"], 1);
  const Json pure = planned(command, {"--epsilon", "1", "--alpha", "0.05", "--k", "4"});
  EXPECT_EQ(pure["mechanisms"].size(), 6U);
  EXPECT_EQ(pure["mechanisms"][0]["mechanism"], "subsampled-rr");
  EXPECT_EQ(pure["mechanisms"][0]["n"], 33);  // (3/.05 - 4)/(e - 1)
  const Json count =
      planned(command, {"--epsilon", "1", "--alpha", "0.05", "--k", "4", "--n", "1000"});
  EXPECT_EQ(count["unknown"], "count");
  EXPECT_GE(count["count"], 30);
}

TEST(PlanCentral, AsksForARecordOfEachOutput) {
  const CommandLine command;
  const Json many = planned(command, {"--k", "10", "--epsilon", "1", "--delta", "1e-9", "--alpha",
                                      ".1", "--count", "100000"});
  EXPECT_EQ(many["papers_records"]["shuffled-rr"], 100'000);
  EXPECT_GE(many["n"], 100'000);
}

TEST(PlanCentral, TakesTheDomainAndDrawsACurve) {
  const Release command;
  const Json plan =
      planned(command, {"--domain", "domain.yaml", "--epsilon", "1", "--n", "5000", "--curve"});
  EXPECT_EQ(plan["unknown"], "alpha");
  ASSERT_EQ(plan["curve"].size(), 11U);
  EXPECT_EQ(plan["curve"][5]["n"], 5000);
  EXPECT_EQ(plan["curve"][5]["alpha"]["subsampled-rr"], plan["mechanisms"][0]["alpha"]);
  const Ended words = command.run(
      kPlan + Arguments{"--domain", "domain.yaml", "--epsilon", "1", "--n", "5000", "--curve"});
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_NE(words.out.find("\nbest: "), std::string::npos) << words.out;
  EXPECT_NE(words.out.find("the best one as a bar"), std::string::npos) << words.out;
}

TEST(PlanCentral, PlansASupport) {
  const CommandLine command;
  const Arguments budget = {"--epsilon", "1", "--delta", "1e-6", "--n", "100000"};
  const Json plan = planned(command, budget + Arguments{"--support", "width=50"});
  EXPECT_EQ(plan["unknown"], "alpha");
  EXPECT_EQ(plan["support"]["k"], 150);
  EXPECT_EQ(plan["support"]["failure"], 0.001);
  EXPECT_GT(plan["support"]["papers_search_order"], plan["support"]["records_to_find"]);
  const Ended words = command.run(kPlan + budget + Arguments{"--support", "heavy", "--k", "8"});
  EXPECT_EQ(words.status, 0) << words.err;
  std::printf("%s", words.out.c_str());
  EXPECT_NE(words.out.find("\nhalf of the budget finds at most 8 outcomes from "),
            std::string::npos);
  EXPECT_NE(words.out.find("\nalpha is the sum of "), std::string::npos);
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(kPlan + options);
    EXPECT_EQ(ended.status, 2) << ended.out;
    return ended.err;
  };
  EXPECT_EQ(refused(budget + Arguments{"--support", "width=50", "--k", "8"}),
            "mollify: --k follows from --support width=50: leave it out\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--n", "100000", "--support", "heavy", "--k", "8"}),
            "mollify: --delta is missing: --support needs one above 0\n");
  EXPECT_EQ(refused(budget + Arguments{"--support", "heavy"}),
            "mollify: plan finds one of --n, --k, --epsilon and --alpha: "
            "give all but one of --k and --alpha\n");
  EXPECT_EQ(refused(budget + Arguments{"--support", "width=1.5"}),
            "mollify: the width of the support must be an integer from 1 to 4294967296, but is "
            "1.5\n");
}

// A domain says how its integers are cut into cells, and bounds the support.
TEST(PlanCentral, PlansASupportInADomain) {
  const Release command;
  command.files.write(
      "days.yaml", "columns:\n  days: {type: integer, min: 0, max: 9999, bins: 1000, null: 0}\n");
  const Arguments budget = {"--domain", "days.yaml", "--epsilon", "1",        "--delta",
                            "1e-9",     "--n",       "1000000",   "--support"};
  // 50 integers meet 6 cells of ten.
  EXPECT_EQ(planned(command, budget + Arguments{"width=50"})["support"]["k"], 18);
  const Json bounded = planned(command, budget + Arguments{"bounded", "--k", "900"});
  EXPECT_EQ(bounded["support"]["k"], 1000);
}

TEST(PlanCentral, RefusesInOneSentence) {
  const CommandLine command;
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(kPlan + options);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(refused({"--k", "4", "--epsilon", "1"}),
            "mollify: plan finds one of --n, --k, --epsilon and --alpha: "
            "give all but one of --n and --alpha\n");
  EXPECT_EQ(refused(kNarrow + Arguments{"--n", "9", "--epsilon", "1", "--alpha", "0.1"}),
            "mollify: one of --n, --k, --epsilon, --alpha, --delta and --count must be left to be "
            "found, but all are given\n");
  EXPECT_EQ(refused(kNarrow + Arguments{"--epsilon", "1", "--alpha", "2"}),
            "mollify: alpha must be above 0 and below 1, but is 2\n");
  refused(kNarrow + Arguments{"--epsilon", "-1", "--alpha", "0.1"});
  refused(kNarrow + Arguments{"--epsilon", "1", "--alpha", "0.1", "--mechanism", "minimax"});
  EXPECT_EQ(command.run({"plan", "local", "--k", "4", "--epsilon", "1", "--n", "9"}).err,
            "mollify: --n is for " + kRowMethods.text() + ", but the method is local\n");
}

}  // namespace
}  // namespace mollify::test
