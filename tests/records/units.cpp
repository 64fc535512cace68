#include "records/units.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {
namespace {

/// More integers than are kept at hand, met twice: neighbours and multiples of powers of two, which
/// spread worst, and some that look random, many of whom find all of their places taken.
std::vector<std::int64_t> many_integers() {
  std::vector<std::int64_t> ids;
  for (int round = 0; round < 2; ++round) {
    for (std::int64_t i = 0; i < 150'000; ++i) {
      ids.push_back(i - 500);
      if (i % 3 == 0) ids.push_back(i << 40U);
    }
    std::uint64_t state = 1;
    for (int i = 0; i < 60'000; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      ids.push_back(static_cast<std::int64_t>(state));
    }
    ids.push_back(std::numeric_limits<std::int64_t>::min());
    ids.push_back(std::numeric_limits<std::int64_t>::max());
  }
  return ids;
}

TEST(Units, AreTheSameOfIntegersAndOfTheirTexts) {
  const std::vector<std::int64_t> integers = many_integers();
  std::vector<std::string> texts;
  texts.reserve(integers.size());
  for (const std::int64_t id : integers) texts.push_back(std::to_string(id));
  const std::vector<std::string_view> views(texts.begin(), texts.end());

  Units of_integers(std::nullopt);
  Units of_texts(std::nullopt);
  const auto by_integer = of_integers.of(Values(std::span(integers), {}));
  const auto by_text = of_texts.of(Values(std::span(views), {}));
  ASSERT_EQ(std::vector(by_integer.begin(), by_integer.end()),
            std::vector(by_text.begin(), by_text.end()));
  EXPECT_EQ(of_integers.size(), of_texts.size());
  EXPECT_EQ(of_integers.in_public_order(), of_texts.in_public_order());
}

// A null may have the place of a word: it is nobody's, whether the word is met before it or after.
TEST(Units, OfANullInADictionaryThereIsNone) {
  const std::vector<std::string_view> names = {"ann", "bob"};
  const Values words{std::span(names)};
  const std::vector<std::uint32_t> places = {0, 1, 0, 1, 0};
  const std::vector<std::uint8_t> valid = {1, 0, 0, 1, 1};
  Units units(std::nullopt);
  const auto found = units.of(Values(Dictionary{places, &words}, valid));
  EXPECT_EQ(std::vector(found.begin(), found.end()),
            (std::vector<std::uint32_t>{0, Units::kNobody, Units::kNobody, 1, 0}));
}

TEST(Units, OfARosterAreThoseOfTheRosterAlone) {
  std::optional<Roster> roster(std::in_place);
  for (const char* id : {"7", "0", "-3"}) roster->insert(id);
  Units units(roster);
  const std::vector<std::int64_t> ids = {-3, 8, 7, 0, 8, -3, 0};
  const std::vector<std::uint8_t> valid = {1, 1, 1, 1, 1, 1, 0};
  const auto found = units.of(Values(std::span(ids), valid));
  EXPECT_EQ(
      std::vector(found.begin(), found.end()),
      (std::vector<std::uint32_t>{2, Units::kNobody, 0, 1, Units::kNobody, 2, Units::kNobody}));
}

}  // namespace
}  // namespace mollify
