// Memory that a call leaves for the next one.
#pragma once

#include <atomic>
#include <memory>

namespace mollify {

/// At most one object that nobody uses, in whose memory the next call works. Threads that find none
/// make their own, and so does a process that was forked from this one while a call went on.
template <class T>
class Spare {
 public:
  Spare() = default;
  Spare(const Spare&) = delete;
  Spare& operator=(const Spare&) = delete;
  ~Spare() { delete kept_.load(); }

  /// A null pointer if nobody left one.
  [[nodiscard]] std::unique_ptr<T> take() { return std::unique_ptr<T>(kept_.exchange(nullptr)); }
  void leave(std::unique_ptr<T> used) { delete kept_.exchange(used.release()); }

 private:
  std::atomic<T*> kept_ = nullptr;
};

}  // namespace mollify
