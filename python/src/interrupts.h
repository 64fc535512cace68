// Ctrl-C and progress, for what is computed without the interpreter's lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <mollify/program.h>

#include "bindings.h"

namespace mollify::python {

/// Told of a long computation, unless it is none: (steps, step, of all steps).
using Progress = std::optional<nb::typed<nb::callable, void(nb::str, int, int)>>;

/// Stops a computation where Python would raise: at Ctrl-C, in its main thread. What takes more
/// than a second is told to `progress`.
class Interrupts : public Watch {
 public:
  explicit Interrupts(Progress progress) : progress_(std::move(progress)) {}

  [[nodiscard]] bool wants_stop() override {
    if (is_raised_) return true;
    if (Clock::now() < next_) return false;
    next_ = Clock::now() + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire locked;
    is_raised_ = PyErr_CheckSignals() != 0;
    return is_raised_;
  }
  void reached(const std::string& steps_name, std::uint64_t step, std::uint64_t steps) override {
    if (is_raised_ || !progress_ || Clock::now() < told_) return;
    told_ = step + 1 < steps ? Clock::now() + std::chrono::milliseconds(100) : told_;
    const nb::gil_scoped_acquire locked;
    try {
      (*progress_)(steps_name, step, steps);
    } catch (nb::python_error& error) {
      error.restore();
      is_raised_ = true;
    }
  }

  [[nodiscard]] bool is_raised() const { return is_raised_; }

 private:
  using Clock = std::chrono::steady_clock;

  Progress progress_;
  Clock::time_point next_ = Clock::now();
  Clock::time_point told_ = Clock::now() + std::chrono::seconds(1);
  bool is_raised_ = false;
};

/// What is computed without the interpreter's lock, until Ctrl-C.
template <class Compute>
auto computed(const Compute& compute, Progress progress = std::nullopt) {
  Interrupts interrupts(std::move(progress));
  try {
    const nb::gil_scoped_release unlocked;
    const Watching watching(interrupts);
    return compute();
  } catch (...) {
    if (interrupts.is_raised()) throw nb::python_error();
    throw;
  }
}

}  // namespace mollify::python
