// `mollify advise`: from a question to a release.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "release/advice.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Json advised(const CommandLine& command, const Arguments& question) {
  const Ended ended = command.run(Arguments{"advise", "--json"} + question);
  EXPECT_EQ(ended.status, 0) << ended.err;
  return ended.status == 0 ? Json::parse(ended.out) : Json();
}

const Arguments kEach = {"--purpose", "records", "--protect", "person", "--columns", "3,4"};

TEST(Advise, GivesEachPersonsRecordFromABand) {
  const CommandLine command;
  const Json found = advised(command, kEach);
  EXPECT_EQ(found["method"], "local");
  EXPECT_EQ(found["mechanism"], "minimax");
  EXPECT_EQ(found["k"], 12);
  EXPECT_EQ(found["count"], 1);
  EXPECT_EQ(found["delta"], 0);
  const std::vector<double> epsilons = {0.5, 1, 2, 4, 8};
  ASSERT_EQ(found["budgets"].size(), epsilons.size());
  for (std::size_t i = 0; i < epsilons.size(); ++i) {
    EXPECT_EQ(found["budgets"][i]["epsilon"], epsilons[i]);
    EXPECT_NEAR(found["budgets"][i]["error"], 11 / (std::exp(epsilons[i]) + 11), 1e-12);
  }
  // 11/(e^4 + 11) = .168 is too much, 11/(e^8 + 11) = .0037 is not.
  EXPECT_EQ(found["epsilon"], 8);
  EXPECT_EQ(advised(command, kEach + Arguments{"--alpha", "0.2"})["epsilon"], 4);
  for (const char* part : {"method", "mechanism", "epsilon", "delta", "count"}) {
    EXPECT_FALSE(found["reasons"][part].get<std::string>().empty()) << part;
  }
  EXPECT_THAT(found["expected_error"]["words"].get<std::string>(),
              HasSubstr("except 1 time in 272"));
}

/// The least epsilon at which plan's standard errors are as small as asked.
TEST(Advise, FindsTheLeastEpsilonForQuestions) {
  const Release command;
  command.files.write("asked.yaml",
                      "columns:\n"
                      "  happy: {type: categorical, values: [not, pretty, very], null: not}\n"
                      "  sex: {type: boolean, null: false}\n"
                      "  age: {type: integer, min: 18, max: 89, bins: 8, null: 18}\n");
  const std::vector<std::string> texts = {"share(happy = very) by sex",
                                          "mean(age) by happy weight 3", "happy = very ~ sex + age",
                                          "quantile(age, .5)"};
  const Arguments table = {"--purpose", "table", "--n", "5000", "--domain", "asked.yaml"};
  const Arguments rows = table + Arguments{"--protect", "row"};
  const Arguments asked = {"--questions",          texts[0],      "--questions",
                           texts[1] + " error .8", "--questions", texts[2] + " error 0.1",
                           "--questions",          texts[3]};
  const Json found = advised(command, rows + asked);
  EXPECT_EQ(found["method"], "marginals");
  EXPECT_EQ(found["expected_error"]["kind"], "greatest_standard_error_over_asked");
  EXPECT_TRUE(found["other_ways"].empty());
  const double limits[] = {.01, .8, .1, .01};
  ASSERT_EQ(found["questions"].size(), 4U);
  const double epsilon = found["epsilon"];
  const auto planned = [&](double at) {
    Arguments all = {"plan",         "marginals", "--domain", "asked.yaml",          "--n",
                     "5000",         "--json",    "--delta",  found["delta"].dump(), "--epsilon",
                     Json(at).dump()};
    for (const std::string& one : texts) all.insert(all.end(), {"--questions", one});
    const Ended ended = command.run(all);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out)["answers"][0]["questions"];
  };
  const Json here = planned(epsilon), below = planned(epsilon - (epsilon > 1 ? .1 : .01));
  double worst = 0, worst_below = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const Json& one = found["questions"][i];
    EXPECT_EQ(one["asked"], limits[i]);
    EXPECT_EQ(one["standard_error"], here[i]["standard_error"]) << i;
    if (i == 3) continue;  // a quantile has none
    worst = std::max(worst, here[i]["standard_error"].get<double>() / limits[i]);
    worst_below = std::max(worst_below, below[i]["standard_error"].get<double>() / limits[i]);
  }
  EXPECT_TRUE(found["questions"][3]["standard_error"].is_null());
  EXPECT_LE(worst, 1);
  EXPECT_GT(worst_below, 1);
  EXPECT_DOUBLE_EQ(found["expected_error"]["value"].get<double>(), worst);
  EXPECT_EQ(found["parts"]["questions"],
            Json({texts[0], texts[1], texts[2], texts[3]}));  // without errors
  const std::string sample = found["commands"][1];
  EXPECT_THAT(sample, HasSubstr("--questions 'mean(age) by happy weight 3' --questions"));
  const Ended words = command.run(Arguments{"advise"} + rows + asked);
  EXPECT_THAT(words.out, HasSubstr("\n  mean(age) by happy"));
  // One error for all; and a budget that is given.
  const Json alike = advised(
      command, rows + Arguments{"--alpha", ".5", "--epsilon", "2", "--questions", texts[1]});
  EXPECT_EQ(alike["epsilon"], 2);
  EXPECT_EQ(alike["questions"][0]["asked"], .5);
  const Ended none =
      command.run(Arguments{"advise"} + rows + Arguments{"--questions", "happy:sex error 1e-9"});
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.out, HasSubstr("none of these brings each standard error to what"));
  const auto refusal = [&](const Arguments& given) {
    const Ended ended = command.run(Arguments{"advise"} + given);
    EXPECT_EQ(ended.status, 2) << ended.out;
    return ended.err;
  };
  EXPECT_THAT(refusal(rows + Arguments{"--questions", "mean(age)"}),
              HasSubstr("\"mean(age)\" has no standard error to reach: write one after it, such as "
                        "\"mean(age) error 0.1\", or give --alpha for all questions"));
  EXPECT_THAT(refusal({"--purpose", "sample", "--protect", "row", "--n", "5000", "--count", "9",
                       "--domain", "asked.yaml", "--questions", "happy:sex"}),
              HasSubstr("--questions are of a whole table"));
  EXPECT_THAT(refusal(table + Arguments{"--protect", "table", "--questions", "happy:sex"}),
              HasSubstr("--protect is table"));
  EXPECT_THAT(refusal(table + Arguments{"--method", "gaussian-model", "--questions", "happy:sex"}),
              HasSubstr("--questions is for method marginals"));
  EXPECT_THAT(refusal({"--purpose", "table", "--protect", "row", "--n", "9", "--columns", "3,4",
                       "--questions", "happy:sex"}),
              HasSubstr("questions need the public domain"));
}

