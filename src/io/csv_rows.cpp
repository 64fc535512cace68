#include "io/csv_rows.h"

#include <algorithm>

#include "io/csv_lanes.h"
#include "kernel/core/fastest_lanes.h"

namespace mollify {

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
  // Separators between quotes are none, so there are at most so many fields. Room is made before
  // libcsv's functions in C, which nothing may leave.
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

}  // namespace mollify
