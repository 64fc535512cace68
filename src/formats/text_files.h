// Files that are read whole and written whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Why a file is not there.

/// The error's words. For a missing file: the folder that was searched, and the nearest name in it.
[[nodiscard]] std::string why_not_opened(const std::string& path, int error);

/// The error's words. If the folder is missing: to make it.
[[nodiscard]] std::string why_not_written(const std::string& path, int error);

/// Whether two names lead to the same place, whether or not there is a file.
[[nodiscard]] bool same_place(const std::string& left, const std::string& right);

// -----------------------------------------------------------------------------------------------
// A small public file, whole.

/// The file's bytes. Throws InvalidInput, naming the file, if it cannot be read or has more than
/// `most` bytes, whatever the file system says of its size.
[[nodiscard]] std::string read_text_file(const std::string& path,
                                         std::size_t most = std::size_t{1} << 30U);

/// What `parse` makes of its bytes and its name; refusals name the file.
template <class Parse>
[[nodiscard]] auto parsed_file(const std::string& path, const Parse& parse) {
  return naming_file(path, [&] { return parse(read_text_file(path), path); });
}

// -----------------------------------------------------------------------------------------------
// Writes a file whole or not at all.

/// A file that appears under its name only when it is complete.
///
/// Data goes to a new file in the same folder; `commit` forces it to disk and renames it. Without a
/// commit (an exception, an early return) nothing is left and an earlier file stays. If the file
/// system can (O_TMPFILE), the new file has no name until then, so that nothing is left even of a
/// program that is killed. A name that already belongs to something other than a file (a device, a
/// pipe) is written to directly.
///
/// A file that is replaced leaves its mode to the new one.
class AtomicFile {
 public:
  /// Throws InvalidInput if the file cannot be created there, or if `path` is a directory.
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends. Throws std::system_error if the data cannot be written.
  void write(std::string_view data);

  /// Makes the file appear. Throws std::system_error if that fails; then nothing is left.
  /// Nothing may be written afterwards.
  void commit();

  /// The place of the new file.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

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

/// Makes the name of a file last through a power failure, if the system lets a program do so.
void synchronise_folder(const std::string& path);

/// Makes all of the files appear, one after the other, or none: if one cannot be written, those
/// made before it are taken away. Throws std::system_error then.
void commit_all(std::span<AtomicFile* const> files);

/// Whether a device or a pipe has this name: it is written to directly, without another file.
[[nodiscard]] bool is_stream(const std::string& path);

}  // namespace mollify
