// Noisy counts as JSON, by mollify or by other programs, and JSON that has no noisy counts.
#include "methods/graphical/measurements.h"

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "columns.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "refusal.h"

namespace mollify {
namespace {

Domain counted_people() {
  std::vector<Column> columns;
  columns.push_back(test::without_nulls("ward", Categories::make({"north", "south", "east"})));
  columns.push_back(test::without_nulls("age", IntegerCells::make(0, 99, 4)));
  columns.push_back(test::without_nulls("ill", BooleanWords::make()));
  return Domain::make(std::move(columns));
}

Measurements small() {
  const CellGroups wards{{0, 0, 1}, 2}, ages{{0, 1, 2, 3}, 4}, two{{1, 1, 0, 1}, 2};
  Measurements made{.noise = "discrete-gaussian", .step = 0.25, .records = 40};
  made.tables = {{{0}, {wards}, {30, -2}, 4, 7},
                 {{0, 1}, {wards, ages}, {1, 2, 3, 4, 5, 6, 7, 1e17}, 2.5, 9},
                 {{1}, {two}, {8, 9}, 1, 1}};
  made.products = MeasuredProducts{{{-1, 0, 1}, {-3, -1, 1, 3}, {-1, 1}}, {5, -6, 7}, 8, 3};
  made.error = MeasuredDistances{{0, 1, 2}, 20, 160, {32, -4, 400}, 25, 11};
  made.independent = MeasuredDistances{{0, 1, 2}, 400, 160, {300, 5, 500}, 50, 5};
  return made;
}

TEST(Measurements, AreReadAsTheyWereWritten) {
  const Domain domain = counted_people();
  Measurements made = small();
  for (int i = 0; i < 2; ++i) {
    const Json json = Json::parse(measurements_json(made, domain).dump());
    EXPECT_EQ(measurements_from_json(json, domain, "m"), made);
    const auto in_other_order = nlohmann::json::parse(json.dump());
    EXPECT_EQ(measurements_from_json(Json::parse(in_other_order.dump()), domain, "m"), made);
    made.products.reset();
    made.records.reset();
    made.step = 1.0 / 1024;
  }
}

TEST(Measurements, LookAsDocumented) {
  const Json json = measurements_json(small(), counted_people());
  EXPECT_EQ(json["tables"][1], Json::parse(R"({
      "columns": ["ward", "age"], "at": [0, 1], "groups": [[[0, 2], [1, 1]], null],
      "counts": [1, 2, 3, 4, 5, 6, 7, 100000000000000000], "variance": 2.5, "parts": 9})"));
  EXPECT_EQ(json["tables"][2]["groups"], Json::parse("[[[1, 2], [0, 1], [1, 1]]]"));
  Measurements made = small();
  EXPECT_TRUE(made.not_measured(3).empty()) << "products are of all pairs";
  made.products.reset();
  EXPECT_EQ(measurements_json(made, counted_people())["not_measured"],
            Json::parse(R"([["ward", "ill"], ["age", "ill"]])"));
}

// No place and no groups, any noise, columns in an order of its own, counts that are no integers.
TEST(Measurements, HoldTheErrorThatDistancesGive) {
  const Json error = measurements_json(small(), counted_people())["error"];
  // 428 of 3 * 2 * 160, and 1.96 deviations of a sum of three.
  const double reach = 1.959964 * 5 * std::sqrt(3) / 960;
  EXPECT_NEAR(error["two_way"].get<double>(), 428 / 960.0, 1e-12);
  EXPECT_NEAR(error["interval"][0].get<double>(), 428 / 960.0 - reach, 1e-8);
  EXPECT_NEAR(error["interval"][1].get<double>(), 428 / 960.0 + reach, 1e-8);
  ASSERT_EQ(error["pairs"].size(), 3U);
  EXPECT_EQ(error["pairs"][1]["columns"], (Json{"ward", "ill"}));
  const std::vector<double> most = {(32 + 1.6448536 * 5) / 320, (-4 + 1.6448536 * 5) / 320, 1};
  for (std::size_t pair = 0; pair < 3; ++pair) {
    EXPECT_NEAR(error["pairs"][pair]["at_most"].get<double>(), most[pair], 1e-8);
  }
  // Of Laplace noise of scale b, e^(-x/b) is 1/20 and 1/10.
  MeasuredDistances one{{0, 1}, 20, 160, {32}, 2 * 9, 11};
  EXPECT_NEAR(one.mean(true).most, (32 + 3 * std::log(20)) / 320, 1e-8);
  EXPECT_NEAR(one.mean(true).least, (32 - 3 * std::log(20)) / 320, 1e-8);
  EXPECT_NEAR(one.greatest(true).at(0), (32 + 3 * std::log(10)) / 320, 1e-8);
  one.columns = {0, 1, 2};
  EXPECT_TRUE(one.greatest(true).empty()) << "the sum of three pairs tells none of them";
  one.sums = {-900};
  EXPECT_EQ(one.mean(true).mean, 0);
  EXPECT_EQ(one.mean(true).most, 0);
}

TEST(Measurements, MayBeIndependentUnlessBothIntervalsExcludeIt) {
  Measurements made = small();
  EXPECT_EQ(measurements_json(made, counted_people())["independent"]["two_way"], 805 / 960.0);
  EXPECT_FALSE(measurements_json(made, counted_people())["independent"].contains("pairs"));
  EXPECT_FALSE(made.may_be_independent());
  // 1.96 deviations of three sums of variance 25 and 50 are 17 and 24.
  made.independent->sums = {428 + 42, 0, 0};
  EXPECT_FALSE(made.may_be_independent());
  made.independent->sums = {428 + 40, 0, 0};
  EXPECT_TRUE(made.may_be_independent());
  made.independent.reset();
  EXPECT_FALSE(made.may_be_independent()) << "nothing was measured";
}

TEST(Measurements, OfOtherProgramsAreRead) {
  const Json json = Json::parse(R"({"noise": "gaussian", "made_by": "another", "tables": [
      {"columns": ["ill"], "counts": [1.5, -2.25], "variance": 2},
      {"columns": ["ill", "ward"], "counts": [1, 2, 3, 4, 5, 6], "variance": 0.5},
      {"columns": ["ill", "ward", "age"], "groups": [null, [[0, 3]], [[0, 1], [1, 3]]],
       "counts": [1, 2, 3, 4], "variance": 1}]})");
  const Measurements made = measurements_from_json(json, counted_people(), "m");
  const CellGroups truths{{0, 1}, 2}, wards{{0, 1, 2}, 3}, all{{0, 0, 0}, 1},
      young{{0, 1, 1, 1}, 2};
  EXPECT_EQ(made.noise, "gaussian");
  EXPECT_EQ(made.step, 1);
  EXPECT_FALSE(made.records.has_value());
  EXPECT_EQ(made.tables,
            (std::vector<MeasuredTable>{{{2}, {truths}, {1.5, -2.25}, 2, 0},
                                        {{0, 2}, {wards, truths}, {1, 4, 2, 5, 3, 6}, 0.5, 0},
                                        {{0, 1, 2}, {all, young, truths}, {1, 3, 2, 4}, 1, 0}}));
  EXPECT_EQ(measurements_from_json(Json::parse(R"({"tables": []})"), counted_people(), "m").noise,
            "unknown");
}

