#include "release/json_syntax.h"

#include <gtest/gtest.h>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

std::string syntax_refusal(const std::string& text) {
  try {
    require_json(text, "f.json");
  } catch (const InvalidInput& refusal) {
    return refusal.what();
  }
  return "";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonSyntax, TakesWhatIsJson) {
  for (const char* text : {"{}", "[1, -2.5e3, \"a\", null, true]", "3",
                           R"({"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}, {"b": 2}]})"}) {
    EXPECT_EQ(syntax_refusal(text), "") << text;
  }
  EXPECT_EQ(syntax_refusal(nested(64)), "");
}

TEST(JsonSyntax, RefusesWhatIsNot) {
  for (const char* text : {"", "{", "[1,]", "{'a': 1}", "nan", "{} {}"}) {
    EXPECT_EQ(syntax_refusal(text), "f.json must be JSON, but is not") << text;
  }
}

TEST(JsonSyntax, RefusesDepthsThatWouldExhaustTheStack) {
  for (const std::size_t depth : {65U, 20'000U, 1'000'000U}) {
    EXPECT_EQ(syntax_refusal(nested(depth)),
              "f.json must be JSON nested at most 64 deep, but is deeper");
  }
}

TEST(JsonSyntax, RefusesRepeatedKeys) {
  EXPECT_EQ(syntax_refusal(R"({"x": [{"a": 1, "b": 2, "a": 1}]})"),
            "f.json must be JSON without repeated keys, but repeats \"a\"");
}

}  // namespace
}  // namespace mollify
