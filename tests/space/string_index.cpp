#include "space/string_index.h"

#include <rapidcheck.h>

#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {
namespace {

TEST(StringIndex, FindsNothingWhenEmpty) {
  EXPECT_EQ(StringIndex().find(""), StringIndex::kAbsent);
  EXPECT_EQ(StringIndex().size(), 0U);
}

TEST(StringIndex, TellsEmptyAndBinaryTextsApart) {
  StringIndex index;
  EXPECT_EQ(index.insert(std::string(1, '\0')), 0U);
  EXPECT_EQ(index.insert(""), 1U);
  EXPECT_EQ(index.insert(std::string(2, '\0')), 2U);
  EXPECT_EQ(index.insert(""), 1U);
  EXPECT_EQ(index[1], "");
  EXPECT_EQ(index.find(std::string(2, '\0')), 2U);
}

RC_GTEST_PROP(StringIndex, AgreesWithAMap, (const std::vector<std::string>& texts)) {
  StringIndex index;
  std::unordered_map<std::string, std::uint32_t> expected;
  for (const std::string& text : texts) {
    const auto number = static_cast<std::uint32_t>(expected.size());
    RC_ASSERT(index.find(text) ==
              (expected.contains(text) ? expected[text] : StringIndex::kAbsent));
    RC_ASSERT(index.insert(text) == expected.emplace(text, number).first->second);
  }
  RC_ASSERT(index.size() == expected.size());
  for (const auto& [text, number] : expected) {
    RC_ASSERT(index.find(text) == number);
    RC_ASSERT(index[number] == text);
  }
}

}  // namespace
}  // namespace mollify
