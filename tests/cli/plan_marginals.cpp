// What `mollify plan`, `advise` and `compare` say of method marginals.
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// 3000 rows of 1500 people: the dose says the ward, and nothing of the sex.
class Doses : public CommandLine {
 public:
  Doses() {
    files.write("d.yaml",
                "columns:\n"
                "  ward: {type: categorical, values: [north, south, east]}\n"
                "  sex: {type: categorical, values: [female, male]}\n"
                "  dose: {type: number, min: 0, max: 8, bins: 8}\n");
    std::string table = "id,ward,sex,dose\n";
    for (int row = 0; row < 3000; ++row) {
      const char* const wards[] = {"north", "south", "east"};
      table += std::to_string(row / 2) + "," + wards[row % 3] + "," +
               (row % 2 == 0 ? "female" : "male") + "," +
               std::to_string(row % 3 * 2 + row % 5 / 4) + "\n";
    }
    files.write("t.csv", table);
  }

  [[nodiscard]] Json json(const Arguments& arguments) const {
    const Ended ended = run(arguments + Arguments{"--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? Json::parse(ended.out) : Json();
  }
  [[nodiscard]] Json planned(const Arguments& options) const {
    return json(kPlan + options)["answers"][0];
  }
  void refuses(const Arguments& arguments, const std::string& said) const {
    const Ended ended = run(arguments);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err, "mollify: " + said + "\n");
  }

  inline static const Arguments kFamily = {"@marginals", "--domain", "d.yaml"};
  inline static const Arguments kPlan = Arguments{"plan"} + kFamily;
};

/// What the two ends are, in the same words everywhere.
constexpr const char* kHeld =
    ": the least if columns hardly depend on each other, the most if columns of many values depend "
    "closely on each other. A release measures it.";

/// Each question has the error of its answers before any data are opened, and one without an answer
/// is refused by plan and sample alike.
TEST(PlanMarginals, TellsTheErrorsOfAnswers) {
  const Doses command;
  const Arguments budget = {"--epsilon", "1", "--delta", "1e-6"};
  const Arguments number = {"--n", "3000"};
  const auto error = [&](const std::string& question, const Arguments& more) {
    const Json told =
        command.json(Doses::kPlan + number + more + Arguments{"--questions", question});
    return told["answers"][0]["questions"][0]["standard_error"];
  };
  const Json once = error("sex:ward", budget);
  EXPECT_GT(once.get<double>(), 0);
  EXPECT_LT(error("sex:ward", {"--epsilon", "4", "--delta", "1e-6"}).get<double>(),
            once.get<double>() / 2);
  EXPECT_TRUE(error("quantile(dose, .5)", budget).is_null());
  const std::string said =
      "\"ward\" has no numbers, so it has no mean and no quantile: ask for share(ward)";
  command.refuses(Doses::kPlan + number + budget + Arguments{"--questions", "mean(ward)"}, said);
  command.refuses(Arguments{"sample", "@marginals", "--domain", "d.yaml", "--data", "t.csv",
                            "--count", "5", "--out", "o.csv", "--questions", "mean(ward)"} +
                      budget,
                  said);
  EXPECT_FALSE(std::filesystem::exists(command.files.path("o.csv")));
}

/// Questions of a file come after questions of flags.
TEST(PlanMarginals, TakesQuestionsOfAFile) {
  const Doses command;
  command.files.write("q.txt", "# of a report\nsex:ward weight 4\n\nmean(dose) by sex\n");
  const Arguments plan =
      Doses::kPlan + Arguments{"--epsilon", "1", "--delta", "1e-6", "--n", "3000"};
  const auto questions = [&](const Arguments& asked) {
    return command.json(plan + asked)["answers"][0]["questions"];
  };
  const Json given = questions({"--questions", "share(ward)", "--questions", "sex:ward weight 4",
                                "--questions", "mean(dose) by sex"});
  EXPECT_EQ(given.size(), 3U);
  EXPECT_EQ(questions({"--questions", "share(ward)", "--questions-file", "q.txt"}), given);
  EXPECT_EQ(questions({"--questions-file", "q.txt"}).size(), 2U);
  const Ended missing = command.run(plan + Arguments{"--questions-file", "none.txt"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.err.find("none.txt"), missing.err.npos) << missing.err;
}

/// A question of more weight has a smaller error, and that is the release's own.
TEST(PlanMarginals, GivesQuestionsOfMoreWeightMoreOfTheBudget) {
  const Doses command;
  const Arguments budget = {"--epsilon", "1", "--delta", "1e-6"};
  const auto errors = [&](const Arguments& asked) {
    Arguments all = Doses::kPlan + budget + Arguments{"--n", "3000"};
    for (const std::string& one : asked) all.insert(all.end(), {"--questions", one});
    std::vector<double> found;
    const Json planned = command.json(all)["answers"][0]["questions"];
    for (const Json& one : planned) found.push_back(one["standard_error"]);
    return found;
  };
  const auto plain = errors({"sex:ward", "mean(dose) by sex"});
  const auto first = errors({"sex:ward weight 4", "mean(dose) by sex"});
  const auto second = errors({"sex:ward", "mean(dose) by sex weight 4"});
  EXPECT_LT(first[0], .9 * plain[0]);
  EXPECT_GT(first[1], 1.1 * plain[1]);
  EXPECT_LT(second[1], .9 * plain[1]);
  EXPECT_GT(second[0], 1.1 * plain[0]);
  // A single column is measured again.
  EXPECT_LT(errors({"sex:ward", "mean(dose) weight 4"})[1],
            .9 * errors({"sex:ward", "mean(dose)"})[1]);
  command.refuses(
      Doses::kPlan + budget + Arguments{"--n", "3000", "--questions", "sex:ward weight four"},
      "the weight of a question must be a number from 0.01 to 100, but in \"sex:ward "
      "weight four\" is four");
}

TEST(PlanMarginals, TellsTheNoiseOfColumnsAndPairs) {
  const Doses command;
  const Json found = command.planned({"--n", "3000", "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_EQ(found["unknown"], "alpha");
  const double least = found["two_way"]["least"], most = found["two_way"]["most"];
  EXPECT_NEAR(found["alpha"].get<double>(), std::sqrt(least * most), 1e-12) << "the middle";
  EXPECT_LT(found["one_way"]["mean"], least);
  EXPECT_LT(least, most);
  EXPECT_LT(found["one_way"]["mean"], found["alpha"]);
  EXPECT_EQ(found["measured_pair"].size(), 3U);
  const double half = found["records_to_halve"];
  // A little more than twice as many, whose columns are measured again with less.
  EXPECT_GT(half, 6000);
  EXPECT_LT(half, 6500);
  const Json twice = command.planned({"--n", std::to_string(found["records_to_halve"].get<int>()),
                                      "--epsilon", "1", "--delta", "1e-6"});
  EXPECT_NEAR(twice["one_way"]["mean"], found["one_way"]["mean"].get<double>() / 2, 1e-4);
  EXPECT_LT(twice["alpha"], found["alpha"]);
  const Json added = command.planned(
      {"--n", "3000", "--epsilon", "1", "--delta", "1e-6", "--neighbours", "add-remove"});
  EXPECT_LT(added["alpha"], found["alpha"]);
  const std::string text =
      unwrapped(command.run(Doses::kPlan + Arguments{"--n", "3000", "--rho", "0.1"}).out);
  EXPECT_THAT(text, HasSubstr("records would halve the noise"));
  const Json same = command.planned({"--n", "3000", "--rho", "0.1"});
  const std::string words = same["condition"];
  EXPECT_THAT(text, HasSubstr(words));
  EXPECT_THAT(words, HasSubstr(kHeld));
  EXPECT_THAT(words,
              HasSubstr(fmt::format("to be {:.3g} to {:.3g} in total variation from the table's",
                                    same["two_way"]["least"].get<double>(),
                                    same["two_way"]["most"].get<double>())));
  EXPECT_THAT(text, HasSubstr(fmt::format("in 4x4 groups is measured from {} records on",
                                          same["first_dependence"].get<std::uint64_t>())));
  EXPECT_THAT(text, HasSubstr("; the other pairs are as the model guesses them"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("right but for")));
  EXPECT_THAT(command.run(Doses::kPlan + Arguments{"--n", "30", "--epsilon", "0.1"}).out,
              HasSubstr("WARNING: the release cannot be told apart from public noise"));
}

/// Case 2 of the cases about limits: single columns of two values are 0.25 from equal shares.
TEST(PlanMarginals, PrintsWhatDecidesARefusal) {
  const Doses command;
  std::string domain = "columns:\n";
  for (int i = 0; i < 20; ++i) domain += fmt::format("  b{}: {{type: boolean, null: false}}\n", i);
  command.files.write("bits.yaml", domain);
  const std::string words =
      "the average noise of single columns is 0.283 in total variation, and the limit is 0.238 "
      "(0.95 of 0.25, the average distance of columns from equal shares)";
  const Ended planned = command.run({"plan", "@marginals", "--domain", "bits.yaml", "--n", "60",
                                     "--epsilon", "1", "--delta", "1e-6"});
  const std::string said = std::regex_replace(planned.out, std::regex("\\s+"), " ");
  EXPECT_THAT(said, HasSubstr("at worst " + words + " noise"));
  EXPECT_THAT(said,
              HasSubstr("WARNING: the release cannot be told apart from public noise: " + words));
}

TEST(PlanMarginals, FindsRecordsAndBudget) {
  const Doses command;
  const Json records = command.planned({"--epsilon", "1", "--delta", "1e-6", "--alpha", "0.1"});
  EXPECT_EQ(records["unknown"], "n");
  EXPECT_LE(records["alpha"], 0.1);
  const int least = records["n"];
  const Json fewer =
      command.planned({"--epsilon", "1", "--delta", "1e-6", "--n", std::to_string(least - 1)});
  EXPECT_GT(fewer["alpha"], 0.1);
  const Json budgets = command.json(
      Doses::kPlan + Arguments{"--n", "3000", "--delta", "1e-6", "--alpha", "0.1"})["answers"];
  ASSERT_EQ(budgets.size(), 2U);
  const Json back = command.planned({"--n", "3000", "--delta", "1e-6", "--epsilon",
                                     std::to_string(budgets[0]["epsilon"].get<double>() * 1.001)});
  EXPECT_LE(back["alpha"], 0.1);
  EXPECT_GT(budgets[1]["rho"], 0);
  const Json curve = command.planned({"--n", "3000", "--epsilon", "1", "--curve"});
  EXPECT_EQ(curve["curve"].size(), 11U);
  EXPECT_EQ(curve["curve"][5]["alpha"], curve["alpha"]);
}

// If the number of records is protected, nothing of a release may depend on it.
TEST(PlanMarginals, SaysOfItsReleaseWhatSampleDoes) {
  const Doses command;
  const Arguments budget = {"--epsilon", "0.001"};
  const auto plan = [&](const Arguments& more) {
    return unwrapped(command.run(Doses::kPlan + budget + Arguments{"--n", "3000"} + more).out);
  };
  const auto sample = [&](const Arguments& more) {
    return command.run(
        Arguments{"sample", "--data", "t.csv", "--count", "10", "--out", "o.csv", "--explain"} +
        Doses::kFamily + budget + more);
  };
  EXPECT_THAT(plan({}), HasSubstr("; a release refuses this without --accept-error"));
  EXPECT_EQ(sample({}).status, 2);
  const Arguments hidden = {"--neighbours", "add-remove"};
  EXPECT_THAT(plan(hidden), HasSubstr("cannot be told apart from public noise"));
  EXPECT_THAT(plan(hidden), HasSubstr("; a release does not refuse this, because the number of "
                                      "records is protected"));
  EXPECT_THAT(plan(hidden), Not(HasSubstr("a release refuses this")));
  const Ended ended = sample(hidden);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("and cannot be told apart from public noise if it has fewer"));
}

// A unit's weight is whole, so its noise is a little less than a row's.
TEST(PlanMarginals, SaysTheNumberOfTheCertificate) {
  const Doses command;
  for (const Arguments& unit : {Arguments{}, Arguments{"--unit", "id"}}) {
    const Arguments budget = Arguments{"--epsilon", "8", "--delta", "1e-6"} + unit;
    const char* const n = unit.empty() ? "3000" : "1500";
    const Json plan = command.planned(budget + Arguments{"--n", n});
    const Json certificate = command.json(Arguments{"sample", "--data", "t.csv", "--count", "10"} +
                                          Doses::kFamily + budget)["certificate"];
    EXPECT_NEAR(plan["two_way"]["most"].get<double>(),
                certificate["accuracy"]["two_way"]["most"].get<double>(), 1e-12)
        << n;
    EXPECT_EQ(plan.contains("unit"), !unit.empty());
  }
  const std::string lost = "how the rows of one unit depend on each other is lost";
  const Arguments rows = Doses::kPlan + Arguments{"--n", "1500", "--epsilon", "1"};
  const std::string told = unwrapped(command.run(rows + Arguments{"--unit", "id"}).out);
  EXPECT_THAT(told, HasSubstr("all rows of each unit of \"id\" are protected together, and --n "
                              "counts units, not rows"));
  EXPECT_THAT(told, HasSubstr(lost));
  EXPECT_THAT(unwrapped(command.run(rows).out), Not(HasSubstr(lost)));
}

TEST(PlanMarginals, RefusesWhatCannotBe) {
  const Doses command;
  command.refuses({"plan", "marginals", "--n", "10", "--epsilon", "1"},
                  "--domain is missing: the public domain, YAML");
  command.refuses(Doses::kPlan + Arguments{"--n", "0", "--epsilon", "1"},
                  "--n must be at least 1, but is 0");
  command.refuses(
      Doses::kPlan + Arguments{"--epsilon", "1"},
      "plan finds one of --n, --epsilon or --rho and --alpha: give all but one of --n and "
      "--alpha");
  command.refuses(Doses::kPlan + Arguments{"--n", "10", "--epsilon", "1", "--strong"},
                  "--strong is for methods central and gaussian, but the method is marginals");
  command.refuses(
      {"plan", "central", "--k", "3", "--n", "10", "--rho", "1"},
      "--rho is for methods gaussian, gaussian-model and marginals, but the method is central");
}

TEST(AdviseMarginals, AdvisesOneModelForAWholeTableOfManyColumns) {
  const Doses command;
  const Arguments many = {"advise", "--purpose", "table",     "--protect",     "row",
                          "--n",    "100000",    "--columns", "50,50,50,40,30"};
  const Json found = command.json(many);
  EXPECT_EQ(found["method"], "marginals");
  EXPECT_EQ(found["mechanism"], "marginals");
  EXPECT_EQ(found["count"], 100000);
  EXPECT_EQ(found["expected_error"]["kind"], "two_way_total_variation_on_measured_tables");
  EXPECT_LE(found["expected_error"]["value"], 0.1);
  EXPECT_THAT(found["expected_error"]["words"].get<std::string>(), HasSubstr(kHeld));
  EXPECT_THAT(found["commands"].dump(), HasSubstr("mollify sample marginals"));
  // Few outcomes: independent records, and the family's error next to theirs.
  const Json few = command.json({"advise", "--purpose", "table", "--protect", "row", "--n", "3000",
                                 "--count", "10", "--columns", "3,2,8"});
  EXPECT_EQ(few["method"], "central");
  EXPECT_EQ(few["other_ways"][0]["way"], "marginals");
  EXPECT_THAT(few["other_ways"][0]["error"]["words"].get<std::string>(), HasSubstr(kHeld));
  // The advice runs.
  const Json asked = command.json({"advise", "--purpose", "table", "--protect", "row", "--n",
                                   "3000", "--method", "marginals", "--domain", "d.yaml"});
  const Json plan = command.planned({"--n", "3000", "--delta", "1e-06", "--epsilon",
                                     std::to_string(asked["epsilon"].get<double>())});
  EXPECT_EQ(asked["expected_error"]["value"], plan["alpha"]);
  command.files.write("DATA.csv", command.files.read("t.csv"));
  for (const std::size_t at : {1U, 2U}) {
    Arguments words;
    std::istringstream stream(asked["commands"][at].get<std::string>());
    for (std::string one; stream >> one;) words.push_back(one);
    words.erase(words.begin());
    const Ended ended = command.run(words);
    EXPECT_EQ(ended.status, 0) << ended.err;
  }
  EXPECT_EQ(lines_of(command.files.read("RELEASED.csv")).size(), 3001U);
  command.refuses({"advise", "--purpose", "records", "--protect", "table", "--method", "marginals",
                   "--columns", "3"},
                  "method marginals protects row, but --protect is table; leave one of them out");
}

TEST(CompareMarginals, ShowsASimulatedReleaseBesideTheTruth) {
  const Doses command;
  const Arguments compare =
      Arguments{"compare", "--data", "t.csv"} + Doses::kFamily + Arguments{"--delta", "1e-6"};
  const Json found = command.json(compare + Arguments{"--epsilon", "3"});
  EXPECT_EQ(found["records"], 3000);
  EXPECT_EQ(found["simulated_records"], 3000);
  const Json planned = command.planned({"--n", "3000", "--epsilon", "3", "--delta", "1e-6"});
  const Json& ward = found["columns"][0];
  EXPECT_NEAR(ward["shares"]["truth"][0], 1.0 / 3, 1e-12);
  EXPECT_NEAR(ward["shares"]["released"][0], 1.0 / 3, 0.05);
  EXPECT_EQ(ward["shares"]["independent"], ward["shares"]["truth"]);
  EXPECT_GT(found["pairs"]["independent"]["worst_tv"], 0.5);
  EXPECT_LT(found["pairs"]["released"]["worst_tv"], 0.1);
  EXPECT_EQ(found["pairs"]["independent"]["worst"], "ward, dose");
  const Json units = command.json(
      compare + Arguments{"--epsilon", "3", "--unit", "id", "--neighbours", "add-remove"});
  EXPECT_EQ(units["records"], 1500);
  const Ended text = command.run(compare + Arguments{"--epsilon", "3"});
  EXPECT_THAT(text.out, HasSubstr("NOT PRIVATE"));
  EXPECT_EQ(found["expected_noise"]["two_way"], planned["two_way"]);
  EXPECT_THAT(text.out, HasSubstr("\nbefore the data: " + planned["condition"].get<std::string>()));
  const Json several = command.json(compare + Arguments{"--epsilon", "0.1,10"});
  ASSERT_EQ(several["compared"].size(), 2U);
  EXPECT_GT(several["compared"][0]["tv"], several["compared"][1]["tv"]);
}

}  // namespace
}  // namespace mollify::test
