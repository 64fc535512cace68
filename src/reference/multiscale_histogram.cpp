#include "reference/multiscale_histogram.h"

#include <cstddef>
#include <cstdint>

namespace mollify {
namespace {

/// One histogram of the mean: which part of an axis a cell lies in.
class Level {
 public:
  Level(const Domain& grid, unsigned exponent) : grid_(grid), exponent_(exponent) {
    std::size_t parts = 1;
    for (const Column& column : grid.columns()) {
      strides_.push_back(parts);
      parts *= parts_of(column);
    }
    counts_.assign(parts, 0.0);
    cells_.assign(parts, 0.0);
    for (std::uint32_t outcome = 0; outcome < grid.size(); ++outcome) cells_[part(outcome)] += 1;
  }

  void add(std::uint32_t outcome, double count) { counts_[part(outcome)] += count; }

  [[nodiscard]] double records_per_cell(std::uint32_t outcome) const {
    const std::size_t index = part(outcome);
    return counts_[index] / cells_[index];
  }

 private:
  [[nodiscard]] std::uint64_t parts_of(const Column& column) const {
    const std::uint64_t parts = std::uint64_t{1} << exponent_;
    return parts < column.size() ? parts : column.size();
  }

  [[nodiscard]] std::size_t part(std::uint32_t outcome) const {
    std::size_t index = 0;
    for (std::size_t i = 0; i < strides_.size(); ++i) {
      const Column& column = grid_.columns()[i];
      index += strides_[i] *
               static_cast<std::size_t>(grid_.digit(outcome, i) * parts_of(column) / column.size());
    }
    return index;
  }

  const Domain& grid_;
  unsigned exponent_;
  std::vector<std::size_t> strides_;
  std::vector<double> counts_;
  std::vector<double> cells_;
};

unsigned finest_level(std::uint64_t records, const Domain& grid) {
  const std::size_t power = grid.columns().size() + 2;
  const double room = static_cast<double>(records);
  unsigned level = 0;
  double parts = 1;  // 2^((level - 2) power), once level is above 2
  const auto may_refine = [&] {
    if (level >= 2) {
      for (std::size_t i = 0; i < power; ++i) parts *= 2;
    }
    return parts <= room;
  };
  const auto is_useful = [&] {
    for (const Column& column : grid.columns()) {
      if (std::uint64_t{1} << level < column.size()) return true;
    }
    return false;
  };
  while (is_useful() && may_refine()) ++level;
  return level;
}

}  // namespace

std::vector<double> multiscale_histogram(const Empirical& public_records, const Domain& grid) {
  const double uniform = 1.0 / grid.size();
  if (public_records.total() == 0) return std::vector<double>(grid.size(), uniform);
  const unsigned finest = finest_level(public_records.total(), grid);
  const double share = 1.0 / (finest + 1);
  std::vector<double> masses(grid.size(), share * uniform);
  const double records = static_cast<double>(public_records.total());
  for (unsigned exponent = 1; exponent <= finest; ++exponent) {
    Level level(grid, exponent);
    for (std::size_t j = 0; j < public_records.outcomes().size(); ++j) {
      level.add(public_records.outcomes()[j], public_records.weights()[j]);
    }
    for (std::uint32_t outcome = 0; outcome < grid.size(); ++outcome) {
      masses[outcome] += share * level.records_per_cell(outcome) / records;
    }
  }
  return masses;
}

}  // namespace mollify