// The advised commands are run unchanged, and the release is as good as stated.
TEST(Advise, GivesCommandsThatRun) {
  const Release command;
  const auto run_all = [&](const Json& advice) {
    for (std::string line : advice["commands"]) {
      for (const auto& [word, name] :
           {std::pair{"DATA.csv", "data.csv"}, std::pair{"ROSTER.csv", "units.csv"},
            std::pair{"RELEASED.csv", "released.csv"}, std::pair{"CERTIFICATE.json", "c.json"}}) {
        if (const auto place = line.find(word); place != std::string::npos) {
          line.replace(place, std::string(word).size(), name);
        }
      }
      Arguments words;
      std::istringstream stream(line);
      for (std::string one; stream >> one;) words.push_back(one);
      words.erase(words.begin());
      if (words.front() == "sample") words.emplace_back("--overwrite");
      const Ended ended = command.run(words);
      EXPECT_EQ(ended.status, 0) << line << "\n" << ended.err << ended.out;
    }
  };
  run_all(advised(command, {"--purpose", "records", "--protect", "person", "--domain",
                            "domain.yaml", "--unit", "id"}));
  const Json persons =
      advised(command, {"--purpose", "estimates", "--protect", "person", "--domain", "domain.yaml",
                        "--unit", "id", "--n", "4", "--epsilon", "2"});
  EXPECT_THAT(persons["notes"].dump(), HasSubstr("on a device of its own, sample runs there"));
  run_all(persons);
  run_all(advised(command, {"--purpose", "records", "--protect", "table", "--domain", "domain.yaml",
                            "--epsilon", "3"}));
}

TEST(Advise, WarnsOfEstimatesThatAreNoise) {
  const CommandLine command;
  const auto warnings = [&](const std::string& epsilon) {
    return advised(command, {"--purpose", "estimates", "--protect", "person", "--columns", "30",
                             "--n", "5000", "--epsilon", epsilon})["warnings"];
  };
  const Json said = warnings("1e-5");
  ASSERT_EQ(said.size(), 1U) << said;
  EXPECT_THAT(
      said[0]["text"].get<std::string>(),
      HasSubstr("the estimate cannot be told apart from public noise: the standard error of "
                "a share of one half is 7.62e+03"));
  EXPECT_THAT(said[0]["text"].get<std::string>(), HasSubstr(" persons or --epsilon 0.5 would do"));
  EXPECT_THAT(warnings("0.2")[0]["text"].get<std::string>(),
              HasSubstr("the estimate is mostly noise: "));
  EXPECT_EQ(warnings("1").size(), 0U);
}

