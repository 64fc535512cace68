#include "base/sha256.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {

namespace {

// The examples of FIPS 180-4.
TEST(Sha256, IsTheStandard) {
  Sha256 abc;
  abc.add("abc");
  EXPECT_EQ(abc.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  Sha256 parts;
  parts.add("abcdbcdecdefdefgefghfghighij");
  parts.add("");
  parts.add("hijkijkljklmklmnlmnomnopnopq");
  EXPECT_EQ(parts.hex(), "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256().hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

// Certificates bind a domain by the digest of such texts, and are checked on other systems: the
// text of zero once differed between Debian 12 and 13.
TEST(Hexadecimal, IsWhatCWrites) {
  std::mt19937_64 random(3);
  std::vector<double> numbers = {0.0, -0.0, 1, -0.5, 100, 5e-324, -1e-310, 0x1p-1022};
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t bits = random();
    if (i % 4 == 0) bits &= 0x800fffffffffffff;  // denormal
    const auto number = std::bit_cast<double>(bits);
    if (std::isfinite(number)) numbers.push_back(number);
  }
  for (const double number : numbers) {
    std::array<char, 40> expected{};
    std::snprintf(expected.data(), expected.size(), "%a", number);
    EXPECT_EQ(hexadecimal(number), expected.data());
  }
  EXPECT_EQ(hexadecimal(5e-324), "0x0.0000000000001p-1022");
  EXPECT_EQ(hexadecimal(-1.5), "-0x1.8p+0");
}

}  // namespace

}  // namespace mollify
