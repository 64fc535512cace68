#include "core/invalid_input.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

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

TEST(InvalidInput, NamesAParameterOfARange) {
  const auto parameter = [](std::string_view what) {
    try {
      require_between(what, 3, 0, 2);
    } catch (const InvalidInput& refused) {
      EXPECT_EQ(refused.code(), Code("out-of-range"));
      return refused.parameter();
    }
    return std::string("none");
  };
  EXPECT_EQ(parameter("--cells"), "cells");
  EXPECT_EQ(parameter("k"), "k");
  EXPECT_EQ(parameter("the number of outcomes"), "");
}

}  // namespace

}  // namespace mollify
