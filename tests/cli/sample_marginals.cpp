// `mollify sample marginals`, from the table to the check of its
// certificate, and `mollify generate`.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sha256.h"
#include "command_line.h"

namespace mollify::test {
namespace {

/// 4000 rows of 2000 people: the ward says much of the dose, and nothing of the sex.
class Wards : public CommandLine {
 public:
  static constexpr int kRows = 4000;

  Wards() {
    files.write("domain.yaml",
                "columns:\n"
                "  ward: {type: categorical, values: [north, south, east], null: north}\n"
                "  sex: {type: categorical, values: [female, male], null: category}\n"
                "  dose: {type: number, min: 0, max: 8, bins: 8, spikes: [0], null: 0}\n");
    std::mt19937_64 random(1);
    std::string table = "id,ward,sex,dose\n";
    for (int row = 0; row < kRows; ++row) {
      const auto ward = random() % 3;
      const char* const wards[] = {"north", "south", "east"};
      const auto sex = random() % 10;
      const double dose =
          ward == 0 ? 0 : static_cast<double>(ward) + static_cast<double>(random() % 100) / 50;
      table += std::to_string(row / 2) + "," + wards[ward] + "," +
               (sex == 0  ? ""
                : sex < 5 ? "male"
                          : "female") +
               "," + std::to_string(dose) + "\n";
    }
    files.write("data.csv", table);
  }

  [[nodiscard]] Ended sample(const Arguments& options) const {
    return run(kSample + kMarginals + options);
  }
  /// Without --accept-error.
  [[nodiscard]] Ended ask(const Arguments& options) const {
    return run(Arguments{"sample", "--data", "data.csv", "--domain", "domain.yaml"} + kMarginals +
               options);
  }
  [[nodiscard]] Ended verify(const Arguments& options = {}) const {
    return run(Arguments{"verify", "--certificate", "out.csv.certificate.json", "--domain",
                         "domain.yaml"} +
               options);
  }
  [[nodiscard]] Json certificate() const {
    return Json::parse(files.read("out.csv.certificate.json"));
  }
  /// How often each pair of a ward and whether the dose is 0.
  [[nodiscard]] static std::map<std::string, int> wards_and_zeros(const std::string& csv) {
    std::map<std::string, int> counts;
    const auto lines = lines_of(csv);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::string& line = lines[i];
      const bool zero = std::stod(line.substr(line.rfind(',') + 1)) == 0;
      ++counts[line.substr(0, line.find(',')) + (zero ? " 0" : " +")];
    }
    return counts;
  }

