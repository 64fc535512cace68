// `mollify law`: exact laws of given distributions.
#include <cmath>
#include <fstream>

#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using Integer = boost::multiprecision::cpp_int;

Json law(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(Arguments{"law", "--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  Json json = Json::parse(ended.out);
  EXPECT_TRUE(json["notice"].get<std::string>().starts_with("NOT PRIVATE")) << ended.out;
  Integer sum = 0;
  for (const Json& row : json["outcomes"]) {
    sum += Integer(row["numerator"].get<std::string>());
    EXPECT_EQ(row["denominator"], json["N"]);
  }
  EXPECT_EQ(sum, Integer(json["N"].get<std::string>())) << "numerators must sum to N";
  return json;
}

/// 1e-9 relative or 2/N, whichever is larger.
void expect_near(double observed, double expected) {
  EXPECT_NEAR(observed, expected, std::max(1e-9 * expected, 0x1p-61));
}

TEST(Law, IsThatOfTheReferenceFile) {
  std::ifstream file(MOLLIFY_TEST_DATA "/finite.json");
  const Json reference = Json::parse(file);
  const CommandLine command;
  ASSERT_GT(reference["laws_k5"].size(), 0U);
  for (const Json& expected : reference["laws_k5"]) {
    command.files.write("p.json", expected["p"].dump());
    std::string csv = "note,p,outcome\n";
    for (std::size_t i = 0; i < expected["p"].size(); ++i) {
      csv += "x," + expected["p"][i].dump() + ",\"name " + std::to_string(i) + "\"\n";
    }
    command.files.write("p.csv", csv);
    const std::string epsilon = expected["eps"].dump();
    const Json from_json = law(command, {"--p", "p.json", "--epsilon", epsilon});
    const Json from_csv = law(command, {"--p", "p.csv", "--epsilon", epsilon});
    ASSERT_EQ(from_json["outcomes"].size(), expected["q"].size());
    for (std::size_t i = 0; i < expected["q"].size(); ++i) {
      const double q = std::stod(expected["q"][i].get<std::string>());
      expect_near(from_json["outcomes"][i]["probability"], q);
      EXPECT_EQ(from_json["outcomes"][i]["outcome"], std::to_string(i));
      EXPECT_EQ(from_csv["outcomes"][i]["outcome"], "name " + std::to_string(i));
      EXPECT_EQ(from_csv["outcomes"][i]["numerator"], from_json["outcomes"][i]["numerator"]);
    }
    const char* names[] = {"kl", "tv", "hellinger2"};
    for (std::size_t i = 0; i < 3; ++i) {
      const double divergence = std::stod(expected["KL_TV_H2"][i].get<std::string>());
      // The rational used lies 2^-40 below e^epsilon, and a law at the band's edge with it.
      EXPECT_NEAR(from_json["divergence"][names[i]], divergence,
                  std::max(1e-9 * divergence, 1e-12));
    }
    EXPECT_TRUE(from_json["divergence"]["chi2"].is_number());
  }
}

TEST(Law, OfEveryMechanismSumsToOneExactly) {
  const CommandLine command;
  command.files.write("p.json", "[0.5, 0, 0.25, 1e-300, 3]");
  command.files.write("q.json", "[1, 2, 3, 4, 5]");
  for (const Arguments& options : std::vector<Arguments>{
           {"--epsilon", "1"},
           {"--epsilon", "40"},
           {"--epsilon", "1", "--reference", "q.json"},
           {"--epsilon", "1", "--c1", "0.2", "--c2", "3", "--reference", "q.json"},
           {"--epsilon", "1", "--gamma", "2"},
           {"--epsilon", "1", "--mechanism", "public-kernel", "--reference", "q.json"},
           {"--epsilon", "1", "--mechanism", "randomized-response"},
           {"--epsilon", "1", "--mechanism", "mixture", "--reference", "q.json"},
           {"--mu", "0.5"}}) {
    law(command, Arguments{"--p", "p.json", "--normalise"} + options);
  }
}

TEST(Law, MatchesTheReferenceByTheOutcomesNames) {
  const CommandLine command;
  command.files.write("p.csv", "outcome,p\na,1\nb,1\n");
  command.files.write("q.csv", "outcome,p\nb,3\na,1\n");
  // The reference is within the band of itself and so is released as it is; P has even chances.
  const Json json =
      law(command, {"--p", "p.csv", "--reference", "q.csv", "--epsilon", "0.001", "--normalise"});
  EXPECT_NEAR(json["outcomes"][0]["probability"], 0.25, 0.001);
  EXPECT_NEAR(json["outcomes"][1]["probability"], 0.75, 0.001);
}

TEST(Law, OfManyOutcomesCountsUnscoredOnesExactly) {
  const CommandLine command;
  std::string p = "[1";
  for (int i = 1; i < 5000; ++i) p += i % 100 == 0 ? ",2" : ",0";
  command.files.write("p.json", p + "]");
  const Json json = law(command, {"--p", "p.json", "--epsilon", "2", "--normalise"});
  ASSERT_EQ(json["outcomes"].size(), 5000U);
  const Integer least(json["outcomes"][1]["numerator"].get<std::string>());
  const Integer most(json["outcomes"][100]["numerator"].get<std::string>());
  EXPECT_GT(most, least);
  EXPECT_LE(most.convert_to<double>() / least.convert_to<double>(), std::exp(2.0));
}

TEST(Law, ReadsForPeopleToo) {
  const CommandLine command;
  command.files.write("p.json", "[0.5, 0.5]");
  const Ended ended = command.run({"law", "--p", "p.json", "--epsilon", "1"});
  EXPECT_EQ(ended.status, 0);
  EXPECT_TRUE(ended.out.starts_with("NOT PRIVATE: ")) << ended.out;
}

TEST(Law, RefusesWhatIsNoDistribution) {
  const CommandLine command;
  const auto sentence = [&](const std::string& name, const std::string& text) {
    command.files.write(name, text);
    const Ended ended = command.run({"law", "--p", name, "--epsilon", "1"});
    EXPECT_EQ(ended.status, 2) << text;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    return ended.err;
  };
  EXPECT_EQ(sentence("p.json", "{}"),
            "mollify: p.json must be a JSON array of numbers, but is not\n");
  EXPECT_EQ(sentence("p.json", "[1, \"2\"]"),
            "mollify: the mass at position 1 of p.json must be a number, but is string\n");
  EXPECT_EQ(
      sentence("p.json", "[1, -2]"),
      "mollify: the mass at position 1 of p.json must be finite and not negative, but is -2\n");
  EXPECT_EQ(sentence("p.json", "[0, 0]"),
            "mollify: the masses of p.json must have a positive, finite sum, but their sum is 0\n");
  EXPECT_EQ(sentence("p.csv", "outcome,mass\na,1\n"),
            "mollify: p.csv has no column \"p\", which holds their masses; it has \"outcome\", "
            "\"mass\"\n");
  EXPECT_EQ(sentence("p.csv", "outcome,p\na,1\na,1\n"),
            "mollify: p.csv line 3 must name a new outcome, but \"a\" is already listed\n");
  EXPECT_EQ(sentence("p.csv", "outcome,p\na,nan\n"),
            "mollify: the mass at p.csv line 2 must be finite and not negative, but is nan\n");
  sentence("p.json", "[]");
  sentence("p.json", "[1");
  sentence("p.json", "[1e308, 1e308]");
  sentence("p.json", "[" + std::string(100'000, '['));
  sentence("p.csv", "outcome,p\na\n");
  sentence("p.csv", "outcome,p\na,one\n");
  sentence("p.csv", "");
  command.files.write("p.json", "[0.5, 0.5]");
  command.files.write("q.json", "[1, 1, 1]");
  EXPECT_EQ(command.run({"law", "--p", "p.json", "--reference", "q.json", "--epsilon", "1"}).err,
            "mollify: q.json must have the 2 outcomes of P, but has 3\n");
  command.files.write("q.json", "[1, 0]");
  EXPECT_EQ(command.run({"law", "--p", "p.json", "--reference", "q.json", "--epsilon", "1"}).status,
            2);
}

TEST(Law, PrintsMoreDivergencesIfAsked) {
  const CommandLine command;
  command.files.write("p.json", "[0.7, 0.2, 0.1, 0]");
  const Json json =
      law(command, {"--p", "p.json", "--epsilon", "1", "--renyi", "2", "--hockey-stick", "1"});
  const Json& divergence = json["divergence"];
  // Of order 2 it is ln(1 + chi-squared); of factor 1 the stick is the total variation.
  EXPECT_EQ(divergence["renyi"]["order"], 2);
  EXPECT_NEAR(divergence["renyi"]["value"], std::log1p(divergence["chi2"].get<double>()), 1e-14);
  EXPECT_NEAR(divergence["hockey_stick"]["value"], divergence["tv"].get<double>(), 1e-14);
  const Ended text = command.run({"law", "--p", "p.json", "--epsilon", "1", "--renyi", "1"});
  EXPECT_NE(text.out.find(", Rényi of order 1 "), std::string::npos) << text.out;
  const Ended refused = command.run({"law", "--p", "p.json", "--epsilon", "1", "--renyi", "-1"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("the order of a Rényi divergence must be at least 0, but is -1"),
            std::string::npos)
      << refused.err;
}

// [Park et al. 2024, Proposition IV.1], and the fit of a law that is known by hand: k = 2, epsilon
// = ln 3, minimax: b h = 1/4, so P = (0.9, 0.1) becomes (3/4, 1/4).
TEST(Law, TellsItsFitItsScaleAndItsContinuity) {
  const CommandLine command;
  command.files.write("p.json", "[0.9, 0.1]");
  command.files.write("other.json", "[0.4, 0.6]");
  const Arguments options = {"--p", "p.json", "--epsilon", "1.0986122886681098"};
  const Json alone = law(command, options);
  EXPECT_NEAR(alone["nll"].get<double>(), -0.9 * std::log(0.75) - 0.1 * std::log(0.25), 1e-9);
  EXPECT_EQ(alone["coverage"], 1);
  EXPECT_FALSE(alone.contains("other"));
  const Json both = law(command, options + Arguments{"--other", "other.json"});
  const Json& other = both["other"];
  EXPECT_NEAR(both["r"].get<double>(), 1.2, 1e-9) << "the greatest r with 0.9/r at least 3/4";
  EXPECT_NEAR(other["r"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(other["tv_of_inputs"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(other["tv_of_laws"].get<double>(), 0.35, 1e-9);
  EXPECT_NEAR(other["bound"].get<double>(), 0.5 / 1.2, 1e-9);
  const Ended people = command.run(Arguments{"law"} + options + Arguments{"--other", "other.json"});
  EXPECT_NE(people.out.find("negative log-likelihood 0.39"), std::string::npos) << people.out;
  EXPECT_NE(people.out.find("laws by 0.35, at most 0.416667"), std::string::npos) << people.out;
}

// [Husain et al. 2020, eq. 3, 4 and 7]: A_R is P times its channel, and the nearest mixture of the
// same rows is never further from P.
TEST(Law, IsThatOfTheSourcesMollifiers) {
  const CommandLine command;
  command.files.write("p.json", "[0.7, 0.2, 0.1]");
  command.files.write("channel.json", "[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]");
  command.files.write("two.json", "[[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]");
  const Arguments options = {"--p", "p.json", "--epsilon", "0.6931471805599454"};
  const auto by = [&](const std::string& mollifier, const Arguments& more) {
    return law(command, options + Arguments{"--mechanism", mollifier} + more);
  };
  const Json naive = by("naive", {"--channel", "channel.json"});
  EXPECT_EQ(naive["mechanism"], "naive");
  EXPECT_NEAR(naive["outcomes"][0]["probability"].get<double>(), 0.25 + 0.25 * 0.7, 1e-9);
  EXPECT_NEAR(naive["outcomes"][2]["probability"].get<double>(), 0.25 + 0.25 * 0.1, 1e-9);
  EXPECT_FALSE(naive.contains("r"));
  const Json convex = by("convex", {"--channel", "channel.json"});
  EXPECT_LE(convex["divergence"]["kl"].get<double>(), naive["divergence"]["kl"].get<double>());
  EXPECT_NEAR(convex["outcomes"][0]["probability"].get<double>(), 0.5, 1e-4) << "the first row";
  EXPECT_NEAR(by("convex", {"--channel", "two.json"})["outcomes"][0]["probability"].get<double>(),
              0.5, 1e-4);
  const Json laplace = by("naive", {});
  const Json nearest = by("convex", {});
  EXPECT_GT(laplace["outcomes"][0]["probability"], laplace["outcomes"][2]["probability"]);
  EXPECT_LE(nearest["divergence"]["kl"].get<double>(), laplace["divergence"]["kl"].get<double>());
  // Against the uniform reference f = (2.1, .6, .3): a (f - 1) fits [1/sqrt 2, sqrt 2] with a =
  // .4142/1.1.
  const Json shifted = by("scale-and-shift", {});
  const double a = (std::sqrt(2.0) - 1) / 1.1;
  EXPECT_NEAR(shifted["outcomes"][0]["probability"].get<double>(), std::sqrt(2.0) / 3, 1e-9);
  EXPECT_NEAR(shifted["outcomes"][1]["probability"].get<double>(), (1 - 0.4 * a) / 3, 1e-9);
  for (const auto& [more, said] :
       {std::pair{Arguments{"--channel", "channel.json"},
                  "mollify: mechanism minimax takes no channel: leave it out, or name another "
                  "mechanism\n"},
        std::pair{Arguments{"--mechanism", "naive", "--channel", "two.json"},
                  "mollify: mechanism naive needs a channel with a row for each of 3 outcomes, but "
                  "it has 2: give all rows, or use mechanism convex\n"},
        std::pair{
            Arguments{"--mechanism", "naive", "--channel", "p.json"},
            "mollify: row 0 of p.json must be an array of 3 masses, one for each outcome, but "
            "is not\n"}}) {
    const Ended ended = command.run(Arguments{"law"} + options + more);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err, said);
  }
  const Ended ended = command.run({"law", "--p", "p.json", "--epsilon", "0.5", "--mechanism",
                                   "naive", "--channel", "channel.json"});
  EXPECT_EQ(ended.status, 2) << "columns differ by more than e^0.5";
}

}  // namespace
}  // namespace mollify::test
