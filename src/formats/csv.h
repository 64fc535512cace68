// CSV: lines, rows, reader, source, writer, sink.
#pragma once

#include <csv.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "records/sink.h"
#include "records/source.h"

namespace mollify {

struct Concern;

class Domain;

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
  /// The most bytes of one line that are read where endless lines are refused: 1 GiB.
  static constexpr std::size_t kMostBytesOfLine = std::size_t{1} << 30U;

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

  /// From now on throws InvalidInput for a line of more than kMostBytesOfLine bytes, instead of
  /// waiting for its end. Never for a release, which no content of a line may stop.
  void refuse_endless_lines() noexcept { refuses_endless_lines_ = true; }

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
  std::size_t begin_ = 0;  // bytes that are read but not yet passed on
  std::size_t end_ = 0;
  std::string_view line_;
  std::uint64_t number_ = 0;
  bool has_started_ = false;
  bool terminated_ = true;
  bool overlong_ = false;
  bool skips_first_ = false;  // the rest of an overlong first line is not yet read
  bool refuses_endless_lines_ = false;
  std::string beginning_;  // of an overlong line
};

/// Throws InvalidInput if the file exists and is no regular file, as it must be to be read more
/// than once.
void require_rereadable(const std::string& path);

// -----------------------------------------------------------------------------------------------
// The fields of a line that holds quotes.

/// libcsv, given one line at a time. Its own line ends and its trimming of spaces are switched off.
class QuotedLine {
 public:
  /// Options are libcsv's. Without any it is total, and makes fields of all bytes.
  explicit QuotedLine(unsigned char options = 0) : options_(options) { start(); }
  ~QuotedLine() { csv_free(&parser_); }
  QuotedLine(const QuotedLine&) = delete;
  QuotedLine& operator=(const QuotedLine&) = delete;

  /// Forgets the fields given before, and makes room for lines of this many bytes in all.
  void make_room(std::size_t size) {
    unquoted_.clear();
    unquoted_.reserve(size);
  }

  /// Passes each field of the line to keep(text), which must not throw, for C calls it. The texts
  /// stay valid until make_room. False if quotes are misplaced, which strict parsers alone mind.
  template <class Keep>
  bool parse(std::string_view line, Keep keep) {
    struct State {
      std::string& unquoted;
      Keep& keep;
    } state{unquoted_, keep};
    // All fields together are no longer than their line: appending them never allocates.
    const auto submit = [](void* field, std::size_t size, void* data) {
      State& to = *static_cast<State*>(data);
      const std::size_t begin = to.unquoted.size();
      to.unquoted.append(static_cast<const char*>(field), size);
      to.keep(std::string_view(to.unquoted).substr(begin));
    };
    if (csv_parse(&parser_, line.data(), line.size(), submit, nullptr, &state) == line.size() &&
        csv_fini(&parser_, submit, nullptr, &state) == 0) {
      return true;
    }
    const bool out_of_memory = csv_error(&parser_) == CSV_ENOMEM;
    csv_free(&parser_);
    start();
    if (out_of_memory) throw std::bad_alloc();
    return false;
  }

 private:
  void start() {
    csv_init(&parser_, options_);
    csv_set_space_func(&parser_, [](unsigned char) { return 0; });
    csv_set_term_func(&parser_, [](unsigned char) { return 0; });
    csv_set_blk_size(&parser_, std::size_t{1} << 16U);
  }

  unsigned char options_;
  csv_parser parser_{};
  std::string unquoted_;
};

// -----------------------------------------------------------------------------------------------
// Lines of a CSV file as rows of fields.

/// The fields of some whole lines, one row each, as CsvReader says. Total: whatever bytes the lines
/// hold, each has fields.
///
/// Separators are found many bytes at a time (formats/csv_lanes.h). Lines that hold a quote are
/// libcsv's.
class CsvRows {
 public:
  /// Splits the lines, which lie end to end and end in line feeds, a carriage return perhaps before
  /// them; the last one may have no end. Of each at most `columns` fields are kept. The bytes, at
  /// most 2^32 - 1, must outlive the rows. O(bytes).
  void split(std::string_view lines, std::size_t columns);

  [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }

  /// How many fields the line has. Requires row < size().
  [[nodiscard]] std::size_t field_count(std::size_t row) const noexcept {
    return rows_[row].commas + std::size_t{1};
  }

  /// A field, empty where the line has none. Valid until the next split. Requires row < size(),
  /// column < columns. O(1).
  [[nodiscard]] std::string_view field(std::size_t row, std::size_t column) const noexcept {
    const Row& of = rows_[row];
    if (column > of.commas) return {};
    if (of.is_quoted) return unquoted_[of.first + column];
    const std::size_t begin =
        column == 0 ? of.begin : places_[of.first + column - 1] + std::size_t{1};
    const std::size_t end = column == of.commas ? of.end : places_[of.first + column];
    return lines_.substr(begin, end - begin);
  }

