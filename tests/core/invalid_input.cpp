#include "core/invalid_input.h"

#include <string>

#include <gtest/gtest.h>

namespace mollify {

namespace {

TEST(InvalidInput, ShowsEveryNul) {
  EXPECT_STREQ(InvalidInput(std::string("a\0b\0", 4)).what(), "a\\0b\\0");
  EXPECT_STREQ(InvalidInput("\\0").what(), "\\0");
}

TEST(InvalidInput, SaysTheBeginningAndTheEndOfALongSentence) {
  const std::string quoted(1'000'000, '[');
  const std::string said =
      InvalidInput("mechanism must be minimax, but is \"" + quoted + "\": leave it out").what();
  EXPECT_LT(said.size(), 2050U);
  EXPECT_EQ(said.substr(0, 40), "mechanism must be minimax, but is \"[[[[[");
  EXPECT_NE(said.find("[... (998050 bytes) ...["), std::string::npos) << said;
  EXPECT_EQ(said.substr(said.size() - 18), "[[[\": leave it out");
  const std::string whole(2000, 'x');
  EXPECT_EQ(InvalidInput(whole).what(), whole);
}

// Python takes UTF-8 alone.
TEST(InvalidInput, CutsNoLetter) {
  for (std::size_t before = 0; before < 4; ++before) {
    std::string sentence(before, 'x');
    for (int i = 0; i < 1000; ++i) sentence += "\u20ac";
    const std::string said = InvalidInput(sentence).what();
    const std::size_t first = said.find("...");
    const std::size_t last = said.rfind("...") + 3;
    EXPECT_EQ((first - before) % 3, 0U) << before;
    EXPECT_EQ((said.size() - last) % 3, 0U) << before;
    EXPECT_LT(said.size(), 2050U);
  }
  EXPECT_LT(std::string(InvalidInput(std::string(5000, '\x80')).what()).size(), 2050U);
}

}  // namespace

}  // namespace mollify
