#include "domain/same_value.h"

#include <rapidcheck.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace mollify {

namespace {

TEST(TypeOfWords, IsOfNumbersIfAllWordsAre) {
  using Words = std::vector<std::string>;
  using enum ValueType;
  const auto type = [](const Words& words, bool ordered = false) {
    return type_of_words(words, ordered);
  };
  EXPECT_EQ(type({"1", "-2", "3.0", "9223372036854775807"}), kInteger);
  EXPECT_EQ(type({"0.5", "1", "-.25", "1e3", "2."}), kNumber);
  for (const char* const word : {"x", "", "01", "-00.5", "+1", "1%", "1,000", " 1", "inf", "nan",
                                 "-", ".", "1e", "0x1", "9223372036854775808", "1e999", "true"}) {
    EXPECT_EQ(type({"0.5", word}), kText) << word;
  }
  EXPECT_EQ(type({"0", "0.0000000000000000000001"}), kNumber);
  EXPECT_EQ(type({"0.5", "0.50000000000000000001"}), kText) << "one double";
  EXPECT_EQ(type({}), kText);
  // The order of words is lost where numbers have another one.
  EXPECT_EQ(type({"3", "1", "2"}), kInteger);
  EXPECT_EQ(type({"3", "1", "2"}, true), kText);
  EXPECT_EQ(type({"2", "10"}, true), kInteger);
  EXPECT_EQ(type({"0.5", "10"}, true), kNumber);
  EXPECT_EQ(type({"10", "0.5"}, true), kText);
}

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

/// Texts of one hash under libstdc++'s std::hash, MurmurHash64A: whatever its state, flipping the
/// highest bit of two mixed words in a row leaves it as it was. 2^pairs of them.
std::vector<std::string> murmur_collisions(unsigned pairs) {
  constexpr std::uint64_t kFactor = 0xc6a4a7935bd1e995;
  std::uint64_t inverse = kFactor;  // modulo 2^64, by Newton's steps
  for (int i = 0; i < 6; ++i) inverse *= 2 - kFactor * inverse;
  // Mixing is k *= m, k ^= k >> 47, k *= m.
  const auto unmixed = [&](std::uint64_t mixed) {
    std::uint64_t word = mixed * inverse;
    word ^= word >> 47U;
    return word * inverse;
  };
  std::vector<std::string> texts;
  for (std::uint64_t choice = 0; choice < std::uint64_t{1} << pairs; ++choice) {
    std::string text;
    for (unsigned pair = 0; pair < pairs; ++pair) {
      const std::uint64_t flip = (choice >> pair & 1U) << 63U;
      for (const std::uint64_t mixed : {std::uint64_t{17}, std::uint64_t{pair}}) {
        const std::uint64_t word = unmixed(mixed ^ flip);
        text.append(reinterpret_cast<const char*>(&word), sizeof word);
      }
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

// Whoever chooses ids could make a release as slow as they liked: 2^14 of these took half a minute.
TEST(StringIndex, TakesTextsThatWereMadeToCollideInTime) {
  const std::vector<std::string> texts = murmur_collisions(14);
  EXPECT_EQ(std::hash<std::string>{}(texts.front()), std::hash<std::string>{}(texts.back()))
      << "they are made for another library";
  const auto begin = std::chrono::steady_clock::now();
  StringIndex index;
  for (const std::string& text : texts) index.insert(text);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%zu colliding texts took %.4f s\n", texts.size(), seconds.count());
  EXPECT_EQ(index.size(), texts.size());
  EXPECT_LT(seconds.count(), 0.5);
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
