#include "methods/answers/questions.h"

#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify {

namespace {

using testing::HasSubstr;

struct ReadQuestion {
  const char* text;
  QuestionKind kind;
  const char* column;
  const char* value;
  const char* by;
  double quantile;
  std::vector<std::string> terms;
};

TEST(Questions, AreReadAsTheyAreAsked) {
  const ReadQuestion cases[] = {
      {"share(happy)", QuestionKind::kShares, "happy", "", "", .5, {}},
      {"share(happy = very)", QuestionKind::kShares, "happy", "very", "", .5, {}},
      {"  share ( happy=very )by\tattend ",
       QuestionKind::kShares,
       "happy",
       "very",
       "attend",
       .5,
       {}},
      {"share(happy = very) by attend, race",
       QuestionKind::kShares,
       "happy",
       "very",
       "attend|race",
       .5,
       {}},
      {"happy:attend", QuestionKind::kTable, "happy", "", "attend", .5, {}},
      {"happy : attend:race", QuestionKind::kTable, "happy", "", "attend|race", .5, {}},
      {"table(happy, attend, race)", QuestionKind::kTable, "happy", "", "attend|race", .5, {}},
      {"mean(income)", QuestionKind::kMean, "income", "", "", .5, {}},
      {"mean(income) by region", QuestionKind::kMean, "income", "", "region", .5, {}},
      {"quantile(income, .9)", QuestionKind::kQuantile, "income", "", "", .9, {}},
      {"quantile(income,0.25) by region", QuestionKind::kQuantile, "income", "", "region", .25, {}},
      {"table(happy, attend)", QuestionKind::kTable, "happy", "", "attend", .5, {}},
      {"income ~ age + region", QuestionKind::kRegression, "income", "", "", .5, {"age", "region"}},
      {"happy = very~attend", QuestionKind::kRegression, "happy", "very", "", .5, {"attend"}},
      {R"q(share("a ""b"" (c)" = "x = y"))q",
       QuestionKind::kShares,
       R"q(a "b" (c))q",
       "x = y",
       "",
       .5,
       {}},
      {R"q(share("share" = "") by "by")q", QuestionKind::kShares, "share", "", "by", .5, {}},
      {"mean(größe)", QuestionKind::kMean, "größe", "", "", .5, {}},
      {"share(x = -1.5)", QuestionKind::kShares, "x", "-1.5", "", .5, {}},
  };
  for (const ReadQuestion& one : cases) {
    const TableQuestion read = parse_question(one.text);
    EXPECT_EQ(read.kind, one.kind) << one.text;
    EXPECT_EQ(read.column, one.column) << one.text;
    EXPECT_EQ(read.value.value_or(""), one.value) << one.text;
    EXPECT_EQ(fmt::format("{}", fmt::join(read.by, "|")), one.by) << one.text;
    EXPECT_EQ(read.quantile, one.quantile) << one.text;
    EXPECT_EQ(read.terms, one.terms) << one.text;
    EXPECT_EQ(read.text, one.text);
  }
}

TEST(Questions, HaveWeightsAndErrors) {
  struct Wishes {
    const char* text;
    const char* asked;
    double weight;
    double error;  // 0 if none
    const char* released;
  };
  const Wishes cases[] = {
      {"a:b weight 4", "a:b", 4, 0, "a:b weight 4"},
      {"a:b  error .01 ", "a:b", 1, .01, "a:b"},
      {"mean(a) by b error 1e3 weight 0.5", "mean(a) by b", .5, 1000, "mean(a) by b weight 0.5"},
      {"y = 1 ~ a + b weight 2 error 5", "y = 1 ~ a + b", 2, 5, "y = 1 ~ a + b weight 2"},
      {"share(a) weight 1", "share(a)", 1, 0, "share(a)"},
      {"table(a, b)weight 100", "table(a, b)", 100, 0, "table(a, b) weight 100"},
      // Columns of these names.
      {"y ~ weight + error", "y ~ weight + error", 1, 0, "y ~ weight + error"},
      {"share(weight) by error weight 3", "share(weight) by error", 3, 0,
       "share(weight) by error weight 3"},
      {"weight:error error 2", "weight:error", 1, 2, "weight:error"},
  };
  for (const Wishes& one : cases) {
    const TableQuestion read = parse_question(one.text);
    EXPECT_EQ(read.text, one.asked);
    EXPECT_EQ(read.weight, one.weight) << one.text;
    EXPECT_EQ(read.error.value_or(0), one.error) << one.text;
    EXPECT_EQ(text_with_weight(read), one.released);
  }
  const auto refusal = [](const char* text) {
    return test::refusal_of([&] { static_cast<void>(parse_question(text)); });
  };
  EXPECT_EQ(
      refusal("a:b weight 0"),
      "the weight of a question must be a number from 0.01 to 100, but in \"a:b weight 0\" is "
      "0");
  EXPECT_THAT(refusal("a:b weight 101"), HasSubstr("from 0.01 to 100"));
  EXPECT_THAT(refusal("a:b weight nan"), HasSubstr("from 0.01 to 100"));
  EXPECT_THAT(refusal("a:b error -1"),
              HasSubstr("the error of a question must be a number above 0"));
  EXPECT_THAT(refusal("a:b error inf"), HasSubstr("above 0"));
  for (const char* const text : {"a:b weight", "a:b weight 1 weight 2", "a:b error 1 error 2",
                                 "a:b weight 4 by c", "a:b weights 4", "weight 4"}) {
    EXPECT_THAT(refusal(text), HasSubstr("a question must be")) << text;
  }
}

TEST(Questions, OfOtherTextAreRefusedInOneSentence) {
  for (const char* const text : {"",
                                 " ",
                                 "share",
                                 "share(",
                                 "share()",
                                 "share(x",
                                 "share(x))",
                                 "share(x =)",
                                 "share(x = a b)",
                                 "share(x) of y",
                                 "share(x) by",
                                 "share(x) by y z",
                                 "share(x) by y, z, w",
                                 "share(x) by y,",
                                 "x:y:z:w",
                                 "x:",
                                 "table(x, y, z, w)",
                                 "mean(x = 1)",
                                 "quantile(x)",
                                 "quantile(x, 0)",
                                 "quantile(x, 1)",
                                 "quantile(x, nan)",
                                 "quantile(x, half)",
                                 "table(x)",
                                 "table(x, y) by z",
                                 "total(x)",
                                 "x ~",
                                 "x ~ + y",
                                 "x ~ y +",
                                 "x ~ y z",
                                 "x = ~ y",
                                 "~ y",
                                 "x, y",
                                 "share(\"x)",
                                 "share(x) \n by y",
                                 "x ~ y ~ z",
                                 "x == y ~ z"}) {
    const std::string refusal = test::refusal_of([&] { static_cast<void>(parse_question(text)); });
    EXPECT_THAT(refusal, HasSubstr("a question must be")) << text;
    EXPECT_EQ(refusal.find('\n'), std::string::npos) << text;
  }
}

TEST(Questions, NeedTheirColumnsTogether) {
  using Tables = std::vector<std::vector<std::string>>;
  EXPECT_EQ(tables_of(parse_question("share(a)")), Tables{});
  EXPECT_EQ(tables_of(parse_question("share(a) by b")), (Tables{{"a", "b"}}));
  EXPECT_EQ(tables_of(parse_question("mean(a) by b, c")), (Tables{{"a", "b", "c"}}));
  EXPECT_EQ(tables_of(parse_question("a:b:c")), (Tables{{"a", "b", "c"}}));
  EXPECT_EQ(tables_of(parse_question("a ~ b + c")), (Tables{{"a", "b"}, {"a", "c"}, {"b", "c"}}));
}

/// A name in double quotes is read as it is, whatever it holds.
TEST(Questions, QuoteAnything) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 1000; ++run) {
    std::string name, value;
    for (std::uint64_t length = random() % 8; length > 0; --length) {
      name += static_cast<char>(random() % 256);
      value += static_cast<char>(random() % 256);
    }
    const auto quoted = [](const std::string& text) {
      std::string made = "\"";
      for (const char sign : text) made += sign == '"' ? "\"\"" : std::string(1, sign);
      return made + "\"";
    };
    const TableQuestion read =
        parse_question("share(" + quoted(name) + " = " + quoted(value) + ")");
    EXPECT_EQ(read.column, name);
    EXPECT_EQ(read.value, value);
  }
}

TEST(Questions, OfAFileAreItsLines) {
  const auto read = parse_questions("# first\n\nshare(a)\r\n  mean(b) by c  \n#\nx ~ y", "file");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(read[0].column, "a");
  EXPECT_EQ(read[1].text, "mean(b) by c");
  EXPECT_EQ(read[2].terms, std::vector<std::string>{"y"});
  const auto refusal = [](const char* text) {
    return test::refusal_of([&] { static_cast<void>(parse_questions(text, "file")); });
  };
  EXPECT_THAT(refusal("share(a)\n\nshare("), HasSubstr("file:3"));
  EXPECT_THAT(refusal("# nothing\n"), HasSubstr("must hold a question"));
}

}  // namespace

}  // namespace mollify
