// Answers that would harm anyone who takes them for granted: refused, or said.
#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

/// 200 rows of two values, and a domain of k.
class TwoValues : public CommandLine {
 public:
  explicit TwoValues(int k) {
    std::string rows = "x\n";
    for (int i = 0; i < 200; ++i) rows += std::to_string(i % 2) + "\n";
    files.write("x.csv", rows);
    files.write("x.yaml", "columns:\n  x: {type: integer, min: 0, max: " + std::to_string(k - 1) +
                              ", outside: clip, null: 0}\n");
  }
  [[nodiscard]] Ended sample(const Arguments& more) const {
    return run(
        Arguments{"sample", "central", "--data", "x.csv", "--domain", "x.yaml", "--count", "1"} +
        more);
  }
};

TEST(DangerousAnswers, RefusesADeltaOfOneOverN) {
  const TwoValues command(2);
  const Arguments absurd = {"--epsilon", "0.001", "--delta", "0.9"};
  const Ended refused = command.sample(absurd);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: delta must be below 1/n = 0.005 for 200 records, but is 0.9: with a delta "
            "this large, whole records can be published unchanged. Use a smaller delta, or add "
            "--accept-large-delta to release anyway\n");
  EXPECT_EQ(refused.out, "");
  const Ended accepted =
      command.sample(absurd + Arguments{"--accept-large-delta", "--accept-error"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_THAT(accepted.err, HasSubstr("WARNING: delta 0.9 is more than a tenth of 1/n = 0.005"));
  EXPECT_EQ(command.sample({"--epsilon", "8", "--delta", "0.005"}).status, 2) << "at 1/n";
  const Ended warned = command.sample({"--epsilon", "8", "--delta", "0.001"});
  EXPECT_EQ(warned.status, 0) << warned.err;
  EXPECT_THAT(warned.err, HasSubstr("WARNING: delta 0.001 is more than a tenth of 1/n"));
  const Ended quiet = command.sample({"--epsilon", "8", "--delta", "1e-6"});
  EXPECT_EQ(quiet.status, 0) << quiet.err;
  EXPECT_THAT(quiet.err, Not(HasSubstr("WARNING")));
}

// A spec says the same, and the acceptance is a part of it.
TEST(DangerousAnswers, KeepsWhatWasAcceptedInTheSpec) {
  const TwoValues command(2);
  const Ended spec = command.sample({"--epsilon", "0.001", "--delta", "0.9", "--accept-large-delta",
                                     "--accept-error", "--print-spec"});
  ASSERT_EQ(spec.status, 0);
  EXPECT_EQ(Json::parse(spec.out)["accept_large_delta"], true);
  EXPECT_EQ(Json::parse(spec.out)["accept_error"], true);
  command.files.write("s.json", spec.out);
  EXPECT_EQ(command.run({"sample", "--data", "x.csv", "--spec", "s.json"}).status, 0);
}

TEST(DangerousAnswers, RefusesADeltaOfOneOverNInAmplify) {
  const CommandLine command;
  const Arguments amplify = {"amplify", "--n", "1000", "--k", "3", "--epsilon0", "1", "--delta"};
  const Ended refused = command.run(amplify + Arguments{"0.001"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, StartsWith("mollify: delta must be below 1/n = 0.001 for 1000 records, "
                                      "but is 0.001: with a delta this large, whole records can "
                                      "be published unchanged."));
  EXPECT_EQ(command.run(amplify + Arguments{"0.001", "--accept-large-delta"}).status, 0);
  EXPECT_THAT(command.run(amplify + Arguments{"0.0005"}).err, HasSubstr("WARNING: delta 0.0005"));
  EXPECT_EQ(command.run(amplify + Arguments{"1e-6"}).err, "");
}

TEST(DangerousAnswers, AreToldByThePlanBefore) {
  const CommandLine command;
  const auto plan = [&](const Arguments& more) {
    const Ended ended = command.run(
        Arguments{"plan", "central", "--k", "10", "--epsilon", "1", "--count", "5"} + more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return unwrapped(ended.out);
  };
  EXPECT_THAT(plan({"--n", "1000", "--delta", "1e-6"}), Not(HasSubstr("warning")));
  EXPECT_THAT(plan({"--n", "1000", "--delta", "1e-6", "--json"}), HasSubstr("\"warnings\": []"));
  EXPECT_THAT(
      plan({"--n", "1000", "--delta", "2e-4"}),
      HasSubstr("WARNING: delta 0.0002 is more than a tenth of 1/n = 0.001 for 1000 records"));
  EXPECT_THAT(plan({"--n", "1000", "--delta", "1e-3", "--accept-large-delta"}),
              HasSubstr("WARNING: delta 0.001 is 1/n or more for 1000 records, so whole records "
                        "may be released as they are: a release refuses this without "
                        "--accept-large-delta"));
  EXPECT_THAT(plan({"--alpha", "0.3", "--delta", "1e-6"}), Not(HasSubstr("noise")));
  EXPECT_THAT(
      plan({"--alpha", "0.5", "--delta", "1e-6"}),
      HasSubstr("WARNING: the release is mostly noise: the worst-case error of a record is "
                "0.49 in total variation, and the error of the public reference alone is 0.9"));
  EXPECT_THAT(unwrapped(command
                            .run({"plan", "central", "--k", "1000", "--epsilon", "0.1", "--n",
                                  "200", "--count", "1"})
                            .out),
              HasSubstr("; a release refuses this without --accept-error; 9509 records, "));
  // Of a joint law within alpha, each record is within alpha over their number.
  EXPECT_THAT(plan({"--alpha", "0.89", "--delta", "1e-6", "--strong"}), Not(HasSubstr("noise")));
}

// Randomized response of epsilon0 = 30 would be the best there is: it releases whole records.
TEST(DangerousAnswers, RefusesToPlanWithADeltaOfOneOverN) {
  const CommandLine command;
  const Arguments central = {"plan", "central", "--k", "10"};
  for (const Arguments& gaussian :
       {Arguments{"--k", "10"}, Arguments{"@gaussian", "--dimension", "3"}}) {
    const Ended refused =
        command.run(Arguments{"plan", "central"} + gaussian +
                    Arguments{"--n", "1000", "--epsilon", "0.001", "--delta", "0.9"});
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err,
              "mollify: delta must be below 1/n = 0.001 for 1000 records, but is 0.9: with a delta "
              "this large, whole records can be published unchanged. Use a smaller delta, or add "
              "--accept-large-delta to release anyway\n");
  }
  // If n is sought, numbers of records with a delta of 1/n or more are no answer.
  const Ended sought = command.run(
      central + Arguments{"--epsilon", "1", "--delta", "1e-3", "--alpha", "0.01", "--json"});
  ASSERT_EQ(sought.status, 0) << sought.err;
  const Json found = Json::parse(sought.out);
  EXPECT_LT(found["n"], 1000);
  EXPECT_THAT(found["mechanisms"][4]["refusal"].get<std::string>(),
              HasSubstr("records, and then delta 0.001 is 1/n or more"));
  // If delta is sought, it stays below.
  const Ended delta = command.run(central + Arguments{"--epsilon", "0.5", "--n", "100", "--count",
                                                      "50", "--alpha", "0.35", "--json"});
  EXPECT_EQ(Json::parse(delta.out)["unknown"], "delta");
  ASSERT_EQ(delta.status, 0) << delta.out;
  EXPECT_LT(Json::parse(delta.out)["delta"], 0.01);
}

TEST(DangerousAnswers, SaysWhatALargeEpsilonMeans) {
  const Release command;
  const auto told = [&](const char* epsilon) {
    return command.run(kSample + kIntegral + Arguments{"--count", "1", "--epsilon", epsilon}).err;
  };
  EXPECT_THAT(told("9.99"), Not(HasSubstr("WARNING")));
  // Odds of 1 to 999 times e^10: 22.05 to 1, which is 957 times in 1000.
  EXPECT_THAT(
      told("10"),
      HasSubstr("WARNING: epsilon 10 allows that the output multiplies the odds of a guess "
                "by up to 2.203e+04: one that was right once in 1000 times may become right "
                "957 times in 1000"));
  EXPECT_THAT(told("30"), HasSubstr("may become right nearly always"));
  EXPECT_THAT(told("31"), HasSubstr("a draw counts epsilon 30 at most, so epsilon 30 is released"));
  const Json json = Json::parse(
      command.run(kSample + kIntegral + Arguments{"--count", "1", "--epsilon", "31", "--json"})
          .out);
  EXPECT_EQ(json["warnings"].size(), 2U);
}

TEST(DangerousAnswers, SaysWhatALargeMuOrRhoMeans) {
  const Release command;
  command.files.write("p.json", "[0.5, 0.5]");
  const auto said = [&](const Arguments& words) {
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return unwrapped(ended.out) + ended.err;
  };
  const std::string of_mu = "mu 3 is epsilon 1";
  const Arguments three = {"--mu", "3"};
  for (const Arguments& words :
       {kSample + kIntegral + Arguments{"--count", "1"} + three,
        Arguments{"plan", "local", "--k", "5"} + three, Arguments{"risk", "--k", "5"} + three,
        Arguments{"verify", "--k", "5"} + three, Arguments{"law", "--p", "p.json"} + three}) {
    const std::string answer = said(words);
    const std::size_t at = answer.find(of_mu);
    ASSERT_NE(at, std::string::npos) << words.front() << answer;
    EXPECT_THAT(answer, HasSubstr(" at delta 1e-6 and allows that the output multiplies the odds "
                                  "of a guess by up to "));
    EXPECT_EQ(answer.find(of_mu, at + 1), std::string::npos) << words.front() << " says it twice";
  }
  EXPECT_THAT(said({"plan", "local", "--k", "5", "--mu", "1"}), Not(HasSubstr("odds of a guess")));
  const Arguments of_rho = {"plan", "gaussian-model", "--dimension", "1", "--n", "1000", "--rho"};
  EXPECT_THAT(said(of_rho + Arguments{"3"}), HasSubstr("rho 3 is epsilon 1"));
  EXPECT_THAT(said(of_rho + Arguments{"1"}), Not(HasSubstr("odds of a guess")));
}

TEST(DangerousAnswers, SaysWhatACertificateAllowsInOdds) {
  const Release command;
  for (const bool large : {true, false}) {
    const std::string released = large ? "12.csv" : "9.csv";
    const Arguments certificate = {"--certificate", released + ".certificate.json", "--domain",
                                   "domain.yaml"};
    const Arguments verify = Arguments{"verify"} + certificate;
    const Arguments estimate = Arguments{"estimate", "--released", released} + certificate;
    const Ended made =
        command.run(kSample + kLocal +
                    Arguments{"--count", "1", "--out", released, "--epsilon", large ? "12" : "9"});
    ASSERT_EQ(made.status, 0) << made.err;
    for (const Arguments& words : {verify, estimate}) {
      const Ended ended = command.run(words);
      EXPECT_EQ(ended.status, 0) << ended.err;
      EXPECT_EQ(ended.err.find("epsilon 12 allows that") != std::string::npos, large) << ended.err;
    }
  }
}

TEST(DangerousAnswers, SaysWhatALargeEpsilonMeansInAmplify) {
  const CommandLine command;
  const Arguments few = {"amplify", "--n", "10", "--k", "3", "--epsilon0"};
  const Ended large = command.run(few + Arguments{"20", "--delta", "1e-6"});
  EXPECT_EQ(large.status, 0) << large.err;
  EXPECT_THAT(large.err, HasSubstr("WARNING: epsilon 20 "));
  EXPECT_THAT(large.err, HasSubstr("allows that the output multiplies the odds of a guess"));
  EXPECT_THAT(command.run(few + Arguments{"20", "--epsilon", "11"}).err,
              HasSubstr("WARNING: epsilon 11 allows"));
  EXPECT_EQ(command.run(few + Arguments{"9", "--delta", "1e-6"}).err, "");
  const Json json =
      Json::parse(command.run(few + Arguments{"20", "--delta", "0.05", "--json"}).out);
  EXPECT_THAT(json["warnings"].dump(), HasSubstr("odds of a guess"));
  EXPECT_THAT(json["warnings"].dump(), HasSubstr("more than a tenth of 1/n"));
  EXPECT_EQ(json["warnings"].size(), 2U);
}

// Not `sample` alone: who plans with more must not think that it counts.
TEST(DangerousAnswers, SaysThatADrawCountsThirtyAtMostWhoeverAsks) {
  const Release command;
  const auto said = [&](const Arguments& words) {
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return unwrapped(ended.out) + ended.err;
  };
  const std::string capped =
      "a draw counts epsilon 30 at most, so epsilon 30 is released and not the epsilon 40 asked "
      "for";
  const Arguments forty = {"--epsilon", "40"};
  const Arguments of_five = Arguments{"--k", "5"} + forty;
  command.files.write("p.json", "[0.5, 0.5]");
  for (const Arguments& words :
       {Arguments{"plan", "local"} + of_five, Arguments{"risk"} + of_five,
        Arguments{"risk", "--k", "5", "--epsilon", "1,40"}, Arguments{"verify"} + of_five,
        Arguments{"law", "--p", "p.json"} + forty,
        Arguments{"advise", "--purpose", "records", "--protect", "person", "--columns", "5"} +
            forty,
        Arguments{"compare", "integral", "--data", "data.csv", "--domain", "domain.yaml"} + forty,
        Arguments{"tune", "--public-units", "data.csv", "--unit", "id", "--domain", "domain.yaml"} +
            forty}) {
    if (words.front() == "tune") {
      command.files.write("data.csv", "id,sex,age,smoker,weight\nann,f,20,true,55.5\n");
    }
    EXPECT_THAT(said(words), HasSubstr(capped)) << words.front();
  }
  EXPECT_THAT(said({"plan", "local", "--k", "5", "--epsilon", "12"}),
              HasSubstr("WARNING: epsilon 12 allows that the output multiplies the odds of a "
                        "guess by up to 1.628e+05"));
  EXPECT_THAT(said({"plan", "local", "--k", "5", "--epsilon", "60", "--count", "2"}),
              Not(HasSubstr("30 at most")));
}

TEST(DangerousAnswers, RefusesRecordsOfNoiseAndSaysWhatWouldDo) {
  const TwoValues command(1000);
  const Arguments tenth = {"--epsilon", "0.1"};
  const Ended refused = command.sample(tenth);
  EXPECT_EQ(refused.status, 2);
  const std::string& sentence = refused.err;
  EXPECT_THAT(sentence, HasSubstr("the release cannot be told apart from public noise: the "
                                  "worst-case error of a record is 0.978 in total variation, and "
                                  "the error of the public reference alone is 0.999; "));
  EXPECT_THAT(sentence, HasSubstr("would do, or add --accept-error to release anyway\n"));
  const auto number_before = [&](const std::string& word) {
    const std::size_t end = sentence.find(" " + word);
    EXPECT_NE(end, std::string::npos) << sentence;
    const std::size_t begin = sentence.rfind(' ', end - 1) + 1;
    return std::stod(sentence.substr(begin, end - begin));
  };
  // Each of the three does, and a little less of it does not.
  const double records = number_before("records");
  const double outcomes = number_before("outcomes");
  const double epsilon = std::stod(sentence.substr(sentence.find("epsilon ") + 8));
  const auto is_noise = [](const Ended& ended) {
    return ended.status != 0 || ended.err.find("noise") != std::string::npos;
  };
  EXPECT_FALSE(is_noise(command.sample({"--epsilon", std::to_string(epsilon)})));
  EXPECT_TRUE(is_noise(command.sample({"--epsilon", std::to_string(0.98 * epsilon)})));
  EXPECT_FALSE(is_noise(TwoValues(static_cast<int>(outcomes)).sample(tenth)));
  EXPECT_TRUE(is_noise(TwoValues(static_cast<int>(outcomes) + 1).sample(tenth)));
  const auto with_rows = [&](double n) {
    std::string rows = "x\n";
    for (double i = 0; i < n; ++i) rows += "0\n";
    command.files.write("x.csv", rows);
    return is_noise(command.sample(tenth));
  };
  EXPECT_FALSE(with_rows(records));
  EXPECT_TRUE(with_rows(records - 1));
  const Ended warned = TwoValues(1000).sample({"--epsilon", "0.3"});
  EXPECT_EQ(warned.status, 0) << warned.err;
  EXPECT_THAT(warned.err, HasSubstr("WARNING: the release is mostly noise"));
  const Ended accepted = TwoValues(1000).sample({"--epsilon", "0.1", "--accept-error"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
  EXPECT_THAT(accepted.err, HasSubstr("WARNING: the release cannot be told apart"));
}

TEST(DangerousAnswers, RefusesGaussianRecordsOfNoise) {
  const CommandLine command;
  std::string rows = "x,y\n";
  for (int i = 0; i < 500; ++i) rows += std::to_string(i % 7) + "," + std::to_string(i % 5) + "\n";
  command.files.write("g.csv", rows);
  command.files.write("g.yaml",
                      "columns:\n  x: {type: number, min: -10, max: 10, null: -10}\n"
                      "  y: {type: number, min: -10, max: 10, null: -10}\n");
  // A mean within 0.3 deviations is known to within erf(0.3 / sqrt 8) = 0.119 by the reference.
  const Arguments sample = {"sample",
                            "gaussian",
                            "--data",
                            "g.csv",
                            "--domain",
                            "g.yaml",
                            "--covariance-bound",
                            "1",
                            "--mean-bound",
                            "0.3",
                            "--epsilon",
                            "0.6",
                            "--delta",
                            "1e-6",
                            "--count",
                            "20"};
  const Ended refused = command.run(sample);
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("the error of the public reference alone is 0.119; "));
  const Ended accepted = command.run(sample + Arguments{"--accept-error"});
  EXPECT_EQ(accepted.status, 0) << accepted.err;
}

// 50 draws at epsilon 10 in all: each says next to nothing.
TEST(DangerousAnswers, PrintsLiftAndTotalVariationOfEachDraw) {
  const Release command;
  const Arguments fifty = kSample + kIntegral + Arguments{"--epsilon", "10", "--count", "50"};
  const Ended ended = command.run(fifty);
  EXPECT_EQ(ended.status, 0);
  // b e^(1/5) for the minimax band over 120 outcomes, b = k/(e^(1/5) + k - 1).
  const double b = 120 / (std::exp(0.2) + 119);
  const Json told = Json::parse(command.run(fifty + Arguments{"--json"}).out)["draw"];
  EXPECT_NEAR(told["largest_lift"], b * std::exp(0.2), 1e-9);
  EXPECT_NEAR(told["total_variation"], 1 - b * std::exp(0.2) / 120, 1e-9);
  EXPECT_THAT(ended.err, HasSubstr("each draw: epsilon 0.2; no outcome more than 1.219 times as "
                                   "likely as by the reference; worst-case total variation "));
  for (const Arguments& mechanism : kMechanisms) {
    const Ended one = command.run(kSample + kLocal + Arguments{"--count", "1"} + mechanism);
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_THAT(one.err, HasSubstr("worst-case total variation"));
  }
}

TEST(DangerousAnswers, ReplacesNoEarlierRelease) {
  const Release command;
  const Arguments to_file = kSample + kIntegral + kOneDraw + Arguments{"--out", "out.csv"};
  ASSERT_EQ(command.run(to_file).status, 0);
  const std::string first = command.files.read("out.csv");
  const std::string certificate = command.files.read("out.csv.certificate.json");
  const Arguments charged = {"--ledger", "ledger", "--no-total"};
  const Ended refused = command.run(to_file + charged);
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: out.csv exists: add --overwrite to replace it, or give another name to "
            "--out\n");
  EXPECT_EQ(command.files.read("out.csv"), first);
  EXPECT_EQ(command.files.read("out.csv.certificate.json"), certificate);
  EXPECT_FALSE(command.names().contains("ledger")) << "nothing is charged";
  std::filesystem::remove(command.files.path("out.csv"));
  EXPECT_THAT(
      command.run(to_file).err,
      StartsWith("mollify: out.csv.certificate.json exists: add --overwrite to replace it"));
  EXPECT_EQ(command.run(to_file + Arguments{"--overwrite"}).status, 0);
}

TEST(DangerousAnswers, ChargesNothingWithoutATotalAndSaysWhatIsLeft) {
  const Release command;
  const Arguments charged =
      kSample + kIntegral + Arguments{"--count",       "1",          "--ledger",
                                      "ledger",        "--data-set", "people",
                                      "--certificate", "kept.json",  "--overwrite"};
  const Ended missing = command.run(charged + Arguments{"--epsilon", "0.1"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, StartsWith("mollify: the ledger ledger cannot be opened: there is no "));
  EXPECT_FALSE(std::filesystem::exists(command.files.path("ledger"))) << "it may be misspelt";
  ASSERT_EQ(command
                .run({"ledger", "--ledger", "ledger", "--data-set", "others", "--declare",
                      "--epsilon", "1"})
                .status,
            0);
  const Ended refused = command.run(charged + Arguments{"--epsilon", "0.1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(
      refused.err,
      "mollify: \"people\" has no total in ledger, which has totals for \"others\" (--data-set "
      "names "
      "one), "
      "so nothing would ever be refused: declare one (mollify ledger --ledger ledger --declare "
      "--data-set people --epsilon E), or say that none "
      "is meant (--no-total)\n");
  ASSERT_EQ(command
                .run({"ledger", "--ledger", "ledger", "--data-set", "people", "--declare",
                      "--epsilon", "1"})
                .status,
            0);
  const Ended ended = command.run(charged + Arguments{"--epsilon", "0.1"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("charged: epsilon 0.1 to people in ledger\n"
                                   "left: epsilon 0.9; the total is epsilon 1\n"));
  const Json json =
      Json::parse(command.run(charged + Arguments{"--epsilon", "0.2", "--json"}).out)["ledger"];
  EXPECT_EQ(json["charged"]["epsilon"], "0.2");
  EXPECT_EQ(json["spent"]["epsilon"], "0.3");
  EXPECT_EQ(json["remaining"]["epsilon"], "0.7");
  EXPECT_EQ(json["data_set"], "people");
  EXPECT_EQ(command.run(kSample + kIntegral + kOneDraw + Arguments{"--no-total"}).err,
            "mollify: --ledger is missing: --no-total needs it\n");
}

TEST(DangerousAnswers, SaysWhatVerifyDidNotLookAt) {
  const Release command;
  ASSERT_EQ(command.run(kSample + kIntegral + kOneDraw + Arguments{"--out", "o.csv"}).status, 0);
  command.files.write("other.yaml",
                      "columns:\n  sex: {type: categorical, values: [f, m], null: f}\n");
  const Arguments verify = {"verify", "--certificate", "o.csv.certificate.json", "--domain",
                            "other.yaml"};
  const Ended other = command.run(verify);
  EXPECT_EQ(other.status, 2);
  EXPECT_THAT(other.out, testing::EndsWith("  the domain is the one of the release          NO\n"
                                           "not checked: this is not the release's domain\n"));
  EXPECT_THAT(other.out, Not(HasSubstr("DOES NOT HOLD")));
  EXPECT_THAT(other.out, Not(HasSubstr("epsilon 0 realised")));
  const Json json = Json::parse(command.run(verify + Arguments{"--json"}).out);
  EXPECT_EQ(json["domain_matches"], false);
  EXPECT_EQ(json["verdict"], "not checked: this is not the release's domain");
  EXPECT_TRUE(json["guarantee_holds"].is_null());
  EXPECT_TRUE(json["epsilon_realised"].is_null());
}

TEST(DangerousAnswers, ChecksTheRangesOfAGaussianMean) {
  const CommandLine command;
  std::string rows = "x,y\n";
  for (int i = 0; i < 4000; ++i)
    rows += std::to_string(1 + i % 7) + "," + std::to_string(i % 5) + "\n";
  command.files.write("g.csv", rows);
  command.files.write("g.yaml",
                      "columns:\n  x: {type: number, min: 1, max: 10, null: 1}\n"
                      "  y: {type: number, min: 1, max: 10, null: 1}\n");
  command.files.write("covariance.csv", "x,y\n1,0.1\n0.1,1\n");
  const Arguments sample = {"sample",        "gaussian", "--data",  "g.csv", "--domain", "g.yaml",
                            "--epsilon",     "4",        "--delta", "1e-6",  "--count",  "1",
                            "--accept-error"};
  const auto verified = [&](const Json& certificate) {
    command.files.write("c.json", certificate.dump());
    return command.run({"verify", "--certificate", "c.json", "--domain", "g.yaml"});
  };
  const Ended plain = command.run(sample + Arguments{"--covariance-bound", "1", "--json"});
  ASSERT_EQ(plain.status, 0) << plain.err;
  Json certificate = Json::parse(plain.out)["certificate"];
  const Ended honest = verified(certificate);
  EXPECT_EQ(honest.status, 0) << honest.out;
  EXPECT_THAT(honest.out, HasSubstr("the ranges of the mean are the domain's       yes"));
  EXPECT_THAT(honest.out, HasSubstr("as declared, not checked: /version, "));
  Json altered = certificate;
  altered["facts"]["mean_ranges"][0][1] =
      altered["facts"]["mean_ranges"][0][1].get<double>() * (1 + 1e-6);
  const Ended moved = verified(altered);
  EXPECT_EQ(moved.status, 1);
  EXPECT_THAT(moved.out, HasSubstr("the ranges of the mean are the domain's       NO"));
  altered = certificate;
  altered["spec"]["logarithms"] = {"x"};
  EXPECT_EQ(verified(altered).status, 1) << "logarithms have other ranges";
  const Ended with_file =
      command.run(sample + Arguments{"--covariance", "covariance.csv", "--json"});
  ASSERT_EQ(with_file.status, 0) << with_file.err;
  const Ended unknown = verified(Json::parse(with_file.out)["certificate"]);
  EXPECT_EQ(unknown.status, 0);
  EXPECT_THAT(unknown.out, HasSubstr("cannot be told without the covariance"));
}

TEST(DangerousAnswers, SaysWhereJsonEndsToBeJson) {
  const Release command;
  command.files.write("s.json", "{\n  \"model\": local\n}\n");
  EXPECT_EQ(command.run({"sample", "--data", "data.csv", "--spec", "s.json"}).err,
            "mollify: s.json must be JSON, but is not at line 2 column 12\n");
  command.files.write("s.json", "{\n  \"model\": \"local\"\n");
  EXPECT_EQ(command.run({"sample", "--data", "data.csv", "--spec", "s.json"}).err,
            "mollify: s.json must be JSON, but ends too early\n");
  command.files.write("s.json",
                      R"({"method": "local", "domain": {"file": "domain.yaml"}, "count": 1})");
  EXPECT_EQ(command.run({"sample", "--data", "data.csv", "--spec", "s.json"}).err,
            "mollify: the budget is missing: give privacy/epsilon in s.json or privacy/mu in "
            "s.json\n");
}

}  // namespace
}  // namespace mollify::test
