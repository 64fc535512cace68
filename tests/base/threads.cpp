#include "base/threads.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace mollify {

namespace {

TEST(InThreads, DoEachPlaceOnce) {
  for (const std::size_t count : {0U, 1U, 2U, 63U, 64U, 1000U, 300'000U}) {
    for (const std::size_t threads : {0U, 1U, 2U, 3U, 16U}) {
      std::vector<std::atomic<int>> done(count);
      std::atomic<std::size_t> makers = 0;
      in_threads(count, threads, [&]() -> RangeWork {
        ++makers;
        return [&](std::size_t begin, std::size_t end) {
          ASSERT_LT(begin, end);
          for (std::size_t i = begin; i < end; ++i) ++done[i];
        };
      });
      for (const auto& times : done) ASSERT_EQ(times, 1);
      EXPECT_LE(makers, std::max<std::size_t>(threads, 1));
      EXPECT_EQ(makers == 0, count == 0);
    }
  }
}

TEST(InThreads, RethrowWhatWorkThrew) {
  for (const std::size_t threads : {1U, 4U}) {
    const auto work = [&] {
      in_threads(1000, threads, []() -> RangeWork {
        return [](std::size_t begin, std::size_t end) {
          if (begin <= 500 && 500 < end) throw std::runtime_error("at 500");
        };
      });
    };
    EXPECT_THROW(work(), std::runtime_error);
    EXPECT_THROW(in_threads(1, threads, []() -> RangeWork { throw std::logic_error("none"); }),
                 std::logic_error);
  }
}

TEST(InThreads, CountThreads) {
  EXPECT_EQ(thread_count(3), 3U);
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(1'000'000), kMostThreads);
}

}  // namespace

}  // namespace mollify
