// Weights of rows, from the flags to the released shares.
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;

/// Case 19 of the cases about values: few rows have a weight that is a whole number.
class Weights : public CommandLine, public testing::Test {
 public:
  Weights() {
    files.write("d.yaml", "columns:\n  g: {type: categorical, values: [a, b, c], null: a}\n");
    std::string table = "id,g,w\n";
    for (int row = 0; row < 1000; ++row) {
      table += fmt::format("{},{}\n", row / 4,
                           row < 900   ? "a,1.25"
                           : row < 980 ? "b,2.0"
                                       : "c,3.0");
    }
    files.write("t.csv", table);
  }

  /// A large budget, unless the options have another.
  [[nodiscard]] Ended sample(const std::string& method, const Arguments& options) const {
    Arguments asked{"sample", method,  "--domain", "d.yaml",      "--data",
                    "t.csv",  "--out", "out.csv",  "--overwrite", "--accept-error"};
    asked = asked + options;
    if (std::find(options.begin(), options.end(), "--epsilon") == options.end()) {
      asked = asked + Arguments{"--epsilon", "100"};
    }
    return run(asked);
  }

  /// Of the released rows.
  [[nodiscard]] std::map<std::string, double> shares() const {
    std::map<std::string, double> found;
    const std::vector<std::string> lines = lines_of(files.read("out.csv"));
    for (std::size_t i = 1; i < lines.size(); ++i) {
      found[lines[i]] += 1 / static_cast<double>(lines.size() - 1);
    }
    return found;
  }

  [[nodiscard]] std::string refused(const std::string& method, const Arguments& options) const {
    const Ended ended = sample(method, options);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_FALSE(names().contains("out.csv"));
    return ended.err;
  }

  inline static const Arguments kWeights{"--weights", "w", "--greatest-weight", "3"};
};

/// Of 10^4 rows a share strays by .025 (five deviations); false alarms are below 1e-6.
TEST_F(Weights, AreTheSharesOfEveryMethod) {
  const std::map<std::string, Arguments> methods{
      {"central", {"--count", "10000"}},
      {"marginals", {"--count", "10000"}},
      {"integral", {"--count", "10000", "--epsilon", "300000"}},
      {"local", {"--count", "10000", "--epsilon", "300000"}}};
  for (const auto& [method, options] : methods) {
    const Ended ended = sample(method, options + kWeights);
    ASSERT_EQ(ended.status, 0) << method << ended.err;
    std::map<std::string, double> found = shares();
    EXPECT_NEAR(found["a"], .836, .025) << method;
    EXPECT_NEAR(found["b"], .119, .025) << method;
    EXPECT_NEAR(found["c"], .045, .025) << method;
  }
}

/// Without weights shares are of rows.
TEST_F(Weights, AreNotReadUnlessAsked) {
  ASSERT_EQ(sample("central", {"--count", "1000"}).status, 0);
  EXPECT_NEAR(shares()["a"], .9, .05);
}

TEST_F(Weights, OfAUnitCountTogetherUpToTheGreatest) {
  // A unit of four rows weighs 5, 8 or 12 without a bound, and 3 with it: shares of units.
  for (const char* method : {"central", "marginals"}) {
    const Ended ended = sample(method, Arguments{"--count", "10000", "--unit", "id"} + kWeights);
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NEAR(shares()["a"], .9, .025) << method;
    const Ended free = sample(method, {"--count", "10000", "--unit", "id", "--weights", "w",
                                       "--greatest-weight", "12", "--epsilon", "300"});
    ASSERT_EQ(free.status, 0) << free.err;
    EXPECT_NEAR(shares()["a"], .836, .025) << method;
  }
}

TEST_F(Weights, ThatAreInvalidBecomeTheDeclaredOne) {
  std::string table = "id,g,w\n";
  for (int row = 0; row < 1000; ++row) {
    const char* const bad[] = {"", "-1", "x", "NA"};
    table += fmt::format("{},{},{}\n", row, row < 500 ? "a" : "b", row < 500 ? "1" : bad[row % 4]);
  }
  files.write("t.csv", table);
  for (const char* method : {"central", "marginals", "integral"}) {
    const Arguments asked =
        Arguments{"--count", "10000"} + kWeights +
        Arguments{"--epsilon", method == std::string("integral") ? "3e5" : "100"};
    ASSERT_EQ(sample(method, asked).status, 0);
    EXPECT_NEAR(shares()["a"], 1, .025) << method;
    ASSERT_EQ(sample(method, asked + Arguments{"--invalid-weight", "3"}).status, 0);
    EXPECT_NEAR(shares()["a"], .25, .025) << method;
  }
  // The greatest weight is public, and no weight is above it.
  files.write("t.csv", "id,g,w\n1,a,1e300\n2,b,inf\n3,c,1e-300\n");
  EXPECT_EQ(sample("marginals", Arguments{"--count", "10"} + kWeights).status, 0);
}

