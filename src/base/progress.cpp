#include "base/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include <fmt/format.h>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sentences.

std::string printable(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte < 0x20 || byte == 0x7f) {
      safe += fmt::format("\\x{:02x}", byte);
    } else {
      safe += letter;
    }
  }
  return safe;
}

void tell(std::string_view text) {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
}

// -----------------------------------------------------------------------------------------------
// Who waits for a computation, where it is a program and no terminal.

namespace {
thread_local Watch* watch_of_thread = nullptr;
}  // namespace

Watching::Watching(Watch& watch) noexcept : before_(std::exchange(watch_of_thread, &watch)) {}

Watching::~Watching() { watch_of_thread = before_; }

void keep_going() {
  if (watch_of_thread != nullptr && watch_of_thread->wants_stop()) throw Stopped();
}

void tell_charged() {
  if (watch_of_thread != nullptr) watch_of_thread->charged();
}

void tell_takes_long(const std::string& what) {
  if (watch_of_thread != nullptr) return watch_of_thread->takes_long(what);
  if (::isatty(STDERR_FILENO) == 1) {
    tell(fmt::format("note: {} may take longer than two seconds; Ctrl-C ends it\n", what));
  }
}

// -----------------------------------------------------------------------------------------------
// A line on the terminal while something takes long.

namespace {

constexpr const char* kWipe = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string steps_name, std::uint64_t steps)
    : steps_name_(std::move(steps_name)),
      steps_(steps),
      on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::reached(std::uint64_t step, const std::string& note) {
  if (watch_of_thread != nullptr) {
    watch_of_thread->reached(steps_name_, step, steps_);
    return keep_going();
  }
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(step) / seconds;
  // Nothing is known of either before the first step is done.
  const std::string speed = step == 0 ? ""
                                      : fmt::format(", {} a second, {:.0f} s left",
                                                    rate < 1000 ? fmt::format("{:.3g}", rate)
                                                                : fmt::format("{:.0f}", rate),
                                                    static_cast<double>(steps_ - step) / rate);
  tell(fmt::format("{}{} of {} {}{}{}{}", kWipe, step, steps_, steps_name_, speed,
                   note.empty() ? "" : "; ", note));
  shown_ = true;
}

void Progress::finish() {
  if (std::exchange(shown_, false)) tell(kWipe);
}

Elapsed::Elapsed(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO) == 1) shower_ = std::thread([this] { show(); });
}

Elapsed::~Elapsed() {
  if (!shower_.joinable()) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    has_ended_ = true;
  }
  ended_.notify_one();
  shower_.join();
}

void Elapsed::show() {
  constexpr auto kSecond = std::chrono::seconds(1);
  std::unique_lock<std::mutex> lock(mutex_);
  bool is_shown = false;
  for (int seconds = 1; !ended_.wait_for(lock, kSecond, [this] { return has_ended_; }); ++seconds) {
    if (seconds < 2) continue;
    tell(fmt::format("{}{}, {} s so far", kWipe, what_, seconds));
    is_shown = true;
  }
  if (is_shown) tell(kWipe);
}

}  // namespace mollify
