// `mollify compare` for releases of a table, and of several releases at once.
#include <cmath>
#include <cstdio>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "name_lists.h"

namespace mollify::test {
namespace {

using ::testing::HasSubstr;

/// 600 rows: a colour, a size from 0 to 9 in two cells, two persons in each three rows.
class ColouredTable : public CommandLine {
 public:
  ColouredTable() {
    files.write("d.yaml",
                "columns:\n  colour: {type: categorical, values: [red, green, blue], null: red}\n"
                "  size: {type: integer, min: 0, max: 9, bins: 2, null: 0}\n");
    std::string rows = "who,colour,size\n";
    for (int i = 0; i < 600; ++i) {
      rows += std::to_string(i / 3 * 2 + (i % 3 == 0 ? 0 : 1)) + "," +
              (i % 2 == 0 ? "red" : (i % 3 == 0 ? "green" : "blue")) + "," +
              std::to_string(i % 5 == 0 ? 7 : 1) + "\n";
    }
    files.write("t.csv", rows);
  }

  [[nodiscard]] Json json(const Arguments& arguments) const {
    const Ended ended = run(arguments + Arguments{"--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return ended.status == 0 ? Json::parse(ended.out) : Json();
  }
};

const Arguments kCompared = {"compare", "central", "--data", "t.csv", "--domain", "d.yaml"};
const Arguments kEpsilonOne = {"--epsilon", "1"};

TEST(CompareCentral, IsExactWhereRecordsAreRandomizedResponses) {
  const ColouredTable command;
  const Json found =
      command.json(kCompared + kEpsilonOne + Arguments{"--delta", "1e-6", "--count", "20"});
  EXPECT_EQ(found["simulated_records"], 0);
  EXPECT_EQ(found["records"], 600);
  const Json plan = command.json({"plan", "central", "--domain", "d.yaml", "--n", "600",
                                  "--epsilon", "1", "--delta", "1e-6", "--count", "20"});
  const double alpha = plan["alpha"];
  // A uniform record comes with probability alpha k/(k - 1).
  const double uniform = alpha * 6 / 5;
  const Json& colour = found["columns"][0];
  EXPECT_EQ(colour["levels"], Json({"red", "green", "blue"}));
  EXPECT_DOUBLE_EQ(colour["shares"]["truth"][0], 0.5);
  EXPECT_NEAR(colour["shares"]["law"][0], 0.5 * (1 - uniform) + uniform / 3, 1e-12);
  EXPECT_NEAR(found["columns"][1]["means"]["truth"], 0.8 * 2 + 0.2 * 7, 1e-12);
  EXPECT_LE(found["law"]["tv"], alpha);
  EXPECT_LE(found["pairs"]["law"]["worst_tv"], found["law"]["tv"].get<double>() + 1e-12);
  const Ended words =
      command.run(kCompared + kEpsilonOne + Arguments{"--delta", "1e-6", "--count", "20"});
  EXPECT_THAT(words.out, HasSubstr("NOT PRIVATE"));
  EXPECT_THAT(words.out, HasSubstr("the output distribution of a record is exact"));
  EXPECT_THAT(words.out, HasSubstr("\ncolour = red "));
  EXPECT_THAT(words.out, HasSubstr("\nsize = 0..4 "));
}

TEST(CompareCentral, SimulatesOtherMechanisms) {
  const ColouredTable command;
  const Json found = command.json(kCompared + kEpsilonOne +
                                  Arguments{"--mechanism", "histogram", "--count", "100"});
  const double simulated = found["simulated_records"];
  EXPECT_GE(simulated, 100);
  const double law = found["columns"][0]["shares"]["law"][0];
  std::printf("red: %g of %g simulated records\n", law, simulated);
  // 4.9 deviations of a share of 1/2, and the histogram's possible error.
  EXPECT_NEAR(law, 0.5, 4.9 * 0.5 / std::sqrt(simulated) + 0.05);
  EXPECT_EQ(
      command.run(kCompared + kEpsilonOne + Arguments{"--unit", "who", "--delta", "1e-6"}).status,
      0);
}

TEST(CompareCentral, ShowsGaussianReleases) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  a: {type: number, min: -5, max: 5, null: -5}\n"
                      "  b: {type: number, min: -5, max: 5, null: -5}\n");
  command.files.write("covariance.csv", "a,b\n1,0\n0,1\n");
  std::string rows = "a,b\n";
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  double sum = 0;
  for (int i = 0; i < 1000; ++i) {
    const double a = std::round(1000 * (1 + normal(random))) / 1000;
    sum += std::min(5.0, a);
    rows += std::to_string(a) + "," + std::to_string(normal(random)) + "\n";
  }
  command.files.write("g.csv", rows);
  const Arguments compare = {"compare",      "gaussian",       "--data",  "g.csv",
                             "--domain",     "d.yaml",         "--rho",   "1",
                             "--covariance", "covariance.csv", "--count", "50"};
  const Ended ended = command.run(compare + Arguments{"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json found = Json::parse(ended.out);
  const double simulated = found["simulated_records"];
  EXPECT_NEAR(found["truth"]["means"][0], sum / 1000, 1e-9);
  std::printf("means %s of %g simulated records\n", found["law"]["means"].dump().c_str(),
              simulated);
  EXPECT_NEAR(found["law"]["means"][0], sum / 1000, 4.9 / std::sqrt(simulated) + 0.2);
  EXPECT_NEAR(found["law"]["deviations"][0], 1, 0.15);
  const std::string words = command.run(compare).out;
  EXPECT_THAT(words, HasSubstr("\ncorrelation of a, b "));
  EXPECT_THAT(words, HasSubstr("\nthe shapes of columns agree: "));
  EXPECT_FALSE(found["distances"]["has_other_shape"]);
}

// Waiting times are exponential, loads have two peaks, and each load follows its waiting time in
// its sign alone: no Gaussian has any of it.
TEST(CompareCentral, SaysThatDataAreNotGaussian) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  wait: {type: number, min: 0, max: 400, null: 0}\n"
                      "  load: {type: number, min: -100, max: 100, null: -100}\n"
                      "  normal: {type: number, min: -100, max: 100, null: -100}\n");
  std::mt19937_64 random(5);
  std::exponential_distribution<double> wait(1 / 60.0);
  std::normal_distribution<double> normal;
  std::string rows = "wait,load,normal\n";
  for (int i = 0; i < 4000; ++i) {
    const double minutes = wait(random);
    const double peak = minutes < 60 * std::log(2) ? -50 : 50;
    rows += fmt::format("{},{},{}\n", minutes, peak + 5 * normal(random), 20 * normal(random));
  }
  command.files.write("t.csv", rows);
  command.files.write("covariance.csv", "wait,load,normal\n3600,0,0\n0,2525,0\n0,0,400\n");
  const Arguments budget = {"--data",    "t.csv", "--domain", "d.yaml",
                            "--epsilon", "8",     "--delta",  "1e-6"};
  for (const Arguments& method :
       {Arguments{"compare", "gaussian-model"},
        Arguments{"compare", "gaussian", "--covariance", "covariance.csv", "--count", "100"}}) {
    const Ended words = command.run(method + budget);
    ASSERT_EQ(words.status, 0) << words.err;
    EXPECT_THAT(words.out, HasSubstr("if the data were Gaussian, "));
    EXPECT_THAT(words.out, HasSubstr("\nthe shapes of columns differ: "));
    EXPECT_THAT(words.out, HasSubstr(" of 100 values of load are not as in the data (by chance "));
    EXPECT_THAT(words.out, HasSubstr("\nreleased records are Gaussian and the data are not: "));
    EXPECT_THAT(words.out, HasSubstr("if columns were independent, "));
    const Ended ended = command.run(method + budget + Arguments{"--json"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Json found = Json::parse(ended.out)["distances"];
    std::printf("%s\n", found.dump().c_str());
    // Half of waiting times are below 60 ln 2 = 41.6, of a Gaussian's below their mean 60; five of
    // 100 below 3.1, of a Gaussian's below 60 - 1.645 60 = -38.7. Times are as good as 2 minutes.
    const Json& of_wait = found["columns"][0]["quantiles"];
    EXPECT_NEAR(of_wait[2]["difference"], 60 - 60 * std::log(2), 5);
    EXPECT_NEAR(of_wait[2]["deviations"], 1 - std::log(2), 0.08);
    EXPECT_TRUE(found["has_other_shape"]);
    // The total variation of an exponential from its Gaussian is about .2; of two narrow peaks
    // from one wide one about .6.
    EXPECT_NEAR(found["columns"][0]["tv"], 0.22, 0.06);
    EXPECT_GT(found["columns"][1]["tv"], 0.4);
    EXPECT_LT(found["columns"][2]["tv"], 0.05);
    // Independent columns lose the dependence of the first pair whole.
    const Json& pair = found["pairs"][0];
    EXPECT_EQ(pair["columns"], (Json{"wait", "load"}));
    EXPECT_NEAR(pair["tv"]["independent"], 0.5, 0.02);
    // A covariance that is learnt keeps some of it, one that is declared as independent none.
    const bool is_learnt = method.size() == 2;
    EXPECT_EQ(pair["tv"]["law"] < 0.45, is_learnt) << pair;
    EXPECT_NEAR(pair["rank_correlation"]["truth"], 0.75, 0.05);
    EXPECT_LT(found["pairs"][1]["tv"]["independent"], 0.04) << "no column follows normal";
  }
}

TEST(CompareCentral, PutsSeveralInOneTable) {
  const ColouredTable command;
  const Arguments local = {"compare",  "local",  "--data", "t.csv",
                           "--domain", "d.yaml", "--unit", "who"};
  const Json several =
      command.json(local + Arguments{"--epsilon", "1,4", "--mechanism", "all"})["compared"];
  ASSERT_EQ(several.size(), 2 * mechanisms_in_a_table());
  const Json one = command.json(local + Arguments{"--epsilon", "4"});
  EXPECT_EQ(several[1]["mechanism"], "minimax");
  EXPECT_EQ(several[1]["tv"], one["mean_unit_tv"]["law"]);
  EXPECT_THAT(several[4]["refusal"].get<std::string>(), HasSubstr("--c1 is missing"));
  const Ended table = command.run(
      kCompared + Arguments{"--count", "300", "--epsilon", "1,2", "--mechanism", "all"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr("\nsubsampled-rr "));
  EXPECT_EQ(command.run(local + Arguments{"--epsilon", "-1", "--mechanism", "all"}).err,
            "mollify: epsilon must be finite and positive, but is -1\n");
}

TEST(CompareCentral, TellsTheRealMeanBesideThatOfTheBins) {
  const ColouredTable command;
  const Arguments compare = kCompared + kEpsilonOne + Arguments{"--delta", "1e-6"};
  const Json size = command.json(compare)["columns"][1]["without_bins"];
  // 1 and 7 in 4 : 1, in cells with the middles 2 and 7.
  EXPECT_NEAR(size["mean"], 2.2, 1e-12);
  EXPECT_NEAR(size["deviation"], 2.4, 1e-12);
  EXPECT_NEAR(size["mean_in_bins"], 3, 1e-12);
  EXPECT_TRUE(size["is_moved"]);
  const std::string words = command.run(compare).out;
  EXPECT_THAT(words, HasSubstr("\n  its real mean, without bins           2.2\n"));
  EXPECT_THAT(words, HasSubstr("\nWARNING: size: its mean 2.2 becomes 3 by the bins alone; "));
  EXPECT_THAT(words, HasSubstr("\nwithin the declared bins, a record is as good as a new row"));

  // Weighted like the truth: every person's mean counts once, rows of one or of two.
  const Json units = command.json({"compare", "local", "--data", "t.csv", "--domain", "d.yaml",
                                   "--unit", "who", "--epsilon", "4"})["columns"][1];
  double sum = 0;
  for (int i = 0; i < 600; ++i) sum += (i % 5 == 0 ? 7 : 1) * (i % 3 == 0 ? 1 : 0.5);
  EXPECT_NEAR(units["without_bins"]["mean"], sum / 400, 1e-12);
  EXPECT_NEAR(units["without_bins"]["mean_in_bins"], units["means"]["truth"], 1e-12);
}

TEST(CompareCentral, ReadsNumbersForTheRealMeanAsTheirColumnsDo) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n  a: {type: integer, min: 0, max: 99, bins: 10, null: category}\n"
                      "  b: {type: number, min: 0, max: 100, bins: 10, null: 30, outside: 50}\n"
                      "  c: {type: integer, min: 0, max: 99, null: 0}\n"
                      "  d: {type: integer, min: 0, max: 99, null: category, outside: null}\n");
  command.files.write("t.csv", "a,b,c,d\n5,5,5,5\n,,,\n250,250,250,250\nabc,abc,abc,abc\n");
  const Ended ended = command.run({"compare", "--data", "t.csv", "--domain", "d.yaml", "@marginals",
                                   "--epsilon", "1", "--delta", "1e-6", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json columns = Json::parse(ended.out)["columns"];
  EXPECT_NEAR(columns[0]["without_bins"]["mean"], (5 + 99) / 2.0, 1e-12);
  EXPECT_NEAR(columns[0]["without_bins"]["mean_in_bins"], (4.5 + 94.5) / 2, 1e-12);
  EXPECT_NEAR(columns[1]["without_bins"]["mean"], (5 + 30 + 50 + 50) / 4.0, 1e-12);
  EXPECT_NEAR(columns[2]["without_bins"]["mean"], (5 + 0 + 99 + 0) / 4.0, 1e-12);
  EXPECT_FALSE(columns[2]["without_bins"]["is_moved"]);
  EXPECT_EQ(columns[3]["without_bins"]["mean"], 5) << "all else is null";
}

TEST(CompareCentral, SaysWhereTheAccuracyOfASharedGaussianHolds) {
  const CommandLine command;
  std::string rows = "a,meals\n";
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  for (int i = 0; i < 2000; ++i) {
    rows += std::to_string(normal(random)) + "," +
            std::to_string(std::exp(3 + 2 * normal(random))) + "\n";
  }
  command.files.write("g.csv", rows);
  command.files.write("near.yaml",
                      "columns:\n  a: {type: number, min: -4, max: 4, null: -4}\n"
                      "  meals: {type: number, min: 0.01, max: 50000, outside: 20, null: 20}\n");
  command.files.write("wide.yaml",
                      "columns:\n  a: {type: number, min: -3e6, max: 3e6, null: -3e6}\n"
                      "  meals: {type: number, min: 0.01, max: 50000, outside: 20, null: 20}\n");
  const auto compare = [](const char* domain, const char* epsilon) {
    return Arguments{"compare", "gaussian-model", "--data", "g.csv",   "--domain",
                     domain,    "--epsilon",      epsilon,  "--delta", "1e-6"};
  };
  const Arguments logarithms = {"--log", "meals"};
  const Ended good = command.run(compare("near.yaml", "4") + logarithms);
  EXPECT_EQ(good.status, 0) << good.err;
  EXPECT_THAT(good.out,
              HasSubstr("\n  the range of ln meals reaches 3 to 5 standard deviations to "));
  EXPECT_THAT(good.out, ::testing::Not(HasSubstr("NOT MET")));
  EXPECT_THAT(good.out, ::testing::Not(HasSubstr("looks log-normal")));
  const Ended ended = command.run(compare("near.yaml", "4") + logarithms + Arguments{"--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json accuracy = Json::parse(ended.out)["accuracy"];
  std::printf("accuracy %s\n", accuracy.dump().c_str());
  EXPECT_TRUE(accuracy["is_met"]);
  EXPECT_LE(accuracy["total_variation"]["least"], accuracy["total_variation"]["greatest"]);
  // Errors are Gaussian, and the greatest of 40 is not four times what is expected.
  EXPECT_LE(accuracy["total_variation"]["greatest"].get<double>(),
            4 * accuracy["total_variation"]["expected"].get<double>());

  const Ended bad = command.run(compare("wide.yaml", "0.1"));
  EXPECT_EQ(bad.status, 0) << bad.err;
  EXPECT_THAT(bad.out, HasSubstr(": NOT MET\n"));
  EXPECT_THAT(bad.out, HasSubstr("here that promises nothing"));
  EXPECT_THAT(bad.out, ::testing::Not(HasSubstr("except about")));
  EXPECT_THAT(bad.out, HasSubstr("\nnote: meals looks log-normal (mean "));
  EXPECT_THAT(
      command.run({"check", "--data", "g.csv", "--domain", "near.yaml"}).out,
      HasSubstr("\nnote: of methods gaussian and gaussian-model, meals looks log-normal (mean "));
}

}  // namespace
}  // namespace mollify::test
