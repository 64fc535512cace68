#include "mollify/kernel/matrix_channel.h"

#include <algorithm>
#include <cmath>

#include "mollify/kernel/invalid_input.h"
#include "positive_masses.h"

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
  MatrixChannel channel;
  channel.outcome_count_ = outcome_count;
  const std::size_t row_count = rows.size() / outcome_count;
  std::vector<std::uint64_t> entries(outcome_count);
  for (std::size_t x = 0; x < row_count; ++x) {
    const std::span<const double> row = rows.subspan(x * outcome_count, outcome_count);
    const double sum = detail::validated_mass_sum(row);
    // Rounded down, below the total even after a unit is added to each, then the rest is shared
    // out by size: 2^-40 of each entry at a time, so that no ratio moves visibly.
    std::uint64_t missing = kTotal;
    for (std::size_t j = 0; j < outcome_count; ++j) {
      const double share = row[j] / sum * (static_cast<double>(kTotal) * (1 - 0x1p-44));
      entries[j] = static_cast<std::uint64_t>(share) + 1;
      missing -= entries[j];
    }
    while (missing != 0) {
      for (std::size_t j = 0; j < outcome_count && missing != 0; ++j) {
        const std::uint64_t step = std::min(missing, (entries[j] >> 40) + 1);
        entries[j] += step;
        missing -= step;
      }
    }
    channel.prefix_.push_back(0);
    for (const std::uint64_t entry : entries) {
      channel.prefix_.push_back(channel.prefix_.back() + entry);
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

MatrixChannel::Extremes MatrixChannel::column(std::size_t j) const {
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
