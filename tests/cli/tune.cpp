// `tune` on public example units, and `compare` where outcomes are points.
#include <cmath>
#include <sstream>

#include <gtest/gtest.h>

#include "command_line.h"

namespace mollify::test {
namespace {

/// Twelve units of thirty records each; a unit's numbers lie about a place of its own.
std::string unit_records() {
  std::ostringstream csv;
  csv << "unit,x,y,kind\n";
  for (int unit = 0; unit < 12; ++unit) {
    for (int row = 0; row < 30; ++row) {
      const double x = unit / 12.0 + 0.1 * std::sin(row);
      csv << "u" << unit << ',' << 10 * x << ',' << x + 0.1 * std::cos(3 * row) << ','
          << "abc"[(unit + row / 20) % 3] << '\n';
    }
  }
  return csv.str();
}

class Examples : public CommandLine {
 public:
  Examples() {
    files.write("units.csv", unit_records());
    files.write("mixed.yaml",
                "columns:\n"
                "  x:    {type: number, min: 0, max: 10}\n"
                "  y:    {type: number, min: 0, max: 1}\n"
                "  kind: {type: categorical, values: [a, b, c]}\n");
    files.write("kinds.yaml", "columns:\n  kind: {type: categorical, values: [a, b, c]}\n");
  }

  [[nodiscard]] Json json(const Arguments& arguments) const {
    const Ended ended = run(arguments + Arguments{"--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }
};

const Arguments kTune = {"tune", "--public-units", "units.csv", "--unit", "unit"};
const Arguments kMixed = {"--domain", "mixed.yaml", "--candidates", "2000"};

TEST(Tune, OrdersBandsAndNamesTheBest) {
  const Examples command;
  const Json found = command.json(kTune + kMixed + Arguments{"--epsilon", "1", "--c2", "20"});
  EXPECT_EQ(found["units"], 12);
  EXPECT_EQ(found["space"], "candidates");
  EXPECT_EQ(found["outcomes"], 2000);
  double least = INFINITY;
  std::string best;
  double floor = 0;
  std::set<std::string> names;
  for (const Json& band : found["bands"]) {
    EXPECT_GT(band["floor"], floor);
    floor = band["floor"];
    for (const char* name : {"kl", "tv", "hellinger2", "chi2"}) {
      EXPECT_GE(band["worst"][name], band["mean"][name]);
      EXPECT_TRUE(band["worst_case"][name].is_number());
    }
    names.insert(band["band"]);
    if (band["mean"]["kl"] < least) {
      least = band["mean"]["kl"];
      best = band["band"];
    }
  }
  EXPECT_EQ(found["best"], best);
  EXPECT_TRUE(names.contains("minimax") && names.contains("relative"));
  const Ended words = command.run(kTune + kMixed + Arguments{"--epsilon", "1"});
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_NE(words.out.find("<- least mean KL"), std::string::npos) << words.out;
  EXPECT_EQ(words.err, "");
}

TEST(Tune, OfCategoriesUsesTheirCounts) {
  const Examples command;
  const Json found =
      command.json(kTune + Arguments{"--domain", "kinds.yaml", "--epsilon", "2", "--c2", "3"});
  EXPECT_EQ(found["space"], "categories");
  EXPECT_EQ(found["outcomes"], 3);
  // Each unit has 20 records of one kind and 10 of the next: mass 2/3 on one of three outcomes lies
  // inside the relative band, whose upper edge is e / 3, but its zero does not.
  for (const Json& band : found["bands"]) {
    if (band["band"] != "relative") continue;
    const double lower = std::exp(-1) / 3;
    EXPECT_NEAR(band["mean"]["tv"], lower, 1e-9);
  }
}

TEST(Tune, RefusesThePrivateFileAndFreshLists) {
  const Examples command;
  const Ended same =
      command.run(kTune + kMixed + Arguments{"--epsilon", "1", "--data", "units.csv"});
  EXPECT_EQ(same.status, 2);
  EXPECT_EQ(
      same.err,
      "mollify: the example units must be public, but units.csv is the private file itself\n");
  const Ended fresh = command.run(kTune + kMixed + Arguments{"--epsilon", "1", "--fresh"});
  EXPECT_EQ(fresh.status, 2);
  EXPECT_EQ(fresh.err,
            "mollify: units must share one list of candidates to be compared, but --fresh is "
            "given\n");
  const Ended nobody = command.run({"tune", "--unit", "unit", "--domain", "mixed.yaml"});
  EXPECT_EQ(nobody.err, "mollify: --public-units is needed, but is not given\n");
}

TEST(Compare, SummarisesPoints) {
  const Examples command;
  const Arguments compare = {"compare", "--data", "units.csv", "--unit", "unit"};
  const Json found = command.json(compare + kMixed + Arguments{"--epsilon", "4"});
  EXPECT_EQ(found["units"], 12);
  EXPECT_EQ(found["columns"].size(), 3);
  EXPECT_EQ(found["columns"][0]["unit"], 10);
  EXPECT_NEAR(found["truth"]["means"][0], 0.46, 0.03);
  // The units' own places make x and y go together; laws keep some of that, uniform records none.
  EXPECT_GT(found["truth"]["correlations"][1], 0.9);
  EXPECT_GT(found["law"]["correlations"][1], 0.1);
  EXPECT_LT(std::abs(found["uniform"]["correlations"][1].get<double>()), 0.1);
  EXPECT_LT(found["law"]["distance"]["mean_pair_tv"], found["uniform"]["distance"]["mean_pair_tv"]);
  const Ended words = command.run(compare + kMixed + Arguments{"--epsilon", "4"});
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_TRUE(words.out.starts_with("NOT PRIVATE")) << words.out;
}

TEST(Compare, OfUnitsWithoutRecordsSaysSo) {
  const Examples command;
  command.files.write("none.csv", "unit,x,y,kind\n");
  const Ended words = command.run(Arguments{"compare", "--data", "none.csv", "--unit", "unit"} +
                                  kMixed + Arguments{"--epsilon", "4"});
  EXPECT_EQ(words.status, 0) << words.err;
  EXPECT_NE(words.out.find("no unit has records"), std::string::npos) << words.out;
}

}  // namespace
}  // namespace mollify::test
