// `mollify verify`: guarantees recomputed in integers.
#include <cmath>
#include <iomanip>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

constexpr const char* kEpsilons[] = {"1e-6", "1e-3", "0.1", "1", "5", "20"};

void expect_held(const CommandLine& command, const Arguments& options, const std::string& epsilon,
                 std::size_t k) {
  const Ended ended =
      command.run(Arguments{"verify", "--json", "--k", std::to_string(k)} + options);
  ASSERT_EQ(ended.status, 0) << ended.err << ended.out;
  const Json found = Json::parse(ended.out);
  EXPECT_EQ(found["holds"], true) << found;
  EXPECT_GT(found["inputs"], 0);
  if (found.contains("mu_claimed")) {
    EXPECT_EQ(found["mu_claimed"], std::stod(options[1]));
    return;
  }
  EXPECT_EQ(found["epsilon_claimed"], std::stod(epsilon));
  EXPECT_LE(found["epsilon_realised"], found["epsilon_claimed"]);
  EXPECT_LE(found["epsilon_observed"], found["epsilon_realised"]);
  EXPECT_GE(found["epsilon_observed"], 0);
}

/// Every mechanism, and bands about a reference.
std::vector<Arguments> mechanisms(const std::string& epsilon) {
  const Arguments pure = {"--epsilon", epsilon};
  return {pure,
          pure + Arguments{"--mechanism", "relative"},
          pure + Arguments{"--c1", "0.5", "--c2", "2"},
          pure + Arguments{"--gamma", "2"},
          pure + Arguments{"--mechanism", "public-kernel"},
          pure + Arguments{"--mechanism", "randomized-response"},
          pure + Arguments{"--mechanism", "mixture"},
          {"--mu", std::stod(epsilon) < 0.001 ? "0.001" : epsilon}};  // the least there is
}

TEST(Verify, HoldsForEveryMechanism) {
  const CommandLine command;
  for (const std::size_t k : {2U, 3U, 10U, 1000U, whole_or_sanitized(10'000U, 17U)}) {
    for (const char* epsilon : kEpsilons) {
      for (const Arguments& options : mechanisms(epsilon))
        expect_held(command, options, epsilon, k);
    }
  }
}

std::string shortest(double value) {
  std::ostringstream text;
  text << std::setprecision(17) << value;
  return text.str();
}

/// A band between e^-epsilon and 1.
std::string location(const std::string& epsilon) {
  return "location=" + shortest(std::exp(-std::stod(epsilon) / 3));
}

// The band of a grid's cells or of candidates is one over their number of outcomes.
TEST(Verify, HoldsForEveryBandOfAGridOrOfCandidates) {
  const CommandLine command;
  for (const std::size_t k :
       {2U, whole_or_sanitized(40U * 40 * 40, 40U * 40), whole_or_sanitized(65'536U, 4096U)}) {
    for (const char* epsilon : kEpsilons) {
      const Arguments pure = {"--epsilon", epsilon, "--inputs", "12"};
      expect_held(command, pure + Arguments{"--band", "relative"}, epsilon, k);
      expect_held(command, pure + Arguments{"--band", "minimax", "--c2", "3"}, epsilon, k);
      expect_held(command, pure + Arguments{"--band", location(epsilon)}, epsilon, k);
    }
  }
}

TEST(Verify, HoldsForAMillionOutcomes) {
  const CommandLine command;
  const std::size_t k = whole_or_sanitized(1'000'000U, 50'000U);
  for (const Arguments& options : mechanisms("1")) {
    expect_held(command, options + Arguments{"--inputs", "12"}, "1", k);
  }
}

TEST(Verify, TriesNoMoreThanEndsSoon) {
  const CommandLine command;
  const auto said = [&](const Arguments& options) {
    const Ended ended = command.run(Arguments{"verify", "--epsilon", "1"} + options);
    EXPECT_EQ(ended.status, 2) << ended.out;
    return ended.err;
  };
  EXPECT_EQ(said({"--k", "16777216"}),
            "mollify: k must be at most 1048576 to try inputs, but is 16777216: give a smaller "
            "one, or --certificate, which checks the bounds of a release at any size\n");
  EXPECT_EQ(said({"--k", "16777216", "--mechanism", "scale-and-shift"}), said({"--k", "16777216"}));
  EXPECT_EQ(said({"--k", "1000000", "--inputs", "5000"}),
            "mollify: inputs must be at most 1073 with k 1000000, so that it ends in minutes, "
            "but is 5000\n");
}

TEST(Verify, HoldsAboutAReference) {
  const CommandLine command;
  std::string masses = "[0.5";
  for (int i = 1; i < 1000; ++i) masses += "," + std::to_string(i * i);
  command.files.write("q.json", masses + "]");
  const Arguments reference = {"--reference", "q.json"};
  for (const char* epsilon : {"0.1", "5"}) {
    for (const Arguments& options : mechanisms(epsilon)) {
      if (options.back() == "randomized-response") continue;  // has none
      expect_held(command, options + reference, epsilon, 1000);
    }
  }
}

TEST(Verify, TriesAsManyInputsAsAsked) {
  const CommandLine command;
  for (const char* inputs : {"1", "100"}) {
    const Ended ended =
        command.run({"verify", "--json", "--k", "7", "--epsilon", "1", "--inputs", inputs});
    EXPECT_EQ(Json::parse(ended.out)["inputs"], std::stoi(inputs));
  }
}

// The published routine realises 0.175 here.
TEST(Verify, CountsOneInWords) {
  const CommandLine command;
  const std::string out =
      command.run({"verify", "--k", "7", "--epsilon", "1", "--inputs", "1"}).out;
  EXPECT_THAT(out, testing::HasSubstr("minimax over 7 outcomes claims epsilon 1 a draw"));
  EXPECT_THAT(out, testing::HasSubstr("  observed, among         1 input      0 (rounded up)\n"));
}

TEST(Verify, RealisesAtMostWhatIsClaimedWherePublishedCodeDoesNot) {
  const CommandLine command;
  const Ended ended = command.run({"verify", "--json", "--k", "10000", "--epsilon", "0.1"});
  const Json found = Json::parse(ended.out);
  EXPECT_LE(found["epsilon_realised"], 0.1);
  EXPECT_GE(found["epsilon_observed"], 0.0999);
}

TEST(Verify, CountsADrawAboveThirtyAsThirty) {
  const CommandLine command;
  const Ended ended = command.run({"verify", "--json", "--k", "5", "--epsilon", "42.5"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_EQ(Json::parse(ended.out)["epsilon_claimed"], 30);
}

TEST(Verify, ReadsForPeopleToo) {
  const CommandLine command;
  const Ended ended = command.run({"verify", "--k", "5", "--epsilon", "1"});
  EXPECT_EQ(lines_of(ended.out).front(), "minimax over 5 outcomes claims epsilon 1 a draw");
  EXPECT_EQ(lines_of(ended.out).back(), "holds");
}

}  // namespace
}  // namespace mollify::test
