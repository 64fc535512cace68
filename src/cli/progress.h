// Progress and files of output.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>

namespace mollify::cli {

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

/// From now on shows how far each file that takes long has been read, unless standard error is no
/// terminal: of a private one too, for whoever starts the command can see how large it is.
void show_reading();

/// Wipes that line, before something is printed while a file is read.
void hide_reading();

// -----------------------------------------------------------------------------------------------
// The files a command leaves.

struct OutputFile {
  std::string path;
  std::string text;
  bool is_private = false;  ///< made for its owner alone to read
};

/// Whether a device or a pipe has this name: it is written to directly, and nothing beside it.
bool is_stream(const std::string& path);

/// Refuses (InvalidInput) a path at which no file can be made, and leaves nothing there.
void require_writable(const std::string& path);

/// Adds --out and --overwrite to a command.
void add_out(CLI::App& command, std::optional<std::string>& out, bool& overwrite,
             const std::string& help, const std::string& group = CLI::OptionDefaults().get_group());

/// Refuses (InvalidInput) an output at which no file can be made, and, unless it may be replaced,
/// one that is a file already. Before anything long is computed, or charged.
void require_new(const std::string& flag, const std::optional<std::string>& output, bool overwrite);

/// Whether two names lead to the same place, whether or not there is a file.
bool same_place(const std::string& left, const std::string& right);

/// Refuses (InvalidInput) an output that would overwrite the file of another option.
void refuse_overwriting(const std::string& flag, const std::optional<std::string>& output,
                        const std::string& other, const std::optional<std::string>& input);

/// Makes all of the files appear, or none: an interrupting signal waits until they are complete,
/// and if one cannot be written those made before it are taken away. Throws InvalidInput or
/// std::system_error.
void write_files(const std::vector<OutputFile>& files);

}  // namespace mollify::cli
