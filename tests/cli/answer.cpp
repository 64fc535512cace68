// Questions about a table, from the model of a synthetic one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command_line.h"

namespace mollify::test {

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A model of 2000 rows with so little noise that it hardly shows.
struct AskedModel {
  AskedModel() {
    command.files.write("domain.yaml",
                        "columns:\n"
                        "  ward: {type: categorical, values: [north, south, east], null: north}\n"
                        "  age: {type: integer, min: 0, max: 9, null: category}\n"
                        "  won: {type: boolean, null: false}\n");
    std::string rows = "ward,age,won\n";
    for (int i = 0; i < 2000; ++i) {
      const int ward = i % 5 % 3;  // 2 of 5 are north, 2 south
      const int age = (i / 5 + 2 * ward) % 10;
      rows += (ward == 0   ? "north,"
               : ward == 1 ? "south,"
                           : "east,") +
              (i % 50 == 0 ? "" : std::to_string(age)) + "," + (i % 10 < age ? "true" : "false") +
              "\n";
    }
    command.files.write("data.csv", rows);
    const Ended made = command.run({"sample", "marginals", "--data", "data.csv", "--domain",
                                    "domain.yaml", "--epsilon", "200", "--delta", "1e-6", "--count",
                                    "10", "--out", "out.csv", "--model-out", "model.json"});
    EXPECT_EQ(made.status, 0) << made.err;
  }

  [[nodiscard]] Ended ask(const Arguments& questions) const {
    return command.run(Arguments{"answer", "--model", "model.json"} + questions);
  }

  CommandLine command;
};

/// Weights decide the noise of a release's tables, whose certificate and model are verified.
TEST(Answer, HasLessNoiseForQuestionsOfMoreWeight) {
  const AskedModel model;
  const auto variances = [&](const std::string& first, const std::string& second) {
    const Ended made = model.command.run(
        {"sample",       "marginals",   "--data",     "data.csv",    "--domain",
         "domain.yaml",  "--epsilon",   "2",          "--delta",     "1e-6",
         "--count",      "10",          "--out",      "weighed.csv", "--certificate",
         "weighed.json", "--model-out", "model.json", "--overwrite", "--questions",
         first,          "--questions", second});
    EXPECT_EQ(made.status, 0) << made.err;
    const Ended verified = model.command.run({"verify", "--certificate", "weighed.json", "--domain",
                                              "domain.yaml", "--model", "model.json"});
    EXPECT_EQ(verified.status, 0) << verified.err << verified.out;
    const Json answers = Json::parse(model.ask({first, second, "--json"}).out);
    EXPECT_EQ(answers[0]["question"], "ward:won") << "without its weight";
    const Json measured = Json::parse(model.command.files.read("model.json"))["measurements"];
    std::vector<double> found;
    for (const Json& asked : {Json({"ward", "won"}), Json({"age", "won"})}) {
      for (const Json& table : measured["tables"]) {
        if (table["columns"] != asked) continue;
        found.push_back(table["variance"]);
        break;
      }
    }
    EXPECT_EQ(found.size(), 2U);
    return found;
  };
  const auto first = variances("ward:won weight 4", "mean(age) by won");
  const auto second = variances("ward:won", "mean(age) by won weight 4");
  EXPECT_LT(first[0], .5 * second[0]);
  EXPECT_LT(second[1], .5 * first[1]);
}

TEST(Answer, HasErrorBarsForTheTableAndThePopulation) {
  const AskedModel model;
  const Ended asked = model.ask({"share(ward)", "--json"});
  ASSERT_EQ(asked.status, 0) << asked.err;
  const Json answers = Json::parse(asked.out);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["question"], "share(ward)");
  const double shares[] = {.4, .4, .2};
  for (std::size_t i = 0; i < 3; ++i) {
    const Json& one = answers[0]["answers"][i];
    EXPECT_NEAR(one["estimate"].get<double>(), shares[i], .01);
    EXPECT_LT(one["table"]["lower"].get<double>(), shares[i] + .01);
    EXPECT_LT(one["population"]["lower"], one["table"]["lower"]);
    EXPECT_GT(one["population"]["upper"], one["table"]["upper"]);
  }
}

