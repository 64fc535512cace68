// Reads records from a CSV file, each from its own line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/csv_rows.h"
#include "io/line_reader.h"

namespace mollify {

/// The records of a comma-separated file, streamed in bounded memory.
///
/// RFC 4180 with one deliberate difference: **one line is one record**. In the standard a quoted
/// field may hold line breaks, so an unclosed quote in one person's record would swallow the
/// records of others and let one unit's data change what another unit releases. Here a quote that
/// is open at the end of its line is closed there.
///
/// The header is public and read strictly. Records are private and read totally: whatever bytes a
/// line holds, it has fields. Lines without any character are skipped, unless they are asked for.
/// Nothing is trimmed.
class CsvReader {
 public:
  /// Opens the file and reads its header. Throws InvalidInput if the file cannot be opened, is
  /// empty, or its first line is not a well-formed header of at most 1 MiB. Bytes
  /// are as LineReader's.
  explicit CsvReader(std::string path, std::optional<std::string_view> bytes = std::nullopt);

  [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }

  /// Whether a sentence may name the columns there are: not of a private file, in which the first
  /// line may be a record.
  enum class Header { kSecret, kTold };

  /// The position of a column in the header. Throws InvalidInput if there is none of this name,
  /// or more than one; `reason` ends the sentence: "which the domain declares".
  [[nodiscard]] std::size_t position(std::string_view column, std::string_view reason,
                                     Header header = Header::kSecret) const;

  /// Goes to the next record; false at the end of the file. Throws std::system_error only if the
  /// operating system cannot read.
  bool next();

  /// Goes to the next line, which is a record though it be empty: for where the number of records
  /// is public and may not depend on what they hold.
  bool next_line();

  /// Goes on by some lines at once, records all of them, as LineReader::next_lines does; empty at
  /// the end of the records. They are for CsvRows; `fields` is then of none of them.
  std::string_view next_lines(std::size_t most);

  /// The record's fields, as many as the header has: those missing in the line are empty, those
  /// beyond the header are left out. Valid until the next call of `next`.
  [[nodiscard]] std::span<const std::string_view> fields() const noexcept { return fields_; }

  /// How many fields the line itself has.
  [[nodiscard]] std::size_t fields_in_line() const noexcept { return rows_.field_count(0); }
  [[nodiscard]] std::string_view line() const noexcept { return lines_.line(); }
  [[nodiscard]] std::uint64_t line_number() const noexcept { return lines_.number(); }
  [[nodiscard]] bool overlong() const noexcept { return lines_.overlong(); }
  [[nodiscard]] const std::string& path() const noexcept { return lines_.path(); }

  /// False for what follows the last line feed of a file of one column. A file whose lines are
  /// separated and not ended there would have a record more or less as its last value is null or
  /// not, so in such a file every record is ended; elsewhere a record holds a comma at least.
  [[nodiscard]] bool ends_as_a_record() const noexcept {
    return header_.size() > 1 || lines_.terminated();
  }

  /// True if every quote of the line is where RFC 4180 allows one, and closed.
  [[nodiscard]] bool well_quoted();

 private:
  void split();

  LineReader lines_;
  CsvRows rows_;  // the current line
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
};

}  // namespace mollify
