// `mollify sample gaussian`, from the table to the check of its
// certificate.
#include <cmath>
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

/// Two numbers of 1000 people, two rows each: weights that are N(70, 10^2), and doses whose
/// logarithms are N(2, 1), correlated by one half.
class Vitals : public CommandLine {
 public:
  static constexpr int kRows = 2000;

  Vitals() {
    files.write("domain.yaml",
                "columns:\n"
                "  weight: {type: number, min: 0, max: 200, null: 70}\n"
                "  dose: {type: number, min: 0.001, max: 1e5, outside: 7, null: 7}\n");
    files.write("covariance.csv", ",weight,dose\nweight,100,5\ndose,5,1\n");
    std::mt19937_64 generator(1);
    std::normal_distribution<double> normal;
    std::string table = "id,weight,dose\n";
    for (int row = 0; row < kRows; ++row) {
      const double first = normal(generator);
      const double second = 0.5 * first + std::sqrt(0.75) * normal(generator);
      table += std::to_string(row / 2) + "," + std::to_string(70 + 10 * first) + "," +
               std::to_string(std::exp(2 + second)) + "\n";
    }
    files.write("data.csv", table);
  }

  [[nodiscard]] Ended sample(const Arguments& options) const {
    return run(kSample + kGaussian + options);
  }

  [[nodiscard]] Ended verify(const std::string& certificate) const {
    return run({"verify", "--certificate", certificate, "--domain", "domain.yaml"});
  }

  [[nodiscard]] Json certificate() const {
    return Json::parse(files.read("out.csv.certificate.json"));
  }

  [[nodiscard]] std::string refused(const Arguments& options) const {
    const auto before = names();
    const Ended ended = sample(options);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_EQ(names(), before) << "something was left";
    return ended.err;
  }

  inline static const Arguments kGaussian = {"@gaussian", "--log",       "dose",          "--out",
                                             "out.csv",   "--overwrite", "--accept-error"};
  inline static const Arguments kCovariance = {"--covariance", "covariance.csv"};
};

const std::vector<Arguments> kBudgets = {
    {"--epsilon", "2"}, {"--rho", "0.5"}, {"--epsilon", "1", "--delta", "1e-6"}};

TEST(SampleGaussian, ReleasesUnderEveryNotionAndItVerifies) {
  const Vitals command;
  for (const Arguments& budget : kBudgets) {
    for (const Arguments& mean : {Arguments{}, Arguments{"--mean-bound", "15"}}) {
      const Ended ended =
          command.sample(budget + mean + Vitals::kCovariance + Arguments{"--count", "3"});
      ASSERT_EQ(ended.status, 0) << ended.err;
      const auto lines = lines_of(command.files.read("out.csv"));
      ASSERT_EQ(lines.size(), 4U);
      EXPECT_EQ(lines.front(), "weight,dose");
      const Json certificate = command.certificate();
      EXPECT_EQ(certificate["facts"]["records"], Vitals::kRows);
      EXPECT_EQ(certificate["spec"]["logarithms"], Json::array({"dose"}));
      EXPECT_EQ(certificate["design"]["centre"].is_null(), !mean.empty());
      EXPECT_LT(certificate["accuracy"]["total_variation"], 0.5) << ended.err;
      for (std::size_t i = 0; i < budget.size(); i += 2) {
        EXPECT_LE(certificate["privacy"][budget[i].substr(2)].get<double>(),
                  std::stod(budget[i + 1]));
      }
      const Ended checked = command.verify("out.csv.certificate.json");
      EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
      EXPECT_EQ(lines_of(checked.out).back(), "holds");
    }
  }
}

