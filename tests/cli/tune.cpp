// `mollify tune`: where to put the band, from public units.
#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "command_line.h"
#include "methods/local/tuned_band.h"

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
    // Sample takes the name that it prints.
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

// The best band is a public file: sample takes it, verify checks it, and epsilon is kept.
TEST(Tune, WritesTheBestBandThatSampleTakes) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  command.files.write("public.csv", units());
  for (const Arguments& space :
       {Arguments{"--cells", "64", "--score", "empirical"}, Arguments{"--cells", "64"}}) {
    const Json found = tuned(command, space + Arguments{"--epsilon", "2", "--best", "--out",
                                                        "band.json", "--overwrite"});
    const double limit = found["limit"]["kl"];
    const double best = found["best"]["kl"];
    EXPECT_GE(best, limit);
    EXPECT_LT(best - limit, 1e-6);
    EXPECT_LT(best, found["minimax"]["kl"]);
    EXPECT_LT(best, found["uniform"]["kl"]);
    EXPECT_GT(found["best"]["held_out_kl"], best);
    const Arguments release =
        kSample + kIntegral + space +
        Arguments{"--band", "file=band.json", "--count", "1", "--epsilon", "2"};
    const Ended released = command.run(
        release + Arguments{"--out", "r.csv", "--certificate", "c.json", "--overwrite"});
    ASSERT_EQ(released.status, 0) << released.err;
    const Json certificate = Json::parse(command.files.read("c.json"));
    EXPECT_EQ(certificate["facts"]["lower_bounds"].size(), found["written"]["lower"].size());
    const Arguments verify = {"verify", "--certificate", "c.json", "--domain", "domain.yaml"};
    const Ended checked = command.run(verify);
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(lines_of(checked.out).back(), "holds");
    // A certificate that states other bounds does not hold.
    Json forged = certificate;
    forged["facts"]["lower_bounds"][0] = 0.001;
    command.files.write("c.json", forged.dump());
    EXPECT_EQ(command.run(verify).status, 1);
    forged["facts"]["lower_bounds"][0] = -1;
    command.files.write("c.json", forged.dump());
    EXPECT_EQ(command.run(verify).status, 1);
  }
  const Ended told =
      command.run({"tune", "--public-units", "public.csv", "--unit", "id", "--domain",
                   "domain.yaml", "--epsilon", "2", "--cells", "64", "--best"});
  EXPECT_NE(told.out.find("no epsilon-LDP sampler has mean KL below "), std::string::npos);
  EXPECT_NE(told.out.find(" held out"), std::string::npos);
  // Forty units are few, and three are too few for any to be held out.
  EXPECT_NE(told.err.find("WARNING: of 40 public units each held-out part has 8 or so, too few to "
                          "show how the band does on other units; give 50 or more [few-units]\n"),
            std::string::npos)
      << told.err;
  command.files.write("three.csv", "id,weight,age\na,70,30\nb,80,40\nc,90,50\n");
  const Ended few = command.run({"tune", "--public-units", "three.csv", "--unit", "id", "--domain",
                                 "domain.yaml", "--epsilon", "2", "--cells", "9", "--best"});
  EXPECT_EQ(few.status, 0) << few.err;
  EXPECT_NE(few.err.find("WARNING: 3 public units are too few to hold any out"), std::string::npos)
      << few.err;
}

TEST(Tune, ProvesTheBestBandByEveryDivergence) {
  const Release command;
  command.files.write("domain.yaml", kTwoNumbers);
  command.files.write("public.csv", units());
  for (const auto& one : names<BandDivergence>()) {
    const std::string divergence(one.name);
    const Json found = tuned(command, {"--cells", "16", "--score", "empirical", "--epsilon", "2",
                                       "--best", "--divergence", divergence});
    const double limit = found["limit"][divergence];
    const double best = found["best"][divergence];
    std::printf("%s: limit %.6f, best %.6f\n", divergence.c_str(), limit, best);
    EXPECT_EQ(found["divergence"], divergence);
    EXPECT_GT(limit, 0);
    EXPECT_GE(best, limit);
    EXPECT_LT(best - limit, 1e-6);
    EXPECT_LT(best, found["minimax"][divergence]);
    EXPECT_LE(best, found["uniform"][divergence]);
    EXPECT_GT(found["best"]["held_out_" + divergence], best);
  }
  const Ended told = command.run({"tune", "--public-units", "public.csv", "--unit", "id",
                                  "--domain", "domain.yaml", "--epsilon", "2", "--cells", "16",
                                  "--best", "--divergence", "tv"});
  EXPECT_NE(told.out.find("no epsilon-LDP sampler has mean total variation below "),
            std::string::npos)
      << told.out << told.err;
}

