// `mollify sample central`, from the table to the check of its certificate.
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "command_line.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

/// Three outcomes, and a table of 2000 rows of 500 people.
class Clinic : public CommandLine {
 public:
  Clinic() {
    files.write("domain.yaml",
                "columns:\n  state: {type: categorical, values: [a, b, c], null: a}\n");
    std::string table = "id,state\n";
    for (int row = 0; row < 2000; ++row) {
      table += std::to_string(row / 4) + (row % 10 < 7 ? ",a\n" : row % 10 < 9 ? ",b\n" : ",c\n");
    }
    files.write("data.csv", table);
  }

  [[nodiscard]] Ended sample(const Arguments& options) const {
    return run(kSample +
               Arguments{"@central", "--out", "out.csv", "--overwrite", "--accept-error"} +
               options);
  }

  [[nodiscard]] Ended verify(const std::string& certificate) const {
    return run({"verify", "--certificate", certificate, "--domain", "domain.yaml"});
  }

  [[nodiscard]] std::string refused(const Arguments& options) const {
    const auto before = names();
    const Ended ended = sample(options);
    EXPECT_EQ(ended.status, 2) << ended.err;
    EXPECT_EQ(lines_of(ended.err).size(), 1U) << ended.err;
    EXPECT_EQ(names(), before) << "something was left";
    return ended.err;
  }
};

struct Tried {
  const char* mechanism;
  Arguments options;
  std::size_t rows;
};

const std::vector<Tried> kTried = {
    {"subsampled-rr", {"--epsilon", "1", "--count", "50"}, 50},
    {"reveal-or-obscure", {"--epsilon", "1", "--count", "1"}, 1},
    {"ds-roo", {"--epsilon", "1", "--count", "3"}, 3},
    {"subset-rr", {"--epsilon", "1", "--delta", "1e-6", "--count", "100"}, 100},
    {"shuffled-rr", {"--epsilon", "1", "--delta", "1e-6", "--count", "2000"}, 2000},
    {"poisson-rr", {"--epsilon", "1", "--delta", "1e-6", "--count", "100"}, 100},
    {"histogram", {"--epsilon", "1", "--count", "20"}, 20},
};

TEST(SampleCentral, ReleasesByEveryMechanismAndItVerifies) {
  const Clinic command;
  for (const Tried& tried : kTried) {
    const Ended ended = command.sample(tried.options + Arguments{"--mechanism", tried.mechanism});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const auto lines = lines_of(command.files.read("out.csv"));
    EXPECT_EQ(lines.size(), tried.rows + 1) << tried.mechanism;
    EXPECT_EQ(lines.front(), "state");
    const Json certificate = Json::parse(command.files.read("out.csv.certificate.json"));
    EXPECT_EQ(certificate["mechanism"], tried.mechanism);
    EXPECT_EQ(certificate["facts"]["records"], 2000);
    const Ended checked = command.verify("out.csv.certificate.json");
    EXPECT_EQ(checked.status, 0) << tried.mechanism << checked.out << checked.err;
    EXPECT_EQ(lines_of(checked.out).back(), "holds");
  }
}

