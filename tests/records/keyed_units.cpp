#include "records/keyed_units.h"

#include <sodium.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"

namespace mollify {

namespace {

using Words = std::vector<std::uint64_t>;

struct Tallies {
  std::vector<std::uint32_t> outcomes;
  std::vector<double> weights;
};

Words first_words(SecureRandom& random, std::size_t count) {
  Words words(count);
  for (std::uint64_t& word : words) word = random.word();
  return words;
}

Words keyed_words(KeyedUnits& units, std::string_view unit, const Tallies& tallies,
                  std::size_t count, const LawIntegers& law = {}, std::size_t draws = 1) {
  units.begin(unit, tallies.outcomes, tallies.weights);
  return first_words(units.of_law(law, draws), count);
}

void append_word(std::string& bytes, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i)));
}

template <class Second>
void append_pair(std::string& bytes, std::uint32_t first, Second second) {
  bytes.append(reinterpret_cast<const char*>(&first), 4);
  bytes.append(reinterpret_cast<const char*>(&second), 8);
}

/// The definition again, by libsodium's BLAKE2b of one string and its ChaCha20. `last` is what
/// follows the tallies.
Words words_by_definition(const ReleaseKey& key, std::string_view context, std::string_view unit,
                          const Tallies& tallies, const std::string& last, std::size_t count) {
  const std::vector<unsigned char> handed = key.bytes_for_workers();
  std::string bytes;
  append_word(bytes, context.size());
  bytes += context;
  append_word(bytes, unit.size());
  bytes += unit;
  append_word(bytes, tallies.outcomes.size());
  for (std::size_t i = 0; i < tallies.outcomes.size(); ++i) {
    append_pair(bytes, tallies.outcomes[i], tallies.weights[i]);
  }
  bytes += last;
  std::array<unsigned char, crypto_generichash_blake2b_PERSONALBYTES> purpose{};
  std::memcpy(purpose.data(), "mollify draws 2", 15);
  std::array<unsigned char, 32> stream_key{};
  crypto_generichash_blake2b_salt_personal(
      stream_key.data(), stream_key.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
      bytes.size(), handed.data() + handed.size() - 48, 32, nullptr, purpose.data());
  Words words;
  for (std::size_t stream_bytes = 512; words.size() < count; stream_bytes = 8192) {
    const std::array<unsigned char, 12> nonce{};
    Words stream(stream_bytes / 8);
    crypto_stream_chacha20_ietf(reinterpret_cast<unsigned char*>(stream.data()), stream_bytes,
                                nonce.data(), stream_key.data());
    std::memcpy(stream_key.data(), stream.data(), stream_key.size());
    words.insert(words.end(), stream.begin() + 4, stream.end());
  }
  words.resize(count);
  return words;
}

/// Of a law whose numerators are all hashed.
std::string law_bytes(const std::vector<std::uint32_t>& outcomes,
                      const std::vector<std::uint64_t>& numerators, std::uint64_t draws) {
  std::string bytes;
  append_word(bytes, 1);
  append_word(bytes, draws);
  append_word(bytes, outcomes.size());
  for (const std::uint32_t outcome : outcomes) {
    bytes.append(reinterpret_cast<const char*>(&outcome), sizeof outcome);
  }
  for (const std::uint64_t numerator : numerators) append_word(bytes, numerator);
  return bytes;
}

const Tallies kTallies{{2, 5, 70'000}, {1, 3, 0.5}};

TEST(KeyedUnits, WordsAreThoseOfTheDefinition) {
  const ReleaseKey key;
  KeyedUnits units(key, "a context");
  Tallies many;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    many.outcomes.push_back(3 * i);
    many.weights.push_back(i + 0.25);
  }
  const std::vector<std::uint32_t> outcomes = {3, 8};
  std::vector<std::uint64_t> numerators(700);
  std::iota(numerators.begin(), numerators.end(), std::uint64_t{1} << 40U);
  for (const Tallies& tallies : {kTallies, Tallies{}, many}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{60}, std::size_t{3000}}) {
      EXPECT_EQ(keyed_words(units, "ann", tallies, count, {outcomes, numerators}, 5),
                words_by_definition(key, "a context", "ann", tallies,
                                    law_bytes(outcomes, numerators, 5), count));
      EXPECT_EQ(keyed_words(units, "ann", tallies, count),
                words_by_definition(key, "a context", "ann", tallies, law_bytes({}, {}, 1), count));
      EXPECT_EQ(first_words(units.before_law(), count),
                words_by_definition(key, "a context", "ann", tallies, std::string(8, '\0'), count));
    }
  }
}

