#include "base/json.h"

#include <gtest/gtest.h>

#include "core/invalid_input.h"
#include "refusal.h"

namespace mollify {
namespace {

std::string syntax_refusal(const std::string& text) {
  return test::refusal_of([&] { require_json(text, "f.json"); });
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonSyntax, TakesWhatIsJson) {
  for (const char* text : {"{}", "[1, -2.5e3, \"a\", null, true]", "3",
                           R"({"a": {"b": 1}, "c": {"b": 1}, "d": [{"b": 1}, {"b": 2}]})"}) {
    EXPECT_EQ(syntax_refusal(text), "accepted") << text;
  }
  EXPECT_EQ(syntax_refusal(nested(64)), "accepted");
}

TEST(JsonSyntax, RefusesWhatIsNot) {
  EXPECT_EQ(syntax_refusal(""), "f.json must be JSON, but is empty");
  for (const char* text : {"{", "[1,", "{\"a\": \"b"}) {
    EXPECT_EQ(syntax_refusal(text), "f.json must be JSON, but ends too early") << text;
  }
  for (const auto& [text, place] :
       {std::pair{"[1,]", "line 1 column 4"}, std::pair{"{'a': 1}", "line 1 column 2"},
        std::pair{"nan", "line 1 column 2"}, std::pair{"{} {}", "line 1 column 4"},
        std::pair{"{\n  \"a\": local\n}\n", "line 2 column 8"}}) {
    EXPECT_EQ(syntax_refusal(text), std::string("f.json must be JSON, but is not at ") + place);
  }
}

TEST(JsonSyntax, RefusesNul) {
  for (const char* after : {"", " ", "{}", "garbage"}) {
    EXPECT_EQ(syntax_refusal(std::string("{}") + '\0' + after), "f.json must be JSON, but is not");
  }
  for (const auto& [text, shown] :
       {std::pair{R"({"a": "d.yaml\u0000.txt"})", R"(d.yaml\0.txt)"},
        std::pair{R"({"a\u0000b": 1})", R"(a\0b)"}, std::pair{R"(["\u0000"])", R"(\0)"}}) {
    EXPECT_EQ(
        syntax_refusal(text),
        std::string("f.json must be JSON without NUL in its texts, but has \"") + shown + '"');
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
