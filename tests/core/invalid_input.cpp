#include "core/invalid_input.h"

#include <string>

#include <gtest/gtest.h>

#include "refusal.h"

namespace mollify {

namespace {

TEST(WholeText, ShowsEveryNul) {
  EXPECT_EQ(with_visible_nul(std::string("a\0b\0", 4)), "a\\0b\\0");
  EXPECT_EQ(with_visible_nul("\\0"), "\\0");
}

TEST(WholeText, RefusesNul) {
  EXPECT_EQ(test::refusal_of([] { require_without_nul("a name", "ab"); }), "accepted");
  EXPECT_EQ(test::refusal_of([] { require_without_nul("a name", std::string("a\0b", 3)); }),
            "a name must be text without NUL, but is \"a\\0b\"");
}

}  // namespace

}  // namespace mollify
