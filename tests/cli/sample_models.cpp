// `mollify sample integral --method integral-model`: one public model, and rows of it.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

constexpr std::size_t kColumns = 8;
constexpr std::size_t kLevels = 3;

using PairShares = std::map<std::pair<std::size_t, std::size_t>, std::array<double, 9>>;

/// How often each pair of columns has each pair of values.
PairShares pair_shares(const std::string& csv) {
  PairShares shares;
  const auto lines = lines_of(csv);
  const double one = 1 / static_cast<double>(lines.size() - 1);
  for (std::size_t row = 1; row < lines.size(); ++row) {
    const auto fields = fields_of(lines[row]);
    for (std::size_t i = 0; i < kColumns; ++i) {
      for (std::size_t j = i + 1; j < kColumns; ++j) {
        const std::size_t cell = kLevels * std::stoul(fields[i]) + std::stoul(fields[j]);
        shares[{i, j}].at(cell) += one;
      }
    }
  }
  return shares;
}

double mean_pair_distance(const PairShares& a, const PairShares& b) {
  double sum = 0;
  for (const auto& [pair, cells] : a) {
    for (std::size_t cell = 0; cell < 9; ++cell) {
      sum += std::abs(cells[cell] - b.at(pair)[cell]) / 2 / static_cast<double>(a.size());
    }
  }
  return sum;
}

/// 2000 rows of eight columns of three values, of which the first is the most frequent by far.
class EightColumns : public CommandLine {
 public:
  EightColumns() {
    std::string domain = "columns:\n";
    std::string table;
    for (std::size_t i = 0; i < kColumns; ++i) {
      domain += "  c" + std::to_string(i) + ": {type: integer, min: 0, max: 2, null: 0}\n";
      table += (i == 0 ? "c" : ",c") + std::to_string(i);
    }
    table += "\n";
    files.write("domain.yaml", domain);
    header = table;
    std::mt19937_64 random(3);
    for (int row = 0; row < 2000; ++row) {
      const bool ill = random() % 10 == 0;
      for (std::size_t i = 0; i < kColumns; ++i) {
        const auto place = random() % 20;
        const int value = ill ? 2 : place < 16 ? 0 : place < 19 ? 1 : 2;
        table += (i == 0 ? "" : ",") + std::to_string(value);
      }
      table += "\n";
    }
    files.write("data.csv", table);
  }

  [[nodiscard]] Ended sample(const Arguments& options) const {
    return run(kSample + kModels + options);
  }
  [[nodiscard]] Ended verify(const std::string& certificate) const {
    return run({"verify", "--certificate", certificate, "--domain", "domain.yaml"});
  }
  [[nodiscard]] Json certificate() const {
    return Json::parse(files.read("out.csv.certificate.json"));
  }

  std::string header;
  inline static const Arguments kModels = {"@integral-model", "--candidates", "2000",
                                           "--out",           "out.csv",      "--overwrite"};
};

