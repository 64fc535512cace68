#include <array>

#include "measures/measure.h"
#include "refusal.h"

namespace mollify {
namespace {

TEST(MeasureJson, ReadsEveryFormOfVariance) {
  const std::array point{0.3, -0.2};
  const auto density = [&](const std::string& variance) {
    return measure_from_json(R"({"type":"gaussian_mixture","means":[[0,0],[1,1]],"weights":[1,3],)"
                             R"("variance":)" +
                                 variance + "}",
                             "p.json")
        ->density(point);
  };
  EXPECT_EQ(density("2"), density("[2, 2]"));
  EXPECT_EQ(density("2"), density("[[2, 2], 2]"));
  EXPECT_NE(density("[2, 3]"), density("[3, 2]"));
  EXPECT_NE(density("[[2, 3], 1]"), density("[[3, 2], 1]"));
  EXPECT_EQ(
      measure_from_json(R"({"type":"gaussian","mean":[0,1],"variance":[1,4]})", "p.json")
          ->density(point),
      measure_from_json(
          R"({"type":"gaussian_mixture","means":[[0,1]],"weights":[7],"variance":[[1,4]]})", "p")
          ->density(point));
}

TEST(MeasureJson, ReadsEveryKindOfMeasure) {
  const auto measure = [](const std::string& text) { return measure_from_json(text, "h.json"); };
  EXPECT_EQ(measure(R"({"type":"uniform","box":[[0,2],[1,5]]})")->density(std::array{1.0, 2.0}),
            1.0 / 8);
  EXPECT_EQ(measure(R"({"type":"gaussian","mean":[0],"variance":1,"box":[[0,9]]})")->box(),
            (Box{{0, 9}}));
  EXPECT_EQ(measure(R"({"type":"gaussian_mixture_envelope","radius":1,"variance":1,"dimension":4})")
                ->dimension(),
            4U);
  EXPECT_EQ(
      measure(R"({"type":"histogram","edges":[[0,1,3]],"masses":[1,3]})")->density(std::array{2.0}),
      3.0 / 8);
  EXPECT_EQ(measure(R"({"type":"product","factors":[{"type":"uniform","box":[[0,2]]},)"
                    R"({"type":"uniform","box":[[0,4]]}]})")
                ->density(std::array{1.0, 1.0}),
            1.0 / 8);
}

TEST(MeasureJson, RefusesOtherFormsInOneSentence) {
  const auto refused = [](const std::string& text) {
    return test::refusal_of([&] { (void)measure_from_json(text, "h.json"); });
  };
  EXPECT_EQ(refused("{"), "h.json must be JSON, but ends too early");
  EXPECT_EQ(refused(std::string(100'000, '[')),
            "h.json must be JSON nested at most 64 deep, but is deeper");
  EXPECT_EQ(refused("[]"), "h.json must be a JSON object, but is array");
  EXPECT_EQ(refused("{}"), "h.json must have \"type\"");
  EXPECT_EQ(refused(R"({"type":1})"), "\"type\" of h.json must be a text, but is number");
  EXPECT_EQ(refused(R"({"type":"cauchy"})"),
            "\"type\" of h.json must be gaussian_mixture, gaussian, gaussian_mixture_envelope, "
            "uniform, histogram or product, but is \"cauchy\"");
  EXPECT_EQ(refused(R"({"type":"uniform","bocks":[[0,1]]})"),
            "h.json may have only type, box, but has \"bocks\"");
  EXPECT_EQ(refused(R"({"type":"uniform"})"), "a uniform measure needs a box");
  EXPECT_EQ(refused(R"({"type":"uniform","box":[]})"),
            "\"box\" of h.json must have an axis, but is empty");
  EXPECT_EQ(refused(R"({"type":"uniform","box":[[1,0]]})"),
            "entry 0 of \"box\" of h.json must be a lower and a greater upper end, but is [1,0]");
  EXPECT_EQ(refused(R"({"type":"uniform","box":[["0",1]]})"),
            "entry 0 of entry 0 of \"box\" of h.json must be a number, but is string");
  EXPECT_EQ(refused(R"({"type":"gaussian","mean":[0]})"), "h.json must have \"variance\"");
  EXPECT_EQ(
      refused(R"({"type":"gaussian_mixture_envelope","radius":1,"variance":1,"dimension":1.5})"),
      "\"dimension\" of h.json must be a whole number from 1 to 100, but is 1.5");
  std::string nested = R"({"type":"uniform","box":[[0,1]]})";
  for (int level = 0; level < 20; ++level) {
    nested = R"({"type":"product","factors":[)" + nested + "]}";
  }
  EXPECT_NE(refused(nested).find("is nested too deeply"), std::string::npos);
  const auto uniform = measure_from_json(R"({"type":"uniform","box":[[0,2]]})", "p");
  EXPECT_EQ(uniform->density(std::vector{1.0}), 0.5);
}

}  // namespace
}  // namespace mollify