TEST(Advise, ComparesEstimationWithAFrequencyOracle) {
  const CommandLine command;
  const Json found = advised(command, {"--purpose", "estimates", "--protect", "person", "--columns",
                                       "30", "--n", "5000", "--epsilon", "1"});
  EXPECT_EQ(found["mechanism"], "randomized-response");
  EXPECT_EQ(found["expected_error"]["kind"], "standard_error");
  const double e = std::exp(1.0);
  const double p = e / (e + 29);
  const double q = 1 / (e + 29);
  const Json& one = found["budgets"][1];
  // A person is drawn, and then reports: a share f is reported with probability q + f(p - q).
  const auto error = [](double hit, double miss, double share) {
    const double reported = miss + share * (hit - miss);
    return std::sqrt(reported * (1 - reported) / 5000) / (hit - miss);
  };
  EXPECT_NEAR(one["error"], error(p, q, 0.5), 1e-12);
  EXPECT_NEAR(one["typical_error"], error(p, q, 1.0 / 30), 1e-12);
  // d = 8 of 30 (30/(e + 1) = 8.07).
  const double inside = 8 * e / (8 * e + 22);
  const double s = (inside * 7 + (1 - inside) * 8) / 29;
  EXPECT_NEAR(one["oracle_error"], error(inside, s, 0.5), 1e-12);
  EXPECT_THAT(found["notes"][0].get<std::string>(), HasSubstr("subset selection has variance"));
  EXPECT_THAT(found["commands"].dump(), HasSubstr("mollify estimate"));
  EXPECT_THAT(command.run({"--manual", "advise"}).out, HasSubstr("subset selection has variance"));
}

TEST(Advise, GivesATableInTheCentralModel) {
  const CommandLine command;
  const Arguments table = {"--purpose", "sample", "--protect", "row",     "--columns",
                           "16",        "--n",    "20190",     "--count", "100"};
  const Json found = advised(command, table);
  EXPECT_EQ(found["method"], "central");
  EXPECT_EQ(found["mechanism"], "subset-rr");
  EXPECT_EQ(found["delta"], 1e-7);  // a hundredth of 1/20190 is 4.95e-7
  EXPECT_EQ(found["epsilon"], 0.5);
  const Ended plan = command.run({"plan", "central", "--n", "20190", "--k", "16", "--epsilon",
                                  "0.5", "--delta", "1e-7", "--count", "100", "--json"});
  EXPECT_EQ(found["expected_error"]["value"], Json::parse(plan.out)["alpha"]);
  const Json persons = advised(command, {"--purpose", "table", "--protect", "person", "--columns",
                                         "16", "--n", "5000", "--count", "100"});
  EXPECT_EQ(persons["method"], "central");
  EXPECT_THAT(persons["commands"].dump(), HasSubstr("--unit PERSON --units ROSTER.csv"));
  ASSERT_EQ(persons["other_ways"].size(), 1U);
  EXPECT_EQ(persons["other_ways"][0]["way"], "marginals");
  EXPECT_THAT(persons["other_ways"][0]["command"].get<std::string>(),
              HasSubstr("sample marginals --data DATA.csv --domain DOMAIN.yaml --unit PERSON"));
  EXPECT_EQ(found["other_ways"].size(), 0U);
}

// Of a whole table the way is advised that needs the least budget, and all others are listed with
// their errors and commands.
TEST(Advise, WeighsTheWaysToAWholeTable) {
  const CommandLine command;
  command.files.write(
      "skewed.yaml",
      "columns:\n  a: {type: number, min: 0, max: 1000, bins: 12, spikes: [0], null: 0}\n"
      "  b: {type: integer, min: 0, max: 50, null: 0}\n"
      "  c: {type: number, min: 0, max: 10, bins: 8, null: 0}\n");
  command.files.write("numbers.yaml",
                      "columns:\n  a: {type: number, min: 0, max: 1, null: 0}\n"
                      "  b: {type: number, min: -1, max: 1, null: -1}\n");
  const Arguments table = {"--purpose", "table", "--protect", "row", "--n", "50000", "--domain"};
  const auto ways = [](const Json& found) {
    std::vector<std::string> names;
    for (const Json& other : found["other_ways"]) names.push_back(other["way"]);
    return names;
  };
  // This many independent records take more than one model does, though there are few outcomes.
  const Json skewed = advised(command, table + Arguments{"skewed.yaml"});
  EXPECT_EQ(skewed["method"], "marginals");
  EXPECT_EQ(skewed["count"], 50000);
  EXPECT_EQ(ways(skewed), (std::vector<std::string>{"central", "marginals --copula"}));
  const Json& copula = skewed["other_ways"][1];
  const Ended planned = command.run({"plan", "marginals", "--copula", "--domain", "skewed.yaml",
                                     "--n", "50000", "--delta", skewed["delta"].dump(), "--epsilon",
                                     skewed["epsilon"].dump(), "--json"});
  ASSERT_EQ(planned.status, 0) << planned.err;
  EXPECT_EQ(copula["error"]["value"], Json::parse(planned.out)["answers"][0]["alpha"]);
  EXPECT_THAT(copula["command"].get<std::string>(),
              HasSubstr("mollify sample marginals --data DATA.csv "
                        "--domain skewed.yaml --copula --epsilon "));
  EXPECT_THAT(copula["why"].get<std::string>(), HasSubstr("skewed"));
  // Of numbers that are not cut, pairs cannot be counted: one mean and covariance are left.
  const Json numbers = advised(command, table + Arguments{"numbers.yaml"});
  EXPECT_EQ(numbers["method"], "gaussian-model");
  EXPECT_EQ(numbers["expected_error"]["kind"], "expected_total_variation_of_the_model");
  EXPECT_THAT(numbers["expected_error"]["words"].get<std::string>(),
              HasSubstr("if every column's range reaches 3 to 5 of its standard"));
  EXPECT_THAT(numbers["commands"].dump(),
              HasSubstr("sample gaussian-model --data DATA.csv --domain "
                        "numbers.yaml --epsilon"));
  EXPECT_THAT(numbers["other_ways"][0]["why"].get<std::string>(),
              HasSubstr("not here: method marginals takes columns of at most"));
  // A few rows of few outcomes are best independent.
  const Json few = advised(command, {"--purpose", "table", "--protect", "row", "--n", "20000",
                                     "--columns", "3,2", "--count", "20"});
  EXPECT_EQ(few["method"], "central");
  const Ended words = command.run(Arguments{"advise"} + table + Arguments{"skewed.yaml"});
  EXPECT_THAT(words.out, HasSubstr("\nother ways to such a table, at epsilon "));
}