/// `value` at `place` of a file that is right otherwise.
std::string refusal_at(const std::string& place, const std::string& value) {
  Json json = measurements_json(small(), counted_people());
  if (value.empty()) {
    const Json::json_pointer at(place);
    json[at.parent_pointer()].erase(at.back());
  } else {
    json[Json::json_pointer(place)] = Json::parse(value);
  }
  return test::refusal_of([&] { (void)measurements_from_json(json, counted_people(), "m"); });
}

TEST(Measurements, AreRefusedInOneSentence) {
  const std::vector<std::vector<std::string>> cases = {
      {"/noise", "3", "be a text at /measurements/noise"},
      {"/step", "0", "have a number above 0 at /measurements/step"},
      {"/step", "\"1\"", "have a number above 0 at /measurements/step"},
      {"/records", "-1", "have a number above 0 at /measurements/records"},
      {"/tables", "", "have a list at /measurements/tables"},
      {"/tables/1", "[]", "have an object at /measurements/tables/1"},
      {"/tables/1/at", "[0, 3]", "name columns of the domain at /measurements/tables/1/at"},
      {"/tables/1/at", "[]", "name columns of the domain at /measurements/tables/1/at"},
      {"/tables/1/at", "[0, 0]", "name each column once at /measurements/tables/1/at"},
      {"/tables/1/at", "[0, -1]", "name columns of the domain at /measurements/tables/1/at"},
      {"/tables/1/at", "[0, 2]",
       "have the names of the columns in \"at\" at /measurements/tables/1/columns"},
      {"/tables/1/columns", R"(["ward", "town"])",
       "have the names of the columns in \"at\" at /measurements/tables/1/columns"},
      {"/tables/1/groups", "[null]",
       "have groups for each column at /measurements/tables/1/groups"},
      {"/tables/1/groups/0", "3",
       "have runs of cells, or null, at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "[[0, 2], [1, 2]]",
       "have runs, [group, number of cells], of 3 cells at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "[[0, 2], [3, 1]]",
       "have runs, [group, number of cells], of 3 cells at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "[[0, 0], [1, 3]]",
       "have runs, [group, number of cells], of 3 cells at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "[[0, 2], [2, 1]]",
       "have 3 cells in groups 0, 1, ..., none empty, at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "[[0, 2]]",
       "have 3 cells in groups 0, 1, ..., none empty, at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "[]",
       "have 3 cells in groups 0, 1, ..., none empty, at /measurements/tables/1/groups/0"},
      {"/tables/1/groups/0", "null", "have 12 numbers or more at /measurements/tables/1/counts"},
      {"/tables/1/counts", "[1, 2, 3, 4, 5, 6, 7, 8, 9]",
       "have 8 numbers, but has 9, at /measurements/tables/1/counts"},
      {"/tables/1/counts", "{\"a\": 1}", "have a list at /measurements/tables/1/counts"},
      {"/tables/1/counts/3", "\"4\"", "have finite numbers at /measurements/tables/1/counts"},
      {"/tables/1/variance", "", "have a number above 0 at /measurements/tables/1/variance"},
      {"/tables/1/variance", "0", "have a number above 0 at /measurements/tables/1/variance"},
      {"/tables/1/parts", "-3", "have a whole number of parts at /measurements/tables/1/parts"},
      {"/tables/1/parts", "1e3", "have a whole number of parts at /measurements/tables/1/parts"},
      {"/products", "7", "have an object at /measurements/products"},
      {"/products/scores", "[[0], [1]]",
       "have scores of each column at /measurements/products/scores"},
      {"/products/scores/1", "[1, 2]",
       "have a score of each cell at /measurements/products/scores/1"},
      {"/products/scores/1/0", "0.5", "have whole numbers at /measurements/products/scores/1"},
      {"/products/sums", "[1, 2]", "have 3 numbers, but has 2, at /measurements/products/sums"},
      {"/products/variance", "null", "have a number above 0 at /measurements/products/variance"},
      {"/error", "1", "have an object at /measurements/error"},
      {"/error/at", "[1, 0]", "ascend at /measurements/error/at"},
      {"/error/at", "[1]", "have two columns or more at /measurements/error/at"},
      {"/error/rows", "0", "have a whole number above 0 at /measurements/error/rows"},
      {"/error/weight", "1.5", "have a whole number above 0 at /measurements/error/weight"},
      {"/error/distances", "[1, 2]", "have 3 numbers, but has 2, at /measurements/error/distances"},
      {"/error/distances/2", "401",
       "have the error that its distances give at /measurements/error"},
      {"/error/two_way", "0.1", "have the error that its distances give at /measurements/error"},
      {"/error/pairs/1/at_most", "0.1",
       "have the error that its distances give at /measurements/error"}};
  for (const auto& one : cases) {
    EXPECT_EQ(refusal_at(one[0], one[1]), "m must " + one[2]) << one[0] << " " << one[1];
  }
  EXPECT_EQ(test::refusal_of([] { (void)measurements_from_json(Json(3), counted_people(), "m"); }),
            "m must have an object at /measurements");
  Json json = measurements_json(small(), counted_people());
  json["tables"][1].erase("at");
  json["tables"][1]["columns"] = {"ward", "town"};
  EXPECT_EQ(test::refusal_of([&] { (void)measurements_from_json(json, counted_people(), "m"); }),
            "m must name columns of the domain at /measurements/tables/1/columns");
}

