#include "formats/csv.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/progress.h"
#include "base/refusal.h"
#include "base/sha256.h"
#include "base/speech.h"
#include "base/words.h"
#include "core/lanes.h"
#include "domain/column.h"
#include "domain/domain.h"
#include "domain/numbers.h"
#include "formats/csv_lanes.h"
#include "formats/text_files.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Streams a file line by line in bounded memory.

namespace {

constexpr std::size_t kFirstBufferBytes = std::size_t{1} << 18U;
constexpr std::size_t kBytesOfLines = std::size_t{1} << 17U;  // given at once
static_assert(kBytesOfLines < LineReader::kMaxLineBytes);

ReadingWatch& watching() {
  static ReadingWatch watch;
  return watch;
}

/// Tells how far the file is read, or that it is done with. Asked of the operating system, so that
/// readers that nobody watches hold nothing for it.
void tell_watch(int descriptor, const std::string& path, bool is_done) {
  if (!watching()) return;
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) return;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto read = static_cast<std::uint64_t>(::lseek(descriptor, 0, SEEK_CUR));
  watching()(path, is_done ? bytes : std::min(read, bytes), bytes);
}

}  // namespace

void watch_reading(ReadingWatch watch) { watching() = std::move(watch); }

LineReader::LineReader(std::string path, std::optional<std::string_view> bytes)
    : path_(std::move(path)) {
  if (bytes) {
    buffer_.assign(bytes->begin(), bytes->end());
    end_ = bytes->size();
    if (end_ == 0) buffer_.resize(1);
    return;
  }
  require_without_nul("a path", path_);
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0) {
    refuse_input("unreadable-file", Concern::in_file(path_), "{} cannot be opened: {}", path_,
                 why_not_opened(path_, errno));
  }
  struct stat status {};
  if (::fstat(descriptor_, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor_);
    refuse_input("unreadable-file", Concern::in_file(path_),
                 "{} must be a file, but is a directory", path_);
  }
  buffer_.resize(kFirstBufferBytes);
}

LineReader::~LineReader() {
  if (descriptor_ < 0) return;
  tell_watch(descriptor_, path_, true);
  ::close(descriptor_);
}

// Reads more bytes behind those in the buffer, making room first; false at the end of the file.
bool LineReader::fill() {
  if (descriptor_ < 0) return false;
  keep_going();
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
  ssize_t count = 0;
  do {
    count = ::read(descriptor_, buffer_.data() + end_, buffer_.size() - end_);
  } while (count < 0 && errno == EINTR);
  if (count < 0) throw std::system_error(errno, std::generic_category(), path_);
  end_ += static_cast<std::size_t>(count);
  tell_watch(descriptor_, path_, count == 0);
  return count > 0;
}

std::string LineReader::bytes() {
  while (fill()) {
  }
  return {buffer_.data() + begin_, end_ - begin_};
}

bool LineReader::skip_rest_of_line() {
  std::size_t skipped = 0;
  while (true) {
    if (refuses_endless_lines_ && skipped > kMostBytesOfLine) {
      refuse_input("malformed-file", Concern::in_file(path_, number_),
                   "{} line {} must end within {} bytes, but does not", path_, number_,
                   kMostBytesOfLine);
    }
    const void* feed = std::memchr(buffer_.data() + begin_, '\n', end_ - begin_);
    if (feed != nullptr) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(feed) - buffer_.data()) + 1;
      return true;
    }
    skipped += end_ - begin_;
    begin_ = end_;
    if (!fill()) return false;
  }
}

void LineReader::start() {
  if (skips_first_) {
    skips_first_ = false;
    terminated_ = skip_rest_of_line();
  }
  if (has_started_) return;
  has_started_ = true;
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  while (end_ < kByteOrderMark.size() && fill()) {
  }
  if (std::string_view(buffer_.data(), end_).substr(0, 3) == kByteOrderMark) begin_ = 3;
}

