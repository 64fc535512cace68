// Points of real columns, as estimates and classifiers read them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace mollify {

/// A fixed number of points of a fixed dimension, a column after the other, in single precision.
///
/// Values may be anything, NaN and infinities included: what is learned or estimated from them may
/// be worthless but is always defined, and nothing private rests on it. New points are all zero. 4
/// bytes a value.
class Points {
 public:
  Points(std::size_t dimension, std::size_t size)
      : dimension_(dimension), size_(size), values_(dimension * size) {}

  /// The number of columns: the features of a point.
  [[nodiscard]] std::size_t dimension() const noexcept { return dimension_; }
  /// The number of points.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The values of one column, one for each point.
  [[nodiscard]] std::span<float> values(std::size_t column) noexcept {
    return std::span(values_).subspan(column * size_, size_);
  }
  [[nodiscard]] std::span<const float> values(std::size_t column) const noexcept {
    return std::span(values_).subspan(column * size_, size_);
  }

 private:
  std::size_t dimension_;
  std::size_t size_;
  std::vector<float> values_;
};

}  // namespace mollify
