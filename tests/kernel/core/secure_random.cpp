#include "kernel/core/secure_random.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "chi_square.h"

namespace mollify {
namespace {

using Words = std::vector<std::uint64_t>;

Words words_of(SecureRandom& random, std::size_t count) {
  Words words(count);
  for (std::uint64_t& word : words) word = random.word();
  return words;
}

/// What a child made by `fork_process` gets from `draw`.
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
}  // namespace mollify