  inline static const Arguments kMarginals = {"@marginals", "--count", "3000",
                                              "--out",      "out.csv", "--overwrite"};
};

const std::vector<Arguments> kMarginalBudgets = {
    {"--epsilon", "3"}, {"--rho", "0.5"}, {"--epsilon", "2", "--delta", "1e-6"}};

TEST(SampleMarginals, ReleasesUnderEveryNotionAndItVerifies) {
  const Wards command;
  for (const Arguments& budget : kMarginalBudgets) {
    for (const Arguments& who :
         {Arguments{}, Arguments{"--unit", "id"}, Arguments{"--neighbours", "add-remove"},
          Arguments{"--unit", "id", "--neighbours", "add-remove"}}) {
      const Ended ended = command.sample(budget + who + Arguments{"--model-out", "model.json"});
      ASSERT_EQ(ended.status, 0) << ended.err;
      const auto counts = command.wards_and_zeros(command.files.read("out.csv"));
      int rows = 0;
      for (const auto& [what, count] : counts) rows += count;
      EXPECT_EQ(rows, 3000);
      // A third each of what there is, and little of what there is not; noise is some 100 rows.
      EXPECT_NEAR(counts.at("north 0"), 1000, 250) << ended.err;
      EXPECT_NEAR(counts.at("south +"), 1000, 250);
      const Ended verified = command.verify({"--model", "model.json"});
      EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
      const Json certificate = command.certificate();
      EXPECT_EQ(certificate["mechanism"], "marginals");
      const bool hidden = who.size() >= 2 && who.back() == "add-remove";
      EXPECT_EQ(certificate["facts"].contains("records"), !hidden);
      EXPECT_EQ(certificate["accuracy"]["expected_noise"]["in"],
                hidden ? "records" : "total variation");
      EXPECT_EQ(certificate["accuracy"].contains("two_way"), !hidden);
      EXPECT_NE(ended.err.find("The noise of a measured pair of columns is expected to be "),
                std::string::npos)
          << ended.err;
      EXPECT_EQ(ended.err.find("right but for"), std::string::npos) << ended.err;
      // The model has the measurements, and the certificate its hash.
      const Json measurements = Json::parse(command.files.read("model.json"))["measurements"];
      EXPECT_EQ(certificate["measured"].size(), 1U);
      EXPECT_THAT(certificate["measured"]["model_sha256"].get<std::string>(),
                  ::testing::MatchesRegex("[0-9a-f]{64}"));
      std::set<Json> pairs;
      std::set<Json> singles;
      for (const Json& table : measurements["tables"]) {
        const Json& names = table["columns"];
        if (names.size() == 1) singles.insert(names);
        for (std::size_t j = 1; j < names.size(); ++j) {
          for (std::size_t i = 0; i < j; ++i) pairs.insert(Json{names[i], names[j]});
        }
      }
      EXPECT_FALSE(pairs.empty());
      EXPECT_EQ(measurements.contains("records"), !hidden);
      EXPECT_EQ(measurements["step"], who.empty() || who[0] != "--unit" ? 1.0 : 1.0 / 1024);
      for (const Json& pair : measurements["not_measured"]) {
        EXPECT_TRUE(pairs.insert(pair).second);
      }
      const std::size_t columns = certificate["design"]["columns"].size();
      EXPECT_EQ(pairs.size(), columns * (columns - 1) / 2);
      EXPECT_EQ(singles.size(), columns);
      if (!hidden) continue;
      Json fixed = certificate;
      fixed.erase("measured");  // drawn, so it may have any digits
      for (const char* number : {"4000", "2000"}) {
        EXPECT_EQ(fixed.dump().find(number), std::string::npos) << "n is told";
        EXPECT_EQ(ended.err.find(number), std::string::npos) << ended.err;
      }
    }
  }
}

/// Half of the doses lie below 0.1 of a range of 1000: bins of equal width would not see them.
TEST(SampleMarginals, FindsBinsPrivately) {
  const Wards command;
  command.files.write("domain.yaml",
                      "columns:\n"
                      "  ward: {type: categorical, values: [north, south, east], null: north}\n"
                      "  age: {type: integer, min: 0, max: 100000, bins: private, null: 0}\n"
                      "  dose: {type: number, min: 0, max: 1000, bins: private, spikes: [0], null: "
                      "category}\n");
  std::mt19937_64 random(2);
  std::string table = "id,ward,age,dose\n";
  for (int row = 0; row < 6000; ++row) {
    const auto place = static_cast<double>(random() % 1000 + 1) / 1000;
    const double dose = row % 4 == 0 ? 0 : row % 4 == 1 ? 300 * place : place;
    table += std::to_string(row / 2) + (row % 2 == 0 ? ",north," : ",south,") +
             std::to_string(random() % 90) + "," +
             (row % 8 == 7 ? std::string() : std::to_string(dose)) + "\n";
  }
  command.files.write("data.csv", table);
  for (const Arguments& who :
       {Arguments{}, Arguments{"--unit", "id"}, Arguments{"--neighbours", "add-remove"}}) {
    const Ended ended = command.sample(Arguments{"--epsilon", "5", "--delta", "1e-6"} + who);
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Ended verified = command.verify();
    EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
    const Json certificate = command.certificate();
    EXPECT_GT(certificate["design"]["parts"]["each_cut"], 0);
    EXPECT_EQ(certificate["design"]["columns"][1]["private_bins"], 32);
    EXPECT_EQ(certificate["design"]["columns"][2]["private_bins"], 34) << "and 0, and null";
    EXPECT_NE(certificate["design"]["why"].get<std::string>().find(
                  "bins of 2 columns found privately for 0.1 of the budget"),
              std::string::npos);
    int zeros = 0;
    int nulls = 0;
    int small = 0;
    int young = 0;
    const auto lines = lines_of(command.files.read("out.csv"));
    ASSERT_EQ(lines.size(), 3001U);
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto fields = fields_of(lines[i]);
      if (std::stoi(fields[1]) < 200) ++young;
      if (fields[2].empty()) {
        ++nulls;
      } else if (std::stod(fields[2]) == 0) {
        ++zeros;
      } else if (std::stod(fields[2]) < 2) {
        ++small;
      }
    }
    std::printf("of 3000 rows %d young, %d zeros, %d nulls, %d small\n", young, zeros, nulls,
                small);
    EXPECT_GT(young, 1500) << "equal bins would give 6 of 3000";
    EXPECT_NEAR(zeros, 750, 200);
    EXPECT_NEAR(nulls, 375, 150);
    EXPECT_GT(small, 500) << "equal bins would give 10 of 3000";
  }
  // Anyone who asks for them of another family has a number without bins.
  const Ended other = command.run(
      {"plan", "marginals", "--domain", "domain.yaml", "--n", "6000", "--epsilon", "1"});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_NE(other.out.find("found privately"), std::string::npos) << other.out;
  const Ended compared = command.run({"compare", "marginals", "--data", "data.csv", "--domain",
                                      "domain.yaml", "--epsilon", "5", "--json"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  const Ended checked = command.run({"check", "--data", "data.csv", "--domain", "domain.yaml"});
  EXPECT_EQ(checked.status, 0) << checked.out;
}

TEST(SampleMarginals, ACertificateThatIsAlteredDoesNotHold) {
  const Wards command;
  ASSERT_EQ(command.sample({"--epsilon", "1", "--delta", "1e-6"}).status, 0);
  const Json certificate = command.certificate();
  for (const auto& [place, value] :
       std::map<std::string, Json>{{"/design/amount", 10},
                                   {"/privacy/epsilon", 0.5},
                                   {"/design/unit_weight", 7},
                                   {"/spec/neighbours", "add-remove"},
                                   {"/facts/records", 3},
                                   {"/accuracy/two_way/least", 1e-6},
                                   {"/accuracy/two_way/most", 1e-6},
                                   {"/measured/words", "noise of nothing"},
                                   {"/measured/model_sha256", 3},
                                   {"/measured", 3},
                                   {"/promised/0", "Nothing can happen."}}) {
    Json altered = certificate;
    altered[Json::json_pointer(place)] = value;
    command.files.write("out.csv.certificate.json", altered.dump(2));
    const Ended verified = command.verify();
    EXPECT_TRUE(verified.status == 1 || verified.status == 2) << place << verified.out;
  }
}

/// Of pairs that a certificate lists, like those from before models held measurements.
TEST(SampleMarginals, ACertificateThatListsPairsIsForAnotherVersion) {
  const Wards command;
  ASSERT_EQ(command.sample({"--epsilon", "1", "--delta", "1e-6"}).status, 0);
  Json certificate = command.certificate();
  certificate["measured"] = {{"words", "noise of the 1 measured pair"}, {"pairs", Json::array()}};
  command.files.write("out.csv.certificate.json", certificate.dump(2));
  const Ended verified = command.verify();
  EXPECT_EQ(verified.status, 2);
  EXPECT_EQ(
      verified.err,
      "mollify: out.csv.certificate.json was made before models held their measurements, "
      "because it lists pairs at /measured/pairs: verify it with the version that wrote it\n");
}

TEST(SampleMarginals, TheCertificateNamesItsModelAndNoOther) {
  const Wards command;
  const Arguments budget = {"--epsilon", "3", "--delta", "1e-6", "--model-out", "other.json"};
  ASSERT_EQ(command.sample(budget).status, 0);
  ASSERT_EQ(
      command.sample({"--epsilon", "3", "--delta", "1e-6", "--model-out", "model.json"}).status, 0);
  const Json certificate = command.certificate();
  const auto verified = [&](const char* model) { return command.verify({"--model", model}); };
  const Ended held = verified("model.json");
  EXPECT_EQ(held.status, 0) << held.out << held.err;
  EXPECT_THAT(held.out, ::testing::HasSubstr("the model is the release's"));
  EXPECT_THAT(held.out, ::testing::Not(::testing::HasSubstr("/measured")));
  EXPECT_THAT(command.verify().out, ::testing::HasSubstr("/measured/model_sha256"));
  EXPECT_EQ(verified("other.json").status, 1) << "of another release";
  // An altered model has another hash. Even under a certificate with this hash, no release can have
  // paid for the altered counts.
  const Json model = Json::parse(command.files.read("model.json"));
  for (const auto& [place, value] :
       std::map<std::string, Json>{{"/columns/0/shares/0", 0.25},
                                   {"/measurements/tables/0/variance", 1e-3},
                                   {"/measurements/tables/3/parts", 60'000},
                                   {"/measurements/tables/3/counts/1", 0.5},
                                   {"/measurements/noise", "discrete-laplace"},
                                   {"/measurements/records", 17},
                                   {"/measurements/step", 2},
                                   {"/measurements/tables", Json::array()},
                                   {"/measurements", 3},
                                   {"/released_with", "epsilon 0.1"},
                                   {"/name", "Ada"}}) {
    Json altered = model;
    altered[Json::json_pointer(place)] = value;
    command.files.write("altered.json", altered.dump());
    EXPECT_EQ(verified("altered.json").status, 1) << place;
    if (!place.starts_with("/measurements")) continue;
    altered.erase("domain");
    Sha256 hash;
    hash.add(altered.dump());
    Json forged = certificate;
    forged["measured"]["model_sha256"] = hash.hex();
    command.files.write("out.csv.certificate.json", forged.dump(2));
    // Of other noise the error's interval would be another.
    const bool is_malformed = place == "/measurements" || place == "/measurements/noise";
    EXPECT_EQ(verified("altered.json").status, is_malformed ? 2 : 1) << place;
    command.files.write("out.csv.certificate.json", certificate.dump(2));
  }
  Json without = model;
  without.erase("measurements");
  command.files.write("altered.json", without.dump());
  EXPECT_EQ(verified("altered.json").status, 1);
  // The domain in the file is not part of the hash, which is the domain's own, as certified.
  command.files.write("altered.json", "3");
  EXPECT_EQ(verified("altered.json").status, 2) << "no model";
  Json nameless = certificate;
  nameless.erase("measured");
  command.files.write("out.csv.certificate.json", nameless.dump(2));
  EXPECT_EQ(command.verify().status, 0);
  const Ended unnamed = verified("model.json");
  EXPECT_EQ(unnamed.status, 2);
  EXPECT_EQ(unnamed.err,
            "mollify: --model is not for this certificate: the certificate names no model\n");
  EXPECT_EQ(command.run({"verify", "--k", "3", "--epsilon", "1", "--model", "model.json"}).status,
            2);
}

TEST(SampleMarginals, TheModelGivesMoreRowsAtNoCost) {
  const Wards command;
  const Arguments budget = {"--epsilon", "5", "--delta", "1e-6", "--model-out", "model.json"};
  ASSERT_EQ(command.sample(budget).status, 0);
  const Ended more = command.run({"generate", "--model", "model.json", "--count", "5000"});
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_NEAR(command.wards_and_zeros(more.out).at("north 0"), 5000 / 3, 350);
  const Ended given = command.run({"generate", "--model", "model.json", "--count", "2000",
                                   "--given", "ward=north", "--given", "sex="});
  ASSERT_EQ(given.status, 0) << given.err;
  for (const auto& line : lines_of(given.out)) {
    EXPECT_TRUE(line == "ward,sex,dose" || line.starts_with("north,,")) << line;
  }
  EXPECT_GT(command.wards_and_zeros(given.out).at("north 0"), 1500);
  const auto refused = [&](const Arguments& options) {
    const Ended ended =
        command.run(Arguments{"generate", "--model", "model.json", "--count", "5"} + options);
    EXPECT_EQ(ended.status, 2);
    return ended.err;
  };
  EXPECT_EQ(refused({"--given", "ward"}),
            "mollify: --given must be COLUMN=VALUE, but is \"ward\"\n");
  EXPECT_EQ(refused({"--given", "ward=east", "--given", "ward=south"}),
            "mollify: --given must name each column once, but names \"ward\" twice\n");
  EXPECT_EQ(refused({"--given", "town=west"}),
            "mollify: the model has no column \"town\"; it has \"ward\", \"sex\", \"dose\"\n");
  EXPECT_EQ(
      refused({"--given", "ward=west"}),
      "mollify: \"ward\" in given must be one of 3 declared values, but is \"west\"; \"ward\" has "
      "\"north\", \"south\", \"east\"\n");
  EXPECT_EQ(command.run({"generate", "--model", "domain.yaml", "--count", "5"}).status, 2);
}

class WardsOfAnyBins : public testing::TestWithParam<const char*> {};

INSTANTIATE_TEST_SUITE_P(Bins, WardsOfAnyBins, testing::Values("8", "private"),
                         [](const auto& tested) {
                           return tested.param == std::string("8") ? "Declared" : "Private";
                         });

TEST_P(WardsOfAnyBins, AreReleasedWhateverTheDataHold) {
  const Wards command;
  command.files.write(
      "domain.yaml",
      std::string("columns:\n"
                  "  ward: {type: categorical, values: [north, south, east], null: north}\n"
                  "  sex: {type: categorical, values: [female, male], null: "
                  "category}\n"
                  "  dose: {type: number, min: 0, max: 8, spikes: [0], bins: ") +
          GetParam() + ", null: 0}\n");
  command.files.write("public.csv", "ward,sex,dose\neast,,7\nnorth,male,0\n");
  const std::string good = command.files.read("data.csv");
  const std::string header = "id,ward,sex,dose\n";
  std::string bad = header;
  for (int row = 0; row < 50; ++row) bad += "\"x,,\xff,nan,1e999\n";
  for (const std::string& data : {header + "1,west,,1e400\n", bad, header + "1,north,male,3\n"}) {
    command.files.write("data.csv", data);
    for (const Arguments& who : {Arguments{}, Arguments{"--neighbours", "add-remove"},
                                 Arguments{"--unit", "id", "--reference", "public.csv"}}) {
      const Ended ended =
          command.sample(Arguments{"--epsilon", "1", "--model-out", "model.json"} + who);
      EXPECT_EQ(ended.status, 0) << ended.err;
      EXPECT_EQ(lines_of(command.files.read("out.csv")).size(), 3001U);
    }
  }
  // No row at all may be told only where their number is public.
  command.files.write("data.csv", header);
  EXPECT_EQ(command.sample({"--epsilon", "1"}).status, 2);
  EXPECT_EQ(command.sample({"--epsilon", "1", "--neighbours", "add-remove"}).status, 0);
  command.files.write("data.csv", good);
}

TEST(SampleMarginals, BeginsAtPublicRecordsThatAreNotThePrivateOnes) {
  const Wards command;
  command.files.write("public.csv", "ward,sex,dose\neast,,7\nnorth,male,0\n");
  const Ended ended = command.sample({"--epsilon", "1", "--reference", "public.csv"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(command.certificate()["spec"]["reference"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(command.verify().status, 0);
  const Ended same = command.sample({"--epsilon", "1", "--reference", "data.csv"});
  EXPECT_EQ(same.status, 2) << "the private file is no public one";
  const Ended finite = command.run(kSample + Arguments{"@central", "--epsilon", "1", "--count", "1",
                                                       "--reference", "public.csv"});
  EXPECT_EQ(finite.err, "mollify: --reference is for " +
                            kDrawMethods.with(Method::kMarginals).text() +
                            ", but the method is central\n");
}

TEST(SampleMarginals, VerifyComparesThePublicRecords) {
  const Wards command;
  command.files.write("public.csv", "ward,sex,dose\neast,,7\nnorth,male,0\n");
  command.files.write("other.csv", "ward,sex,dose\neast,,7\n");
  ASSERT_EQ(command.sample({"--epsilon", "1", "--reference", "public.csv"}).status, 0);
  const auto verify = [&](const Arguments& more) {
    return command.run(Arguments{"verify", "--certificate", "out.csv.certificate.json", "--domain",
                                 "domain.yaml"} +
                       more);
  };
  const std::string line = "the public records are those of the release   ";
  EXPECT_NE(verify({}).out.find(line + "cannot be told"), std::string::npos) << verify({}).out;
  const Ended same = verify({"--reference", "public.csv"});
  EXPECT_EQ(same.status, 0);
  EXPECT_NE(same.out.find(line + "yes"), std::string::npos) << same.out;
  const Ended other = verify({"--reference", "other.csv"});
  EXPECT_EQ(other.status, 1);
  EXPECT_NE(other.out.find(line + "NO"), std::string::npos) << other.out;
  ASSERT_EQ(command.sample({"--epsilon", "1"}).status, 0);
  EXPECT_EQ(verify({"--reference", "public.csv"}).status, 2);
}

TEST(SampleMarginals, JoinsSkewedColumnsByACopula) {
  const Wards command;
  // Logarithms of both are normal, of correlation .8; a fifth of the second column is 0.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::string table = "id,spent,saved\n";
  std::vector<double> truth;
  for (int row = 0; row < Wards::kRows; ++row) {
    const double first = normal(random);
    const double second = 0.8 * first + 0.6 * normal(random);
    truth.push_back(std::exp(first));
    table += std::to_string(row / 2) + "," + std::to_string(std::exp(first)) + "," +
             std::to_string(second < -0.84 ? 0 : std::exp(second)) + "\n";
  }
  const auto domain = [](const std::string& more) {
    return "columns:\n  spent: {type: number, min: 0, max: 100" + more +
           ", null: 0}\n  saved: {type: number, min: 0, max: 100" + more +
           (more.empty() ? "" : ", spikes: [0]") + ", null: 0}\n";
  };
  command.files.write("data.csv", table);
  command.files.write("domain.yaml", domain(", bins: private"));
  command.files.write("gaussian.yaml", domain(""));
  const auto spent_of = [&](const std::string& file) {
    std::vector<double> values;
    const auto lines = lines_of(command.files.read(file));
    for (std::size_t i = 1; i < lines.size(); ++i) values.push_back(std::stod(lines[i]));
    return values;
  };
  // Kolmogorov's distance.
  const auto distance = [&](std::vector<double> values) {
    std::sort(values.begin(), values.end());
    double most = 0;
    for (const double at : truth) {
      const auto share = [at](const std::vector<double>& sorted) {
        return static_cast<double>(std::upper_bound(sorted.begin(), sorted.end(), at) -
                                   sorted.begin()) /
               static_cast<double>(sorted.size());
      };
      most = std::max(most, std::abs(share(values) - share(truth)));
    }
    return most;
  };
  std::sort(truth.begin(), truth.end());
  const Arguments budget = {"--epsilon", "8", "--delta", "1e-6"};
  const Ended ended = command.sample(budget + Arguments{"--copula", "--model-out", "model.json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const double joined = distance(spent_of("out.csv"));
  EXPECT_EQ(command.certificate()["spec"]["copula"], true);
  EXPECT_EQ(command.certificate()["design"]["score_steps"], 64);
  EXPECT_EQ(command.verify().status, 0) << command.verify().out;
  const Ended more = command.run({"generate", "--model", "model.json", "--count", "5"});
  EXPECT_EQ(more.status, 0) << more.err;
  const Ended given =
      command.run({"generate", "--model", "model.json", "--count", "5", "--given", "saved=0"});
  EXPECT_EQ(given.err,
            "mollify: rows of a copula are drawn whole, so no value of a column can be given, but "
            "one is\n");
  const Ended shared =
      command.run({"sample", "gaussian-model", "--data", "data.csv", "--domain", "gaussian.yaml",
                   "--epsilon", "8", "--delta", "1e-6", "--count", "3000", "--out", "shared.csv"});
  ASSERT_EQ(shared.status, 0) << shared.err;
  const double gaussian = distance(spent_of("shared.csv"));
  std::printf("Kolmogorov's distance of a skewed column: copula %.3f, shared Gaussian %.3f\n",
              joined, gaussian);
  // Of 20 releases of each: .055 +- .0105, and .182 +- .0063. Both are above 6 deviations away, so
  // that a false alarm has a probability below 1e-6.
  EXPECT_LT(joined, 0.125);
  EXPECT_GT(gaussian, 0.14);
  // Whatever the data hold, and with units.
  for (const char* const data : {"id,spent,saved\n1,nan,\n", "id,spent,saved\nx,1e999,\"\n,,\n"}) {
    command.files.write("data.csv", data);
    const Ended wild =
        command.sample(budget + Arguments{"--copula", "--unit", "id", "--accept-large-delta"});
    EXPECT_EQ(wild.status, 0) << wild.err;
  }
  const Ended both = command.sample(budget + Arguments{"--copula", "--reference", "gaussian.yaml"});
  EXPECT_EQ(both.err,
            "mollify: give --copula or --reference, not both: a copula does not begin at public "
            "records\n");
}

TEST(SampleMarginals, ALedgerIsChargedForReplacing) {
  const Wards command;
  const Arguments named = {"--ledger", "ledger", "--data-set", "wards"};
  const Ended declared = command.run(Arguments{"ledger", "--declare"} + named +
                                     Arguments{"--scope", "row", "--epsilon", "10"});
  ASSERT_EQ(declared.status, 0) << declared.err;
  const Arguments charged = Arguments{"--epsilon", "1.5"} + named;
  ASSERT_EQ(command.sample(charged).status, 0);
  const Ended added = command.sample(charged + Arguments{"--neighbours", "add-remove"});
  ASSERT_EQ(added.status, 0) << added.err;
  const Ended shown = command.run({"ledger", "--ledger", "ledger", "--json"});
  EXPECT_EQ(Json::parse(shown.out)["data_sets"][0]["spent"]["epsilon"], "4.5") << shown.out;
}

// Not held against the number of records, which is protected; the words are the same for any.
TEST(SampleMarginals, SaysForHowManyADeltaIsWhereTheirNumberIsProtected) {
  const Wards command;
  const auto said = [&](const char* delta) {
    return command.sample({"--epsilon", "1", "--delta", delta, "--neighbours", "add-remove"}).err;
  };
  EXPECT_NE(said("1e-5").find("WARNING: delta 1e-5 is below a tenth of 1/n for fewer than 10000 "
                              "records only: it is not held against 1/n"),
            std::string::npos)
      << said("1e-5");
  const Ended accepted = command.sample(
      {"--epsilon", "1", "--delta", "0.3", "--neighbours", "add-remove", "--accept-large-delta"});
  EXPECT_NE(accepted.err.find("is below a tenth of 1/n for no number of records: "),
            std::string::npos)
      << accepted.err;
  EXPECT_EQ(said("1e-9").find("held against"), std::string::npos);
  // So much is too much for any number.
  EXPECT_NE(
      said("0.1").find("mollify: delta must be below 0.1, but is 0.1: with a delta this large"),
      std::string::npos)
      << said("0.1");
}

TEST(SampleMarginals, WarnsWhereRowsMayBeMostlyNoise) {
  const Wards command;
  const std::string warning = "the release is mostly noise: ";
  const Ended refused = command.ask({"--epsilon", "0.001"});
  EXPECT_EQ(refused.status, 2);
  // The number that decides, and its limit.
  const std::string deciding = "the average noise of single columns is ";
  const std::string limit = "the average distance of columns from equal shares)";
  EXPECT_NE(refused.err.find(deciding), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find(limit), std::string::npos) << refused.err;
  const Ended accepted = command.ask({"--epsilon", "0.001", "--accept-error", "--explain"});
  EXPECT_EQ(accepted.status, 0);
  EXPECT_NE(accepted.err.find(deciding), std::string::npos);
  const Ended noisy = command.ask({"--epsilon", "0.03"});
  EXPECT_EQ(noisy.status, 0);
  EXPECT_NE(noisy.err.find("WARNING: the release is mostly noise; "), std::string::npos);
  EXPECT_EQ(command.sample({"--epsilon", "5"}).err.find(warning), std::string::npos);
  // Nobody may see by it how many rows there are.
  const Ended hidden = command.sample({"--epsilon", "0.01", "--neighbours", "add-remove"});
  EXPECT_EQ(hidden.err.find(warning), std::string::npos);
}

TEST(SampleMarginals, RefusesWhatCannotBe) {
  const Wards command;
  const auto refused = [&](const Arguments& options) {
    const Ended ended = command.sample(options);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    return ended.err;
  };
  EXPECT_EQ(refused({"--epsilon", "1", "--mechanism", "product"}),
            "mollify: --mechanism is for " + kDrawMethods.with(Method::kCentral).text() +
                ", but the method is marginals\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--mean-bound", "1"}),
            "mollify: --mean-bound is for method gaussian, but the method is marginals\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--neighbours", "near"}),
            "mollify: neighbours must be replace or add-remove, but is \"near\"\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--model-out", "out.csv"}),
            "mollify: --out and --model-out must differ, but both are out.csv\n");
  command.files.write("roster.csv", "id\n1\n2\n");
  EXPECT_EQ(refused({"--epsilon", "1", "--unit", "id", "--units", "roster.csv", "--neighbours",
                     "add-remove"}),
            "mollify: --neighbours add-remove protects the number of units, and --units "
            "publishes it: leave one of them out\n");
  EXPECT_EQ(command
                .run(kSample + Arguments{"@central", "--epsilon", "1", "--count", "1",
                                         "--neighbours", "replace"})
                .err,
            "mollify: --neighbours is for method marginals, but the method is central\n");
}

TEST(SampleMarginals, ACopulaNamesNullAsTheThirdValue) {
  const Wards command;
  const auto released = [&](const std::string& null) {
    command.files.write("pair.yaml",
                        "columns:\n  smokes: {type: boolean, outside: clip, null: " + null +
                            "}\n  age: {type: integer, min: 0, max: 9, null: 0, outside: clip}\n");
    command.files.write("pair.csv", "smokes,age\ntrue,3\nfalse,4\n");
    return command.run({"sample", "marginals", "--copula", "--domain", "pair.yaml", "--data",
                        "pair.csv", "--epsilon", "1", "--count", "10", "--out", "pairs.csv",
                        "--overwrite", "--accept-error"});
  };
  const Ended refused = released("category");
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err,
            "mollify: a copula takes numbers, ordered columns and columns of two values, but "
            "\"smokes\" has 3, null among them, in no order: declare type ordinal where the "
            "values have one, or declare what a null becomes (null: VALUE), or leave out "
            "--copula\n");
  const Ended taken = released("false");
  EXPECT_EQ(taken.status, 0) << taken.err;
}

}  // namespace
}  // namespace mollify::test
