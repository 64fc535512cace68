#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/sha256.h"
#include "formats/scratch.h"
#include "mollify/answers.h"
#include "mollify/release.h"
#include "refusal.h"

namespace mollify::front {

namespace inside = ::mollify;

namespace {

using testing::Each;
using Texts = std::vector<std::string>;

Domain people() {
  return Domain::make(
      {Column::declare(
           "city",
           {{"type", "categorical"}, {"values", {"Ghent", "Lille", "Trier"}}, {"null", "Ghent"}}),
       Column::declare("age",
                       {{"type", "integer"}, {"min", 0}, {"max", 99}, {"bins", 10}, {"null", 0}}),
       Column::declare("born", {{"type", "date"},
                                {"min", "1990-01-01"},
                                {"max", "1999-12-31"},
                                {"bins", "year"},
                                {"null", "category"}})});
}

/// A model of 300 people; the ones of Lille are young and unborn.
Model released(std::string* text = nullptr) {
  std::vector<std::string_view> cities;
  std::vector<std::int64_t> ages;
  std::vector<std::string_view> days;
  for (int i = 0; i < 300; ++i) {
    cities.push_back(i % 2 == 0 ? "Lille" : "Trier");
    ages.push_back(i % 2 == 0 ? 15 : 75);
    days.push_back(i % 2 == 0 ? "" : "1995-06-01");
  }
  const auto data = Source::memory({{"city", cities}, {"age", ages}, {"born", days}});
  const auto spec = ReleaseSpec::parse(
      R"({"method": "marginals", "count": 5,
          "privacy": {"epsilon": 100, "delta": 1e-6}})",
      people());
  std::vector<ReleasedColumn> rows;
  std::string model;
  release(prepare(spec, data), data, Sink::memory(rows).with_model(model));
  EXPECT_EQ(rows.at(0).valid.size(), 5U);
  if (text != nullptr) *text = model;
  return Model::parse(model);
}

TEST(FrontModel, GivesRowsUnderWhatIsGiven) {
  std::string text;
  const Model model = released(&text);
  EXPECT_EQ(model.text(), text);
  EXPECT_EQ(model.domain(), people());
  std::vector<ReleasedColumn> rows;
  generate(model, 1000, {{"city", "Lille"}}, Sink::memory(rows));
  EXPECT_THAT(std::get<Texts>(rows.at(0).values), Each(std::string("Lille")));
  std::size_t young = 0;
  for (const std::int64_t age : std::get<std::vector<std::int64_t>>(rows.at(1).values)) {
    young += age >= 10 && age < 20 ? 1 : 0;
  }
  EXPECT_GT(young, 800U) << "by noise of epsilon 100";
  EXPECT_EQ(rows.at(2).moments.value().kind, Moments::Kind::kDay);
  generate(model, 50, {{"born", ""}}, Sink::memory(rows));
  EXPECT_THAT(rows.at(2).valid, Each(0));
  generate(model, 50, {{"born", "1995-03-03"}}, Sink::memory(rows));
  for (const std::int64_t day : std::get<std::vector<std::int64_t>>(rows.at(2).values)) {
    EXPECT_EQ(std::chrono::year_month_day(std::chrono::sys_days(std::chrono::days(day))).year(),
              std::chrono::year(1995));
  }
}

/// A model that is the same every time: north is young, south saves more often.
Model fixed() {
  const Domain domain = Domain::make(
      {Column::declare(
           "ward",
           {{"type", "categorical"}, {"values", {"north", "south", "east"}}, {"null", "north"}}),
       Column::declare("age",
                       {{"type", "integer"}, {"min", 0}, {"max", 99}, {"bins", 2}, {"null", 0}}),
       Column::declare("saved", {{"type", "boolean"}, {"null", "category"}})});
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(R"({
      "format": "mollify model 1", "version": "0.1.0", "released_with": "epsilon 2",
      "columns": [{"groups": [0, 1, 2], "shares": [343, 299, 356]},
                  {"groups": [0, 1], "shares": [672, 324]},
                  {"groups": [0, 1, 2], "shares": [324, 329, 348]}],
      "graph": {"version": 1, "sizes": [3, 2, 3], "total": 1000, "potentials": [
          {"columns": [0], "values": [0.125, -0.3, 0.2]},
          {"columns": [0, 1], "values": [1.5, -1.5, 0.1, 0.2, -0.25, 0.3]},
          {"columns": [0, 2], "values": [0, 0.1, -0.7, -1, 1.25, 0, 0.3, 0.3, -0.9]}]}})");
  json["domain_sha256"] = domain.hash();
  json["domain"] = domain.yaml();
  return Model::parse(json.dump());
}

