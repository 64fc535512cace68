// `mollify tune`: where to put the band, from public units.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

/// Forty units of thirty rows each, about places of their own.
std::string units() {
  std::mt19937 random(7);
  std::string text = "id,weight,age\n";
  for (int unit = 0; unit < 40; ++unit) {
    const int place = 50 + static_cast<int>(random() % 60);
    for (int row = 0; row < 30; ++row) {
      text += std::to_string(unit) + "," + std::to_string(place + static_cast<int>(random() % 10)) +
              "," + std::to_string(20 + random() % 40) + "\n";
    }
  }
  return text;
}

Json tuned(const Release& command, const Arguments& options) {
  const Ended ended = command.run(Arguments{"tune", "--public-units", "public.csv", "--unit", "id",
                                            "--domain", "domain.yaml", "--json"} +
                                  options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return Json::parse(ended.out);
}

TEST(Tune, MeasuresEveryBandAndNamesTheBest) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  command.files.write("public.csv", units());
  for (const Arguments& space : {Arguments{"--cells", "900"}, Arguments{"--candidates", "700"},
                                 Arguments{"--candidates", "700", "--fresh"},
                                 Arguments{"--cells", "400", "--score", "empirical"}}) {
    const Json found = tuned(command, space + Arguments{"--epsilon", "2", "--c2", "6"});
    EXPECT_EQ(found["units"], 40);
    ASSERT_EQ(found["bands"].size(), 12U);
    EXPECT_EQ(found["bands"][0]["band"], "minimax");
    EXPECT_EQ(found["bands"][1]["band"], "relative");
    double least = 1e300;
    std::string best;
    for (const Json& band : found["bands"]) {
      for (const char* divergence : {"kl", "tv", "hellinger2"}) {
        EXPECT_GE(band["mean"][divergence], 0);
        EXPECT_GE(band["worst"][divergence], band["mean"][divergence]);
      }
      if (band["mean"]["kl"] < least) {
        least = band["mean"]["kl"];
        best = band["band"];
      }
    }
    EXPECT_EQ(found["best"]["kl"], best);
    // What it names is what sample takes.
    const Ended released = command.run(
        kSample + kIntegral + Arguments{"--epsilon", "2", "--count", "1", "--band", best} + space +
        (best == "minimax" ? Arguments{"--c2", "6"} : Arguments{}));
    EXPECT_EQ(released.status, 0) << released.err;
  }
}

TEST(Tune, FindsThatMoreBudgetIsNearer) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  command.files.write("public.csv", units());
  double before = 1e300;
  for (const char* epsilon : {"0.5", "2", "6"}) {
    const Json found = tuned(command, {"--cells", "400", "--epsilon", epsilon});
    double least = 1e300;
    for (const Json& band : found["bands"]) least = std::min<double>(least, band["mean"]["kl"]);
    EXPECT_LT(least, before);
    before = least;
  }
}

TEST(Tune, ReadsForPeopleToo) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  command.files.write("public.csv", units());
  const Ended ended = command.run({"tune", "--public-units", "public.csv", "--unit", "id",
                                   "--domain", "domain.yaml", "--epsilon", "1", "--cells", "100"});
  EXPECT_EQ(lines_of(ended.out).front(),
            "40 public units, grid (100 outcomes), scored by kernel, epsilon 1 a draw");
  EXPECT_TRUE(lines_of(ended.out).back().starts_with("least mean KL: --band ")) << ended.out;
}

TEST(Tune, RefusesInOneSentence) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  command.files.write("public.csv", units());
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(Arguments{"tune", "--domain", "domain.yaml"} + options);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  const Arguments fine = {"--public-units", "public.csv", "--unit", "id", "--epsilon", "1"};
  EXPECT_EQ(refused({"--unit", "id"}), "mollify: --public-units is needed, but is not given\n");
  EXPECT_EQ(refused({"--public-units", "public.csv", "--unit", "id"}),
            "mollify: --epsilon is needed, but is not given\n");
  EXPECT_EQ(refused({"--public-units", "data.csv", "--data", "data.csv", "--unit", "id"}),
            "mollify: the units must be public, but data.csv is the private file itself\n");
  EXPECT_EQ(refused(fine + Arguments{"--c1", "0.5"}),
            "mollify: c1 needs c2 beside it, but none is given\n");
  command.files.write("public.csv", "id,weight,age\n");
  EXPECT_EQ(refused(fine), "mollify: public.csv must hold at least one record, but holds none\n");
  command.files.write("public.csv", "id,weight,age\nu,200,20\n");
  EXPECT_EQ(refused(fine),
            "mollify: public.csv line 2 column \"weight\" must be a number from 40 to 130, but is "
            "\"200\"\n");
}

}  // namespace
}  // namespace mollify::test
