// Standard error for people: sentences, and a line during long computations; and a program's watch
// of a computation.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sentences.

/// The text with control characters as \x1b: a file's content must not steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// The beginning of each answer about private data.
inline constexpr const char* kNotPrivate =
    "NOT PRIVATE: this is computed from the data without protection, for the data holder only";

/// Writes to standard error; if nobody listens, nothing fails.
void tell(std::string_view text);

// -----------------------------------------------------------------------------------------------
// Who waits for a computation, where it is a program and no terminal.

/// A computation's progress for a program, and whether it still wants the answer. Of public things
/// only. It is asked often, by the thread that computes.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual ~Watch() = default;

  [[nodiscard]] virtual bool wants_stop() = 0;
  virtual void reached(const std::string& steps_name, std::uint64_t step, std::uint64_t steps) = 0;
  /// A ledger has been charged for the release that is computed, and stays charged if it is
  /// stopped.
  virtual void charged() {}
  /// Before a computation that may take longer than two seconds: what makes it long.
  virtual void takes_long(const std::string& /*what*/) {}
};

/// Ends a computation whose answer nobody wants any more. Nothing was released or written, and
/// nothing charged unless the watch was told.
class Stopped : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped"; }
};

/// While it lives, whatever this thread computes has this watch instead of the terminal.
class Watching {
 public:
  explicit Watching(Watch& watch) noexcept;
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching();

 private:
  Watch* before_;
};

/// Throws Stopped if the watch of this thread wants that; for every loop that may take long, at
/// least ten times a second.
void keep_going();

/// Tells the watch of this thread that a ledger has been charged.
void tell_charged();

/// Says what makes a computation long, before it begins: "planning in 30 dimensions". To the watch
/// of this thread, or to a terminal.
void tell_takes_long(const std::string& what);

// -----------------------------------------------------------------------------------------------
// A line on the terminal while something takes long.

/// Shows steps done, steps in all, rate and time left on standard error, a few times a second and
/// not before the first second has passed; or calls the watch of this thread, which may stop the
/// computation. Silent unless standard error is a terminal, so that no log has how long a release
/// took, which may depend on its data. The counted steps must be public.
class Progress {
 public:
  Progress(std::string steps_name, std::uint64_t steps);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { finish(); }

  /// `note` ends the line: what else there is to see.
  void reached(std::uint64_t step, const std::string& note = "");
  /// Wipes the line.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string steps_name_;
  std::uint64_t steps_;
  bool on_terminal_;
  bool shown_ = false;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point next_ = begin_ + std::chrono::seconds(1);
};

/// Shows for how long something runs whose steps nobody can count beforehand, from its second
/// second on, every second; on a terminal alone. Of public things only.
class Elapsed {
 public:
  explicit Elapsed(std::string what);
  Elapsed(const Elapsed&) = delete;
  Elapsed& operator=(const Elapsed&) = delete;
  /// Wipes the line.
  ~Elapsed();

 private:
  void show();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread shower_;
};

}  // namespace mollify