TEST(SampleModels, ReleasesRowsOfOneModelForTheBudgetOfOneDraw) {
  const EightColumns command;
  for (const Arguments& band : {Arguments{}, Arguments{"--band", "location=0.1"}}) {
    for (const char* count : {"1", "3000"}) {
      const Ended ended = command.sample(
          band + Arguments{"--epsilon", "10", "--count", count, "--model-out", "model.json"});
      ASSERT_EQ(ended.status, 0) << ended.err;
      EXPECT_EQ(lines_of(command.files.read("out.csv")).size(), std::stoul(count) + 1);
      const Json certificate = command.certificate();
      EXPECT_EQ(certificate["draw"], certificate["privacy"]);
      EXPECT_EQ(certificate["privacy"]["epsilon"], 10.0);
      EXPECT_EQ(certificate["facts"]["k"], 2000);
      const Ended checked = command.verify("out.csv.certificate.json");
      EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
      EXPECT_EQ(lines_of(checked.out).back(), "holds");
    }
  }
  // More rows of the model that was released.
  const PairShares first = pair_shares(command.files.read("out.csv"));
  const Ended more =
      command.run({"generate", "--model", "model.json", "--count", "3000", "--out", "more.csv"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_LT(mean_pair_distance(first, pair_shares(command.files.read("more.csv"))), 0.08);
}

/// One draw of a model is nearer to the table than the reference is, on average over 96 releases.
/// False alarms 1e-6: of 3000 releases 97 lay beyond .43, from .47 to .75, and the others between
/// .400 and .417. If as many as .0485 of all lay beyond, five deviations more, the mean of 96 of
/// them would exceed the limit with probability 2.3e-7, and at .0323 with 6.5e-10.
TEST(SampleModels, FiftyRowsOfAModelAreNearerThanTheReference) {
  const EightColumns command;
  const PairShares truth = pair_shares(command.files.read("data.csv"));
  PairShares uniform = truth;
  for (auto& [pair, cells] : uniform) cells.fill(1.0 / 9);
  // Of each release the model's own law, by many of its rows.
  double of_models = 0;
  constexpr int kReleases = 96;
  for (int i = 0; i < kReleases; ++i) {
    ASSERT_EQ(command
                  .sample({"--epsilon", "10", "--count", "50", "--band", "location=0.03",
                           "--model-out", "model.json"})
                  .status,
              0);
    ASSERT_EQ(command
                  .run({"generate", "--model", "model.json", "--count", "3000", "--out", "more.csv",
                        "--overwrite"})
                  .status,
              0);
    of_models += mean_pair_distance(truth, pair_shares(command.files.read("more.csv"))) / kReleases;
  }
  const double of_reference = mean_pair_distance(truth, uniform);
  std::printf("mean two-way distance: %d models %.3f, reference %.3f, false alarms 1e-6\n",
              kReleases, of_models, of_reference);
  EXPECT_LT(of_models, 0.95 * of_reference);
}

/// Two copies of each of four columns: no product of columns is near, but the tree of public
/// records of the same kind is.
TEST(SampleModels, TreesOfPublicRecordsAreNearerThanProducts) {
  const EightColumns command;
  std::mt19937_64 random(4);
  for (const char* name : {"data.csv", "public.csv"}) {
    std::string table = command.header;
    for (int row = 0; row < 1500; ++row) {
      for (std::size_t i = 0; i < kColumns; i += 2) {
        const std::string value = std::to_string(random() % 3);
        table += (i == 0 ? "" : ",") + value + "," + value;
      }
      table += "\n";
    }
    command.files.write(name, table);
  }
  const PairShares truth = pair_shares(command.files.read("data.csv"));
  const auto distance = [&](const Arguments& more) {
    const Ended ended = command.sample(Arguments{"--epsilon", "10", "--count", "3000", "--band",
                                                 "location=0.001", "--reference", "public.csv"} +
                                       more);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return mean_pair_distance(truth, pair_shares(command.files.read("out.csv")));
  };
  // A model that is not among the likeliest is drawn with probability 0.001.
  double products = 1;
  double trees = 1;
  for (int i = 0; i < 2; ++i) {
    products = std::min(products, distance({}));
    trees = std::min(trees, distance({"--trees"}));
    const Ended checked = command.run(
        {"verify", "--certificate", "out.csv.certificate.json", "--domain", "domain.yaml"});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
  }
  std::printf("mean two-way distance: products %.3f, trees %.3f\n", products, trees);
  EXPECT_LT(trees, products - 0.03);
  // With the public records the list of models can be told.
  const auto verify = [&](const char* reference) {
    return command.run({"verify", "--certificate", "out.csv.certificate.json", "--domain",
                        "domain.yaml", "--reference", reference});
  };
  const std::string line = "the candidates are those of the release       ";
  EXPECT_NE(verify("public.csv").out.find(line + "yes"), std::string::npos)
      << verify("public.csv").out;
  EXPECT_EQ(verify("data.csv").status, 1);
  EXPECT_NE(verify("data.csv").out.find(line + "NO"), std::string::npos) << verify("data.csv").out;
  // And compare shows what one model comes to.
  const Arguments compared = {"compare",        "integral-model", "--candidates", "500",
                              "--trees",        "--reference",    "public.csv",   "--band",
                              "location=0.001", "--epsilon",      "10",           "--data",
                              "data.csv",       "--domain",       "domain.yaml"};
  const Ended shown = command.run(compared);
  ASSERT_EQ(shown.status, 0) << shown.err;
  EXPECT_EQ(lines_of(shown.out)[0].rfind("NOT PRIVATE", 0), 0U) << shown.out;
  EXPECT_NE(shown.out.find("1500 rows; 1500 rows of one simulated release"), std::string::npos)
      << shown.out;
  const Ended json = command.run(compared + Arguments{"--json"});
  ASSERT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out)["method"], "integral-model");
}

