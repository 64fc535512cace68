// `mollify reference`: public records become a reference that `law` reads.
#include "cli/command_line.h"

namespace mollify::test {
namespace {

constexpr const char* kNumbers =
    "columns:\n"
    "  weight: {type: number, min: 40, max: 130}\n"
    "  age: {type: integer, min: 0, max: 99}\n";

std::string public_records() {
  std::string text = "age,weight\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(20 + i % 7) + "," + std::to_string(60 + i % 5) + "\n";
    text += std::to_string(60 + i % 9) + "," + std::to_string(90 + i % 11) + "\n";
  }
  return text;
}

TEST(Reference, IsWrittenInTheDomainsUnitsAndReadByLaw) {
  CommandLine command;
  command.files.write("domain.yaml", kNumbers);
  command.files.write("public.csv", public_records());
  const Ended fitted =
      command.run({"reference", "--public", "public.csv", "--domain", "domain.yaml", "--components",
                   "2", "--out", "r.json", "--json"});
  ASSERT_EQ(fitted.status, 0) << fitted.err;
  EXPECT_EQ(Json::parse(fitted.out)["components"], 2);

  const Json reference = Json::parse(command.files.read("r.json"));
  EXPECT_EQ(reference["type"], "gaussian_mixture");
  EXPECT_EQ(reference["box"], Json::parse("[[40,130],[-0.5,99.5]]"));
  std::vector<std::vector<double>> means = reference["means"];
  std::sort(means.begin(), means.end());
  EXPECT_NEAR(means[0][0], 62, 1);
  EXPECT_NEAR(means[0][1], 23, 1);
  EXPECT_NEAR(means[1][0], 95, 1);
  EXPECT_NEAR(means[1][1], 64, 1);

  command.files.write(
      "p.json", R"({"type":"gaussian","mean":[62,23],"variance":9,"box":[[40,130],[-0.5,99.5]]})");
  const Ended law = command.run({"law", "--density", "p.json", "--reference", "r.json", "--epsilon",
                                 "1", "--cells", "16384", "--json"});
  ASSERT_EQ(law.status, 0) << law.err;
  EXPECT_EQ(Json::parse(law.out)["outcomes"], 16384);

  // Records chosen from a list that is drawn after it.
  const Ended listed = command.run({"candidates", "--domain", "domain.yaml", "--reference",
                                    "r.json", "--candidates", "2000", "--out", "list.csv"});
  ASSERT_EQ(listed.status, 0) << listed.err;
  command.files.write("data.csv", "age,weight\n63,95\n64,96\n");
  const Ended released =
      command.run({"sample", "integral", "--data", "data.csv", "--domain", "domain.yaml",
                   "--epsilon", "1", "--count", "3", "--candidates-file", "list.csv"});
  ASSERT_EQ(released.status, 0) << released.err;
  EXPECT_EQ(lines_of(released.out).size(), 4U);

  const Ended printed = command.run(
      {"reference", "--public", "public.csv", "--domain", "domain.yaml", "--components", "2"});
  EXPECT_EQ(printed.out, command.files.read("r.json"));
}

TEST(Reference, RefusesInOneSentence) {
  CommandLine command;
  command.files.write("domain.yaml", kNumbers);
  command.files.write("words.yaml", "columns:\n  sex: {type: categorical, values: [f, m]}\n");
  command.files.write("public.csv", public_records());
  command.files.write("words.csv", "sex\nf\n");
  const auto refused = [&](const Arguments& options, const std::string& sentence) {
    const Ended ended = command.run(Arguments{"reference"} + options);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err, "mollify: " + sentence + "\n");
    EXPECT_EQ(ended.out, "");
  };
  refused({"--domain", "domain.yaml"}, "--public is missing: the public CSV file");
  refused({"--public", "public.csv", "--domain", "domain.yaml", "--components", "0"},
          "--components must be from 1 to 1000, but is 0");
  refused({"--public", "words.csv", "--domain", "words.yaml"},
          "a density of numbers needs columns of type number or integer without edges or null: "
          "category, but column \"sex\" is not one: leave it out of the domain, or use the public "
          "table itself as the reference");
  refused({"--public", "public.csv", "--domain", "domain.yaml", "--out", "public.csv"},
          "--out must not overwrite the file of --public, public.csv");
}

}  // namespace
}  // namespace mollify::test
