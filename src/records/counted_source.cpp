#include "records/counted_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mollify {
namespace {

std::uint64_t whole(double number) {
  if (!(number >= 0 && number == std::floor(number))) return 0;
  return static_cast<std::uint64_t>(
      std::fmin(number, static_cast<double>(CountedSource::kMostOfARow)));
}

std::uint64_t whole(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? whole(number) : 0;
}

std::uint64_t count_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    return std::min<std::uint64_t>(static_cast<std::uint64_t>(std::max<std::int64_t>(*integer, 0)),
                                   CountedSource::kMostOfARow);
  }
  if (const auto* number = std::get_if<double>(&value)) return whole(*number);
  if (const auto* text = std::get_if<std::string_view>(&value)) return whole(*text);
  return 0;
}

}  // namespace

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
    for (std::size_t row = 0; row < block.rows; ++row) counts[row] = count_of(said[row]);
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
