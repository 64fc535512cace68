#include "io/csv_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accounting/nearest_name.h"
#include "kernel/core/invalid_input.h"
#include "kernel/core/whole_text.h"

namespace mollify {

namespace {

/// How files begin that hold no text, and what is to be done with them.
const char* packing_of(std::string_view beginning) {
  constexpr std::array<std::pair<std::string_view, const char*>, 8> kPackings = {
      {{"\x1f\x8b", "looks compressed by gzip: unpack it first"},
       {"BZh", "looks compressed by bzip2: unpack it first"},
       {"\xfd"
        "7zXZ",
        "looks compressed by xz: unpack it first"},
       {"\x28\xb5\x2f\xfd", "looks compressed by zstd: unpack it first"},
       {"PK\x03\x04", "looks like a zip archive or a spreadsheet: save it as CSV first"},
       {"PAR1", "looks like Parquet: save it as CSV first"},
       {"\xff\xfe", "looks like UTF-16: save it as UTF-8 first"},
       {"\xfe\xff", "looks like UTF-16: save it as UTF-8 first"}}};
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

CsvReader::CsvReader(std::string path, std::optional<std::string_view> bytes)
    : lines_(std::move(path), bytes) {
  if (!lines_.next()) {
    throw InvalidInput(fmt::format("{} must start with a header, but is empty", lines_.path()));
  }
  if (const char* packing = packing_of(lines_.line())) {
    throw InvalidInput(fmt::format("{} must be text, but {}", lines_.path(), packing));
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
  rows_.split(header, header.size() + 1);  // not so many
  for (std::size_t i = 0; i < rows_.field_count(0); ++i) {
    const std::string_view name = rows_.field(0, i);
    require_without_nul(fmt::format("a column's name in {}", lines_.path()), name);
    header_.emplace_back(name);
  }
}

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

std::string_view CsvReader::next_lines(std::size_t most) {
  const std::string_view lines = lines_.next_lines(most);
  return ends_as_a_record() ? lines : std::string_view();
}

void CsvReader::split() {
  rows_.split(lines_.line(), header_.size());
  fields_.resize(header_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) fields_[i] = rows_.field(0, i);
}

bool CsvReader::well_quoted() {
  if (lines_.line().find('"') == std::string_view::npos) return true;
  QuotedLine strict(CSV_STRICT | CSV_STRICT_FINI);
  strict.make_room(lines_.line().size());
  return strict.parse(lines_.line(), [](std::string_view) noexcept {});
}

}  // namespace mollify
