#include "base/threads.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/progress.h"

namespace mollify {

namespace {

using Clock = std::chrono::steady_clock;

/// A range that takes longer is followed by a smaller one, so that nobody waits long for a stop.
constexpr auto kLongRange = std::chrono::milliseconds(5);
/// How often a thread that has nothing left to do asks whether it must stop.
constexpr auto kWait = std::chrono::milliseconds(20);

/// The watch of the threads that the caller's own watch does not see: they stop where another
/// thread failed, or was stopped.
class Following final : public Watch {
 public:
  explicit Following(const std::atomic<bool>& has_failed) : has_failed_(has_failed) {}
  [[nodiscard]] bool wants_stop() override { return has_failed_; }
  void reached(const std::string& /*steps_name*/, std::uint64_t /*step*/,
               std::uint64_t /*steps*/) override {}

 private:
  const std::atomic<bool>& has_failed_;
};

/// Ranges that are handed out until all are, or something failed.
class SharedRanges {
 public:
  SharedRanges(std::size_t count, std::size_t threads)
      : count_(count), most_(std::clamp<std::size_t>(count / (32 * threads), 1, 4096)) {}

  /// The work of the caller's thread, which then waits for the `others`.
  void lead(const std::function<RangeWork()>& make_work, const std::string& steps_name,
            std::size_t others) noexcept {
    std::optional<Progress> progress;
    if (!steps_name.empty()) progress.emplace(steps_name, count_);
    const auto look = [&] {
      if (progress) return progress->reached(done_);
      keep_going();
    };
    work(make_work, look);
    std::unique_lock lock(mutex_);
    while (!has_ended_.wait_for(lock, kWait, [&] { return ended_ == others; })) {
      if (has_failed_) continue;
      lock.unlock();
      attempt(look);
      lock.lock();
    }
  }

  /// The work of another thread.
  void follow(const std::function<RangeWork()>& make_work) noexcept {
    Following watch(has_failed_);
    const Watching watching(watch);
    work(make_work, keep_going);
    const std::lock_guard lock(mutex_);
    ++ended_;
    has_ended_.notify_one();
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void work(const std::function<RangeWork()>& make_work,
            const std::function<void()>& look) noexcept {
    attempt([&] {
      const RangeWork own = make_work();
      for (std::size_t size = 1;;) {
        look();
        const std::size_t begin = next_.fetch_add(size);
        if (begin >= count_) return;
        const std::size_t end = std::min(begin + size, count_);
        const Clock::time_point started = Clock::now();
        own(begin, end);
        done_ += end - begin;
        size = Clock::now() - started < kLongRange ? std::min(2 * size, most_)
                                                   : std::max<std::size_t>(size / 2, 1);
      }
    });
  }

  void attempt(const std::function<void()>& step) noexcept {
    try {
      step();
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      has_failed_ = true;
    }
  }

  std::size_t count_;
  std::size_t most_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  std::condition_variable has_ended_;
  std::size_t ended_ = 0;
  std::exception_ptr error_;
};

}  // namespace

std::size_t thread_count(std::size_t asked) noexcept {
  const std::size_t count = asked != 0 ? asked : std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(count, 1, kMostThreads);
}

void in_threads(std::size_t count, std::size_t threads, const std::function<RangeWork()>& make_work,
                const std::string& steps_name) {
  if (count == 0) return;
  threads = std::min(std::max<std::size_t>(threads, 1), count);
  SharedRanges ranges(count, threads);
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([&] { ranges.follow(make_work); });
    }
  } catch (const std::system_error&) {  // then those that there are do it
  }
  ranges.lead(make_work, steps_name, others.size());
  for (std::thread& other : others) other.join();
  ranges.rethrow();
}

}  // namespace mollify
