// `mollify reference`: public records become a reference that `law` reads.
#include "cli/command_line.h"

namespace mollify::test {
namespace {

constexpr const char* kNumbers =
    "columns:\n"
    "  weight: {type: number, min: 40, max: 130, null: 40}\n"
    "  age: {type: integer, min: 0, max: 99, null: 0}\n";

std::string public_records() {
  std::string text = "age,weight\n";
  for (int i = 0; i < 60; ++i) {
    text += std::to_string(20 + i % 7) + "," + std::to_string(60 + i % 5) + "\n";
    text += std::to_string(60 + i % 9) + "," + std::to_string(90 + i % 11) + "\n";
  }
  return text;
}

// [Park et al. 2024, Theorem III.3]: an envelope is one flag, and brings its class and c2 along.
TEST(Reference, OfADensityIsOneFlagOfARelease) {
  CommandLine command;
  command.files.write("ring.yaml",
                      "columns:\n"
                      "  x: {type: number, min: -3, max: 3, outside: clip, null: \"0\"}\n"
                      "  y: {type: number, min: -3, max: 3, outside: clip, null: \"0\"}\n");
  command.files.write(
      "envelope.json",
      R"({"type":"gaussian_mixture_envelope","radius":1,"variance":0.5,"dimension":2})");
  command.files.write("data.csv", "x,y\n1,0\n1.1,0.2\n-0.5,0.9\n");
  const Arguments what = {"local",       "--domain",      "ring.yaml", "--epsilon", "1",
                          "--reference", "envelope.json", "--cells",   "2500"};
  const Ended planned = command.run(Arguments{"plan"} + what + Arguments{"--json"});
  ASSERT_EQ(planned.status, 0) << planned.err;
  const Json plan = Json::parse(planned.out);
  EXPECT_EQ(plan["mechanism"], "class");
  EXPECT_EQ(plan["space"], "grid");
  const Arguments files = {"--data", "data.csv", "--certificate", "c.json", "--accept-error"};
  const Ended released = command.run(Arguments{"sample"} + what + files);
  ASSERT_EQ(released.status, 0) << released.err;
  EXPECT_EQ(lines_of(released.out).size(), 2U);
  const Json certificate = Json::parse(command.files.read("c.json"));
  EXPECT_NEAR(certificate["spec"]["c2"].get<double>(), 3.7725, 1e-4);
  EXPECT_EQ(certificate["design"]["reference"],
            "its density's masses in the cells, in parts of 2^52");
  const Ended verified =
      command.run({"verify", "--certificate", "c.json", "--domain", "ring.yaml"});
  EXPECT_EQ(verified.status, 0) << verified.out << verified.err;
  // A density has no records, and no list of candidates is drawn after it here.
  EXPECT_EQ(command
                .run({"check", "--data", "data.csv", "--domain", "ring.yaml", "--reference",
                      "envelope.json"})
                .status,
            0);
  const Ended refused = command.run(Arguments{"sample"} + what +
                                    Arguments{"--data", "data.csv", "--space", "candidates"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("cells"), std::string::npos) << refused.err;
  const Ended models = command.run({"plan", "integral-model", "--domain", "ring.yaml", "--epsilon",
                                    "1", "--reference", "envelope.json"});
  EXPECT_EQ(models.status, 2);
  EXPECT_NE(models.err.find("envelope.json is a density"), std::string::npos) << models.err;
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
  EXPECT_EQ(Json::parse(law.out)["k"], 16384);

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
  command.files.write("words.yaml",
                      "columns:\n  sex: {type: categorical, values: [f, m], null: f}\n");
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
