// `mollify risk`: worst cases in closed form.
#include <cmath>
#include <fstream>

#include <gtest/gtest.h>

#include "command_line.h"
#include "methods/local/tuned_band.h"

namespace mollify::test {
namespace {

Json risk(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(Arguments{"risk", "--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out);
}

TEST(Risk, IsThatOfTheReferenceFile) {
  std::ifstream file(MOLLIFY_TEST_DATA "/finite.json");
  const Json reference = Json::parse(file);
  const CommandLine command;
  ASSERT_GT(reference["rows"].size(), 0U);
  for (const Json& row : reference["rows"]) {
    for (const auto& [mechanism, suffix] :
         {std::pair{"minimax", "_proposed"}, std::pair{"relative", "_baseline"}}) {
      const Json found = risk(command, {"--mechanism", mechanism, "--k", row["k"].dump(),
                                        "--epsilon", row["eps"].dump()});
      for (const auto& [name, key] :
           {std::pair{"kl", "KL"}, std::pair{"tv", "TV"}, std::pair{"hellinger2", "H2"}}) {
        const double expected = std::stod(row[std::string(key) + suffix].get<std::string>());
        EXPECT_NEAR(found["risk"][name], expected, 1e-9 * expected)
            << mechanism << ' ' << name << " k " << row["k"] << " epsilon " << row["eps"];
      }
      EXPECT_EQ(found["attained"], true);
    }
  }
}

TEST(Risk, SaysWhereItIsOnlyABound) {
  const CommandLine command;
  const Json found = risk(command, {"--k", "3", "--c1", "0", "--c2", "2", "--epsilon", "1"});
  EXPECT_EQ(found["mechanism"], "class");
  EXPECT_NEAR(found["risk"]["tv"], .2689, 5e-5);
  EXPECT_EQ(found["attained"], false);
  EXPECT_NEAR(found["vertex_maximum"]["tv"], .1793, 5e-5);
  const Ended words = command.run({"risk", "--k", "3", "--c1", "0", "--c2", "2", "--epsilon", "1"});
  EXPECT_NE(words.out.find("an upper bound, not known to be attained"), std::string::npos)
      << words.out;
}

TEST(Risk, OfEveryMechanism) {
  const CommandLine command;
  command.files.write("q.json", "[1, 2, 3]");
  for (const Arguments& options : std::vector<Arguments>{
           {"--k", "3", "--epsilon", "1", "--gamma", "2"},
           {"--k", "3", "--epsilon", "1", "--mechanism", "relative", "--c1", "0.5", "--c2", "2"},
           {"--epsilon", "1", "--reference", "q.json"},
           {"--epsilon", "1", "--mechanism", "public-kernel", "--reference", "q.json"},
           {"--k", "3", "--epsilon", "1", "--mechanism", "randomized-response"},
           {"--k", "3", "--epsilon", "1", "--mechanism", "mixture"},
           {"--k", "3", "--mu", "1"}}) {
    const Json found = risk(command, options);
    for (const auto& [divergence, name] : names<BandDivergence>()) {
      EXPECT_TRUE(found["risk"][name].is_number() || found["risk"][name] == "infinity") << found;
    }
    const double tv = found["risk"]["tv"];
    EXPECT_GT(tv, 0);
    EXPECT_LT(tv, 1);
  }
}

TEST(Risk, RefusesWhatNoReleaseCanBeMadeWith) {
  const CommandLine command;
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(Arguments{"risk", "--k", "3", "--epsilon", "1"} + options);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(refused({"--gamma", "1"}), "mollify: gamma must be finite and above 1, but is 1\n");
  EXPECT_EQ(refused({"--c1", "0", "--c2", "1"}),
            "mollify: c2 must be finite and above 1, but is 1\n");
}

// At E c1 >= c2 the class is a mollifier itself and everything in it is released as it is.
TEST(Risk, IsNothingWhereTheClassIsAMollifier) {
  const CommandLine command;
  const Json found = risk(command, {"--k", "8", "--c1", "0.8", "--c2", "1.2", "--epsilon", "1"});
  EXPECT_EQ(found["risk"]["tv"], 0);
}

}  // namespace
}  // namespace mollify::test
