#include "base/words.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify {

namespace {

TEST(ListWords, QuoteWhatWouldReadAsSeveralValuesOrNone) {
  // As a single name in a sentence.
  EXPECT_EQ(list_words({{"basic", "gold, family", "the \"best\""}}),
            "\"basic\", \"gold, family\", \"the \"\"best\"\"\"");
  EXPECT_EQ(list_item(""), "\"\"");
  EXPECT_EQ(list_item(" a"), "\" a\"");
  EXPECT_EQ(list_item("the \"best\""), "\"the \"\"best\"\"\"");
  EXPECT_EQ(list_item("20..39"), "20..39");
}

TEST(NumberHint, NamesANumberOfOneWord) {
  EXPECT_EQ(number_hint("two"), "; write 2");
  EXPECT_EQ(number_hint("1,5"), "; write 1.5, or one number");
  EXPECT_EQ(number_hint("many"), "");
}

TEST(TimesWords, WritesNumbersAsPeopleDo) {
  EXPECT_EQ(times_words(1), "nearly every time");
  EXPECT_EQ(times_words(0.5), "50 times in 100");
  EXPECT_EQ(times_words(1 / 17.5), "1 time in 17.5");
  EXPECT_EQ(times_words(1 / 272.2), "1 time in 272");
  EXPECT_EQ(times_words(1 / 999.7), "1 time in 1000");
  EXPECT_EQ(times_words(1 / 3741.0), "1 time in 3740");
  EXPECT_EQ(times_words(1 / 123456789.0), "1 time in 123000000");
  EXPECT_EQ(times_words(1e-10), "less than 1 time in a billion");
}

TEST(WholeText, RefusesNul) {
  EXPECT_EQ(test::refusal_of([] { require_without_nul("a name", "ab"); }), "accepted");
  EXPECT_EQ(test::refusal_of([] { require_without_nul("a name", std::string("a\0b", 3)); }),
            "a name must be text without NUL, but is \"a\\0b\"");
}

TEST(Counted, IsOneOrMany) {
  EXPECT_EQ(counted(0, "record"), "0 records");
  EXPECT_EQ(counted(1, "record"), "1 record");
  EXPECT_EQ(counted(2, "public unit"), "2 public units");
}

TEST(Quotes, AreDoubledInAValueBetweenQuotes) {
  const std::string name = "a\"b";
  const double number = 0.123;
  EXPECT_EQ(in_quotes(name), "\"a\"\"b\"");
  EXPECT_EQ(sentence_of("\"{}\" is {} of {{{}}}, not \"{}\" or \"x{}\"",
                        fmt::make_format_args(name, name, name, name, name)),
            "\"a\"\"b\" is a\"b of {a\"b}, not \"a\"\"b\" or \"xa\"b\"");
  EXPECT_EQ(sentence_of("{0}: {1:.2g} and \"{0}\"", fmt::make_format_args(name, number)),
            "a\"b: 0.12 and \"a\"\"b\"");
}

}  // namespace

}  // namespace mollify
