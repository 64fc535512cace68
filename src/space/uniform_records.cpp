#include "space/uniform_records.h"

#include <algorithm>

namespace mollify {

UniformRecords::UniformRecords(const Domain& domain) {
  constexpr std::uint32_t kMostRivals = 10;
  for (const Column& column : domain.columns()) {
    if (!is_ordered(column.cells()) || !column.mapping().null_is_category) {
      columns_.push_back({column.size(), 0, 1, 1});
      continue;
    }
    const std::uint32_t cells = column.size() - 1;
    const std::uint32_t among = std::min(cells, kMostRivals) + 1;
    const double null_share = 1.0 / among;
    // Few integers are levels that count one each; then a value's density is its own share.
    const double spread = is_continuous(column.cells()) ? 1 : cells;
    columns_.push_back({cells, among, null_share, (1 - null_share) / spread});
    flat_ = false;
  }
}

double UniformRecords::density(std::span<const std::uint32_t> digits) const noexcept {
  double product = 1;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    product *= digits[i] == columns_[i].cells ? columns_[i].if_null : columns_[i].if_value;
  }
  return product;
}

}  // namespace mollify
