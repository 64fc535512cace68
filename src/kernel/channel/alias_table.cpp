#include "kernel/channel/alias_table.h"

namespace mollify {

AliasTable::AliasTable(const Table& table)
    : below_total_(table.band().total()),
      below_columns_(table.numerators().size()),
      thresholds_(table.numerators().size()),
      aliases_(table.numerators().size()) {
  const std::size_t count = thresholds_.size();
  const std::uint64_t total = below_total_.bound();
  std::vector<uint128> parts(count);
  std::vector<std::uint32_t> short_columns;
  std::vector<std::uint32_t> long_columns;
  for (std::size_t i = 0; i < count; ++i) {
    parts[i] = static_cast<uint128>(table.numerators()[i]) * count;
    (parts[i] < total ? short_columns : long_columns).push_back(static_cast<std::uint32_t>(i));
  }
  // Invariant: the parts of the columns still open sum to N for each of them, so while a short one
  // is open a long one is too, and at the end every open column holds exactly N of its own.
  while (!short_columns.empty()) {
    const std::uint32_t low = short_columns.back();
    const std::uint32_t high = long_columns.back();
    short_columns.pop_back();
    thresholds_[low] = static_cast<std::uint64_t>(parts[low]);
    aliases_[low] = high;
    parts[high] -= total - parts[low];
    if (parts[high] < total) {
      long_columns.pop_back();
      short_columns.push_back(high);
    }
  }
  for (const std::uint32_t i : long_columns) {
    thresholds_[i] = total;
    aliases_[i] = i;
  }
}

}  // namespace mollify