TEST(SampleModels, IsTotal) {
  const EightColumns command;
  const auto visible = [&](const std::string& line, int rows) {
    std::string table = command.header;
    for (int row = 0; row < rows; ++row) table += line;
    command.files.write("data.csv", table);
    const Ended ended = command.sample({"--epsilon", "1", "--count", "5"});
    Json certificate = command.certificate();
    EXPECT_EQ(certificate["measured"].size(), 1U);
    certificate.erase("measured");  // the hash of the model, which is drawn
    return std::tuple(ended.status, ended.out, ended.err, certificate,
                      lines_of(command.files.read("out.csv")).size());
  };
  const auto clean = visible("0,1,2,0,1,2,0,1\n", 100);
  EXPECT_EQ(std::get<0>(clean), 0) << std::get<2>(clean);
  for (const char* line : {"9,9,9,9,9,9,9,9\n", "nan,inf,-inf,,1e308,x,\xff,\x01\n", "\n", "1\n"}) {
    EXPECT_EQ(visible(line, 30), clean) << line;
  }
  EXPECT_EQ(visible("", 0), clean) << "no rows";
}

TEST(SampleModels, CertificateIsNotConfirmedOnceItIsTamperedWith) {
  const EightColumns command;
  ASSERT_EQ(command.sample({"--epsilon", "2", "--count", "5"}).status, 0);
  const Json valid = command.certificate();
  const std::pair<const char*, Json> changes[] = {{"/privacy/epsilon", 1.0},
                                                  {"/draw/epsilon", 1.0},
                                                  {"/facts/k", 1000},
                                                  {"/facts/list_sha256", std::string(64, '0')},
                                                  {"/spec/space/candidates", 1000},
                                                  {"/spec/privacy/epsilon", "1"},
                                                  {"/design/floor", 0.5},
                                                  {"/spec/model", "local"},
                                                  {"/accuracy/best_models", 7},
                                                  {"/accuracy/best_models_probability", 1.0}};
  for (const auto& [place, value] : changes) {
    Json changed = valid;
    changed[Json::json_pointer(place)] = value;
    command.files.write("tried.json", changed.dump(2));
    EXPECT_NE(command.verify("tried.json").status, 0) << place;
  }
}

TEST(SampleModels, AreChargedAndPlannedAsOneDraw) {
  const EightColumns command;
  const auto ledger = [&](const Arguments& more) {
    return command.run(Arguments{"ledger", "--ledger", "l.db", "--data-set", "ward"} + more);
  };
  ASSERT_EQ(ledger({"--declare", "--scope", "table", "--epsilon", "5"}).status, 0);
  const Arguments release = {"--epsilon", "2",    "--count",    "500",
                             "--ledger",  "l.db", "--data-set", "ward"};
  EXPECT_EQ(command.sample(release).status, 0);
  EXPECT_EQ(command.sample(release).status, 0);
  EXPECT_EQ(command.sample(release).status, 2);
  const Ended plan = command.run({"plan", "integral-model", "--candidates", "2000", "--domain",
                                  "domain.yaml", "--epsilon", "10", "--band", "location=0.1"});
  ASSERT_EQ(plan.status, 0) << plan.err;
  EXPECT_NE(unwrapped(plan.out).find("among the 1 likeliest of 2000"), std::string::npos)
      << plan.out;
  // A plan of several budgets prints the rank too, and no worst case.
  const Ended plans = command.run({"plan", "integral-model", "--candidates", "2000", "--domain",
                                   "domain.yaml", "--epsilon", "1,10"});
  ASSERT_EQ(plans.status, 0) << plans.err;
  EXPECT_EQ(plans.out.find("worst case"), std::string::npos) << plans.out;
  EXPECT_EQ(plans.out.find("worst-case"), std::string::npos) << plans.out;
  EXPECT_NE(plans.out.find("the released model's rank by likelihood, at most"), std::string::npos)
      << plans.out;
}

TEST(SampleModels, RefuseInOneSentence) {
  const EightColumns command;
  const auto refused = [&](const Arguments& options) {
    const Ended ended =
        command.run(kSample + Arguments{"--epsilon", "1", "--count", "1"} + options);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(
      refused({"@integral-model", "--unit", "id"}),
      "mollify: --unit is for " + kUnitMethods.text() +
          ", but the method is integral-model, which protects the whole table: leave it out\n");
  EXPECT_EQ(refused({"@integral-model", "--band", "typical"}),
            "mollify: method integral-model takes a band that is named or at a location, but it is "
            "typical\n");
  EXPECT_EQ(refused({"@integral-model", "--candidates", "0"}),
            "mollify: the number of models must be from 1 to 16777216, but is 0\n");
  EXPECT_EQ(
      refused({"@integral-model", "--score", "kernel"}),
      "mollify: --score is for methods local and integral, but the method is integral-model\n");
  EXPECT_EQ(refused({"@integral", "--trees"}),
            "mollify: --trees is for method integral-model, but the method is integral\n");
}

}  // namespace
}  // namespace mollify::test