/// The error is greatest where columns of many values depend closely on each other: the advice says
/// what it is then, and which epsilon would do.
TEST(Advise, SaysWhatColumnsThatDependCloselyCost) {
  const CommandLine command;
  command.files.write("codes.yaml",
                      "columns:\n  a: {type: integer, min: 1, max: 40, null: 1}\n"
                      "  b: {type: integer, min: 1, max: 40, null: 1}\n"
                      "  c: {type: integer, min: 1, max: 40, null: 1}\n");
  const auto asked = [](const char* records, const char* error) {
    return Arguments{"--purpose", "table",     "--protect", "row",   "--domain", "codes.yaml",
                     "--method",  "marginals", "--n",       records, "--alpha",  error};
  };
  const Json found = advised(command, asked("300000", "0.15"));
  for (const Json& budget : found["budgets"]) {
    EXPECT_GT(budget["greater_error"], budget["error"]);
    const Ended planned =
        command.run({"plan", "marginals", "--domain", "codes.yaml", "--n", "300000", "--delta",
                     found["delta"].dump(), "--epsilon", budget["epsilon"].dump(), "--json"});
    ASSERT_EQ(planned.status, 0) << planned.err;
    EXPECT_EQ(Json::parse(planned.out)["answers"][0]["two_way"]["most"], budget["greater_error"]);
  }
  EXPECT_THAT(found["notes"].dump(),
              HasSubstr("if columns of many values depend closely on each other"));
  EXPECT_THAT(found["notes"].dump(), HasSubstr("brings that to"));
  const Json few = advised(command, asked("4000", "0.4"));
  EXPECT_THAT(few["notes"].dump(), HasSubstr("no epsilon of these brings that to 0.4"));
  const Ended words = command.run(Arguments{"advise"} + asked("300000", "0.15"));
  EXPECT_THAT(words.out, HasSubstr(" if columns depend closely "));
}

TEST(Advise, GivesGaussianSamplesThatRun) {
  const CommandLine command;
  command.files.write("d.yaml", "columns:\n  a: {type: number, min: -5, max: 5, null: -5}\n");
  command.files.write("COVARIANCE.csv", "a\n1\n");
  std::string rows = "a\n";
  for (int i = 0; i < 500; ++i) rows += std::to_string(i % 7 - 3) + "\n";
  command.files.write("DATA.csv", rows);
  const Json found =
      advised(command, {"--purpose", "sample", "--protect", "row", "--method", "gaussian", "--n",
                        "500", "--domain", "d.yaml", "--count", "5"});
  EXPECT_EQ(found["mechanism"], "gaussian");
  Arguments words;
  std::istringstream stream(found["commands"][1].get<std::string>());
  for (std::string one; stream >> one;) words.push_back(one);
  words.erase(words.begin());
  const Ended ended = command.run(words);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(lines_of(command.files.read("RELEASED.csv")).size(), 6U);
}

// A whole table is advised at a usual epsilon though no epsilon brings its error to a tenth.
TEST(Advise, GivesATableWhoseErrorIsNotReached) {
  const CommandLine command;
  command.files.write(
      "narrow.yaml",
      "columns:\n  a: {type: integer, min: 0, max: 9, null: 0}\n"
      "  b: {type: categorical, values: [x, y, z], null: x}\n  c: {type: boolean, null: false}\n"
      "  d: {type: integer, min: 0, max: 4, null: 0}\n");
  std::string wide = "columns:\n";
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    wide += std::string("  ") + name + ": {type: integer, min: 0, max: 39, null: 0}\n";
  }
  command.files.write("wide.yaml", wide);
  const Arguments persons = {"--purpose", "table", "--protect", "person", "--n", "200"};
  const Arguments rows = {"--count", "30000"};
  for (const Arguments& question :
       {Arguments{"--domain", "narrow.yaml"} + rows, Arguments{"--domain", "wide.yaml"} + rows,
        Arguments{"--domain", "wide.yaml"}}) {
    const Json found = advised(command, persons + question);
    EXPECT_EQ(found["method"], "marginals");
    EXPECT_EQ(found["advised"], true);
    EXPECT_EQ(found["epsilon"], 4);
    EXPECT_GT(found["expected_error"]["value"], 0.1);
    EXPECT_THAT(found["reasons"]["epsilon"].get<std::string>(),
                HasSubstr("none of these brings the error to 0.1; "));
    EXPECT_THAT(found["commands"].dump(), HasSubstr("mollify sample marginals"));
  }
  // An error that is named is reached, or nothing is advised.
  const Ended asked = command.run(Arguments{"advise", "--domain", "narrow.yaml", "--alpha", "0.1"} +
                                  persons + rows);
  EXPECT_EQ(asked.status, 1);
  EXPECT_THAT(asked.out, HasSubstr("To get the commands\nall the same, give --alpha 0."));
}

