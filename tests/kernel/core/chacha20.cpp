#include "kernel/core/chacha20.h"

#include <pthread.h>
#include <sodium.h>
#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "every_lanes.h"

namespace mollify::detail {
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

/// How often a 32-bit word stands in memory, at any byte.
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