TEST(Answer, IsATableForPeople) {
  const AskedModel model;
  const Ended asked = model.ask({"share(won = true) by ward", "age ~ ward"});
  ASSERT_EQ(asked.status, 0) << asked.err;
  for (const char* const words :
       {"share(won = true) by ward\n", " less north", "linear coefficients", "ward = ",
        "An interval holds the table's number in 95 of 100 releases", "estimate  std error"}) {
    EXPECT_THAT(asked.out, HasSubstr(words));
  }
  EXPECT_THAT(asked.out, Not(HasSubstr("nan")));
}

TEST(Answer, OfAFileOfQuestionsAreInItsOrder) {
  const AskedModel model;
  model.command.files.write("questions.txt",
                            "# about wards\nmean(age) by ward\nquantile(age, .5)\n");
  const Ended asked =
      model.ask({"share(ward = east)", "--questions-file", "questions.txt", "--json"});
  ASSERT_EQ(asked.status, 0) << asked.err;
  const Json answers = Json::parse(asked.out);
  ASSERT_EQ(answers.size(), 3U);
  EXPECT_EQ(answers[0]["question"], "share(ward = east)");
  EXPECT_EQ(answers[2]["question"], "quantile(age, .5)");
  EXPECT_TRUE(answers[2]["answers"][0]["table"]["standard_error"].is_null());
  model.command.files.write("questions.txt", "mean(age) by ward\nmean age\n");
  EXPECT_THAT(model.ask({"--questions-file", "questions.txt"}).err, HasSubstr("questions.txt:2"));
}

TEST(Answer, WithoutItsCountsIsRefused) {
  const AskedModel model;
  EXPECT_EQ(model.ask({}).status, 2);
  EXPECT_EQ(model.ask({"share(height)"}).code, "unknown-column");
  EXPECT_EQ(model.ask({"share(ward = west)"}).code, "unknown-value");
  EXPECT_EQ(model.ask({"share ward"}).code, "malformed-text");
  EXPECT_EQ(model.ask({"mean(ward)"}).status, 2);
  // One of several is refused in its place.
  Json file = Json::parse(model.command.files.read("model.json"));
  Json tables = Json::array();
  for (const Json& table : file["measurements"]["tables"]) {
    if (table["columns"].size() == 1) tables.push_back(table);
  }
  file["measurements"]["tables"] = tables;
  model.command.files.write("model.json", file.dump());
  const Ended alone = model.ask({"mean(age) by ward"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_EQ(alone.code, "not-available-here");
  EXPECT_THAT(alone.err, HasSubstr("were not measured together"));
  const Ended among = model.ask({"mean(age) by ward", "share(ward)"});
  EXPECT_EQ(among.status, 0);
  EXPECT_THAT(among.out, HasSubstr("no answer: \"ward\", \"age\" were not measured together"));
  EXPECT_THAT(among.out, HasSubstr("north"));
  file.erase("measurements");
  model.command.files.write("model.json", file.dump());
  EXPECT_THAT(model.ask({"share(ward)"}).err, HasSubstr("model.json has no noisy counts at"));
}

/// Noisy counts of another program. The domain is in their file, or in a file of its own.
TEST(Answer, IsMadeOfForeignCountsToo) {
  const CommandLine command;
  const std::string domain = "columns:\n  won: {type: boolean, null: false}\n";
  command.files.write("domain.yaml", domain);
  Json counts = {
      {"measurements",
       {{"tables", {{{"columns", {"won"}}, {"counts", {29.5, 70.5}}, {"variance", 4}}}}}}};
  command.files.write("counts.json", counts.dump());
  const Ended needed = command.run({"answer", "--model", "counts.json", "share(won)"});
  EXPECT_EQ(needed.status, 2);
  EXPECT_THAT(needed.err, HasSubstr("counts.json has no domain at /domain"));
  const Ended beside = command.run(
      {"answer", "--model", "counts.json", "--domain", "domain.yaml", "share(won)", "--json"});
  ASSERT_EQ(beside.status, 0) << beside.err;
  EXPECT_NEAR(Json::parse(beside.out)[0]["answers"][1]["estimate"].get<double>(), .705, 1e-12);
  counts["domain"] = domain;
  command.files.write("whole.json", counts.dump());
  EXPECT_EQ(command.run({"answer", "--model", "whole.json", "share(won)", "--json"}).out,
            beside.out);
}

}  // namespace

}  // namespace mollify::test