TEST(Advise, SaysWhatWouldDoWhereNothingServes) {
  const CommandLine command;
  const auto unserved = [&](const Arguments& question) {
    const Ended words = command.run(Arguments{"advise"} + question);
    EXPECT_EQ(words.status, 1) << words.err;
    EXPECT_THAT(words.out, HasSubstr("\nnothing to advise"));
    EXPECT_THAT(words.out, Not(HasSubstr("mollify sample --model")));
    EXPECT_THAT(words.out, Not(HasSubstr("*")));
    const Ended ended = command.run(Arguments{"advise", "--json"} + question);
    EXPECT_EQ(ended.status, 1) << ended.err;
    const Json found = Json::parse(ended.out);
    EXPECT_EQ(found["advised"], false);
    EXPECT_TRUE(found["epsilon"].is_null());
    EXPECT_EQ(found["commands"].size(), 0U);
    return found["reasons"]["epsilon"].get<std::string>();
  };
  // Half a binomial deviation is left whatever the mechanism: .5/sqrt(20) = .112.
  EXPECT_THAT(
      unserved({"--purpose", "estimates", "--protect", "person", "--columns", "1000", "--n", "20"}),
      HasSubstr("sampling alone leaves 0.11 for a share of one half, so no epsilon brings "
                "it to 0.01 with 20 persons; "));
  EXPECT_THAT(
      unserved(
          {"--purpose", "estimates", "--protect", "person", "--columns", "100000", "--n", "3000"}),
      ::testing::AllOf(HasSubstr("persons would at epsilon 8"), Not(HasSubstr("sampling"))));
  EXPECT_THAT(unserved({"--purpose", "records", "--protect", "person", "--columns", "1000000"}),
              HasSubstr("none of these brings the error to 0.1; fewer outcomes"));
  const Json wide = advised(command, {"--purpose", "records", "--protect", "person", "--columns",
                                      "1000000", "--epsilon", "1"});
  EXPECT_THAT(wide["notes"].dump(), HasSubstr("fewer outcomes"));
  const Json rows = advised(command, {"--purpose", "table", "--protect", "table", "--columns",
                                      "3,4", "--n", "1000", "--epsilon", "10", "--count", "50"});
  EXPECT_THAT(rows["notes"].dump(), HasSubstr("method integral-model"));
}

// The release then estimates with the promised error, for its largest shares too.
TEST(Advise, TellsTheErrorThatEstimatesHave) {
  const CommandLine command;
  command.files.write("d.yaml", "columns:\n  x: {type: integer, min: 1, max: 20, null: 1}\n");
  std::string rows = "id,x\n";
  for (int i = 0; i < 2000; ++i) {
    rows += std::to_string(i) + "," + std::to_string(i % 2 == 0 ? 1 : 1 + i % 20) + "\n";
  }
  command.files.write("data.csv", rows);
  const Json found = advised(command, {"--purpose", "estimates", "--n", "2000", "--domain",
                                       "d.yaml", "--unit", "id", "--alpha", "0.012"});
  ASSERT_EQ(found["epsilon"], 8);
  const Ended sampled =
      command.run({"sample", "local", "--data", "data.csv", "--domain", "d.yaml", "--unit", "id",
                   "--mechanism", "randomized-response", "--epsilon", "8", "--count", "1", "--out",
                   "r.csv", "--certificate", "c.json"});
  ASSERT_EQ(sampled.status, 0) << sampled.err;
  const Ended estimated =
      command.run({"estimate", "--released", "r.csv", "--certificate", "c.json", "--json"});
  ASSERT_EQ(estimated.status, 0) << estimated.err;
  double largest = 0;
  const Json estimate = Json::parse(estimated.out);
  for (const Json& one : estimate["estimates"]) {
    largest = std::max(largest, one["standard_error"].get<double>());
  }
  // The largest share is about .5.
  EXPECT_NEAR(largest, found["expected_error"]["value"].get<double>(), 0.001);
}