TEST_F(Weights, AreRefusedByTheirDeclaration) {
  const Arguments count{"--count", "10"};
  const auto with = [&](const std::string& method, const Arguments& options) {
    return refused(method, count + options);
  };
  for (const char* method : {"local", "integral", "central", "marginals"}) {
    EXPECT_EQ(
        with(method, {"--weights", "w"}),
        "mollify: --greatest-weight is missing: greatest weight of a row, or of all rows of a "
        "unit\n");
    EXPECT_EQ(with(method, {"--greatest-weight", "3"}),
              "mollify: --weights is missing: --greatest-weight needs it\n");
    EXPECT_EQ(with(method, {"--weights", "w", "--greatest-weight", "0"}),
              "mollify: --greatest-weight must be finite and positive, but is 0\n");
    EXPECT_EQ(with(method, {"--weights", "w", "--greatest-weight", "3", "--invalid-weight", "4"}),
              "mollify: --invalid-weight must be at most the greatest weight, 3, but is 4\n");
    EXPECT_EQ(with(method, {"--weights", "w", "--greatest-weight", "3", "--weight-step", "1e-6"}),
              "mollify: --weight-step must be at least the greatest weight over 100000, 3e-05, but "
              "is 1e-6\n");
    EXPECT_THAT(with(method, {"--weights", "v", "--greatest-weight", "3"}),
                HasSubstr("t.csv has no column \"v\", with the weight of each row"));
    EXPECT_THAT(with(method, {"--weights", "g", "--greatest-weight", "3"}),
                HasSubstr("the weights column must not be a column of the domain, but \"g\" is"));
    EXPECT_THAT(with(method, kWeights + Arguments{"--counts-column", "id"}),
                HasSubstr("give --weights or --counts-column, not both"));
  }
  for (const char* method : {"local", "central", "marginals"}) {
    EXPECT_EQ(with(method, kWeights + Arguments{"--unit", "w"}),
              "mollify: the weights column must not be the unit column, but \"w\" is both\n");
  }
  for (const char* method : {"gaussian", "gaussian-model", "integral-model"}) {
    EXPECT_THAT(with(method, kWeights),
                HasSubstr("--weights is for methods local, integral, central "
                          "and marginals, but the method is"));
  }
  EXPECT_EQ(with("central", kWeights + Arguments{"--mechanism", "ds-roo"}),
            "mollify: mechanism ds-roo takes each row alike, so give --weights without it, or "
            "mechanism histogram\n");
  EXPECT_EQ(refused("central", kWeights + Arguments{"--rate", "0.1"}),
            "mollify: give --weights or --rate, not both: mechanism poisson-rr takes each row "
            "alike\n");
}

// The noise of a draw does not depend on weights, so a plan takes them and finds the same.
TEST_F(Weights, ChangeNothingInPlansOfDraws) {
  for (const char* method : {"local", "integral"}) {
    const Arguments asked{"plan", method, "--domain", "d.yaml", "--epsilon", "1"};
    const Ended weighted = run(asked + kWeights);
    ASSERT_EQ(weighted.status, 0) << weighted.err;
    EXPECT_THAT(weighted.out, HasSubstr("--weights change nothing here: the noise does not depend "
                                        "on them\n"));
    const Json one = Json::parse(run(asked + kWeights + Arguments{"--json"}).out);
    EXPECT_EQ(one["alpha"], Json::parse(run(asked + Arguments{"--json"}).out)["alpha"]);
  }
}

TEST_F(Weights, NameWhatASmallBudgetNeeds) {
  const std::string refusal =
      refused("marginals", {"--count", "10", "--weights", "w", "--greatest-weight", "3",
                            "--weight-step", "3e-5", "--epsilon", "1e-3", "--accept-error"});
  EXPECT_THAT(refusal, HasSubstr("steps, but the greatest weight has 100000: give a greater "
                                 "--weight-step, a smaller --greatest-weight or a larger budget"));
  EXPECT_EQ(refusal.find("about epsilon"), std::string::npos);
}

TEST_F(Weights, AreMissingInAnEmptyDeclaration) {
  files.write("empty.json",
              R"({"method": "marginals", "domain": {"file": "d.yaml"}, "count": 3,
                  "privacy": {"epsilon": 5}, "weights": {}})");
  const Ended ended = run({"sample", "--spec", "empty.json", "--data", "t.csv"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("column"));
}

TEST_F(Weights, MustNotAllBeInvalidToCompare) {
  files.write("none.csv", "id,g,w\n1,a,x\n2,b,-1\n");
  for (const char* method : {"marginals", "central", "local"}) {
    const Ended ended = run(Arguments{"compare", method, "--data", "none.csv", "--domain", "d.yaml",
                                      "--epsilon", "1", "--count", "1"} +
                            kWeights);
    EXPECT_EQ(ended.status, 2) << method;
    EXPECT_THAT(ended.err, HasSubstr("must hold a row with a weight above 0 in column \"w\" to "
                                     "compare with, but holds none"))
        << method;
  }
}

