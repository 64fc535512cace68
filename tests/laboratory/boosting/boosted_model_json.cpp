#include <cmath>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "laboratory/boosting/likelihood.h"
#include "not_finite.h"
#include "refusal.h"
#include "scores/learners.h"
#include "scores/network.h"

namespace mollify {
namespace {

using test::kInfiniteFloat;
using test::kNanFloat;

BoostedDensity one_of_each_kind() {
  BoostedDensity density({.epsilon = 0.1, .bounding = Bounding::kLogit, .outputs = 3}, 2);
  density = density.boosted(std::make_shared<NetworkClassifier>(NetworkParameters{
      {0.1F, -2.5F}, {1.0F / 3, 7}, {{1, 2, 0.3F, -1e-30F, 5, 6}, {0.7F, -0.8F, 1e30F}}}));
  density = density.boosted(std::make_shared<DecisionTree>(
      2, std::vector<TreeNode>{{1, 1, 0.25F, 0}, {0, 0, 0, -0.6F}, {0, 0, 0, kInfiniteFloat}}));
  density = density.boosted(std::make_shared<LogisticClassifier>(
      LogisticParameters{{0, 1}, {1, 2}, true, {0.1, -0.2, 0.3, 1.0 / 3, 1e-300, 6}}));
  return density.normalised({0.0125, 1e-5, LogNormaliser::Method::kImportanceSampling, 4096});
}

Points some_points() {
  Points points(2, 50);
  for (std::size_t i = 0; i < 50; ++i) {
    points.values(0)[i] = 0.1F * static_cast<float>(i) - 2;
    points.values(1)[i] = std::sin(static_cast<float>(i));
  }
  return points;
}

TEST(BoostedModelJson, IsReadBackAsTheSameModel) {
  const BoostedDensity density = one_of_each_kind();
  const std::string text = boosted_model_json(density);
  EXPECT_THAT(text, testing::HasSubstr("PRIVATE DATA"));
  EXPECT_THAT(text, testing::HasSubstr("\"version\": 1"));
  const BoostedDensity again = boosted_model_from_json(text, "m.json");
  EXPECT_EQ(boosted_model_json(again), text);
  const Points points = some_points();
  std::vector<double> expected(50);
  std::vector<double> observed(50);
  density.log_density_ratio(points, expected);
  again.log_density_ratio(points, observed);
  EXPECT_EQ(observed, expected);
  EXPECT_EQ(again.spec().outputs, 3U);
}

TEST(BoostedModelJson, KeepsWhatIsNoNumber) {
  const BoostedDensity density = BoostedDensity({}, 1).boosted(std::make_shared<NetworkClassifier>(
      NetworkParameters{{kNanFloat}, {kInfiniteFloat}, {{-kInfiniteFloat, kNanFloat}}}));
  const std::string text = boosted_model_json(density);
  EXPECT_EQ(boosted_model_json(boosted_model_from_json(text, "m.json")), text);
}

TEST(BoostedModelJson, RefusesInOneSentence) {
  const std::string good = boosted_model_json(one_of_each_kind());
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t place = text.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    text.replace(place, from.size(), to);
    return test::refusal_of([&] { (void)boosted_model_from_json(text, "m.json"); });
  };
  EXPECT_EQ(with("\"version\": 1", "\"version\": 2"), "\"version\" of m.json must be 1, but is 2");
  EXPECT_EQ(with("\"type\": \"tree\"", "\"type\": \"bush\""),
            "\"type\" of entry 1 of \"classifiers\" of m.json must be network, tree or logistic, "
            "but is \"bush\"");
  EXPECT_EQ(with("\"epsilon\": 0.1", "\"epsilon\": -1"),
            "epsilon must be finite and positive, but is -1");
  EXPECT_EQ(with("\"epsilon\"", "\"epsilom\""),
            "m.json may have only format, version, notice, "
            "epsilon, outputs, bounding, features, "
            "log_normaliser, classifiers, but has \"epsilom\"");
  EXPECT_EQ(with("\"child\": 1", "\"child\": 77"),
            "node 0 of a tree of 3 must have both children after itself, but they are 77 and 78");
  EXPECT_EQ(with("{", ""), "m.json must be JSON, but is not at line 2 column 10");
}

}  // namespace
}  // namespace mollify
