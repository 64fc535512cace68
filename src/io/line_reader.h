// Streams a file line by line in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mollify {

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

  /// All bytes behind the current line, as they are.
  [[nodiscard]] std::string bytes();

  /// The current line; valid until the next call of `next`.
  [[nodiscard]] std::string_view line() const noexcept { return line_; }
  /// The number of the current line; the first is 1.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }
  /// True if the current line ends in a line feed: only the last one may not.
  [[nodiscard]] bool terminated() const noexcept { return terminated_; }
  /// True if the current line was longer than kMaxLineBytes.
  [[nodiscard]] bool overlong() const noexcept { return overlong_; }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  bool fill();
  bool skip_rest_of_line();

  std::string path_;
  int descriptor_ = -1;  // none: all bytes are in the buffer
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what has been read but not yet passed on
  std::size_t end_ = 0;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool terminated_ = true;
  bool overlong_ = false;
  std::string beginning_;  // of an overlong line
};

/// Throws InvalidInput if the file exists and is no regular file, as it must be to be read more
/// than once.
void require_rereadable(const std::string& path);

}  // namespace mollify
