#include "domain/shapes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace mollify {

bool CellShape::is_sound() const {
  if (ends.empty() || ends.size() != sums.size() || !(sums.back() > 0)) return false;
  std::uint64_t end = 0;
  double sum = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] <= end || !(sums[i] >= sum) || !std::isfinite(sums[i])) return false;
    end = ends[i];
    sum = sums[i];
  }
  return true;
}

double CellShape::below(std::uint64_t point) const {
  const auto run =
      static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), point) - ends.begin());
  if (run == ends.size()) return 1;
  const std::uint64_t first = run == 0 ? 0 : ends[run - 1];
  const double before = run == 0 ? 0 : sums[run - 1];
  const double part = static_cast<double>(point - first) / static_cast<double>(ends[run] - first);
  return (before + (sums[run] - before) * part) / sums.back();
}

std::uint64_t CellShape::draw(std::uint64_t begin, std::uint64_t end,
                              UniformIntegers random) const {
  const auto run_of = [&](std::uint64_t point) {
    return std::upper_bound(ends.begin(), ends.end(), point) - ends.begin();
  };
  const double low = below(begin), high = below(end);
  if (!(high > low)) return begin + random.below(end - begin);
  const double u = static_cast<double>(random.below(std::uint64_t{1} << 53U)) * 0x1p-53;
  const double place = (low + u * (high - low)) * sums.back();
  // What rounding puts beyond a run of the points asked for is its first or last one's.
  const auto found = std::upper_bound(sums.begin(), sums.end(), place) - sums.begin();
  const auto run = static_cast<std::size_t>(std::clamp(found, run_of(begin), run_of(end - 1)));
  const std::uint64_t from = std::max(begin, run == 0 ? 0 : ends[run - 1]);
  return from + random.below(std::min(end, ends[run]) - from);
}

const CellShape* shape_of(std::span<const CellShape> shapes, std::uint32_t cell) {
  const auto found =
      std::lower_bound(shapes.begin(), shapes.end(), cell,
                       [](const CellShape& shape, std::uint32_t one) { return shape.cell < one; });
  return found != shapes.end() && found->cell == cell ? &*found : nullptr;
}

std::uint64_t draw_point(std::span<const CellShape> shapes, std::uint32_t cell, std::uint64_t begin,
                         std::uint64_t end, UniformIntegers random) {
  if (end - begin == 1) return begin;
  const CellShape* const shape = shape_of(shapes, cell);
  return shape != nullptr ? shape->draw(begin, end, random) : begin + random.below(end - begin);
}

}  // namespace mollify
