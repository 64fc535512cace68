#include "reference/smoothed_records.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "density/product_kernel.h"
#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

/// Multiples of 2^-24: exact as floats, on every processor.
template <WordSource Source>
float uniform_number(Source& random) {
  return static_cast<float>(random.word() >> 40U) * 0x1p-24F;
}

}  // namespace

SmoothedRecords::SmoothedRecords(MixedPoints records, Bandwidths bandwidths, double uniform_share)
    : records_(std::move(records)),
      bandwidths_(std::move(bandwidths)),
      uniform_share_(uniform_share) {
  if (!(uniform_share > 0 && uniform_share <= 1)) {
    throw InvalidInput(
        fmt::format("the uniform share must be above 0 and at most 1, but is {}", uniform_share));
  }
  const std::size_t size = bandwidths_.of_column.size();
  if (size != columns().size()) {
    throw InvalidInput(
        fmt::format("there must be a bandwidth for each of {} columns, but there are {}",
                    columns().size(), size));
  }
  for (std::size_t c = 0; c < size; ++c) {
    kernels_.emplace_back(columns()[c], bandwidths_.of_column[c]);
  }
}

SmoothedRecords::SmoothedRecords(const MixedPoints& records, double uniform_share)
    : SmoothedRecords(records, rule_of_thumb(records), uniform_share) {}

void SmoothedRecords::densities(const MixedPoints& points, std::span<float> densities) const {
  if (!std::ranges::equal(points.columns(), columns())) {
    throw InvalidInput(
        fmt::format("points must have the {} columns of the records, but have {} others",
                    columns().size(), points.columns().size()));
  }
  ProductKernelScorer(points).score(records_, bandwidths_, densities);
  double uniform_density = 1;
  for (const MixedColumn& column : columns()) {
    if (column.scale != Scale::kNumber) uniform_density /= static_cast<double>(column.levels);
  }
  const double rest = records_.size() == 0 ? 1 : uniform_share_;
  for (float& density : densities) {
    density = static_cast<float>(
        (1 - uniform_share_) * static_cast<double>(density) / uniform_density + rest);
  }
}

template <WordSource Source>
void SmoothedRecords::draw_with(Source& random, std::span<float> point) const {
  if (point.size() != kernels_.size()) {
    throw InvalidInput(fmt::format("a point must have {} columns, but there is room for {}",
                                   kernels_.size(), point.size()));
  }
  const bool is_uniform =
      static_cast<double>(random.word() >> 11U) * 0x1p-53 < uniform_share_ || records_.size() == 0;
  const std::size_t record =
      is_uniform ? 0 : static_cast<std::size_t>(uniform_below(random, records_.size()));
  for (std::size_t c = 0; c < kernels_.size(); ++c) {
    if (!is_uniform) {
      point[c] = kernels_[c].draw(records_.values(c)[record], random);
    } else if (columns()[c].scale == Scale::kNumber) {
      point[c] = uniform_number(random);
    } else {
      point[c] = static_cast<float>(uniform_below(random, columns()[c].levels));
    }
  }
}

template void SmoothedRecords::draw_with(SecureRandom&, std::span<float>) const;
template void SmoothedRecords::draw_with(SeededRandom&, std::span<float>) const;

}  // namespace mollify
