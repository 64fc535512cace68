// What a person sees on standard error: sentences, and a line while something takes long.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sentences.

/// The text with control characters as \x1b: what a file holds must not steer a terminal.
[[nodiscard]] std::string printable(std::string_view text);

/// Writes to standard error; nobody listening is no failure.
void tell(std::string_view text);

// -----------------------------------------------------------------------------------------------
// A line on the terminal while something takes long.

/// Shows steps done, steps in all, rate and time left on standard error, a few times a second and
/// not before the first second has passed. Silent unless standard error is a terminal, so that no
/// log has how long a release took, which may tell of its data. What it counts must be public.
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
