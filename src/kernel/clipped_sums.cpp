#include "kernel/clipped_sums.h"

#include <bit>
#include <cmath>
#include <string>

#include "core/invalid_input.h"
#include "core/ranges.h"
#include "kernel/naturals.h"

namespace mollify {

// -----------------------------------------------------------------------------------------------
// Sums of vectors that no record can move far, whatever it says.

namespace {

constexpr unsigned kCoarseDigits = 20;
constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 51) - 1;

std::uint64_t checked_radius(std::uint64_t radius) {
  if (radius < 1 || radius > ClippedSum::kGreatestRadius) {
    throw InvalidInput(
        "out-of-range",
        "the radius of clipping must be from 1 to 2^40, but is " + std::to_string(radius),
        "radius");
  }
  return radius;
}

std::size_t checked_dimension(std::size_t dimension) {
  if (dimension < 1 || dimension > ClippedSum::kGreatestDimension) {
    throw InvalidInput("out-of-range",
                       "the dimension of a clipped sum must be from 1 to 2^20, but is " +
                           std::to_string(dimension),
                       "dimension");
  }
  return dimension;
}

/// The size of a double as an integer. Adding 2^52 leaves it in the last digits, rounded to
/// nearest.
std::uint64_t size_of(double score) {
  double size = std::abs(score);
  if (!(size < 0x1p40)) size = std::isnan(score) ? 0 : 0x1p40;
  return std::bit_cast<std::uint64_t>(size + 0x1p52) & kMantissa;
}

std::uint64_t size_of(std::int64_t z) {
  return z < 0 ? 0 - static_cast<std::uint64_t>(z) : static_cast<std::uint64_t>(z);
}

std::int64_t with_sign(std::uint64_t size, std::uint64_t is_negative) {
  return static_cast<std::int64_t>((size ^ (0 - is_negative)) + is_negative);
}

}  // namespace

ClippedSum::ClippedSum(std::size_t dimension, std::uint64_t radius)
    : radius_(checked_radius(radius)),
      coarse_bits_(static_cast<unsigned>(std::bit_width(radius)) > kCoarseDigits
                       ? static_cast<unsigned>(std::bit_width(radius)) - kCoarseDigits
                       : 0),
      coarse_limit_(
          static_cast<std::uint64_t>(static_cast<uint128>(radius) * radius >> (2 * coarse_bits_))),
      point_(checked_dimension(dimension)),
      sum_(dimension) {}

std::span<const std::int64_t> ClippedSum::clip(std::span<const double> scores) {
  if (scores.size() != point_.size()) {
    throw InvalidInput("wrong-shape", "a vector of a clipped sum must have " +
                                          std::to_string(point_.size()) + " coordinates, but has " +
                                          std::to_string(scores.size()));
  }
  // Sizes in units of 2^s, rounded up: if they are below 2^21 and their squares sum to L^2 / 4^s at
  // most, nothing needs clipping. Most vectors are settled so, without wide integers.
  const std::uint64_t up = (std::uint64_t{1} << coarse_bits_) - 1;
  std::uint64_t coarse_square = 0, all_digits = 0;
  for (std::size_t j = 0; j < point_.size(); ++j) {
    const std::uint64_t size = size_of(scores[j]);
    const std::uint64_t coarse = (size + up) >> coarse_bits_;
    all_digits |= coarse;
    coarse_square += coarse * coarse;
    point_[j] = with_sign(size, std::bit_cast<std::uint64_t>(scores[j]) >> 63);
  }
  const bool is_moderate = all_digits >> (kCoarseDigits + 1) == 0;
  if (is_moderate && coarse_square <= coarse_limit_) return point_;
  uint128 square = 0;
  for (const std::int64_t z : point_) square += static_cast<uint128>(size_of(z)) * size_of(z);
  if (square > static_cast<uint128>(radius_) * radius_) shrink(square);
  return point_;
}

void ClippedSum::shrink(uint128 square) {
  const std::uint64_t norm = detail::ceil_sqrt(square);
  for (std::int64_t& z : point_) {
    const uint128 product = static_cast<uint128>(size_of(z)) * radius_;
    const auto low = static_cast<std::uint64_t>(product);
    const auto size = low == product ? low / norm : static_cast<std::uint64_t>(product / norm);
    z = with_sign(size, z < 0 ? 1 : 0);
  }
}

void ClippedSum::add(std::span<const double> scores, std::int64_t weight) {
  clip(scores);
  const auto factor = static_cast<std::uint64_t>(weight);
  for (std::size_t j = 0; j < sum_.size(); ++j) {
    sum_[j] = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum_[j]) +
                                        factor * static_cast<std::uint64_t>(point_[j]));
  }
}

// -----------------------------------------------------------------------------------------------
// Sums of first and second moments that no record can move far, whatever it says.

namespace {

std::size_t checked_moments_dimension(std::size_t dimension) {
  require_between({"the dimension of clipped moments", "dimension", "coordinates"}, dimension, 1,
                  1024);
  return dimension;
}

std::uint64_t checked_moments_size(const Called& what, std::uint64_t size) {
  require_between(what, size, 1, ClippedMoments::kGreatestRadius);
  return size;
}

}  // namespace

ClippedMoments::ClippedMoments(std::size_t dimension, std::uint64_t radius, std::uint64_t offset)
    : clipper_(checked_moments_dimension(dimension),
               checked_moments_size({"the radius of clipped moments", "radius"}, radius)),
      point_(dimension + 1),
      products_(entry_count(dimension)) {
  point_.back() = checked_moments_size({"the offset of clipped moments", "offset"}, offset);
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
