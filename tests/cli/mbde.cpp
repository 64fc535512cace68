// `mollify mbde`: what boosting makes of densities and of private files, and what it refuses.
#include <cmath>

#include "cli/command_line.h"
#include "laboratory/boosting/likelihood.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

/// Two narrow Gaussians far apart on a line.
constexpr const char* kTwoModes =
    R"({"type":"gaussian_mixture","means":[[-1],[1]],"weights":[1,1],"variance":0.04})";

/// So few samples and steps that a run takes a moment.
const Arguments kQuick = {"--samples", "1500", "--epochs", "10", "--width", "8", "--depth", "1"};

Json boosted(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(Arguments{"mbde", "--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  Json json = Json::parse(ended.out);
  EXPECT_TRUE(json["notice"].get<std::string>().starts_with("NOT PRIVATE")) << ended.out;
  return json;
}

void expect_sound(const Json& run, double epsilon) {
  EXPECT_TRUE(run["log_ratio"]["within"]);
  EXPECT_NEAR(run["log_ratio"]["limit"].get<double>(), epsilon / 2, 1e-12);
  EXPECT_LE(run["delta"]["value"].get<double>(), epsilon / 2);
  for (const Json& iteration : run["iterations"]) {
    EXPECT_LE(iteration["guaranteed"].get<double>(), iteration["kl_drop"].get<double>() + 1e-9);
    EXPECT_LE(iteration["c_star"].get<double>(), std::log(2.0));
  }
}

TEST(Mbde, LearnsADensityAndSaysWhatWasGained) {
  CommandLine command;
  command.files.write("p.json", kTwoModes);
  for (const std::string& classifier :
       whole_or_sanitized<Arguments>({"probability", "logit", "sign"}, {"probability"})) {
    const Json run = boosted(
        command, Arguments{"--density", "p.json", "--epsilon", "2", "--classifier", classifier,
                           "--region", "-1.5:-0.5", "--out", "m.json", "--overwrite"} +
                     kQuick);
    expect_sound(run, 2);
    ASSERT_EQ(run["iterations"].size(), 3U);
    double drops = 0;
    for (const Json& iteration : run["iterations"]) drops += iteration["kl_drop"].get<double>();
    // The drops are measured one by one on the grid, and their sum is what was gained.
    EXPECT_NEAR(run["delta"]["value"].get<double>(), drops, 1e-6);
    const double gained =
        run["fit"]["reference"]["nll"].get<double>() - run["fit"]["boosted"]["nll"].get<double>();
    EXPECT_NEAR(gained, drops, 1e-3);
    EXPECT_GT(gained, 0.2) << classifier;
    EXPECT_GE(run["regions"][0]["q"].get<double>(), run["regions"][0]["guaranteed"].get<double>());
    EXPECT_GT(run["regions"][0]["q"].get<double>(), run["regions"][0]["reference"].get<double>());

    Json again = boosted(command, {"--density", "p.json", "--model", "m.json", "--samples", "1500",
                                   "--region", "-1.5:-0.5"});
    EXPECT_EQ(again["delta"], run["delta"]);
    EXPECT_EQ(again["fit"], run["fit"]);
    EXPECT_EQ(again["regions"], run["regions"]);
    EXPECT_EQ(again["iterations"][2]["kl_drop"], run["iterations"][2]["kl_drop"]);
    EXPECT_TRUE(again["iterations"][2]["cross_entropy"].is_null());

    const std::string model = command.files.read("m.json");
    EXPECT_EQ(boosted_model_json(boosted_model_from_json(model, "m.json")), model);
  }
}

TEST(Mbde, IsTheSameForTheSameSeed) {
  CommandLine command;
  command.files.write("p.json", kTwoModes);
  const Arguments options =
      Arguments{"mbde", "--density", "p.json", "--epsilon", "1", "--iterations", "1"} + kQuick;
  const Ended first = command.run(options);
  EXPECT_EQ(first.out, command.run(options).out);
  EXPECT_NE(first.out, command.run(options + Arguments{"--seed", "5"}).out);
  EXPECT_EQ(first.err, "") << "progress belongs on a terminal";
  EXPECT_NE(first.out.find("KL(P, Q0) - KL(P, Q_T)"), std::string::npos) << first.out;
}

TEST(Mbde, LearnsByTreesAndLogisticModelsAndManyOutputs) {
  CommandLine command;
  command.files.write("p.json", R"({"type":"gaussian","mean":[1.5],"variance":0.09})");
  for (const char* learner : {"tree", "logistic"}) {
    const Json run = boosted(command, {"--density", "p.json", "--epsilon", "2", "--learner",
                                       learner, "--samples", "1500"});
    expect_sound(run, 2);
    EXPECT_GT(run["delta"]["value"].get<double>(), 0.1) << learner;
  }
  const Json run = boosted(command, {"--density", "p.json", "--epsilon", "2", "--learner", "tree",
                                     "--samples", "1500", "--outputs", "4"});
  EXPECT_NEAR(run["log_ratio"]["limit"].get<double>(), 0.25, 1e-12);
  for (const Json& iteration : run["iterations"]) EXPECT_TRUE(iteration["papers_claim"].is_null());
}

TEST(Mbde, EstimatesWithErrorsWhereThereIsNoGrid) {
  CommandLine command;
  command.files.write("p.json", R"({"type":"gaussian","mean":[1,1,1],"variance":0.25})");
  const Json run = boosted(command, Arguments{"--density", "p.json", "--epsilon", "1"} + kQuick);
  expect_sound(run, 1);
  EXPECT_FALSE(run["exact"]);
  EXPECT_GT(run["delta"]["error"].get<double>(), 0);
  EXPECT_GT(run["fit"]["boosted"]["nll_error"].get<double>(), 0);
  // -E log N(x; 0, I) of the reference, exactly.
  const double expected = 1.5 * std::log(2 * 3.14159265358979) + 0.5 * 3 * 1.25;
  EXPECT_NEAR(run["fit"]["reference"]["nll"].get<double>(), expected,
              5 * run["fit"]["reference"]["nll_error"].get<double>());
}

TEST(Mbde, ShowsPointsDrawnInThreeWays) {
  CommandLine command;
  command.files.write("p.json", kTwoModes);
  constexpr double kDraws = 1000;
  for (const char* sampler : {"rejection", "candidates", "metropolis-hastings"}) {
    const Json run = boosted(
        command, Arguments{"--density", "p.json", "--epsilon", "4", "--draws", "1000", "--sampler",
                           sampler, "--region", "-1.5:-0.5", "--region", "0.5:1.5"} +
                     kQuick);
    ASSERT_EQ(run["draws"].size(), kDraws);
    double near_modes = 0;
    for (const Json& point : run["draws"]) {
      near_modes += std::abs(std::abs(point[0].get<double>()) - 1) < 0.5 ? 1 : 0;
    }
    const double share =
        run["regions"][0]["q"].get<double>() + run["regions"][1]["q"].get<double>();
    // Binomial, false alarms 1e-6: 4.9 standard deviations; the list of candidates adds as much
    // as its own 65536 points vary.
    const double deviation = std::sqrt(share * (1 - share) * (1 / kDraws + 1.0 / 65536));
    std::printf("%s: %.0f of %.0f near a mode, %.1f expected +- %.1f\n", sampler, near_modes,
                kDraws, share * kDraws, deviation * kDraws);
    EXPECT_NEAR(near_modes / kDraws, share, 4.9 * deviation) << sampler;
  }
  const Ended printed = command.run(
      Arguments{"mbde", "--density", "p.json", "--epsilon", "4", "--draws", "2"} + kQuick);
  EXPECT_NE(printed.out.find("drawn by rejection from a seed, NOT PRIVATE:\n"), std::string::npos)
      << printed.out;
}

// Where a grid over the reference does not hold P, or not resolve it, samples are said to be used.
TEST(Mbde, SaysWhereAGridWouldMislead) {
  CommandLine command;
  for (const char* p : {R"({"type":"gaussian","mean":[9],"variance":0.01})",
                        R"({"type":"gaussian","mean":[0],"variance":9})",
                        R"({"type":"gaussian","mean":[0.3],"variance":1e-10})"}) {
    command.files.write("p.json", p);
    const Json run = boosted(command, Arguments{"--density", "p.json", "--epsilon", "1"} + kQuick);
    EXPECT_FALSE(run["exact"]) << p;
    expect_sound(run, 1);
  }
  command.files.write("p.json", R"({"type":"gaussian","mean":[0],"variance":9})");
  const Json run = boosted(command, Arguments{"--density", "p.json", "--epsilon", "1"} + kQuick);
  const double expected = 0.5 * std::log(2 * 3.14159265358979) + 4.5;
  EXPECT_NEAR(run["fit"]["reference"]["nll"].get<double>(), expected,
              5 * run["fit"]["reference"]["nll_error"].get<double>());
}

TEST(Mbde, HasRegionsWhereverTheirEndsLie) {
  CommandLine command;
  command.files.write("p.json", kTwoModes);
  const Json run = boosted(command, Arguments{"--density", "p.json", "--epsilon", "1", "--region",
                                              "0.1234567:0.1234569"} +
                                        kQuick);
  EXPECT_NEAR(run["regions"][0]["reference"].get<double>(), 2e-7 * 0.3959, 1e-10);
}

TEST(Mbde, LearnsFromPrivateFiles) {
  Release command;
  const Arguments options =
      Arguments{"--data", "data.csv", "--domain", "domain.yaml", "--epsilon", "1"} + kQuick;
  const Json uniform = boosted(command, options);
  expect_sound(uniform, 1);
  EXPECT_EQ(uniform["reference"], "uniform on the domain");
  EXPECT_TRUE(uniform["fit"]["boosted"].is_null());
  expect_sound(boosted(command, options + Arguments{"--reference", "reference.csv"}), 1);
}

TEST(Mbde, RefusesInOneSentence) {
  Release command;
  command.files.write("p.json", kTwoModes);
  command.files.write("plane.json", R"({"type":"gaussian","mean":[0,0],"variance":1})");
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.run(Arguments{"mbde"} + options);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(refused({"--density", "p.json"}), "mollify: --epsilon is needed, but is not given\n");
  command.files.write("m.json", "{}");
  EXPECT_EQ(refused({"--density", "p.json", "--model", "m.json"}),
            "mollify: m.json must have \"format\", but has not\n");
  EXPECT_EQ(refused({"--density", "p.json", "--model", "m.json", "--epsilon", "1"}),
            "mollify: --epsilon says what to learn, but --model has been learned\n");
  EXPECT_EQ(refused({"--epsilon", "1"}),
            "mollify: --data or --density is needed, but neither is given\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "-1"}),
            "mollify: epsilon must be finite and positive, but is -1\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--data", "data.csv"}),
            "mollify: --density is instead of --data and --domain, but both are given\n");
  EXPECT_EQ(refused({"--data", "data.csv", "--epsilon", "1"}),
            "mollify: --domain is needed, but is not given\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--learner", "forest"}),
            "mollify: learner must be network, tree or logistic, but is \"forest\"\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--learner", "tree", "--width", "3"}),
            "mollify: --width is for networks, but the learner is tree\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--classifier", "hard"}),
            "mollify: classifier must be probability, logit, sign or sigmoid, but is \"hard\"\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--reference", "plane.json"}),
            "mollify: the reference must have the density's 1 dimensions, but has 2\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--region", "1:0"}),
            "mollify: region must be low:high for each of 1 axes with commas between them, but is "
            "\"1:0\"\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--out", "p.json"}),
            "mollify: --out must not overwrite the file of --density, p.json\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--iterations", "0"}),
            "mollify: there must be at least 1 iteration, but are 0\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "3000"}),
            "mollify: epsilon must be at most 500, but is 3000\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--samples", "18446744073709551615"}),
            "mollify: --samples must be at most 10000000, but is 18446744073709551615\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--iterations", "1001"}),
            "mollify: --iterations must be at most 1000, but is 1001\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--draws", "1000001"}),
            "mollify: --draws must be at most 1000000, but is 1000001\n");
  command.files.write("empty.csv", kHeader);
  EXPECT_EQ(refused({"--data", "empty.csv", "--domain", "domain.yaml", "--epsilon", "1"}),
            "mollify: empty.csv must hold records to learn from, but holds none\n");
  EXPECT_EQ(refused({"--density", "p.json", "--epsilon", "1", "--samples", "0"}),
            "mollify: the sample size must be at least 1, but is 0\n");
}

