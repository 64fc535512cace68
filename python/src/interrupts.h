// Ctrl-C and progress, for what is computed without the interpreter's lock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <mollify/program.h>

#include "bindings.h"

namespace mollify::python {

/// Is called with the steps' name, the steps that are done and the number of all steps. None if
/// nobody wants to see them.
using Progress = std::optional<nb::typed<nb::callable, void(nb::str, int, int)>>;
/// Gets an item when a ledger has been charged.
using Charged = nb::typed<nb::list, bool>;

/// Stops a computation where Python would raise: at Ctrl-C, in its main thread. `progress` is
/// called if the computation takes more than a second.
class Interrupts : public Watch {
 public:
  explicit Interrupts(Progress progress = std::nullopt,
                      std::optional<Charged> charged = std::nullopt)
      : progress_(std::move(progress)), charged_(std::move(charged)) {}

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
  void charged() override {
    const nb::gil_scoped_acquire locked;
    if (charged_) charged_->append(true);
  }

  /// A warning, which ends the computation where warnings are errors.
  void takes_long(const std::string& what) override {
    const nb::gil_scoped_acquire locked;
    const std::string text = what + " may take longer than two seconds; Ctrl-C ends it";
    is_raised_ = is_raised_ || PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0;
  }

  [[nodiscard]] bool is_raised() const { return is_raised_; }

 private:
  using Clock = std::chrono::steady_clock;

  Progress progress_;
  std::optional<Charged> charged_;
  Clock::time_point next_ = Clock::now();
  Clock::time_point told_ = Clock::now() + std::chrono::seconds(1);
  bool is_raised_ = false;
};

/// Computes without the interpreter's lock, until Ctrl-C.
template <class Compute>
auto computed(Interrupts& interrupts, const Compute& compute) {
  const auto unlocked = [&] {
    const nb::gil_scoped_release released;
    const Watching watching(interrupts);
    return compute();
  };
  // Also where the computation has ended nevertheless.
  const auto raise = [&] {
    if (interrupts.is_raised()) throw nb::python_error();
  };
  try {
    if constexpr (std::is_void_v<decltype(compute())>) {
      unlocked();
      raise();
    } else {
      auto found = unlocked();
      raise();
      return found;
    }
  } catch (const nb::python_error&) {
    throw;
  } catch (...) {
    raise();
    throw;
  }
}

template <class Compute>
auto computed(const Compute& compute, Progress progress = std::nullopt) {
  Interrupts interrupts(std::move(progress));
  return computed(interrupts, compute);
}

/// The function, computed like this.
template <class Result, class... Parameters>
auto interruptible(Result (*function)(Parameters...)) {
  return [function](Parameters... given) {
    return computed([&] { return function(std::forward<Parameters>(given)...); });
  };
}

}  // namespace mollify::python
