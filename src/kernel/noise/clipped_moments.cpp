#include "kernel/noise/clipped_moments.h"

#include <string>

#include "kernel/core/invalid_input.h"

namespace mollify {
namespace {

std::size_t checked_moments_dimension(std::size_t dimension) {
  if (dimension < 1 || dimension > 1024) {
    throw InvalidInput("the dimension of clipped moments must be from 1 to 1024, but is " +
                       std::to_string(dimension));
  }
  return dimension;
}

std::uint64_t checked_moments_size(const char* what, std::uint64_t size) {
  if (size < 1 || size > ClippedMoments::kGreatestRadius) {
    throw InvalidInput(std::string(what) + " of clipped moments must be from 1 to 2^20, but is " +
                       std::to_string(size));
  }
  return size;
}

}  // namespace

ClippedMoments::ClippedMoments(std::size_t dimension, std::uint64_t radius, std::uint64_t offset)
    : clipper_(checked_moments_dimension(dimension), checked_moments_size("the radius", radius)),
      point_(dimension + 1),
      products_(entry_count(dimension)) {
  point_.back() = checked_moments_size("the offset", offset);
}

void ClippedMoments::add(std::span<const double> scores) {
  const std::span<const std::int64_t> clipped = clipper_.clip(scores);
  for (std::size_t i = 0; i < clipped.size(); ++i) {
    point_[i] = static_cast<std::uint64_t>(clipped[i]);
  }
  std::uint64_t* entry = products_.data();
  for (std::size_t i = 0; i < clipped.size(); ++i) {
    const std::uint64_t factor = point_[i];
    for (std::size_t j = i; j < point_.size(); ++j) *entry++ += factor * point_[j];
  }
}

std::vector<std::int64_t> ClippedMoments::entries() const {
  std::vector<std::int64_t> weighted(products_.size());
  const std::size_t d = point_.size() - 1;
  std::size_t entry = 0;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = i; j <= d; ++j, ++entry) {
      weighted[entry] = static_cast<std::int64_t>((i == j ? 5U : 7U) * products_[entry]);
    }
  }
  return weighted;
}

}  // namespace mollify