 private:
  /// A line from `begin` to `end`; `first` is the place of its first separator, or of its first
  /// field if it is quoted.
  struct Row {
    std::uint32_t begin, end, first, commas;
    bool is_quoted;
  };

  void split_quoted(Row& row, std::size_t columns);

  std::string_view lines_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> places_;      // of separators
  std::vector<std::uint32_t> line_feeds_;  // which of them end lines
  std::vector<std::string_view> unquoted_;
  QuotedLine parser_;
};

// -----------------------------------------------------------------------------------------------
// Reads records from a CSV file, each from its own line.

/// The bytes of a table that were read before.
struct TableBytes {
  /// `of_file`: people know its lines. A table in memory has rows for them.
  TableBytes(std::string_view text, bool of_file = false)  // NOLINT(google-explicit-constructor)
      : bytes(text), is_of_file(of_file) {}
  std::string_view bytes;
  bool is_of_file;
};

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
  explicit CsvReader(std::string path, std::optional<TableBytes> bytes = std::nullopt);

  [[nodiscard]] const std::vector<std::string>& header() const noexcept { return header_; }

  /// The position of a column in the header. Throws InvalidInput unless there is one column of this
  /// name, and lists the columns. Not for a private file in which the first line may be a record.
  [[nodiscard]] std::size_t position(std::string_view column, const ColumnUse& use) const;

  /// As LineReader's, for answers to the data holder.
  void refuse_endless_lines() noexcept { lines_.refuse_endless_lines(); }

  /// Goes to the next record; false at the end of the file. Throws std::system_error only if the
  /// operating system cannot read.
  bool next();

  /// Of a public file: goes to the next record, which may have line breaks within quotes, as RFC 4180
  /// allows. Each becomes a vertical tab, as in CsvSink. A quote that is not closed within 1000 lines
  /// or kMaxLineBytes throws InvalidInput. `line_number` is the record's first line.
  bool next_joined();
  /// How many records had line breaks within quotes.
  [[nodiscard]] std::uint64_t joined_records() const noexcept { return joined_records_; }

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
  [[nodiscard]] std::string_view line() const noexcept {
    return joined_.empty() ? lines_.line() : std::string_view(joined_);
  }
  [[nodiscard]] std::uint64_t line_number() const noexcept {
    return joined_.empty() ? lines_.number() : first_line_;
  }
  [[nodiscard]] bool overlong() const noexcept { return lines_.overlong(); }
  [[nodiscard]] const std::string& path() const noexcept { return lines_.path(); }
  /// The current line as a sentence names it: "pupils.csv line 5".
  [[nodiscard]] std::string place() const;
  /// The same for programs, with a column if one is given. A table in memory has no lines.
  [[nodiscard]] Concern here(std::string_view column = {}) const;
  /// True for a table in memory: a person who works in Python knows its rows and no lines.
  [[nodiscard]] bool is_in_memory() const noexcept { return is_in_memory_; }

  /// False for text after the last line feed of a file of one column. A file whose lines are
  /// separated and not ended there would have a record more or less as its last value is null or
  /// not, so in such a file every record is ended; elsewhere a record holds a comma at least.
  [[nodiscard]] bool ends_as_a_record() const noexcept {
    return header_.size() > 1 || lines_.terminated();
  }

  /// True if every quote of the line is where RFC 4180 allows one, and closed.
  [[nodiscard]] bool well_quoted() const;

  /// True if it would be, were the line's last field closed where the line ends: the standard lets
  /// such a field go on in the next line.
  [[nodiscard]] bool ends_inside_quotes() const;

  /// The sentence's end about such a line.
  static constexpr const char* kNotUtf8 =
      "must be UTF-8 text: if its encoding is Latin-1, `iconv -f LATIN1 -t UTF-8 FILE` converts it";
  static constexpr const char* kOpenField =
      "closed quotes, but a field holds a line break or lacks its closing quote: a record is one "
      "line, so take line breaks out of fields, or give a data frame or a Parquet file, in Python";

  /// Of a public file: throws InvalidInput, with file and line, unless the line is well quoted, not
  /// overlong, and has as many fields as the header.
  void require_well_formed() const;

 private:
  void split();

  bool is_in_memory_;
  LineReader lines_;
  CsvRows rows_;          // the current line
  std::string joined_{};  // some lines that are one record; empty if it is one line
  std::uint64_t first_line_ = 0, joined_records_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
};

// -----------------------------------------------------------------------------------------------
// Where a CSV file has a domain's columns.

