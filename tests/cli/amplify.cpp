// `mollify amplify`: shuffled reports, forward and inverted.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

Json amplified(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(Arguments{"amplify", "--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out);
}

const Arguments kTable = {"--n", "10000", "--k", "20"};

TEST(Amplify, FindsEpsilon) {
  const CommandLine command;
  const Json found = amplified(command, kTable + Arguments{"--epsilon0", "3.5", "--delta", "1e-6"});
  const double upper = found["epsilon_upper"];
  EXPECT_LE(found["epsilon_lower"], upper);
  EXPECT_GT(found["epsilon_lower"], 0.99 * upper);
  EXPECT_GT(found["closed_form"], upper);
  EXPECT_GE(found["slack"], 0);
  EXPECT_LT(found["slack"], 1e-9);
  const Json outside =
      amplified(command, kTable + Arguments{"--epsilon0", "5.5", "--delta", "1e-6"});
  EXPECT_TRUE(outside["closed_form"].is_null());
  const Json sampled = amplified(
      command, kTable + Arguments{"--epsilon0", "3.5", "--delta", "1e-6", "--rate", "0.1"});
  EXPECT_LT(sampled["epsilon_upper"], upper);
  EXPECT_TRUE(sampled["closed_form"].is_null());
  EXPECT_EQ(sampled["rate"], 0.1);
}

TEST(Amplify, PrintsEveryEpsilonInOneForm) {
  const CommandLine command;
  const Ended ended = command.run(Arguments{"amplify"} + kTable +
                                  Arguments{"--epsilon0", "3.5", "--delta", "1e-6"});
  for (const char* form :
       {"  certified    epsilon = ", "  attained     epsilon = ", "  closed form  epsilon = "}) {
    EXPECT_NE(ended.out.find(form), std::string::npos) << ended.out;
  }
}

TEST(Amplify, InvertsInEveryParameter) {
  const CommandLine command;
  const Json epsilon0 = amplified(command, kTable + Arguments{"--epsilon", "1", "--delta", "1e-6"});
  EXPECT_LE(epsilon0["total_variation"], .069);
  EXPECT_LE(epsilon0["epsilon_upper"], 1);
  const std::string found = epsilon0["epsilon0"].dump();
  const Json delta = amplified(command, kTable + Arguments{"--epsilon0", found, "--epsilon", "1"});
  EXPECT_LE(delta["delta_upper"], 1e-6);
  EXPECT_GT(delta["delta_lower"], 0.99e-6);
  const Json records =
      amplified(command, {"--k", "20", "--epsilon0", found, "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_EQ(records["n"], 10000);
  const Json tenth =
      amplified(command, kTable + Arguments{"--epsilon", "1", "--delta", "1e-6", "--rate", "0.1"});
  EXPECT_LE(tenth["total_variation"], .0060);
  const Json chosen = amplified(
      command, kTable + Arguments{"--epsilon", "1", "--delta", "1e-6", "--chosen", "1000"});
  EXPECT_LE(chosen["total_variation"], .0060);
}

TEST(Amplify, SpeaksPlainly) {
  const CommandLine command;
  const Ended ended =
      command.run(Arguments{"amplify"} + kTable + Arguments{"--epsilon", "1", "--delta", "1e-6"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_NE(ended.out.find("shuffled reports of 10000 records over 20 outcomes"), std::string::npos)
      << ended.out;
  EXPECT_NE(ended.out.find("nobody can claim less"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("closed form  none: outside its regime"), std::string::npos)
      << ended.out;
  EXPECT_THAT(
      command.run({"amplify", "--n", "1", "--k", "3", "--epsilon", "1", "--delta", "1e-6"}).out,
      testing::StartsWith("shuffled reports of 1 record over 3 outcomes, "));
  const std::string help = command.run({"--manual", "amplify"}).out;
  EXPECT_NE(help.find("the number of records n is public."), std::string::npos) << help;
}

TEST(Amplify, RefusesInOneSentence) {
  const CommandLine command;
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(Arguments{"amplify"} + options);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(refused(kTable + Arguments{"--epsilon0", "-1", "--delta", "1e-6"}),
            "mollify: epsilon0 must be above 0 and at most 100, but is -1\n");
  EXPECT_EQ(refused(kTable + Arguments{"--epsilon0", "1", "--delta", "2"}),
            "mollify: delta must be above 0 and below 1, but is 2\n");
  EXPECT_EQ(refused({"--n", "0", "--k", "3", "--epsilon0", "1", "--delta", "1e-6"}),
            "mollify: n must be from 1 to 1099511627776, but is 0\n");
  EXPECT_EQ(refused({"--n", "9", "--epsilon0", "1", "--delta", "1e-6"}),
            "mollify: --k is missing: how many records are possible\n");
  EXPECT_EQ(refused(kTable + Arguments{"--delta", "1e-6"}),
            "mollify: give exactly three of --n, --epsilon0, --epsilon and --delta; you gave 2\n");
  EXPECT_EQ(refused(kTable + Arguments{"--epsilon0", "1", "--epsilon", "1", "--delta", "1e-6"}),
            "mollify: give exactly three of --n, --epsilon0, --epsilon and --delta; you gave 4\n");
  refused(kTable + Arguments{"--epsilon0", "1", "--delta", "1e-6", "--rate", "0"});
  refused(kTable +
          Arguments{"--epsilon0", "1", "--delta", "1e-6", "--rate", "0.5", "--chosen", "5"});
  refused(kTable + Arguments{"--epsilon0", "1", "--delta", "1e-6", "--chosen", "10001"});
  refused({"--k", "3", "--epsilon0", "1", "--epsilon", "0", "--delta", "1e-9"});
}

}  // namespace
}  // namespace mollify::test