std::string rows_of(std::uint64_t count, const GivenValues& given,
                    std::optional<std::uint64_t> seed) {
  const inside::test::Scratch scratch;
  generate(fixed(), count, given, Sink::csv(scratch.path("rows.csv"), scratch.path("none.json")),
           seed);
  return scratch.read("rows.csv");
}

std::string digest_of(const std::string& text) {
  inside::Sha256 digest;
  digest.add(text);
  return digest.hex();
}

// These rows are fixed for ever, on every machine: the publisher of a model may name a seed with
// it. Few rows are rounded draws, and many are matched with the model's pairs.
TEST(FrontModel, DrawsTheSameRowsOfASeedForEver) {
  EXPECT_EQ(rows_of(6, {}, 7),
            "ward,age,saved\neast,91,false\nsouth,70,\nnorth,69,false\nnorth,9,false\neast,13,\n"
            "north,45,true\n");
  EXPECT_EQ(digest_of(rows_of(5000, {}, 7)),
            "0b76268044f0fdc2cc9dd36f66e2e1a4d8f3b892a3236444d884fe3e3c8f2416");
  EXPECT_EQ(digest_of(rows_of(5000, {{"ward", "south"}}, 18446744073709551615U)),
            "71d79d5943cdefc4979ff6ad24ae371082139065b4eb019149b62169d41c8c61");
  EXPECT_NE(rows_of(50, {}, 8), rows_of(50, {}, 7));
  EXPECT_NE(rows_of(50, {}, std::nullopt), rows_of(50, {}, std::nullopt));
  EXPECT_NE(rows_of(50, {}, std::nullopt), rows_of(50, {}, 0));
}

TEST(FrontModel, IsAFileThatAFileOfRowsNeedsNoCertificateFor) {
  const inside::test::Scratch scratch;
  const Model model = Model::read(scratch.write("model.json", released().text()));
  generate(model, 3, {}, Sink::csv(scratch.path("rows.csv"), scratch.path("none.json")));
  const std::string rows = scratch.read("rows.csv");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 4) << rows;
  EXPECT_FALSE(std::filesystem::exists(scratch.path("none.json")));
}

TEST(FrontModel, RefusesAPathWithNul) {
  const inside::test::Scratch scratch;
  const std::string cut = scratch.write("model.json", released().text()) + std::string("\0b", 2);
  EXPECT_EQ(inside::test::refusal(scratch, [&] { static_cast<void>(Model::read(cut)); }),
            "a path must be text without NUL, but is \"model.json\\0b\"");
}

TEST(FrontModel, RefusesNulInWhatIsGiven) {
  const Model model = released();
  std::vector<ReleasedColumn> rows;
  const std::string nul("a\0b", 3);
  for (const GivenValues& given : {GivenValues{{nul, "x"}}, GivenValues{{"x", nul}}}) {
    EXPECT_EQ(inside::test::refusal_of([&] { generate(model, 1, given, Sink::memory(rows)); }),
              "given must be text without NUL, but is \"a\\0b\"");
  }
}