// 300 persons with 100 rows each: records of method central are at most 300, rows of a model are
// any number.
TEST(Advise, TakesAModelForMoreRowsThanPersons) {
  const CommandLine command;
  const Arguments table = {"--protect", "person", "--n", "300", "--count", "30000"};
  const Arguments columns = {"--columns", "3,2,2"};
  const Json found =
      advised(command, Arguments{"--purpose", "table", "--alpha", "0.2"} + table + columns);
  EXPECT_EQ(found["method"], "marginals");
  EXPECT_EQ(found["count"], 30000);
  EXPECT_THAT(found["commands"].dump(), HasSubstr("mollify generate"));
  EXPECT_EQ(found["other_ways"][0]["way"], "central");
  EXPECT_THAT(found["other_ways"][0]["why"].get<std::string>(),
              HasSubstr("not here: method central releases one record of each person at most, 300 "
                        "in all, but --count is 30000"));
  const Ended sample = command.run(Arguments{"advise", "--purpose", "sample"} + table + columns);
  EXPECT_EQ(sample.status, 2);
  EXPECT_THAT(sample.err, HasSubstr("--purpose table weighs methods that release any number\n"));
  // If the error is too great for every budget, the way out is named.
  const Ended wide = command.run(
      Arguments{"advise", "--purpose", "table", "--columns", "10,10,4,3", "--alpha", "0.1"} +
      table);
  EXPECT_EQ(wide.status, 1) << wide.err;
  EXPECT_THAT(wide.out, HasSubstr("\nmethod     marginals "));
  EXPECT_THAT(wide.out,
              HasSubstr("nothing to advise: no epsilon here has so small an error. To "
                        "get the commands\nall the same, give --alpha 0.14 or --epsilon\n"));
  EXPECT_EQ(advised(command,
                    Arguments{"--purpose", "table", "--columns", "10,10,4,3", "--alpha", "0.14"} +
                        table)["epsilon"],
            8);
}

// -----------------------------------------------------------------------------------------------
// The same devices day after day.

const Arguments kDevices = {"--purpose", "estimates", "--protect", "person",
                            "--columns", "2",         "--n",       "50000"};

Json way_of(const Json& found, const std::string& name) {
  for (const Json& way : found["repeated"]["ways"]) {
    if (way["way"] == name) return way;
  }
  return nullptr;
}

/// Of a share of one half, by randomized response over two values: 1/(2 tanh(epsilon/2) sqrt(n)).
double error_of_two(double epsilon, double devices) {
  return 1 / (2 * std::tanh(epsilon / 2) * std::sqrt(devices));
}

TEST(Advise, ComparesWaysToAskDayAfterDay) {
  const CommandLine command;
  const Json found =
      advised(command, kDevices + Arguments{"--days", "30", "--epsilon", "1", "--alpha", "0.02"});
  const Json& repeated = found["repeated"];
  EXPECT_EQ(repeated["days"], 30);
  EXPECT_EQ(repeated["epsilon"], 1);
  EXPECT_EQ(repeated["delta"], 1e-7);
  const struct {
    const char* name;
    std::uint64_t draws;
    double devices;
  } ways[] = {
      {"daily", 30, 50000}, {"periods", 5, 50000}, {"kept", 1, 50000}, {"rotation", 1, 1666}};
  for (const auto& [name, draws, devices] : ways) {
    const Json way = way_of(found, name);
    EXPECT_EQ(way["draws"], draws);
    EXPECT_EQ(way["devices"], devices);
    const double share = 1.0 / static_cast<double>(draws);
    EXPECT_NEAR(way["draw_epsilon"], share, 1e-12);
    EXPECT_NEAR(way["error"], error_of_two(share, devices), 1e-9);
    // Enough, and with three digits less would not be.
    const double needed = way["draw_epsilon_needed"];
    EXPECT_LE(error_of_two(needed, devices), 0.02);
    EXPECT_GT(error_of_two(needed * 0.989, devices), 0.02);
    const double total = way["epsilon_needed"];
    EXPECT_GE(total, needed * static_cast<double>(draws) * (1 - 1e-12));
    EXPECT_LE(total, needed * static_cast<double>(draws) * 1.011);
  }
}

TEST(Advise, CertifiesShuffledDays) {
  const CommandLine command;
  const Json found =
      advised(command, kDevices + Arguments{"--days", "30", "--epsilon", "1", "--alpha", "0.01"});
  const Json way = way_of(found, "shuffled");
  const auto amplified = [&](const char* flag, double value) {
    const Ended ended = command.run({"amplify", "--json", "--n", "50000", "--k", "2", "--delta",
                                     fmt::format("{}", 1e-7 / 30), flag, fmt::format("{}", value)});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out);
  };
  EXPECT_NEAR(way["draw_epsilon"], amplified("--epsilon", 1.0 / 30)["epsilon0"].get<double>(),
              1e-6);
  EXPECT_NEAR(way["error"], error_of_two(way["draw_epsilon"], 50000), 1e-9);
  const double of_day =
      amplified("--epsilon0", way["draw_epsilon_needed"])["epsilon_upper"].get<double>();
  EXPECT_GE(way["epsilon_needed"].get<double>(), 30 * of_day * (1 - 1e-6));
  EXPECT_LE(way["epsilon_needed"].get<double>(), 30 * of_day * 1.011);
}

