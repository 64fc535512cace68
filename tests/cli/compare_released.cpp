// `mollify compare --released`: rows that are there, however they were made.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// 400 rows of 100 persons, three kinds of columns, in t.csv.
class JudgedTable : public CommandLine {
 public:
  JudgedTable() {
    files.write("d.yaml",
                "columns:\n  colour: {type: categorical, values: [red, green], null: red}\n"
                "  size: {type: integer, min: 0, max: 9, bins: 2, null: 0}\n"
                "  money: {type: number, min: 0, max: 100000, null: 0}\n");
    files.write("t.csv", rows_of(400));
  }

  /// Money is skewed, so that cells of equal width would hold nearly all rows in one.
  static std::string rows_of(int count) {
    std::string rows = "who,colour,size,money\n";
    for (int i = 0; i < count; ++i) {
      rows += std::to_string(i / 4) + (i % 4 == 0 ? ",red," : ",green,") +
              std::to_string(i % 2 == 0 ? 1 : 8) + "," + std::to_string(std::exp(i % 100 / 10.0)) +
              "\n";
    }
    return rows;
  }

  [[nodiscard]] Json judged(const std::string& released, const Arguments& more = {}) const {
    const Ended ended = run(Arguments{"compare", "--data", "t.csv", "--domain", "d.yaml",
                                      "--released", released, "--json"} +
                            more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? Json::parse(ended.out) : Json();
  }
};

TEST(CompareReleased, FindsNoDistanceToTheTableItself) {
  const JudgedTable command;
  command.files.write("same.csv", command.files.read("t.csv"));
  const Json same = command.judged("same.csv");
  EXPECT_THAT(same["notice"].get<std::string>(), HasSubstr("NOT PRIVATE"));
  EXPECT_EQ(same["records"], 400);
  EXPECT_EQ(same["released_records"], 400);
  EXPECT_EQ(same["tv"], 0);
  EXPECT_EQ(same["columns"][0]["levels"], Json({"red", "green"}));
  EXPECT_EQ(same["columns"][0]["shares"]["truth"], Json({0.25, 0.75}));
  // Cells of about equally many rows, and both real means.
  const Json& money = same["columns"][2];
  std::size_t cells = 0;
  for (const double share : money["shares"]["truth"]) {
    if (share == 0) continue;  // before the least number, or beyond the greatest
    EXPECT_NEAR(share, 1.0 / 16, 0.011);
    ++cells;
  }
  EXPECT_EQ(cells, 16U);
  double mean = 0;
  for (int i = 0; i < 100; ++i) mean += std::exp(i / 10.0) / 100;
  EXPECT_NEAR(money["without_bins"]["mean"], mean, 1e-3 * mean);
  EXPECT_EQ(money["without_bins"]["mean"], money["without_bins"]["released"]["mean"]);
  EXPECT_EQ(command.judged("same.csv", {"--unit", "who"})["records"], 100);
}

/// The holder's questions, from both tables and from noisy counts.
TEST(CompareReleased, AnswersQuestionsFromBothTables) {
  const JudgedTable command;
  command.files.write("same.csv", command.files.read("t.csv"));
  const Arguments asked = {"--questions", "mean(money) by colour",
                           "--questions", "share(size) by colour",
                           "--questions", "colour = green ~ size"};
  const Json same = command.judged("same.csv", asked);
  ASSERT_EQ(same["questions"].size(), 3U);
  double means[2] = {};
  for (int i = 0; i < 400; ++i) means[i % 4 == 0 ? 0 : 1] += std::exp(i % 100 / 10.0);
  means[0] /= 100;
  means[1] /= 300;
  const Json& of_means = same["questions"][0]["rows"];
  EXPECT_EQ(of_means[0]["group"], "red");
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(of_means[i]["truth"].get<double>(), means[i], 15) << "of cells of 24";
  }
  EXPECT_EQ(of_means[2]["part"], "differences");
  for (const Json& question : same["questions"]) {
    EXPECT_TRUE(question["refused"].empty());
    EXPECT_FALSE(question["rows"].empty());
    for (const Json& row : question["rows"]) {
      EXPECT_EQ(row["truth"], row["released"]) << question["question"];
      EXPECT_FALSE(row.contains("model"));
    }
  }
  // A unit's rows count as one: each has a red row and three green ones, as the rows have.
  const Json units = command.judged("same.csv", asked + Arguments{"--unit", "who"});
  EXPECT_NEAR(units["questions"][1]["rows"][0]["truth"].get<double>(),
              same["questions"][1]["rows"][0]["truth"].get<double>(), 1e-9);
  // Of a release, with its own questions and its noisy counts.
  command.files.write("d.yaml",
                      "columns:\n  colour: {type: categorical, values: [red, green], null: red}\n"
                      "  size: {type: integer, min: 0, max: 9, bins: 2, null: 0}\n");
  const Ended made =
      command.run({"sample", "marginals", "--data", "t.csv", "--domain", "d.yaml", "--epsilon",
                   "50", "--delta", "1e-6", "--count", "400", "--out", "out.csv", "--model-out",
                   "model.json", "--questions", "colour:size"});
  ASSERT_EQ(made.status, 0) << made.err;
  const Json found = command.judged("out.csv", {"--model", "model.json", "--questions",
                                                "colour:size", "--questions", "share(colour)"});
  ASSERT_EQ(found["questions"].size(), 2U) << "each once";
  EXPECT_EQ(found["questions"][0]["question"], "colour:size");
  for (const Json& row : found["questions"][0]["rows"]) {
    EXPECT_NEAR(row["model"].get<double>(), row["truth"].get<double>(), .05);
    EXPECT_LE(row["lower"], row["model"]);
    EXPECT_GE(row["upper"], row["model"]);
  }
  const Ended words = command.run({"compare", "--data", "t.csv", "--domain", "d.yaml", "--released",
                                   "out.csv", "--model", "model.json"});
  EXPECT_THAT(words.out, HasSubstr("\ncolour:size\n"));
  EXPECT_THAT(words.out, HasSubstr("released   counted 95 %: from"));
  const auto refusal = [&](const Arguments& more) {
    const Ended ended =
        command.run(Arguments{"compare", "--data", "t.csv", "--domain", "d.yaml"} + more);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_THAT(refusal({"--released", "same.csv", "--questions", "mean(colour)"}),
              HasSubstr("has no numbers"));
  EXPECT_THAT(refusal({"--released", "same.csv", "--questions", "share(color)"}),
              HasSubstr("did you mean \"colour\"?"));
  EXPECT_THAT(refusal({"--released", "same.csv", "--model", "model.json"}),
              HasSubstr("--questions"));
}

TEST(CompareReleased, SaysThatAColumnLiesInOneCell) {
  const JudgedTable command;
  command.files.write(
      "d.yaml", "columns: {v: {type: number, min: 0, max: 1000000000, bins: private, null: 0}}\n");
  std::string same = "v\n", spread = "v\n";
  for (int row = 1; row <= 400; ++row) {
    same += "42\n";
    spread += fmt::format("{}\n", row / 10.0);
  }
  command.files.write("same.csv", same);
  command.files.write("spread.csv", spread);
  const auto compared = [&](const std::string& table) {
    return command.run({"compare", "marginals", "--domain", "d.yaml", "--data", table, "--epsilon",
                        "20", "--delta", "1e-6"});
  };
  EXPECT_THAT(compared("same.csv").out, HasSubstr("v: 100 % of the rows lie in one cell, 42.0"));
  const std::string text = compared("spread.csv").out;
  EXPECT_THAT(text, Not(HasSubstr("lie in one cell")));
  // The middles of its cells are near its numbers.
  const std::size_t at = text.find("mean of v");
  ASSERT_NE(at, text.npos) << text;
  EXPECT_NEAR(std::stod(text.substr(at + 9)), 20, 2);
}

TEST(CompareReleased, CountsOneInWordsAndAlignsLongLabels) {
  const JudgedTable command;
  command.files.write("t.csv", "at\n2024-01-01T10:30:00\n");
  command.files.write("same.csv", "at\n2024-01-01T10:30:00\n");
  command.files.write("d.yaml",
                      "columns: {at: {type: datetime, min: 2024-01-01T00:00:00, max: "
                      "2024-03-31T23:59:59, bins: month, null: 2024-01-01T00:00:00}}\n");
  const Ended ended =
      command.run({"compare", "--data", "t.csv", "--domain", "d.yaml", "--released", "same.csv"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 row of same.csv beside 1 row of t.csv"));
  const std::string label = "at = 2024-01-01T00:00:00..2024-01-31T23:59:59";
  EXPECT_THAT(ended.out, HasSubstr("\nshare" + std::string(label.size() - 5, ' ') + "  real data"));
  EXPECT_THAT(ended.out, HasSubstr("\n" + label + "     1.0000"));
}

TEST(CompareReleased, TellsWhatIsOffAndWhatIsChance) {
  const JudgedTable command;
  // Colours of another share; the pairs with it are off by .25 at least.
  std::string rows = "colour,size,money\n";
  for (int i = 0; i < 100; ++i) {
    rows += std::string(i % 2 == 0 ? "red," : "green,") + (i / 2 % 2 == 0 ? "1," : "8,") +
            std::to_string(std::exp(i / 10.0)) + "\n";
  }
  command.files.write("other.csv", rows);
  const Json found = command.judged("other.csv");
  EXPECT_EQ(found["columns"][0]["shares"]["released"], Json({0.5, 0.5}));
  EXPECT_GE(found["pairs"]["released"]["worst_tv"], 0.25);
  EXPECT_EQ(found["pairs"]["released"]["mean_tv"], found["tv"]);
  const auto pairs = found["pairs"]["released"]["tv"].get<std::vector<double>>();
  ASSERT_EQ(pairs.size(), 3U);
  EXPECT_EQ(*std::max_element(pairs.begin(), pairs.end()), found["pairs"]["released"]["worst_tv"]);
  EXPECT_NEAR((pairs[0] + pairs[1] + pairs[2]) / 3, found["tv"].get<double>(), 1e-12);
  const Ended words =
      command.run({"compare", "--data", "t.csv", "--domain", "d.yaml", "--released", "other.csv"});
  EXPECT_THAT(words.out, HasSubstr("\n100 rows of other.csv beside 400 rows of t.csv\n"));
  EXPECT_THAT(words.out, HasSubstr("\ncolour = red "));
  EXPECT_THAT(words.out, HasSubstr("\n  its real mean, without bins "));
  EXPECT_THAT(words.out, HasSubstr("two columns of the released rows are "));
  EXPECT_THAT(words.out, HasSubstr("; 100 rows drawn from the table itself would be "));
  // So far are rows drawn from the table itself.
  std::mt19937_64 random(3);
  const auto lines = lines_of(JudgedTable::rows_of(400));
  double sum = 0;
  constexpr int kDraws = 5;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::string drawn = lines[0] + "\n";
    for (int i = 0; i < 400; ++i) drawn += lines[1 + random() % 400] + "\n";
    command.files.write("drawn.csv", drawn);
    sum += command.judged("drawn.csv")["tv"].get<double>() / kDraws;
  }
  const double chance = command.judged("drawn.csv")["tv_by_chance"];
  std::printf("off by %.4f, by chance %.4f\n", sum, chance);
  EXPECT_NEAR(sum, chance, 0.25 * chance);
}

TEST(CompareReleased, SummarisesPoints) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  a: {type: number, min: 0.1, max: 100, outside: 3, null: 3}\n"
                      "  b: {type: number, min: -5, max: 5, null: -5}\n");
  command.files.write("t.csv", "a,b\n1,0\n2,1\n3,2\n4,3\n");
  command.files.write("r.csv", "a,b\n1,3\n2,2\n3,1\n4,0\n");
  const Arguments compare = {"compare", "--data",     "t.csv", "--domain",
                             "d.yaml",  "--released", "r.csv"};
  const Ended ended = command.run(compare + Arguments{"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json points = Json::parse(ended.out)["points"];
  EXPECT_NEAR(points["truth"]["means"][0], 2.5, 1e-12);
  EXPECT_NEAR(points["truth"]["correlations"][0], 1, 1e-12);
  EXPECT_NEAR(points["released"]["correlations"][0], -1, 1e-12);
  const Ended logarithms = command.run(compare + Arguments{"--log", "a"});
  EXPECT_EQ(logarithms.status, 0) << logarithms.err;
  EXPECT_THAT(logarithms.out, HasSubstr("\nmean of ln a "));
  EXPECT_THAT(logarithms.out, HasSubstr("\nhalf is below, a "));
  EXPECT_THAT(logarithms.out, HasSubstr("\nrank correlation of a, b             1.000      -1.000"
                                        "      2.000          1.000\n"));
  const Json& distances = points["distances"];
  // The quarters of a and b are the four rows: all of them are elsewhere. If a and b were
  // independent, each of the 16 cells would have 1/16, and 3/4 of all would be off the diagonal.
  EXPECT_NEAR(distances["pairs"][0]["tv"]["released"], 1, 1e-12);
  EXPECT_NEAR(distances["pairs"][0]["tv"]["independent"], 0.75, 1e-12);
  EXPECT_NEAR(distances["columns"][0]["tv"], 0, 1e-12);
}

TEST(CompareReleased, RefusesInOneSentence) {
  const JudgedTable command;
  command.files.write("empty.csv", "colour,size,money\n");
  command.files.write("lacking.csv", "colour,size\nred,1\n");
  const auto refused = [&](const Arguments& more) {
    const Ended ended = command.run(Arguments{"compare", "--data", "t.csv"} + more);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  const Arguments domain = {"--domain", "d.yaml"};
  EXPECT_EQ(refused(domain + Arguments{"--released", "empty.csv"}),
            "mollify: empty.csv must hold released rows, but holds none\n");
  EXPECT_THAT(refused(domain + Arguments{"--released", "lacking.csv"}),
              HasSubstr("lacking.csv has no column \"money\""));
  EXPECT_EQ(refused(domain + Arguments{"--released", "t.csv", "--epsilon", "1"}),
            "mollify: --released compares rows that are there, however they were made, but "
            "--epsilon is given\n");
  EXPECT_EQ(refused({"--released", "t.csv"}),
            "mollify: --domain is missing: the public domain, YAML\n");
  EXPECT_EQ(refused(domain + Arguments{"--released", "t.csv", "--log", "money"}),
            "mollify: --log needs a domain of numbers without bins, but this domain has other "
            "columns\n");
}

// A release says whom it protects before it is made, and what to do with it.
TEST(CompareReleased, IsTheNextStepOfARelease) {
  const JudgedTable command;
  command.files.write("d.yaml",
                      "columns:\n  colour: {type: categorical, values: [red, green], null: red}\n"
                      "  size: {type: integer, min: 0, max: 9, bins: 2, null: 0}\n");
  const Arguments sample = {"sample", "--data",      "t.csv",     "--domain", "d.yaml",
                            "--out",  "o.csv",       "--epsilon", "1",        "--count",
                            "1",      "--overwrite", "--explain"};
  const std::string rows = command.run(sample + Arguments{"@central", "--accept-error"}).err;
  EXPECT_TRUE(rows.starts_with(
      "note: no --unit: each row is protected, and a person with several rows less\n"))
      << rows;
  EXPECT_THAT(
      rows, HasSubstr("\nnext: judge the records (not private)\n  mollify compare --released o.csv "
                      "--data t.csv --domain d.yaml\n"));
  EXPECT_EQ(command.judged("o.csv")["released_records"], 1);
  // Its command can be run unchanged.
  const std::string spaced =
      command
          .run({"sample", "--data", "t.csv", "--domain", "d.yaml", "--out", "Anna's rows.csv",
                "--epsilon", "1", "--count", "1", "@central", "--accept-error", "--explain"})
          .err;
  EXPECT_THAT(spaced, HasSubstr("  mollify compare --released 'Anna'\\''s rows.csv' --data t.csv"));
  const std::string local =
      command
          .run(sample + Arguments{"@local", "--unit", "who", "--mechanism", "randomized-response"})
          .err;
  // The certificate next to the rows names the unit.
  const Ended counted =
      command.run({"compare", "--data", "t.csv", "--domain", "d.yaml", "--released", "o.csv"});
  EXPECT_THAT(counted.err, HasSubstr("o.csv.certificate.json protects units of who"));
  EXPECT_THAT(counted.out, HasSubstr("100 rows of o.csv beside 100 units of t.csv"));
  EXPECT_THAT(local,
              HasSubstr(" --unit who\nnext: find the population\n  mollify estimate --released "
                        "o.csv --certificate o.csv.certificate.json\n"));
  EXPECT_THAT(local, ::testing::Not(HasSubstr("note: no --unit")));
  const Ended plan = command.run(
      {"plan", "central", "--domain", "d.yaml", "--n", "400", "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_THAT(unwrapped(plan.out),
              HasSubstr("\nthis plan is for one record; --count plans for more\n"
                        "each row is protected, and a person with several rows less; to protect "
                        "whole persons, give --unit to mollify sample and count persons here\n"));
}

}  // namespace
}  // namespace mollify::test