TEST(FrontModel, RefusesInOneSentence) {
  const Model model = released();
  std::vector<ReleasedColumn> rows;
  const auto refused = [&](std::uint64_t count, const GivenValues& given) {
    return inside::test::refusal_of([&] { generate(model, count, given, Sink::memory(rows)); });
  };
  EXPECT_EQ(refused(0, {}), "count must be from 1 to 100000000, but is 0");
  EXPECT_EQ(refused(1, {{"town", "x"}}),
            "the model has no column \"town\"; it has \"city\", \"age\", \"born\"");
  EXPECT_EQ(refused(1, {{"city", "Rome"}}),
            "\"city\" in given must be one of 3 declared values, but is \"Rome\"; \"city\" has "
            "\"Ghent\", \"Lille\", \"Trier\"");
  EXPECT_EQ(inside::test::refusal_of([&] { (void)Model::parse("{}", "m"); }),
            "m is not a model in the format \"mollify model 1\" or \"mollify model 2\": mollify "
            "sample --model-out writes a "
            "model of methods integral-model and marginals");
}

TEST(FrontModel, ReadsShapesThatFitTheDomain) {
  const auto parsed = [](std::uint64_t points, const std::string& format) {
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(fixed().text());
    json["format"] = format;
    json["columns"][1]["shapes"] = {{{"cell", 1}, {"ends", {10, points}}, {"sums", {1, 1}}}};
    return Model::parse(json.dump(), "m");
  };
  std::vector<ReleasedColumn> rows;
  generate(parsed(50, "mollify model 2"), 2000, {}, Sink::memory(rows));
  for (const std::int64_t age : std::get<std::vector<std::int64_t>>(rows.at(1).values)) {
    EXPECT_LT(age, 60) << "of 50 to 99 the first ten have all of the share";
  }
  EXPECT_EQ(inside::test::refusal_of([&] { (void)parsed(49, "mollify model 2"); }),
            "m must have the domain that its model was made for, but has another");
}

/// Three columns in 26 cells, by noise of epsilon 100.
TEST(FrontModel, HasTheCountsThatItWasMadeOf) {
  const Model model = released();
  const MeasuredCounts made = model.measurements().value();
  const std::size_t rows = made.table.size();
  EXPECT_EQ(made.columns.size(), rows);
  EXPECT_EQ(made.cells.size(), rows);
  EXPECT_EQ(made.count.size(), rows);
  EXPECT_EQ(made.standard_deviation.size(), rows);
  const auto json = nlohmann::json::parse(model.text())["measurements"];
  std::map<std::string, double> counts;
  std::set<std::string> columns;
  for (std::size_t i = 0; i < rows; ++i) {
    const auto& table = json["tables"][made.table[i]];
    EXPECT_DOUBLE_EQ(made.standard_deviation[i],
                     std::sqrt(table["variance"].get<double>()) * json["step"].get<double>());
    columns.insert(made.columns[i]);
    counts.emplace(made.columns[i] + ": " + made.cells[i], made.count[i]);
  }
  EXPECT_NEAR(counts.at("city: Lille"), 150, 12);
  EXPECT_NEAR(counts.at("city: Ghent"), 0, 12);
  EXPECT_NEAR(counts.at("age: 10..19"), 150, 12);
  EXPECT_NEAR(counts.at("age: 90..99"), 0, 12);
  EXPECT_NEAR(counts.at("born: null"), 150, 12);
  EXPECT_NEAR(counts.at("born: 1995-01-01..1995-12-31"), 150, 12);
  EXPECT_EQ(columns.size() + model.not_measured().size(), 6U);
  for (const auto& [first, second] : model.not_measured()) {
    EXPECT_TRUE(columns.insert(first + ", " + second).second);
  }
  for (const char* pair : {"city, age", "city, born", "age, born"}) {
    EXPECT_TRUE(columns.contains(pair)) << pair;
  }
}