// A file with any value in any place is refused in one sentence or read.
TEST(Measurements, WithAnythingAnywhereAreRefusedOrRead) {
  const Json whole = measurements_json(small(), counted_people());
  const std::vector<Json> anything = {nullptr,
                                      true,
                                      -1,
                                      0,
                                      1,
                                      2,
                                      1e300,
                                      18446744073709551615U,
                                      "",
                                      "ward",
                                      Json::array(),
                                      Json::object(),
                                      {0},
                                      {0, 0},
                                      {{0, 4}},
                                      {{0, 18446744073709551615U}},
                                      {nullptr, nullptr}};
  std::vector<Json::json_pointer> places;
  const Json flat = whole.flatten();
  for (const auto& [text, value] : flat.items()) {
    for (Json::json_pointer place(text); !place.empty(); place = place.parent_pointer()) {
      places.push_back(place);
    }
  }
  std::size_t refused = 0, read = 0;
  for (const Json::json_pointer& place : places) {
    for (const Json& value : anything) {
      Json json = whole;
      json[place] = value;
      const std::string said = test::refusal_of([&] {
        const Measurements made = measurements_from_json(json, counted_people(), "m");
        EXPECT_EQ(measurements_from_json(measurements_json(made, counted_people()),
                                         counted_people(), "m"),
                  made);
      });
      ++(said == "accepted" ? read : refused);
      if (said == "accepted") continue;
      EXPECT_TRUE(said.starts_with("m must ")) << said;
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
  EXPECT_GT(refused, 500U);
  EXPECT_GT(read, 50U);
}

}  // namespace
}  // namespace mollify