TEST(Mbde, ReleasesByBothScoresAndTheyVerify) {
  Release command;
  command.files.write("domain.yaml", kManyNumbers);
  for (const char* score : {"ratio", "mbde"}) {
    const Ended released = command.run(kSample + kIntegral +
                                       Arguments{"--epsilon", "1", "--count", "2", "--candidates",
                                                 whole_or_sanitized("500", "100"), "--score", score,
                                                 "--out", "o.csv", "--overwrite"});
    ASSERT_EQ(released.status, 0) << released.err;
    EXPECT_EQ(lines_of(command.files.read("o.csv")).size(), 3U);
    const Json certificate = Json::parse(command.files.read("o.csv.certificate.json"));
    EXPECT_EQ(certificate["design"]["scorer"], score);
    const Ended verified = command.run(
        {"verify", "--certificate", "o.csv.certificate.json", "--domain", "domain.yaml"});
    EXPECT_EQ(verified.status, 0) << verified.err << verified.out;
  }
  const Ended refused =
      command.run(kSample + kIntegral + kOneDraw + Arguments{"--score", "ratio", "--cells", "400"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "mollify: cells belongs to space grid, but the space is candidates\n");
}

// Learning takes a part of a second, so one table of everything that is wrong has to do; the
// scorers themselves see more (tests/scores/learned_scorers.cpp).
TEST(Mbde, ReleasesAlikeFromAnyTable) {
  Release command;
  command.files.write("domain.yaml", kManyNumbers);
  command.files.write("odd.csv",
                      "id,sex,age,note,smoker,weight\nann,\xff,nan,1e999,,\nbob\ncid,,,,,,,\n");
  for (const char* score : {"ratio", "mbde"}) {
    const Arguments options =
        Arguments{"sample", "--domain", "domain.yaml"} + kIntegral + kOneDraw +
        Arguments{"--candidates", whole_or_sanitized("200", "50"), "--score", score};
    const Ended clean = command.run(options + Arguments{"--data", "data.csv"});
    const Ended odd = command.run(options + Arguments{"--data", "odd.csv"});
    EXPECT_EQ(clean.status, 0) << clean.err;
    EXPECT_EQ(odd.status, clean.status);
    EXPECT_EQ(odd.err, clean.err);
    EXPECT_EQ(lines_of(odd.out).at(0), lines_of(clean.out).at(0));
    EXPECT_EQ(lines_of(odd.out).size(), lines_of(clean.out).size());
  }
}

}  // namespace
}  // namespace mollify::test
