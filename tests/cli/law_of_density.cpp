// `mollify law --density` against the reference files, and its refusals.
#include <cmath>
#include <fstream>

#include "cli/command_line.h"
#include "methods/local/tuned_band.h"
#include "sanitized.h"

namespace mollify::test {
namespace {

Json reference_file(const std::string& name) {
  std::ifstream file(std::string(MOLLIFY_TEST_DATA) + "/" + name);
  return Json::parse(file);
}

Json law_of_density(const CommandLine& command, const Arguments& options) {
  const Ended ended = command.run(Arguments{"law", "--json"} + options);
  EXPECT_EQ(ended.status, 0) << ended.err;
  Json json = Json::parse(ended.out);
  EXPECT_TRUE(json["notice"].get<std::string>().starts_with("NOT PRIVATE")) << ended.out;
  return json;
}

constexpr const char* kEnvelope =
    R"({"type":"gaussian_mixture_envelope","radius":1,"variance":1,"dimension":1,"box":[[-4,4]]})";
constexpr const char* kNormal = R"({"type":"gaussian","mean":[0],"variance":1,"box":[[-4,4]]})";

/// A client of the one-dimensional reference file as the command reads it.
std::string client_json(const Json& client) {
  Json means = Json::array();
  for (const Json& mean : client["mu"]) means.push_back(Json::array({mean}));
  return Json{{"type", "gaussian_mixture"},
              {"means", means},
              {"weights", client["w"]},
              {"variance", 1},
              {"box", {{-4, 4}}}}
      .dump();
}

void expect_divergence(const Json& observed, const Json& expected, double tolerance) {
  EXPECT_NEAR(observed["kl"].get<double>(), expected["KL"].get<double>(), tolerance);
  EXPECT_NEAR(observed["tv"].get<double>(), expected["TV"].get<double>(), tolerance);
  EXPECT_NEAR(observed["hellinger2"].get<double>(), expected["H2"].get<double>(), tolerance);
}

class ReferenceClients : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferenceClients, HaveTheLawsOfTheReferenceFile) {
  const std::string epsilon = GetParam();
  const Json of_epsilon = reference_file("gaussian_mixture_1d.json")["eps"][epsilon];
  const CommandLine command;
  command.files.write("envelope.json", kEnvelope);
  command.files.write("normal.json", kNormal);
  ASSERT_GT(of_epsilon["clients"].size(), 0U);
  for (std::size_t i = 0; i < of_epsilon["clients"].size(); i += whole_or_sanitized(1U, 3U)) {
    const Json& client = of_epsilon["clients"][i];
    command.files.write("p.json", client_json(client));
    const Arguments options = {"--density", "p.json", "--epsilon", epsilon};
    const Json minimax =
        law_of_density(command, options + Arguments{"--reference", "envelope.json"});
    EXPECT_EQ(minimax["band"], "minimax");
    EXPECT_EQ(minimax["k"], 65536);
    EXPECT_EQ(minimax["c1"], 0);
    EXPECT_NEAR(minimax["c2"].get<double>(), 1.7976118727565433, 1e-12);
    EXPECT_NEAR(minimax["lower"].get<double>(), of_epsilon["lb"].get<double>(), 1e-12);
    EXPECT_NEAR(minimax["upper"].get<double>(), of_epsilon["ub"].get<double>(), 1e-12);
    EXPECT_NEAR(minimax["r"].get<double>(), client["r"].get<double>(), 1e-6);
    expect_divergence(minimax["divergence"], client["minimax"], 1e-6);
    const Json relative =
        law_of_density(command, options + Arguments{"--reference", "normal.json"});
    EXPECT_EQ(relative["band"], "relative");
    expect_divergence(relative["divergence"], client["relative"], 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(LawOfDensity, ReferenceClients,
                         ::testing::Values("0.1", "0.5", "1.0", "2.0", "5.0"));

TEST(LawOfDensity, KnowsEveryEpsilonOfTheReferenceFile) {
  EXPECT_EQ(reference_file("gaussian_mixture_1d.json")["eps"].size(), 5U);
}

TEST(LawOfDensity, IsThatOfTheRingOfThree) {
  const Json expected = reference_file("gaussian_ring_3.json");
  Json means = Json::array();
  for (int i = 0; i < 3; ++i) {
    const double angle = 2 * std::acos(-1.0) * i / 3;
    means.push_back({std::cos(angle), std::sin(angle)});
  }
  const CommandLine command;
  command.files.write(
      "ring.json",
      Json{
          {"type", "gaussian_mixture"}, {"means", means}, {"weights", {1, 1, 1}}, {"variance", 0.5}}
          .dump());
  command.files.write(
      "disc.json",
      R"({"type":"gaussian_mixture_envelope","radius":1,"variance":0.5,"dimension":2})");
  Arguments options = {"--density", "ring.json", "--reference", "disc.json",
                       "--epsilon", "0.5",       "--at"};
  for (const Json& point : expected["points"]) {
    options.push_back(point[0].dump() + "," + point[1].dump());
  }
  const Json observed = law_of_density(command, options);
  EXPECT_EQ(observed["k"], 1 << 20);
  EXPECT_NEAR(observed["c2"].get<double>(), expected["M"].get<double>(), 1e-12);
  EXPECT_NEAR(observed["lower"].get<double>(), expected["lb"].get<double>(), 1e-12);
  EXPECT_NEAR(observed["upper"].get<double>(), expected["ub"].get<double>(), 1e-12);
  EXPECT_NEAR(observed["r"].get<double>(), expected["r"].get<double>(), 1e-4);
  const Json divergence = expected["mass_KL_TV_H2_400"];
  EXPECT_NEAR(observed["divergence"]["kl"].get<double>(), divergence[1].get<double>(), 1e-4);
  EXPECT_NEAR(observed["divergence"]["tv"].get<double>(), divergence[2].get<double>(), 1e-4);
  EXPECT_NEAR(observed["divergence"]["hellinger2"].get<double>(), divergence[3].get<double>(),
              1e-4);
  ASSERT_EQ(observed["at"].size(), expected["points"].size());
  for (std::size_t i = 0; i < expected["points"].size(); ++i) {
    EXPECT_EQ(observed["at"][i]["point"], expected["points"][i]);
    EXPECT_NEAR(observed["at"][i]["p"].get<double>(), expected["P"][i].get<double>(), 1e-12);
    EXPECT_NEAR(observed["at"][i]["q"].get<double>(), expected["Q"][i].get<double>(), 1e-3);
  }
}

class OfDensity : public CommandLine {
 public:
  OfDensity() {
    files.write("p.json", R"({"type":"gaussian","mean":[0.5],"variance":1,"box":[[-4,4]]})");
    files.write("h.json", kEnvelope);
    files.write("n.json", kNormal);
  }
  [[nodiscard]] Ended ended(const Arguments& options) const {
    return run(Arguments{"law", "--density", "p.json", "--reference", "n.json", "--epsilon", "1"} +
               options);
  }
};

TEST(LawOfDensity, FollowsTheBandAskedFor) {
  const OfDensity command;
  const Arguments options = {"--density", "p.json", "--epsilon", "1", "--cells", "1000"};
  const auto lower = [&](const Arguments& more) {
    return law_of_density(command, options + more)["lower"].get<double>();
  };
  const Arguments envelope = {"--reference", "h.json"};
  const Arguments normal = {"--reference", "n.json"};
  EXPECT_EQ(lower(normal), std::exp(-0.5));
  EXPECT_EQ(lower(envelope + Arguments{"--band", "relative"}), std::exp(-0.5));
  EXPECT_EQ(lower(envelope + Arguments{"--band", "location=0.75"}), 0.75);
  EXPECT_NEAR(lower(normal + Arguments{"--c2", "3"}), 3 / (std::expm1(1.0) + 3), 1e-15);
  EXPECT_NEAR(lower(normal + Arguments{"--band", "minimax", "--c1", "0.5", "--c2", "3"}),
              2.5 / (std::expm1(1.0) * 0.5 + 2.5), 1e-15);
  EXPECT_NEAR(lower(envelope), 1.79761187275654 / (std::expm1(1.0) + 1.79761187275654), 1e-12);
}

TEST(LawOfDensity, OfCandidatesTendsToThatOfCells) {
  const OfDensity command;
  const Arguments options = {"--density", "p.json", "--reference", "h.json", "--epsilon", "1"};
  const Json cells = law_of_density(command, options + Arguments{"--at", "0.5", "-3"});
  const Json candidates =
      law_of_density(command, options + Arguments{"--candidates", "65536", "--at", "0.5", "-3"});
  // The error of one list of 65536 is of order 1/256.
  for (const auto& [divergence, name] : names<BandDivergence>()) {
    EXPECT_NEAR(candidates["divergence"][name].get<double>(),
                cells["divergence"][name].get<double>(), 0.02)
        << name;
  }
  EXPECT_NEAR(candidates["r"].get<double>(), cells["r"].get<double>(), 0.02);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(candidates["at"][i]["p"], cells["at"][i]["p"]);
    EXPECT_NEAR(candidates["at"][i]["q"].get<double>(), cells["at"][i]["q"].get<double>(), 0.01);
  }
  EXPECT_EQ(candidates["divergence"],
            law_of_density(command, options + Arguments{"--candidates", "65536"})["divergence"])
      << "the list is the same each time";
}

// [Park et al. 2024, Proposition IV.1], for densities: laws are no further from each other than
// TV(P, P') / r.
TEST(LawOfDensity, TellsHowFarTheLawOfAnotherIs) {
  const OfDensity command;
  command.files.write("other.json",
                      R"({"type":"gaussian","mean":[-0.75],"variance":1,"box":[[-4,4]]})");
  const Arguments options = {"--density", "p.json", "--reference", "h.json",
                             "--epsilon", "1",      "--other",     "other.json"};
  for (const Arguments& space :
       {Arguments{"--cells", "4096"}, Arguments{"--candidates", "65536"}}) {
    const Json found = law_of_density(command, options + space);
    const Json& other = found["other"];
    EXPECT_GT(other["tv_of_inputs"], 0.1) << found.dump(1);
    EXPECT_GT(other["tv_of_laws"], 0.05);
    EXPECT_LE(other["tv_of_laws"].get<double>(), other["bound"].get<double>() + 1e-12);
    const double r = std::max(found["r"].get<double>(), other["r"].get<double>());
    EXPECT_NEAR(other["bound"].get<double>(), other["tv_of_inputs"].get<double>() / r, 1e-12);
    const Json same =
        law_of_density(command, Arguments{"--density", "p.json", "--reference", "h.json",
                                          "--epsilon", "1", "--other", "p.json"} +
                                    space);
    EXPECT_EQ(same["other"]["tv_of_inputs"], 0);
    EXPECT_EQ(same["other"]["tv_of_laws"], 0);
  }
}

TEST(LawOfDensity, OfManyDimensionsTakesCandidates) {
  const CommandLine command;
  command.files.write("p.json", R"({"type":"gaussian","mean":[0.3,0,0,0.1,0.2],"variance":1})");
  command.files.write(
      "h.json", R"({"type":"gaussian_mixture_envelope","radius":1,"variance":1,"dimension":5})");
  const Json json =
      law_of_density(command, {"--density", "p.json", "--reference", "h.json", "--epsilon", "1"});
  EXPECT_EQ(json["k"], 65536);
  EXPECT_GT(json["divergence"]["kl"].get<double>(), 0);
}

TEST(LawOfDensity, ReadsForPeopleToo) {
  const OfDensity command;
  const Ended ended = command.ended({"--at", "0.5"});
  EXPECT_EQ(ended.status, 0) << ended.err;
  EXPECT_TRUE(ended.out.starts_with("NOT PRIVATE: ")) << ended.out;
  EXPECT_NE(ended.out.find("grid of 65536 cells over [-4, 4]"), std::string::npos) << ended.out;
}

TEST(LawOfDensity, RefusesAContinuousSpaceWithoutReference) {
  const OfDensity command;
  const Ended ended = command.run({"law", "--density", "p.json", "--epsilon", "1"});
  EXPECT_EQ(ended.status, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err,
            "mollify: a continuous space needs --reference, a public distribution: without one "
            "there are infinitely many mutually singular inputs, and no private sampler beats one "
            "that ignores them all (Park et al. 2024, Proposition III.2)\n");
}

TEST(LawOfDensity, RefusesInOneSentence) {
  const OfDensity command;
  const auto refused = [&](const Arguments& options, const std::string& sentence) {
    const Ended ended = command.ended(options);
    EXPECT_EQ(ended.status, 2) << sentence;
    EXPECT_EQ(ended.out, "");
    EXPECT_EQ(ended.err, "mollify: " + sentence + "\n");
  };
  refused({"--p", "p.json"}, "give --p or --density, not both");
  refused({"--cells", "9", "--candidates", "9"}, "give --cells or --candidates, not both");
  refused({"--cells", "0"}, "a grid must have from 1 to 16777216 cells, but is given 0");
  refused({"--band", "best"},
          "band must be minimax, relative or location=B with B between 0 and 1, but is \"best\"");
  refused({"--band", "minimax"},
          "--c2 is missing: greatest density of the private data against the reference");
  refused({"--band", "relative", "--c2", "4"},
          "c2 belongs to the minimax band, but another band is asked for");
  refused({"--band", "location=0.8", "--c1", "0.1"},
          "c1 belongs to the minimax band, but another band is asked for");
  refused({"--at", "1,2"}, "at must be 1 numbers with commas between them, but is \"1,2\"");
  refused({"--at", "one"}, "at must be 1 numbers with commas between them, but is \"one\"");
  refused({"--mu", "1"},
          "a density's law is that of a band, so --band says where it lies, and only --c1 and --c2 "
          "may be given as well");
  EXPECT_EQ(command.run({"law", "--p", "p.json", "--cells", "9", "--epsilon", "1"}).err,
            "mollify: --density is missing: --cells needs it\n");
  EXPECT_EQ(command.run({"law", "--density", "p.json", "--reference", "n.json"}).err,
            "mollify: --epsilon is missing: privacy budget of one draw, 1e-6 or more\n");
}

TEST(LawOfDensity, RefusesAReferenceThatEndsBeforeTheDensity) {
  const OfDensity command;
  command.files.write("n.json", R"({"type":"uniform","box":[[-4,3]]})");
  EXPECT_EQ(command.ended({}).err,
            "mollify: the reference must be positive wherever the density is, but along axis 0 it "
            "ends at [-4, 3] and the density at [-4, 4]\n");
  command.files.write("n.json", R"({"type":"uniform","box":[[-4,4],[0,1]]})");
  EXPECT_EQ(command.ended({}).err,
            "mollify: the reference must have the density's 1 dimensions, but has 2\n");
}

// The density 2x on [0, 1] as a histogram of two bins against the uniform reference; e^(epsilon/2)
// = 1.25 cuts 1.5 down and leaves .75 = 1 - .25 up to what is left.
TEST(LawOfDensity, TellsRegionsAndARaster) {
  const CommandLine command;
  command.files.write("p.json", R"({"type":"histogram","edges":[[0,0.5,1]],"masses":[0.25,0.75]})");
  command.files.write("h.json", R"({"type":"uniform","box":[[0,1]]})");
  const std::string epsilon = std::to_string(2 * std::log(1.25));
  const Arguments options = {"--density", "p.json", "--reference", "h.json",
                             "--epsilon", epsilon,  "--cells",     "64",
                             "--region",  "0.5:1",  "--region",    "0.49:0.51",
                             "--raster",  "4",      "--out",       "raster.csv"};
  const Json law = law_of_density(command, options);
  // Lower 0.8, upper 1.25 with q = clip(p/r): 0.5/r below and 1.5/r above, which sum to 2 only at
  // the bounds: 0.8 + 1.2.
  EXPECT_NEAR(law["regions"][0]["p"].get<double>(), 0.75, 1e-12);
  EXPECT_NEAR(law["regions"][0]["reference"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(law["regions"][0]["law"].get<double>(), 0.6, 1e-6);
  EXPECT_NEAR(law["regions"][1]["law"].get<double>(), 0.01 * (0.8 + 1.2), 1e-6);
  EXPECT_NEAR(law["nll"].get<double>(), -0.25 * std::log(0.8) - 0.75 * std::log(1.2), 1e-6);
  EXPECT_GE(law["coverage"].get<double>(), 0.95);
  const std::vector<std::string> rows = lines_of(command.files.read("raster.csv"));
  ASSERT_EQ(rows.size(), 5U);
  EXPECT_EQ(rows[0], "x,p,law");
  EXPECT_EQ(rows[1].substr(0, 10), "0.125,0.5,");
  EXPECT_NEAR(std::stod(fields_of(rows[4])[2]), 1.2, 1e-6);
  for (const auto& [more, said] :
       {std::pair{Arguments{"--raster", "4x4", "--out", "r.csv"}, "mollify: raster must be N for"},
        std::pair{Arguments{"--raster", "4"}, "mollify: give --raster and --out together, or n"},
        std::pair{Arguments{"--region", "1:0"}, "mollify: region must be low:high"},
        std::pair{Arguments{"--region", "0:1", "--candidates", "64"},
                  "mollify: --region needs a grid"}}) {
    const Ended ended = command.run(
        Arguments{"law", "--density", "p.json", "--reference", "h.json", "--epsilon", "1"} + more);
    EXPECT_EQ(ended.status, 2);
    EXPECT_EQ(ended.err.substr(0, std::string(said).size()), said) << ended.err;
  }
}

}  // namespace
}  // namespace mollify::test