std::string_view LineReader::next_lines(std::size_t most) {
  start();
  if (end_ - begin_ < kBytesOfLines) fill();
  std::size_t lines = most;
  const char* const start = buffer_.data() + begin_;
  const std::size_t length = detail::fastest<detail::CsvLanes>().end_of_lines(
      start, std::min(end_ - begin_, kBytesOfLines), &lines);
  if (lines > 0) {
    begin_ += length;
    number_ += lines;
    terminated_ = true;
    overlong_ = false;
    return {start, length};
  }
  if (!next()) return {};
  if (!overlong_) {
    const char* const end = buffer_.data() + begin_;
    return {line_.data(), static_cast<std::size_t>(end - line_.data())};
  }
  if (terminated_) beginning_ += "\r\n";  // whatever its last letter is, it stays
  return beginning_;
}

bool LineReader::next() {
  start();
  std::size_t searched = 0;
  while (true) {
    const char* const start = buffer_.data() + begin_;
    const std::size_t available = end_ - begin_;
    const void* feed = std::memchr(start + searched, '\n', available - searched);
    const std::size_t length =
        feed == nullptr ? available
                        : static_cast<std::size_t>(static_cast<const char*>(feed) - start);
    // A carriage return may follow kMaxLineBytes bytes of content, so one byte more is awaited.
    if (feed == nullptr && length <= kMaxLineBytes + 1) {
      searched = available;
      if (fill()) continue;
      if (available == 0) return false;
    }
    line_ = {buffer_.data() + begin_, length};
    if (feed != nullptr && line_.ends_with('\r')) line_.remove_suffix(1);
    terminated_ = feed != nullptr;
    overlong_ = line_.size() > kMaxLineBytes;
    begin_ += std::min(length + 1, available);
    if (++number_ % 1024 == 0) keep_going();
    if (!overlong_) return true;
    beginning_ = line_.substr(0, kMaxLineBytes);
    line_ = beginning_;
    // Beyond the buffer's content nothing is known yet: an overlong line may go on. A header is
    // refused whatever follows, and might never end.
    skips_first_ = !terminated_ && number_ == 1;
    if (!terminated_ && !skips_first_) terminated_ = skip_rest_of_line();
    return true;
  }
}

void require_rereadable(const std::string& path) {
  std::error_code unknown;
  refuse_if(
      !std::filesystem::is_regular_file(path, unknown) && std::filesystem::exists(path, unknown),
      "not-repeatable", Concern::in_file(path),
      "{} is read more than once, so it must be a regular file, but is not", path);
}

// -----------------------------------------------------------------------------------------------
// Lines of a CSV file as rows of fields.

void CsvRows::split(std::string_view lines, std::size_t columns) {
  lines_ = lines;
  const std::size_t room = lines.size() + detail::CsvLanes::kSpare;
  if (places_.size() < room) {
    places_.resize(room);
    line_feeds_.resize(room);
  }
  const auto found = detail::fastest<detail::CsvLanes>().find_separators(
      lines.data(), lines.size(), places_.data(), line_feeds_.data());
  rows_.clear();
  unquoted_.clear();
  std::uint32_t begin = 0, first = 0;
  const auto add = [&](std::uint32_t end, std::uint32_t last) {
    rows_.push_back({begin, end, first, last - first, false});
  };
  for (std::size_t i = 0; i < found.line_feeds; ++i) {
    const std::uint32_t feed = line_feeds_[i];
    const std::uint32_t place = places_[feed];
    add(place - (place > begin && lines[place - 1] == '\r' ? 1U : 0U), feed);
    begin = place + 1;
    first = feed + 1;
  }
  const auto size = static_cast<std::uint32_t>(lines.size());
  if (begin < size || size == 0) add(size, static_cast<std::uint32_t>(found.separators));
  if (!found.has_quotes) return;
  parser_.make_room(lines.size());
  for (Row& row : rows_) {
    const std::string_view line = lines.substr(row.begin, row.end - row.begin);
    if (line.find('"') != std::string_view::npos) split_quoted(row, columns);
  }
}

void CsvRows::split_quoted(Row& row, std::size_t columns) {
  // Separators between quotes do not count, so there are at most this many fields. Room is made
  // before libcsv's functions in C, which nothing may leave.
  const std::size_t first = unquoted_.size();
  const std::size_t kept = std::min(row.commas + std::size_t{1}, columns);
  unquoted_.resize(first + kept);
  std::size_t count = 0;
  parser_.parse(lines_.substr(row.begin, row.end - row.begin),
                [&](std::string_view field) noexcept {
                  if (count < kept) unquoted_[first + count] = field;
                  ++count;
                });
  row.first = static_cast<std::uint32_t>(first);
  row.commas = static_cast<std::uint32_t>(std::max<std::size_t>(count, 1) - 1);
  row.is_quoted = true;
}

