#include "core/random.h"

#include <pthread.h>
#include <sodium.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"
#include "every_lanes.h"
#include "kernel/order.h"

namespace mollify::detail {

// -----------------------------------------------------------------------------------------------
// Chacha20.

namespace {

using Keystream = decltype(ChaCha20Lanes::keystream);

/// Of each instruction set, and as others call it.
std::vector<Keystream> keystreams() {
  std::vector<Keystream> result = {chacha20};
  for (const auto& [name, lanes] : test::every_lanes<ChaCha20Lanes>()) {
    result.push_back(lanes.keystream);
  }
  return result;
}

// RFC 8439, section 2.3.2.
TEST(ChaCha20, GivesTheBlockOfTheStandard) {
  const std::uint32_t key[8] = {0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c,
                                0x13121110, 0x17161514, 0x1b1a1918, 0x1f1e1d1c};
  const std::uint32_t nonce[3] = {0x09000000, 0x4a000000, 0x00000000};
  const unsigned char expected[64] = {
      0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3,
      0x20, 0x71, 0xc4, 0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22,
      0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2, 0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa,
      0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c, 0xd1,
      0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e};
  for (const Keystream function : keystreams()) {
    std::array<unsigned char, kChaChaBatchBytes> out{};
    function(key, nonce, 1, out.data(), 1);
    EXPECT_EQ(std::memcmp(out.data(), expected, sizeof expected), 0);
  }
}

TEST(ChaCha20, AgreesWithLibsodium) {
  ASSERT_GE(sodium_init(), 0);
  std::mt19937 random(8439);
  const std::vector<Keystream> functions = keystreams();
  for (int round = 0; round < 200; ++round) {
    std::uint32_t key[8], nonce[3];
    for (std::uint32_t& word : key) word = static_cast<std::uint32_t>(random());
    for (std::uint32_t& word : nonce) word = static_cast<std::uint32_t>(random());
    const auto counter = static_cast<std::uint32_t>(random() >> 1);
    const std::size_t batches = 1 + random() % 4;
    std::vector<unsigned char> expected(batches * kChaChaBatchBytes, 0);
    crypto_stream_chacha20_ietf_xor_ic(expected.data(), expected.data(), expected.size(),
                                       reinterpret_cast<const unsigned char*>(nonce), counter,
                                       reinterpret_cast<const unsigned char*>(key));
    for (const Keystream function : functions) {
      std::vector<unsigned char> out(expected.size());
      function(key, nonce, counter, out.data(), batches);
      ASSERT_EQ(out, expected);
    }
  }
}

struct Secret {
  std::uint32_t key[8];
  std::vector<unsigned char> out;
};

void* make_keystream(void* argument) {
  Secret& secret = *static_cast<Secret*>(argument);
  const std::uint32_t nonce[3] = {0, 0, 0};
  chacha20(secret.key, nonce, 0, secret.out.data(), secret.out.size() / kChaChaBatchBytes);
  return nullptr;
}

/// How often a 32-bit word is in memory, at any byte.
std::size_t occurrences(const std::vector<unsigned char>& memory, std::uint32_t word) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + sizeof word <= memory.size(); ++i) {
    count += std::memcmp(memory.data() + i, &word, sizeof word) == 0 ? 1U : 0U;
  }
  return count;
}

// A thread makes a keystream on a stack of our own, which is then searched.
TEST(ChaCha20, LeavesNoSecretOnTheStack) {
  constexpr std::size_t kStackBytes = std::size_t{1} << 20;
  void* stack =
      mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(stack, MAP_FAILED);
  Secret secret{{}, std::vector<unsigned char>(16 * kChaChaBatchBytes)};
  std::mt19937 random(11);
  for (std::uint32_t& word : secret.key) word = static_cast<std::uint32_t>(random());
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstack(&attributes, stack, kStackBytes), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &attributes, make_keystream, &secret), 0);
  ASSERT_EQ(pthread_join(thread, nullptr), 0);
  const auto* bytes = static_cast<const unsigned char*>(stack);
  const std::vector<unsigned char> left(bytes, bytes + kStackBytes);
  for (const std::uint32_t word : secret.key) EXPECT_EQ(occurrences(left, word), 0u);
  std::size_t words_left = 0;
  const std::size_t last_batch = secret.out.size() - kChaChaBatchBytes;
  for (std::size_t i = last_batch; i < secret.out.size(); i += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, secret.out.data() + i, sizeof word);
    words_left += occurrences(left, word);
  }
  EXPECT_EQ(words_left, 0u);
  pthread_attr_destroy(&attributes);
  munmap(stack, kStackBytes);
}

}  // namespace

}  // namespace mollify::detail

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Secure random.

