#include "kernel/channel/matrix_channel.h"

#include <algorithm>
#include <cmath>

#include "kernel/core/invalid_input.h"
#include "kernel/search/positive_masses.h"

namespace mollify {

MatrixChannel MatrixChannel::make(std::span<const double> rows, std::size_t outcome_count,
                                  double epsilon) {
  const ExpBound bound(epsilon);
  if (outcome_count == 0 || rows.empty() || rows.size() % outcome_count != 0 ||
      rows.size() > Band::kMostOutcomes) {
    throw InvalidInput("the generators must be rows of " + std::to_string(outcome_count) +
                       " masses, at most 16777216 in all, but there are " +
                       std::to_string(rows.size()) + " masses");
  }
  const std::size_t row_count = rows.size() / outcome_count;
  std::vector<double> sums;
  std::vector<double> mean(outcome_count);
  for (std::size_t x = 0; x < row_count; ++x) {
    const std::span<const double> row = rows.subspan(x * outcome_count, outcome_count);
    sums.push_back(detail::validated_mass_sum(row));
    for (std::size_t j = 0; j < outcome_count; ++j) {
      mean[j] += row[j] / sums[x] / static_cast<double>(row_count);
    }
  }
  // Rows that reach e^epsilon in doubles exceed Ebar, which is 2^-40 less. Moved this little
  // towards their mean, and so staying in their own hull, they do not.
  const double pull = 0x1p-38 / -std::expm1(-bound.epsilon());
  MatrixChannel channel;
  channel.outcome_count_ = outcome_count;
  channel.prefix_.reserve(row_count * (outcome_count + 1));
  std::vector<uint128> cumulative(outcome_count + 1);
  for (std::size_t x = 0; x < row_count; ++x) {
    for (std::size_t j = 0; j < outcome_count; ++j) {
      const double share = rows[x * outcome_count + j] / sums[x];
      const double pulled = share + pull * (mean[j] - share);
      cumulative[j + 1] = cumulative[j] + static_cast<uint128>(pulled * 0x1p62);
    }
    // One part for each outcome and the rest by rounding the cumulative sum, which adds up to the
    // total whatever the floating point did.
    const uint128 rest = kTotal - outcome_count;
    for (std::size_t j = 0; j <= outcome_count; ++j) {
      const uint128 before = cumulative[j] * rest / cumulative[outcome_count];
      channel.prefix_.push_back(static_cast<std::uint64_t>(before + j));
    }
  }
  for (std::size_t j = 0; j < outcome_count; ++j) {
    const Extremes column = channel.column(j);
    if (!bound.allows(column.greatest, column.least)) {
      throw InvalidInput("generators may differ by at most e^" + detail::shortest(bound.epsilon()) +
                         " at each outcome, but at outcome " + std::to_string(j) +
                         " they differ by a factor of " +
                         detail::shortest(static_cast<double>(column.greatest) /
                                          static_cast<double>(column.least)));
    }
  }
  return channel;
}

Extremes MatrixChannel::column(std::size_t j) const {
  Extremes entries{entry(0, j), entry(0, j)};
  for (std::size_t x = 1; x < input_count(); ++x) {
    entries.greatest = std::max(entries.greatest, entry(x, j));
    entries.least = std::min(entries.least, entry(x, j));
  }
  return entries;
}

bool MatrixChannel::satisfies(const ExpBound& bound) const {
  for (std::size_t j = 0; j < outcome_count_; ++j) {
    const Extremes entries = column(j);
    if (!bound.allows(entries.greatest, entries.least)) return false;
  }
  return true;
}

std::size_t MatrixChannel::locate(std::size_t row, std::uint64_t position) const {
  const std::size_t inside = row < input_count() ? row : 0;
  const auto begin = prefix_.begin() + static_cast<std::ptrdiff_t>(inside * (outcome_count_ + 1));
  const auto end = begin + static_cast<std::ptrdiff_t>(outcome_count_ + 1);
  return static_cast<std::size_t>(std::upper_bound(begin, end, position) - begin) - 1;
}

}  // namespace mollify
