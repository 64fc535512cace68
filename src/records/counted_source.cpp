#include "records/counted_source.h"

#include <algorithm>
#include <cmath>

#include "space/field_text.h"

namespace mollify {

std::optional<std::uint64_t> read_count(const Value& value) noexcept {
  std::optional<double> number;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*integer);
  }
  if (const auto* exact = std::get_if<double>(&value)) number = *exact;
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    UnmarkedBuffer buffer;
    number = read_number(*text);
    if (!number) number = read_number(without_marks(*text, true, buffer));
  }
  if (!number || !(*number >= 0 && *number == std::floor(*number))) return std::nullopt;
  return static_cast<std::uint64_t>(std::fmin(*number, 0x1p63));
}

CountedSource::CountedSource(const Source& table, const std::string& counts_column)
    : table_(table),
      counts_column_(
          table.position(counts_column, "which says how many records a row stands for")) {}

void CountedSource::visit(std::span<const std::size_t> wanted,
                          const std::function<void(const Block&)>& take) const {
  std::vector<std::size_t> with_counts(wanted.begin(), wanted.end());
  with_counts.push_back(counts_column_);
  std::vector<std::uint64_t> counts;
  table_.visit(with_counts, [&](const Block& block) {
    const Values& said = block.columns.back();
    counts.resize(block.rows);
    for (std::size_t row = 0; row < block.rows; ++row) {
      counts[row] = std::min(read_count(said[row]).value_or(0), kMostOfARow);
    }
    take({block.rows, block.columns.first(wanted.size()), counts});
  });
}

std::uint64_t CountedSource::record_count() const {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 62U;
  require_repeatable();
  std::uint64_t all = 0;
  visit({}, [&](const Block& block) {
    for (const std::uint64_t count : block.counts) all = std::min(all + count, kMost);
  });
  return all;
}

}  // namespace mollify
