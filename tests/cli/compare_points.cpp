// `compare` where outcomes are points.
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
                "  x:    {type: number, min: 0, max: 10, null: 0}\n"
                "  y:    {type: number, min: 0, max: 1, null: 0}\n"
                "  kind: {type: categorical, values: [a, b, c], null: a}\n");
  }

  [[nodiscard]] Json json(const Arguments& arguments) const {
    const Ended ended = run(arguments + Arguments{"--json"});
    EXPECT_EQ(ended.status, 0) << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }
};

const Arguments kMixed = {"--domain", "mixed.yaml", "--candidates", "2000"};

TEST(Compare, SummarisesPoints) {
  const Examples command;
  const Arguments compare = {"compare", "local", "--data", "units.csv", "--unit", "unit"};
  const Json found = command.json(compare + kMixed + Arguments{"--epsilon", "4"});
  EXPECT_EQ(found["units"], 12);
  EXPECT_EQ(found["columns"].size(), 3);
  EXPECT_NEAR(found["columns"][0]["truth"], 4.6, 0.3);
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

// Points are equal cells, and the means of a table are numbers and days.
TEST(Compare, TellsMeansOfPointsInRealUnits) {
  const Examples command;
  command.files.write(
      "wide.yaml",
      "columns:\n"
      "  cost: {type: number, edges: [0, 10, 100, 1000], spikes: [0], null: category}\n"
      "  day: {type: date, min: 2020-01-01, max: 2020-12-31, bins: month, null: 2020-01-01}\n"
      "  x: {type: number, min: 0, max: 1, null: 0}\n");
  command.files.write("wide.csv",
                      "unit,cost,day,x\na,0,2020-03-05,0.5\na,500,2020-05-05,0.5\n"
                      "b,,2020-04-01,0.1\nb,50,2020-04-20,0.9\n");
  const Json found =
      command.json({"compare", "local", "--data", "wide.csv", "--domain", "wide.yaml", "--unit",
                    "unit", "--epsilon", "4", "--candidates", "2000"});
  const Json& columns = found["columns"];
  ASSERT_EQ(columns.size(), 4U);
  // Of 0 and 550 at weight 1/2 each, and 55 at 1/2.
  EXPECT_NEAR(columns[0]["truth"], (0 + 550 + 55) / 3.0, 1e-3);
  EXPECT_NEAR(columns[1]["truth"], 0.25, 1e-9);
  EXPECT_EQ(columns[2]["truth"].get<std::string>().substr(0, 7), "2020-04");
  EXPECT_EQ(columns[2]["uniform"].get<std::string>().size(), 10U);
  EXPECT_NEAR(columns[3]["truth"], 0.5, 0.01);
}

TEST(Compare, NeedsRecords) {
  const Examples command;
  command.files.write("none.csv", "unit,x,y,kind\n");
  command.files.write("few.yaml",
                      "columns:\n  kind: {type: categorical, values: [a, b], null: a}\n");
  const Arguments compare = {"compare", "local", "--data", "none.csv", "--epsilon", "4"};
  for (const Arguments& more :
       {kMixed, kMixed + Arguments{"--unit", "unit"}, kMixed + Arguments{"--json"},
        Arguments{"--domain", "few.yaml"}, Arguments{"--domain", "few.yaml", "--unit", "unit"},
        Arguments{"--domain", "few.yaml", "--json"}}) {
    const Ended ended = command.run(compare + more);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.out.empty(), more.back() != "--json");
    EXPECT_EQ(ended.err,
              "mollify: none.csv must hold records of a unit to compare with, but holds none: all "
              "that is released comes from the reference\n");
  }
}

}  // namespace
}  // namespace mollify::test
