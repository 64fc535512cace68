// What messages call a part, in every interface that asks by JSON.
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/requests.h"
#include "base/json.h"
#include "base/speech.h"
#include "core/invalid_input.h"
#include "release/spec.h"

namespace mollify {
namespace {

/// Everything that is asked for by an object of declared parts.
std::vector<std::string> all_asked() {
  std::vector<std::string> all = {"spec"};
  for (const Request& one : requests()) all.emplace_back(one.name);
  return all;
}

std::span<const Part> parts_of(std::string_view asked) {
  return asked == "spec" ? spec_parts() : request_parts(asked);
}

Json with(std::string_view place, Json value) {
  Json object = Json::object();
  object[Json::json_pointer(std::string(place))] = std::move(value);
  return object;
}

/// A value of its kind and in its range.
Json value_of(const Part& part) {
  using enum PartKind;
  const bool is_finite = part.below < OwnPart::kNoLimit;
  const double number =
      is_finite ? (std::max(part.least, 0.0) + part.below) / 2 : std::max(part.least, 0.0) + 1;
  switch (part.kind) {
    case kObject:
      return Json::object();
    case kText:
      return "a";
    case kWhole:
      return 1U;
    case kNumber:
      return part.most < number ? part.most : number;
    case kDecimal:
      return "1";
    case kTruth:
      return true;
    case kTexts:
    case kColumns:
      return Json::array({"a"});
    case kWholes:
      return Json::array({2U});
    case kFile:
    case kDomain:
      return {{"file", "a"}};
  }
  return nullptr;
}

class Places : public testing::TestWithParam<std::string> {};

TEST_P(Places, ThatMessagesNameAreKeysOfWhatIsAsked) {
  const Speaking spec(Speech::kSpec);
  const auto parts = parts_of(GetParam());
  const std::string object = "the object";
  for (const Part& part : parts) {
    const std::string place = std::string(part.place).substr(1);
    try {
      const PartReader reader(parts, with(part.place, nullptr), object, "an object");
      ADD_FAILURE() << place << " must not be null";
    } catch (const InvalidInput& refused) {
      EXPECT_EQ(refused.code().name, "wrong-type");
      EXPECT_EQ(parameter_name_of(refused.parameter()), place);
      ASSERT_EQ(refused.ways_out().size(), 1U);
      EXPECT_EQ(part_name(refused.ways_out().front()), place);
    }
    // Its sentences name it by the key that the object takes.
    Json given = with(part.place, value_of(part));
    for (const Part* one = &part; *one->needs != '\0';) {
      one = &*std::find_if(parts.begin(), parts.end(), [&](const Part& needed) {
        return std::string_view(one->needs) == needed.place;
      });
      given[Json::json_pointer(one->place)] = value_of(*one);
    }
    const PartReader reader(parts, given, object, "an object");
    EXPECT_TRUE(reader.has(part.place));
    if (*part.flag != '\0') {
      EXPECT_EQ(flag_words(parameter_of(part.flag)), place);
    }
    EXPECT_EQ(parameter_name_of(part.place), place) << "a place is no other part's flag";
  }
}

TEST_P(Places, OfKeysThatAreNoPartsAreAsTheyWereGiven) {
  const auto parts = parts_of(GetParam());
  for (const Part& part : parts) {  // a flag's name is no key, if the key has another
    const std::string flag(parameter_of(part.flag));
    const bool is_key = std::any_of(parts.begin(), parts.end(), [&](const Part& one) {
      return std::string_view(one.place).substr(1) == flag;
    });
    if (flag.empty() || is_key) continue;
    for (const Speech speech : {Speech::kSpec, Speech::kCommand}) {
      const Speaking now(speech);
      try {
        const PartReader reader(parts, with("/" + flag, nullptr), "the object", "an object");
        ADD_FAILURE() << flag << " is no key";
      } catch (const InvalidInput& refused) {
        EXPECT_EQ(refused.code().name, "unknown-key");
        EXPECT_EQ(parameter_name_of(refused.parameter()), flag);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Places, testing::ValuesIn(all_asked()),
                         [](const auto& asked) { return asked.param; });

TEST(PlacesOfThreads, AreOfWhatWasAskedLast) {
  const Speaking spec(Speech::kSpec);
  const Json none = Json::object();
  const std::string object = "the object";
  const PartReader advise(request_parts("advise"), none, object, "a question");
  EXPECT_EQ(flag_words("epsilon"), "epsilon");
  EXPECT_EQ(flag_words("candidates-file"), "space/list") << "of the spec that is advised";
  const PartReader check(request_parts("check"), none, object, "a question");
  EXPECT_EQ(flag_words("reference"), "references");
  const PartReader release(spec_parts(), none, object, "a spec");
  EXPECT_EQ(flag_words("epsilon"), "privacy/epsilon");
  EXPECT_EQ(setting_words("units", "a.csv"), "roster a.csv");
  EXPECT_EQ(flag_words("data-set"), "data_set") << "no part of any object";
  const Speaking python(Speech::kPython);
  EXPECT_EQ(flag_words("units"), "units");
}

TEST(WholeNumbers, ThatNoPartCanHaveAreOutOfRange) {
  const std::string object = "the object";
  const auto code_of = [&](std::string_view name, const char* place, Json value) {
    try {
      const PartReader reader(parts_of(name), with(place, std::move(value)), object, "an object");
    } catch (const InvalidInput& refused) {
      return std::string(refused.code().name);
    }
    return std::string("accepted");
  };
  for (const Json& given : {Json(-1), Json(1e26)}) {
    EXPECT_EQ(code_of("plan", "/k", given), "out-of-range");
    EXPECT_EQ(code_of("spec", "/count", given), "out-of-range");
    EXPECT_EQ(code_of("amplify", "/n", given), "out-of-range");
    EXPECT_EQ(code_of("advise", "/columns", Json::array({2U, given})), "out-of-range");
  }
  EXPECT_EQ(code_of("amplify", "/n", 0U), "out-of-range");
  EXPECT_EQ(code_of("plan", "/k", 2.5), "wrong-type");
  EXPECT_EQ(code_of("plan", "/k", "many"), "wrong-type");
}

}  // namespace
}  // namespace mollify