TEST_F(Weights, AreNotForEstimates) {
  ASSERT_EQ(sample("central", Arguments{"--count", "10"} + kWeights).status, 0);
  const Ended ended = run({"estimate", "--released", "out.csv", "--certificate",
                           "out.csv.certificate.json", "--domain", "d.yaml"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("next time leave out --weights, which no other mechanism takes, "
                                   "and use subset-rr"));
}

TEST_F(Weights, AreInSpecAndCertificate) {
  for (const char* method : {"local", "integral", "central", "marginals"}) {
    ASSERT_EQ(sample(method, Arguments{"--count", "10", "--invalid-weight", "1"} + kWeights).status,
              0);
    const Json certificate = Json::parse(files.read("out.csv.certificate.json"));
    EXPECT_EQ(certificate["spec"]["weights"],
              (Json{{"column", "w"}, {"greatest", "3"}, {"invalid", "1"}}));
    const Arguments verify{"verify", "--certificate", "bad.json", "--domain", "d.yaml"};
    files.write("bad.json", certificate.dump());
    EXPECT_EQ(run(verify).status, 0) << method;
    if (std::string(method) != "central" && std::string(method) != "marginals") continue;
    // The noise of a smaller greatest weight is not enough.
    Json altered = certificate;
    altered["spec"]["weights"]["greatest"] = "30";
    altered["spec"]["weights"]["step"] = "0.001";
    files.write("bad.json", altered.dump());
    EXPECT_EQ(run(verify).status, 1) << method;
    altered = certificate;
    altered["spec"].erase("weights");
    files.write("bad.json", altered.dump());
    EXPECT_EQ(run(verify).status, 1) << method;
  }
}

TEST_F(Weights, ArePlanned) {
  const auto planned = [&](const std::string& method, const Arguments& options) {
    const Ended ended = run(
        Arguments{"plan", method, "--domain", "d.yaml", "--n", "1000", "--epsilon", "1", "--json"} +
        options);
    EXPECT_EQ(ended.status, 0) << ended.err;
    const Json json = Json::parse(ended.out);
    return json.contains("answers") ? json["answers"][0] : json;
  };
  for (const char* method : {"central", "marginals"}) {
    const Json alike = planned(method, {});
    const Json weighted = planned(method, {"--greatest-weight", "20", "--mean-weight", "2"});
    EXPECT_EQ(weighted["weights"]["sensitivity"], 40.0);
    EXPECT_EQ(weighted["weights"]["supposed_mean"], 2.0);
    EXPECT_NEAR(weighted["weights"]["step"].get<double>(), .01, 1e-12);
    EXPECT_FALSE(alike.contains("weights"));
    EXPECT_GT(weighted["alpha"], alike["alpha"]);
  }
  const Ended ended = run({"plan", "marginals", "--domain", "d.yaml", "--n", "1000", "--epsilon",
                           "1", "--greatest-weight", "20"});
  EXPECT_THAT(ended.out, HasSubstr("a row moves the counts of a column by 40 in weight at most, "
                                   "20 times as much"));
  EXPECT_THAT(ended.out, HasSubstr("the total weight is protected"));
}

TEST_F(Weights, AreChecked) {
  files.write("t.csv", "id,g,w\n1,a,1.25\n2,b,\n3,c,-2\n4,a,5\n5,a,7\n");
  const Ended ended = run(Arguments{"check", "--data", "t.csv", "--domain", "d.yaml"} + kWeights);
  EXPECT_EQ(ended.status, 1);
  EXPECT_THAT(ended.out, HasSubstr("w: 2 values become 0 (default)\nw: 2 values become 3\n"));
  EXPECT_THAT(ended.out, HasSubstr("t.csv:3: w must be a weight from 0 to 3, but is \"\" → 0 "
                                   "(default)\n"));
  const Ended counts =
      run({"check", "--data", "t.csv", "--domain", "d.yaml", "--counts-column", "w"});
  EXPECT_THAT(
      counts.out,
      HasSubstr("t.csv:2: w must be a whole number from 0 to 1099511627776 "
                "(for weights give --weights instead of --counts-column), but is \"1.25\" → 0\n"));
}

TEST_F(Weights, AreCompared) {
  const Arguments asked{"--data", "t.csv", "--domain", "d.yaml", "--json"};
  for (const auto& [method, epsilon] : {std::pair{"central", "100"}, std::pair{"marginals", "100"},
                                        std::pair{"integral", "30"}, std::pair{"local", "30"}}) {
    const Ended ended = run(Arguments{"compare", method, "--epsilon", epsilon} + kWeights + asked);
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Json column = Json::parse(ended.out)["columns"][0];
    EXPECT_NEAR(column["shares"]["truth"][0].get<double>(), .8364, 1e-3) << method << column;
  }
  ASSERT_EQ(sample("marginals", Arguments{"--count", "5000"} + kWeights).status, 0);
  const Ended ended = run(Arguments{"compare", "--released", "out.csv"} + kWeights + asked);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json found = Json::parse(ended.out);
  EXPECT_EQ(found["records"], 1000);
  EXPECT_LT(found["tv"], .03);
  const Ended alike = run(Arguments{"compare", "--released", "out.csv"} + asked);
  EXPECT_GT(Json::parse(alike.out)["tv"], .04);
}

}  // namespace
}  // namespace mollify::test
