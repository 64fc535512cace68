#include "density/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

#include "density/bandwidths.h"

namespace mollify {
namespace {

/// The cells of one column and the density of its rows in them.
class ColumnCells {
 public:
  ColumnCells(const MixedColumn& column, double number_columns, float bandwidth,
              std::span<const float> rows)
      : column_(column), cells_(column.levels) {
    const auto n = static_cast<double>(rows.size());
    if (column.scale == Scale::kNumber) {
      // rule_of_thumb has sigma n^(-1/(p + 4)).
      const double width = 3.49 * static_cast<double>(bandwidth) *
                           std::pow(n, 1 / (number_columns + 4) - 1 / (number_columns + 2));
      cells_ = static_cast<std::uint32_t>(std::clamp(std::ceil(1 / width), 1.0, 1024.0));
      volume_ = 1 / static_cast<double>(cells_);
    }
    for (const float row : rows) ++counts_[cell(row)];
    for (auto& [cell, count] : counts_) count = smoothed(count, n);
    empty_ = smoothed(0, n);
  }

  [[nodiscard]] std::uint32_t cell(float value) const {
    if (column_.scale != Scale::kNumber) return level_in_range(value, cells_);
    const float position = number_in_range(value) * static_cast<float>(cells_);
    return std::min(static_cast<std::uint32_t>(position), cells_ - 1);
  }

  /// Of a cell, in Lebesgue or counting measure.
  [[nodiscard]] double volume() const { return volume_; }
  [[nodiscard]] double density(std::uint32_t cell) const {
    const auto found = counts_.find(cell);
    return found == counts_.end() ? empty_ : found->second;
  }

 private:
  [[nodiscard]] double smoothed(double count, double n) const {
    return (count + 1 / static_cast<double>(cells_)) / ((n + 1) * volume_);
  }

  MixedColumn column_;
  std::uint32_t cells_;
  double volume_ = 1;
  std::unordered_map<std::uint32_t, double> counts_;
  double empty_ = 0;
};

/// Joins a cell to the hash of those before it (the finaliser of SplitMix64 [Steele et al. 2014]).
std::uint64_t joined(std::uint64_t hash, std::uint64_t cell) {
  std::uint64_t x = hash + 0x9e3779b97f4a7c15U * (cell + 1);
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

}  // namespace

HistogramScorer::HistogramScorer(const MixedPoints& candidates)
    : Scorer(candidates), candidates_(candidates) {}

void HistogramScorer::score_rows(const MixedPoints& rows, std::span<float> scores) const {
  const Bandwidths bandwidths = rule_of_thumb(rows);
  const auto number_columns = static_cast<double>(std::ranges::count(
      columns(), Scale::kNumber, [](const MixedColumn& column) { return column.scale; }));
  std::vector<std::uint64_t> row_cells(rows.size());
  std::vector<std::uint64_t> candidate_cells(scores.size());
  std::vector<double> independent(scores.size(), 1.0);
  double volume = 1;
  for (std::size_t c = 0; c < columns().size(); ++c) {
    const ColumnCells cells(columns()[c], number_columns, bandwidths.of_column[c], rows.values(c));
    volume *= cells.volume();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      row_cells[i] = joined(row_cells[i], cells.cell(rows.values(c)[i]));
    }
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const std::uint32_t cell = cells.cell(candidates_.values(c)[j]);
      candidate_cells[j] = joined(candidate_cells[j], cell);
      independent[j] *= cells.density(cell);
    }
  }
  std::unordered_map<std::uint64_t, double> counts;
  for (const std::uint64_t cell : row_cells) ++counts[cell];
  const auto n = static_cast<double>(rows.size());
  const auto distinct = static_cast<double>(counts.size());
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const auto found = counts.find(candidate_cells[j]);
    const double joint = found == counts.end() ? 0 : found->second / volume;  // times n
    constexpr double kMost = std::numeric_limits<float>::max();
    scores[j] =
        static_cast<float>(std::min((joint + distinct * independent[j]) / (n + distinct), kMost));
  }
}

}  // namespace mollify
