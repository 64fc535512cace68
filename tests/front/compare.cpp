#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "mollify/answers.h"
#include "mollify/program.h"
#include "refusal.h"

namespace mollify::front {
namespace {

using ::testing::HasSubstr;

constexpr const char* kTable = "who,colour\nann,red\nann,blue\nbob,green\n";

Domain colours() {
  return Domain::make({Column::declare(
      "colour", {{"type", "categorical"}, {"values", {"red", "green"}}, {"null", "red"}})});
}

std::string spec_with(const std::string& parts) {
  return R"({"method": "local", "unit": "who", "domain": {"text": "columns: {colour: {type: )"
         R"(categorical, values: [red, green], null: red}}"}, "privacy": {"epsilon": 2})" +
         parts + "}";
}

struct Stopping : public Watch {
  bool wants_stop() override { return true; }
  void reached(const std::string&, std::uint64_t, std::uint64_t) override {}
};

TEST(FrontCompare, ChecksATextAsAFile) {
  const Answer found =
      check(colours(), "data", R"({"unit": "who"})", "the question", {{"data", kTable}});
  const auto json = nlohmann::json::parse(found.json);
  EXPECT_EQ(json["findings"], 1);
  EXPECT_EQ(json["listed"][0]["line"], 3);
  EXPECT_THAT(
      found.text,
      HasSubstr("data:3: colour must be one of 2 declared values or null, but is \"blue\""));
  EXPECT_TRUE(found.warnings.empty()) << "the word becomes null, or what null does";
}

TEST(FrontCompare, ShowsTheLawBesideTheTruth) {
  const std::vector<std::string> who = {"ann", "ann", "bob"}, colour = {"red", "blue", "green"};
  const std::vector<std::string_view> units(who.begin(), who.end());
  const std::vector<std::string_view> colours_of(colour.begin(), colour.end());
  const Source data = Source::memory({{"who", units}, {"colour", colours_of}});
  const std::vector<std::string> one = {spec_with("")};
  const Answer found = compare(one, data);
  const auto json = nlohmann::json::parse(found.json);
  // An undeclared value counts as a null, which becomes the first one.
  EXPECT_EQ(json["outcomes"][0]["truth"], 0.5);
  EXPECT_EQ(json["mapped"][0]["values"], 1);
  EXPECT_THAT(found.text, HasSubstr("all this is for --count 1, because none is given"));
  const std::vector<std::string> two = {spec_with(""), spec_with(R"(, "mechanism": "mixture")")};
  EXPECT_EQ(nlohmann::json::parse(compare(two, data).json)["compared"].size(), 2U);
  const Answer same = compare_released(R"({"domain": {"text": "columns: {colour: {type: )"
                                       R"(categorical, values: [red, green], null: red}}"}})",
                                       data, data, "rows");
  EXPECT_EQ(nlohmann::json::parse(same.json)["tv"], 0);
  EXPECT_THAT(same.text, HasSubstr("3 rows of rows beside 3 rows of the data"));
  Stopping stopping;
  const Watching watching(stopping);
  EXPECT_THROW(static_cast<void>(compare(one, data)), std::exception);
}

TEST(FrontCompare, TunesByPublicUnitsAlone) {
  const ReleaseSpec spec = ReleaseSpec::parse(spec_with(R"(, "count": 1)"));
  const char* const units = "who,colour\nann,red\nbob,green\n";
  const PublicTexts texts = {{"units", units}, {"data", kTable}};
  const Tuning found =
      tune(spec, R"({"public_units": {"file": "units"}, "best": true, "data": {"file": "data"}})",
           "the question", texts);
  EXPECT_THAT(found.band, HasSubstr("\"format\": \"mollify band 1\""));
  EXPECT_EQ(nlohmann::json::parse(found.answer.json)["units"], 2);
  EXPECT_EQ(test::refusal_of([&] {
              static_cast<void>(
                  tune(spec, R"({"public_units": {"file": "units"}, "data": {"file": "data"}})",
                       "the question", {{"units", units}, {"data", units}}));
            }),
            "the units must be public, but units is the private file itself");
}

}  // namespace
}  // namespace mollify::front
