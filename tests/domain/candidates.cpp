#include "domain/candidates.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chi_square.h"
#include "columns.h"
#include "core/invalid_input.h"
#include "core/random.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/numbers.h"
#include "domain/words.h"
#include "refusal.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Candidates.

namespace {

using ::testing::ElementsAre;

/// A column of every kind; `seed` is the list's.
Domain mixed(std::uint64_t seed) {
  return Domain::make(
      {Column::make("x", NumberCells::make(0, 1), {.null_is_category = true}),
       Column::make("i", IntegerCells::make(1, 5), {.null_is_category = true}),
       test::without_nulls("j", IntegerCells::make(0, std::int64_t{1} << 40, 1U << 24U)),
       Column::make("w", Categories::make({"a", "b", "c"}), {.null_is_category = true}),
       test::without_nulls("t", BooleanWords::make())},
      seed);
}

// The records were found by another program too, which follows the documentation: ChaCha20 by RFC
// 8439 and the rejection of uniform_below.
TEST(Candidates, OfASeedAreTheSameForEver) {
  const Candidates list = Candidates::seeded(mixed(7), 1000);
  EXPECT_EQ(list.size(), 1000U);
  EXPECT_EQ(list.columns(), 5U);
  EXPECT_THAT(list[0], ElementsAre(56509, 0, 15728069, 1, 0));
  EXPECT_THAT(list[999], ElementsAre(1032010, 2, 12198516, 1, 1));
}

TEST(Candidates, BeginALongerList) {
  const Candidates list = Candidates::seeded(mixed(7), 1000);
  const Candidates longer = Candidates::seeded(mixed(7), 1500);
  for (std::size_t i = 0; i < list.digits().size(); ++i) {
    ASSERT_EQ(list.digits()[i], longer.digits()[i]);
  }
  EXPECT_NE(Candidates::seeded(mixed(8), 1)[0][0], list[0][0]);
}

TEST(Candidates, AreFreshEachTime) {
  SecureRandom random;
  const Candidates one = Candidates::fresh(mixed(7), 100, random);
  const Candidates other = Candidates::fresh(mixed(7), 100, random);
  EXPECT_FALSE(std::equal(one.digits().begin(), one.digits().end(), other.digits().begin()));
}

TEST(Candidates, AreEvenInEveryColumn) {
  const Domain domain = mixed(3);
  const Candidates list = Candidates::seeded(domain, 60'000);
  std::vector<std::uint64_t> x(11), i(6), j(16), w(4), t(2);
  for (std::size_t record = 0; record < list.size(); ++record) {
    const auto digits = list[record];
    for (std::size_t c = 0; c < 5; ++c) ASSERT_LT(digits[c], domain.columns()[c].size());
    ++x[digits[0] == (1U << 20U) ? 10 : digits[0] * 10ULL >> 20U];
    ++i[digits[1]];
    ++j[digits[2] >> 20U];
    ++w[digits[3]];
    ++t[digits[4]];
  }
  const auto even = [](const std::vector<std::uint64_t>& seen) {
    const std::vector<double> masses(seen.size(), 1.0 / static_cast<double>(seen.size()));
    return test::follows(masses, seen);
  };
  EXPECT_TRUE(even(x)) << "ten parts of the number, and null";
  EXPECT_TRUE(even(i)) << "five integers, and null";
  EXPECT_TRUE(even(j));
  EXPECT_TRUE(even(w));
  EXPECT_TRUE(even(t));
}

// The mean of 1/density over the list is the measure of the space, whatever the density is.
TEST(Candidates, KnowTheDensityTheyWereDrawnFrom) {
  const Candidates list = Candidates::seeded(mixed(3), 60'000);
  ASSERT_EQ(list.densities().size(), list.size());
  double sum = 0;
  for (const float density : list.densities()) sum += 1 / static_cast<double>(density);
  // (1 + 1) for the number and its null, (5 + 1) for the integer and its null; the others are even.
  // 1/density is 1.1 or 11 times 6: standard deviation 17.2, and 4.9 of them in the mean of 60 000.
  std::printf("mean of 1/density %.3f, expected 12\n", sum / 60'000);
  EXPECT_NEAR(sum / 60'000, 12, 4.9 * 17.2 / std::sqrt(60'000));
  EXPECT_TRUE(
      Candidates::seeded(Domain::make({test::without_nulls("x", NumberCells::make(0, 1))}), 5)
          .densities()
          .empty());
}

TEST(Candidates, RefuseInOneSentence) {
  const Domain domain = Domain::make({test::without_nulls("x", NumberCells::make(0, 1, 4)),
                                      test::without_nulls("t", BooleanWords::make())});
  const auto refusal = [&](std::vector<std::uint32_t> digits, std::vector<float> densities = {}) {
    return test::refusal_of(
        [&] { (void)Candidates::of(domain, std::move(digits), std::move(densities)); });
  };
  EXPECT_EQ(refusal({0, 1, 3, 0}), "accepted");
  EXPECT_EQ(refusal({0, 1, 3, 0}, {1, 2}), "accepted");
  EXPECT_EQ(refusal({}), "the number of candidates must be from 1 to 16777216, but is 0");
  EXPECT_EQ(refusal({0, 1, 3}), "candidates must have 2 digits each, but there are 3 in all");
  EXPECT_EQ(refusal({0, 1, 4, 0}),
            "candidate 1 must have a digit below 4 for column \"x\", but has 4");
  EXPECT_EQ(refusal({0, 1}, {1, 2}), "1 candidates must have as many densities, but have 2");
  EXPECT_EQ(refusal({0, 1}, {0}), "candidate 0 must have a positive, finite density, but has 0");
  EXPECT_EQ(refusal({0, 1}, {std::numeric_limits<float>::infinity()}),
            "candidate 0 must have a positive, finite density, but has inf");
  EXPECT_THROW((void)Candidates::seeded(domain, 0), InvalidInput);
  EXPECT_THROW((void)Candidates::seeded(domain, (1U << 24U) + 1), InvalidInput);
}

}  // namespace

// -----------------------------------------------------------------------------------------------
// Seeded random.

namespace {

std::vector<std::uint64_t> seeded_words_of(std::uint64_t seed, std::size_t count) {
  SeededRandom random(seed);
  std::vector<std::uint64_t> words(count);
  for (std::uint64_t& word : words) word = random.word();
  return words;
}

TEST(SeededRandom, RepeatsItselfAndDiffersBySeed) {
  EXPECT_EQ(seeded_words_of(7, 1000), seeded_words_of(7, 1000));
  EXPECT_NE(seeded_words_of(7, 1000), seeded_words_of(8, 1000));
  EXPECT_NE(seeded_words_of(7, 10), seeded_words_of(7 + (std::uint64_t{1} << 32), 10));
}

// Results made with a seed are worth keeping only if every later version repeats them.
TEST(SeededRandom, IsTheStreamOfItsSeed) {
  const std::uint64_t seed = 0x0123456789abcdef;
  const std::uint32_t key[8] = {0x89abcdef, 0x01234567};
  std::vector<std::uint64_t> expected(3 * 128);
  for (std::uint32_t batch = 0; batch < 3; ++batch) {
    const std::uint32_t nonce[3] = {batch, 0, 0};
    detail::chacha20(key, nonce, 0, reinterpret_cast<unsigned char*>(&expected[batch * 128]), 2);
  }
  EXPECT_EQ(seeded_words_of(seed, expected.size()), expected);
}

TEST(SeededRandom, StaysBelowTheBound) {
  SeededRandom random(1);
  for (const std::uint64_t bound : {1u, 2u, 3u, 1000u}) {
    for (int i = 0; i < 1000; ++i) EXPECT_LT(random.below(bound), bound);
  }
}

static_assert(!std::is_convertible_v<SeededRandom, SecureRandom>);
static_assert(!std::is_base_of_v<SecureRandom, SeededRandom>);

}  // namespace

}  // namespace mollify