// Two laws that differ in any integer, in how many are drawn, or in whose the integers are: none
// has the first word of another, nor of choices before a law is known.
TEST(KeyedUnits, EachIntegerOfTheLawCounts) {
  const ReleaseKey key;
  KeyedUnits units(key, "");
  units.begin("ann", kTallies.outcomes, kTallies.weights);
  Words first = {units.before_law().word()};
  const auto add = [&](const LawIntegers& law, std::size_t draws = 1) {
    first.push_back(units.of_law(law, draws).word());
  };
  constexpr std::size_t kOutcomes = 300;
  const std::uint64_t lower = Band::kGreatestTotal / (2 * kOutcomes);
  std::vector<std::uint64_t> lowers(kOutcomes, lower);
  lowers[7] += 5;
  const ExpBound bound(2);
  for (const Band& band : {Band::make(kOutcomes, lower, bound), Band::make(lowers, bound)}) {
    units.begin(band.is_uniform() ? "bob" : "eve", {}, {});
    std::vector<std::uint64_t> law(kOutcomes);
    for (std::size_t i = 0; i < kOutcomes; ++i) law[i] = band.lower(i) + (i % 3 == 0 ? 0 : 9 + i);
    const auto with_one = [&](std::size_t i, std::uint64_t numerator, auto use) {
      const std::uint64_t was = std::exchange(law[i], numerator);
      use();
      law[i] = was;
    };
    add({.numerators = law, .band = &band});
    for (std::size_t i = 0; i < kOutcomes; ++i) {
      with_one(i, law[i] + 1, [&] { add({.numerators = law, .band = &band}); });
      if (i % 3 == 0) continue;
      with_one(i, band.lower(i), [&] { add({.numerators = law, .band = &band}); });
    }
    add({.numerators = law, .band = &band}, 2);
    for (const std::uint32_t place : {0U, 1U}) {
      const std::vector<std::uint32_t> outcomes = {place};
      add({.outcomes = outcomes, .numerators = law, .band = &band});
    }
  }
  // Without a band, all numerators of some outcomes.
  units.begin("dan", {}, {});
  for (const std::vector<std::uint32_t>& outcomes :
       {std::vector<std::uint32_t>{}, {2, 5}, {2, 6}, {3, 5}, {2}, {2, 5, 9}}) {
    for (const std::vector<std::uint64_t>& numerators : {std::vector<std::uint64_t>{9, 9, 12},
                                                         {9, 9, 13},
                                                         {9, 10, 12},
                                                         {10, 9, 12},
                                                         {9, 9},
                                                         {9, 9, 12, 0},
                                                         {}}) {
      add({outcomes, numerators});
    }
  }
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
}

TEST(KeyedUnits, AreTheSameHoweverOftenAndInWhateverOrder) {
  const ReleaseKey key;
  KeyedUnits units(key, "");
  const Words ann = keyed_words(units, "ann", kTallies, 5000);
  const Words bob = keyed_words(units, "bob", kTallies, 3);
  EXPECT_EQ(keyed_words(units, "ann", kTallies, 5000), ann);
  EXPECT_EQ(keyed_words(units, "bob", kTallies, 3), bob);
  const auto elsewhere = ReleaseKey::of_worker_bytes(key.bytes_for_workers());
  ASSERT_TRUE(elsewhere);
  KeyedUnits worker(*elsewhere, "");
  EXPECT_EQ(keyed_words(worker, "bob", kTallies, 3), bob);
  EXPECT_EQ(keyed_words(worker, "ann", kTallies, 5000), ann);
}

