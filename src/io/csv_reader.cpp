#include "io/csv_reader.h"

#include <csv.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernel/core/invalid_input.h"
#include "space/nearest_name.h"

namespace mollify {

namespace {

/// How files begin that hold no text.
const char* packing_of(std::string_view beginning) {
  constexpr std::array<std::pair<std::string_view, const char*>, 6> kPackings = {
      {{"\x1f\x8b", "compressed by gzip"},
       {"BZh", "compressed by bzip2"},
       {"\xfd"
        "7zXZ",
        "compressed by xz"},
       {"\x28\xb5\x2f\xfd", "compressed by zstd"},
       {"PK\x03\x04", "a zip archive or a spreadsheet"},
       {"PAR1", "Parquet"}}};
  for (const auto& [bytes, packing] : kPackings) {
    if (beginning.starts_with(bytes)) return packing;
  }
  return nullptr;
}

/// What separates fields where commas do not, as it seems.
std::string separator_hint(const std::vector<std::string>& header) {
  if (header.size() != 1) return "";
  constexpr std::array<std::pair<char, const char*>, 3> kSeparators = {
      {{';', "semicolons"}, {'\t', "tabs"}, {'|', "bars"}}};
  for (const auto& [letter, name] : kSeparators) {
    if (header.front().find(letter) == std::string::npos) continue;
    return fmt::format("; its first line has {} and no comma, but commas separate fields", name);
  }
  return "";
}

}  // namespace

// libcsv, given one line at a time. Its own line ends and its trimming of spaces are switched off.
class CsvReader::Parser {
 public:
  explicit Parser(unsigned char options) : options_(options) { start(); }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  // Passes each field of the line to keep(text), which must not throw, for C calls it. The texts
  // stay valid until the next line. False if quotes are misplaced, which strict parsers alone mind.
  template <class Keep>
  bool parse(std::string_view line, Keep keep) {
    struct State {
      std::string& unquoted;
      Keep& keep;
    } state{unquoted_, keep};
    // All fields together are no longer than their line: appending them never allocates.
    unquoted_.clear();
    unquoted_.reserve(line.size());
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

CsvReader::CsvReader(std::string path, std::optional<std::string_view> bytes)
    : lines_(std::move(path), bytes),
      parser_(std::make_unique<Parser>(static_cast<unsigned char>(0))),
      strict_parser_(
          std::make_unique<Parser>(static_cast<unsigned char>(CSV_STRICT | CSV_STRICT_FINI))) {
  if (!lines_.next()) {
    throw InvalidInput(fmt::format("{} must start with a header, but is empty", lines_.path()));
  }
  if (const char* packing = packing_of(lines_.line())) {
    throw InvalidInput(
        fmt::format("{} must be text, but looks {}: unpack it first", lines_.path(), packing));
  }
  if (lines_.line().empty()) {
    throw InvalidInput(
        fmt::format("{} must start with a header, but its first line is empty", lines_.path()));
  }
  if (lines_.overlong()) {
    throw InvalidInput(
        fmt::format("{} must start with a header of at most {} bytes, but its first "
                    "line is longer",
                    lines_.path(), LineReader::kMaxLineBytes));
  }
  // Between quotes it is a name's, however odd.
  const std::string_view header = lines_.line();
  if (header.find('\r') != std::string_view::npos && header.find('"') == std::string_view::npos) {
    throw InvalidInput(
        fmt::format("{} must end its lines with a line feed, but line 1 holds a carriage return "
                    "without one",
                    lines_.path()));
  }
  if (!well_quoted()) {
    throw InvalidInput(
        fmt::format("{} line 1 must be a header with closed quotes, but holds a misplaced quote",
                    lines_.path()));
  }
  parser_->parse(lines_.line(), [this](std::string_view name) { header_.emplace_back(name); });
}

CsvReader::~CsvReader() = default;

std::size_t CsvReader::position(std::string_view column, std::string_view reason,
                                Header told) const {
  const auto found = std::find(header_.begin(), header_.end(), column);
  if (found == header_.end()) {
    std::string more = separator_hint(header_);
    if (told == Header::kTold && more.empty()) {
      constexpr std::size_t kMostNamed = 20;
      const std::size_t named = std::min(header_.size(), kMostNamed);
      more = fmt::format(
          "; it has {}{}{}",
          fmt::join(header_.begin(), header_.begin() + static_cast<std::ptrdiff_t>(named), ", "),
          named < header_.size() ? ", ..." : "", did_you_mean(column, header_));
    }
    throw InvalidInput(fmt::format("{} has no column \"{}\", {}{}", path(), column, reason, more));
  }
  if (std::find(found + 1, header_.end(), column) != header_.end()) {
    throw InvalidInput(
        fmt::format("{} has more than one column \"{}\", {}", path(), column, reason));
  }
  return static_cast<std::size_t>(found - header_.begin());
}

bool CsvReader::next_line() {
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

void CsvReader::split() {
  fields_.clear();
  fields_.reserve(header_.size());
  fields_in_line_ = 0;
  const std::string_view line = lines_.line();
  const auto keep = [this](std::string_view field) noexcept {
    if (fields_.size() < header_.size()) fields_.push_back(field);
    ++fields_in_line_;
  };
  if (line.find('"') != std::string_view::npos) {
    parser_->parse(line, keep);
  } else {  // several times as fast, and the same: a test compares the two
    std::size_t begin = 0;
    for (std::size_t comma = line.find(','); comma != std::string_view::npos;
         comma = line.find(',', begin)) {
      keep(line.substr(begin, comma - begin));
      begin = comma + 1;
    }
    keep(line.substr(begin));
  }
  fields_.resize(header_.size());
}

bool CsvReader::well_quoted() {
  return lines_.line().find('"') == std::string_view::npos ||
         strict_parser_->parse(lines_.line(), [](std::string_view) noexcept {});
}

}  // namespace mollify
