#include "progress.h"

#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "command.h"

namespace mollify::cli {
namespace {

constexpr const char* kWipe = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string steps_name, std::uint64_t steps)
    : steps_name_(std::move(steps_name)),
      steps_(steps),
      on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void Progress::reached(std::uint64_t step, const std::string& note) {
  if (!on_terminal_ || step == 0) return;
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(250);
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(step) / seconds;
  tell(fmt::format("{}{} of {} {}, {:.3g} a second, {:.0f} s left{}{}", kWipe, step, steps_,
                   steps_name_, rate, static_cast<double>(steps_ - step) / rate,
                   note.empty() ? "" : "; ", note));
  shown_ = true;
}

void Progress::finish() {
  if (std::exchange(shown_, false)) tell(kWipe);
}

}  // namespace mollify::cli