// Parts that could be taken for each other: none may have the first word of another.
TEST(KeyedUnits, EachPartCounts) {
  const ReleaseKey key;
  const ReleaseKey another;
  struct Case {
    const ReleaseKey* key;
    std::string context;
    std::string unit;
    Tallies tallies;
  };
  const std::string zero(1, '\0');
  const std::vector<Case> cases = {
      {&key, "ab", "c", {{1}, {2}}},
      {&key, "a", "bc", {{1}, {2}}},
      {&key, "abc", "", {{1}, {2}}},
      {&key, "", "abc", {{1}, {2}}},
      {&another, "ab", "c", {{1}, {2}}},
      {&key, "ab", "c", {{2}, {1}}},
      {&key, "ab", "c", {{1}, {3}}},
      {&key, "ab", "c", {{1, 2}, {2, 1}}},
      {&key, "ab", "c", {}},
      {&key, "ab", "c" + zero, {}},
      {&key, "ab", "", {}},
      {&key, "ab", zero, {}},
      {&key, "ab", zero + zero, {}},
      {&key, "ab" + zero, "c", {}},
      {&key, "ab", "c", {{0}, {1}}},
      {&key, "ab", "c", {{0, 1}, {1, 1}}},
      {&key, "ab", "c", {{0}, {0x1p-40}}},
      {&key, "ab", "c", {{1}, {0x1p40}}},
  };
  Words first;
  for (const Case& one : cases) {
    KeyedUnits units(*one.key, one.context);
    first.push_back(keyed_words(units, one.unit, one.tallies, 1)[0]);
  }
  std::sort(first.begin(), first.end());
  EXPECT_EQ(std::adjacent_find(first.begin(), first.end()), first.end());
}