/// Cells that are counted together, in rows and units, of a file that is written by hand.
TEST(FrontModel, NamesWhatIsCountedTogether) {
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(fixed().text());
  EXPECT_FALSE(fixed().measurements().has_value());
  EXPECT_TRUE(fixed().not_measured().empty());
  json["measurements"] = nlohmann::ordered_json::parse(R"({
      "noise": "discrete-gaussian", "step": 0.5, "tables": [
        {"columns": ["ward", "age"], "groups": [[[0, 1], [1, 1], [0, 1]], [[0, 2]]],
         "counts": [8, -3], "variance": 16},
        {"columns": ["saved"], "groups": [[[0, 2], [1, 1]]], "counts": [1, 2], "variance": 4}]})");
  const Model model = Model::parse(json.dump());
  const MeasuredCounts made = model.measurements().value();
  EXPECT_EQ(made.table, (std::vector<std::size_t>{0, 0, 1, 1}));
  EXPECT_EQ(made.columns, (Texts{"ward, age", "ward, age", "saved", "saved"}));
  EXPECT_EQ(made.cells, (Texts{"north or east, 0..99", "south, 0..99", "false or true", "null"}));
  EXPECT_EQ(made.count, (std::vector<double>{4, -1.5, 0.5, 1}));
  EXPECT_EQ(made.standard_deviation, (std::vector<double>{2, 2, 1, 1}));
  EXPECT_EQ(model.not_measured(), (std::vector<std::pair<std::string, std::string>>{
                                      {"ward", "saved"}, {"age", "saved"}}));
}

/// More than five by themselves are counted, and names with commas are quoted.
TEST(FrontModel, CountsWhatItDoesNotName) {
  std::vector<std::string> words{"a, b"};
  for (int i = 0; i < 9; ++i) words.push_back("w" + std::to_string(i));
  const Domain domain = Domain::make({Column::declare(
      "word", {{"type", "categorical"}, {"values", Setting(words)}, {"null", "w0"}})});
  nlohmann::ordered_json json = nlohmann::ordered_json::parse(R"({
      "format": "mollify model 1", "version": "0.1.0", "released_with": "epsilon 2",
      "columns": [{"groups": [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
                   "shares": [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]}],
      "graph": {"version": 1, "sizes": [1], "total": 10, "potentials": []},
      "measurements": {"tables": [{"columns": ["word"], "groups": [[[0, 9], [1, 1]]],
                                   "counts": [9, 1], "variance": 1}]}})");
  json["domain_sha256"] = domain.hash();
  json["domain"] = domain.yaml();
  EXPECT_EQ(Model::parse(json.dump()).measurements().value().cells,
            (Texts{"\"a, b\" or w0 or w1 or w2 or w3 or 4 others", "w8"}));
}

TEST(FrontModel, OtherReleasesHaveNone) {
  const auto spec = ReleaseSpec::parse(
      R"({"method": "integral", "count": 1, "privacy": {"epsilon": 2}})",
      Domain::make({Column::declare(
          "city", {{"type", "categorical"}, {"values", {"Ghent", "Lille"}}, {"null", "Ghent"}})}));
  const std::vector<std::string_view> cities{"Lille"};
  const auto data = Source::memory({{"city", cities}});
  std::vector<ReleasedColumn> rows;
  std::string model = "before";
  release(prepare(spec, data), data, Sink::memory(rows).with_model(model));
  EXPECT_EQ(model, "");
}

TEST(Model, AnswersQuestionsFromItsCounts) {
  const std::vector<Answer> answers =
      answer(released(), {"share(city = Lille)", "mean(age) by city", "share(born) by city"});
  ASSERT_EQ(answers.size(), 3U);
  const double share = answers[0].number("/answers/0/estimate").value();
  EXPECT_NEAR(share, .5, .05);
  EXPECT_LT(answers[0].number("/answers/0/table/lower").value(), share);
  EXPECT_GT(answers[0].number("/answers/0/population/upper").value(), share);
  EXPECT_NE(answers[1].text.find("mean(age) by city"), std::string::npos);
  EXPECT_THAT(test::refusal_of([] { static_cast<void>(answer(released(), {"share(town)"})); }),
              ::testing::HasSubstr("no column \"town\""));
  EXPECT_TRUE(answer(released(), {}).empty());
}

}  // namespace
}  // namespace mollify::front