TEST(SampleCentral, ReleasesARandomNumberAtARate) {
  const Clinic command;
  const Ended ended = command.sample({"--epsilon", "1", "--delta", "1e-6", "--rate", "0.25"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  // Binomial(2000, 1/4) is outside this range with probability below 1e-6.
  const std::size_t rows = lines_of(command.files.read("out.csv")).size() - 1;
  EXPECT_GT(rows, 400U);
  EXPECT_LT(rows, 600U);
  EXPECT_EQ(command.verify("out.csv.certificate.json").status, 0);
}

TEST(SampleCentral, ReleasesBitsUnderRho) {
  const Clinic command;
  command.files.write(
      "domain.yaml",
      "columns:\n  a: {type: boolean, null: false}\n  b: {type: boolean, null: false}\n");
  std::string table = "a,b\n";
  for (int row = 0; row < 400; ++row) table += row % 2 == 0 ? "true,false\n" : "false,true\n";
  command.files.write("data.csv", table);
  const Ended ended =
      command.sample({"--rho", "0.5", "--count", "1", "--mechanism", "product", "--json"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json privacy = Json::parse(ended.out)["certificate"]["privacy"];
  EXPECT_EQ(privacy["notion"], "concentrated");
  EXPECT_LE(privacy["rho"], 0.5);
  EXPECT_EQ(command.verify("out.csv.certificate.json").status, 0);
}

TEST(SampleCentral, CountsUnitsOnce) {
  const Clinic command;
  const Ended ended = command.sample({"--unit", "id", "--epsilon", "1", "--count", "2"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json certificate = Json::parse(command.files.read("out.csv.certificate.json"));
  EXPECT_EQ(certificate["facts"]["records"], 500);
  EXPECT_EQ(certificate["spec"]["unit"], "id");
  command.files.write("units.csv", "id\n1\n2\nnobody\n");
  const Ended rostered =
      command.sample({"--unit", "id", "--units", "units.csv", "--epsilon", "1", "--count", "2"});
  ASSERT_EQ(rostered.status, 0) << rostered.err;
  EXPECT_EQ(Json::parse(command.files.read("out.csv.certificate.json"))["facts"]["records"], 3);
}

TEST(SampleCentral, ChoosesTheLeastTotalVariation) {
  const Clinic command;
  const auto variation = [&](const Arguments& options) {
    const Ended ended = command.sample(options);
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(
               command.files.read("out.csv.certificate.json"))["accuracy"]["total_variation"]
        .get<double>();
  };
  const Arguments budget = {"--epsilon", "1", "--delta", "1e-6", "--count", "20"};
  const double best = variation(budget);
  for (const char* name : {"subsampled-rr", "ds-roo", "subset-rr", "poisson-rr", "histogram"}) {
    EXPECT_LE(best, variation(budget + Arguments{"--mechanism", name})) << name;
  }
}

/// 20 000 ages in days: five different ones, within 5000 integers of a domain of a million.
class Ages : public Clinic {
 public:
  Ages() {
    files.write("domain.yaml",
                "columns:\n  days: {type: integer, min: 0, max: 999999, bins: 1000000, null: 0}\n");
    std::string table = "days\n";
    for (int row = 0; row < 20'000; ++row) table += std::to_string(300'000 + row % 5 * 1000) + "\n";
    files.write("data.csv", table);
  }
};

// Noise, rows outside and a failed search add up to more than 1 where records are few.
TEST(SampleCentral, StatesNoErrorAboveOne) {
  const Ages command;
  std::string table = "days\n";
  for (int row = 0; row < 40; ++row) table += std::to_string(row % 5) + "\n";
  command.files.write("data.csv", table);
  const Ended ended = command.sample({"--epsilon", "0.01", "--delta", "1e-6", "--count", "1",
                                      "--support", "bounded", "--mechanism", "subsampled-rr"});
  ASSERT_EQ(ended.status, 0) << ended.err;
  const Json certificate = Json::parse(command.files.read("out.csv.certificate.json"));
  EXPECT_LE(certificate["measured"]["accuracy"]["total_variation"].get<double>(), 1);
  EXPECT_EQ(command.verify("out.csv.certificate.json").status, 0);
  const Ended plan = command.run({"plan", "central", "--domain", "domain.yaml", "--support",
                                  "bounded", "--k", "8", "--n", "40", "--epsilon", "0.01",
                                  "--delta", "1e-6", "--count", "10", "--strong", "--json"});
  const Json planned = Json::parse(plan.out);
  for (const Json& way : planned["mechanisms"]) {
    if (way.contains("alpha")) {
      EXPECT_LE(way["alpha"].get<double>(), 1) << way.dump();
    }
  }
}

TEST(SampleCentral, SpendsAPartOnTheSupport) {
  const Ages command;
  for (const char* hint : {"width=5000", "contiguous", "bounded", "heavy", "subgaussian=2000"}) {
    const Ended ended = command.sample({"--epsilon", "2", "--delta", "1e-6", "--count", "50",
                                        "--support", hint, "--mechanism", "subset-rr"});
    ASSERT_EQ(ended.status, 0) << ended.err;
    const Json certificate = Json::parse(command.files.read("out.csv.certificate.json"));
    EXPECT_EQ(certificate["spec"]["support"], hint);
    EXPECT_EQ(certificate["privacy"]["epsilon"], 2.0);
    EXPECT_LE(certificate["privacy"]["delta"], 1e-6);
    const Ended checked = command.verify("out.csv.certificate.json");
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    // The command prints the error on the support that was found, and the certificate has both.
    const Json& measured = certificate["measured"];
    const Json& support = measured["support"];
    EXPECT_LE(support["k"], 60'000);
    EXPECT_EQ(support["first"], support["at"][0]);  // the domain begins at 0
    EXPECT_EQ(support["last"], support["at"][1]);
    EXPECT_LE(support["first"], 304'000);
    EXPECT_GE(support["last"], 300'000);
    std::string said = ended.err;
    for (std::size_t at = 0; (at = said.find("\n  ")) != std::string::npos;) {
      said.replace(at, 3, " ");
    }
    EXPECT_NE(said.find(measured["words"].get<std::string>()), std::string::npos) << said;
    const Json& accuracy = measured["accuracy"];
    const auto whole = certificate["accuracy"]["total_variation"].get<double>();
    EXPECT_LT(accuracy["draw"], whole);
    if (std::string_view(hint) == "heavy") {
      EXPECT_TRUE(accuracy["total_variation"].is_null());
    } else {
      EXPECT_NEAR(accuracy["total_variation"].get<double>(),
                  accuracy["draw"].get<double>() + accuracy["outside"].get<double>() +
                      accuracy["failure"].get<double>(),
                  1e-12);
    }
    // Without the hint most of the 50 would be uniform in the domain, and two of them here.
    std::size_t near = 0;
    for (const std::string& line : lines_of(command.files.read("out.csv"))) {
      if (line == "days") continue;
      const long days = std::stol(line);
      near += static_cast<std::size_t>(days >= 275'000 && days < 330'000);
    }
    std::printf("%s: %zu of 50 near the records\n", hint, near);
    EXPECT_GE(near, 40U) << hint;
  }
}

// A certificate was altered if no release can have found its support, or if its error does not
// follow from the support.
TEST(SampleCentral, VerifyRecomputesTheSupport) {
  const Ages command;
  ASSERT_EQ(command
                .sample({"--epsilon", "2", "--delta", "1e-6", "--count", "5", "--support",
                         "width=5000", "--mechanism", "subset-rr"})
                .status,
            0);
  const Json whole = Json::parse(command.files.read("out.csv.certificate.json"));
  const auto verified = [&](const char* place, const Json& value) {
    Json altered = whole;
    altered[Json::json_pointer(place)] = value;
    command.files.write("altered.json", altered.dump());
    return command.verify("altered.json");
  };
  EXPECT_EQ(verified("/measured/words", whole["measured"]["words"]).status, 0);
  for (const auto& [place, value] :
       std::vector<std::pair<const char*, Json>>{{"/measured", nullptr},
                                                 {"/measured/words", "each record is exact"},
                                                 {"/measured/support/at", {300'000, 300'003}},
                                                 {"/measured/support/at", {300'000}},
                                                 {"/measured/support/at", {-1, 300'000}},
                                                 {"/measured/support/k", 4},
                                                 {"/measured/support/first", 1},
                                                 {"/measured/accuracy/draw", 1e-3},
                                                 {"/measured/accuracy/draw", "none"},
                                                 {"/measured/accuracy/outside", 0.5},
                                                 {"/measured/more", 1}}) {
    const Ended ended = verified(place, value);
    EXPECT_NE(ended.status, 0) << place;
    EXPECT_NE((ended.out + ended.err).find("altered.json was altered: its part /measured"),
              std::string::npos)
        << place << ended.out << ended.err;
  }
  Json without = whole;
  without.erase("measured");
  command.files.write("without.json", without.dump());
  EXPECT_EQ(command.verify("without.json").status, 0);
  // Of a release without a hint nothing is found.
  ASSERT_EQ(command.sample({"--epsilon", "2", "--delta", "1e-6", "--count", "5", "--accept-error"})
                .status,
            0);
  Json plain = Json::parse(command.files.read("out.csv.certificate.json"));
  EXPECT_FALSE(plain.contains("measured"));
  plain["measured"] = whole["measured"];
  command.files.write("plain.json", plain.dump());
  EXPECT_NE(command.verify("plain.json").status, 0);
}

// The stated error is then between cells, and a record is any integer of its cell.
TEST(SampleCentral, TellsThatFoundCellsHoldSeveralIntegers) {
  const CommandLine command;
  std::string rows = "v\n";
  for (int row = 0; row < 5'000; ++row) rows += "500003\n";
  command.files.write("t.csv", rows);
  for (const auto& [most, words] : {std::pair{"99999999", " between cells, if the hint holds"},
                                    std::pair{"9999999", ", if the hint holds"}}) {
    command.files.write(
        "d.yaml",
        fmt::format("columns:\n  v: {{type: integer, min: 0, max: {}, null: 0}}\n", most));
    const Ended ended = command.run({"sample", "central", "--data", "t.csv", "--domain", "d.yaml",
                                     "--epsilon", "2", "--delta", "1e-8", "--count", "3",
                                     "--support", "width=20", "--out", "o.csv", "--overwrite"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    std::string plain = ended.err;
    for (std::size_t at; (at = plain.find("\n  ")) != plain.npos;) plain.replace(at, 3, " ");
    EXPECT_THAT(plain, HasSubstr(std::string("in total variation") + words));
  }
}

TEST(SampleCentral, HintsAreTotal) {
  const Ages command;
  // All but which support was found, which half of the budget has paid for.
  const auto visible = [&] {
    const Ended ended = command.sample(
        {"--epsilon", "1", "--delta", "1e-6", "--count", "3", "--support", "width=10"});
    Json certificate = Json::parse(command.files.read("out.csv.certificate.json"));
    certificate.erase("measured");
    const std::size_t found = ended.err.find("greatest error of a record");
    std::string told = ended.err.substr(0, found);
    if (found != std::string::npos) told += ended.err.substr(ended.err.find("\ncertificate"));
    return std::tuple(ended.status, told, lines_of(command.files.read("out.csv")).size(),
                      certificate.dump());
  };
  const auto clean = visible();
  EXPECT_EQ(std::get<0>(clean), 0) << std::get<1>(clean);
  for (const char* line : {"x\n", "\n", "999999999999999999999\n", "-1\n", "\xff\n"}) {
    std::string table = "days\n";
    for (int row = 0; row < 20'000; ++row) table += line;
    command.files.write("data.csv", table);
    EXPECT_EQ(visible(), clean) << line;
  }
  std::string spread = "days\n";
  for (int row = 0; row < 20'000; ++row) spread += std::to_string(row * 49) + "\n";
  command.files.write("data.csv", spread);
  EXPECT_EQ(visible(), clean) << "spread out";
}

TEST(SampleCentral, RefusesHintsThatMakeNoSense) {
  const Ages command;
  const Arguments budget = {"--epsilon", "1", "--delta", "1e-6", "--count", "1"};
  const auto hint = [&](const char* text) {
    return command.refused(budget + Arguments{"--support", text});
  };
  EXPECT_EQ(hint("narrow"),
            "mollify: support must be contiguous, bounded, heavy, width=W or subgaussian=S, but is "
            "\"narrow\"\n");
  EXPECT_EQ(hint("width=0"),
            "mollify: the width of the support must be an integer from 1 to 1000000, but is 0\n");
  EXPECT_EQ(hint("subgaussian=-1"),
            "mollify: a sub-Gaussian proxy must be finite and positive, but is -1\n");
  EXPECT_EQ(command.refused({"--epsilon", "1", "--count", "1", "--support", "bounded"}),
            "mollify: --delta is missing: --support needs one above 0\n");
  EXPECT_EQ(command.refused(budget + Arguments{"--support", "bounded", "--mechanism", "product"}),
            "mollify: mechanism product is for bits, which have no support to be found\n");
  command.files.write("domain.yaml",
                      "columns:\n  days: {type: categorical, values: [a, b], null: a}\n");
  EXPECT_EQ(
      hint("bounded"),
      "mollify: a hint of the support needs a domain of one integer column, without edges, whose "
      "nulls have a value, but domain.yaml is another\n");
}

TEST(SampleCentral, IsChargedBeforeItIsDrawn) {
  const Clinic command;
  const auto ledger = [&](const Arguments& more) {
    return command.run(Arguments{"ledger", "--ledger", "l.db", "--data-set", "clinic"} + more);
  };
  ASSERT_EQ(ledger({"--declare", "--scope", "row", "--epsilon", "1", "--delta", "1e-6"}).status, 0);
  const Arguments release = {"--epsilon", "0.5",      "--delta", "5e-7",       "--count",
                             "10",        "--ledger", "l.db",    "--data-set", "clinic"};
  EXPECT_EQ(command.sample(release).status, 0);
  EXPECT_EQ(command.sample(release).status, 0);
  const Ended third = command.sample(release);
  EXPECT_EQ(third.status, 2) << third.err;
}

TEST(SampleCentral, RefusesInOneSentence) {
  const Clinic command;
  const Arguments one = {"--epsilon", "1", "--count", "1"};
  EXPECT_EQ(command.refused({"--count", "1"}),
            "mollify: the budget is missing: give --epsilon or --rho\n");
  EXPECT_EQ(command.refused({"--epsilon", "1"}),
            "mollify: --count is missing: how many records to release\n");
  EXPECT_EQ(command.refused({"--epsilon", "0", "--count", "1"}),
            "mollify: epsilon must be finite and positive, but is 0\n");
  EXPECT_EQ(command.refused(one + Arguments{"--delta", "1"}),
            "mollify: delta must be at least 0 and below 1, but is 1\n");
  EXPECT_EQ(command.refused(one + Arguments{"--rho", "1"}),
            "mollify: give --rho or --epsilon, not both\n");
  EXPECT_EQ(command.refused({"--epsilon", "1e-7", "--count", "1"}),
            "mollify: epsilon of one draw must be at least 1e-6, but is 1e-7\n");
  EXPECT_EQ(command.refused({"--epsilon", "1", "--count", "1000000000000"}),
            "mollify: count must be from 1 to 100000000, but is 1000000000000\n");
  EXPECT_EQ(command.refused({"--rho", "1", "--count", "1"}),
            "mollify: --rho works with --mechanism product, and with methods gaussian, "
            "gaussian-model and marginals; otherwise give --epsilon, with --delta or without\n");
  EXPECT_EQ(command.refused(one + Arguments{"--c2", "2"}),
            "mollify: --c2 is for " + kDrawMethods.text() + ", but the method is central\n");
  EXPECT_EQ(command.refused(one + Arguments{"--rate", "0.1"}),
            "mollify: give --rate or --count, not both: a rate releases as many records as come\n");
  EXPECT_EQ(command.refused(one + Arguments{"--units", "data.csv"}),
            "mollify: --unit is missing: --units needs it\n");
  EXPECT_TRUE(command.refused(one + Arguments{"--mechanism", "minimax"})
                  .starts_with("mollify: mechanism must be auto, subsampled-rr,"));
  EXPECT_TRUE(command.refused({"--epsilon", "1", "--count", "2001"}).find("2000") !=
              std::string::npos);
  EXPECT_EQ(
      command.refused(one + Arguments{"--mechanism", "subset-rr"}),
      "mollify: --delta is missing: mechanism subset-rr needs one above 0; subsampled-rr needs "
      "none\n");
  command.files.write("data.csv", "id,state\n");
  EXPECT_EQ(command.refused(one),
            "mollify: method central needs at least one row, but data.csv has none\n");
  const Ended local = command.run(
      kSample + Arguments{"@integral", "--delta", "0.1", "--epsilon", "1", "--count", "1"});
  EXPECT_EQ(local.err,
            "mollify: --delta is for " + kRowMethods.text() +
                ", but the method is integral, whose guarantee never fails: leave it out\n");
}

TEST(SampleCentral, CertificateIsNotConfirmedOnceItIsTamperedWith) {
  const Clinic command;
  int change = 0;  // of which under sanitizers every third is tried
  for (const Tried& tried : kTried) {
    ASSERT_EQ(command.sample(tried.options + Arguments{"--mechanism", tried.mechanism}).status, 0);
    const Json valid = Json::parse(command.files.read("out.csv.certificate.json"));
    const auto caught = [&](const char* pointer, const Json& value) {
      Json changed = valid;
      changed[Json::json_pointer(pointer)] = value;
      if (changed == valid || ++change % whole_or_sanitized(1, 3) != 0) return;
      command.files.write("tried.json", changed.dump(2));
      const Ended ended = command.verify("tried.json");
      EXPECT_TRUE(ended.status == 1 || ended.status == 2)
          << tried.mechanism << " " << pointer << ended.out << ended.err;
      // A denial names one of its lines.
      if (ended.status == 1) {
        EXPECT_THAT(ended.out, testing::ContainsRegex(" NO\n|looked at"))
            << tried.mechanism << " " << pointer;
      }
    };
    caught("/privacy/epsilon", 0.5);
    caught("/privacy/delta", -1);
    caught("/privacy/delta", 1e-9);
    caught("/privacy/notion", "concentrated");
    caught("/facts/records", 20000);
    caught("/facts/records", 0);
    caught("/spec/count", 0);
    caught("/spec/count", nullptr);
    caught("/spec/count", 1999);
    caught("/mechanism", "shuffled-rr");
    caught("/spec/mechanism", "shuffled-rr");
    caught("/spec/mechanism", "none");
    caught("/spec/privacy/epsilon", "0.5");
    caught("/facts/units", 3);
    caught("/design/epsilon0", nullptr);
    caught("/design/rate", 0.9);
    caught("/design/runs", 0);
    caught("/accuracy/total_variation", 1e-9);
    caught("/accuracy/independent", "yes");
    caught("/facts/k", 4);
    caught("/spec/domain/sha256", std::string(64, '0'));
    caught("/promised", Json::array());
    caught("/design/hint", Json{{"notion", "approximate"}, {"epsilon", 0.1}, {"delta", 1e-9}});
    caught("/spec/support", "bounded");
    caught("/design/epsilon0", 29.0);
  }
}

TEST(SampleCentral, ReleasesFromCountsWhatItReleasesFromRecords) {
  const Clinic command;
  command.files.write("counts.csv", "n,state\n1400,a\n400,b\n0,d\n200,c\n");
  ASSERT_EQ(command.sample({"--epsilon", "1", "--count", "50"}).status, 0);
  const std::string certificate = command.files.read("out.csv.certificate.json");
  const Arguments from_counts{"--data", "counts.csv", "--counts-column", "n"};
  const Ended ended =
      command.run(Arguments{"sample", "central", "--domain", "domain.yaml", "--out", "out.csv",
                            "--overwrite", "--accept-error", "--epsilon", "1", "--count", "50"} +
                  from_counts);
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(command.files.read("out.csv.certificate.json"), certificate);
  EXPECT_EQ(lines_of(command.files.read("out.csv")).size(), 51U);
  const Ended refused =
      command.run(Arguments{"sample", "central", "--domain", "domain.yaml", "--epsilon", "1",
                            "--count", "50", "--data", "counts.csv", "--counts-column", "m"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(lines_of(refused.err).size(), 1U) << refused.err;
  // compare would read the counts as rows.
  EXPECT_EQ(ended.err.find("next:"), std::string::npos) << ended.err;
}

TEST(SampleCentral, ReleasesFromCountsUpTo2To40) {
  const Clinic command;
  const auto sample = [&](const std::string& counts) {
    command.files.write("counts.csv", counts);
    return command.run({"sample", "central", "--domain", "domain.yaml", "--data", "counts.csv",
                        "--counts-column", "n", "--mechanism", "histogram", "--epsilon", "1",
                        "--count", "20", "--accept-error", "--json"});
  };
  const Ended ended = sample("n,state\n600000000000,a\n400000000000,b\n");
  ASSERT_EQ(ended.status, 0) << ended.err;
  EXPECT_EQ(Json::parse(ended.out)["certificate"]["facts"]["records"], 1'000'000'000'000);
  // Counts are private: none makes a release refuse.
  for (const auto& [counts, records] :
       {std::pair{"n,state\n5,a\n2000000000000000,b\n", std::uint64_t{1} << 40U},
        {"n,state\n1099511627776,a\n1099511627776,b\n1,a\n", std::uint64_t{1} << 40U},
        {"n,state\n1e300,b\n1e300,a\n", std::uint64_t{1} << 40U},
        {"n,state\n0,a\n-7,b\n", std::uint64_t{1}},
        {"n,state\nmany,a\n", std::uint64_t{1}},
        {"n,state\n", std::uint64_t{1}}}) {
    const Ended cut = sample(counts);
    ASSERT_EQ(cut.status, 0) << counts << cut.err;
    EXPECT_EQ(Json::parse(cut.out)["certificate"]["facts"]["records"], records) << counts;
  }
  const Ended mistaken =
      command.run({"sample", "central", "--domain", "domain.yaml", "--data", "counts.csv",
                   "--counts-column", "state", "--epsilon", "1", "--count", "20"});
  EXPECT_EQ(mistaken.status, 2);
  EXPECT_EQ(mistaken.err,
            "mollify: the counts column must not be a column of the domain, but \"state\" is: "
            "remove it there\n");
}

}  // namespace
}  // namespace mollify::test