/// Of this many words two are equal with probability below 1e-6.
TEST(KeyedUnits, ShareNoWords) {
  constexpr std::size_t kUnits = 100'000;
  const ReleaseKey key;
  KeyedUnits units(key, "");
  Words all;
  for (std::size_t i = 0; i < kUnits; ++i) {
    const Words words = keyed_words(units, std::to_string(i), kTallies, 10);
    all.insert(all.end(), words.begin(), words.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

// Of one unit with other records, the first words are independent, and each is uniform.
TEST(KeyedUnits, OtherRecordsHaveIndependentWords) {
  constexpr std::size_t kUnits = 100'000;
  const ReleaseKey key;
  KeyedUnits units(key, "");
  Tallies other = kTallies;
  other.weights.back() = 1;
  std::vector<std::uint64_t> low(256);
  std::vector<std::uint64_t> high(256);
  for (std::size_t i = 0; i < kUnits; ++i) {
    const std::string unit = std::to_string(i);
    const std::uint64_t one = keyed_words(units, unit, kTallies, 1)[0];
    const std::uint64_t two = keyed_words(units, unit, other, 1)[0];
    ++low[(one & 15) << 4U | (two & 15)];
    ++high[(one >> 60U) << 4U | two >> 60U];
  }
  const std::vector<double> even(256, 1.0 / 256);
  EXPECT_TRUE(test::follows(even, low));
  EXPECT_TRUE(test::follows(even, high));
}

TEST(KeyedUnits, WordsAreUniformOverKeys) {
  constexpr std::size_t kKeys = 5000;
  std::vector<std::uint64_t> low(64);
  std::vector<std::uint64_t> high(64);
  for (std::size_t i = 0; i < kKeys; ++i) {
    KeyedUnits units(ReleaseKey(), "");
    const std::uint64_t word = keyed_words(units, "ann", kTallies, 1)[0];
    ++low[word & 63];
    ++high[word >> 58U];
  }
  const std::vector<double> even(64, 1.0 / 64);
  EXPECT_TRUE(test::follows(even, low));
  EXPECT_TRUE(test::follows(even, high));
}

// Who goes on with a parent's stream draws other words than the parent; who asks anew, the same.
TEST(KeyedUnits, AForkedChildNeverGoesOnWithItsParentsWords) {
  const ReleaseKey key;
  KeyedUnits units(key, "");
  units.begin("ann", kTallies.outcomes, kTallies.weights);
  SecureRandom& random = units.of_law({}, 1);
  static_cast<void>(random.word());
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const std::array<std::uint64_t, 2> words = {random.word(),
                                                keyed_words(units, "ann", kTallies, 1)[0]};
    _exit(write(ends[1], words.data(), sizeof words) == sizeof words ? 0 : 1);
  }
  close(ends[1]);
  std::array<std::uint64_t, 2> of_child{};
  EXPECT_EQ(read(ends[0], of_child.data(), sizeof of_child), static_cast<ssize_t>(sizeof of_child));
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NE(of_child[0], random.word());
  EXPECT_EQ(of_child[1], keyed_words(units, "ann", kTallies, 1)[0]);
}

static_assert(sizeof(SecureRandom) == sizeof(void*), "the test below reads the state behind it");

// The state holds the next key's four words, and then nothing but what is left of one batch of 64
// words: neither its first four, which became the key, nor words of the unit before, which the
// second unit of these has left over from a refill of 1020.
TEST(KeyedUnits, WipesWhatIsNotToBeHandedOut) {
  constexpr std::size_t kStreamWords = 1024;
  constexpr std::size_t kBatchWords = 64;
  constexpr std::size_t kKeyWords = 4;
  const ReleaseKey key;
  KeyedUnits units(key, "");
  for (const std::size_t drawn : {1U, 100U, 0U}) {
    units.begin(std::to_string(drawn), kTallies.outcomes, kTallies.weights);
    const SecureRandom& random = units.of_law({}, 1);
    const std::uint64_t* state = nullptr;
    std::memcpy(&state, &random, sizeof state);
    const Words stream(state, state + kStreamWords);
    const auto first = stream.end() - (kBatchWords - kKeyWords);
    EXPECT_EQ(std::count(stream.begin(), stream.begin() + kKeyWords, 0U), 0);
    EXPECT_EQ(std::count(stream.begin() + kKeyWords, first, 0U),
              first - stream.begin() - std::ptrdiff_t{kKeyWords});
    EXPECT_EQ(std::count(first, stream.end(), 0U), 0);
    keyed_words(units, std::to_string(drawn), kTallies, drawn);
  }
}

template <class Stream, class Value>
concept Printable = requires(Stream& stream, const Value& value) {
  stream << value;
};
static_assert(!Printable<std::ostream, ReleaseKey>);
static_assert(!std::is_constructible_v<ReleaseKey, std::array<unsigned char, 32>>);
static_assert(!std::is_default_constructible_v<DrawKey> && !std::is_copy_constructible_v<DrawKey>);

TEST(ReleaseKey, OfBytesThatItDidNotGiveThereIsNone) {
  const ReleaseKey key;
  const std::vector<unsigned char> handed = key.bytes_for_workers();
  EXPECT_TRUE(ReleaseKey::of_worker_bytes(handed));
  EXPECT_NE(ReleaseKey().bytes_for_workers(), handed);
  EXPECT_FALSE(ReleaseKey::of_worker_bytes({}));
  EXPECT_FALSE(ReleaseKey::of_worker_bytes(std::vector<unsigned char>(32, 7)));
  EXPECT_FALSE(ReleaseKey::of_worker_bytes(std::vector<unsigned char>(handed.size(), 7)));
  EXPECT_FALSE(ReleaseKey::of_worker_bytes(std::span(handed).first(handed.size() - 1)));
  for (std::size_t i = 0; i < handed.size(); ++i) {
    std::vector<unsigned char> changed = handed;
    changed[i] ^= 1U;
    EXPECT_FALSE(ReleaseKey::of_worker_bytes(changed)) << i;
  }
}

}  // namespace

}  // namespace mollify