// A plan's numbers for a band that is found are its release's.
TEST(Tune, PlansTheBandsThatAreFound) {
  const Release command;
  const auto planned = [&](const std::string& band) {
    const Ended ended = command.run(
        {"plan", "local", "--domain", "domain.yaml", "--epsilon", "1", "--band", band, "--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? Json::parse(ended.out) : Json();
  };
  const auto released = [&](const std::string& band) {
    const Ended ended =
        command.run(kSample + kLocal + kOneDraw + Arguments{"--band", band, "--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? Json::parse(ended.out) : Json();
  };
  const Json typical = planned("typical=2,5");
  const Json drawn = released("typical=2,5");
  EXPECT_EQ(typical["location"], drawn["certificate"]["facts"]["location"]);
  EXPECT_NEAR(typical["alpha"], drawn["draw"]["total_variation"].get<double>(), 1e-9);
  std::vector<double> lower;
  for (int i = 0; i < 120; ++i) lower.push_back((i < 60 ? 0.004 : 0.006));
  command.files.write(
      "b.json", Json({{"format", "mollify band 1"}, {"epsilon", 1}, {"lower", lower}}).dump());
  EXPECT_NEAR(planned("file=b.json")["location"], 0.6, 1e-12);
  EXPECT_NEAR(planned("file=b.json")["alpha"],
              released("file=b.json")["draw"]["total_variation"].get<double>(), 1e-9);
  const Ended words = command.run(
      {"plan", "local", "--domain", "domain.yaml", "--epsilon", "1", "--band", "file=b.json"});
  EXPECT_NE(words.out.find("band file=b.json lies at location=0.6 about its own bounds"),
            std::string::npos)
      << words.out;
  EXPECT_EQ(command.run({"plan", "local", "--k", "120", "--alpha", "0.5", "--band", "typical"}).err,
            "mollify: band typical depends on epsilon and on the number of outcomes, so plan "
            "cannot find epsilon with it: name another band\n");
  EXPECT_EQ(command
                .run({"plan", "local", "--domain", "domain.yaml", "--epsilon", "2", "--band",
                      "file=b.json"})
                .err,
            "mollify: b.json is a band for epsilon 1 a draw, but a draw has 2\n");
}

TEST(Tune, PlacesTheTypicalBandWithoutUnits) {
  const Release command;
  for (const char* band : {"typical", "typical=2", "typical=2,5"}) {
    const Ended released = command.run(
        kSample + kLocal + kOneDraw +
        Arguments{"--band", band, "--out", "r.csv", "--certificate", "c.json", "--overwrite"});
    ASSERT_EQ(released.status, 0) << released.err;
    const Json certificate = Json::parse(command.files.read("c.json"));
    EXPECT_GT(certificate["facts"]["location"], std::exp(-1.0));
    EXPECT_LT(certificate["facts"]["location"], 1);
    EXPECT_EQ(certificate["spec"]["band"], band);
    const Ended checked =
        command.run({"verify", "--certificate", "c.json", "--domain", "domain.yaml"});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  }
  // Another prior's b, with everything that follows from it.
  Json forged = Json::parse(command.files.read("c.json"));
  forged["spec"]["band"] = "typical=200";
  command.files.write("forged.json", forged.dump());
  const Ended caught =
      command.run({"verify", "--certificate", "forged.json", "--domain", "domain.yaml"});
  EXPECT_EQ(caught.status, 2) << caught.out;
  EXPECT_NE(caught.err.find("its part /facts/location does not follow from its prior"),
            std::string::npos)
      << caught.err;
}

TEST(Tune, RefusesBandsThatDoNotFit) {
  const Release command;
  command.files.write("two.json",
                      R"({"format": "mollify band 1", "epsilon": 1, "lower": [0.3, 0.3]})");
  command.files.write("full.json",
                      R"({"format": "mollify band 1", "epsilon": 1, "lower": [0.6, 0.6]})");
  command.files.write("zero.json",
                      R"({"format": "mollify band 1", "epsilon": 1, "lower": [0.6, 0]})");
  const auto refused = [&](const Arguments& more) {
    const Ended ended =
        command.run(kSample + kLocal + Arguments{"--count", "1", "--out", "r.csv"} + more);
    EXPECT_EQ(ended.status, 2);
    EXPECT_FALSE(command.names().contains("r.csv"));
    return ended.err;
  };
  EXPECT_EQ(
      refused({"--epsilon", "1", "--band", "file=two.json"}),
      "mollify: two.json must have one lower bound for each of the 120 outcomes, but has 2\n");
  EXPECT_EQ(
      refused({"--epsilon", "1", "--band", "file=full.json"}),
      "mollify: full.json must be a band: with lower bounds that sum to less than 1, and with "
      "e^epsilon times that above 1\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--band", "file=zero.json"}),
            "mollify: zero.json must be a band: with lower bounds of at least 2^-62\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--band", "file=data.csv"}),
            "mollify: the band must be public, but data.csv is the private file itself\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--band", "typical", "--reference", "reference.csv"}),
            "mollify: band typical has a reference of its own, but another is given\n");
  command.files.write("domain.yaml", "columns:\n  smoker: {type: boolean, null: false}\n");
  EXPECT_EQ(refused({"--epsilon", "2", "--band", "file=two.json"}),
            "mollify: two.json is a band for epsilon 1 a draw, but a draw has 2\n");
  const Ended law = command.run({"verify", "--k", "5", "--epsilon", "1", "--band", "typical"});
  EXPECT_EQ(law.status, 2);
  EXPECT_EQ(law.err,
            "mollify: band typical is found when a release is prepared; here say where it lies, "
            "location=B\n");
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
  EXPECT_EQ(refused({"--unit", "id"}),
            "mollify: --public-units is missing: public CSV of units like yours\n");
  EXPECT_EQ(refused({"--public-units", "public.csv", "--unit", "id"}),
            "mollify: --epsilon is missing: privacy budget: the total of a unit, row or table\n");
  EXPECT_EQ(refused({"--public-units", "data.csv", "--data", "data.csv", "--unit", "id",
                     "--epsilon", "1"}),
            "mollify: the units must be public, but data.csv is the private file itself\n");
  EXPECT_EQ(refused(fine + Arguments{"--cells", "9", "--best", "--c2", "3"}),
            "mollify: --best finds the reference and its place itself, so --c2 must not be given "
            "with it\n");
  EXPECT_EQ(
      refused(fine + Arguments{"--candidates", "9", "--best"}),
      "mollify: --best is for categories and grids, but the space is candidates: each list of "
      "these would need bounds of its own\n");
  EXPECT_EQ(refused(fine + Arguments{"--out", "band.json"}),
            "mollify: --best is missing: --out needs it\n");
  EXPECT_EQ(refused(fine + Arguments{"--c1", "0.5"}), "mollify: --c2 is missing: --c1 needs it\n");
  // Before the units are read, which may be many.
  command.files.write("public.csv", "id,weight,age\nu,no number,20\n");
  EXPECT_EQ(
      refused(fine + Arguments{"--divergence", "foo"}),
      "mollify: divergence must be " + all_names<BandDivergence>(" or ") + ", but is \"foo\"\n");
  command.files.write("public.csv", "id,weight,age\n");
  EXPECT_EQ(refused(fine), "mollify: public.csv must hold at least one record, but holds none\n");
  command.files.write("public.csv", "id,weight,age\nu,200,20\n");
  EXPECT_EQ(refused(fine),
            "mollify: public.csv line 2 column \"weight\" must be a number from 40 to 130 or null, "
            "but is "
            "\"200\"\n");
}

}  // namespace
}  // namespace mollify::test