// -----------------------------------------------------------------------------------------------
// Reads records from a CSV file, each from its own line.

namespace {

constexpr const char* kSpss =
    "looks like an SPSS file: read it in Python by `labelled = mollify.read_labelled(FILE)`, and "
    "give `labelled.data`";
constexpr const char* kStata =
    "looks like a Stata file: read it in Python by `labelled = mollify.read_labelled(FILE)`, and "
    "give `labelled.data`";
constexpr const char* kSas =
    "looks like a SAS file: read it in Python by `labelled = mollify.read_labelled(FILE)`, and "
    "give `labelled.data`";
constexpr const char* kSheet =
    "looks like a zip archive or a spreadsheet: save it as CSV first, or give a frame, in Python "
    "by `import pandas` and `frame = pandas.read_excel(FILE)`";
constexpr const char* kFeather =
    "looks like a Feather or Arrow file: give a frame, in Python by `import pandas` and `frame = "
    "pandas.read_feather(FILE)`";
constexpr const char* kTableOfR =
    "looks like a table of R: read it in Python by `labelled = mollify.read_labelled(FILE)`, and "
    "give `labelled.data`";
constexpr const char* kWorkspaceOfR =
    "looks like a workspace of R: write one table of it in R by `saveRDS(TABLE, FILE)`, and read "
    "that in Python by `labelled = mollify.read_labelled(FILE)`";
constexpr const char* kPortable =
    "looks like a portable SPSS file: save it as .sav in SPSS, which keeps its missing codes, and "
    "read that in Python by `labelled = mollify.read_labelled(FILE)`";
constexpr const char* kUtf16 = "looks like UTF-16: save it as UTF-8 first";
constexpr const char* kJson =
    "looks like JSON: read it in Python by `pandas.read_json(FILE)`, with `lines=True` if each "
    "line is "
    "an object, and give the frame";

using namespace std::string_view_literals;

/// The first bytes of files that hold no text, and advice about them.
constexpr std::pair<std::string_view, const char*> kPackings[] = {
    {"\x1f\x8b", "looks compressed by gzip: unpack it first"},
    {"BZh", "looks compressed by bzip2: unpack it first"},
    {"\xfd"
     "7zXZ",
     "looks compressed by xz: unpack it first"},
    {"\x28\xb5\x2f\xfd", "looks compressed by zstd: unpack it first"},
    {"PK\x03\x04", kSheet},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", kSheet},
    {"PAR1", "looks like Parquet: save it as CSV first"},
    {"ARROW1", kFeather},
    {"FEA1", kFeather},
    {"$FL2", kSpss},
    {"$FL3", kSpss},
    {"<stata_dta>", kStata},
    {"\x73\x02\x01", kStata},
    {"\x72\x02\x01", kStata},
    {"\x71\x02\x01", kStata},
    {"\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60"sv, kSas},
    {"HEADER RECORD*******LIB", kSas},
    {"\xff\xfe", kUtf16},
    {"\xfe\xff", kUtf16}};

/// Advice about a file of R; null for another. Such files are compressed as any file is, and a table
/// that is not compressed begins with a line of one letter, which a header may be, too: there the
/// file's name tells.
const char* packing_of_r(std::string_view line, std::string_view path) {
  for (const std::string_view whole : {"RDX2"sv, "RDX3"sv, "RDA2"sv, "RDA3"sv}) {
    if (line == whole) return kWorkspaceOfR;
  }
  std::string ending = std::filesystem::path(path).extension().string();
  for (char& letter : ending) {
    if ('A' <= letter && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  constexpr std::size_t kCompressions = 3;
  const bool is_compressed =
      std::any_of(kPackings, kPackings + kCompressions,
                  [&](const auto& packing) { return line.starts_with(packing.first); });
  if (ending == ".rdata" || ending == ".rda") return is_compressed ? kWorkspaceOfR : nullptr;
  const bool is_letter = line == "X" || line == "A" || line == "B";
  return ending == ".rds" && (is_compressed || is_letter) ? kTableOfR : nullptr;
}

/// Whether a file begins like JSON: with an object or a list, by its text or by its name.
bool begins_like_json(std::string_view line, std::string_view path) {
  std::string start;
  for (const char letter : line.substr(0, 100)) {
    if (letter != ' ' && letter != '\t') start += letter;
  }
  const bool has_name = path.ends_with(".json") || path.ends_with(".jsonl") ||
                        path.ends_with(".ndjson") || path.ends_with(".geojson");
  return start.starts_with("{\"") || start.starts_with("[{") || start.starts_with("[[") ||
         (has_name && (start.starts_with('{') || start.starts_with('[')));
}

/// Why a file that begins with this line is no CSV, and what to do; null if it may be.
const char* packing_of(std::string_view line, std::string_view path) {
  if (const char* of_r = packing_of_r(line, path)) return of_r;
  for (const auto& [bytes, packing] : kPackings) {
    if (line.starts_with(bytes)) return packing;
  }
  if (begins_like_json(line, path)) return kJson;
  // A portable file of SPSS names itself five times, in several sets of letters.
  constexpr std::size_t kNames = 200;
  if (line.substr(0, kNames).find("ASCII SPSS PORT FILE") != std::string_view::npos)
    return kPortable;
  return nullptr;
}

}  // namespace

CsvReader::CsvReader(std::string path, std::optional<TableBytes> bytes)
    : is_in_memory_(bytes && !bytes->is_of_file),
      lines_(std::move(path), bytes ? std::optional(bytes->bytes) : std::nullopt) {
  refuse_if(!lines_.next(), "empty-input", Concern::in_file(lines_.path()),
            "{} must start with a header, but is empty", lines_.path());
  if (const char* packing = packing_of(lines_.line(), lines_.path())) {
    refuse_input("malformed-file", Concern::in_file(lines_.path()), "{} must be text, but {}",
                 lines_.path(), packing);
  }
  refuse_if(lines_.line().empty(), "malformed-file", Concern::in_file(lines_.path(), 1),
            "{} must start with a header, but its first line is empty", lines_.path());
  refuse_if(lines_.overlong(), "malformed-file", Concern::in_file(lines_.path()),
            "{} must start with a header of at most {} bytes, but its first line is longer",
            lines_.path(), LineReader::kMaxLineBytes);
  // Between quotes it is a name's, however odd.
  const std::string_view header = lines_.line();
  refuse_if(
      header.find('\r') != std::string_view::npos && header.find('"') == std::string_view::npos,
      "malformed-file", Concern::in_file(lines_.path(), 1),
      "{} must end its lines with a line feed, but line 1 holds a carriage return without one",
      lines_.path());
  // The line is not quoted: a file without a header begins with a private record.
  refuse_if(header.find('\0') != std::string_view::npos, "malformed-file",
            Concern::in_file(lines_.path(), 1),
            "{} line 1 must be a header of text without NUL, but holds a NUL: give the file a "
            "header, or write it as UTF-8",
            lines_.path());
  refuse_if(ends_inside_quotes(), "malformed-file", Concern::in_file(lines_.path(), 1),
            "{} line 1 must be a header with {}", lines_.path(), kOpenField);
  refuse_if(!well_quoted(), "malformed-file", Concern::in_file(lines_.path(), 1),
            "{} line 1 must be a header with closed quotes, but holds a misplaced quote",
            lines_.path());
  rows_.split(header, header.size() + 1);  // not this many
  for (std::size_t i = 0; i < rows_.field_count(0); ++i) {
    header_.emplace_back(rows_.field(0, i));
  }
}

std::size_t CsvReader::position(std::string_view column, const ColumnUse& use) const {
  return naming_file(is_in_memory_ ? "" : std::string(path()), 1, [&] {
    return place_of_column(path(), header_, column, use,
                           [&] { return columns_hint(header_, column); });
  });
}

namespace {

bool is_well_quoted(std::string_view line) {
  if (line.find('"') == std::string_view::npos) return true;
  QuotedLine strict(CSV_STRICT | CSV_STRICT_FINI);
  strict.make_room(line.size());
  return strict.parse(line, [](std::string_view) noexcept {});
}

}  // namespace

bool CsvReader::next_line() {
  joined_.clear();
  if (!lines_.next()) return false;
  split();
  return true;
}

bool CsvReader::next() {
  do {
    if (!next_line()) return false;
  } while (lines_.line().empty());
  return true;
}

bool CsvReader::next_joined() {
  constexpr int kMostLines = 1000;
  if (!next()) return false;
  if (!ends_inside_quotes()) return true;
  std::string record(lines_.line());
  first_line_ = lines_.number();
  for (int i = 0; i < kMostLines && lines_.next(); ++i) {
    if (record.size() + lines_.line().size() >= LineReader::kMaxLineBytes) break;
    record += '\v';
    record += lines_.line();
    if (!is_well_quoted(record)) continue;
    joined_ = std::move(record);
    ++joined_records_;
    split();
    return true;
  }
  refuse_input("malformed-file", is_in_memory_ ? Concern() : Concern::in_file(path(), first_line_),
               "{} {} must have {}", path(), line_words(first_line_, is_in_memory_), kOpenField);
}

std::string_view CsvReader::next_lines(std::size_t most) {
  const std::string_view lines = lines_.next_lines(most);
  return ends_as_a_record() ? lines : std::string_view();
}

void CsvReader::split() {
  rows_.split(line(), header_.size());
  fields_.resize(header_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i] = rows_.field(0, i);
}

bool CsvReader::well_quoted() const { return is_well_quoted(line()); }

bool CsvReader::ends_inside_quotes() const {
  return !well_quoted() && is_well_quoted(std::string(line()) + '"');
}

std::string CsvReader::place() const {
  return fmt::format("{} {}", path(), line_words(line_number(), is_in_memory_));
}

Concern CsvReader::here(std::string_view column) const {
  return is_in_memory_ ? Concern::of_column(column)
                       : Concern::in_file(path(), line_number(), column);
}

void CsvReader::require_well_formed() const {
  const auto refuse = [&](const std::string& what) {
    refuse_input("malformed-file", here(), "{} must have {}", place(), what);
  };
  if (overlong()) {
    refuse(fmt::format("at most {} bytes, but is longer", LineReader::kMaxLineBytes));
  }
  if (ends_inside_quotes()) refuse(kOpenField);
  if (!well_quoted()) refuse("closed quotes, but holds a misplaced quote");
  if (fields_in_line() != header_.size()) {
    refuse(fmt::format("{} fields like the header, but has {}", header_.size(), fields_in_line()));
  }
}

std::vector<std::size_t> wanted_columns(const CsvReader& csv, const Domain& domain,
                                        const UnitColumns& unit,
                                        const std::optional<AmountColumn>& amounts) {
  return wanted_columns(
      domain.names(), unit, amounts,
      [&](const std::string& column, const ColumnUse& use) { return csv.position(column, use); });
}

// -----------------------------------------------------------------------------------------------
// A CSV file as a source of records.

namespace {

/// Some lines of the file as a block.
class LineBlock {
 public:
  explicit LineBlock(std::span<const std::size_t> wanted)
      : wanted_(wanted), texts_(wanted.size()), values_(wanted.size()) {}

  /// Copies the lines, for a reader's are gone with the next ones.
  void take(std::string_view lines) { lines_.assign(lines); }

  [[nodiscard]] Block split(std::size_t columns) {
    rows_.split(lines_, columns);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      texts_[i].resize(rows_.size());
      for (std::size_t row = 0; row < rows_.size(); ++row) {
        texts_[i][row] = rows_.field(row, wanted_[i]);
      }
      values_[i] = Values(std::span<const std::string_view>(texts_[i]));
    }
    return {rows_.size(), values_};
  }

 private:
  std::span<const std::size_t> wanted_;
  std::string lines_;
  CsvRows rows_;
  std::vector<std::vector<std::string_view>> texts_;
  std::vector<Values> values_;
};

/// Threads that read one file, some lines at a time each, and pass what they made of them on in the
/// lines' order.
class Readers {
 public:
  Readers(CsvReader& csv, std::span<const std::size_t> wanted) : csv_(csv), wanted_(wanted) {}

  void run(const std::vector<std::unique_ptr<BlockWorker>>& workers) {
    std::vector<std::thread> threads;
    try {
      threads.reserve(workers.size());
      for (std::size_t i = 1; i < workers.size(); ++i) {
        threads.emplace_back([this, &worker = *workers[i]] { read(worker); });
      }
    } catch (const std::exception&) {  // then fewer do the same
    }
    read(*workers.front());
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void read(BlockWorker& worker) noexcept {
    try {
      LineBlock lines(wanted_);
      while (const auto turn = next(lines)) {
        keep_going();
        const Block block = lines.split(csv_.header().size());
        worker.work(block);
        if (!worker.takes()) {
          if (taken_ == kFailed) return;
          continue;
        }
        if (!await(*turn)) return;
        worker.take(block);
        std::uint32_t mine = *turn;
        taken_.compare_exchange_strong(mine, after(*turn));  // not over a failure
        taken_.notify_all();
      }
    } catch (...) {
      {
        const std::lock_guard lock(failing_);
        if (!error_) error_ = std::current_exception();
      }
      taken_ = kFailed;
      taken_.notify_all();
    }
  }

  /// The next lines, and their turn; empty at the end.
  std::optional<std::uint32_t> next(LineBlock& lines) {
    const std::lock_guard lock(reading_);
    const std::string_view read = csv_.next_lines(kRowsPerBlock);
    if (read.empty()) return std::nullopt;
    lines.take(read);
    return std::exchange(given_, after(given_));
  }

  /// Waits until all lines before are taken; false if they never will be.
  bool await(std::uint32_t turn) const {
    std::uint32_t taken = taken_;
    while (taken != turn && taken != kFailed) {
      taken_.wait(taken);
      taken = taken_;
    }
    return taken == turn;
  }

  /// Turns begin anew when there are no more: far fewer are waited for at once.
  static std::uint32_t after(std::uint32_t turn) { return (turn + 1) % kFailed; }

  CsvReader& csv_;
  std::span<const std::size_t> wanted_;
  static constexpr std::uint32_t kFailed = std::numeric_limits<std::uint32_t>::max();

  std::mutex reading_;
  std::uint32_t given_ = 0;
  /// The turn that is next, or kFailed. 32 bits are what the kernel waits on. A condition variable
  /// would need the C++ library of GCC 12 where the program runs; this needs no library.
  std::atomic<std::uint32_t> taken_ = 0;
  std::mutex failing_;
  std::exception_ptr error_;
};

/// A worker of one function.
class Taker final : public BlockWorker {
 public:
  explicit Taker(const std::function<void(const Block&)>& take) : take_(take) {}
  void take(const Block& block) override { take_(block); }

 private:
  const std::function<void(const Block&)>& take_;
};

}  // namespace

CsvSource::CsvSource(std::string path, std::optional<std::string> bytes, std::size_t threads)
    : path_(std::move(path)),
      bytes_(std::move(bytes)),
      threads_(std::max<std::size_t>(threads, 1)),
      opened_(std::make_unique<CsvReader>(path_, this->bytes())) {
  columns_ = opened_->header();
}

std::unique_ptr<CsvReader> CsvSource::open() const {
  if (opened_) {
    if (refuses_endless_lines_) opened_->refuse_endless_lines();
    return std::move(opened_);
  }
  require_repeatable();
  auto again = std::make_unique<CsvReader>(path_, bytes());
  refuse_if(again->header() != columns_, "file-changed", Concern::in_file(path_),
            "{} must not change while it is read, but has another header", path_);
  return again;
}

void CsvSource::visit(std::span<const std::size_t> wanted,
                      const std::function<void(const Block&)>& take) const {
  visit_by(wanted, [&] { return std::make_unique<Taker>(take); });
}

void CsvSource::visit_by(std::span<const std::size_t> wanted,
                         const std::function<std::unique_ptr<BlockWorker>()>& make_worker) const {
  const std::unique_ptr<CsvReader> csv = open();
  std::vector<std::unique_ptr<BlockWorker>> workers;
  for (std::size_t i = 0; i < threads_; ++i) workers.push_back(make_worker());
  Readers(*csv, wanted).run(workers);
}

std::uint64_t CsvSource::record_count() const {
  require_repeatable();
  CsvReader csv(path_, bytes());
  const std::uint64_t header = csv.line_number();
  while (!csv.next_lines(kRowsPerBlock).empty()) keep_going();
  const std::uint64_t lines = csv.line_number() - header;
  return lines > 0 && !csv.ends_as_a_record() ? lines - 1 : lines;
}

void CsvSource::require_repeatable() const {
  if (!bytes_) require_rereadable(path_);
}

std::optional<Provenance> CsvSource::provenance() const {
  Sha256 digest;
  if (bytes_) {
    digest.add(*bytes_);
    return Provenance{path_, digest.hex()};
  }
  std::ifstream file(path_, std::ios::binary);
  refuse_if(!file, "unreadable-file", Concern::in_file(path_), "{} cannot be opened", path_);
  std::array<char, 1U << 16U> bytes{};
  while (file) {
    file.read(bytes.data(), bytes.size());
    digest.add(std::string_view(bytes.data(), static_cast<std::size_t>(file.gcount())));
  }
  return Provenance{path_, digest.hex()};
}

// -----------------------------------------------------------------------------------------------
// Writes records as CSV.

namespace {

bool needs_quotes(std::string_view field) {
  if (field.empty()) return false;
  // A first field that starts like a byte order mark would lose it when the file is read.
  if (field.front() == ' ' || field.back() == ' ' || field.starts_with("\xef\xbb\xbf")) return true;
  return std::any_of(field.begin(), field.end(), [](char c) {
    return c == ',' || c == '"' || c == '\n' || c == '\r' || c == '\t';
  });
}

void append_field(std::string_view field, std::string& csv) {
  if (!needs_quotes(field)) {
    csv += field;
    return;
  }
  const std::size_t begin = csv.size();
  csv.resize(begin + csv_write(nullptr, 0, field.data(), field.size()));
  csv_write(csv.data() + begin, csv.size() - begin, field.data(), field.size());
}

}  // namespace

void append_csv_record(std::span<const std::string> fields, std::string& csv) {
  if (fields.size() == 1 && fields[0].empty()) {
    csv += "\"\"\n";
    return;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) csv += ',';
    append_field(fields[i], csv);
  }
  csv += '\n';
}

// -----------------------------------------------------------------------------------------------
// A CSV file, or its text, as a sink of records.

namespace {

void append_value(const ColumnSchema& column, const Value& value, std::string& text) {
  TextBuffer buffer;
  if (const auto* word = std::get_if<std::string_view>(&value)) {
    text += *word;
  } else if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    text += text_of(*integer, buffer);
  } else if (const auto* truth = std::get_if<bool>(&value)) {
    const std::size_t cell = *truth ? 1 : 0;
    text += column.words.empty() ? (*truth ? "true" : "false") : column.words[cell];
  } else if (const auto* moment = std::get_if<Moment>(&value)) {
    text += text_of(*moment, buffer);
  } else if (const auto* number = std::get_if<double>(&value)) {
    if (column.exponent) {
      const DecimalLattice lattice(*column.exponent);
      lattice.write(lattice.multiple(*number), text);
    } else {
      text += text_of(*number, buffer);
    }
  }
}

/// In a text that no domain declares, a line break would make two records of one.
bool ends_a_line(char letter) { return letter == '\n' || letter == '\r'; }

}  // namespace

void CsvSink::begin(const Schema& schema) {
  schema_ = schema;
  std::vector<std::string> names;
  for (const ColumnSchema& column : schema) names.push_back(column.name);
  append_csv_record(names, csv_);
}

void CsvSink::write(const Block& block) {
  std::vector<std::string> fields(schema_.size());
  for (std::size_t row = 0; row < block.rows; ++row) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      fields[i].clear();
      append_value(schema_[i], block.columns[i][row], fields[i]);
      std::replace_if(fields[i].begin(), fields[i].end(), ends_a_line, '\v');
    }
    append_csv_record(fields, csv_);
  }
}

}  // namespace mollify