/// The positions in the header of a domain's columns and, last, of the unit's columns if there are
/// any. Throws InvalidInput unless the header has each of them once, no unit column is in the
/// domain, and a column of counts or weights is neither. Columns that the domain does not declare
/// are ignored.
[[nodiscard]] std::vector<std::size_t> wanted_columns(
    const CsvReader& csv, const Domain& domain, const UnitColumns& unit,
    const std::optional<AmountColumn>& amounts = std::nullopt);

// -----------------------------------------------------------------------------------------------
// The listener for the progress of reading.

/// Told how many bytes of a regular file have been read, of how many: all of them when its reader
/// is done with it, which may be before the end. Must not throw.
using ReadingWatch =
    std::function<void(const std::string& path, std::uint64_t read, std::uint64_t bytes)>;

/// Sets the listener of every LineReader of the program, because files are read deep within jobs: a
/// terminal. Call it before any file is read.
void watch_reading(ReadingWatch watch);

// -----------------------------------------------------------------------------------------------
// A CSV file as a source of records.

/// The lines below a CSV file's header, streamed in bounded memory as columns of text. Every line
/// is a record, an empty one a record of nulls; in a file of one column, every line that ends in a
/// line feed (CsvReader::ends_as_a_record).
///
/// Memory: about 2 MiB and the blocks' fields for each thread, more only for a line of more than
/// 128 KiB.
///
/// A pipe can be visited once, and not counted; a regular file as often as one likes.
class CsvSource final : public Source {
 public:
  /// Opens the file and reads its header. Throws InvalidInput like CsvReader. Given its bytes,
  /// reads those as often as one likes: of a pipe, which is then only their name. `threads` threads
  /// share the file's lines in a visit; fewer if no more can be made.
  explicit CsvSource(std::string path, std::optional<std::string> bytes = std::nullopt,
                     std::size_t threads = 1);

  [[nodiscard]] std::string_view name() const noexcept override { return path_; }
  [[nodiscard]] std::string_view file() const noexcept override {
    return bytes_ ? std::string_view() : path_;
  }
  [[nodiscard]] const std::vector<std::string>& columns() const noexcept override {
    return columns_;
  }
  void visit(std::span<const std::size_t> wanted,
             const std::function<void(const Block&)>& take) const override;
  void visit_by(std::span<const std::size_t> wanted,
                const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const override;
  [[nodiscard]] std::uint64_t record_count() const override;
  void require_repeatable() const override;

  /// While it lives, visits of the source refuse endless lines (LineReader::refuse_endless_lines):
  /// for answers to the data holder. Other sources have no lines.
  class RefusingEndlessLines {
   public:
    explicit RefusingEndlessLines(const Source& source)
        : csv_(dynamic_cast<const CsvSource*>(&source)) {
      if (csv_ != nullptr) csv_->refuses_endless_lines_ = true;
    }
    RefusingEndlessLines(const RefusingEndlessLines&) = delete;
    RefusingEndlessLines& operator=(const RefusingEndlessLines&) = delete;
    ~RefusingEndlessLines() {
      if (csv_ != nullptr) csv_->refuses_endless_lines_ = false;
    }

   private:
    const CsvSource* csv_;
  };
  [[nodiscard]] std::optional<Provenance> provenance() const override;
  [[nodiscard]] bool names_are_a_line() const noexcept override { return true; }

 private:
  [[nodiscard]] std::unique_ptr<CsvReader> open() const;

  [[nodiscard]] std::optional<std::string_view> bytes() const noexcept {
    return bytes_ ? std::optional<std::string_view>(*bytes_) : std::nullopt;
  }

  std::string path_;
  std::optional<std::string> bytes_;
  std::size_t threads_;
  std::vector<std::string> columns_;
  mutable bool refuses_endless_lines_ = false;
  mutable std::unique_ptr<CsvReader> opened_;  // behind the header; the first visit takes it
};

// -----------------------------------------------------------------------------------------------
// Writes records as CSV.

/// Appends one record and a line feed, quoted as RFC 4180 says where a field needs it (commas,
/// quotes, line breaks, outer spaces). A record of one empty field is written as `""`, so that
/// its line is not empty and no reader skips it.
void append_csv_record(std::span<const std::string> fields, std::string& csv);

// -----------------------------------------------------------------------------------------------
// A CSV file, or its text, as a sink of records.

/// Appends a table to a text as CSV: a header, then a line for each record, quoted as RFC 4180 says
/// where a field needs it. A null is an empty field, and a line break within a text a vertical tab:
/// a record is one line.
class CsvSink : public Sink {
 public:
  /// `csv` must outlive the sink.
  explicit CsvSink(std::string& csv) : csv_(csv) {}

  void begin(const Schema& schema) override;
  void write(const Block& block) override;

 private:
  std::string& csv_;
  Schema schema_;
};

}  // namespace mollify
