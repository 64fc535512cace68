#include "base/threads.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace mollify {

namespace {

/// Ranges that are handed out until all are, or something failed.
class SharedRanges {
 public:
  SharedRanges(std::size_t count, std::size_t threads)
      : count_(count), each_(std::clamp<std::size_t>(count / (32 * threads), 1, 4096)) {}

  void work(const std::function<RangeWork()>& make_work) noexcept {
    try {
      const RangeWork own = make_work();
      for (;;) {
        const std::size_t begin = next_.fetch_add(each_);
        if (begin >= count_) return;
        own(begin, std::min(begin + each_, count_));
      }
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::size_t count_;
  std::size_t each_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::size_t thread_count(std::size_t asked) noexcept {
  const std::size_t count = asked != 0 ? asked : std::thread::hardware_concurrency();
  return std::clamp<std::size_t>(count, 1, kMostThreads);
}

void in_threads(std::size_t count, std::size_t threads,
                const std::function<RangeWork()>& make_work) {
  if (count == 0) return;
  threads = std::min(std::max<std::size_t>(threads, 1), count);
  SharedRanges ranges(count, threads);
  std::vector<std::thread> others;
  others.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i) {
      others.emplace_back([&] { ranges.work(make_work); });
    }
  } catch (const std::system_error&) {  // then those that there are do it
  }
  ranges.work(make_work);
  for (std::thread& other : others) other.join();
  ranges.rethrow();
}

}  // namespace mollify
