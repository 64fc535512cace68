// Files that are read line by line and written whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mollify {

// -----------------------------------------------------------------------------------------------
// A small public file, whole.

/// The file's bytes. Throws InvalidInput, naming the file, if it cannot be read.
[[nodiscard]] std::string read_text_file(const std::string& path);

// -----------------------------------------------------------------------------------------------
// Writes a file whole or not at all.

/// A file that appears under its name only when it is complete.
///
/// Data goes to a new file in the same folder; `commit` forces it to disk and renames it. Without
/// a commit (an exception, an early return) nothing is left and what was there before stays. Where
/// the file system can (O_TMPFILE), the new file has no name until then, so that nothing is left
/// even of a program that is killed. A name that already belongs to something other than a file (a
/// device, a pipe) is written to directly.
///
/// A file that is replaced leaves its mode to the new one.
class AtomicFile {
 public:
  /// Who may read a file that was not there before.
  enum class Readers {
    kUsual,  ///< as the process's mask says
    kOwner,  ///< nobody else: for what is private
  };

  /// Throws InvalidInput if the file cannot be created there, or if `path` is a directory.
  explicit AtomicFile(std::string path, Readers readers = Readers::kUsual);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Throws std::system_error if the data cannot be written.
  void write(std::string_view data);

  /// Makes the file appear. Throws std::system_error if that fails; then nothing is left.
  /// Nothing may be written afterwards.
  void commit();

 private:
  void open_nameless(unsigned mode);
  void name_beside(int attempt);
  void flush();
  void discard() noexcept;
  [[noreturn]] void fail();

  std::string path_;
  std::string beside_;     // the name before the rename; none yet, or none at all
  bool nameless_ = false;  // the new file has no name yet
  int descriptor_ = -1;
  std::string buffer_;
};

// -----------------------------------------------------------------------------------------------
// Streams a file line by line in bounded memory.

/// The lines of a file of any size, one after another.
///
/// A line ends at a line feed, or at the end of the file, whatever its content: nothing written in
/// one line can change how another is read. A carriage return before the line feed and a UTF-8
/// byte order mark at the start of the file are not part of a line. Of a line longer than
/// kMaxLineBytes only the first kMaxLineBytes are seen.
class LineReader {
 public:
  static constexpr std::size_t kMaxLineBytes = std::size_t{1} << 20U;

  /// Throws InvalidInput if the file is missing, is a directory or cannot be opened. Given the
  /// bytes, reads those: the path is then only their name.
  explicit LineReader(std::string path, std::optional<std::string_view> bytes = std::nullopt);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// Goes to the next line; false at the end of the file. Throws std::system_error if the
  /// operating system cannot read further.
  bool next();

  /// Goes on by up to `most` whole lines at once, at least one, and returns them as they lie in the
  /// file, with their ends: what `next` would give one after the other. A line of many bytes, or
  /// the last one, comes alone; an overlong one is its beginning. Empty at the end of the file.
  /// Valid until the next call of either. `line` is then none of them.
  std::string_view next_lines(std::size_t most);

  /// All bytes behind the current line, as they are.
  [[nodiscard]] std::string bytes();

  /// The current line, after `next`; valid until the next call.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  /// The number of the current line, or of the last one of several; the first is 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// True if that line ends in a line feed: only the last one of the file may not.
  [[nodiscard]] bool terminated() const noexcept { return terminated_; }
  /// True if the current line was longer than kMaxLineBytes.
  [[nodiscard]] bool overlong() const noexcept { return overlong_; }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  bool fill();
  void start();
  bool skip_rest_of_line();

  std::string path_;
  int descriptor_ = -1;  // none: all bytes are in the buffer
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what has been read but not yet passed on
  std::size_t end_ = 0;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool has_started_ = false;
  bool terminated_ = true;
  bool overlong_ = false;
  std::string beginning_;  // of an overlong line
};

/// Whether a device or a pipe has this name: it is written to directly, and nothing beside it.
[[nodiscard]] bool is_stream(const std::string& path);

/// Throws InvalidInput if the file exists and is no regular file, as it must be to be read more
/// than once.
void require_rereadable(const std::string& path);

}  // namespace mollify