TEST(SampleGaussian, ReleasesWithABoundOnTheCovariance) {
  const Vitals command;
  for (const Arguments& budget : {kBudgets[1], kBudgets[2] + Arguments{"--mean-bound", "15"}}) {
    const Ended ended = command.sample(budget + Vitals::kCovariance +
                                       Arguments{"--covariance-bound", "2", "--count", "1"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_EQ(command.certificate()["spec"]["covariance_bound"], 2.0);
    EXPECT_GT(command.certificate()["design"]["weights"]["minus_records"], 0);
    EXPECT_EQ(command.verify("out.csv.certificate.json").status, 0);
  }
}

/// An integer written as text, or 2.
std::uint64_t stated_number(const Json& json, const char* name) {
  return json.contains(name) ? std::stoull(json[name].get<std::string>()) : 2;
}

/// A run of 2000 rows is tested with this much epsilon.
const Arguments kTested = {"--epsilon",          "50", "--delta", "1e-4", "--mean-bound", "3",
                           "--covariance-bound", "2",  "--count", "1"};

TEST(SampleGaussian, ReleasesDrawsOfTheRecordsOwnCovarianceOnceTheyAreTested) {
  const Vitals command;
  const Ended ended = command.sample(kTested + Vitals::kCovariance);
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json design = command.certificate()["design"];
  EXPECT_EQ(design["noise"], "tested-covariance");
  EXPECT_GT(stated_number(design, "threshold"), 2U);
  EXPECT_THAT(design["why"].get<std::string>(), ::testing::HasSubstr("after a private test"));
  EXPECT_EQ(command.verify("out.csv.certificate.json").status, 0);
}

TEST(SampleGaussian, LooksLikeTheData) {
  const Vitals command;
  const Ended ended = command.sample(Arguments{"--rho", "20", "--count", "100"} +
                                     Vitals::kCovariance + Arguments{"--mean-bound", "10"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  double weight = 0;
  double dose = 0;
  for (const std::string& line : lines_of(command.files.read("out.csv"))) {
    if (line == "weight,dose") continue;
    weight += std::stod(fields_of(line)[0]) / 100;
    dose += std::log(std::stod(fields_of(line)[1])) / 100;
  }
  std::printf("means of 100: weight %.3f (70, standard error 1), log dose %.3f (2, .1)\n", weight,
              dose);
  // The table's own means are within .3 and .03 of these; normal tails beyond 5 are below 1e-6.
  EXPECT_NEAR(weight, 70, 5.3);
  EXPECT_NEAR(dose, 2, 0.53);
}

TEST(SampleGaussian, CountsUnitsOnce) {
  const Vitals command;
  const Arguments options = Arguments{"--unit", "id", "--rho", "1", "--count", "2"} +
                            Vitals::kCovariance + Arguments{"--mean-bound", "10"};
  const Ended ended = command.sample(options);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(command.certificate()["facts"]["records"], 1000);
  EXPECT_EQ(command.certificate()["spec"]["unit"], "id");
  std::string roster = "id\n";
  for (int id = 500; id < 1300; ++id) roster += std::to_string(id) + "\n";
  command.files.write("units.csv", roster);
  const Ended rostered = command.sample(options + Arguments{"--units", "units.csv"});
  ASSERT_EQ(rostered.status, 0) << rostered.err;
  EXPECT_EQ(command.certificate()["facts"]["records"], 800);
}

TEST(SampleGaussian, IsTotal) {
  const Vitals command;
  for (const Arguments& budget : kBudgets) {
    const auto visible = [&] {
      const Ended ended =
          command.sample(budget + Vitals::kCovariance + Arguments{"--count", "2", "--json"});
      std::string shape;
      for (const std::string& line : lines_of(command.files.read("out.csv"))) {
        shape += std::to_string(fields_of(line).size());
        for (const std::string& field : fields_of(line)) {
          if (shape.size() > 1) {
            EXPECT_TRUE(std::isfinite(std::stod(field))) << field;
          }
        }
      }
      return std::tuple(ended.status, ended.out, ended.err, shape);
    };
    const auto clean = visible();
    EXPECT_EQ(std::get<0>(clean), 0) << std::get<2>(clean);
    for (const char* line :
         {"1,nan,nan\n", "2,inf,-inf\n", "3,1e308,1e308\n", "4,200,100000\n", "5,seventy,\n", "\n",
          "6\n", "7,70,7,7,7\n", "8,\xff\xfe,\x01\n", "9,\"70,3\n", "0,0,0\n"}) {
      std::string table = "id,weight,dose\n";
      for (int row = 0; row < Vitals::kRows; ++row) table += line;
      command.files.write("data.csv", table);
      EXPECT_EQ(visible(), clean) << line;
    }
  }
}

TEST(SampleGaussian, IsChargedWhatItPromises) {
  const Vitals command;
  const auto ledger = [&](const Arguments& more) {
    return command.run(Arguments{"ledger", "--ledger", "l.db", "--data-set", "vitals"} + more);
  };
  ASSERT_EQ(ledger({"--declare", "--scope", "row", "--rho", "1"}).status, 0);
  const Arguments release =
      Arguments{"--rho", "0.5", "--count", "2", "--ledger", "l.db", "--data-set", "vitals"} +
      Vitals::kCovariance;
  EXPECT_EQ(command.sample(release).status, 0);
  EXPECT_EQ(command.sample(release).status, 0);
  const Ended third = command.sample(release);
  EXPECT_EQ(third.status, 2) << third.err;
}

// A covariance of logarithms next to dollars: a public fact, which sample and plan report.
TEST(SampleGaussian, WarnsOfARangeOfManyDeviations) {
  const CommandLine command;
  command.files.write("d.yaml",
                      "columns:\n"
                      "  year1: {type: number, min: 0.01, max: 1e6, outside: 70, null: 1}\n"
                      "  age: {type: number, min: 1, max: 100, outside: clip, null: 1}\n");
  command.files.write("c.csv", "year1,age\n2,0\n0,90\n");
  std::string rows = "year1,age\n";
  for (int i = 0; i < 3000; ++i) {
    rows += std::to_string(1 + i % 977) + "," + std::to_string(20 + i % 60) + "\n";
  }
  command.files.write("data.csv", rows);
  const Arguments sample = {"sample",  "gaussian",     "--data",  "data.csv",  "--domain",
                            "d.yaml",  "--covariance", "c.csv",   "--epsilon", "4",
                            "--delta", "1e-6",         "--count", "2",         "--explain"};
  const std::string warning =
      "the declared range of year1 is 7.1e+05 standard deviations of the covariance wide; is the "
      "covariance of logarithms (--log year1)?";
  const Ended dollars = command.run(sample);
  EXPECT_EQ(dollars.status, 0) << dollars.err;
  EXPECT_THAT(dollars.err, ::testing::HasSubstr("WARNING: " + warning + " [wide-range]\n"));
  EXPECT_THAT(dollars.err, ::testing::Not(::testing::HasSubstr("range of age")));
  EXPECT_EQ(Json::parse(command.run(sample + Arguments{"--json"}).out)["warnings"][0]["text"],
            warning);
  EXPECT_THAT(command.run(sample + Arguments{"--log", "year1"}).err,
              ::testing::Not(::testing::HasSubstr("WARNING")));
  const Ended plan =
      command.run({"plan", "gaussian", "--domain", "d.yaml", "--covariance", "c.csv", "--epsilon",
                   "4", "--delta", "1e-6", "--n", "3000", "--count", "2"});
  EXPECT_THAT(unwrapped(plan.out), ::testing::HasSubstr("WARNING: " + warning + " [wide-range]\n"));
}

// All of it is charged, whatever the noise needs.
TEST(SampleGaussian, SaysThatAllOfTheBudgetCounts) {
  const Vitals command;
  const Ended ended = command.sample(Arguments{"--rho", "5", "--count", "1"} + Vitals::kCovariance);
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_THAT(ended.err,
              ::testing::HasSubstr("less than the budget would do, though all of it counts"));
}

TEST(SampleGaussian, RefusesInOneSentence) {
  const Vitals command;
  const Arguments rho = {"--rho", "0.5", "--count", "1"};
  const Arguments usual = rho + Vitals::kCovariance;
  EXPECT_EQ(command.refused(rho),
            "mollify: the covariance is missing: give --covariance or --covariance-bound, or use "
            "method gaussian-model, which learns it\n");
  EXPECT_EQ(command.refused(Arguments{"--count", "1"} + Vitals::kCovariance),
            "mollify: the budget is missing: give --epsilon or --rho\n");
  EXPECT_EQ(command.refused(usual + Arguments{"--epsilon", "1"}),
            "mollify: give --rho or --epsilon, not both\n");
  EXPECT_EQ(command.refused(usual + Arguments{"--mechanism", "ds-roo"}),
            "mollify: --mechanism is for " + kDrawMethods.with(Method::kCentral).text() +
                ", but the method is gaussian\n");
  EXPECT_EQ(command.refused(usual + Arguments{"--log", "weight"}),
            "mollify: column \"weight\" must have a min above 0, because 0 has no logarithm, but "
            "its min is 0: set min to the smallest value that counts, and write outside: VALUE for "
            "zeros\n");
  EXPECT_EQ(command.refused(usual + Arguments{"--log", "height"}),
            "mollify: the domain has no column \"height\", whose logarithm is asked for; it has "
            "\"weight\", \"dose\" (did you mean \"weight\"?)\n");
  EXPECT_EQ(command.refused(rho + Arguments{"--covariance", "data.csv"}),
            "mollify: the covariance must be public, but data.csv is the private file itself\n");
  EXPECT_EQ(command.refused(rho + Arguments{"--covariance", "/dev/null"}),
            "mollify: /dev/null must start with a header, but is empty\n");
  EXPECT_EQ(
      command.refused(
          {"--rho", "0.5", "--count", "5000", "--covariance-bound", "2", "--mean-bound", "3"}),
      "mollify: 2000 records are too few for rho 0.5 and 5000 outputs in 2 dimensions: at least "
      "20000 records are needed\n");
  command.files.write("singular.csv", "weight,dose\n100,10\n10,1\n");
  EXPECT_TRUE(command.refused(rho + Arguments{"--covariance", "singular.csv"})
                  .starts_with("mollify: covariance must be positive definite"));
  command.files.write("wide.csv", "weight,dose\n100,10\n");
  EXPECT_EQ(command.refused(rho + Arguments{"--covariance", "wide.csv"}),
            "mollify: wide.csv must have 2 rows like its columns, but has 1\n");
  // The sentence says what would do.
  const std::string few = command.refused(Arguments{"--epsilon", "0.001", "--count", "1"} +
                                          Vitals::kCovariance + Arguments{"--mean-bound", "3"});
  EXPECT_NE(few.find("2000"), std::string::npos) << few;
  EXPECT_NE(few.find("epsilon"), std::string::npos) << few;
  const Ended finite = command.run(
      kSample + Arguments{"@central", "--epsilon", "1", "--count", "1", "--mean-bound", "3"});
  EXPECT_EQ(finite.err,
            "mollify: --mean-bound is for method gaussian, but the method is central\n");
  command.files.write("domain.yaml", "columns:\n  id: {type: integer, min: 0, max: 9, null: 0}\n");
  EXPECT_EQ(command.refused(usual),
            "mollify: Gaussian rows need columns of type number, but column \"id\" is integer: "
            "declare it as number, leave it out of the domain, or use method marginals\n");
}

TEST(SampleGaussian, CertificateIsNotConfirmedOnceItIsTamperedWith) {
  const Vitals command;
  int change = 0;  // of which under sanitizers every third is tried
  std::vector<Arguments> asked;
  for (const Arguments& budget : kBudgets) asked.push_back(budget + Arguments{"--count", "2"});
  asked.push_back(kTested);
  for (const Arguments& options : asked) {
    ASSERT_EQ(command.sample(options + Vitals::kCovariance).status, 0);
    const Json valid = command.certificate();
    const auto caught = [&](const char* pointer, const Json& value) {
      Json changed = valid;
      changed[Json::json_pointer(pointer)] = value;
      if (changed == valid || ++change % whole_or_sanitized(1, 3) != 0) return;
      command.files.write("tried.json", changed.dump(2));
      const Ended ended = command.verify("tried.json");
      EXPECT_TRUE(ended.status == 1 || ended.status == 2) << pointer << ended.out << ended.err;
    };
    for (const char* number : {"/privacy/epsilon", "/privacy/delta", "/privacy/rho"}) {
      caught(number, 1e-9);
    }
    caught("/privacy/notion", "none");
    caught("/facts/records", 20000);
    caught("/facts/records", 0);
    caught("/spec/count", 0);
    caught("/spec/count", nullptr);
    caught("/spec/logarithms", Json::array({"weight"}));
    caught("/spec/logarithms", Json::array());
    caught("/spec/logarithms", Json::array({1, 2}));
    caught("/facts/k", 3);
    caught("/spec/covariance", nullptr);
    caught("/spec/privacy/rho", "100");
    caught("/spec/privacy/epsilon", "50");
    caught("/spec/covariance_bound", 0.5);
    caught("/spec/mean_bound", 1.0);
    caught("/facts/mean_ranges", Json::array({Json::array({1})}));
    caught("/design/lattice_radius", 1);
    caught("/design/scale/numerator", "1");
    caught("/design/variance/numerator", "1");
    caught("/design/run_records", 10);
    caught("/design/noise", "discrete-gaussian");
    caught("/design/noise", "tested-covariance");
    caught("/design/threshold", "0");
    caught("/design/threshold", std::to_string(stated_number(valid["design"], "threshold") / 2));
    caught("/design/threshold", std::to_string(stated_number(valid["design"], "threshold") * 2));
    caught("/design/weights/plus_records", 0);
    caught("/design", nullptr);
    caught("/accuracy/total_variation", 1e-9);
    caught("/spec/domain/sha256", std::string(64, '0'));
    caught("/promised", Json::array());
    caught("/not_promised", Json::array({"nothing"}));
  }
}

TEST(SampleSharedGaussian, IsComparedWithItsTable) {
  const Vitals command;
  const Arguments compare = {
      "compare",  "gaussian-model", "--log",     "dose", "--data",  "data.csv",
      "--domain", "domain.yaml",    "--epsilon", "2",    "--count", "500"};
  const Ended told = command.run(compare);
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_NE(told.out.find("all records of a release share the noise"), std::string::npos)
      << told.out;
  const Ended json = command.run(compare + Arguments{"--json"});
  EXPECT_EQ(json.status, 0) << json.err;
  EXPECT_EQ(Json::parse(json.out)["mechanism"], "shared-gaussian");
}

TEST(SampleSharedGaussian, ReleasesAnyNumberOfRowsUnderEveryNotionAndItVerifies) {
  const Vitals command;
  command.files.write("domain.yaml",
                      "columns:\n"
                      "  weight: {type: number, min: 30, max: 110, null: 70}\n"
                      "  dose: {type: number, min: 0.1, max: 700, outside: 7, null: 7}\n");
  // Half of a range has 4 deviations of a weight and 4.4 of a dose's logarithm.
  for (const Arguments& budget : kBudgets) {
    const Ended ended = command.sample(budget + Arguments{"@gaussian-model", "--count", "3000"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    EXPECT_NE(ended.err.find("share that noise"), std::string::npos) << ended.err;
    EXPECT_NE(ended.err.find("How near the released records are to the data is unknown before "
                             "their holder compares"),
              std::string::npos)
        << ended.err;
    const auto lines = lines_of(command.files.read("out.csv"));
    ASSERT_EQ(lines.size(), 3001U);
    double sums[4] = {};  // of weights, their squares, log doses, and products
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const double weight = (std::stod(fields_of(lines[i])[0]) - 70) / 10;
      const double dose = std::log(std::stod(fields_of(lines[i])[1])) - 2;
      sums[0] += weight / 3000;
      sums[1] += weight * weight / 3000;
      sums[2] += dose / 3000;
      sums[3] += weight * dose / 3000;
    }
    const Json certificate = command.certificate();
    std::printf("%s: means %.3f %.3f (0), square %.3f (1), product %.3f (.5); stated errors %s\n",
                budget[1].c_str(), sums[0], sums[2], sums[1], sums[3],
                certificate["accuracy"].dump().c_str());
    // The stated errors are narrower columns'.
    const double of_means = certificate["accuracy"]["mean_error"];
    const double of_covariances = certificate["accuracy"]["covariance_error"];
    // Five deviations of normal noise, ten of Laplace noise, with the table's own sampling and 3000
    // draws: beyond these with probability below 1e-6.
    const double times = budget.size() == 2 && budget[0] == "--epsilon" ? 10 : 5;
    EXPECT_NEAR(sums[0], 0, 0.15 + times * of_means);
    EXPECT_NEAR(sums[2], 0, 0.15 + times * of_means);
    EXPECT_NEAR(sums[1], 1, 0.2 + times * of_covariances);
    EXPECT_NEAR(sums[3], 0.5, 0.2 + times * of_covariances);
    EXPECT_EQ(certificate["mechanism"], "shared-gaussian");
    EXPECT_EQ(certificate["spec"]["method"], "gaussian-model");
    for (std::size_t i = 0; i < budget.size(); i += 2) {
      EXPECT_LE(certificate["privacy"][budget[i].substr(2)].get<double>(),
                std::stod(budget[i + 1]));
    }
    const Ended checked = command.verify("out.csv.certificate.json");
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_EQ(lines_of(checked.out).back(), "holds");
    for (const char* place : {"/facts/records", "/design/lattice_radius", "/design/offset"}) {
      Json changed = certificate;
      changed[Json::json_pointer(place)] = 1000;
      command.files.write("tried.json", changed.dump(2));
      EXPECT_NE(command.verify("tried.json").status, 0) << place;
    }
  }
}

TEST(SampleSharedGaussian, IsTotal) {
  const Vitals command;
  for (const Arguments& budget : kBudgets) {
    for (const Arguments& who : {Arguments{}, Arguments{"--unit", "id"}}) {
      const auto visible = [&] {
        const Ended ended =
            command.sample(budget + who + Arguments{"@gaussian-model", "--count", "20", "--json"});
        std::string shape;
        for (const std::string& line : lines_of(command.files.read("out.csv"))) {
          shape += std::to_string(fields_of(line).size());
          for (const std::string& field : fields_of(line)) {
            if (shape.size() > 1) {
              EXPECT_TRUE(std::isfinite(std::stod(field))) << field;
            }
          }
        }
        return std::tuple(ended.status, ended.out, ended.err, shape);
      };
      std::string table = "id,weight,dose\n";
      for (int row = 0; row < 50; ++row) table += std::to_string(row) + ",70,8\n";
      command.files.write("data.csv", table);
      const auto clean = visible();
      EXPECT_EQ(std::get<0>(clean), 0) << std::get<2>(clean);
      for (const char* values : {"nan,nan", "inf,-inf", "1e308,1e308", "200,100000", "seventy,", "",
                                 "7,70,7,7", "\xff\xfe,\x01"}) {
        table = "id,weight,dose\n";
        for (int row = 0; row < 50; ++row) {
          table += std::to_string(row) + "," + std::string(values) + "\n";
        }
        command.files.write("data.csv", table);
        EXPECT_EQ(visible(), clean) << values;
      }
    }
  }
}

TEST(SampleSharedGaussian, RefusesWhatItLearnsItself) {
  const Vitals command;
  const Arguments shared = {"@gaussian-model", "--rho", "0.5", "--count", "1"};
  EXPECT_EQ(command.refused(shared + Vitals::kCovariance),
            "mollify: --covariance is for method gaussian, but the method is gaussian-model\n");
  EXPECT_EQ(command.refused(shared + Arguments{"--mean-bound", "3"}),
            "mollify: --mean-bound is for method gaussian, but the method is gaussian-model\n");
}

}  // namespace
}  // namespace mollify::test