namespace {

using Words = std::vector<std::uint64_t>;

Words words_of(SecureRandom& random, std::size_t count) {
  Words words(count);
  for (std::uint64_t& word : words) word = random.word();
  return words;
}

/// The words that a child made by `fork_process` gets from `draw`.
Words words_of_child(const std::function<pid_t()>& fork_process,
                     const std::function<Words()>& draw) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const pid_t child = fork_process();
  if (child == 0) {
    const Words words = draw();
    const auto size = static_cast<ssize_t>(words.size() * sizeof words[0]);
    _exit(write(ends[1], words.data(), static_cast<std::size_t>(size)) == size ? 0 : 1);
  }
  close(ends[1]);
  Words words(4096);
  std::size_t bytes = 0;
  for (;;) {
    const ssize_t got = read(ends[0], reinterpret_cast<char*>(words.data()) + bytes,
                             words.size() * sizeof words[0] - bytes);
    if (got <= 0) break;
    bytes += static_cast<std::size_t>(got);
  }
  close(ends[0]);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  words.resize(bytes / sizeof words[0]);
  return words;
}

/// No word may occur twice: for as many as here the probability is below 1e-6 / 100.
void expect_all_different(const std::vector<Words>& parts) {
  Words all;
  for (const Words& part : parts) {
    EXPECT_FALSE(part.empty());
    all.insert(all.end(), part.begin(), part.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

TEST(SecureRandom, WordsAreUniform) {
  SecureRandom random;
  constexpr int kWords = 1'000'000;
  std::vector<std::uint64_t> low(256), high(256);
  for (int i = 0; i < kWords; ++i) {
    const std::uint64_t word = random.word();
    ++low[word & 255];
    ++high[word >> 56];
  }
  const std::vector<double> even(256, 1.0 / 256);
  EXPECT_TRUE(test::follows(even, low));
  EXPECT_TRUE(test::follows(even, high));
}

TEST(SecureRandom, ObjectsDiffer) {
  SecureRandom a, b;
  expect_all_different({words_of(a, 3000), words_of(b, 3000)});
}

TEST(SecureRandom, ThreadsDiffer) {
  std::vector<Words> parts(4);
  std::vector<std::thread> threads;
  for (Words& part : parts) {
    threads.emplace_back([&part] {
      SecureRandom random;
      part = words_of(random, 100'000);
    });
  }
  for (std::thread& thread : threads) thread.join();
  expect_all_different(parts);
}

pid_t plain_fork() { return fork(); }

TEST(SecureRandom, ForkedChildrenDiffer) {
  SecureRandom random;
  const Words before = words_of(random, 10);
  const auto draw = [&] { return words_of(random, 1500); };
  const Words first = words_of_child(plain_fork, draw);
  const Words second = words_of_child(plain_fork, draw);
  EXPECT_EQ(first.size(), 1500u);
  expect_all_different({before, first, second, words_of(random, 1500)});
}

TEST(SecureRandom, GrandchildrenDiffer) {
  SecureRandom random;
  const Words before = words_of(random, 10);
  const Words children = words_of_child(plain_fork, [&] {
    Words words = words_of(random, 10);
    const Words more = words_of_child(plain_fork, [&] { return words_of(random, 10); });
    words.insert(words.end(), more.begin(), more.end());
    const Words after = words_of(random, 10);
    words.insert(words.end(), after.begin(), after.end());
    return words;
  });
  EXPECT_EQ(children.size(), 30u);
  expect_all_different({before, children, words_of(random, 10)});
}

/// Whether this kernel hands a child zeros where it is asked to; user-mode emulators do not.
bool wipes_on_fork() {
#if defined(MADV_WIPEONFORK)
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED || madvise(page, 4096, MADV_WIPEONFORK) != 0) return false;
  *static_cast<volatile unsigned char*>(page) = 1;
  const pid_t child = fork();
  if (child == 0) _exit(*static_cast<volatile unsigned char*>(page));
  int status = 0;
  waitpid(child, &status, 0);
  munmap(page, 4096);
  return status == 0;
#else
  return false;
#endif
}

// A fork behind the C library's back tells nobody: only the wiped memory does.
TEST(SecureRandom, ChildrenOfTheBareSystemCallDiffer) {
  if (!wipes_on_fork()) {
    std::printf("memory is not wiped on fork here: such children are not protected\n");
    return;
  }
  SecureRandom random;
  const Words before = words_of(random, 10);
  const auto bare_clone = [] {
    return static_cast<pid_t>(syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr));
  };
  const auto draw = [&] { return words_of(random, 10); };
  const Words first = words_of_child(bare_clone, draw);
  const Words second = words_of_child(bare_clone, draw);
  EXPECT_EQ(first.size(), 10u);
  expect_all_different({before, first, second, words_of(random, 10)});
}

static_assert(sizeof(SecureRandom) == sizeof(void*), "the test below reads the state behind it");

/// The stream in the object's state: the next key's four words, then those to hand out.
std::array<std::uint64_t, 1024> stream_of(const SecureRandom& random) {
  const std::uint64_t* state = nullptr;
  std::memcpy(&state, &random, sizeof state);
  std::array<std::uint64_t, 1024> stream{};
  std::copy_n(state, stream.size(), stream.begin());
  return stream;
}

TEST(SecureRandom, WipesWordsAsTheyAreHandedOut) {
  SecureRandom random;
  const Words drawn = words_of(random, 100);
  std::array<std::uint64_t, 1024> stream = stream_of(random);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(stream[4 + i], 0u);
  EXPECT_NE(stream[104], 0u);
  EXPECT_EQ(random.word(), stream[104]);
  // The next refill replaces the key, so that the words so far cannot be made again.
  const Words key(stream.begin(), stream.begin() + 4);
  words_of(random, 1020);
  stream = stream_of(random);
  for (const std::uint64_t part : key) {
    EXPECT_EQ(std::count(stream.begin(), stream.end(), part), 0);
  }
}

TEST(SecureRandom, ManyRefillsNeverRepeat) {
  SecureRandom random;
  expect_all_different({words_of(random, 200'000)});
}

TEST(SecureRandom, MovesItsState) {
  SecureRandom first;
  first.word();
  const std::uint64_t upcoming = stream_of(first)[5];
  SecureRandom second(std::move(first));
  EXPECT_EQ(second.word(), upcoming);
  SecureRandom third;
  const Words before = words_of(third, 5);
  third = std::move(second);
  const Words after = words_of(third, 5);
  expect_all_different({before, after, {upcoming}});
  first = SecureRandom();  // a moved-from object may be given a state again
  expect_all_different({words_of(first, 5), after});
}

static_assert(!std::is_copy_constructible_v<SecureRandom>);
static_assert(!std::is_copy_assignable_v<SecureRandom>);

}  // namespace

// -----------------------------------------------------------------------------------------------
// Uniform below.

namespace {

constexpr std::uint64_t kMostWord = std::numeric_limits<std::uint64_t>::max();

/// Hands out given words, and after the last one words that every bound accepts as 0 < bound.
struct Script {
  std::vector<std::uint64_t> words;
  std::size_t used = 0;
  std::uint64_t word() { return used < words.size() ? words[used++] : (++used, kMostWord); }
};

/// Whether a word is accepted, and the value that it produces; by both ways of drawing.
bool accepts(std::uint64_t bound, std::uint64_t word, std::uint64_t& value) {
  Script script{{word}}, again{{word}};
  value = uniform_below(script, bound);
  EXPECT_EQ(UniformBelow(bound)(again), value);
  EXPECT_EQ(again.used, script.used);
  return script.used == 1;
}

/// 2^64 w, divided by the bound and rounded up: the least word that falls on value w.
uint128 first_word(std::uint64_t value, std::uint64_t bound) {
  const uint128 whole = static_cast<uint128>(value) << 64;
  return (whole + bound - 1) / bound;
}

// There are too many words to try, but the accepted words of one value are a run of consecutive
// ones, so that its two ends give their number.
TEST(UniformBelow, GivesEachValueTheSameNumberOfWords) {
  std::vector<std::uint64_t> bounds = {1,
                                       2,
                                       3,
                                       5,
                                       6,
                                       7,
                                       10,
                                       100,
                                       255,
                                       257,
                                       (std::uint64_t{1} << 32) - 1,
                                       (std::uint64_t{1} << 32) + 1,
                                       (std::uint64_t{1} << 62) - 1,
                                       std::uint64_t{1} << 62,
                                       (std::uint64_t{1} << 62) + 1,
                                       (std::uint64_t{1} << 63) - 1,
                                       std::uint64_t{1} << 63,
                                       (std::uint64_t{1} << 63) + 1,
                                       kMostWord - 1,
                                       kMostWord};
  std::mt19937_64 random(2);
  for (int i = 0; i < 500; ++i) bounds.push_back((random() >> (random() % 64)) | 1);
  for (const std::uint64_t bound : bounds) {
    const uint128 share = (uint128{1} << 64) / bound;
    std::vector<std::uint64_t> values = {0, bound / 2, bound - 1};
    for (int i = 0; i < 20; ++i) values.push_back(random() % bound);
    for (const std::uint64_t value : values) {
      // All words on this value: [begin, end). The rejected ones are at most the first of them.
      const uint128 begin = first_word(value, bound);
      const uint128 end = first_word(value + 1, bound);
      ASSERT_TRUE(end - begin == share || end - begin == share + 1);
      std::uint64_t got = 0;
      const bool first_accepted = accepts(bound, static_cast<std::uint64_t>(begin), got);
      if (first_accepted) {
        ASSERT_EQ(got, value) << "bound " << bound;
      }
      const uint128 accepted = end - begin - (first_accepted ? 0 : 1);
      ASSERT_TRUE(accepted == share) << "bound " << bound << ", value " << value;
      if (share < 2) continue;
      ASSERT_TRUE(accepts(bound, static_cast<std::uint64_t>(begin + 1), got));
      ASSERT_EQ(got, value);
      ASSERT_TRUE(accepts(bound, static_cast<std::uint64_t>(end - 1), got));
      ASSERT_EQ(got, value);
    }
  }
}

TEST(UniformBelow, RejectsAndDrawsAnew) {
  Script script{{0, 0, 0, kMostWord}};
  EXPECT_EQ(uniform_below(script, 3), 2u);  // 2^64 mod 3 = 1: the word 0 alone is rejected
  EXPECT_EQ(script.used, 4u);
  Script power_of_two{{0}};
  EXPECT_EQ(uniform_below(power_of_two, std::uint64_t{1} << 62), 0u);
  EXPECT_EQ(power_of_two.used, 1u);
  Script one{{12345}};
  EXPECT_EQ(uniform_below(one, 1), 0u);
}

/// Counts of `draws` values below `bound` in equal bins.
template <class Draw>
std::vector<std::uint64_t> bin_counts(std::uint64_t bound, std::uint64_t bins, Draw draw) {
  constexpr int kValues = 400'000;
  std::vector<std::uint64_t> counts(bins);
  for (int i = 0; i < kValues; ++i) {
    ++counts[static_cast<std::size_t>((static_cast<uint128>(draw()) * bins) / bound)];
  }
  return counts;
}

TEST(UniformBelow, IsUniformByChiSquare) {
  struct Twister {
    std::mt19937_64 random{3};
    std::uint64_t word() { return random(); }
  } source;
  const std::uint64_t quarter = std::uint64_t{1} << 62;
  // Bounds far from a divisor of 2^64, where word % bound favours the small values visibly.
  const std::vector<std::uint64_t> biased_remainder = {quarter / 2 * 3, quarter * 3};
  for (const std::uint64_t bound :
       {std::uint64_t{3}, quarter - 1, 2 * quarter + 1, biased_remainder[0], biased_remainder[1]}) {
    const std::uint64_t bins = bound < 96 ? bound : 96;
    const std::vector<double> even(bins, 1.0 / static_cast<double>(bins));
    EXPECT_TRUE(
        test::follows(even, bin_counts(bound, bins, [&] { return uniform_below(source, bound); })));
  }
  // The test is sharp enough: it sees the bias of a plain remainder.
  for (const std::uint64_t bound : biased_remainder) {
    const std::vector<double> even(96, 1.0 / 96);
    EXPECT_FALSE(test::follows(even, bin_counts(bound, 96, [&] { return source.word() % bound; })));
  }
}

}  // namespace

}  // namespace mollify
