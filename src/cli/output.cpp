#include "cli/output.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/progress.h"
#include "base/refusal.h"
#include "base/speech.h"
#include "cli/main.h"
#include "core/invalid_input.h"
#include "formats/csv.h"
#include "formats/text_files.h"

namespace mollify::cli {

// -----------------------------------------------------------------------------------------------
// How far a file has been read, on the terminal.

namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

/// The file that is being read.
struct Reading {
  explicit Reading(std::string name, std::uint64_t bytes)
      : path(std::move(name)),
        progress(fmt::format("MB of {} read", printable(path)), bytes / kMegabyte) {}

  std::string path;
  Progress progress;
};

std::optional<Reading>& reading() {
  static std::optional<Reading> now;
  return now;
}

}  // namespace

void show_reading() {
  if (::isatty(STDERR_FILENO) != 1) return;
  watch_reading([](const std::string& path, std::uint64_t read, std::uint64_t bytes) {
    std::optional<Reading>& now = reading();
    if (read == bytes) {
      if (now && now->path == path) now.reset();
      return;
    }
    if (!now || now->path != path) now.emplace(path, bytes);
    now->progress.reached(read / kMegabyte);
  });
}

// -----------------------------------------------------------------------------------------------
// A signal that ends the program.

namespace {

std::array<char, 1000> last_words;
volatile std::sig_atomic_t last_words_size = 0;

/// The handler is gone when it is called (SA_RESETHAND), so the signal then ends the program.
extern "C" void say_last_words(int signal) {
  const char* rest = last_words.data();
  for (auto size = static_cast<ssize_t>(last_words_size); size > 0;) {
    const ssize_t written = ::write(STDERR_FILENO, rest, static_cast<std::size_t>(size));
    if (written <= 0) break;
    rest += written;
    size -= written;
  }
  ::raise(signal);
}

}  // namespace

void say_when_ended(std::string_view words) {
  last_words_size = 0;
  const std::size_t size = std::min(words.size(), last_words.size());
  std::copy_n(words.begin(), size, last_words.begin());
  last_words_size = static_cast<std::sig_atomic_t>(size);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction known {};
    sigaction(signal, nullptr, &known);
    if (known.sa_handler == SIG_IGN) continue;
    struct sigaction told {};
    told.sa_handler = say_last_words;
    told.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(signal, &told, nullptr);
  }
}

// -----------------------------------------------------------------------------------------------
// The files a command leaves.

namespace {

/// While it lives, the signals that would end the program wait.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&ending, signal);
    sigprocmask(SIG_BLOCK, &ending, &before_);
  }
  ~HeldSignals() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

void require_writable(const std::string& path) {
  if (is_stream(path)) return;
  const HeldSignals held;
  const AtomicFile probe(path);
}

void add_overwrite(CLI::App& command, bool& overwrite, const std::string& group) {
  command.add_flag("--overwrite", overwrite, "replace the file of --out, if it is there")
      ->group(group);
}

void add_out(CLI::App& command, std::optional<std::string>& out, bool& overwrite,
             const std::string& help, const std::string& group) {
  add_text(command, "--out", out, "FILE", help)->group(group);
  add_overwrite(command, overwrite, group);
}

void require_new(const std::string& flag, const std::optional<std::string>& output,
                 bool overwrite) {
  if (!output) return;
  if (*output == "-") {
    refuse_input("unwritable-file", parameter_of(flag), {WayOut::leave(parameter_of(flag))},
                 "{} takes a file, but is -: leave it out to write to standard output, or give ./- "
                 "for a file of that name",
                 flag, flag);
  }
  for (const char* ending : {".parquet", ".pq", ".arrow", ".feather", ".xlsx"}) {
    if (!output->ends_with(ending)) continue;
    const std::string name =
        output->substr(0, output->size() - std::string_view(ending).size()) + ".csv";
    refuse_input("wrong-kind-of-file", concern_of(parameter_of(flag), *output),
                 {WayOut::set(parameter_of(flag), name)},
                 "{} writes text, but {} ends with {}: give a name such as {}, or write the file "
                 "from Python (release.to_parquet)",
                 flag, *output, ending, name);
  }
  naming_part(parameter_of(flag), [&] { require_writable(*output); });
  if (!overwrite && std::filesystem::is_regular_file(*output)) {
    refuse_input("file-exists", concern_of(parameter_of(flag), *output),
                 {WayOut::add("overwrite"), WayOut::set(parameter_of(flag))},
                 "{} exists: add --overwrite to replace it, or give another name to {}", *output,
                 flag);
  }
}

void refuse_overwriting(const std::string& flag, const std::optional<std::string>& output,
                        const std::string& other, const std::optional<std::string>& input) {
  if (!output || !input || !same_place(*output, *input)) return;
  refuse_input("same-file", concern_of(parameter_of(flag), *output),
               {WayOut::set(parameter_of(flag))}, "{} must not overwrite the file of {}, {}", flag,
               other, *input);
}

void write_files(const std::vector<OutputFile>& files) {
  // Streams first and interruptibly: a pipe may wait for its reader for ever.
  for (const OutputFile& file : files) {
    if (!is_stream(file.path)) continue;
    AtomicFile stream(file.path);
    stream.write(file.text);
    stream.commit();
  }
  const HeldSignals held;
  std::vector<std::unique_ptr<AtomicFile>> owned;
  std::vector<AtomicFile*> beside;
  for (const OutputFile& file : files) {
    if (is_stream(file.path)) continue;
    owned.push_back(std::make_unique<AtomicFile>(file.path));
    beside.push_back(owned.back().get());
    beside.back()->write(file.text);
  }
  commit_all(beside);
}

}  // namespace mollify::cli
