// Points as classifiers read them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mollify {

/// A fixed number of points with a fixed number of real features, a feature after the other, in
/// single precision.
///
/// Values may be anything, NaN and infinities included: what is learned from them may be worthless
/// but is always defined, and nothing private rests on it. New points are all zero. 4 bytes a
/// value.
class Features {
 public:
  Features(std::size_t dimension, std::size_t size)
      : dimension_(dimension), size_(size), values_(dimension * size) {}

  /// The number of features of a point.
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  /// The number of points.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// One feature of all points.
  [[nodiscard]] std::span<float> values(std::size_t feature) noexcept {
    return std::span(values_).subspan(feature * size_, size_);
  }
  [[nodiscard]] std::span<const float> values(std::size_t feature) const noexcept {
    return std::span(values_).subspan(feature * size_, size_);
  }

 private:
  std::size_t dimension_;
  std::size_t size_;
  std::vector<float> values_;
};

}  // namespace mollify
