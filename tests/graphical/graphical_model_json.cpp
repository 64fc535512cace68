// A model's file: the same model again, or a sentence.
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "graphical/graphical_model.h"
#include "refusal.h"
#include "small_models.h"

namespace mollify {
namespace {

TEST(GraphicalModelJson, ComesBackToTheLastBit) {
  std::mt19937_64 random(14);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const GraphicalModel model = test::random_model(random, 3).model(123.456);
    const std::string text = graphical_model_json(model).dump();
    const GraphicalModel back =
        graphical_model_from_json(nlohmann::ordered_json::parse(text), "M.json");
    EXPECT_EQ(back.total(), model.total());
    EXPECT_EQ(back.sizes(), model.sizes());
    ASSERT_EQ(back.potentials().size(), model.potentials().size());
    const auto a = model.pair_marginals();
    const auto b = back.pair_marginals();
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].probabilities, b[i].probabilities);
    EXPECT_EQ(graphical_model_json(back).dump(), text);
  }
}

TEST(GraphicalModelJson, SaysWhatIsWrong) {
  const auto refusal = [](const char* text) {
    return test::refusal_of(
        [&] { (void)graphical_model_from_json(nlohmann::ordered_json::parse(text), "M.json"); });
  };
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":3,"potentials":[]})"), "accepted");
  EXPECT_EQ(refusal("[]"), "M.json: the model must be an object, but is not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":3})"),
            "M.json: the model must have \"potentials\", but has not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":3,"potentials":[],"more":1})"),
            "M.json: the model must have 4 members, but has 5");
  EXPECT_EQ(refusal(R"({"version":2,"sizes":[2],"total":3,"potentials":[]})"),
            "M.json: version must be 1, but is not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":2,"total":3,"potentials":[]})"),
            "M.json: sizes must be a list, but is not");
  for (const char* size : {"-2", "2.5", "\"2\"", "4294967296", "null", "[2]"}) {
    const std::string text =
        std::string(R"({"version":1,"total":3,"potentials":[],"sizes":[)") + size + "]}";
    EXPECT_EQ(
        refusal(text.c_str()),
        "M.json: each of sizes must be an integer that is not negative and not too great, but "
        "is not");
  }
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[0],"total":3,"potentials":[]})"),
            "M.json: column 0 of a model must have at least one value, but has none");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":-3,"potentials":[]})"),
            "M.json: the total of a model must be finite and positive, but is -3");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[2],"total":"3","potentials":[]})"),
            "M.json: total must be a number, but is not");
  EXPECT_EQ(refusal(R"({"version":1,"sizes":[4294967295],"total":3,"potentials":[]})"),
            "M.json: the junction tree of a model must have at most 134217728 cells, but has "
            "4294967295");
  const auto potential = [&](const char* json) {
    const std::string text =
        std::string(R"({"version":1,"sizes":[2,2],"total":3,"potentials":[)") + json + "]}";
    return refusal(text.c_str());
  };
  EXPECT_EQ(potential("1"), "M.json: potential 1 must be an object, but is not");
  EXPECT_EQ(potential(R"({"columns":[0]})"),
            "M.json: potential 1 must have \"values\", but has not");
  EXPECT_EQ(potential(R"({"columns":[0],"values":[1]})"),
            "M.json: the potential of columns 0 must have 2 values, but has 1");
  EXPECT_EQ(potential(R"({"columns":[2],"values":[1,1]})"),
            "M.json: a clique of a model of 2 columns must name columns below that, but names 2");
  EXPECT_EQ(potential(R"({"columns":[1,0],"values":[1,1,1,1]})"),
            "M.json: the columns of a clique must ascend, but 0 follows 1");
  EXPECT_EQ(potential(R"({"columns":[0],"values":[1,null]})"),
            "M.json: each of the values of potential 1 must be a number, but is not");
  EXPECT_EQ(potential(R"({"columns":[0],"values":[1,1e300]})"),
            "M.json: the potential of columns 0 must lie within 1e+06 of zero, but has 1e+300");
}

}  // namespace
}  // namespace mollify
