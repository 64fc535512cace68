#include "base/threads.h"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/progress.h"

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

/// Wants to stop when it has been asked some times.
class Patience final : public Watch {
 public:
  explicit Patience(int times) : left_(times) {}
  [[nodiscard]] bool wants_stop() override { return --left_ < 0; }
  void reached(const std::string& steps_name, std::uint64_t step, std::uint64_t steps) override {
    EXPECT_EQ(steps_name, "places");
    EXPECT_LE(last_, step);
    EXPECT_LE(step, steps);
    last_ = step;
  }
  [[nodiscard]] std::uint64_t last() const { return last_; }

 private:
  int left_;
  std::uint64_t last_ = 0;
};

TEST(InThreads, StopWhenTheWatchOfTheCallerWantsThat) {
  for (const std::size_t threads : {1U, 2U, 5U}) {
    Patience patience(20);
    const Watching watching(patience);
    std::atomic<std::size_t> ended = 0;
    const auto make_work = [&]() -> RangeWork {
      return [&](std::size_t, std::size_t) {
        try {
          for (;;) keep_going();  // only a stop ends it, in whatever thread
        } catch (const Stopped&) {
          ++ended;
          throw;
        }
      };
    };
    EXPECT_THROW(in_threads(1000, threads, make_work, "places"), Stopped);
    EXPECT_GE(ended, 1U);
    EXPECT_LE(ended, threads);
  }
}

TEST(InThreads, StopWhileOthersStillWork) {
  Patience patience(5);
  const Watching watching(patience);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> has_begun = false;
  const auto make_work = [&]() -> RangeWork {
    return [&](std::size_t, std::size_t) {
      if (std::this_thread::get_id() == caller) {
        while (!has_begun) std::this_thread::yield();
        return;
      }
      has_begun = true;
      for (;;) keep_going();
    };
  };
  // The caller has done its range, and asks its watch while it waits for the other one.
  EXPECT_THROW(in_threads(2, 2, make_work), Stopped);
}

TEST(InThreads, TellTheWatchHowManyPlacesAreDone) {
  Patience patience(1'000'000);
  const Watching watching(patience);
  in_threads(
      1000, 1, [] { return RangeWork([](std::size_t, std::size_t) {}); }, "places");
  EXPECT_EQ(patience.last(), 1000U);
}

TEST(InThreads, CountThreads) {
  EXPECT_EQ(thread_count(3), 3U);
  EXPECT_GE(thread_count(0), 1U);
  EXPECT_EQ(thread_count(1'000'000), kMostThreads);
}

}  // namespace

}  // namespace mollify