TEST(Advise, SaysWhichWaysAreNotEnough) {
  const CommandLine command;
  // A day of 3 of 100 devices has at least the sampling error of 0.29.
  const Json found = advised(
      command, {"--purpose", "estimates", "--protect", "person", "--columns", "2", "--n", "100",
                "--days", "30", "--draws", "30", "--epsilon", "2", "--alpha", "0.1"});
  EXPECT_EQ(way_of(found, "rotation")["epsilon_needed"], nullptr);
  EXPECT_EQ(way_of(found, "periods"), nullptr);  // one a day is what the first way has
  const Json few =
      advised(command, {"--purpose", "estimates", "--protect", "person", "--columns", "2", "--n",
                        "20", "--days", "30", "--epsilon", "2", "--alpha", "0.5"});
  EXPECT_EQ(way_of(few, "rotation")["error"], nullptr);
}

TEST(Advise, RefusesDaysOfAnythingButDevices) {
  const CommandLine command;
  const auto refused = [&](const Arguments& question) {
    const Ended ended = command.run(Arguments{"advise"} + question);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(refused(kEach + Arguments{"--days", "30"}),
            "mollify: --days is for devices that answer for themselves, again and again: give "
            "--purpose estimates and --protect person, or leave --days out\n");
  EXPECT_THAT(refused(kDevices + Arguments{"--days", "30", "--count", "2"}), HasSubstr("--count"));
  EXPECT_EQ(refused(kDevices + Arguments{"--days", "30", "--draws", "31"}),
            "mollify: --draws must be at most --days, which is 30, but is 31\n");
  EXPECT_THAT(refused(kDevices + Arguments{"--draws", "3"}),
              HasSubstr("--days is missing: --draws needs it"));
}

TEST(Advise, FindsHowManyRecordsEstimatesNeed) {
  const CommandLine command;
  const Json found = advised(
      command, {"--purpose", "estimates", "--protect", "row", "--columns", "4,3", "--n", "3000"});
  EXPECT_EQ(found["count"], 3000);
  EXPECT_THAT(found["reasons"]["count"].get<std::string>(), HasSubstr("estimates better"));
  EXPECT_THAT(found["commands"].dump(), HasSubstr("mollify estimate --released"));
  // 0.5/sqrt(3000)
  EXPECT_THAT(found["notes"].dump(), HasSubstr("a share of 3000 released records has a sampling "
                                               "error as well, at most 0.0091; "));
}

TEST(Advise, NamesTheEpsilonThatIsReleased) {
  const CommandLine command;
  const Json found = advised(command, kEach + Arguments{"--epsilon", "40"});
  EXPECT_EQ(found["epsilon"], 30);
  EXPECT_THAT(found["reasons"]["epsilon"].get<std::string>(),
              ::testing::StartsWith("a draw counts epsilon 30 at most, so epsilon 30 is released "
                                    "and not the epsilon 40 asked for; "));
}

TEST(Advise, ProtectsPersonsWhereTheirColumnIsNamed) {
  const CommandLine command;
  const Arguments sample = {"--purpose", "sample",  "--columns", "16",     "--n",
                            "5912",      "--count", "300",       "--unit", "person"};
  const Json found = advised(command, sample + Arguments{"--method", "central"});
  EXPECT_EQ(found["protect"], "person");
  EXPECT_EQ(found["method"], "central");
  EXPECT_THAT(found["commands"].dump(), HasSubstr("--unit person --units ROSTER.csv"));
  EXPECT_THAT(found["notes"].dump(), HasSubstr("ROSTER.csv: one column person"));
  const auto refused = [&](const Arguments& more) {
    const Ended ended = command.run(Arguments{"advise"} + sample + more);
    EXPECT_EQ(ended.status, 2) << ended.out;
    return ended.err;
  };
  EXPECT_EQ(refused({"--protect", "row"}),
            "mollify: --unit is \"person\", but --protect row protects single rows, and a person "
            "may have many; say --protect person, or leave --unit out\n");
  EXPECT_EQ(refused({"--protect", "table"}),
            "mollify: --unit is \"person\", but --protect table protects the whole table; say "
            "--protect person, or leave --unit out\n");
}

TEST(Advise, WarnsOfALargeEpsilon) {
  const CommandLine command;
  EXPECT_THAT(unwrapped(command.run(Arguments{"advise"} + kEach).out),
              HasSubstr("WARNING: epsilon 8 reaches the error that you asked for, but changes the "
                        "odds of a guess by up to e^8 = 2981; epsilon 4 is a compromise, and the "
                        "error is for the worst possible data [large-epsilon]\n"));
  EXPECT_EQ(advised(command, kEach + Arguments{"--alpha", "0.2"})["warnings"].size(), 0U);
}

TEST(Advise, TakesWhatAGaussianReleaseTakes) {
  const CommandLine command;
  command.files.write(
      "d.yaml", "columns:\n  a: {type: number, min: 1, max: 1000000, outside: 100, null: 100}\n");
  command.files.write("c.csv", "a\n2\n");
  const Arguments gaussian = {"--purpose", "sample", "--protect",    "row",      "--method",
                              "gaussian",  "--n",    "2500",         "--domain", "d.yaml",
                              "--count",   "5",      "--covariance", "c.csv"};
  const Json found = advised(command, gaussian + Arguments{"--log", "a"});
  EXPECT_EQ(found["warnings"].size(), 0U);
  EXPECT_THAT(found["commands"][1].get<std::string>(), HasSubstr(" --log a --covariance c.csv "));
  const Json dollars = advised(command, gaussian + Arguments{"--epsilon", "4"});
  // 999999 / sqrt(2).
  EXPECT_EQ(dollars["warnings"][0]["text"],
            "the declared range of a is 7.1e+05 standard deviations of the covariance wide; is the "
            "covariance of logarithms (--log a)?");
}

TEST(Advise, ReadsAloud) {
  const CommandLine command;
  const Ended words = command.run(Arguments{"advise"} + kEach);
  ASSERT_EQ(words.status, 0) << words.err;
  const auto lines = lines_of(words.out);
  EXPECT_EQ(lines[0], "for realistic records, protecting each person, 12 outcomes");
  const Ended named = command.run(Arguments{"advise", "--unit", "who"} + kEach);
  EXPECT_EQ(lines_of(named.out)[0],
            "for realistic records, protecting each unit of who, 12 outcomes");
  for (const char* part :
       {"\nmethod ", "\nmechanism ", "\nepsilon ", "\ndelta ", "\ncount ", "\nerror ",
        "\nrun\n  mollify domain",
        "\ntotal variation at worst at each epsilon, and how often a guess is right",
        "  right of 1000\n", "\n* advised\n"}) {
    EXPECT_THAT(words.out, HasSubstr(part));
  }
  command.files.write("my domain.yaml", "columns:\n  a: {type: boolean, null: false}\n");
  const Ended table = command.run({"advise", "--purpose", "records", "--protect", "table", "--n",
                                   "300", "--domain", "my domain.yaml", "--count", "1"});
  EXPECT_EQ(lines_of(table.out)[0],
            "for realistic records, protecting the whole table of 300 rows, 2 outcomes");
  EXPECT_THAT(table.out,
              HasSubstr("\n  mollify check --data DATA.csv --domain 'my domain.yaml'\n"));
}

TEST(Advise, RefusesInOneSentence) {
  const Release command;
  const auto refused = [&](const Arguments& question) {
    const Ended ended = command.run(Arguments{"advise"} + question);
    EXPECT_EQ(ended.status, 2) << ended.out;
    EXPECT_EQ(ended.out, "");
    return ended.err;
  };
  EXPECT_EQ(refused({"--protect", "row"}),
            "mollify: --purpose is missing: " + all_names<Purpose>(" or ") + "\n");
  EXPECT_EQ(refused({"--purpose", "fun", "--protect", "row"}),
            "mollify: purpose must be " + all_names<Purpose>(" or ") + ", but is \"fun\"\n");
  EXPECT_EQ(refused({"--purpose", "records"}),
            "mollify: what to protect is missing: give --protect (" + all_names<Protected>(" or ") +
                ") or --method\n");
  EXPECT_EQ(refused({"--purpose", "sample", "--protect", "row", "--columns", "4", "--n", "9"}),
            "mollify: --count is missing: how many records to release\n");
  EXPECT_EQ(refused({"--purpose", "estimates", "--protect", "person", "--columns", "4"}),
            "mollify: --n is missing: how many persons there are\n");
  EXPECT_EQ(refused({"--purpose", "records", "--protect", "person"}),
            "mollify: the domain is missing: give --domain, or --columns with how many values "
            "each column has\n");
  EXPECT_EQ(
      refused(
          {"--purpose", "records", "--protect", "table", "--method", "local", "--columns", "4"}),
      "mollify: method local protects person, but --protect is table; leave one of them out\n");
  EXPECT_EQ(refused(kEach + Arguments{"--delta", "1e-6"}),
            "mollify: --delta is for " + kRowMethods.text() +
                ", which advise does not choose here: leave it out\n");
  EXPECT_EQ(refused(kEach + Arguments{"--epsilon", "-1"}),
            "mollify: epsilon must be finite and positive, but is -1\n");
  EXPECT_EQ(refused({"--purpose", "sample", "--protect", "row", "--columns", "4", "--n", "100",
                     "--count", "5", "--delta", "0.5"}),
            "mollify: delta must be below 1/n = 0.01 for 100 rows, but is 0.5: with a delta this "
            "large, whole records can be published unchanged. Use a smaller delta, or add "
            "--accept-large-delta to release anyway\n");
  EXPECT_THAT(advised(command, {"--purpose", "sample", "--protect", "row", "--columns", "4", "--n",
                                "100", "--count", "5", "--delta", "0.5", "--accept-large-delta"})
                  .dump(),
              HasSubstr("--accept-large-delta"));
}

}  // namespace
}  // namespace mollify::test
