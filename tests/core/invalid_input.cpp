#include "core/invalid_input.h"

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "core/ranges.h"

namespace mollify {

namespace {

TEST(InvalidInput, ShowsEveryNul) {
  EXPECT_STREQ(InvalidInput("wrong-type", std::string("a\0b\0", 4)).what(), "a\\0b\\0");
  EXPECT_STREQ(InvalidInput("wrong-type", "\\0").what(), "\\0");
}

TEST(InvalidInput, SaysTheBeginningAndTheEndOfALongSentence) {
  const std::string quoted(1'000'000, '[');
  const std::string said = InvalidInput("unknown-name", "mechanism must be minimax, but is \"" +
                                                            quoted + "\": leave it out")
                               .what();
  EXPECT_LT(said.size(), 2050U);
  EXPECT_EQ(said.substr(0, 40), "mechanism must be minimax, but is \"[[[[[");
  EXPECT_NE(said.find("[... (998050 bytes) ...["), std::string::npos) << said;
  EXPECT_EQ(said.substr(said.size() - 18), "[[[\": leave it out");
  const std::string whole(2000, 'x');
  EXPECT_EQ(InvalidInput("wrong-type", whole).what(), whole);
}

// Python takes UTF-8 alone.
TEST(InvalidInput, CutsNoLetter) {
  for (std::size_t before = 0; before < 4; ++before) {
    std::string sentence(before, 'x');
    for (int i = 0; i < 1000; ++i) sentence += "\u20ac";
    const std::string said = InvalidInput("wrong-type", sentence).what();
    const std::size_t first = said.find("...");
    const std::size_t last = said.rfind("...") + 3;
    EXPECT_EQ((first - before) % 3, 0U) << before;
    EXPECT_EQ((said.size() - last) % 3, 0U) << before;
    EXPECT_LT(said.size(), 2050U);
  }
  EXPECT_LT(std::string(InvalidInput("wrong-type", std::string(5000, '\x80')).what()).size(),
            2050U);
}

TEST(InvalidInput, ConcernsAParameterOrAColumn) {
  const InvalidInput flag("out-of-range", "epsilon must be positive", "epsilon",
                          {WayOut::set("epsilon", "1"), WayOut::leave("epsilon")});
  EXPECT_EQ(flag.parameter(), "epsilon");
  EXPECT_EQ(flag.column(), "");
  EXPECT_EQ(flag.ways_out().back(), (WayOut{WayOut::Action::kLeave, "epsilon"}));
  const InvalidInput column("unknown-column", "no column", Concern::of_column("my-age"));
  EXPECT_EQ(column.parameter(), "");
  EXPECT_EQ(column.column(), "my-age");
}

TEST(InvalidInput, KeepsItsFactsInALongerSentence) {
  const InvalidInput inner("not-ascending", "min must be at most max", "min");
  const InvalidInput outer(inner, "column \"age\": min must be at most max",
                           Concern::of_column("age"));
  EXPECT_EQ(outer.code(), inner.code());
  EXPECT_EQ(outer.parameter(), "min");
  EXPECT_EQ(outer.column(), "age");
  EXPECT_EQ(inner.column(), "");
}

TEST(InvalidInput, OfARangeHasTheNumbersThatDecide) {
  const auto refused_by = [](const auto& action) {
    try {
      action();
    } catch (const InvalidInput& refused) {
      return refused;
    }
    return InvalidInput("internal-error", "accepted");
  };
  const InvalidInput whole = refused_by([] {
    require_between({"the number of outcomes", "k", "outcomes"}, std::uint64_t{26}, 1, 9);
  });
  EXPECT_STREQ(whole.what(), "the number of outcomes must be from 1 to 9, but is 26");
  EXPECT_EQ(whole.code(), Code("out-of-range"));
  EXPECT_EQ(whole.parameter(), "k");
  EXPECT_EQ(whole.ways_out(), (std::vector{WayOut::set("k")}));
  EXPECT_EQ(whole.quantities(),
            (std::vector<Quantity>{
                {"given", 26, "outcomes"}, {"least", 1, "outcomes"}, {"most", 9, "outcomes"}}));
  const InvalidInput open = refused_by([] { require_in(kInsideOne, "delta", 1.0); });
  EXPECT_STREQ(open.what(), "delta must be above 0 and below 1, but is 1");
  EXPECT_EQ(open.quantities(), (std::vector<Quantity>{{"given", 1}, {"above", 0}, {"below", 1}}));
  const InvalidInput longer(whole, "in a file: it must be from 1 to 9", Concern::in_file("a.csv"));
  EXPECT_EQ(longer.quantities(), whole.quantities());
  EXPECT_TRUE(InvalidInput("internal-error", "none").quantities().empty());
}

TEST(Range, HoldsItsEndsUnlessTheyAreOpen) {
  const double kNone = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(kPositive.has(0));
  EXPECT_TRUE(kPositive.has(5e-324));
  EXPECT_TRUE(kNotNegative.has(0));
  EXPECT_TRUE(kBelowOne.has(0));
  EXPECT_FALSE(kBelowOne.has(1));
  EXPECT_FALSE(kInsideOne.has(0));
  EXPECT_TRUE(positive_up_to(1).has(1));
  for (const Range& range : {kPositive, kNotNegative, kBelowOne, kInsideOne, Range{}}) {
    EXPECT_FALSE(range.has(kNone));
    EXPECT_FALSE(range.has(std::numeric_limits<double>::infinity()));
  }
  EXPECT_EQ(kPositive.words(), "finite and positive");
  EXPECT_EQ(kNotNegative.words(), "finite and at least 0");
  EXPECT_EQ(kBelowOne.words(), "at least 0 and below 1");
  EXPECT_EQ(kInsideOne.words(), "above 0 and below 1");
  EXPECT_EQ(positive_up_to(1e6).words(), "above 0 and at most 1e6");
  EXPECT_EQ((Range{1e-6, 0.5}).words(), "from 1e-6 to 0.5");
  EXPECT_EQ((Range{1, 1e8}).words(true), "from 1 to 100000000");
  EXPECT_EQ((Range{.least = 1}).words(true), "at least 1");
}

TEST(Exact, WritesTheFewestDigitsThatMeanTheNumber) {
  EXPECT_EQ(detail::exact(0.1), "0.1");
  EXPECT_EQ(detail::exact(1.0000001), "1.0000001");
  EXPECT_EQ(detail::exact(1e-6), "1e-6");
  EXPECT_EQ(detail::exact(1e6), "1e6");
  EXPECT_EQ(detail::exact(1e26), "1e26");
  EXPECT_EQ(detail::exact(-1.5e-300), "-1.5e-300");
  EXPECT_EQ(detail::exact(16777216.0), "16777216");
  EXPECT_EQ(detail::exact(std::uint64_t{18446744073709551615U}), "18446744073709551615");
}

}  // namespace

}  // namespace mollify
