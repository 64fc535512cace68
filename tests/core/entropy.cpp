#include "core/entropy.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace mollify::detail {

namespace {

/// The answers of one test's calls, in their order; the last one is repeated.
struct ScriptedCalls {
  std::vector<std::ptrdiff_t> written;
  std::size_t calls = 0;
  std::vector<std::size_t> asked_for{};
};

ScriptedCalls scripted;

/// Writes as many bytes as the answer is, and no more than it was asked for.
std::ptrdiff_t scripted_call(unsigned char* memory, std::size_t size) {
  const std::ptrdiff_t written =
      scripted.written[std::min(scripted.calls, scripted.written.size() - 1)];
  ++scripted.calls;
  scripted.asked_for.push_back(size);
  for (std::size_t i = 0; i < size && static_cast<std::ptrdiff_t>(i) < written; ++i) memory[i] = 9;
  return written;
}

/// Whether 32 bytes in the middle of others are filled, and no others.
bool is_filled_by(const std::vector<std::ptrdiff_t>& written) {
  scripted = {written};
  std::array<unsigned char, 48> memory{};
  const bool is_filled = fill_by(scripted_call, memory.data() + 8, 32);
  EXPECT_TRUE(std::all_of(memory.begin(), memory.begin() + 8, [](auto byte) { return byte == 0; }));
  EXPECT_TRUE(std::all_of(memory.end() - 8, memory.end(), [](auto byte) { return byte == 0; }));
  if (is_filled) {
    EXPECT_TRUE(
        std::all_of(memory.begin() + 8, memory.end() - 8, [](auto byte) { return byte == 9; }));
  }
  return is_filled;
}

TEST(Entropy, ShortAnswersAreCompleted) {
  EXPECT_TRUE(is_filled_by({32}));
  EXPECT_EQ(scripted.calls, 1u);
  EXPECT_TRUE(is_filled_by({1}));
  EXPECT_EQ(scripted.calls, 32u);
  EXPECT_TRUE(is_filled_by({20, 11, 1}));
  EXPECT_EQ(scripted.asked_for, (std::vector<std::size_t>{32, 12, 1}));
}

TEST(Entropy, InterruptedCallsAreMadeAgain) {
  EXPECT_TRUE(is_filled_by({kInterrupted, kInterrupted, 30, kInterrupted, 2}));
  EXPECT_EQ(scripted.calls, 5u);
  EXPECT_FALSE(is_filled_by({30, kInterrupted}));  // for ever
  EXPECT_LT(scripted.calls, 2000u);
}

TEST(Entropy, FailuresAreFailures) {
  EXPECT_FALSE(is_filled_by({kNoEntropy}));
  EXPECT_EQ(scripted.calls, 1u);
  EXPECT_FALSE(is_filled_by({31, kNoEntropy}));
  EXPECT_FALSE(is_filled_by({-22}));
  EXPECT_FALSE(is_filled_by({31, 2}));  // more than there is room for
}

TEST(Entropy, TheSystemFillsAllOfIt) {
  // Several calls' worth. All zeros in a run of 16 bytes: a probability below 1e-30.
  std::vector<unsigned char> memory(100'000);
  ASSERT_TRUE(fill_with_entropy(memory.data(), memory.size()));
  const std::array<unsigned char, 16> zeros{};
  EXPECT_EQ(std::search(memory.begin(), memory.end(), zeros.begin(), zeros.end()), memory.end());
}

}  // namespace

}  // namespace mollify::detail
